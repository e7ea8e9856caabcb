/* Numbers of tasks from replies made by hand, and what the reader is asked. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyzer/task_stats.h"
#include "unit_tests.h"

#define S 1000000000ull
#define NOBODY 0x7f000000u	/* no kernel gives such a pid */

static struct process_reader *reader;
static struct task_stats stats;

static int set_up(void **state)
{
	struct diag why;

	(void)state;
	assert_int_equal(process_reader_create(&reader, &why), 0);
	task_stats_init(&stats, reader);
	stats.ticks_per_s = 100;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	task_stats_finish(&stats);
	process_reader_destroy(reader);
	return 0;
}

/* Asks as for a snapshot with one row; @tid -1: of a process. */
static void ask(unsigned int keys, int64_t pid, int64_t tid, uint64_t now_ns)
{
	const struct snapshot_row row = { .pid = pid, .tid = tid };
	const struct snapshot snapshot = { .keys = keys, .row_count = 1, .rows = &row };

	task_stats_ask(&stats, &snapshot, now_ns);
}

static struct process_stat_reply reading(uint64_t time_ns, uint64_t start_ticks, uint64_t cpu_ticks)
{
	return (struct process_stat_reply){
		.pid = NOBODY, .time_ns = time_ns,
		.stat = { .state = 'R', .comm = "app", .threads = 2, .start_ticks = start_ticks,
			  .cpu_ticks = cpu_ticks },
	};
}

static void apply(struct process_stat_reply reply)
{
	task_stats_apply(&stats, &reply);
}

static const struct task_stat *nobody(void)
{
	return task_stats_find(&stats, NOBODY, 0);
}

static void test_cpu_is_the_ticks_between_the_newest_readings(void **state)
{
	(void)state;
	ask(KEY_PID, NOBODY, -1, S);
	assert_int_equal(nobody()->state, 0);
	assert_true(nobody()->cpu_pct < 0);
	apply(reading(1 * S, 5, 1000));
	assert_int_equal(nobody()->state, 'R');
	assert_int_equal(nobody()->threads, 2);
	assert_true(nobody()->cpu_pct < 0);	/* one reading says nothing */
	apply(reading(3 * S, 5, 1100));
	assert_true(nobody()->cpu_pct == 50);	/* 1 s of 2 s */
	apply(reading(4 * S, 5, 1300));
	assert_true(nobody()->cpu_pct == 200);	/* two CPUs' */
	apply(reading(5 * S, 5, 1299));
	assert_true(nobody()->cpu_pct == 0);
	apply(reading(5 * S, 5, 1299));		/* no time has passed */
	assert_true(nobody()->cpu_pct < 0);
}

/* 103 ticks in a second, of one thread. */
static void test_a_thread_has_no_more_than_one_cpu(void **state)
{
	struct process_stat_reply reply = reading(1 * S, 5, 0);

	(void)state;
	ask(KEY_PID | KEY_TID, NOBODY, NOBODY + 1, S);
	reply.tid = NOBODY + 1;
	apply(reply);
	reply.time_ns = 2 * S;
	reply.stat.cpu_ticks = 103;
	apply(reply);
	assert_true(task_stats_find(&stats, NOBODY, NOBODY + 1)->cpu_pct == 100);
}

static void test_a_pid_that_is_used_again_is_another_task(void **state)
{
	struct process_stat_reply old = reading(1 * S, 5, 1000);

	(void)state;
	ask(KEY_PID, NOBODY, -1, S);
	old.command_line = strdup("old one");
	apply(old);
	assert_string_equal(nobody()->command_line, "old one");
	apply(reading(2 * S, 600, 1010));
	assert_true(nobody()->cpu_pct < 0);
	assert_null(nobody()->command_line);
	apply(reading(3 * S, 600, 1020));
	assert_true(nobody()->cpu_pct == 10);
}

static void test_what_has_ended_keeps_its_name_and_has_no_cpu(void **state)
{
	struct process_stat_reply reply = reading(1 * S, 5, 1000);

	(void)state;
	ask(KEY_PID, NOBODY, -1, S);
	reply.command_line = strdup("./app -x");
	apply(reply);
	apply(reading(2 * S, 5, 1100));
	apply((struct process_stat_reply){ .pid = NOBODY, .time_ns = 3 * S, .err = -ESRCH });
	assert_int_equal(nobody()->state, 'X');
	assert_int_equal(nobody()->threads, 0);
	assert_true(nobody()->cpu_pct < 0);
	assert_string_equal(nobody()->command_line, "./app -x");
	apply(reading(4 * S, 5, 1200));	/* the one before the end does not count */
	assert_true(nobody()->cpu_pct < 0);
	assert_null(nobody()->command_line);
}

static void test_what_can_not_be_read_has_not_ended(void **state)
{
	(void)state;
	ask(KEY_PID, NOBODY, -1, S);
	apply(reading(1 * S, 5, 1000));
	apply((struct process_stat_reply){ .pid = NOBODY, .time_ns = 2 * S, .err = -EMFILE });
	assert_int_equal(nobody()->state, 'R');
	assert_true(nobody()->cpu_pct < 0);
}

static struct process_stat_reply next_reply(void)
{
	struct process_stat_reply reply;

	while (!process_reader_stat_reply(reader, &reply))
		usleep(1000);
	return reply;
}

