/* Keys typed faster than rows come do what they would have done had one waited. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>

#include <cmocka.h>

#include "ui_fixture.h"
#include "snapshot_fixture.h"
#include "unit_tests.h"

struct fixture {
	struct ui ui;
	struct ui_state *state;		/* the fixture's */
	struct snapshot_row rows[2];
	struct snapshot symbols, dsos;
};

static int open_fixture(void **state)
{
	static struct fixture fixture;

	ui_open(&fixture.ui, 80, 24);
	fixture.state = &fixture.ui.state;
	for (size_t i = 0; i < 2; i++)
		fixture.rows[i] = (struct snapshot_row){
			.id = i + 1, .symbol = i ? "square" : "sum",
			.dso = i ? "sqlite" : "prog",
			.dso_path = i ? "/usr/bin/sqlite" : "/usr/bin/prog",
			.comm = "prog", .tasks = 1, .mode = MODE_USER, .now.self.samples = 2 - i,
		};
	fixture.symbols = fixture.dsos = fixture_snapshot(fixture.rows, 2);
	fixture.dsos.keys = KEY_DSO;
	input_offer_snapshot(fixture.state, &fixture.symbols);
	frame_draw(fixture.state, &fixture.ui.canvas);
	*state = &fixture;
	return 0;
}

static int close_fixture(void **state)
{
	struct fixture *fixture = *state;

	ui_finish(&fixture->ui);
	return 0;
}

static void press(struct fixture *fixture, const char *keys)
{
	ui_press(&fixture->ui, keys);
	frame_draw(fixture->state, &fixture->ui.canvas);
}

static void reply(struct fixture *fixture, struct snapshot *snapshot)
{
	snapshot->query = fixture->state->query.number;
	input_offer_snapshot(fixture->state, snapshot);
	frame_draw(fixture->state, &fixture->ui.canvas);
}

static void test_q_after_a_waiting_search_is_a_letter_of_it(void **state)
{
	struct fixture *fixture = *state;

	press(fixture, "2j/sq");
	assert_false(fixture->state->out.wants_quit);
	reply(fixture, &fixture->dsos);
	assert_false(fixture->state->out.wants_quit);
	assert_true(fixture->state->prompt.is_open);
	assert_string_equal(fixture->state->prompt.text, "sq");
	assert_string_equal(ui_cursor(&fixture->ui)->dso, "sqlite");
}

static void test_q_after_a_waiting_row_menu_is_a_letter_of_it(void **state)
{
	struct fixture *fixture = *state;

	press(fixture, "2j.q");
	reply(fixture, &fixture->dsos);
	assert_false(fixture->state->out.wants_quit);
	assert_true(fixture->state->menu.is_open);
	assert_string_equal(fixture->state->menu.typed, "q");
}

static void test_escape_after_a_waiting_filter_closes_it_and_forgets_nothing(void **state)
{
	struct fixture *fixture = *state;

	press(fixture, "2j\\x");
	ui_press_key(&fixture->ui, UI_KEY_ESCAPE);
	assert_int_equal(fixture->state->deferred.count, 1);
	reply(fixture, &fixture->dsos);
	assert_false(fixture->state->prompt.is_open);
	assert_int_equal(fixture->state->query.breadcrumbs.filter.count, 0);
	assert_int_equal(state_kind(fixture->state), VIEW_DSOS);
	assert_int_equal(table_view_of(fixture->state)->rows.place.cursor, 1);
}

/* Each view has an order and columns of its own. */
static void test_order_and_columns_after_another_view_are_of_that_view(void **state)
{
	struct fixture *fixture = *state;
	const struct table_order symbols = fixture->state->display.orders[VIEW_SYMBOLS];
	const uint64_t hidden = fixture->state->display.choice.hidden[VIEW_SYMBOLS];

	press(fixture, "2s");
	assert_int_equal(fixture->state->display.orders[VIEW_SYMBOLS].column, symbols.column);
	reply(fixture, &fixture->dsos);
	assert_int_not_equal(fixture->state->display.orders[VIEW_DSOS].column,
			     view_specs[VIEW_DSOS].order);
	press(fixture, "1S");
	assert_false(fixture->state->display.orders[VIEW_DSOS].is_reversed);
	reply(fixture, &fixture->symbols);
	assert_true(fixture->state->display.orders[VIEW_SYMBOLS].is_reversed);
	press(fixture, "2");
	reply(fixture, &fixture->dsos);
	press(fixture, "1o");
	assert_false(fixture->state->menu.is_open);
	reply(fixture, &fixture->symbols);
	assert_true(fixture->state->menu.is_open);
	ui_press_key(&fixture->ui, UI_KEY_ESCAPE);
	press(fixture, "2c ");
	reply(fixture, &fixture->dsos);
	assert_true(fixture->state->menu.is_open);
	assert_int_equal(fixture->state->display.choice.hidden[VIEW_SYMBOLS], hidden);
	assert_int_not_equal(fixture->state->display.choice.hidden[VIEW_DSOS],
			     columns_at_first.hidden[VIEW_DSOS]);
}

static void test_ctrl_c_leaves_even_after_a_waiting_search(void **state)
{
	struct fixture *fixture = *state;

	press(fixture, "2j/s");
	ui_press_key(&fixture->ui, UI_KEY_CTRL('C'));
	assert_true(fixture->state->out.wants_quit);
}

static void test_rows_of_a_view_that_was_left_before_they_came_are_not_shown(void **state)
{
	struct fixture *fixture = *state;

	press(fixture, "2");
	fixture->dsos.query = fixture->state->query.number;
	press(fixture, "3");
	assert_ptr_equal(input_offer_snapshot(fixture->state, &fixture->dsos), &fixture->dsos);
	assert_ptr_equal(fixture->state->shown, &fixture->symbols);
}

#define FIXTURE_TEST(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)

UNIT_TESTS(test_type_ahead)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_q_after_a_waiting_search_is_a_letter_of_it),
		FIXTURE_TEST(test_q_after_a_waiting_row_menu_is_a_letter_of_it),
		FIXTURE_TEST(test_escape_after_a_waiting_filter_closes_it_and_forgets_nothing),
		FIXTURE_TEST(test_order_and_columns_after_another_view_are_of_that_view),
		FIXTURE_TEST(test_ctrl_c_leaves_even_after_a_waiting_search),
		FIXTURE_TEST(test_rows_of_a_view_that_was_left_before_they_came_are_not_shown),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
