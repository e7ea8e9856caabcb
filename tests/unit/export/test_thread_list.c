/* Threads by hand: rows, circles of locks, and the exact text and JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "export/thread_rows.h"
#include "unit_tests.h"

#define MS 1000000ull

static const char *const lock_a[] = { "__GI___lll_lock_wait", "pthread_mutex_lock", "worker_a" };
static const char *const lock_b[] = { "__GI___lll_lock_wait", "pthread_mutex_lock", "worker_b" };

static struct thread_now blocked(uint32_t pid, uint32_t tid, uint64_t for_ms)
{
	return (struct thread_now){
		.pid = pid, .tid = tid, .inner_tid = tid, .comm = "app", .look = THREAD_READ,
		.state = 'S', .time_ns = 10000 * MS, .since_ns = (10000 - for_ms) * MS,
		.kernel = "futex_wait ",
	};
}

static struct thread_now waiting(uint32_t tid, uint32_t owner)
{
	struct thread_now now = blocked(100, tid, 1000);

	now.owner = owner;
	now.futex = 0x5000 + owner;
	return now;
}

static struct thread_entry at(const struct thread_now *now, const char *const *frames)
{
	return (struct thread_entry){ .now = now, .frames = frames, .frame_count = 3 };
}

static void test_threads_with_equal_stacks_are_one_row(void **state)
{
	const struct thread_now now[] = { blocked(100, 101, 10), blocked(100, 102, 40),
					  blocked(100, 103, 20), blocked(200, 201, 30) };
	const struct thread_entry entries[] = { at(&now[0], lock_b), at(&now[1], lock_a),
						at(&now[2], lock_b), at(&now[3], lock_b) };
	struct thread_rows rows;

	(void)state;
	assert_int_equal(thread_rows_build(&rows, entries, 4), 0);
	assert_int_equal(rows.row_count, 2);
	assert_int_equal(rows.process_count, 2);
	assert_int_equal(rows.rows[0].count, 3);
	assert_int_equal(rows.rows[0].longest_ns, 30 * MS);
	assert_int_equal(rows.rows[0].shortest_ns, 10 * MS);
	assert_int_equal(rows.entries[rows.rows[0].first].now->tid, 101);
	assert_int_equal(rows.entries[rows.rows[0].first + 2].now->tid, 201);
	assert_int_equal(rows.rows[1].count, 1);
	assert_int_equal(rows.circle_count, 0);
	thread_rows_finish(&rows);
}

static void test_what_differs_is_another_row(void **state)
{
	struct thread_now now[5];
	struct thread_entry entries[5];
	struct thread_rows rows;

	(void)state;
	for (uint32_t i = 0; i < 5; i++) {
		now[i] = blocked(100, 101 + i, 10);
		entries[i] = at(&now[i], lock_a);
	}
	now[0].state = 'D';
	strcpy(now[1].comm, "other");
	now[2].kernel = "pipe_read ";
	entries[3].frame_count = 2;
	assert_int_equal(thread_rows_build(&rows, entries, 5), 0);
	assert_int_equal(rows.row_count, 5);
	thread_rows_finish(&rows);
}

/* 101 -> 102 -> 103 -> 101; 104 waits for one of them, 105 for itself, 106 for a thread that does
 * not wait. */
static void test_a_circle_has_those_that_wait_for_each_other(void **state)
{
	const struct thread_now now[] = {
		waiting(101, 102), waiting(102, 103), waiting(103, 101), waiting(104, 103),
		waiting(105, 105), waiting(106, 107), blocked(100, 107, 1), blocked(200, 102, 1),
	};
	struct thread_entry entries[8];
	struct thread_rows rows;

	(void)state;
	for (uint32_t i = 0; i < 8; i++)
		entries[i] = at(&now[i], lock_a);
	assert_int_equal(thread_rows_build(&rows, entries, 8), 0);
	assert_int_equal(rows.circle_count, 2);
	assert_int_equal(rows.circles[0].count, 3);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(rows.waiting[rows.circles[0].first + i].now->tid, 101 + i);
	assert_int_equal(rows.circles[1].count, 1);
	assert_int_equal(rows.waiting[rows.circles[1].first].now->tid, 105);
	thread_rows_finish(&rows);
}

