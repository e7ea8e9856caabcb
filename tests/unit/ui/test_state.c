/* Keys and snapshots change what is shown, and the cursor stays with its row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "ui_fixture.h"
#include "snapshot_fixture.h"
#include "unit_tests.h"

#define ROWS 40

/* Rows r0, r1, ... with ids 1, 2, ... and falling shares, @first of them moved to the end. */
struct frame {
	struct snapshot_row rows[ROWS];
	struct snapshot snapshot;
	char names[ROWS][8];
};

static void make_frame(struct frame *frame, size_t rotate)
{
	memset(frame, 0, sizeof(*frame));
	for (size_t i = 0; i < ROWS; i++) {
		const size_t id = (i + rotate) % ROWS + 1;

		frame->names[i][0] = 'r';
		frame->names[i][1] = (char)('0' + id / 10);
		frame->names[i][2] = (char)('0' + id % 10);
		frame->rows[i] = (struct snapshot_row){
			.id = id,
			.symbol = frame->names[i],
			.dso = "prog",
			.mode = id % 2 ? MODE_USER : MODE_KERNEL,
			.now.self.samples = 100 - i,
			.now.total.samples = 100 + i,
		};
	}
	frame->snapshot = fixture_snapshot(frame->rows, ROWS);
}

struct fixture {
	struct ui ui;
	struct ui_state *state;		/* the fixture's */
	struct frame first, second;
	const char *names_of_commands[2];
};

static int open_fixture(void **state)
{
	static struct fixture fixture;

	ui_open(&fixture.ui, 80, 24);		/* 4 header lines, titles, 18 rows, bottom line */
	fixture.state = &fixture.ui.state;
	fixture.names_of_commands[0] = "alpha";
	fixture.names_of_commands[1] = "beta";
	make_frame(&fixture.first, 0);
	make_frame(&fixture.second, 10);
	input_offer_snapshot(fixture.state, &fixture.first.snapshot);
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

static void press_key(struct fixture *fixture, int key)
{
	ui_press_key(&fixture->ui, key);
	frame_draw(fixture->state, &fixture->ui.canvas);
}

static uint64_t cursor_id(const struct fixture *fixture)
{
	return ui_cursor(&fixture->ui)->id;
}

/* What the analyzer would say to the last query, were its rows those of @frame. */
static void reply(struct fixture *fixture, struct frame *frame)
{
	frame->snapshot.query = fixture->state->query.number;
	frame->snapshot.is_frozen = fixture->state->query.is_paused;
	input_offer_snapshot(fixture->state, &frame->snapshot);
	frame_draw(fixture->state, &fixture->ui.canvas);
}

static const struct request *asked(const struct fixture *fixture, enum request_kind kind)
{
	for (size_t i = 0; i < fixture->state->out.count; i++)
		if (fixture->state->out.requests[i].kind == kind)
			return &fixture->state->out.requests[i];
	return NULL;
}

static void test_a_chosen_row_keeps_the_cursor_when_the_order_changes(void **state)
{
	struct fixture *fixture = *state;

	press(fixture, "jjj");
	assert_int_equal(cursor_id(fixture), 4);
	/* Row 4 is now number 34. */
	input_offer_snapshot(fixture->state, &fixture->second.snapshot);
	frame_draw(fixture->state, &fixture->ui.canvas);
	assert_int_equal(cursor_id(fixture), 4);
	assert_int_equal(table_view_of(fixture->state)->rows.place.cursor, 33);
	assert_true(table_view_of(fixture->state)->rows.place.top <= 33);
	assert_true(33 < table_view_of(fixture->state)->rows.place.top +
				 table_view_of(fixture->state)->rows.page);
}

static void test_the_cursor_nobody_moved_stays_in_sight_of_the_hottest(void **state)
{
	struct fixture *fixture = *state;

	/* Row 1 is now number 31. */
	input_offer_snapshot(fixture->state, &fixture->second.snapshot);
	frame_draw(fixture->state, &fixture->ui.canvas);
	assert_int_equal(table_view_of(fixture->state)->rows.place.top, 0);
	assert_int_equal(table_view_of(fixture->state)->rows.place.cursor, 0);
}

static void test_sorting_keeps_the_chosen_row(void **state)
{
	struct fixture *fixture = *state;

	press(fixture, "jj");
	press(fixture, "s");	/* by TOTAL%, which grows where SELF% falls */
	assert_int_equal(fixture->state->display.orders[VIEW_SYMBOLS].column, COL_TOTAL);
	assert_int_equal(table_view_of(fixture->state)->rows.rows[0]->id, ROWS);
	assert_int_equal(cursor_id(fixture), 3);
	press(fixture, "S");
	assert_int_equal(table_view_of(fixture->state)->rows.rows[0]->id, 1);
	assert_int_equal(cursor_id(fixture), 3);
}

static void test_sort_goes_through_the_columns_and_around(void **state)
{
	static const enum column_id expected[] = {
		COL_TOTAL, COL_COMMAND, COL_DSO, COL_SYMBOL, COL_SELF,
	};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		press(fixture, "s");
		assert_int_equal(fixture->state->display.orders[VIEW_SYMBOLS].column, expected[i]);
	}
}

