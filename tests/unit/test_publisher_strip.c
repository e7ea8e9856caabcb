/* The strip of load in a snapshot, and what a recording says of tasks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ingest_stage.h"
#include "model/publisher.h"

#define S 1000000000ull

static struct ingest_stage stage;
static struct analyzer_config config;
static struct publisher publisher;

static int set_up(void **state)
{
	const struct ingest_config replay = { .is_replay = true };

	(void)state;
	stage_init(&stage, &replay, NULL);
	config = (struct analyzer_config){
		.ingest = stage.ingest.config, .host = "h", .target = "t", .notice = "",
		.query.keys = KEY_OBJECT | KEY_SYMBOL, .window = WINDOW_ALL, .window_ns = 3 * S,
	};
	publisher_init(&publisher, &config, &stage.ingest);
	publisher_start(&publisher);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	publisher_finish(&publisher);
	stage_finish(&stage);
	return 0;
}

/* One sample every 0.1 s, from @from to before @to, in tenths of a second. */
static void sample_tenths(uint64_t from, uint64_t to)
{
	for (uint64_t tenth = from; tenth < to; tenth++)
		stage_sample(&stage, tenth * S / 10, 1, 1, 0x1000);
	stage_round(&stage, to * S / 10);
}

static struct snapshot *make(void)
{
	const struct diag why = { 0 };
	struct snapshot *snapshot = publisher_make(&publisher, false, &why);

	assert_non_null(snapshot);
	return snapshot;
}

/* 10 a second from 5.0 to 10.3: all of it, whatever the window. */
static void test_the_strip_of_a_recording_is_all_of_it(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	sample_tenths(50, 103);
	config.window = WINDOW_SECONDS;
	snapshot = make();
	assert_int_equal(snapshot->strip_kind, STRIP_RATE);
	assert_int_equal(snapshot->strip_count, 6);
	assert_true(snapshot->strip_step_s == 1);
	for (uint32_t i = 0; i < 6; i++)
		assert_true(snapshot->strip[i] > 9.9f && snapshot->strip[i] < 10.1f);
	snapshot_destroy(snapshot);
	assert_true(publisher_due_ns(&publisher) == UINT64_MAX);
}

static void test_the_load_is_due_each_second_until_the_end(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	sample_tenths(50, 60);
	config.has_busy = true;
	publisher_tick(&publisher, 7 * S + 1);
	assert_true(publisher_due_ns(&publisher) == 8 * S);
	publisher_tick(&publisher, 8 * S - 1);
	assert_int_equal(publisher.busy.count, 1);
	publisher_tick(&publisher, 8 * S);
	assert_int_equal(publisher.busy.count, 2);
	publisher.is_ended = true;
	assert_true(publisher_due_ns(&publisher) == UINT64_MAX);
	snapshot = make();
	assert_int_equal(snapshot->strip_kind, STRIP_BUSY);
	assert_int_equal(snapshot->strip_count, 1);
	snapshot_destroy(snapshot);
}

/* Their threads, comms and EXIT records are known; /proc is of another time, and is not asked. */
static void test_a_recording_says_nothing_of_running_tasks(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	sample_tenths(50, 60);
	stage_exit(&stage, 6 * S, 1, 1);
	stage_round(&stage, 7 * S);
	config.query.keys = KEY_PID;
	snapshot = make();
	assert_int_equal(snapshot->row_count, 1);
	assert_int_equal(snapshot->rows[0].pid, 1);
	assert_int_equal(snapshot->rows[0].task_state, 0);
	assert_int_equal(snapshot->rows[0].threads, 0);
	assert_true(snapshot->rows[0].cpu_pct < 0);
	assert_string_equal(snapshot->rows[0].command_line, "");
	snapshot_destroy(snapshot);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_the_strip_of_a_recording_is_all_of_it),
		TEST(test_the_load_is_due_each_second_until_the_end),
		TEST(test_a_recording_says_nothing_of_running_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
