/* Bytes of terminals become keys, however they are cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ui/keys.h"

static void feed(struct keys *keys, const char *text)
{
	assert_int_equal(keys_feed(keys, (const unsigned char *)text, strlen(text)), strlen(text));
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
		{ "\033[6~", UI_KEY_PAGE_DOWN }, { "\033[H", UI_KEY_HOME },
		{ "\033[1~", UI_KEY_HOME },	 { "\033OF", UI_KEY_END },
		{ "\033[4~", UI_KEY_END },	 { "\033OP", UI_KEY_F1 },
		{ "\033[11~", UI_KEY_F1 },	 { "\033[[A", UI_KEY_F1 },
		{ "\033[Z", UI_KEY_BACKTAB },	 { "\r", UI_KEY_ENTER },
		{ "\n", UI_KEY_ENTER },		 { "\x7f", UI_KEY_BACKSPACE },
		{ "\b", UI_KEY_BACKSPACE },	 { "\x0c", UI_KEY_CTRL('L') },
		{ "q", 'q' },			 { "\u00e9", 0xe9 },
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

static void test_a_sequence_that_comes_byte_by_byte_is_one_key(void **state)
{
	static const char bytes[] = "\033[5~";
	struct keys keys = { .count = 0 };

	(void)state;
	for (size_t i = 0; i + 1 < strlen(bytes); i++) {
		keys_feed(&keys, (const unsigned char *)bytes + i, 1);
		assert_int_equal(keys_next(&keys), UI_KEY_NONE);
		assert_true(keys_is_waiting(&keys));
	}
	feed(&keys, "~j");
	assert_int_equal(keys_next(&keys), UI_KEY_PAGE_UP);
	assert_int_equal(keys_next(&keys), 'j');
}

static void test_escape_alone_is_a_key_only_when_nothing_follows(void **state)
{
	struct keys keys = { .count = 0 };

	(void)state;
	feed(&keys, "\033");
	assert_int_equal(keys_next(&keys), UI_KEY_NONE);
	assert_int_equal(keys_expire(&keys), UI_KEY_ESCAPE);
	assert_false(keys_is_waiting(&keys));
	feed(&keys, "\033[");
	assert_int_equal(keys_next(&keys), UI_KEY_NONE);
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
	feed(&keys, "\033[200~\033[?1;2cq");
	assert_int_equal(keys_next(&keys), UI_KEY_UNKNOWN);
	assert_int_equal(keys_next(&keys), UI_KEY_UNKNOWN);
	assert_int_equal(keys_next(&keys), 'q');
}

static void test_a_sequence_without_end_does_not_block_for_ever(void **state)
{
	struct keys keys = { .count = 0 };

	(void)state;
	feed(&keys, "\033[");
	while (keys_room(&keys))
		feed(&keys, "1");
	assert_int_equal(keys_next(&keys), UI_KEY_NONE);
	assert_int_equal(keys_room(&keys), KEYS_BUFFER_BYTES);
}

static void test_names_are_what_is_printed_on_the_keys(void **state)
{
	char name[KEYS_NAME_BYTES];

	(void)state;
	assert_string_equal(keys_format(UI_KEY_PAGE_DOWN, name), "PgDn");
	assert_string_equal(keys_format(UI_KEY_F1, name), "F1");
	assert_string_equal(keys_format(' ', name), "Space");
	assert_string_equal(keys_format('\\', name), "\\");
	assert_string_equal(keys_format(UI_KEY_CTRL('L'), name), "Ctrl-L");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_terminals_keys_are_known),
		cmocka_unit_test(test_a_sequence_that_comes_byte_by_byte_is_one_key),
		cmocka_unit_test(test_escape_alone_is_a_key_only_when_nothing_follows),
		cmocka_unit_test(test_escape_before_a_character_is_both),
		cmocka_unit_test(test_unknown_sequences_are_swallowed_whole),
		cmocka_unit_test(test_a_sequence_without_end_does_not_block_for_ever),
		cmocka_unit_test(test_names_are_what_is_printed_on_the_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
