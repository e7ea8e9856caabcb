/* Bytes of terminals become keys, however they are cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "term/keys.h"
#include "unit_tests.h"

#define MS 1000000ull

static const uint64_t start_ns = 5000 * MS;	/* any moment */

static void feed_bytes(struct keys *keys, const char *bytes, size_t count, uint64_t now_ns)
{
	assert_int_equal(keys_feed(keys, (const unsigned char *)bytes, count, now_ns), count);
}

static void feed(struct keys *keys, const char *text)
{
	feed_bytes(keys, text, strlen(text), start_ns);
}

/* What a key comes to, with the mouse's action and place in it. */
static long long whole_key(struct keys *keys)
{
	const int key = keys_next(keys);

	if (key != UI_KEY_MOUSE)
		return key;
	return key + ((long long)keys->mouse.action << 48) + ((long long)keys->mouse.x << 34) +
	       ((long long)keys->mouse.y << 22);
}

static void assert_mouse(struct keys *keys, enum mouse_action action, int x, int y)
{
	assert_int_equal(keys_next(keys), UI_KEY_MOUSE);
	assert_int_equal(keys->mouse.action, action);
	assert_int_equal(keys->mouse.x, x);
	assert_int_equal(keys->mouse.y, y);
}

static void test_every_terminals_keys_are_known(void **state)
{
	static const struct {
		const char *bytes;
		int key;
	} known[] = {
		{ "\033[A", UI_KEY_UP },	 { "\033OA", UI_KEY_UP },
		{ "\033[B", UI_KEY_DOWN },	 { "\033[1;5C", UI_KEY_RIGHT },
		{ "\033[D", UI_KEY_LEFT },	 { "\033[5~", UI_KEY_PAGE_UP },
		{ "\033[6~", UI_KEY_PAGE_DOWN }, { "\033[6;5~", UI_KEY_PAGE_DOWN },
		{ "\033[H", UI_KEY_HOME },	 { "\033[1~", UI_KEY_HOME },
		{ "\033[7~", UI_KEY_HOME },	 { "\033OH", UI_KEY_HOME },
		{ "\033[F", UI_KEY_END },	 { "\033OF", UI_KEY_END },
		{ "\033[4~", UI_KEY_END },	 { "\033[8~", UI_KEY_END },
		{ "\033[3~", UI_KEY_DELETE },	 { "\033[3;2~", UI_KEY_DELETE },
		{ "\033[2~", UI_KEY_INSERT },
		{ "\033[Z", UI_KEY_BACKTAB },	 { "\033\t", UI_KEY_BACKTAB },
		{ "\r", UI_KEY_ENTER },		 { "\n", UI_KEY_ENTER },
		{ "\x7f", UI_KEY_BACKSPACE },	 { "\b", UI_KEY_BACKSPACE },
		{ "\x0c", UI_KEY_CTRL('L') },	 { "q", 'q' },
		{ "\u00e9", 0xe9 },		 { "\u6f22", 0x6f22 },
		{ "\U0001f525", 0x1f525 },
	};
	struct keys keys = { .count = 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		feed(&keys, known[i].bytes);
		assert_int_equal(keys_next(&keys), known[i].key);
		assert_int_equal(keys_next(&keys), UI_KEY_NONE);
		assert_false(keys_is_waiting(&keys));
	}
}

/* From `infocmp -1x` of xterm, linux and rxvt, and PF1 to PF4 of the vt100. */
static void test_the_function_keys_of_every_terminal_are_known(void **state)
{
	static const char *const forms[][12] = {
		{ "\033OP", "\033OQ", "\033OR", "\033OS", "\033[15~", "\033[17~", "\033[18~",
		  "\033[19~", "\033[20~", "\033[21~", "\033[23~", "\033[24~" },
		{ "\033[11~", "\033[12~", "\033[13~", "\033[14~", "\033[15;2~", "\033[17;5~" },
		{ "\033[[A", "\033[[B", "\033[[C", "\033[[D", "\033[[E" },
		{ "\033[1;2P", "\033[1;2Q", "\033[1;2R", "\033[1;2S" },
		{ "\033O2P", "\033O5Q" },
	};
	struct keys keys = { .count = 0 };

	(void)state;
	for (size_t form = 0; form < sizeof(forms) / sizeof(forms[0]); form++) {
		for (int i = 0; i < 12 && forms[form][i]; i++) {
			feed(&keys, forms[form][i]);
			assert_int_equal(keys_next(&keys), UI_KEY_F1 + i);
			assert_int_equal(keys_next(&keys), UI_KEY_NONE);
		}
	}
}

