/* The activity graph in a snapshot, and what a recording says of tasks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "publisher_fixture.h"
#include "unit_tests.h"

/* 10 a second from 5.0 to 10.3: all of it, whatever the window. */
static void test_the_activity_graph_of_a_recording_is_all_of_it(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	publisher_fixture_sample(50, 103);
	config.window = WINDOW_SECONDS;
	snapshot = publisher_fixture_make();
	assert_int_equal(snapshot->activity_kind, ACTIVITY_RATE);
	assert_int_equal(snapshot->activity_count, 6);
	assert_true(snapshot->activity_step_s == 1);
	for (uint32_t i = 0; i < 6; i++)
		assert_true(snapshot->activity[i] > 9.9f && snapshot->activity[i] < 10.1f);
	snapshot_destroy(snapshot);
	assert_true(publisher_due_ns(&publisher) == UINT64_MAX);
}

static void test_the_load_is_due_each_second_until_the_end(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	publisher_fixture_sample(50, 60);
	config.has_busy = true;
	publisher_tick(&publisher, 7 * S + 1);
	assert_true(publisher_due_ns(&publisher) == 8 * S);
	publisher_tick(&publisher, 8 * S - 1);
	assert_int_equal(publisher.busy.count, 1);
	publisher_tick(&publisher, 8 * S);
	assert_int_equal(publisher.busy.count, 2);
	publisher.is_ended = true;
	assert_true(publisher_due_ns(&publisher) == UINT64_MAX);
	snapshot = publisher_fixture_make();
	assert_int_equal(snapshot->activity_kind, ACTIVITY_BUSY);
	assert_int_equal(snapshot->activity_count, 1);
	snapshot_destroy(snapshot);
}

/* Their threads, comms and EXIT records are known; /proc is of another time, and is not asked. */
static void test_a_recording_says_nothing_of_running_tasks(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	publisher_fixture_sample(50, 60);
	feed_exit(&feed, 6 * S, 1, 1);
	feed_round(&feed, 7 * S);
	config.query.keys = KEY_PID;
	snapshot = publisher_fixture_make();
	assert_int_equal(snapshot->row_count, 1);
	assert_int_equal(snapshot->rows[0].pid, 1);
	assert_int_equal(snapshot->rows[0].task_state, 0);
	assert_int_equal(snapshot->rows[0].threads, 0);
	assert_true(snapshot->rows[0].cpu_pct < 0);
	assert_string_equal(snapshot->rows[0].command_line, "");
	snapshot_destroy(snapshot);
}

UNIT_TESTS(test_publisher_activity)
{
	const struct CMUnitTest tests[] = {
		PUBLISHER_TEST(test_the_activity_graph_of_a_recording_is_all_of_it),
		PUBLISHER_TEST(test_the_load_is_due_each_second_until_the_end),
		PUBLISHER_TEST(test_a_recording_says_nothing_of_running_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