/* A thread of another process has the owner's number, and one that ran has what it waited for. */
static void test_only_a_blocked_thread_of_the_process_is_an_owner(void **state)
{
	struct thread_now now[] = { waiting(101, 102), waiting(102, 101), waiting(102, 101) };
	struct thread_entry entries[] = { at(&now[0], lock_a), at(&now[1], lock_b) };
	struct thread_rows rows;

	(void)state;
	now[1].look = THREAD_CHANGED;
	assert_int_equal(thread_rows_build(&rows, entries, 2), 0);
	assert_int_equal(rows.circle_count, 0);
	thread_rows_finish(&rows);
	now[2].pid = 300;
	entries[1].now = &now[2];
	assert_int_equal(thread_rows_build(&rows, entries, 2), 0);
	assert_int_equal(rows.circle_count, 0);
	thread_rows_finish(&rows);
}

/* In a pid namespace a mutex has the number that the thread has there. */
static void test_an_owner_is_named_by_its_own_namespace(void **state)
{
	struct thread_now now[] = { waiting(4101, 8), waiting(4102, 7) };
	const struct thread_entry entries[] = { at(&now[0], lock_a), at(&now[1], lock_b) };
	struct thread_rows rows;

	(void)state;
	now[0].inner_tid = 7;
	now[1].inner_tid = 8;
	assert_int_equal(thread_rows_build(&rows, entries, 2), 0);
	assert_int_equal(rows.circle_count, 1);
	assert_int_equal(rows.circles[0].count, 2);
	thread_rows_finish(&rows);
}

/* Two of three equal stacks are in a circle: they are a row of their own, before the larger one. */
static void test_rows_of_a_circle_come_first(void **state)
{
	const struct thread_now now[] = { blocked(100, 101, 10), waiting(102, 103),
					  waiting(103, 102), blocked(100, 104, 10),
					  blocked(100, 105, 10) };
	struct thread_entry entries[5];
	struct thread_rows rows;

	(void)state;
	for (uint32_t i = 0; i < 5; i++)
		entries[i] = at(&now[i], lock_a);
	assert_int_equal(thread_rows_build(&rows, entries, 5), 0);
	assert_int_equal(rows.row_count, 2);
	assert_int_equal(rows.rows[0].count, 2);
	assert_int_equal(rows.rows[0].circle, 1);
	assert_int_equal(rows.waiting[1].circle, 1);
	assert_int_equal(rows.entries[rows.rows[0].first].now->tid, 102);
	assert_int_equal(rows.rows[1].count, 3);
	assert_int_equal(rows.rows[1].circle, 0);
	thread_rows_finish(&rows);
}

static void test_what_is_waited_for_follows_from_kernel_functions(void **state)
{
	static const struct {
		const char *kernel, *wait;
	} known[] = {
		{ "futex_wait_queue futex_wait do_futex __x64_sys_futex do_syscall_64 ", "futex" },
		{ "hrtimer_nanosleep common_nsleep __x64_sys_clock_nanosleep ", "timer" },
		{ "pipe_read vfs_read ksys_read ", "pipe" },
		{ "do_sys_poll __x64_sys_poll do_syscall_64 ", "epoll/poll" },
		{ "wait_woken sk_wait_data tcp_recvmsg ", "socket" },
		{ "folio_wait_bit_common filemap_fault handle_mm_fault ", "page fault" },
		{ "__x64_sys_pause do_syscall_64 ", "other" },
		{ "", "" }, { NULL, "" },
	};
	struct thread_now now = blocked(100, 101, 1);

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		now.kernel = known[i].kernel;
		assert_string_equal(thread_rows_wait(&now), known[i].wait);
	}
}

static void test_the_function_that_waits_is_above_the_locks(void **state)
{
	static const char *const locks[] = { "futex_wait", "___pthread_mutex_lock" };
	static const char *const cpp[] = { "__lll_lock_wait", "__pthread_mutex_lock",
					   "std::mutex::lock()", "Pool::take(int)" };
	const struct thread_entry only = { .frames = locks, .frame_count = 2 };
	const struct thread_entry method = { .frames = cpp, .frame_count = 4 };
	const struct thread_entry unknown = { .frames = NULL };
	static const char *const unnamed[] = { "libc.so.6!fn_86100", "pthread_mutex_lock", "take" };
	const struct thread_entry stripped = { .frames = unnamed, .frame_count = 3 };
	const struct thread_entry plain = { .frames = lock_a, .frame_count = 3 };

	(void)state;
	assert_string_equal(thread_rows_waits_in(&plain), "worker_a");
	assert_string_equal(thread_rows_waits_in(&stripped), "take");
	assert_string_equal(thread_rows_waits_in(&method), "Pool::take(int)");
	assert_string_equal(thread_rows_waits_in(&only), "");
	assert_string_equal(thread_rows_waits_in(&unknown), "");
}