/* Cells count from 0 here and from 1 in the reports. */
static void test_the_mouse_is_understood_in_both_forms(void **state)
{
	struct keys keys = { .count = 0 };

	(void)state;
	feed(&keys, "\033[<0;1;1M\033[<0;1;1m\033[<2;201;60M\033[<64;5;6M\033[<65;5;6M");
	assert_mouse(&keys, MOUSE_PRESS, 0, 0);
	assert_mouse(&keys, MOUSE_RELEASE, 0, 0);
	assert_mouse(&keys, MOUSE_MENU, 200, 59);
	assert_mouse(&keys, MOUSE_WHEEL_UP, 4, 5);
	assert_mouse(&keys, MOUSE_WHEEL_DOWN, 4, 5);
	feed(&keys, "\033[<32;7;8M\033[<28;3;3M\033[<16;4;4M");
	assert_mouse(&keys, MOUSE_DRAG, 6, 7);
	assert_mouse(&keys, MOUSE_PRESS, 2, 2);	/* Shift, Alt, Ctrl */
	assert_mouse(&keys, MOUSE_PRESS, 3, 3);
	feed(&keys, "\033[M !!\033[M#!!\033[M\"J,\033[M`%&\033[Ma%&\033[M@'(");
	assert_mouse(&keys, MOUSE_PRESS, 0, 0);
	assert_mouse(&keys, MOUSE_RELEASE, 0, 0);
	assert_mouse(&keys, MOUSE_MENU, 41, 11);
	assert_mouse(&keys, MOUSE_WHEEL_UP, 4, 5);
	assert_mouse(&keys, MOUSE_WHEEL_DOWN, 4, 5);
	assert_mouse(&keys, MOUSE_DRAG, 6, 7);
	feed_bytes(&keys, "\033[M \xff\x80", 6, start_ns);	/* 223 columns is all it can say */
	assert_mouse(&keys, MOUSE_PRESS, 222, 95);
	assert_int_equal(keys_next(&keys), UI_KEY_NONE);
}

static void test_other_buttons_and_impossible_places_mean_nothing(void **state)
{
	static const char *const nothing[] = {
		"\033[<1;2;3M",	 "\033[<1;2;3m", "\033[<2;2;3m", "\033[<66;2;3M", "\033[<67;2;3M",
		"\033[<128;2;3M", "\033[<35;2;3M", "\033[<64;2;3m", "\033[<0;0;3M", "\033[<0;3;0M",
		"\033[<0;3M",	 "\033[<M",	 "\033[<;;M",	 "\033[0;3;3M",	 "\033[M  !",
	};
	struct keys keys = { .count = 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++) {
		feed(&keys, nothing[i]);
		assert_int_equal(keys_next(&keys), UI_KEY_UNKNOWN);
		assert_int_equal(keys_next(&keys), UI_KEY_NONE);
	}
	feed(&keys, "\033[<0;99999999999999999999;4294967297M");
	assert_int_equal(keys_next(&keys), UI_KEY_MOUSE);
	assert_in_range(keys.mouse.x, 1000, 1000000);
	assert_in_range(keys.mouse.y, 1000, 1000000);
}

static void press_at(struct keys *keys, uint64_t now_ns, const char *bytes)
{
	feed_bytes(keys, bytes, strlen(bytes), now_ns);
}

