/* Whose source lines the screen asks for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ui_fixture.h"
#include "unit_tests.h"

#define ROWS 6

static struct snapshot_row rows[ROWS];

/* The rows of the fixture, each of a DSO of its own. */
static void show_rows(struct ui *ui)
{
	for (uint32_t i = 0; i < ROWS; i++) {
		rows[i] = ui->snapshot.rows[i];
		rows[i].dso_id = 10 + i;
		rows[i].address = 0x1000 * i;
		rows[i].is_idle = false;
		rows[i].now.self.weight = 100 - i;
		rows[i].mode = MODE_USER;
		rows[i].state = SYMBOL_NAMED;
		rows[i].source = rows[i].source_reason = "";
	}
	ui->snapshot.rows = rows;
	ui->snapshot.row_count = ROWS;
	ui_show(ui);
	ui_press_key(ui, UI_KEY_HOME);
}

static int set_up(void **state)
{
	int err = ui_set_up(state);

	if (!err)
		show_rows(*state);
	return err;
}

/* What the snapshot that is drawn now asks for; NULL: nothing. */
static const struct request *asked(struct ui *ui)
{
	const struct ui_state *state = &ui->state;

	ui->state.out.count = 0;
	ui_text(ui);
	state_request_sources(&ui->state);
	for (size_t i = 0; i < state->out.count; i++)
		if (state->out.requests[i].kind == REQUEST_SOURCES)
			return &state->out.requests[i];
	return NULL;
}

static void test_the_row_under_the_cursor_is_asked_for(void **state)
{
	const struct request *request = asked(*state);

	assert_non_null(request);
	assert_int_equal(request->value, 1);
	assert_int_equal(request->requests[0].dso, 10);
	assert_int_equal(request->requests[0].address, 0);
	ui_press_key(*state, UI_KEY_DOWN);
	request = asked(*state);
	assert_non_null(request);
	assert_int_equal(request->requests[0].dso, 11);
}

static void test_it_is_asked_for_once(void **state)
{
	assert_non_null(asked(*state));
	assert_null(asked(*state));
	ui_show(*state);
	assert_null(asked(*state));
}

static void test_what_is_known_or_never_will_be_is_not_asked_for(void **state)
{
	rows[0].source = "a.c:3";
	assert_null(asked(*state));
	rows[0].source = "";
	rows[0].source_reason = "no debug information";
	assert_null(asked(*state));
	rows[0].source_reason = "";
	rows[0].state = SYMBOL_LOADING;
	assert_null(asked(*state));
	rows[0].state = SYMBOL_NAMED;
	rows[0].mode = MODE_GUEST_KERNEL;
	assert_null(asked(*state));
	rows[0].mode = MODE_USER;
	rows[0].dso_id = UINT32_MAX;
	assert_null(asked(*state));
}

/* The cursor's row first. */
static void test_with_the_column_all_rows_on_the_screen_are_asked_for(void **state)
{
	struct ui *ui = *state;
	const struct request *request;

	ui->state.display.choice.hidden[VIEW_SYMBOLS] = 0;
	ui_press_key(ui, UI_KEY_DOWN);
	request = asked(ui);
	assert_non_null(request);
	assert_int_equal(request->value, ROWS);
	assert_int_equal(request->requests[0].dso, 11);
	assert_int_equal(request->requests[1].dso, 10);
	assert_int_equal(request->requests[ROWS - 1].dso, 10 + ROWS - 1);
}

static void test_the_column_says_the_line_or_why_there_is_none(void **state)
{
	struct ui *ui = *state;
	const char *text;

	ui->state.display.choice.hidden[VIEW_SYMBOLS] = 0;
	rows[0].source = "main.c:31";
	rows[1].source_reason = "no debug";
	text = ui_text(ui);
	assert_non_null(strstr(text, "SOURCE"));
	assert_non_null(strstr(text, "main.c:31"));
	assert_non_null(strstr(text, "no debug"));
}

static void test_other_views_ask_for_nothing(void **state)
{
	ui_press(*state, "?");
	assert_null(asked(*state));
}

/* A tree asks for its own, and the analyzer keeps the newest requests alone. */
static void test_after_another_view_they_are_asked_for_again(void **state)
{
	assert_non_null(asked(*state));
	assert_null(asked(*state));
	ui_press(*state, "?");
	assert_null(asked(*state));
	ui_press_key(*state, UI_KEY_ESCAPE);
	assert_non_null(asked(*state));
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, ui_tear_down)

UNIT_TESTS(test_source_requests)
{
	const struct CMUnitTest tests[] = {
		TEST(test_the_row_under_the_cursor_is_asked_for),
		TEST(test_it_is_asked_for_once),
		TEST(test_what_is_known_or_never_will_be_is_not_asked_for),
		TEST(test_with_the_column_all_rows_on_the_screen_are_asked_for),
		TEST(test_the_column_says_the_line_or_why_there_is_none),
		TEST(test_other_views_ask_for_nothing),
		TEST(test_after_another_view_they_are_asked_for_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
