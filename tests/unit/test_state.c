/* Keys and snapshots change what is shown, and the cursor stays with its row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "scene_fixture.h"
#include "snapshot_fixture.h"

#define ROWS 40

/* Rows r0, r1, ... with ids 1, 2, ... and falling shares, @first of them moved to the end. */
struct picture {
	struct snapshot_row rows[ROWS];
	struct snapshot snapshot;
	char names[ROWS][8];
};

static void make_picture(struct picture *picture, size_t rotate)
{
	memset(picture, 0, sizeof(*picture));
	for (size_t i = 0; i < ROWS; i++) {
		const size_t id = (i + rotate) % ROWS + 1;

		picture->names[i][0] = 'r';
		picture->names[i][1] = (char)('0' + id / 10);
		picture->names[i][2] = (char)('0' + id % 10);
		picture->rows[i] = (struct snapshot_row){
			.id = id,
			.symbol = picture->names[i],
			.object = "prog",
			.mode = id % 2 ? MODE_USER : MODE_KERNEL,
			.self_samples = 100 - i,
			.total_samples = 100 + i,
		};
	}
	picture->snapshot = fixture_snapshot(picture->rows, ROWS);
}

struct desk {
	struct scene scene;
	struct ui_state *state;		/* the scene's */
	struct picture first, second;
	const char *names_of_commands[2];
};

static int open_desk(void **state)
{
	static struct desk desk;

	scene_open(&desk.scene, 80, 24);	/* 4 header lines, titles, 18 rows, bottom line */
	desk.state = &desk.scene.state;
	desk.names_of_commands[0] = "alpha";
	desk.names_of_commands[1] = "beta";
	make_picture(&desk.first, 0);
	make_picture(&desk.second, 10);
	state_offer_snapshot(desk.state, &desk.first.snapshot);
	frame_draw(desk.state, &desk.scene.canvas);
	*state = &desk;
	return 0;
}

static int close_desk(void **state)
{
	struct desk *desk = *state;

	scene_finish(&desk->scene);
	return 0;
}

static void press(struct desk *desk, const char *keys)
{
	scene_press(&desk->scene, keys);
	frame_draw(desk->state, &desk->scene.canvas);
}

static void press_key(struct desk *desk, int key)
{
	scene_press_key(&desk->scene, key);
	frame_draw(desk->state, &desk->scene.canvas);
}

static uint64_t cursor_id(const struct desk *desk)
{
	return scene_cursor(&desk->scene)->id;
}

/* What the analyzer would say to the last query, were its rows those of @picture. */
static void answer(struct desk *desk, struct picture *picture)
{
	picture->snapshot.query = desk->state->query;
	picture->snapshot.is_frozen = desk->state->is_paused;
	state_offer_snapshot(desk->state, &picture->snapshot);
	frame_draw(desk->state, &desk->scene.canvas);
}

static const struct request *asked(const struct desk *desk, enum request_kind kind)
{
	for (size_t i = 0; i < desk->state->outbox_count; i++)
		if (desk->state->outbox[i].kind == kind)
			return &desk->state->outbox[i];
	return NULL;
}

static void test_a_chosen_row_keeps_the_cursor_when_the_order_changes(void **state)
{
	struct desk *desk = *state;

	press(desk, "jjj");
	assert_int_equal(cursor_id(desk), 4);
	state_offer_snapshot(desk->state, &desk->second.snapshot);	/* row 4 is now number 34 */
	frame_draw(desk->state, &desk->scene.canvas);
	assert_int_equal(cursor_id(desk), 4);
	assert_int_equal(desk->state->table.rows.place.cursor, 33);
	assert_true(desk->state->table.rows.place.top <= 33);
	assert_true(33 < desk->state->table.rows.place.top + desk->state->table.rows.page);
}

static void test_the_cursor_nobody_moved_stays_in_sight_of_the_hottest(void **state)
{
	struct desk *desk = *state;

	state_offer_snapshot(desk->state, &desk->second.snapshot);	/* row 1 is now number 31 */
	frame_draw(desk->state, &desk->scene.canvas);
	assert_int_equal(desk->state->table.rows.place.top, 0);
	assert_int_equal(desk->state->table.rows.place.cursor, 0);
}

static void test_sorting_keeps_the_chosen_row(void **state)
{
	struct desk *desk = *state;

	press(desk, "jj");
	press(desk, "s");	/* by TOTAL%, which grows where SELF% falls */
	assert_int_equal(desk->state->orders[VIEW_SYMBOLS].column, COL_TOTAL);
	assert_int_equal(desk->state->table.rows.rows[0]->id, ROWS);
	assert_int_equal(cursor_id(desk), 3);
	press(desk, "S");
	assert_int_equal(desk->state->table.rows.rows[0]->id, 1);
	assert_int_equal(cursor_id(desk), 3);
}