static void test_a_second_press_in_the_same_cell_soon_is_a_double(void **state)
{
	struct keys keys = { .count = 0 };

	(void)state;
	press_at(&keys, start_ns, "\033[<0;5;5M\033[<0;5;5m");
	assert_mouse(&keys, MOUSE_PRESS, 4, 4);
	assert_mouse(&keys, MOUSE_RELEASE, 4, 4);
	press_at(&keys, start_ns + KEYS_DOUBLE_MS * MS, "\033[<0;5;5M\033[<0;5;5m");
	assert_mouse(&keys, MOUSE_DOUBLE, 4, 4);
	assert_mouse(&keys, MOUSE_RELEASE, 4, 4);
	press_at(&keys, start_ns + (KEYS_DOUBLE_MS + 1) * MS, "\033[<0;5;5M");	/* the third */
	assert_mouse(&keys, MOUSE_PRESS, 4, 4);
}

static void test_late_or_elsewhere_or_after_another_key_it_is_a_press(void **state)
{
	struct keys keys = { .count = 0 };

	(void)state;
	press_at(&keys, start_ns, "\033[<0;5;5M");
	assert_mouse(&keys, MOUSE_PRESS, 4, 4);
	press_at(&keys, start_ns + KEYS_DOUBLE_MS * MS + 1, "\033[<0;5;5M");
	assert_mouse(&keys, MOUSE_PRESS, 4, 4);
	press_at(&keys, start_ns + KEYS_DOUBLE_MS * MS + 2, "\033[<0;5;6M\033[<0;6;6M");
	assert_mouse(&keys, MOUSE_PRESS, 4, 5);
	assert_mouse(&keys, MOUSE_PRESS, 5, 5);
	press_at(&keys, start_ns + KEYS_DOUBLE_MS * MS + 3,
		 "\033[<65;6;6M\033[<0;6;6Mj\033[<0;6;6M");
	assert_mouse(&keys, MOUSE_WHEEL_DOWN, 5, 5);	/* another row is in that cell now */
	assert_mouse(&keys, MOUSE_PRESS, 5, 5);
	assert_int_equal(keys_next(&keys), 'j');
	assert_mouse(&keys, MOUSE_PRESS, 5, 5);
}

/* All kinds of input after one another, with what it is. */
static const char mixed[] =
	"j\033[5~\033OA\033[[C\u00e9\033[<0;12;34M\033[<0;12;34m\033[M !!\033[200~p\nq\033[A\u00e9"
	"\033[201~\033[1;5C\u6f22\033[?1;2c\033[Zq\033\t\r\033[24~\xe2z\x7f";

static const long long mixed_keys[] = {
	'j', UI_KEY_PAGE_UP, UI_KEY_UP, UI_KEY_F3, 0xe9,
	UI_KEY_MOUSE + ((long long)MOUSE_PRESS << 48) + (11ll << 34) + (33ll << 22),
	UI_KEY_MOUSE + ((long long)MOUSE_RELEASE << 48) + (11ll << 34) + (33ll << 22),
	UI_KEY_MOUSE + ((long long)MOUSE_PRESS << 48),
	'p', 'q', 0xe9, UI_KEY_RIGHT, 0x6f22, UI_KEY_UNKNOWN, UI_KEY_BACKTAB, 'q', UI_KEY_BACKTAB,
	UI_KEY_ENTER, UI_KEY_F12, UI_KEY_UNKNOWN, 'z', UI_KEY_BACKSPACE, UI_KEY_NONE,
};

/* Feeds pieces that end at @cuts. */
static void assert_mixed_keys(const size_t *cuts, size_t cut_count)
{
	struct keys keys = { .count = 0 };
	size_t fed = 0, at = 0;

	for (size_t i = 0; i < cut_count; i++) {
		long long key;

		feed_bytes(&keys, mixed + fed, cuts[i] - fed, start_ns);
		fed = cuts[i];
		while ((key = whole_key(&keys)) != UI_KEY_NONE)
			assert_int_equal(key, mixed_keys[at++]);
	}
	assert_int_equal(mixed_keys[at], UI_KEY_NONE);
	assert_false(keys_is_waiting(&keys));
}