static char *print(void (*write)(FILE *, const struct thread_listing *),
		   const struct thread_entry *entries, uint32_t count, size_t max_rows)
{
	struct thread_rows rows;
	const struct thread_listing listing = {
		.rows = &rows, .host = "web-07", .time_ns = 86400 * 1000 * MS, .took_ns = 3 * MS,
		.max_rows = max_rows,
	};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	assert_int_equal(thread_rows_build(&rows, entries, count), 0);
	write(out, &listing);
	thread_rows_finish(&rows);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void test_text_has_deadlocks_before_the_rows(void **state)
{
	struct thread_now now[] = { waiting(101, 102), waiting(102, 101), blocked(100, 103, 0) };
	const struct thread_entry entries[] = { at(&now[0], lock_a), at(&now[1], lock_b),
						{ .now = &now[2] } };
	char *text;

	(void)state;
	now[2].look = THREAD_RUNNING;
	now[2].state = 'R';
	now[2].since_ns = 0;
	now[2].kernel = NULL;
	setenv("TZ", "UTC", 1);
	text = print(threads_write_text, entries, 3, 2);
	assert_string_equal(text,
		"# 3 threads of 1 process at 00:00:00.000, read in 3 ms; none was stopped\n\n"
		"DEADLOCK: 2 threads wait for each other\n"
		"  101 app waits in worker_a for the lock at 0x5066, which 102 has\n"
		"  102 app waits in worker_b for the lock at 0x5065, which 101 has\n\n"
		" THREADS  STATE     SINCE  WAIT        COMMAND          TIDS\n"
		"       1  S         1.0 s  futex       app              101\n"
		"           futex_wait [k]\n"
		"           __GI___lll_lock_wait\n"
		"           pthread_mutex_lock\n"
		"           worker_a\n"
		"       1  S         1.0 s  futex       app              102\n"
		"           futex_wait [k]\n"
		"           __GI___lll_lock_wait\n"
		"           pthread_mutex_lock\n"
		"           worker_b\n"
		"# 1 more rows: -E says how many are printed\n");
	free(text);
}

static void test_json_has_null_for_what_is_unknown(void **state)
{
	struct thread_now now[] = { blocked(100, 101, 5), blocked(100, 102, 0) };
	const struct thread_entry entries[] = { at(&now[0], lock_a), { .now = &now[1] } };
	char *text;

	(void)state;
	strcpy(now[1].comm, "b\x1b\"");
	now[1].look = THREAD_REFUSED;
	now[1].since_ns = 0;
	now[1].kernel = NULL;
	text = print(threads_write_json, entries, 2, SIZE_MAX);
	assert_string_equal(text,
		"{\"host\":\"web-07\",\"time_ns\":86400000000000,\"took_ns\":3000000,\"threads\":2,"
		"\"processes\":1,\"incomplete_stacks\":0,\"dropped\":0,\"deadlocks\":[],\"rows\":["
		"{\"threads\":1,\"state\":\"S\",\"comm\":\"app\",\"longest_ns\":5000000,"
		"\"shortest_ns\":5000000,\"wait\":\"futex\",\"kernel\":[\"futex_wait\"],\"user\":["
		"\"__GI___lll_lock_wait\",\"pthread_mutex_lock\",\"worker_a\"],\"reason\":null,"
		"\"pids\":[100],\"tids\":[101]},"
		"{\"threads\":1,\"state\":\"S\",\"comm\":\"b\\\\x1b\\\"\",\"longest_ns\":null,"
		"\"shortest_ns\":null,\"wait\":null,\"kernel\":null,\"user\":null,"
		"\"reason\":\"its stack may not be read: run as root, in the host's namespaces\","
		"\"pids\":[100],\"tids\":[102]}]}\n");
	free(text);
}

UNIT_TESTS(test_thread_list)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads_with_equal_stacks_are_one_row),
		cmocka_unit_test(test_what_differs_is_another_row),
		cmocka_unit_test(test_a_circle_has_those_that_wait_for_each_other),
		cmocka_unit_test(test_only_a_blocked_thread_of_the_process_is_an_owner),
		cmocka_unit_test(test_an_owner_is_named_by_its_own_namespace),
		cmocka_unit_test(test_rows_of_a_circle_come_first),
		cmocka_unit_test(test_what_is_waited_for_follows_from_kernel_functions),
		cmocka_unit_test(test_the_function_that_waits_is_above_the_locks),
		cmocka_unit_test(test_text_has_deadlocks_before_the_rows),
		cmocka_unit_test(test_json_has_null_for_what_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