static void test_the_filter_is_asked_for_while_it_is_typed_and_cancel_undoes_it(void **state)
{
	struct fixture *fixture = *state;
	const struct request *request;

	press(fixture, "j\\r1");
	assert_true(fixture->state->prompt.is_open);
	request = asked(fixture, REQUEST_QUERY);
	assert_int_equal(request->query.number, fixture->state->query.number);
	assert_int_equal(request->query.filter.count, 1);
	assert_int_equal(request->query.filter.parts[0].field, FILTER_TEXT);
	assert_string_equal(request->query.filter.parts[0].text, "r1");
	reply(fixture, &fixture->first);
	assert_int_equal(cursor_id(fixture), 2);
	press_key(fixture, UI_KEY_ESCAPE);
	assert_int_equal(asked(fixture, REQUEST_QUERY)->query.filter.count, 0);
	reply(fixture, &fixture->second);
	assert_int_equal(cursor_id(fixture), 2);
	assert_int_equal(fixture->state->query.breadcrumbs.count, 1);
}

static void test_half_a_regular_expression_leaves_the_rows(void **state)
{
	struct fixture *fixture = *state;

	press(fixture, "\\~r");
	press(fixture, "[");
	assert_string_equal(fixture->state->query.breadcrumbs.filter.parts[0].text, "~r");
	assert_true(fixture->state->prompt.note[0] != '\0');
	press(fixture, "1]");
	assert_string_equal(fixture->state->query.breadcrumbs.filter.parts[0].text, "~r[1]");
	assert_int_equal(fixture->state->query.breadcrumbs.filter.count, 1);
}

static void test_letters_in_the_prompt_are_no_commands(void **state)
{
	struct fixture *fixture = *state;

	press(fixture, "\\q K");
	assert_false(fixture->state->out.wants_quit);
	assert_false(fixture->state->query.hide_kernel);
	assert_string_equal(fixture->state->query.breadcrumbs.filter.parts[0].text, "q K");
	press_key(fixture, UI_KEY_BACKSPACE);
	press_key(fixture, UI_KEY_ENTER);
	assert_string_equal(fixture->state->query.breadcrumbs.filter.parts[0].text, "q ");
	press_key(fixture, UI_KEY_ESCAPE);	/* in the table: back, without it */
	assert_int_equal(fixture->state->query.breadcrumbs.filter.count, 0);
}

static void test_opening_asks_for_less_and_back_finds_the_row(void **state)
{
	struct fixture *fixture = *state;
	const struct query *query;

	press(fixture, "3");
	assert_int_equal(asked(fixture, REQUEST_QUERY)->query.keys, KEY_COMM);
	for (size_t i = 0; i < ROWS; i++)
		fixture->first.rows[i].comm = fixture->names_of_commands[i % 2];
	reply(fixture, &fixture->first);
	press(fixture, "jjj");
	press_key(fixture, UI_KEY_ENTER);
	query = &asked(fixture, REQUEST_QUERY)->query;
	assert_int_equal(query->keys, KEY_DSO);
	assert_int_equal(query->filter.parts[0].field, FILTER_COMMAND);
	assert_int_equal(query->filter.parts[0].hash, filter_hash("beta"));
	reply(fixture, &fixture->second);
	assert_int_equal(table_view_of(fixture->state)->rows.place.cursor, 0);
	press_key(fixture, UI_KEY_ESCAPE);
	assert_int_equal(asked(fixture, REQUEST_QUERY)->query.keys, KEY_COMM);
	assert_int_equal(asked(fixture, REQUEST_QUERY)->query.filter.count, 0);
	reply(fixture, &fixture->first);
	assert_int_equal(cursor_id(fixture), 4);
}

