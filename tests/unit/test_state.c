/* Keys and snapshots change what is shown, and the cursor stays with its row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "snapshot_fixture.h"
#include "ui/frame.h"
#include "ui/keys.h"
#include "ui/state.h"

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
	struct ui_state state;
	struct canvas canvas;
	struct picture first, second;
};

static int open_desk(void **state)
{
	static struct desk desk;

	memset(&desk, 0, sizeof(desk));
	state_init(&desk.state);
	desk.state.window_ns = 10 * CLOCK_NS_PER_S;
	desk.state.interval_ns = 2 * CLOCK_NS_PER_S;
	canvas_resize(&desk.canvas, 80, 24);	/* 3 header lines, titles, 19 rows, bottom line */
	make_picture(&desk.first, 0);
	make_picture(&desk.second, 10);
	state_offer_snapshot(&desk.state, &desk.first.snapshot);
	frame_draw(&desk.state, &desk.canvas);
	*state = &desk;
	return 0;
}

static int close_desk(void **state)
{
	struct desk *desk = *state;

	state_finish(&desk->state);
	canvas_finish(&desk->canvas);
	return 0;
}

static void press(struct desk *desk, const char *keys)
{
	for (; *keys; keys++)
		state_press_key(&desk->state, *keys);
	frame_draw(&desk->state, &desk->canvas);
}

static void press_key(struct desk *desk, int key)
{
	state_press_key(&desk->state, key);
	frame_draw(&desk->state, &desk->canvas);
}

static uint64_t cursor_id(const struct desk *desk)
{
	return table_view_cursor(&desk->state.table)->id;
}

static void test_a_chosen_row_keeps_the_cursor_when_the_order_changes(void **state)
{
	struct desk *desk = *state;

	press(desk, "jjj");
	assert_int_equal(cursor_id(desk), 4);
	state_offer_snapshot(&desk->state, &desk->second.snapshot);	/* row 4 is now number 34 */
	frame_draw(&desk->state, &desk->canvas);
	assert_int_equal(cursor_id(desk), 4);
	assert_int_equal(desk->state.table.cursor, 33);
	assert_true(desk->state.table.top <= 33);
	assert_true(33 < desk->state.table.top + desk->state.table.page);
}

static void test_the_cursor_nobody_moved_stays_in_sight_of_the_hottest(void **state)
{
	struct desk *desk = *state;

	state_offer_snapshot(&desk->state, &desk->second.snapshot);	/* row 1 is now number 31 */
	frame_draw(&desk->state, &desk->canvas);
	assert_int_equal(desk->state.table.top, 0);
	assert_int_equal(desk->state.table.cursor, 0);
}

static void test_a_row_that_leaves_gives_its_place_to_the_cursor(void **state)
{
	struct desk *desk = *state;

	press(desk, "jjjjj");
	assert_int_equal(cursor_id(desk), 6);
	press(desk, "K");	/* even ids are kernel rows: 6 leaves, 1 3 5 7 9 11 are left */
	assert_int_equal(desk->state.table.cursor, 5);
	assert_int_equal(cursor_id(desk), 11);
}

static void test_sorting_keeps_the_chosen_row(void **state)
{
	struct desk *desk = *state;

	press(desk, "jj");
	press(desk, "s");	/* by TOTAL%, which grows where SELF% falls */
	assert_int_equal(desk->state.order.column, COL_TOTAL);
	assert_int_equal(desk->state.table.rows[0]->id, ROWS);
	assert_int_equal(cursor_id(desk), 3);
	press(desk, "S");
	assert_int_equal(desk->state.table.rows[0]->id, 1);
	assert_int_equal(cursor_id(desk), 3);
}

static void test_sort_goes_through_the_columns_and_around(void **state)
{
	static const enum column_id expected[] = {
		COL_TOTAL, COL_SAMPLES, COL_COMMAND, COL_OBJECT, COL_SYMBOL, COL_SELF,
	};
	struct desk *desk = *state;

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		press(desk, "s");
		assert_int_equal(desk->state.order.column, expected[i]);
	}
}

static void test_the_filter_works_while_it_is_typed_and_cancel_undoes_it(void **state)
{
	struct desk *desk = *state;

	press(desk, "j\\r1");
	assert_true(desk->state.prompt.is_open);
	assert_int_equal(desk->state.table.count, 10);		/* r10 to r19 */
	press(desk, "2");
	assert_int_equal(desk->state.table.count, 1);
	assert_int_equal(cursor_id(desk), 12);
	press_key(desk, UI_KEY_ESCAPE);
	assert_int_equal(desk->state.table.count, ROWS);
	assert_int_equal(cursor_id(desk), 2);
}

static void test_letters_in_the_prompt_are_no_commands(void **state)
{
	struct desk *desk = *state;

	press(desk, "\\q K");
	assert_false(desk->state.wants_quit);
	assert_false(desk->state.filter.hide_kernel);
	assert_string_equal(desk->state.filter.text, "q K");
	press_key(desk, UI_KEY_BACKSPACE);
	press_key(desk, UI_KEY_ENTER);
	assert_string_equal(desk->state.filter.text, "q ");
	press_key(desk, UI_KEY_ESCAPE);		/* in the table: clears it */
	assert_string_equal(desk->state.filter.text, "");
}

