/* The rows of the table: order, groups, and a cursor that belongs to a row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "snapshot_fixture.h"
#include "ui/widgets/table_rows.h"
#include "unit_tests.h"

#define PAGE 5

static const struct table_order by_self = { COL_SELF, false };

/* Process 10 (60 samples) with threads 11 (20) and 12 (40), process 20 (50) with thread 21,
 * process 30 (10) with thread 31, and the idle task. */
static struct snapshot_row tasks[] = {
	{ .id = 10, .pid = 1, .tid = -1, .now.self.samples = 60, .tasks = 2 },
	{ .id = 20, .pid = 2, .tid = -1, .now.self.samples = 50, .tasks = 1 },
	{ .id = 50, .pid = 0, .tid = 0, .now.self.samples = 45, .is_idle = true },
	{ .id = 12, .pid = 1, .tid = 12, .now.self.samples = 40, .group_id = 10 },
	{ .id = 11, .pid = 1, .tid = 11, .now.self.samples = 20, .group_id = 10 },
	{ .id = 21, .pid = 2, .tid = 21, .now.self.samples = 50, .group_id = 20 },
	{ .id = 30, .pid = 3, .tid = -1, .now.self.samples = 10, .tasks = 1 },
	{ .id = 31, .pid = 3, .tid = 31, .now.self.samples = 10, .group_id = 30 },
};

static struct snapshot task_snapshot(void)
{
	struct snapshot snapshot = fixture_snapshot(tasks, sizeof(tasks) / sizeof(tasks[0]));

	snapshot.keys = KEY_PID | KEY_TID | KEY_GROUP;
	return snapshot;
}