static void test_keys_that_mean_rows_wait_for_the_rows_they_were_pressed_for(void **state)
{
	struct fixture *fixture = *state;

	press(fixture, "2jj");
	press_key(fixture, UI_KEY_ENTER);
	/* Enter does not mean the old rows. */
	assert_int_equal(fixture->state->query.breadcrumbs.count, 1);
	assert_int_equal(fixture->state->deferred.count, 3);
	fixture->second.rows[2].dso_path = "/usr/lib/third.so";
	reply(fixture, &fixture->second);
	assert_int_equal(fixture->state->deferred.count, 0);
	assert_int_equal(fixture->state->query.breadcrumbs.filter.parts[0].hash,
			 filter_hash("/usr/lib/third.so"));
	assert_int_equal(state_kind(fixture->state), VIEW_SYMBOLS);
}

static void test_what_leaves_does_not_wait(void **state)
{
	struct fixture *fixture = *state;

	press(fixture, "2jj");
	press(fixture, "q");
	assert_true(fixture->state->out.wants_quit);
	assert_int_equal(fixture->state->deferred.count, 0);
}

static void test_a_reply_to_an_older_query_changes_no_view(void **state)
{
	struct fixture *fixture = *state;

	press(fixture, "2");
	fixture->second.snapshot.query = fixture->state->query.number - 1;
	input_offer_snapshot(fixture->state, &fixture->second.snapshot);
	assert_int_equal(fixture->state->shown_kind, VIEW_SYMBOLS);
	reply(fixture, &fixture->first);
	assert_int_equal(fixture->state->shown_kind, VIEW_DSOS);
}

static void test_what_is_hidden_is_part_of_every_query(void **state)
{
	struct fixture *fixture = *state;
	const struct filter *filter;

	press(fixture, "K");
	filter = &asked(fixture, REQUEST_QUERY)->query.filter;
	assert_int_equal(filter->count, 1);
	assert_int_equal(filter->parts[0].field, FILTER_KERNEL);
	assert_true(filter->parts[0].is_negated);
	press(fixture, "U");
	assert_int_equal(asked(fixture, REQUEST_QUERY)->query.filter.count, 2);
	press(fixture, "KU");
	assert_int_equal(asked(fixture, REQUEST_QUERY)->query.filter.count, 0);
}

static void test_search_moves_the_cursor_and_cancel_moves_it_back(void **state)
{
	struct fixture *fixture = *state;

	press(fixture, "jj/r2");
	assert_int_equal(cursor_id(fixture), 20);
	press(fixture, "5");
	assert_int_equal(cursor_id(fixture), 25);
	press_key(fixture, UI_KEY_ESCAPE);
	assert_int_equal(cursor_id(fixture), 3);
	press(fixture, "/r3");
	press_key(fixture, UI_KEY_ENTER);
	press(fixture, "n");
	assert_int_equal(cursor_id(fixture), 31);
	press(fixture, "NN");	/* 30, and round: 39 */
	assert_int_equal(cursor_id(fixture), 39);
}

static void test_refresh_goes_on_under_prompt_and_help(void **state)
{
	struct fixture *fixture = *state;

	press(fixture, "\\r");
	assert_ptr_equal(input_offer_snapshot(fixture->state, &fixture->second.snapshot),
			 &fixture->first.snapshot);
	press_key(fixture, UI_KEY_ENTER);
	press(fixture, "?");
	assert_ptr_equal(input_offer_snapshot(fixture->state, &fixture->first.snapshot),
			 &fixture->second.snapshot);
	assert_ptr_equal(table_view_of(fixture->state)->rows.rows[0], &fixture->first.rows[0]);
}

