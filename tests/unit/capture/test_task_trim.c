/* More threads, processes and mappings than there is room for: who is forgotten, who stays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "task_fixture.h"
#include "unit_tests.h"

/* Those that were not sampled for longest go; targets and who was sampled stay. */
static void test_too_many_threads_are_forgotten_and_counted(void **state)
{
	enum { COUNT = 1000, ROWS = 100 };

	(void)state;
	task_of(1, 1);
	task_table_process(&table, 1);
	task_table_process(&table, 2)->is_target = true;
	task_table_thread(&table, 2, 2)->is_target = true;
	for (uint32_t tid = 1000; tid < 1000 + COUNT; tid++)
		fork_from(1, 1, tid, tid);
	assert_int_equal(table.thread_count, COUNT + 2);
	task_table_trim(&table, ROWS, SIZE_MAX);
	assert_int_equal(table.thread_count, ROWS);
	assert_int_equal(table.process_count, ROWS);
	assert_int_equal(table.forgotten, 2 * (COUNT + 2 - ROWS));
	for (int round = 0; round < 20; round++) {
		task_of(1, 1);
		task_table_trim(&table, ROWS, SIZE_MAX);
	}
	for (uint32_t tid = 3000; tid < 3000 + COUNT; tid++)
		fork_from(1, 1, tid, tid);
	task_of(3999, 3999);
	task_table_trim(&table, ROWS, SIZE_MAX);
	assert_int_equal(table.thread_count, ROWS);
	assert_non_null(task_table_find_thread(&table, 1));
	assert_non_null(task_table_find_process(&table, 1));
	assert_non_null(task_table_find_thread(&table, 2));
	assert_non_null(task_table_find_process(&table, 2));
	assert_null(task_table_find_thread(&table, 1000));
	assert_string_equal(comm_of(1000, 1000), ":1000");	/* it comes back */
}

static void test_who_has_ended_goes_before_who_lives_and_is_no_loss(void **state)
{
	enum { COUNT = 100, ROWS = 51 };

	(void)state;
	task_of(1, 1);
	task_table_process(&table, 1);
	for (uint32_t tid = 1000; tid < 1000 + COUNT; tid++)
		fork_from(1, 1, tid, tid);
	for (uint32_t tid = 1000 + COUNT / 2; tid < 1000 + COUNT; tid++)
		task_table_exit(&table, tid, tid, 10);
	task_table_trim(&table, ROWS, SIZE_MAX);
	assert_int_equal(table.thread_count, ROWS);
	assert_int_equal(table.process_count, ROWS);
	assert_int_equal(table.forgotten, 0);
	for (uint32_t tid = 1000; tid < 1000 + COUNT / 2; tid++) {
		assert_non_null(task_table_find_thread(&table, tid));
		assert_non_null(task_table_find_process(&table, tid));
	}
}

static void test_maps_beyond_their_bytes_are_read_again(void **state)
{
	size_t bytes;

	(void)state;
	map(5, 0x5000, 7);
	bytes = table.processes[0].maps->capacity * sizeof(struct mapping);
	for (uint32_t pid = 100; pid < 200; pid++) {
		task_of(pid, pid);
		map(pid, 0x5000, 7);
	}
	for (int round = 0; round < 3; round++) {
		task_of(150, 150);
		task_table_trim(&table, 1000, SIZE_MAX);
	}
	assert_int_equal(table.forgotten, 0);
	task_of(150, 150);
	task_table_trim(&table, 1000, 10 * bytes);
	assert_int_equal(table.forgotten, 91);
	assert_null(mapping_at(5, 0x5000));
	assert_int_equal(task_table_find_process(&table, 5)->maps_state, MAPS_UNREAD);
	assert_non_null(mapping_at(150, 0x5000));
}

static void test_flametops_processes_are_not_forgotten_while_they_live(void **state)
{
	(void)state;
	task_table_mark_own(&table, 100);
	for (uint32_t pid = 1000; pid < 1100; pid++)
		task_table_process(&table, pid);
	for (int i = 0; i < 100; i++)
		task_table_trim(&table, 10, 1000);
	assert_int_equal(table.process_count, 10);
	assert_non_null(task_table_find_process(&table, 100));
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

UNIT_TESTS(test_task_trim)
{
	const struct CMUnitTest tests[] = {
		TEST(test_too_many_threads_are_forgotten_and_counted),
		TEST(test_who_has_ended_goes_before_who_lives_and_is_no_loss),
		TEST(test_maps_beyond_their_bytes_are_read_again),
		TEST(test_flametops_processes_are_not_forgotten_while_they_live),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
