/* The menu: what is typed, pressed and clicked, and what it looks like. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ui/term/utf8.h"
#include "ui/widgets/menu.h"
#include "unit_tests.h"

static struct menu menu;
static struct canvas canvas;

static int close_all(void **state)
{
	(void)state;
	menu_finish(&menu);
	canvas_finish(&canvas);
	canvas.is_ascii = false;
	return 0;
}

static void add_lines(int count)
{
	char label[32];

	for (int i = 1; i <= count; i++) {
		snprintf(label, sizeof(label), "line %d", i);
		menu_add(&menu, i, MENU_PLAIN, label, NULL);
	}
}

static void open_columns(void)
{
	menu_open(&menu, "columns", false);
	menu_add(&menu, 10, MENU_ON, "SELF%", "always");
	menu_add(&menu, 11, MENU_OFF, "TOTAL%", "");
	menu_add(&menu, 12, MENU_ON, "MODULE", NULL);
}

static void open_commands(void)
{
	menu_open(&menu, ":", true);
	menu_add(&menu, 1, MENU_PLAIN, "window: next module", "w");
	menu_add(&menu, 2, MENU_PLAIN, "submodule", "");
	menu_add(&menu, 3, MENU_PLAIN, "only this module", "o");
	menu_add(&menu, 4, MENU_PLAIN, "Modules: the view", "2");
	menu_add(&menu, 5, MENU_PLAIN, "quit", "q");
}

static void type(const char *text)
{
	uint32_t code;
	size_t bytes;

	for (; (bytes = utf8_decode(text, &code)) > 0; text += bytes)
		menu_press(&menu, (int)code);
}

/* Ids of the lines that are shown, in order. */
static const char *shown(void)
{
	static char out[256];
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < menu.shown_count; i++)
		used += (size_t)snprintf(out + used, sizeof(out) - used, "%s%d", i ? " " : "",
					 menu.items[menu.shown[i]].id);
	return out;
}

static void draw(int width, int height, int top, int bottom)
{
	assert_int_equal(canvas_resize(&canvas, width, height), 0);
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++)
			canvas_put_text(&canvas, (struct canvas_area){ x, y, 1 }, SAFE_TEXT("."),
					ROLE_TEXT);
	menu_draw(&menu, &canvas, top, bottom);
}

/* The frame, with dots for what is beneath the box. */
static const char *frame(void)
{
	static char out[8192];
	size_t used = 0;

	for (int i = 0; i < canvas.width * canvas.height; i++) {
		if (i > 0 && i % canvas.width == 0)
			out[used++] = '\n';
		if (canvas.cells[i].code != CANVAS_TAIL)
			used += utf8_encode(out + used, canvas.cells[i].code);
	}
	out[used] = '\0';
	return out;
}

static enum role role_at(int x, int y)
{
	return canvas.cells[y * canvas.width + x].role;
}

static enum menu_result click(enum mouse_action action, int x, int y)
{
	const struct mouse mouse = { action, x, y };

	return menu_click(&menu, &mouse);
}

static void test_lines_stand_in_the_order_they_were_added(void **state)
{
	(void)state;
	open_commands();
	assert_string_equal(shown(), "1 2 3 4 5");
	assert_null(menu_chosen(&menu));
	assert_int_equal(menu_press(&menu, UI_KEY_ENTER), MENU_CHOSEN);
	assert_int_equal(menu_chosen(&menu)->id, 1);
	assert_false(menu.is_open);
}

static void test_the_cursor_can_begin_on_a_line(void **state)
{
	(void)state;
	open_commands();
	menu_select(&menu, 3);
	menu_select(&menu, 77);
	menu_press(&menu, UI_KEY_ENTER);
	assert_int_equal(menu_chosen(&menu)->id, 3);
}

static void test_the_best_match_comes_first(void **state)
{
	(void)state;
	open_commands();
	type("mod");	/* begin of label, then of a word in the order added, then anywhere */
	assert_string_equal(shown(), "4 1 3 2");
	assert_int_equal(menu.cursor, 0);
	type("x");
	assert_string_equal(shown(), "");
	menu_press(&menu, UI_KEY_BACKSPACE);
	assert_string_equal(shown(), "4 1 3 2");
}

