/* Pages of text: what is found in them, and a place that stays while lines come and go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ui/state.h"
#include "ui/term/utf8.h"
#include "ui/widgets/pager.h"
#include "unit_tests.h"

#define PAGE 6

static struct ui_state screen;
static struct canvas canvas;
static struct pager pager;

static const struct view_ops ops = { .place = IN_PAGER, .draw = pager_draw, .move = pager_move };

static void draw_width(int width)
{
	assert_int_equal(canvas_resize(&canvas, width, PAGE), 0);
	pager_draw(&pager.view, &screen, &canvas, 0, PAGE);
}

static void draw(void)
{
	draw_width(40);
}

static void add_lines(int first, int last)
{
	for (int i = first; i <= last; i++)
		pager_add(&pager, ROLE_TEXT, 0, "line %d.", i);
}

static int open_page(void **state)
{
	(void)state;
	memset(&screen, 0, sizeof(screen));
	pager = (struct pager){ .view.ops = &ops };
	pager_init(&pager.view);
	return 0;
}

static int close_page(void **state)
{
	(void)state;
	pager_finish(&pager.view);
	canvas_finish(&canvas);
	return 0;
}

/* Text of line @y of the screen, without what is blank at its end. */
static const char *shown(int y)
{
	static char out[512];
	size_t used = 0;

	for (int x = 0; x < canvas.width; x++)
		used += utf8_encode(out + used, canvas.cells[y * canvas.width + x].code);
	while (used > 0 && out[used - 1] == ' ')
		used--;
	out[used] = '\0';
	return out;
}

static bool find(const char *text, enum pager_find how)
{
	snprintf(screen.search, sizeof(screen.search), "%s", text);
	return pager_find(&pager.view, NULL, text, how);
}

static void test_what_is_found_is_scrolled_to_and_marked(void **state)
{
	(void)state;
	add_lines(0, 29);
	draw();
	assert_true(find("line 20", PAGER_FIND_HERE));
	draw();
	assert_int_equal(pager.top, 18);	/* a third of the page above it */
	assert_string_equal(shown(2), "\u25b8 line 20.");
	assert_string_equal(shown(1), "  line 19.");
	assert_int_equal(canvas.cells[2 * 40 + 2].role, ROLE_MATCH);
	assert_int_equal(canvas.cells[2 * 40 + 8].role, ROLE_MATCH);
	assert_int_equal(canvas.cells[2 * 40 + 9].role, ROLE_TEXT);
	screen.search[0] = '\0';
	draw();
	assert_string_equal(shown(2), "  line 20.");
	assert_int_equal(canvas.cells[2 * 40 + 2].role, ROLE_TEXT);
}

static void test_what_is_on_the_screen_is_not_scrolled(void **state)
{
	(void)state;
	add_lines(0, 29);
	draw();
	assert_true(find("line 5", PAGER_FIND_HERE));
	draw();
	assert_int_equal(pager.top, 0);
	assert_string_equal(shown(5), "\u25b8 line 5.");
}

static void test_next_and_previous_go_round_the_end(void **state)
{
	(void)state;
	add_lines(0, 29);
	draw();
	assert_true(find("9.", PAGER_FIND_NEXT));	/* 9, 19, 29 */
	assert_int_equal(pager.found, 9);
	assert_true(find("9.", PAGER_FIND_NEXT));	/* before a draw, too */
	assert_int_equal(pager.found, 19);
	draw();
	assert_true(find("9.", PAGER_FIND_NEXT));
	draw();
	assert_true(find("9.", PAGER_FIND_NEXT));
	draw();
	assert_int_equal(pager.found, 9);
	assert_true(find("9.", PAGER_FIND_PREVIOUS));
	draw();
	assert_int_equal(pager.found, 29);
	assert_true(find("9.", PAGER_FIND_PREVIOUS));
	assert_int_equal(pager.found, 19);
}

static void test_after_scrolling_away_the_search_goes_on_from_the_screen(void **state)
{
	(void)state;
	add_lines(0, 29);
	draw();
	find("line 1", PAGER_FIND_HERE);	/* 1, 10 to 19 */
	draw();
	pager_move(&pager.view, MOVE_PAGE_DOWN);
	pager_move(&pager.view, MOVE_PAGE_DOWN);
	draw();
	assert_int_equal(pager.top, 12);
	assert_true(find("line 1", PAGER_FIND_NEXT));
	assert_int_equal(pager.found, 12);
	pager_move(&pager.view, MOVE_LAST);
	draw();
	assert_int_equal(pager.top, 24);
	assert_true(find("line 1", PAGER_FIND_PREVIOUS));
	assert_int_equal(pager.found, 19);
}