static void test_sort_goes_through_the_columns_and_around(void **state)
{
	static const enum column_id expected[] = {
		COL_TOTAL, COL_COMMAND, COL_OBJECT, COL_SYMBOL, COL_SELF,
	};
	struct desk *desk = *state;

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		press(desk, "s");
		assert_int_equal(desk->state->orders[VIEW_SYMBOLS].column, expected[i]);
	}
}

static void test_the_filter_is_asked_for_while_it_is_typed_and_cancel_undoes_it(void **state)
{
	struct desk *desk = *state;
	const struct request *request;

	press(desk, "j\\r1");
	assert_true(desk->state->prompt.is_open);
	request = asked(desk, REQUEST_QUERY);
	assert_int_equal(request->query.number, desk->state->query);
	assert_int_equal(request->query.filter.count, 1);
	assert_int_equal(request->query.filter.parts[0].field, FILTER_TEXT);
	assert_string_equal(request->query.filter.parts[0].text, "r1");
	answer(desk, &desk->first);
	assert_int_equal(cursor_id(desk), 2);
	press_key(desk, UI_KEY_ESCAPE);
	assert_int_equal(asked(desk, REQUEST_QUERY)->query.filter.count, 0);
	answer(desk, &desk->second);
	assert_int_equal(cursor_id(desk), 2);
	assert_int_equal(desk->state->trail.count, 1);
}

static void test_half_a_regular_expression_leaves_the_rows(void **state)
{
	struct desk *desk = *state;

	press(desk, "\\~r");
	press(desk, "[");
	assert_string_equal(desk->state->trail.filter.parts[0].text, "~r");
	assert_true(desk->state->prompt.note[0] != '\0');
	press(desk, "1]");
	assert_string_equal(desk->state->trail.filter.parts[0].text, "~r[1]");
	assert_int_equal(desk->state->trail.filter.count, 1);
}

static void test_letters_in_the_prompt_are_no_commands(void **state)
{
	struct desk *desk = *state;

	press(desk, "\\q K");
	assert_false(desk->state->wants_quit);
	assert_false(desk->state->hide_kernel);
	assert_string_equal(desk->state->trail.filter.parts[0].text, "q K");
	press_key(desk, UI_KEY_BACKSPACE);
	press_key(desk, UI_KEY_ENTER);
	assert_string_equal(desk->state->trail.filter.parts[0].text, "q ");
	press_key(desk, UI_KEY_ESCAPE);		/* in the table: back, without it */
	assert_int_equal(desk->state->trail.filter.count, 0);
}

static void test_opening_asks_for_less_and_back_finds_the_row(void **state)
{
	struct desk *desk = *state;
	const struct query *query;

	press(desk, "3");
	assert_int_equal(asked(desk, REQUEST_QUERY)->query.keys, KEY_COMM);
	for (size_t i = 0; i < ROWS; i++)
		desk->first.rows[i].comm = desk->names_of_commands[i % 2];
	answer(desk, &desk->first);
	press(desk, "jjj");
	press_key(desk, UI_KEY_ENTER);
	query = &asked(desk, REQUEST_QUERY)->query;
	assert_int_equal(query->keys, KEY_OBJECT);
	assert_int_equal(query->filter.parts[0].field, FILTER_COMMAND);
	assert_int_equal(query->filter.parts[0].hash, filter_hash("beta"));
	answer(desk, &desk->second);
	assert_int_equal(desk->state->table.rows.place.cursor, 0);
	press_key(desk, UI_KEY_ESCAPE);
	assert_int_equal(asked(desk, REQUEST_QUERY)->query.keys, KEY_COMM);
	assert_int_equal(asked(desk, REQUEST_QUERY)->query.filter.count, 0);
	answer(desk, &desk->first);
	assert_int_equal(cursor_id(desk), 4);
}

static void test_keys_that_mean_rows_wait_for_the_rows_they_were_pressed_for(void **state)
{
	struct desk *desk = *state;

	press(desk, "2jj");
	press_key(desk, UI_KEY_ENTER);
	assert_int_equal(desk->state->trail.count, 1);	/* Enter does not mean the old rows */
	assert_int_equal(desk->state->deferred_count, 3);
	desk->second.rows[2].object_path = "/usr/lib/third.so";
	answer(desk, &desk->second);
	assert_int_equal(desk->state->deferred_count, 0);
	assert_int_equal(desk->state->trail.filter.parts[0].hash, filter_hash("/usr/lib/third.so"));
	assert_int_equal(state_kind(desk->state), VIEW_SYMBOLS);
}