static void test_a_synonym_finds_its_line_by_its_begin(void **state)
{
	(void)state;
	open_commands();
	menu_set_synonyms(&menu, "exit leave");
	menu_add(&menu, 6, MENU_PLAIN, "exits: a list", "");
	type("exit");		/* whole before the begin of a label */
	assert_string_equal(shown(), "5 6");
	menu_press(&menu, UI_KEY_ESCAPE);
	type("lea");
	assert_string_equal(shown(), "5");
	menu_press(&menu, UI_KEY_ESCAPE);
	type("eave");
	assert_string_equal(shown(), "");
}

static void test_words_match_in_any_order_and_case(void **state)
{
	(void)state;
	open_commands();
	type("MOD ONLY");
	assert_string_equal(shown(), "3");
	menu_press(&menu, UI_KEY_ESCAPE);
	type("  the   view ");
	assert_string_equal(shown(), "4");
	menu_press(&menu, UI_KEY_ESCAPE);
	menu_add(&menu, 6, MENU_PLAIN, "\u00c4NDERN", "");
	type("\u00e4nd");
	assert_string_equal(shown(), "6");
}

static void test_a_later_begin_of_a_word_counts_more_than_the_first_place(void **state)
{
	(void)state;
	menu_open(&menu, "t", false);
	menu_add(&menu, 1, MENU_PLAIN, "abccd", "");
	menu_add(&menu, 2, MENU_PLAIN, "abcd/cd", "");
	type("cd");
	assert_string_equal(shown(), "2 1");
}

static void test_escape_clears_what_was_typed_then_closes(void **state)
{
	(void)state;
	open_commands();
	type("quit");
	assert_int_equal(menu_press(&menu, UI_KEY_ESCAPE), MENU_TAKEN);
	assert_string_equal(menu.typed, "");
	assert_string_equal(shown(), "1 2 3 4 5");
	assert_int_equal(menu_press(&menu, UI_KEY_BACKSPACE), MENU_TAKEN);
	assert_true(menu.is_open);
	assert_int_equal(menu_press(&menu, UI_KEY_ESCAPE), MENU_CLOSED);
	assert_false(menu.is_open);
}

static void test_opening_again_begins_anew(void **state)
{
	(void)state;
	open_commands();
	type("q");
	menu_press(&menu, UI_KEY_ENTER);
	assert_int_equal(menu_chosen(&menu)->id, 5);
	open_columns();
	assert_null(menu_chosen(&menu));
	assert_string_equal(menu.typed, "");
	assert_string_equal(shown(), "10 11 12");
}

static void test_the_cursor_stays_within_the_lines(void **state)
{
	(void)state;
	menu_open(&menu, "many", false);
	add_lines(40);
	draw(40, 12, 1, 11);		/* 10 lines: 8 in the frame */
	menu_press(&menu, UI_KEY_UP);
	assert_int_equal(menu.cursor, 0);
	menu_press(&menu, UI_KEY_TAB);
	assert_int_equal(menu.cursor, 1);
	menu_press(&menu, UI_KEY_BACKTAB);
	assert_int_equal(menu.cursor, 0);
	menu_press(&menu, UI_KEY_PAGE_DOWN);
	assert_int_equal(menu.cursor, 8);
	menu_press(&menu, UI_KEY_END);
	assert_int_equal(menu.cursor, 39);
	menu_press(&menu, UI_KEY_DOWN);
	assert_int_equal(menu.cursor, 39);
	menu_press(&menu, UI_KEY_PAGE_UP);
	assert_int_equal(menu.cursor, 31);
	menu_press(&menu, UI_KEY_UP);
	assert_int_equal(menu.cursor, 30);
	menu_press(&menu, UI_KEY_HOME);
	assert_int_equal(menu.cursor, 0);
	type("zzz");
	menu_press(&menu, UI_KEY_END);
	assert_int_equal(menu.cursor, 0);
	assert_int_equal(menu_press(&menu, UI_KEY_ENTER), MENU_TAKEN);
	assert_true(menu.is_open);
}

static void test_a_mark_is_chosen_by_enter_and_space_and_the_menu_stays(void **state)
{
	(void)state;
	open_columns();
	menu_press(&menu, UI_KEY_DOWN);
	assert_int_equal(menu_press(&menu, ' '), MENU_CHOSEN);
	assert_int_equal(menu_chosen(&menu)->id, 11);
	assert_int_equal(menu_chosen(&menu)->mark, MENU_OFF);
	menu_set_mark(&menu, MENU_ON);
	assert_int_equal(menu_chosen(&menu)->mark, MENU_ON);
	assert_true(menu.is_open);
	assert_int_equal(menu_press(&menu, UI_KEY_ENTER), MENU_CHOSEN);
	assert_true(menu.is_open);
	assert_int_equal(menu.cursor, 1);
}

