/* The line of input: what keys do to the text, and what of it is seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "term/keys.h"
#include "widgets/prompt.h"
#include "ui/term/utf8.h"
#include "unit_tests.h"

static struct prompt prompt;

static int forget(void **state)
{
	(void)state;
	memset(&prompt, 0, sizeof(prompt));
	return 0;
}

static void type(const char *text)
{
	uint32_t code;
	size_t bytes;

	for (; (bytes = utf8_decode(text, &code)) > 0; text += bytes)
		prompt_press(&prompt, (int)code);
}

static void press_times(int key, int times)
{
	while (times-- > 0)
		prompt_press(&prompt, key);
}

static void accept(const char *label, const char *text)
{
	prompt_open(&prompt, label, "");
	type(text);
	assert_int_equal(prompt_press(&prompt, UI_KEY_ENTER), PROMPT_ACCEPTED);
}

/* The text with '|' where the cursor is. */
static const char *line(void)
{
	static char out[PROMPT_BYTES + 1];

	snprintf(out, sizeof(out), "%.*s|%s", (int)prompt.cursor, prompt.text,
		 prompt.text + prompt.cursor);
	return out;
}

/* The line as drawn, tails left out; below it the cells of the cursor: '^'. */
static const char *drawn(int width, bool is_ascii)
{
	static char out[1024];
	struct canvas canvas = { .is_ascii = is_ascii };
	size_t used = 0;

	assert_int_equal(canvas_resize(&canvas, width, 1), 0);
	prompt_draw(&prompt, &canvas, 0);
	for (int x = 0; x < width; x++) {
		if (canvas.cells[x].code != CANVAS_TAIL)
			used += utf8_encode(out + used, canvas.cells[x].code);
		if (canvas.cells[x].mark)
			used += utf8_encode(out + used, canvas.cells[x].mark);
	}
	out[used++] = '\n';
	for (int x = 0; x < width; x++)
		out[used++] = canvas.cells[x].role == ROLE_SELECTED ? '^' : '.';
	out[used] = '\0';
	canvas_finish(&canvas);
	return out;
}

static void open_selected(const char *text)
{
	prompt_open(&prompt, "find", text);
	prompt_select(&prompt);
}

static void test_what_is_typed_takes_the_place_of_a_selected_text(void **state)
{
	(void)state;
	open_selected("old words");
	type("new");
	assert_string_equal(line(), "new|");
	open_selected("old words");
	assert_int_equal(prompt_press(&prompt, UI_KEY_BACKSPACE), PROMPT_EDITED);
	assert_string_equal(line(), "|");
	open_selected("old words");
	prompt_press(&prompt, UI_KEY_CTRL('W'));
	assert_string_equal(line(), "|");
	open_selected("x");
	type("xy");	/* the same letter is a new one, too */
	assert_string_equal(line(), "xy|");
	open_selected("");
	prompt_press(&prompt, UI_KEY_BACKSPACE);
	type("a");
	assert_string_equal(line(), "a|");
}

static void test_a_key_that_moves_keeps_a_selected_text(void **state)
{
	(void)state;
	open_selected("old");
	prompt_press(&prompt, UI_KEY_END);
	type("er");
	assert_string_equal(line(), "older|");
	open_selected("old");
	assert_int_equal(prompt_press(&prompt, UI_KEY_ENTER), PROMPT_ACCEPTED);
	assert_string_equal(prompt.text, "old");
}

static void test_a_selected_text_is_seen_to_be_so(void **state)
{
	(void)state;
	open_selected("abc");
	assert_string_equal(drawn(20, false), " find abc           \n"
					      "......^^^^..........");
	prompt_press(&prompt, UI_KEY_LEFT);
	assert_string_equal(drawn(20, false), " find abc           \n"
					      "........^...........");
}