static void check_ids(const struct table_rows *table, const uint64_t *ids, size_t count)
{
	assert_int_equal(table->count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(table->rows[i]->id, ids[i]);
}

static void test_threads_follow_their_process_once_it_is_unfolded(void **state)
{
	static const uint64_t folded[] = { 10, 20, 30 };
	static const uint64_t first[] = { 10, 12, 11, 20, 30 };
	static const uint64_t both[] = { 10, 12, 11, 20, 30, 31 };
	const struct snapshot snapshot = task_snapshot();
	struct table_rows table = { .page = PAGE };

	(void)state;
	table_rows_collect(&table, &snapshot, false, by_self);
	check_ids(&table, folded, 3);
	table_rows_set_unfolded(&table, 10, true);
	table_rows_collect(&table, &snapshot, false, by_self);
	check_ids(&table, first, 5);
	table_rows_set_unfolded(&table, 30, true);
	table_rows_collect(&table, &snapshot, false, by_self);
	check_ids(&table, both, 6);
	table_rows_set_unfolded(&table, 10, false);
	table_rows_set_unfolded(&table, 30, false);
	table_rows_collect(&table, &snapshot, false, by_self);
	check_ids(&table, folded, 3);
	table_rows_finish(&table);
}

static void test_the_order_is_of_processes_and_of_the_threads_in_each(void **state)
{
	static const uint64_t reversed[] = { 30, 20, 10, 11, 12 };
	const struct table_order order = { COL_SELF, true };
	const struct snapshot snapshot = task_snapshot();
	struct table_rows table = { .page = PAGE };

	(void)state;
	table_rows_set_unfolded(&table, 10, true);
	table_rows_collect(&table, &snapshot, false, order);
	check_ids(&table, reversed, 5);
	table_rows_finish(&table);
}

static void test_idle_rows_are_there_only_when_asked_for(void **state)
{
	static const uint64_t with_idle[] = { 10, 20, 50, 30 };
	const struct snapshot snapshot = task_snapshot();
	struct table_rows table = { .page = PAGE };

	(void)state;
	table_rows_collect(&table, &snapshot, true, by_self);
	check_ids(&table, with_idle, 4);
	table_rows_finish(&table);
}

#define COUNT 40

struct list {
	struct snapshot_row rows[COUNT];
	struct snapshot snapshot;
	struct table_rows table;
};

/* Ids 1..40 by falling share, the first @rotate of them moved to the end. */
static void fill(struct list *list, size_t rotate)
{
	memset(list->rows, 0, sizeof(list->rows));
	for (size_t i = 0; i < COUNT; i++)
		list->rows[i] = (struct snapshot_row){ .id = (i + rotate) % COUNT + 1,
						       .now.self.samples = 100 - i };
	list->snapshot = fixture_snapshot(list->rows, COUNT);
	table_rows_collect(&list->table, &list->snapshot, false, by_self);
}

static void open_list(struct list *list)
{
	memset(list, 0, sizeof(*list));
	table_rows_set_page(&list->table, PAGE);
	fill(list, 0);
}

static void test_back_finds_the_same_row_on_the_same_line(void **state)
{
	struct table_place place;
	struct list list;

	(void)state;
	open_list(&list);
	for (int i = 0; i < 12; i++)
		table_rows_move(&list.table, MOVE_DOWN);
	table_rows_move(&list.table, MOVE_UP);
	table_rows_move(&list.table, MOVE_UP);
	place = list.table.place;	/* row 11, third of the lines 9..13 */
	assert_int_equal(place.cursor, 10);
	assert_int_equal(place.top, 8);
	table_rows_move(&list.table, MOVE_LAST);
	fill(&list, 3);			/* row 11 is now number 7 */
	table_rows_restore(&list.table, &place);
	assert_int_equal(table_rows_cursor(&list.table)->id, 11);
	assert_int_equal(list.table.place.cursor - list.table.place.top, 2);
	table_rows_finish(&list.table);
}

static void test_the_cursor_that_nobody_moved_stays_on_the_first_row(void **state)
{
	struct table_place place;
	struct list list;

	(void)state;
	open_list(&list);
	fill(&list, COUNT - 2);		/* row 1 is third now */
	assert_int_equal(table_rows_cursor(&list.table)->id, COUNT - 1);
	place = list.table.place;
	fill(&list, COUNT - 4);
	table_rows_restore(&list.table, &place);
	assert_int_equal(list.table.place.cursor, 0);
	table_rows_move(&list.table, MOVE_DOWN);
	assert_int_equal(table_rows_cursor(&list.table)->id, COUNT - 2);
	fill(&list, 0);
	assert_int_equal(table_rows_cursor(&list.table)->id, COUNT - 2);
	table_rows_finish(&list.table);
}

static void test_the_wheel_moves_the_frame_and_keeps_the_cursor_in_it(void **state)
{
	struct list list;

	(void)state;
	open_list(&list);
	table_rows_select_index(&list.table, 4);
	table_rows_scroll(&list.table, 3);
	assert_int_equal(list.table.place.top, 3);
	assert_int_equal(list.table.place.cursor, 4);
	table_rows_scroll(&list.table, 3);
	assert_int_equal(list.table.place.top, 6);
	assert_int_equal(list.table.place.cursor, 6);
	table_rows_scroll(&list.table, 1000);
	assert_int_equal(list.table.place.top, COUNT - PAGE);
	table_rows_scroll(&list.table, -1000);
	assert_int_equal(list.table.place.top, 0);
	assert_int_equal(list.table.place.cursor, PAGE - 1);
	table_rows_finish(&list.table);
}

static void test_an_empty_frame_forgets_nothing(void **state)
{
	struct snapshot empty = fixture_snapshot(NULL, 0);
	struct list list;

	(void)state;
	open_list(&list);
	table_rows_select_index(&list.table, 20);
	table_rows_collect(&list.table, &empty, false, by_self);
	assert_null(table_rows_cursor(&list.table));
	fill(&list, 5);
	assert_int_equal(table_rows_cursor(&list.table)->id, 21);
	table_rows_finish(&list.table);
}

UNIT_TESTS(test_table_rows)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads_follow_their_process_once_it_is_unfolded),
		cmocka_unit_test(test_the_order_is_of_processes_and_of_the_threads_in_each),
		cmocka_unit_test(test_idle_rows_are_there_only_when_asked_for),
		cmocka_unit_test(test_back_finds_the_same_row_on_the_same_line),
		cmocka_unit_test(
			test_the_cursor_that_nobody_moved_stays_on_the_first_row),
		cmocka_unit_test(test_the_wheel_moves_the_frame_and_keeps_the_cursor_in_it),
		cmocka_unit_test(test_an_empty_frame_forgets_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