static void test_other_keys_are_not_the_menus(void **state)
{
	(void)state;
	open_commands();
	assert_int_equal(menu_press(&menu, UI_KEY_CTRL('C')), MENU_IGNORED);
	assert_int_equal(menu_press(&menu, UI_KEY_CTRL('L')), MENU_IGNORED);
	assert_int_equal(menu_press(&menu, UI_KEY_F1), MENU_IGNORED);
	assert_int_equal(menu_press(&menu, UI_KEY_LEFT), MENU_IGNORED);
	assert_string_equal(menu.typed, "");
}

static void test_typing_takes_no_control_characters_and_no_more_than_fits(void **state)
{
	(void)state;
	open_commands();
	menu_press(&menu, 0x202e);
	menu_press(&menu, 0x85);
	assert_string_equal(menu.typed, "");
	for (int i = 0; i < MENU_TYPED_BYTES; i++)
		type("\u6f22");		/* three bytes: 53 of them are 159 */
	assert_int_equal(strlen(menu.typed), 159);
	menu_press(&menu, UI_KEY_BACKSPACE);
	assert_int_equal(strlen(menu.typed), 156);
	menu_press(&menu, UI_KEY_ESCAPE);
	for (int i = 0; i < MENU_TYPED_BYTES; i++)
		type("q ");
	assert_string_equal(shown(), "5");
}

static void test_an_argument_follows_the_whole_name(void **state)
{
	(void)state;
	menu_open(&menu, ":", true);
	menu_add(&menu, 1, MENU_PLAIN, "record         into a file", "O");
	menu_take_argument(&menu);
	menu_add(&menu, 2, MENU_PLAIN, "quit", "q");
	type("recor x");
	assert_string_equal(shown(), "");
	menu_press(&menu, UI_KEY_ESCAPE);
	type("Record  /tmp/A b.data");
	assert_string_equal(shown(), "1");
	assert_int_equal(menu_press(&menu, UI_KEY_ENTER), MENU_CHOSEN);
	assert_string_equal(menu_argument(&menu), "/tmp/A b.data");
	menu_open(&menu, ":", true);
	menu_add(&menu, 1, MENU_PLAIN, "record         into a file", "O");
	menu_take_argument(&menu);
	type("rec file");
	assert_int_equal(menu_press(&menu, UI_KEY_ENTER), MENU_CHOSEN);
	assert_string_equal(menu_argument(&menu), "");
}

static void test_the_box_is_in_the_middle_and_as_wide_as_its_lines_need(void **state)
{
	(void)state;
	open_columns();
	draw(40, 9, 1, 8);
	assert_string_equal(frame(),
			    "........................................\n"
			    "........................................\n"
			    "....\u256d columns: _ type to filter "
			    "\u2500\u2500\u2500\u256e....\n"
			    "....\u2502\u25b8 [x] SELF%            always \u2502....\n"
			    "....\u2502  [ ] TOTAL%                  \u2502....\n"
			    "....\u2502  [x] MODULE                  \u2502....\n"
			    "....\u2570\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500"
			    "\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500"
			    "\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500"
			    "\u2500\u256f....\n"
			    "........................................\n"
			    "........................................");
	assert_int_equal(role_at(4, 2), ROLE_BOX_DIM);
	assert_int_equal(role_at(5, 3), ROLE_BOX_CURSOR);
	assert_int_equal(role_at(34, 3), ROLE_BOX_CURSOR);
	assert_int_equal(role_at(4, 3), ROLE_BOX_DIM);
	assert_int_equal(role_at(11, 4), ROLE_BOX);
	assert_int_equal(role_at(3, 3), ROLE_TEXT);
	for (int x = 6; x < 31; x++)	/* "columns: _ " and the hint, which is dim */
		assert_int_equal(role_at(x, 2), x < 17 ? ROLE_BOX : ROLE_BOX_DIM);
}

static void test_the_palette_stands_on_the_bottom_line(void **state)
{
	(void)state;
	canvas.is_ascii = true;
	open_commands();
	type("mod");
	draw(40, 10, 1, 9);
	assert_string_equal(frame(),
			    "........................................\n"
			    "........................................\n"
			    "........................................\n"
			    "+ :: mod_ ---------------------+........\n"
			    "|> Modules: the view         2 |........\n"
			    "|  window: next module       w |........\n"
			    "|  only this module          o |........\n"
			    "|  submodule                   |........\n"
			    "+------------------------------+........\n"
			    "........................................");
}