static void test_typing_goes_in_at_the_cursor(void **state)
{
	(void)state;
	prompt_open(&prompt, "/", "ad");
	assert_string_equal(line(), "ad|");
	assert_int_equal(prompt_press(&prompt, UI_KEY_LEFT), PROMPT_MOVED);
	assert_int_equal(prompt_press(&prompt, 'b'), PROMPT_EDITED);
	type("c");
	assert_string_equal(line(), "abc|d");
	prompt_press(&prompt, UI_KEY_HOME);
	assert_string_equal(line(), "|abcd");
	press_times(UI_KEY_LEFT, 2);
	assert_string_equal(line(), "|abcd");
	prompt_press(&prompt, UI_KEY_RIGHT);
	assert_string_equal(line(), "a|bcd");
	prompt_press(&prompt, UI_KEY_CTRL('E'));
	assert_string_equal(line(), "abcd|");
	prompt_press(&prompt, UI_KEY_RIGHT);
	prompt_press(&prompt, UI_KEY_CTRL('A'));
	assert_string_equal(line(), "|abcd");
	prompt_press(&prompt, UI_KEY_END);
	assert_string_equal(line(), "abcd|");
}

static void test_erasing_is_readlines(void **state)
{
	(void)state;
	prompt_open(&prompt, "/", "one two  three");
	assert_int_equal(prompt_press(&prompt, UI_KEY_BACKSPACE), PROMPT_EDITED);
	assert_string_equal(line(), "one two  thre|");
	prompt_press(&prompt, UI_KEY_CTRL('W'));
	assert_string_equal(line(), "one two  |");
	prompt_press(&prompt, UI_KEY_CTRL('W'));
	assert_string_equal(line(), "one |");
	type("four");
	press_times(UI_KEY_LEFT, 3);
	prompt_press(&prompt, UI_KEY_DELETE);
	assert_string_equal(line(), "one f|ur");
	prompt_press(&prompt, UI_KEY_CTRL('K'));
	assert_string_equal(line(), "one f|");
	prompt_press(&prompt, UI_KEY_LEFT);
	prompt_press(&prompt, UI_KEY_CTRL('U'));
	assert_string_equal(line(), "|f");
}

static void test_erasing_nothing_is_no_edit(void **state)
{
	(void)state;
	prompt_open(&prompt, "/", "a");
	assert_int_equal(prompt_press(&prompt, UI_KEY_DELETE), PROMPT_MOVED);
	assert_int_equal(prompt_press(&prompt, UI_KEY_CTRL('K')), PROMPT_MOVED);
	prompt_press(&prompt, UI_KEY_HOME);
	assert_int_equal(prompt_press(&prompt, UI_KEY_BACKSPACE), PROMPT_MOVED);
	assert_int_equal(prompt_press(&prompt, UI_KEY_CTRL('W')), PROMPT_MOVED);
	assert_int_equal(prompt_press(&prompt, UI_KEY_CTRL('U')), PROMPT_MOVED);
	assert_string_equal(line(), "|a");
	assert_true(prompt.is_open);
}

static void test_a_step_is_a_character_with_its_accents(void **state)
{
	(void)state;
	prompt_open(&prompt, "/", "\u6f22e\u0301x");
	press_times(UI_KEY_LEFT, 2);
	assert_string_equal(line(), "\u6f22|e\u0301x");
	prompt_press(&prompt, UI_KEY_DELETE);
	assert_string_equal(line(), "\u6f22|x");
	prompt_press(&prompt, UI_KEY_BACKSPACE);
	assert_string_equal(line(), "|x");
	type("e\u0301");
	assert_string_equal(line(), "e\u0301|x");
	prompt_press(&prompt, UI_KEY_BACKSPACE);
	assert_string_equal(line(), "|x");
}

static void test_what_is_pasted_goes_in_and_control_bytes_do_not(void **state)
{
	(void)state;
	prompt_open(&prompt, "/", "");
	type("std::sort<int>\u202e\xc2\x85\u200b\x7f");	/* DEL erases: it is Backspace */
	assert_string_equal(line(), "std::sort<int|");
	assert_int_equal(prompt_press(&prompt, '\t'), PROMPT_IGNORED);
	assert_int_equal(prompt_press(&prompt, 2), PROMPT_IGNORED);
	assert_int_equal(prompt_press(&prompt, UI_KEY_PAGE_UP), PROMPT_IGNORED);
	assert_int_equal(prompt_press(&prompt, UI_KEY_CTRL('L')), PROMPT_IGNORED);
	assert_string_equal(prompt.text, "std::sort<int");
}