static void test_input_may_be_cut_anywhere(void **state)
{
	const size_t length = sizeof(mixed) - 1;
	size_t every_byte[sizeof(mixed)];

	(void)state;
	for (size_t first = 0; first <= length; first++) {
		for (size_t second = first; second <= length; second++) {
			const size_t cuts[] = { first, second, length };

			assert_mixed_keys(cuts, 3);
		}
	}
	for (size_t i = 0; i < length; i++)
		every_byte[i] = i + 1;
	assert_mixed_keys(every_byte, length);
}

static void test_escape_alone_is_a_key_only_when_nothing_follows(void **state)
{
	struct keys keys = { .count = 0 };

	(void)state;
	assert_int_equal(keys_wait_ms(&keys), 0);
	feed(&keys, "\033");
	assert_int_equal(keys_next(&keys), UI_KEY_NONE);
	assert_int_equal(keys_wait_ms(&keys), KEYS_ESCAPE_MS);
	assert_int_equal(keys_expire(&keys), UI_KEY_ESCAPE);
	assert_false(keys_is_waiting(&keys));
	feed(&keys, "\033[<0;1");
	assert_int_equal(keys_next(&keys), UI_KEY_NONE);
	assert_int_equal(keys_wait_ms(&keys), KEYS_SEQUENCE_MS);
	assert_int_equal(keys_expire(&keys), UI_KEY_NONE);
	assert_false(keys_is_waiting(&keys));
}

static void test_escape_before_a_character_is_both(void **state)
{
	struct keys keys = { .count = 0 };

	(void)state;
	feed(&keys, "\033q");
	assert_int_equal(keys_next(&keys), UI_KEY_ESCAPE);
	assert_int_equal(keys_next(&keys), 'q');
}

static void test_unknown_sequences_are_swallowed_whole(void **state)
{
	struct keys keys = { .count = 0 };

	(void)state;
	feed(&keys, "\033[9~\033[?1;2c\033[97;5u\033[?1;5A\033[[Z\033[I\033Opq");
	for (int i = 0; i < 7; i++)
		assert_int_equal(keys_next(&keys), UI_KEY_UNKNOWN);
	assert_int_equal(keys_next(&keys), 'q');
}

static void test_a_broken_sequence_does_not_take_the_next_key_with_it(void **state)
{
	static const char *const broken[] = {
		"\033[", "\033[1;", "\033O", "\033[[", "\033[<0;1", "\033[M ", "\xe2", "\xf0\x9f",
	};
	struct keys keys = { .count = 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		int key;

		feed(&keys, broken[i]);
		feed(&keys, "\033[5~q");
		while ((key = keys_next(&keys)) == UI_KEY_UNKNOWN)
			;
		assert_int_equal(key, UI_KEY_PAGE_UP);
		assert_int_equal(keys_next(&keys), 'q');
		assert_int_equal(keys_next(&keys), UI_KEY_NONE);
	}
}

static void test_a_pasted_text_is_characters_and_never_a_command(void **state)
{
	struct keys keys = { .count = 0 };

	(void)state;
	feed(&keys, "\033[200~q\r\n\tr\033[31m\033Z\x03\u00e9\x7f\033[<0;1;1M\033[201~s");
	for (const char *text = "qrZ"; *text; text++) {
		assert_int_equal(keys_next(&keys), *text);
		assert_true(keys.is_pasted);
	}
	assert_int_equal(keys_next(&keys), 0xe9);
	assert_int_equal(keys_next(&keys), 's');
	assert_false(keys.is_pasted);
	assert_false(keys_is_waiting(&keys));
}