static void test_matched_letters_are_highlighted_and_notes_are_dim(void **state)
{
	(void)state;
	open_commands();
	type("mod on");
	draw(40, 10, 1, 9);		/* "  only this DSO         o" */
	for (int x = 1; x < 30; x++)
		assert_int_equal(role_at(x, 4), (x >= 3 && x < 5) || (x >= 13 && x < 16) ?
				 ROLE_MATCH : ROLE_BOX_CURSOR);
	menu_press(&menu, UI_KEY_ESCAPE);
	menu_press(&menu, UI_KEY_DOWN);
	draw(40, 12, 1, 11);
	assert_int_equal(role_at(29, 6), ROLE_BOX_DIM);
}

static void test_more_lines_than_room_scroll_and_say_where_one_is(void **state)
{
	(void)state;
	canvas.is_ascii = true;
	menu_open(&menu, "many", false);
	add_lines(27);
	menu_press(&menu, UI_KEY_DOWN);
	menu_press(&menu, UI_KEY_DOWN);
	draw(36, 7, 1, 6);
	assert_string_equal(frame(),
			    "....................................\n"
			    "..+ many: _ type to filter ------+..\n"
			    "..|  line 1                      |..\n"
			    "..|  line 2                      |..\n"
			    "..|> line 3                      |..\n"
			    "..+----------------------- 3/27 -+..\n"
			    "....................................");
	menu_press(&menu, UI_KEY_END);
	draw(36, 7, 1, 6);
	assert_string_equal(frame(),
			    "....................................\n"
			    "..+ many: _ type to filter ------+..\n"
			    "..|  line 25                     |..\n"
			    "..|  line 26                     |..\n"
			    "..|> line 27                     |..\n"
			    "..+---------------------- 27/27 -+..\n"
			    "....................................");
	draw(36, 12, 1, 11);		/* a larger screen: the box is full again */
	assert_int_equal(menu.top, 27 - 8);
	type("15");
	draw(36, 7, 1, 6);		/* one line is left, the box keeps its size */
	assert_string_equal(frame(),
			    "....................................\n"
			    "..+ many: 15_ -------------------+..\n"
			    "..|> line 15                     |..\n"
			    "..|                              |..\n"
			    "..|                              |..\n"
			    "..+------------------------------+..\n"
			    "....................................");
}

static void test_an_empty_result_says_how_to_go_on(void **state)
{
	(void)state;
	canvas.is_ascii = true;
	menu_open(&menu, "m", false);
	add_lines(1);
	type("x");
	draw(33, 3, 0, 3);
	assert_string_equal(frame(),
			    "+ m: x_ -----------------------+.\n"
			    "|  nothing matches; Esc clears |.\n"
			    "+------------------------------+.");
	assert_int_equal(role_at(3, 1), ROLE_BOX_DIM);
}

static void test_a_disabled_line_is_dim_and_says_why_it_cannot_be_chosen(void **state)
{
	(void)state;
	canvas.is_ascii = true;
	menu_open(&menu, "main", false);
	menu_add(&menu, 1, MENU_PLAIN, "only main", "symbol");
	menu_add_disabled(&menu, "probe it", "it runs in a guest");
	draw(40, 4, 0, 4);
	assert_string_equal(frame(),
			    "...+ main: _ type to filter -------+....\n"
			    "...|> only main             symbol |....\n"
			    "...|  probe it  it runs in a guest |....\n"
			    "...+-------------------------------+....");
	for (int x = 4; x < 35; x++)
		assert_int_equal(role_at(x, 2), ROLE_BOX_DIM);
	assert_int_equal(click(MOUSE_PRESS, 8, 2), MENU_REFUSED);
	assert_true(menu.is_open);
	assert_int_equal(menu.cursor, 1);
	assert_string_equal(menu_chosen(&menu)->note, "it runs in a guest");
	assert_int_equal(menu_press(&menu, UI_KEY_ENTER), MENU_REFUSED);
	assert_true(menu.is_open);
	draw(40, 4, 0, 4);
	assert_int_equal(role_at(6, 2), ROLE_BOX_CURSOR);
	menu_add_disabled(&menu, "open it", "a reason that is so long that no box would have "
			  "room for it");
	draw(80, 5, 0, 5);		/* it makes the box no wider than 46 cells of it need */
	assert_int_equal(menu.width, 2 + 2 + 7 + 2 + 46 + 1);
	type("probe");			/* it is found like any other */
	assert_string_equal(shown(), "-1");
	menu_press(&menu, UI_KEY_ESCAPE);
	assert_int_equal(menu_press(&menu, UI_KEY_ENTER), MENU_CHOSEN);
	assert_false(menu.is_open);
}