static void test_a_mark_with_nothing_to_sit_on_stays_out(void **state)
{
	(void)state;
	prompt_open(&prompt, "/", "");
	type("\u0301");
	assert_string_equal(line(), "|");
	type("e\u0301\u0301");
	assert_string_equal(line(), "e\u0301|");
}

static void test_a_full_line_takes_no_more_and_no_half_characters(void **state)
{
	(void)state;
	prompt_open(&prompt, "/", "");
	for (int i = 0; i < PROMPT_BYTES; i++)
		type("\u6f22");		/* three bytes: 127 of them are 381 of the 383 */
	assert_int_equal(strlen(prompt.text), 381);
	type("xy");
	assert_int_equal(strlen(prompt.text), 383);
	assert_int_equal(prompt.text[382], 'y');
	assert_int_equal(prompt_press(&prompt, 'z'), PROMPT_MOVED);
}

static void test_up_and_down_go_through_what_was_accepted(void **state)
{
	(void)state;
	accept("/", "one");
	accept("/", "two");
	prompt_open(&prompt, "/", "");
	type("new");
	assert_int_equal(prompt_press(&prompt, UI_KEY_UP), PROMPT_EDITED);
	assert_string_equal(line(), "two|");
	prompt_press(&prompt, UI_KEY_UP);
	assert_string_equal(line(), "one|");
	assert_int_equal(prompt_press(&prompt, UI_KEY_UP), PROMPT_MOVED);
	assert_string_equal(line(), "one|");
	prompt_press(&prompt, UI_KEY_DOWN);
	assert_string_equal(line(), "two|");
	assert_int_equal(prompt_press(&prompt, UI_KEY_DOWN), PROMPT_EDITED);
	assert_string_equal(line(), "new|");
	assert_int_equal(prompt_press(&prompt, UI_KEY_DOWN), PROMPT_MOVED);
	assert_string_equal(line(), "new|");
}

static void test_each_label_has_its_own_history(void **state)
{
	(void)state;
	accept("/", "searched");
	accept("filter:", "filtered");
	prompt_open(&prompt, "/", "");
	prompt_press(&prompt, UI_KEY_UP);
	assert_string_equal(line(), "searched|");
	prompt_press(&prompt, UI_KEY_UP);
	assert_string_equal(line(), "searched|");
}

static void test_only_different_accepted_texts_are_remembered(void **state)
{
	(void)state;
	accept("/", "a");
	accept("/", "b");
	accept("/", "a");
	accept("/", "");
	prompt_open(&prompt, "/", "");
	type("gone");
	assert_int_equal(prompt_press(&prompt, UI_KEY_ESCAPE), PROMPT_CANCELLED);
	assert_false(prompt.is_open);
	assert_int_equal(prompt.history_count, 2);
	prompt_open(&prompt, "/", "");
	prompt_press(&prompt, UI_KEY_UP);
	assert_string_equal(line(), "a|");
	prompt_press(&prompt, UI_KEY_UP);
	assert_string_equal(line(), "b|");
}

static void test_the_oldest_texts_are_forgotten_first(void **state)
{
	char text[16];

	(void)state;
	for (int i = 0; i <= PROMPT_HISTORY; i++) {
		snprintf(text, sizeof(text), "text %d", i);
		accept("/", text);
	}
	prompt_open(&prompt, "/", "");
	press_times(UI_KEY_UP, PROMPT_HISTORY + 5);
	assert_string_equal(line(), "text 1|");
}

static void test_an_edited_recall_is_new_text(void **state)
{
	(void)state;
	accept("/", "one");
	accept("/", "two");
	prompt_open(&prompt, "/", "");
	prompt_press(&prompt, UI_KEY_UP);
	type("!");
	prompt_press(&prompt, UI_KEY_UP);
	assert_string_equal(line(), "two|");
	prompt_press(&prompt, UI_KEY_DOWN);
	assert_string_equal(line(), "two!|");
}

static void test_the_cursor_is_the_character_under_it(void **state)
{
	(void)state;
	prompt_open(&prompt, "/", "a\u6f22b");
	assert_string_equal(drawn(10, false), " / a\u6f22b   \n"
					      ".......^..");
	press_times(UI_KEY_LEFT, 2);
	assert_string_equal(drawn(10, false), " / a\u6f22b   \n"
					      "....^^....");
	prompt_press(&prompt, UI_KEY_HOME);
	assert_string_equal(drawn(10, false), " / a\u6f22b   \n"
					      "...^......");
}