static void test_typing_searches_from_where_the_search_began(void **state)
{
	(void)state;
	add_lines(0, 29);
	draw();
	pager_move(&pager.view, MOVE_PAGE_DOWN);
	pager_mark(&pager.view);		/* top is 6 */
	assert_true(find("2", PAGER_FIND_HERE));
	draw();
	assert_int_equal(pager.found, 12);
	assert_true(find("27", PAGER_FIND_HERE));
	draw();
	assert_int_equal(pager.found, 27);
	assert_true(find("2", PAGER_FIND_HERE));
	assert_int_equal(pager.found, 12);
	assert_true(find("3.", PAGER_FIND_HERE));	/* not line 3: it is above */
	assert_int_equal(pager.found, 13);
	assert_false(find("3.x", PAGER_FIND_HERE));
	draw();
	assert_int_equal(pager.top, 6);
	find("27", PAGER_FIND_HERE);
	draw();
	pager_unmark(&pager.view);
	draw();
	assert_int_equal(pager.top, 6);
}

static void test_what_is_nowhere_leaves_the_place(void **state)
{
	(void)state;
	assert_false(find("x", PAGER_FIND_NEXT));	/* nor in nothing */
	assert_false(find("x", PAGER_FIND_PREVIOUS));
	assert_false(find("x", PAGER_FIND_HERE));
	add_lines(0, 29);
	draw();
	find("20", PAGER_FIND_HERE);
	draw();
	assert_false(find("no such thing", PAGER_FIND_NEXT));
	draw();
	assert_int_equal(pager.top, 18);
	assert_int_equal(pager.found, 20);
}

/* 20 cells, of which 17 are text: the words of one line are on 3 lines of the screen. */
static void test_a_match_far_in_a_wrapped_line_is_scrolled_to(void **state)
{
	(void)state;
	add_lines(0, 4);
	pager_add(&pager, ROLE_TEXT, 2, "aaaa bbbb cccc dddd eeee ffff gggg hhhh");
	add_lines(5, 9);
	draw_width(20);
	assert_string_equal(shown(5), "  aaaa bbbb cccc");
	find("hhhh", PAGER_FIND_HERE);
	draw_width(20);
	/*  5 aaaa bbbb cccc
	 *  6   dddd eeee ffff   15 cells, with the space after it
	 *  7   gggg hhhh        a third of 6 lines above it: the top is 5 */
	assert_int_equal(pager.top, 5);
	assert_string_equal(shown(0), "\u25b8 aaaa bbbb cccc");
	assert_string_equal(shown(2), "    gggg hhhh");
	assert_int_equal(canvas.cells[2 * 20 + 9].role, ROLE_MATCH);
}

static void test_a_found_line_is_found_again_at_another_width(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++)
		pager_add(&pager, ROLE_TEXT, 0, "a line of some length with number %d.", i);
	draw_width(80);
	find("number 15", PAGER_FIND_HERE);
	draw_width(30);		/* two lines each: the words "number 15." begin on line 31 */
	assert_int_equal(pager.top, 29);
	assert_string_equal(shown(2), "  number 15.");
}

static void test_the_end_is_followed_until_one_scrolls_up(void **state)
{
	(void)state;
	pager.follows_end = true;
	add_lines(0, 9);
	draw();
	assert_string_equal(shown(5), "  line 9.");
	add_lines(10, 12);
	draw();
	assert_string_equal(shown(5), "  line 12.");
	pager_move(&pager.view, MOVE_UP);
	add_lines(13, 14);
	draw();
	assert_string_equal(shown(5), "  line 11.");
	pager_move(&pager.view, MOVE_LAST);
	add_lines(15, 15);
	draw();
	assert_string_equal(shown(5), "  line 15.");
}

static void test_dropped_lines_leave_the_others_where_they_are(void **state)
{
	(void)state;
	add_lines(0, 1);
	pager_add(&pager, ROLE_TEXT, 0, "a line that needs two lines on this screen");
	add_lines(3, 29);
	draw();
	find("line 20", PAGER_FIND_HERE);
	draw();
	assert_string_equal(shown(2), "\u25b8 line 20.");
	pager_drop(&pager, 5);		/* six lines are on the screen */
	draw();
	assert_string_equal(shown(2), "\u25b8 line 20.");
	assert_int_equal(pager.count, 25);
	pager_drop(&pager, 17);		/* also what is on the screen, and what was found */
	draw();
	assert_int_equal(pager.top, 0);
	assert_int_equal(pager.found, PAGER_NOWHERE);
	assert_string_equal(shown(0), "  line 22.");
}

#define PAGER_TEST(test) cmocka_unit_test_setup_teardown(test, open_page, close_page)

UNIT_TESTS(test_pager)
{
	const struct CMUnitTest tests[] = {
		PAGER_TEST(test_what_is_found_is_scrolled_to_and_marked),
		PAGER_TEST(test_what_is_on_the_screen_is_not_scrolled),
		PAGER_TEST(test_next_and_previous_go_round_the_end),
		PAGER_TEST(test_after_scrolling_away_the_search_goes_on_from_the_screen),
		PAGER_TEST(test_typing_searches_from_where_the_search_began),
		PAGER_TEST(test_what_is_nowhere_leaves_the_place),
		PAGER_TEST(test_a_match_far_in_a_wrapped_line_is_scrolled_to),
		PAGER_TEST(test_a_found_line_is_found_again_at_another_width),
		PAGER_TEST(test_the_end_is_followed_until_one_scrolls_up),
		PAGER_TEST(test_dropped_lines_leave_the_others_where_they_are),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