static void test_refresh_goes_on_under_prompt_and_help(void **state)
{
	struct desk *desk = *state;

	press(desk, "\\r");
	assert_ptr_equal(state_offer_snapshot(&desk->state, &desk->second.snapshot),
			 &desk->first.snapshot);
	press_key(desk, UI_KEY_ENTER);
	press(desk, "?");
	assert_ptr_equal(state_offer_snapshot(&desk->state, &desk->first.snapshot),
			 &desk->second.snapshot);
	assert_ptr_equal(desk->state.table.rows[0], &desk->first.rows[0]);
}

static void test_pause_keeps_the_picture_and_gives_back_the_new_one(void **state)
{
	struct desk *desk = *state;

	press(desk, " ");
	assert_ptr_equal(state_offer_snapshot(&desk->state, &desk->second.snapshot),
			 &desk->second.snapshot);
	assert_ptr_equal(desk->state.shown, &desk->first.snapshot);
	press(desk, "K");	/* the frozen picture can still be looked through */
	assert_int_equal(desk->state.table.count, ROWS / 2);
	press(desk, " ");
	assert_int_equal(desk->state.outbox_count, 1);
	assert_int_equal(desk->state.outbox[0].kind, REQUEST_REFRESH);
	assert_ptr_equal(state_offer_snapshot(&desk->state, &desk->second.snapshot),
			 &desk->first.snapshot);
}

static void test_window_and_interval_are_requests_and_the_newest_counts(void **state)
{
	struct desk *desk = *state;

	press(desk, "w");
	press(desk, "w");
	press(desk, ">");
	press(desk, "z");
	assert_int_equal(desk->state.outbox_count, 3);
	assert_int_equal(desk->state.outbox[0].kind, REQUEST_WINDOW);
	assert_int_equal(desk->state.outbox[0].value, WINDOW_ALL);
	assert_int_equal(desk->state.outbox[1].kind, REQUEST_INTERVAL);
	assert_int_equal(desk->state.outbox[1].value_ns, CLOCK_NS_PER_S);
	assert_int_equal(desk->state.outbox[2].kind, REQUEST_ZERO);
}

static void test_the_interval_stays_between_its_ends(void **state)
{
	struct desk *desk = *state;

	press(desk, "<<<<<<<<");
	assert_int_equal(desk->state.interval_ns, 10 * CLOCK_NS_PER_S);
	press(desk, ">>>>>>>>>>");
	assert_int_equal(desk->state.interval_ns, CLOCK_NS_PER_S / 10);
	desk->state.interval_ns = 3 * CLOCK_NS_PER_S;	/* from the command line */
	press(desk, ">");
	assert_int_equal(desk->state.interval_ns, 2 * CLOCK_NS_PER_S);
}

static void test_back_from_any_page_of_text_is_the_table(void **state)
{
	struct desk *desk = *state;

	press(desk, "?!?");
	press_key(desk, UI_KEY_ESCAPE);
	assert_ptr_equal(desk->state.view, &desk->state.table.view);
}

static void test_help_scrolls_to_its_end_and_not_beyond(void **state)
{
	struct desk *desk = *state;

	press(desk, "?");
	press_key(desk, UI_KEY_END);
	assert_int_equal(desk->state.help.top, desk->state.help.height - desk->state.help.page);
	press(desk, "j");
	assert_int_equal(desk->state.help.top, desk->state.help.height - desk->state.help.page);
	press_key(desk, UI_KEY_HOME);
	press(desk, "k");
	assert_int_equal(desk->state.help.top, 0);
}

static void test_keys_between_two_paints_move_by_what_they_say(void **state)
{
	struct desk *desk = *state;

	press(desk, "?");
	state_press_key(&desk->state, UI_KEY_END);
	press(desk, "k");
	assert_int_equal(desk->state.help.top, desk->state.help.height - desk->state.help.page - 1);
}

static void test_keys_before_the_first_snapshot_do_no_harm(void **state)
{
	struct ui_state fresh;
	struct canvas canvas = { .is_ascii = true };

	(void)state;
	state_init(&fresh);
	canvas_resize(&canvas, 40, 10);
	for (int key = ' '; key < 127; key++) {
		state_press_key(&fresh, key);
		frame_draw(&fresh, &canvas);
		state_press_key(&fresh, UI_KEY_ESCAPE);
	}
	for (int key = UI_KEY_UP; key <= UI_KEY_UNKNOWN; key++)
		state_press_key(&fresh, key);
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
		DESK_TEST(test_a_row_that_leaves_gives_its_place_to_the_cursor),
		DESK_TEST(test_sorting_keeps_the_chosen_row),
		DESK_TEST(test_sort_goes_through_the_columns_and_around),
		DESK_TEST(test_the_filter_works_while_it_is_typed_and_cancel_undoes_it),
		DESK_TEST(test_letters_in_the_prompt_are_no_commands),
		DESK_TEST(test_refresh_goes_on_under_prompt_and_help),
		DESK_TEST(test_pause_keeps_the_picture_and_gives_back_the_new_one),
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