static void test_the_hint_shares_the_line_with_a_long_title(void **state)
{
	(void)state;
	canvas.is_ascii = true;
	menu_open(&menu, "std::vector<std::pair<int, int> >::push_back", false);
	menu_add(&menu, 1, MENU_PLAIN, "one", "");
	draw(40, 3, 0, 3);
	assert_string_equal(frame(),
			    "+ std::vector<std::~: _ type to filter +\n"
			    "|> one                                 |\n"
			    "+--------------------------------------+");
	type("on");
	draw(40, 3, 0, 3);
	assert_string_equal(frame(),
			    "+ std::vector<std::pair<int, int~: on_ +\n"
			    "|> one                                 |\n"
			    "+--------------------------------------+");
}

static void test_long_texts_are_cut_where_it_matters_least(void **state)
{
	(void)state;
	canvas.is_ascii = true;
	menu_open(&menu, "a title that is longer than the box", false);
	menu_add(&menu, 1, MENU_ON, "std::vector<std::pair<int, int> >::push_back", "libfoo.so.6");
	menu_add(&menu, 2, MENU_PLAIN, "0123456789abcdefghijklmnop", "with a note of its own");
	draw(36, 4, 0, 4);
	assert_string_equal(frame(),
			    "+ a title that is longer than ~: _ +\n"
			    "|> [x] std::vector<s~  libfoo.so.6 |\n"
			    "|  0123456789abcde~  with a note ~ |\n"
			    "+----------------------------------+");
}

static void test_wide_characters_beneath_the_frame_are_not_halved(void **state)
{
	(void)state;
	menu_open(&menu, "m", false);
	add_lines(1);
	assert_int_equal(canvas_resize(&canvas, 40, 3), 0);
	for (int y = 0; y < 3; y++)
		for (int x = y % 2; x + 1 < 40; x += 2)
			canvas_put_text(&canvas, (struct canvas_area){ x, y, 2 },
					SAFE_TEXT("\u6f22"), ROLE_TEXT);
	menu_draw(&menu, &canvas, 0, 3);
	for (int i = 0; i < 3 * 40; i++) {
		if (canvas.cells[i].code == CANVAS_TAIL)
			assert_int_equal(canvas.cells[i - 1].code, 0x6f22);
		if (canvas.cells[i].code == 0x6f22)
			assert_int_equal(canvas.cells[i + 1].code, CANVAS_TAIL);
	}
}

static void test_every_size_is_drawn_and_too_small_ones_are_left_out(void **state)
{
	static const struct {
		int width, height;
	} sizes[] = { { 40, 10 }, { 400, 200 }, { 80, 24 }, { 11, 10 }, { 40, 2 }, { 12, 3 } };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const bool is_room = sizes[i].width >= 12 && sizes[i].height >= 3;

		for (int is_bottom = 0; is_bottom < 2; is_bottom++) {
			menu_open(&menu, "a title of some length", is_bottom);
			add_lines(300);
			menu_press(&menu, UI_KEY_END);
			draw(sizes[i].width, sizes[i].height, 0, sizes[i].height);
			assert_int_equal(menu.height > 0, is_room);
			if (is_room)
				assert_true(menu.top + (size_t)menu.height - 2 == 300);
		}
	}
	draw(40, 10, 8, 4);
	assert_int_equal(menu.height, 0);
}