static void test_keys_are_shown_where_there_is_room(void **state)
{
	(void)state;
	prompt_open(&prompt, "filter:", "ab");
	assert_string_equal(drawn(40, false),
			    " filter: ab     Enter keep \u00b7 Esc cancel \n"
			    "...........^............................");
	assert_string_equal(drawn(30, false),
			    " filter: ab                   \n"
			    "...........^..................");
	assert_string_equal(drawn(40, true),
			    " filter: ab     Enter keep - Esc cancel \n"
			    "...........^............................");
}

/* 10 cells for the text: with the cursor in sight, a quarter of them ahead of it. */
static void test_a_long_text_scrolls_with_the_cursor(void **state)
{
	(void)state;
	prompt_open(&prompt, "/", "0123456789abcdefghij");
	assert_string_equal(drawn(14, false), " / \u2026cdefghij  \n"
					      "............^.");
	press_times(UI_KEY_LEFT, 6);		/* under: e, ahead: f and the cut */
	assert_string_equal(drawn(14, false), " / \u202689abcdef\u2026 \n"
					      "..........^...");
	prompt_press(&prompt, UI_KEY_HOME);
	assert_string_equal(drawn(14, false), " / 012345678\u2026 \n"
					      "...^..........");
}

static void test_a_note_takes_the_place_of_the_keys_until_the_next_key(void **state)
{
	(void)state;
	prompt_open(&prompt, "/", "ab");
	prompt_note(&prompt, "not found");
	assert_string_equal(drawn(40, false),
			    " / ab                         not found \n"
			    ".....^..................................");
	prompt_press(&prompt, UI_KEY_LEFT);
	assert_string_equal(prompt.note, "");
	prompt_note(&prompt, "a regular expression with an open bracket");
	assert_string_equal(drawn(24, false), " / ab        a regular\u2026 \n"
					      "....^...................");
}

static void test_any_width_is_drawn_within_the_line(void **state)
{
	(void)state;
	prompt_open(&prompt, "filter:", "\u6f22\u5b57e\u0301 and a rather long text beside it");
	for (int width = 1; width < 60; width++) {
		press_times(UI_KEY_LEFT, 1);
		prompt_note(&prompt, width % 2 ? "3 of 17" : "");
		drawn(width, width % 3 == 0);
	}
}

#define PROMPT_TEST(test) cmocka_unit_test_setup(test, forget)

UNIT_TESTS(test_prompt)
{
	const struct CMUnitTest tests[] = {
		PROMPT_TEST(test_what_is_typed_takes_the_place_of_a_selected_text),
		PROMPT_TEST(test_a_key_that_moves_keeps_a_selected_text),
		PROMPT_TEST(test_a_selected_text_is_seen_to_be_so),
		PROMPT_TEST(test_typing_goes_in_at_the_cursor),
		PROMPT_TEST(test_erasing_is_readlines),
		PROMPT_TEST(test_erasing_nothing_is_no_edit),
		PROMPT_TEST(test_a_step_is_a_character_with_its_accents),
		PROMPT_TEST(test_what_is_pasted_goes_in_and_control_bytes_do_not),
		PROMPT_TEST(test_a_mark_with_nothing_to_sit_on_stays_out),
		PROMPT_TEST(test_a_full_line_takes_no_more_and_no_half_characters),
		PROMPT_TEST(test_up_and_down_go_through_what_was_accepted),
		PROMPT_TEST(test_each_label_has_its_own_history),
		PROMPT_TEST(test_only_different_accepted_texts_are_remembered),
		PROMPT_TEST(test_the_oldest_texts_are_forgotten_first),
		PROMPT_TEST(test_an_edited_recall_is_new_text),
		PROMPT_TEST(test_the_cursor_is_the_character_under_it),
		PROMPT_TEST(test_keys_are_shown_where_there_is_room),
		PROMPT_TEST(test_a_long_text_scrolls_with_the_cursor),
		PROMPT_TEST(test_a_note_takes_the_place_of_the_keys_until_the_next_key),
		PROMPT_TEST(test_any_width_is_drawn_within_the_line),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
