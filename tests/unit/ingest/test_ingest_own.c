/* Flametop's own processes: who is one of them, and that what they do is left out and counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "hit_fixture.h"
#include "unit_tests.h"

static struct ingest_fixture feed;

/* A table of tasks alone. */
static int set_up(void **state)
{
	const struct ingest_config config = { .event_count = 1 };

	(void)state;
	feed_init(&feed, &config, NULL);
	return 0;
}

static uint32_t own_pid(void)
{
	return (uint32_t)getpid();
}

static void fork_task(uint32_t parent_pid, uint32_t parent_tid, uint32_t pid, uint32_t tid)
{
	task_table_fork(&feed.ingest.tasks, parent_pid, parent_tid, pid, tid, false);
}

static bool is_own(uint32_t pid, uint64_t time_ns)
{
	struct task_table *tasks = &feed.ingest.tasks;

	return task_is_own(task_table_process(tasks, pid), task_table_thread(tasks, pid, pid),
			   time_ns);
}

static void test_what_flametop_forks_is_its_own_at_any_depth(void **state)
{
	(void)state;
	task_table_mark_own(&feed.ingest.tasks, 100);
	fork_task(100, 100, 200, 200);
	fork_task(200, 200, 300, 300);
	fork_task(900, 900, 901, 901);
	assert_true(is_own(100, 5) && is_own(200, 5) && is_own(300, 5));
	assert_false(is_own(901, 5));
	task_table_thread(&feed.ingest.tasks, 100, 101);	/* a thread of main */
	assert_true(task_is_own(task_table_process(&feed.ingest.tasks, 100),
				task_table_find_thread(&feed.ingest.tasks, 101), 5));
}

static void test_an_exec_ends_what_is_flametops_from_its_time_on(void **state)
{
	(void)state;
	task_table_mark_own(&feed.ingest.tasks, 100);
	fork_task(100, 100, 200, 200);
	task_table_exec(&feed.ingest.tasks, 200, 50);
	fork_task(200, 200, 300, 300);
	assert_true(is_own(200, 49));
	assert_false(is_own(200, 50) || is_own(300, 60));
	/* The second exec of a shell: what it did before was the command's. */
	task_table_exec(&feed.ingest.tasks, 200, 80);
	assert_false(is_own(200, 60));
	assert_true(is_own(100, 60));
}

static void test_a_pid_of_flametops_that_is_used_again_is_a_strangers(void **state)
{
	(void)state;
	task_table_mark_own(&feed.ingest.tasks, 100);
	fork_task(100, 100, 200, 200);
	task_table_exit(&feed.ingest.tasks, 200, 200, 10);
	fork_task(900, 900, 200, 200);
	assert_false(is_own(200, 20));
}

static void test_flametops_own_samples_are_left_out_and_counted_apart(void **state)
{
	static const uint32_t own[] = { 100, 110 };
	const struct ingest_config config = { .event_count = 1, .own_pids = own,
					      .own_pid_count = 2, .launcher_pid = 120 };

	(void)state;
	feed_init(&feed, &config, NULL);
	feed_sample(&feed, 1, 100, 100, 0x10);
	feed_sample(&feed, 1, 100, 101, 0x10);
	feed_fork(&feed, 2, 110, 110, 210, 210);
	feed_sample(&feed, 3, 210, 210, 0x10);
	feed_sample(&feed, 3, 120, 120, 0x10);
	feed_comm(&feed, 4, 120, 120, "command", true);
	feed_sample(&feed, 5, 120, 120, 0x10);
	feed_sample(&feed, 5, 900, 900, 0x10);
	feed_round(&feed, 9);
	assert_int_equal(feed.ingest.counters.left_out_own, 4);
	assert_int_equal(feed_samples(&feed), 2);
	assert_int_equal(feed_counted(&feed, "command", 120, "[unknown]", 0x10), 1);
	assert_int_equal(feed_counted(&feed, ":900", 900, "[unknown]", 0x10), 1);
}

/* -p with flametop's own pid, -t with one of its threads. */
static void test_flametops_own_samples_are_counted_where_they_were_asked_for(void **state)
{
	static const uint32_t own[] = { 100, 110 }, tids[] = { 111 };
	const struct ingest_config config = { .event_count = 1, .own_pids = own,
					      .own_pid_count = 2, .target_pids = own,
					      .target_pid_count = 1, .target_tids = tids,
					      .target_tid_count = 1 };

	(void)state;
	feed_init(&feed, &config, NULL);
	feed_sample(&feed, 1, 100, 100, 0x10);
	feed_sample(&feed, 1, 110, 110, 0x10);
	feed_sample(&feed, 1, 110, 111, 0x10);
	feed_round(&feed, 9);
	assert_int_equal(feed_samples(&feed), 2);
	assert_int_equal(feed.ingest.counters.left_out_own, 1);
}