static void test_a_paste_whose_end_is_lost_is_over_after_a_while(void **state)
{
	struct keys keys = { .count = 0 };

	(void)state;
	feed(&keys, "\033[200~a");
	assert_int_equal(keys_next(&keys), 'a');
	assert_int_equal(keys_next(&keys), UI_KEY_NONE);
	assert_int_equal(keys_wait_ms(&keys), KEYS_SEQUENCE_MS);
	feed(&keys, "\033");
	assert_int_equal(keys_next(&keys), UI_KEY_NONE);
	assert_int_equal(keys_expire(&keys), UI_KEY_NONE);
	feed(&keys, "\r");
	assert_int_equal(keys_next(&keys), UI_KEY_ENTER);
	assert_false(keys.is_pasted);
}

static void test_a_sequence_of_any_length_is_swallowed_to_its_end(void **state)
{
	struct keys keys = { .count = 0 };

	(void)state;
	feed(&keys, "\033[");
	for (int i = 0; i < 5000; i++) {
		feed(&keys, "1");
		assert_int_equal(keys_next(&keys), UI_KEY_NONE);
		assert_true(keys_room(&keys) > 0);
	}
	feed(&keys, "Aq");
	assert_int_equal(keys_next(&keys), UI_KEY_UNKNOWN);
	assert_int_equal(keys_next(&keys), 'q');
}

static void test_ctrl_space_is_the_byte_0(void **state)
{
	struct keys keys = { .count = 0 };

	(void)state;
	feed_bytes(&keys, "a\0b", 3, start_ns);
	assert_int_equal(keys_next(&keys), 'a');
	assert_int_equal(keys_next(&keys), UI_KEY_CTRL_SPACE);
	assert_int_equal(keys_next(&keys), 'b');
	assert_int_equal(keys_next(&keys), UI_KEY_NONE);
}

static void test_names_are_what_is_printed_on_the_keys(void **state)
{
	char name[KEYS_NAME_BYTES];

	(void)state;
	assert_string_equal(keys_format(UI_KEY_UP, name), "Up");
	assert_string_equal(keys_format(UI_KEY_PAGE_DOWN, name), "PgDn");
	assert_string_equal(keys_format(UI_KEY_BACKTAB, name), "Shift-Tab");
	assert_string_equal(keys_format(UI_KEY_DELETE, name), "Delete");
	assert_string_equal(keys_format(UI_KEY_INSERT, name), "Insert");
	assert_string_equal(keys_format(UI_KEY_CTRL_SPACE, name), "Ctrl-Space");
	assert_string_equal(keys_format(UI_KEY_F1, name), "F1");
	assert_string_equal(keys_format(UI_KEY_F12, name), "F12");
	assert_string_equal(keys_format(UI_KEY_MOUSE, name), "Mouse");
	assert_string_equal(keys_format(' ', name), "Space");
	assert_string_equal(keys_format('\\', name), "\\");
	assert_string_equal(keys_format(UI_KEY_CTRL('L'), name), "Ctrl-L");
}

UNIT_TESTS(test_keys)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_terminals_keys_are_known),
		cmocka_unit_test(test_the_function_keys_of_every_terminal_are_known),
		cmocka_unit_test(test_the_mouse_is_understood_in_both_forms),
		cmocka_unit_test(test_other_buttons_and_impossible_places_mean_nothing),
		cmocka_unit_test(test_a_second_press_in_the_same_cell_soon_is_a_double),
		cmocka_unit_test(test_late_or_elsewhere_or_after_another_key_it_is_a_press),
		cmocka_unit_test(test_input_may_be_cut_anywhere),
		cmocka_unit_test(test_escape_alone_is_a_key_only_when_nothing_follows),
		cmocka_unit_test(test_escape_before_a_character_is_both),
		cmocka_unit_test(test_unknown_sequences_are_swallowed_whole),
		cmocka_unit_test(test_a_broken_sequence_does_not_take_the_next_key_with_it),
		cmocka_unit_test(test_a_pasted_text_is_characters_and_never_a_command),
		cmocka_unit_test(test_a_paste_whose_end_is_lost_is_over_after_a_while),
		cmocka_unit_test(test_a_sequence_of_any_length_is_swallowed_to_its_end),
		cmocka_unit_test(test_ctrl_space_is_the_byte_0),
		cmocka_unit_test(test_names_are_what_is_printed_on_the_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