static void test_pause_freezes_the_time_and_the_rows_can_still_be_asked_for(void **state)
{
	struct fixture *fixture = *state;

	fixture->first.snapshot.time_ns = 12345;
	press(fixture, " ");
	assert_int_equal(asked(fixture, REQUEST_FREEZE)->value_ns, 12345);
	assert_ptr_equal(input_offer_snapshot(fixture->state, &fixture->second.snapshot),
			 &fixture->second.snapshot);	/* not of the frozen time */
	assert_ptr_equal(fixture->state->shown, &fixture->first.snapshot);
	press(fixture, "2");
	reply(fixture, &fixture->second);
	assert_ptr_equal(fixture->state->shown, &fixture->second.snapshot);
	press(fixture, " ");
	assert_int_equal(asked(fixture, REQUEST_FREEZE)->value_ns, 0);
}

static void test_window_and_interval_are_requests_and_the_newest_counts(void **state)
{
	struct fixture *fixture = *state;

	press(fixture, "w");
	press(fixture, "w");
	press(fixture, ">");
	press(fixture, "z");
	assert_int_equal(fixture->state->out.count, 3);
	assert_int_equal(fixture->state->out.requests[0].kind, REQUEST_WINDOW);
	assert_int_equal(fixture->state->out.requests[0].value, WINDOW_ALL);
	assert_int_equal(fixture->state->out.requests[1].kind, REQUEST_INTERVAL);
	assert_int_equal(fixture->state->out.requests[1].value_ns, CLOCK_NS_PER_S);
	assert_int_equal(fixture->state->out.requests[2].kind, REQUEST_ZERO);
}

/* Until the first snapshot it is not known that there are several events. */
static void test_events_side_by_side_are_asked_for_once_they_are_known(void **state)
{
	const struct event_columns two_events = { .count = 2, .ratio_count = 1,
					       .ratios = { { .part = 1, .is_ipc = true } } };
	struct fixture *fixture = *state;
	uint64_t number;

	assert_null(asked(fixture, REQUEST_QUERY));
	fixture->second.snapshot.event_columns = two_events;
	reply(fixture, &fixture->second);
	assert_true(asked(fixture, REQUEST_QUERY)->query.event_columns);
	number = fixture->state->query.number;
	fixture->first.snapshot.event_columns = two_events;
	fixture->first.snapshot.event_columns.has_loads = true;
	reply(fixture, &fixture->first);
	assert_int_equal(fixture->state->query.number, number);	/* not again */
}

/* With other events the column may be gone. */
static void test_without_its_column_the_order_is_by_heat(void **state)
{
	struct fixture *fixture = *state;

	fixture->state->display.orders[VIEW_SYMBOLS].column = COL_RATIO_1;
	assert_int_equal(state_order(fixture->state)->column, COL_SELF);
	fixture->first.snapshot.event_columns = (struct event_columns){
		.count = 2, .has_loads = true, .ratio_count = 1, .ratios = { { .part = 1 } },
	};
	assert_int_equal(state_order(fixture->state)->column, COL_RATIO_1);
}

static void test_the_interval_stays_between_its_ends(void **state)
{
	struct fixture *fixture = *state;

	press(fixture, "<<<<<<<<");
	assert_int_equal(fixture->state->query.interval_ns, 10 * CLOCK_NS_PER_S);
	press(fixture, ">>>>>>>>>>");
	assert_int_equal(fixture->state->query.interval_ns, CLOCK_NS_PER_S / 10);
	fixture->state->query.interval_ns = 3 * CLOCK_NS_PER_S;	/* from the command line */
	press(fixture, ">");
	assert_int_equal(fixture->state->query.interval_ns, 2 * CLOCK_NS_PER_S);
}

static void test_back_from_any_page_of_text_is_the_table(void **state)
{
	struct fixture *fixture = *state;

	press(fixture, "?!?");
	press_key(fixture, UI_KEY_ESCAPE);
	assert_ptr_equal(fixture->state->view, &table_view_of(fixture->state)->view);
}