static void test_what_leaves_does_not_wait(void **state)
{
	struct desk *desk = *state;

	press(desk, "2jj");
	press(desk, "q");
	assert_true(desk->state->wants_quit);
	assert_int_equal(desk->state->deferred_count, 0);
}

static void test_an_answer_to_an_older_query_changes_no_view(void **state)
{
	struct desk *desk = *state;

	press(desk, "2");
	desk->second.snapshot.query = desk->state->query - 1;
	state_offer_snapshot(desk->state, &desk->second.snapshot);
	assert_int_equal(desk->state->shown_kind, VIEW_SYMBOLS);
	answer(desk, &desk->first);
	assert_int_equal(desk->state->shown_kind, VIEW_OBJECTS);
}

static void test_what_is_hidden_is_part_of_every_query(void **state)
{
	struct desk *desk = *state;
	const struct filter *filter;

	press(desk, "K");
	filter = &asked(desk, REQUEST_QUERY)->query.filter;
	assert_int_equal(filter->count, 1);
	assert_int_equal(filter->parts[0].field, FILTER_KERNEL);
	assert_true(filter->parts[0].is_negated);
	press(desk, "U");
	assert_int_equal(asked(desk, REQUEST_QUERY)->query.filter.count, 2);
	press(desk, "KU");
	assert_int_equal(asked(desk, REQUEST_QUERY)->query.filter.count, 0);
}

static void test_search_moves_the_cursor_and_cancel_moves_it_back(void **state)
{
	struct desk *desk = *state;

	press(desk, "jj/r2");
	assert_int_equal(cursor_id(desk), 20);
	press(desk, "5");
	assert_int_equal(cursor_id(desk), 25);
	press_key(desk, UI_KEY_ESCAPE);
	assert_int_equal(cursor_id(desk), 3);
	press(desk, "/r3");
	press_key(desk, UI_KEY_ENTER);
	press(desk, "n");
	assert_int_equal(cursor_id(desk), 31);
	press(desk, "NN");	/* 30, and round: 39 */
	assert_int_equal(cursor_id(desk), 39);
}

static void test_refresh_goes_on_under_prompt_and_help(void **state)
{
	struct desk *desk = *state;

	press(desk, "\\r");
	assert_ptr_equal(state_offer_snapshot(desk->state, &desk->second.snapshot),
			 &desk->first.snapshot);
	press_key(desk, UI_KEY_ENTER);
	press(desk, "?");
	assert_ptr_equal(state_offer_snapshot(desk->state, &desk->first.snapshot),
			 &desk->second.snapshot);
	assert_ptr_equal(desk->state->table.rows.rows[0], &desk->first.rows[0]);
}

static void test_pause_freezes_the_time_and_the_rows_can_still_be_asked_for(void **state)
{
	struct desk *desk = *state;

	desk->first.snapshot.time_ns = 12345;
	press(desk, " ");
	assert_int_equal(asked(desk, REQUEST_FREEZE)->value_ns, 12345);
	assert_ptr_equal(state_offer_snapshot(desk->state, &desk->second.snapshot),
			 &desk->second.snapshot);	/* not of the frozen time */
	assert_ptr_equal(desk->state->shown, &desk->first.snapshot);
	press(desk, "2");
	answer(desk, &desk->second);
	assert_ptr_equal(desk->state->shown, &desk->second.snapshot);
	press(desk, " ");
	assert_int_equal(asked(desk, REQUEST_FREEZE)->value_ns, 0);
}

static void test_window_and_interval_are_requests_and_the_newest_counts(void **state)
{
	struct desk *desk = *state;

	press(desk, "w");
	press(desk, "w");
	press(desk, ">");
	press(desk, "z");
	assert_int_equal(desk->state->outbox_count, 3);
	assert_int_equal(desk->state->outbox[0].kind, REQUEST_WINDOW);
	assert_int_equal(desk->state->outbox[0].value, WINDOW_ALL);
	assert_int_equal(desk->state->outbox[1].kind, REQUEST_INTERVAL);
	assert_int_equal(desk->state->outbox[1].value_ns, CLOCK_NS_PER_S);
	assert_int_equal(desk->state->outbox[2].kind, REQUEST_ZERO);
}