static void test_clicks_choose_and_outside_they_close(void **state)
{
	(void)state;
	open_columns();
	draw(40, 9, 1, 8);		/* x 4..35, lines at y 3, 4, 5 */
	assert_int_equal(click(MOUSE_PRESS, 10, 2), MENU_TAKEN);
	assert_int_equal(click(MOUSE_PRESS, 4, 4), MENU_TAKEN);
	assert_int_equal(click(MOUSE_PRESS, 35, 4), MENU_TAKEN);
	assert_int_equal(click(MOUSE_MENU, 10, 4), MENU_TAKEN);
	assert_null(menu_chosen(&menu));
	assert_int_equal(click(MOUSE_PRESS, 34, 5), MENU_CHOSEN);
	assert_int_equal(menu_chosen(&menu)->id, 12);
	assert_int_equal(click(MOUSE_DOUBLE, 5, 3), MENU_CHOSEN);
	assert_int_equal(menu_chosen(&menu)->id, 10);
	assert_int_equal(click(MOUSE_RELEASE, 0, 0), MENU_IGNORED);
	assert_int_equal(click(MOUSE_DRAG, 0, 0), MENU_IGNORED);
	assert_true(menu.is_open);
	assert_int_equal(click(MOUSE_PRESS, 36, 4), MENU_CLOSED);
	assert_false(menu.is_open);
}

static void test_a_click_below_the_last_match_chooses_nothing(void **state)
{
	(void)state;
	open_commands();
	type("quit");
	draw(40, 10, 1, 9);
	assert_int_equal(click(MOUSE_PRESS, 5, 5), MENU_TAKEN);
	assert_int_equal(menu.cursor, 0);
	assert_true(menu.is_open);
	assert_int_equal(click(MOUSE_PRESS, 5, 4), MENU_CHOSEN);
	assert_false(menu.is_open);
}

static void test_the_wheel_moves_and_a_click_counts_from_the_scrolled_top(void **state)
{
	(void)state;
	menu_open(&menu, "many", false);
	add_lines(20);
	draw(40, 6, 0, 6);		/* four lines */
	assert_int_equal(click(MOUSE_WHEEL_UP, 9, 2), MENU_TAKEN);
	assert_int_equal(menu.cursor, 0);
	for (int i = 0; i < 6; i++)
		click(MOUSE_WHEEL_DOWN, 9, 2);
	assert_int_equal(menu.cursor, 6);
	draw(40, 6, 0, 6);		/* lines 4 to 7 */
	assert_int_equal(click(MOUSE_PRESS, 9, 2), MENU_CHOSEN);
	assert_int_equal(menu_chosen(&menu)->id, 5);
	assert_false(menu.is_open);
}

#define MENU_TEST(test) cmocka_unit_test_teardown(test, close_all)

UNIT_TESTS(test_menu)
{
	const struct CMUnitTest tests[] = {
		MENU_TEST(test_lines_stand_in_the_order_they_were_added),
		MENU_TEST(test_the_cursor_can_begin_on_a_line),
		MENU_TEST(test_the_best_match_comes_first),
		MENU_TEST(test_a_synonym_finds_its_line_by_its_begin),
		MENU_TEST(test_words_match_in_any_order_and_case),
		MENU_TEST(test_a_later_begin_of_a_word_counts_more_than_the_first_place),
		MENU_TEST(test_escape_clears_what_was_typed_then_closes),
		MENU_TEST(test_opening_again_begins_anew),
		MENU_TEST(test_the_cursor_stays_within_the_lines),
		MENU_TEST(test_a_mark_is_chosen_by_enter_and_space_and_the_menu_stays),
		MENU_TEST(test_other_keys_are_not_the_menus),
		MENU_TEST(test_typing_takes_no_control_characters_and_no_more_than_fits),
		MENU_TEST(test_an_argument_follows_the_whole_name),
		MENU_TEST(test_the_box_is_in_the_middle_and_as_wide_as_its_lines_need),
		MENU_TEST(test_the_palette_stands_on_the_bottom_line),
		MENU_TEST(test_matched_letters_are_highlighted_and_notes_are_dim),
		MENU_TEST(test_more_lines_than_room_scroll_and_say_where_one_is),
		MENU_TEST(test_an_empty_result_says_how_to_go_on),
		MENU_TEST(test_a_disabled_line_is_dim_and_says_why_it_cannot_be_chosen),
		MENU_TEST(test_the_hint_shares_the_line_with_a_long_title),
		MENU_TEST(test_long_texts_are_cut_where_it_matters_least),
		MENU_TEST(test_wide_characters_beneath_the_frame_are_not_halved),
		MENU_TEST(test_every_size_is_drawn_and_too_small_ones_are_left_out),
		MENU_TEST(test_clicks_choose_and_outside_they_close),
		MENU_TEST(test_a_click_below_the_last_match_chooses_nothing),
		MENU_TEST(test_the_wheel_moves_and_a_click_counts_from_the_scrolled_top),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