/* A worker that was forked while another target was sampled: /proc tells whose child it is. */
static void test_a_worker_whose_fork_nobody_reported_is_flametops(void **state)
{
	const uint32_t own[] = { 5000001, (uint32_t)getppid() };
	const struct ingest_config config = { .event_count = 1, .own_pids = own,
					      .own_pid_count = 2 };

	(void)state;
	feed_init_with_reader(&feed, &config);
	feed_sample(&feed, 1, own_pid(), own_pid(), 0x10);
	feed_round(&feed, 9);
	feed_wait_for_replies(&feed);
	assert_int_equal(feed_samples(&feed), 0);
	assert_int_equal(feed.ingest.counters.left_out_own, 1);
}

/* Main may have children of the program that called exec to become flametop. */
static void test_a_child_of_main_whose_fork_nobody_reported_is_a_stranger(void **state)
{
	const uint32_t own[] = { (uint32_t)getppid() };
	const struct ingest_config config = { .event_count = 1, .own_pids = own,
					      .own_pid_count = 1 };

	(void)state;
	feed_init_with_reader(&feed, &config);
	feed_sample(&feed, 1, own_pid(), own_pid(), 0x10);
	feed_round(&feed, 9);
	feed_wait_for_replies(&feed);
	assert_int_equal(feed_samples(&feed), 1);
}

/* Entry and return are paired as ever, so that no end of another task is without its entry. */
static void test_hits_of_flametops_own_are_left_out_with_their_values(void **state)
{
	const uint32_t probe = 1, pid = 100;
	struct hit_record entry = { .time_ns = 10, .pid = pid, .tid = pid, .sp = 0x7ff000,
				    .number = 5, .text = "own" };
	struct hit_record leave = { .time_ns = 20, .pid = pid, .tid = pid,
				    .sp = 0x7ff000 + RETURN_BYTES };

	(void)state;
	task_table_mark_own(&feed.ingest.tasks, pid);
	hit_fixture_add(&feed.ingest, probe, PROBE_USER, PROBE_LATENCY, "", 0);
	assert_true(hit_fixture_enter(&feed.ingest, probe, &entry));
	assert_true(hit_fixture_leave(&feed.ingest, probe, &leave));
	feed_round(&feed, 99);
	assert_int_equal(feed.ingest.counters.left_out_own, 1);
	assert_int_equal(feed_samples(&feed), 0);
	assert_int_equal(feed.ingest.hits->values.count, 0);	/* its thread was new */

	entry.time_ns = 110;
	leave.time_ns = 120;
	entry.pid = entry.tid = leave.pid = leave.tid = pid + 1;
	feed_comm(&feed, 105, pid + 1, pid + 1, "stranger", true);
	assert_true(hit_fixture_enter(&feed.ingest, probe, &entry));
	assert_true(hit_fixture_leave(&feed.ingest, probe, &leave));
	feed_round(&feed, 199);
	assert_int_equal(feed.ingest.counters.left_out_own, 1);
	assert_true(feed_samples(&feed) > 0);
}

/* A timer's interrupt that comes upon flametop wakes another thread. */
static void test_hits_in_interrupts_are_nobodys_own(void **state)
{
	const uint32_t probe = 1, pid = 100;
	struct hit_record hit = { .time_ns = 10, .pid = pid, .tid = pid };

	(void)state;
	task_table_mark_own(&feed.ingest.tasks, pid);
	hit_fixture_add(&feed.ingest, probe, PROBE_TRACEPOINT, PROBE_ENTRY, "", 0);
	hit.flags = 0x01 | 0x04;	/* interrupts are off, another thread is due */
	assert_true(hit_fixture_enter(&feed.ingest, probe, &hit));
	feed_round(&feed, 99);
	assert_int_equal(feed.ingest.counters.left_out_own, 1);
	assert_int_equal(feed_samples(&feed), 0);

	hit.time_ns = 110;
	hit.flags = 0x08;	/* TRACE_FLAG_HARDIRQ */
	assert_true(hit_fixture_enter(&feed.ingest, probe, &hit));
	hit.time_ns = 120;
	hit.flags = 0x10;	/* TRACE_FLAG_SOFTIRQ */
	assert_true(hit_fixture_enter(&feed.ingest, probe, &hit));
	feed_round(&feed, 199);
	assert_int_equal(feed.ingest.counters.left_out_own, 1);
	assert_int_equal(feed_samples(&feed), 2);
}

#define TASK_TEST(name) FEED_TEST(name, set_up)
#define TEST(name)	FEED_TEST(name, NULL)

UNIT_TESTS(test_ingest_own)
{
	const struct CMUnitTest tests[] = {
		TASK_TEST(test_what_flametop_forks_is_its_own_at_any_depth),
		TASK_TEST(test_an_exec_ends_what_is_flametops_from_its_time_on),
		TASK_TEST(test_a_pid_of_flametops_that_is_used_again_is_a_strangers),
		TEST(test_flametops_own_samples_are_left_out_and_counted_apart),
		TEST(test_flametops_own_samples_are_counted_where_they_were_asked_for),
		TEST(test_a_worker_whose_fork_nobody_reported_is_flametops),
		TEST(test_a_child_of_main_whose_fork_nobody_reported_is_a_stranger),
		TASK_TEST(test_hits_of_flametops_own_are_left_out_with_their_values),
		TASK_TEST(test_hits_in_interrupts_are_nobodys_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