static void test_help_scrolls_to_its_end_and_not_beyond(void **state)
{
	struct fixture *fixture = *state;

	press(fixture, "?");
	press_key(fixture, UI_KEY_END);
	assert_int_equal(ui_help(fixture->state)->top,
			 ui_help(fixture->state)->height - ui_help(fixture->state)->page);
	press(fixture, "j");
	assert_int_equal(ui_help(fixture->state)->top,
			 ui_help(fixture->state)->height - ui_help(fixture->state)->page);
	press_key(fixture, UI_KEY_HOME);
	press(fixture, "k");
	assert_int_equal(ui_help(fixture->state)->top, 0);
}

static void test_keys_between_two_paints_move_by_what_they_say(void **state)
{
	struct fixture *fixture = *state;

	press(fixture, "?");
	ui_press_key(&fixture->ui, UI_KEY_END);
	press(fixture, "k");
	assert_int_equal(ui_help(fixture->state)->top,
			 ui_help(fixture->state)->height - ui_help(fixture->state)->page - 1);
}

static void test_keys_before_the_first_snapshot_do_no_harm(void **state)
{
	static struct ui_state fresh;
	struct keymap keymap;
	struct canvas canvas = { .is_ascii = true };
	const struct mouse nowhere = { .action = MOUSE_PRESS };

	(void)state;
	state_init(&fresh, view_specs, page_ops, overlay_ops);
	keymap_init(&keymap, commands, command_count);
	fresh.keymap = &keymap;
	fresh.display.theme = &themes[0];
	canvas_resize(&canvas, 40, 10);
	for (int key = ' '; key < 127; key++) {
		input_press_key(&fresh, key, &nowhere);
		frame_draw(&fresh, &canvas);
		input_press_key(&fresh, UI_KEY_ESCAPE, NULL);
	}
	for (int key = UI_KEY_UP; key <= UI_KEY_UNKNOWN; key++)
		input_press_key(&fresh, key, &nowhere);
	assert_true(fresh.out.wants_quit);
	canvas_finish(&canvas);
	state_finish(&fresh);
}

#define FIXTURE_TEST(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)

UNIT_TESTS(test_state)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_a_chosen_row_keeps_the_cursor_when_the_order_changes),
		FIXTURE_TEST(test_the_cursor_nobody_moved_stays_in_sight_of_the_hottest),
		FIXTURE_TEST(test_sorting_keeps_the_chosen_row),
		FIXTURE_TEST(test_sort_goes_through_the_columns_and_around),
		FIXTURE_TEST(test_the_filter_is_asked_for_while_it_is_typed_and_cancel_undoes_it),
		FIXTURE_TEST(test_half_a_regular_expression_leaves_the_rows),
		FIXTURE_TEST(test_letters_in_the_prompt_are_no_commands),
		FIXTURE_TEST(test_opening_asks_for_less_and_back_finds_the_row),
		FIXTURE_TEST(test_keys_that_mean_rows_wait_for_the_rows_they_were_pressed_for),
		FIXTURE_TEST(test_what_leaves_does_not_wait),
		FIXTURE_TEST(test_a_reply_to_an_older_query_changes_no_view),
		FIXTURE_TEST(test_what_is_hidden_is_part_of_every_query),
		FIXTURE_TEST(test_search_moves_the_cursor_and_cancel_moves_it_back),
		FIXTURE_TEST(test_refresh_goes_on_under_prompt_and_help),
		FIXTURE_TEST(test_pause_freezes_the_time_and_the_rows_can_still_be_asked_for),
		FIXTURE_TEST(test_window_and_interval_are_requests_and_the_newest_counts),
		FIXTURE_TEST(test_events_side_by_side_are_asked_for_once_they_are_known),
		FIXTURE_TEST(test_without_its_column_the_order_is_by_heat),
		FIXTURE_TEST(test_the_interval_stays_between_its_ends),
		FIXTURE_TEST(test_back_from_any_page_of_text_is_the_table),
		FIXTURE_TEST(test_help_scrolls_to_its_end_and_not_beyond),
		FIXTURE_TEST(test_keys_between_two_paints_move_by_what_they_say),
		cmocka_unit_test(test_keys_before_the_first_snapshot_do_no_harm),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