static void test_the_interval_stays_between_its_ends(void **state)
{
	struct desk *desk = *state;

	press(desk, "<<<<<<<<");
	assert_int_equal(desk->state->interval_ns, 10 * CLOCK_NS_PER_S);
	press(desk, ">>>>>>>>>>");
	assert_int_equal(desk->state->interval_ns, CLOCK_NS_PER_S / 10);
	desk->state->interval_ns = 3 * CLOCK_NS_PER_S;	/* from the command line */
	press(desk, ">");
	assert_int_equal(desk->state->interval_ns, 2 * CLOCK_NS_PER_S);
}

static void test_back_from_any_page_of_text_is_the_table(void **state)
{
	struct desk *desk = *state;

	press(desk, "?!?");
	press_key(desk, UI_KEY_ESCAPE);
	assert_ptr_equal(desk->state->view, &desk->state->table.view);
}

static void test_help_scrolls_to_its_end_and_not_beyond(void **state)
{
	struct desk *desk = *state;

	press(desk, "?");
	press_key(desk, UI_KEY_END);
	assert_int_equal(desk->state->help.top, desk->state->help.height - desk->state->help.page);
	press(desk, "j");
	assert_int_equal(desk->state->help.top, desk->state->help.height - desk->state->help.page);
	press_key(desk, UI_KEY_HOME);
	press(desk, "k");
	assert_int_equal(desk->state->help.top, 0);
}

static void test_keys_between_two_paints_move_by_what_they_say(void **state)
{
	struct desk *desk = *state;

	press(desk, "?");
	scene_press_key(&desk->scene, UI_KEY_END);
	press(desk, "k");
	assert_int_equal(desk->state->help.top,
			 desk->state->help.height - desk->state->help.page - 1);
}

static void test_keys_before_the_first_snapshot_do_no_harm(void **state)
{
	static struct ui_state fresh;
	struct keymap keymap;
	struct canvas canvas = { .is_ascii = true };
	const struct mouse nowhere = { .action = MOUSE_PRESS };

	(void)state;
	state_init(&fresh);
	keymap_init(&keymap);
	fresh.keymap = &keymap;
	fresh.theme = &themes[0];
	canvas_resize(&canvas, 40, 10);
	for (int key = ' '; key < 127; key++) {
		state_press_key(&fresh, key, &nowhere);
		frame_draw(&fresh, &canvas);
		state_press_key(&fresh, UI_KEY_ESCAPE, NULL);
	}
	for (int key = UI_KEY_UP; key <= UI_KEY_UNKNOWN; key++)
		state_press_key(&fresh, key, &nowhere);
	assert_true(fresh.wants_quit);
	canvas_finish(&canvas);
	state_finish(&fresh);
}

#define DESK_TEST(test) cmocka_unit_test_setup_teardown(test, open_desk, close_desk)

int main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(test_a_chosen_row_keeps_the_cursor_when_the_order_changes),
		DESK_TEST(test_the_cursor_nobody_moved_stays_in_sight_of_the_hottest),
		DESK_TEST(test_sorting_keeps_the_chosen_row),
		DESK_TEST(test_sort_goes_through_the_columns_and_around),
		DESK_TEST(test_the_filter_is_asked_for_while_it_is_typed_and_cancel_undoes_it),
		DESK_TEST(test_half_a_regular_expression_leaves_the_rows),
		DESK_TEST(test_letters_in_the_prompt_are_no_commands),
		DESK_TEST(test_opening_asks_for_less_and_back_finds_the_row),
		DESK_TEST(test_keys_that_mean_rows_wait_for_the_rows_they_were_pressed_for),
		DESK_TEST(test_what_leaves_does_not_wait),
		DESK_TEST(test_an_answer_to_an_older_query_changes_no_view),
		DESK_TEST(test_what_is_hidden_is_part_of_every_query),
		DESK_TEST(test_search_moves_the_cursor_and_cancel_moves_it_back),
		DESK_TEST(test_refresh_goes_on_under_prompt_and_help),
		DESK_TEST(test_pause_freezes_the_time_and_the_rows_can_still_be_asked_for),
		DESK_TEST(test_window_and_interval_are_requests_and_the_newest_counts),
		DESK_TEST(test_the_interval_stays_between_its_ends),
		DESK_TEST(test_back_from_any_page_of_text_is_the_table),
		DESK_TEST(test_help_scrolls_to_its_end_and_not_beyond),
		DESK_TEST(test_keys_between_two_paints_move_by_what_they_say),
		cmocka_unit_test(test_keys_before_the_first_snapshot_do_no_harm),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
