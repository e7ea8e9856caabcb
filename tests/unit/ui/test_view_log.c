/* The log view: every line once, with its time, and the newest in sight. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/diag.h"
#include "ui/state.h"
#include "ui/views/view_messages.h"
#include "ui/widgets/pager.h"
#include "unit_tests.h"

#define PAGE 5

static struct ui_state screen;
static struct canvas canvas;
static struct pager pager;

static void refresh(void)
{
	view_log_ops.refresh(&pager.view, &screen);
	assert_int_equal(canvas_resize(&canvas, 80, PAGE), 0);
	view_log_ops.draw(&pager.view, &screen, &canvas, 0, PAGE);
}

static int open_log(void **state)
{
	(void)state;
	memset(&screen, 0, sizeof(screen));
	pager = (struct pager){ .view.ops = &view_log_ops };
	pager_init(&pager.view);
	return 0;
}

static int close_log_view(void **state)
{
	(void)state;
	pager_finish(&pager.view);
	canvas_finish(&canvas);
	return 0;
}

static const char *last_text(void)
{
	return pager.lines[pager.count - 1].text;
}

/* The first test: log lines stay as long as the program runs. */
static void test_an_empty_log_says_so_until_the_first_line(void **state)
{
	(void)state;
	refresh();
	refresh();
	assert_int_equal(pager.count, 1);
	assert_string_equal(last_text(), "Nothing has been logged.");
	log_note("first");
	refresh();
	assert_int_equal(pager.count, 1);
	assert_string_equal(last_text() + 11, "first");
}

static void test_lines_have_their_time_of_day_and_warnings_a_mark(void **state)
{
	const time_t before = time(NULL);
	bool is_within = false;
	time_t after;
	char at[16];

	(void)state;
	log_warn("careful");
	after = time(NULL);
	log_note("quiet");
	refresh();
	assert_string_equal(last_text() + 8, "   quiet");
	assert_string_equal(pager.lines[pager.count - 2].text + 8, " ! careful");
	assert_int_equal(pager.lines[pager.count - 2].role, ROLE_STATE);
	for (time_t second = before; second <= after; second++) {
		strftime(at, sizeof(at), "%H:%M:%S", localtime(&second));
		if (strncmp(at, pager.lines[pager.count - 2].text, 8) == 0)
			is_within = true;
	}
	assert_true(is_within);
}

static void test_each_line_comes_once_and_the_newest_is_in_sight(void **state)
{
	size_t before;

	(void)state;
	refresh();
	before = pager.count;
	for (int i = 0; i < 20; i++)
		log_note("line %d", i);
	refresh();
	refresh();
	assert_int_equal(pager.count, before + 20);
	assert_string_equal(last_text() + 11, "line 19");
	assert_int_equal(pager.top, (int)pager.count - PAGE);
}

static void test_who_reads_further_up_stays_there_while_old_lines_leave(void **state)
{
	(void)state;
	for (int i = 0; i < LOG_LINES; i++)
		log_note("old %d", i);
	refresh();
	assert_int_equal(pager.count, LOG_LINES);
	for (int i = 0; i < 20; i++)
		view_log_ops.move(&pager.view, MOVE_PAGE_UP);
	assert_string_equal(pager.lines[pager.top].text + 11, "old 407");	/* 507 - 20 * 5 */
	for (int i = 0; i < 100; i++)
		log_note("new %d", i);
	refresh();
	assert_int_equal(pager.count, LOG_LINES);
	assert_string_equal(pager.lines[pager.top].text + 11, "old 407");
	view_log_ops.move(&pager.view, MOVE_LAST);
	log_note("newest");
	refresh();
	assert_string_equal(pager.lines[pager.top + PAGE - 1].text + 11, "newest");
}

static void test_a_log_that_ran_ahead_is_shown_from_its_oldest_line(void **state)
{
	(void)state;
	log_note("seen");
	refresh();
	for (int i = 0; i < LOG_LINES + 100; i++)
		log_note("line %d", i);
	refresh();
	assert_int_equal(pager.count, LOG_LINES);
	assert_string_equal(pager.lines[0].text + 11, "line 100");
}

#define LOG_TEST(test) cmocka_unit_test_setup_teardown(test, open_log, close_log_view)

UNIT_TESTS(test_view_log)
{
	const struct CMUnitTest tests[] = {
		LOG_TEST(test_an_empty_log_says_so_until_the_first_line),
		LOG_TEST(test_lines_have_their_time_of_day_and_warnings_a_mark),
		LOG_TEST(test_each_line_comes_once_and_the_newest_is_in_sight),
		LOG_TEST(test_who_reads_further_up_stays_there_while_old_lines_leave),
		LOG_TEST(test_a_log_that_ran_ahead_is_shown_from_its_oldest_line),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