/* The reader's own replies, in the order in which it was asked. */
static void test_the_hottest_rows_are_asked_for_process_first(void **state)
{
	const struct snapshot_row rows[] = { { .pid = NOBODY + 2, .tid = NOBODY + 3 },
					     { .pid = 0, .tid = 0 }, { .pid = -1, .tid = -1 },
					     { .pid = NOBODY, .tid = -1 },
					     { .pid = NOBODY, .tid = NOBODY } };
	const struct snapshot snapshot = { .keys = KEY_PID | KEY_TID, .row_count = 5,
					   .rows = rows };
	const uint32_t expected[][2] = { { NOBODY + 2, 0 }, { NOBODY + 2, NOBODY + 3 },
					 { NOBODY, 0 }, { NOBODY, NOBODY } };

	(void)state;
	task_stats_ask(&stats, &snapshot, S);
	for (int i = 0; i < 4; i++) {
		const struct process_stat_reply reply = next_reply();

		assert_int_equal(reply.pid, expected[i][0]);
		assert_int_equal(reply.tid, expected[i][1]);
		apply(reply);
	}
	assert_int_equal(stats.count, 4);
}

static void test_nothing_is_asked_of_other_rows_or_in_a_replay(void **state)
{
	(void)state;
	ask(KEY_DSO | KEY_SYMBOL | KEY_COMM, NOBODY, NOBODY, S);
	assert_int_equal(stats.count, 0);
	stats.reader = NULL;
	ask(KEY_PID, NOBODY, -1, 2 * S);
	task_stats_take(&stats);
	assert_int_equal(stats.count, 0);
}

static void test_half_a_second_lies_between_two_readings(void **state)
{
	(void)state;
	ask(KEY_PID, NOBODY, -1, S);
	ask(KEY_PID, NOBODY + 1, -1, S + S / 2 - 1);
	assert_null(task_stats_find(&stats, NOBODY + 1, 0));
	ask(KEY_PID, NOBODY + 1, -1, S + S / 2);
	assert_non_null(task_stats_find(&stats, NOBODY + 1, 0));
}

static void test_a_task_is_asked_for_once_at_a_time(void **state)
{
	(void)state;
	for (uint64_t second = 1; second < 10; second++)
		ask(KEY_PID, NOBODY, -1, second * S);
	apply(next_reply());
	ask(KEY_PID, NOBODY + 1, -1, 11 * S);
	assert_int_equal(next_reply().pid, NOBODY + 1);	/* nothing else was under way */
}

/* Our own: the text comes with the first reply and not with the next, until ten seconds have
 * passed or the name has changed. */
static void test_the_command_line_is_read_now_and_then(void **state)
{
	const int64_t own = getpid();
	struct process_stat_reply reply;

	(void)state;
	ask(KEY_PID, own, -1, S);
	reply = next_reply();
	assert_non_null(reply.command_line);
	reply.time_ns = S;
	apply(reply);
	ask(KEY_PID, own, -1, 2 * S);
	reply = next_reply();
	assert_null(reply.command_line);
	reply.time_ns = 2 * S;
	apply(reply);
	assert_non_null(strstr(task_stats_find(&stats, (uint32_t)own, 0)->command_line,
			       "test_task_stats"));
	ask(KEY_PID, own, -1, 12 * S);
	reply = next_reply();
	assert_non_null(reply.command_line);
	reply.time_ns = 12 * S;
	apply(reply);
	ask(KEY_PID, own, -1, 13 * S);
	reply = next_reply();
	reply.time_ns = 13 * S;
	memcpy(reply.stat.comm, "other", 6);	/* exec */
	apply(reply);
	ask(KEY_PID, own, -1, 14 * S);
	reply = next_reply();
	assert_non_null(reply.command_line);
	apply(reply);
}

static void test_what_is_not_asked_for_is_forgotten_after_a_minute(void **state)
{
	(void)state;
	ask(KEY_PID, NOBODY, -1, S);
	ask(KEY_PID, NOBODY + 1, -1, 20 * S);
	ask(KEY_DSO, 1, -1, 61 * S);
	assert_non_null(nobody());
	ask(KEY_DSO, 1, -1, 61 * S + 1);
	assert_null(nobody());
	assert_non_null(task_stats_find(&stats, NOBODY + 1, 0));
	apply(reading(70 * S, 1, 1));	/* a reply that comes too late */
	assert_null(nobody());
}

/* Ten times 600 different processes: those of the newest refresh stay. */
static void test_a_storm_of_processes_has_a_limit(void **state)
{
	static struct snapshot_row rows[600];
	struct snapshot snapshot = { .keys = KEY_PID, .row_count = 600, .rows = rows };

	(void)state;
	for (uint32_t round = 0; round < 10; round++) {
		for (uint32_t i = 0; i < 600; i++)
			rows[i] = (struct snapshot_row){ .pid = NOBODY + round * 600 + i,
							 .tid = -1 };
		task_stats_ask(&stats, &snapshot, (round + 1) * S);
		assert_true(stats.count <= 2048);
		assert_non_null(task_stats_find(&stats, NOBODY + round * 600, 0));
		assert_non_null(task_stats_find(&stats, NOBODY + round * 600 + 499, 0));
		assert_null(task_stats_find(&stats, NOBODY + round * 600 + 500, 0));
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_task_stats)
{
	const struct CMUnitTest tests[] = {
		TEST(test_cpu_is_the_ticks_between_the_newest_readings),
		TEST(test_a_thread_has_no_more_than_one_cpu),
		TEST(test_a_pid_that_is_used_again_is_another_task),
		TEST(test_what_has_ended_keeps_its_name_and_has_no_cpu),
		TEST(test_what_can_not_be_read_has_not_ended),
		TEST(test_the_hottest_rows_are_asked_for_process_first),
		TEST(test_nothing_is_asked_of_other_rows_or_in_a_replay),
		TEST(test_half_a_second_lies_between_two_readings),
		TEST(test_a_task_is_asked_for_once_at_a_time),
		TEST(test_the_command_line_is_read_now_and_then),
		TEST(test_what_is_not_asked_for_is_forgotten_after_a_minute),
		TEST(test_a_storm_of_processes_has_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
