/* Counters: what a window has of the seconds that were read, gaps, multiplexing, how far back they
 * go; and that the thread opens, reads and closes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyzer/counter_history.h"
#include "base/clock.h"
#include "unit_tests.h"

#define S	   1000000000ull
#define SECONDS	   SNAPSHOT_COUNTERS_SECONDS
#define PATIENCE_S 60

enum { FAULTS, CYCLES, EVENTS };

static struct counter_series series;
static struct counter_value reading[EVENTS * 1000];

static int clean(void **state)
{
	(void)state;
	counter_series_finish(&series);
	memset(reading, 0, sizeof(reading));
	return 0;
}

static struct counter_opening opening_of(size_t rows)
{
	struct counter_opening opening = { .event_count = EVENTS, .row_count = rows,
					    .rows_are = COUNTER_PER_CPU };

	opening.events = calloc(EVENTS, sizeof(*opening.events));
	opening.rows = calloc(rows, sizeof(*opening.rows));
	assert_true(opening.events && opening.rows);
	strcpy(opening.events[FAULTS].name, "page-faults");
	opening.events[FAULTS].attr.type = PERF_TYPE_SOFTWARE;
	opening.events[FAULTS].attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	strcpy(opening.events[CYCLES].name, "cycles");
	opening.events[CYCLES].attr.type = PERF_TYPE_HARDWARE;
	opening.events[CYCLES].attr.config = PERF_COUNT_HW_CPU_CYCLES;
	for (size_t i = 0; i < rows; i++)
		opening.rows[i].number = (int)i;
	return opening;
}

static void open_series(enum counters_of of, uint32_t id, size_t rows)
{
	struct counter_opening opening = opening_of(rows);

	counter_series_open(&series, of, id, &opening);
	assert_null(opening.events);
}

/* Adds a reading, up to which each row had so many more of each, counted all the time. */
static void add(uint64_t time_ns, uint64_t faults, uint64_t cycles)
{
	const uint64_t past_ns = series.last_ns ? time_ns - series.last_ns : 0;

	for (size_t row = 0; row < series.opening.row_count; row++) {
		struct counter_value *values = reading + row * EVENTS;

		values[FAULTS].value += faults;
		values[CYCLES].value += cycles;
		for (int i = 0; i < EVENTS; i++) {
			values[i].enabled_ns += past_ns;
			values[i].running_ns += past_ns;
		}
	}
	counter_series_add(&series, time_ns, reading);
}

static struct snapshot_counters *make(uint64_t begin_ns, uint64_t end_ns)
{
	struct snapshot_counters *counters =
		counter_series_make(&series, &series, begin_ns, end_ns);

	assert_non_null(counters);
	return counters;
}

static void assert_window(uint64_t begin_ns, uint64_t end_ns, uint64_t faults, double seconds)
{
	struct snapshot_counters *counters = make(begin_ns, end_ns);

	assert_int_equal(counters->values[FAULTS].value, faults);
	assert_true(fabs(counters->counted_s - seconds) < 1e-9);
	free(counters);
}

/* seconds 100..110 with 1, 2, ... 10 faults; the first reading is of before */
static void fill_ten(void)
{
	open_series(COUNTERS_OF_ALL, 0, 1);
	add(100 * S, 1000, 0);
	for (uint64_t i = 1; i <= 10; i++)
		add((100 + i) * S, i, 10 * i);
}

static void test_a_window_has_the_seconds_whose_middle_it_has(void **state)
{
	(void)state;
	fill_ten();
	assert_window(100 * S, 110 * S, 55, 10);
	assert_window(107 * S, 110 * S, 8 + 9 + 10, 3);
	assert_window(106 * S + S / 2 - 1, 110 * S, 7 + 8 + 9 + 10, 4);
	assert_window(106 * S + S / 2 + 1, 110 * S, 8 + 9 + 10, 3);
	/* Without a middle in it: the second around it. */
	assert_window(103 * S + S / 10, 103 * S + 2 * S / 10, 4, 1);
	assert_window(50 * S, 60 * S, 0, 0);
}

static void test_seconds_are_rates(void **state)
{
	struct snapshot_counters *counters;

	(void)state;
	fill_ten();
	counters = make(100 * S, 110 * S + S / 3);
	assert_true(counters->rates[SECONDS - 1] == 10);
	assert_true(counters->rates[SECONDS - 10] == 1);
	assert_true(counters->rates[SECONDS - 11] == -1);	/* not counted yet */
	assert_true(counters->rates[CYCLES * SECONDS + SECONDS - 1] == 100);
	free(counters);
	/* A second that is not read yet does not come and go at the right edge. */
	counters = make(101 * S, 111 * S + S / 100);
	assert_true(counters->rates[SECONDS - 1] == 10);
	free(counters);
	counters = make(100 * S, 105 * S);	/* the past */
	assert_true(counters->rates[SECONDS - 1] == 5);
	free(counters);
}

/* Closed for a while: nothing is invented, and the part that was counted is known. */
static void test_a_gap_stays_a_gap(void **state)
{
	struct snapshot_counters *counters;

	(void)state;
	fill_ten();
	open_series(COUNTERS_OF_ALL, 0, 1);
	memset(reading, 0, sizeof(reading));
	add(120 * S, 0, 0);
	add(121 * S, 7, 0);
	assert_window(112 * S, 118 * S, 0, 0);
	assert_window(109 * S, 121 * S, 10 + 7, 2);
	counters = make(112 * S, 118 * S);
	assert_int_equal(counters->state, COUNTERS_NOT_THEN);
	free(counters);
	counters = make(109 * S, 121 * S);
	assert_int_equal(counters->state, COUNTERS_COUNTED);
	assert_true(counters->rates[SECONDS - 1] == 7);
	for (int ago = 2; ago <= 11; ago++)
		assert_true(counters->rates[SECONDS - ago] == -1);
	assert_true(counters->rates[SECONDS - 12] == 10);
	free(counters);
}

/* A reading that was left out makes the next stretch longer. */
static void test_a_late_reading_loses_nothing(void **state)
{
	struct snapshot_counters *counters;

	(void)state;
	open_series(COUNTERS_OF_ALL, 0, 1);
	add(100 * S, 0, 0);
	add(104 * S, 20, 0);
	assert_window(100 * S, 104 * S, 20, 4);
	counters = make(100 * S, 104 * S);
	for (int ago = 1; ago <= 4; ago++)
		assert_true(counters->rates[SECONDS - ago] == 5);
	free(counters);
}

static void test_multiplexed_seconds_are_scaled_and_what_never_ran_is_unknown(void **state)
{
	struct snapshot_counters *counters;

	(void)state;
	open_series(COUNTERS_OF_ALL, 0, 1);
	add(100 * S, 0, 0);
	reading[CYCLES] = (struct counter_value){ 300, S, S / 4 };
	reading[FAULTS].enabled_ns = reading[FAULTS].running_ns = S;
	counter_series_add(&series, 101 * S, reading);
	reading[CYCLES].enabled_ns = 2 * S;
	counter_series_add(&series, 102 * S, reading);
	counters = make(100 * S, 102 * S);
	assert_true(counters->rates[CYCLES * SECONDS + SECONDS - 2] == 1200);
	assert_true(counters->rates[CYCLES * SECONDS + SECONDS - 1] == -1);
	assert_int_equal(counters->values[CYCLES].value, 300);
	assert_int_equal(counters->values[CYCLES].enabled_ns, 2 * S);
	assert_int_equal(counters->values[CYCLES].running_ns, S / 4);
	free(counters);
}

/* A virtual machine that offers cycles and does not count them. */
static void test_what_stays_at_zero_is_absent(void **state)
{
	struct snapshot_counters *counters;

	(void)state;
	open_series(COUNTERS_OF_ALL, 0, 1);
	add(100 * S, 0, 0);
	add(101 * S, 3, 0);
	counters = make(100 * S, 101 * S);
	assert_int_equal(counters->events[CYCLES].absent.err, -ENODATA);
	assert_int_equal(counters->events[FAULTS].absent.err, 0);
	free(counters);
}

static void test_rows_are_the_parts_of_the_sum(void **state)
{
	struct snapshot_counters *counters;

	(void)state;
	open_series(COUNTERS_OF_ALL, 0, 3);
	add(100 * S, 0, 5);
	add(101 * S, 4, 5);
	reading[2 * EVENTS + FAULTS].value += 8;
	add(102 * S, 1, 5);
	counters = make(100 * S, 102 * S);
	assert_int_equal(counters->row_count, 3);
	assert_int_equal(counters->values[FAULTS].value, 3 * 5 + 8);
	assert_int_equal(counters->values[1 * EVENTS + FAULTS].value, 5);
	assert_int_equal(counters->values[3 * EVENTS + FAULTS].value, 13);
	assert_true(counters->rows_counted_s == 2);
	free(counters);
	counters = counter_series_make(&series, NULL, 100 * S, 102 * S);
	assert_int_equal(counters->row_count, 0);
	assert_int_equal(counters->values[FAULTS].value, 23);
	free(counters);
}

/* The sum of a task's threads may shrink when one ends while it is read. */
static void test_a_count_that_shrinks_is_none(void **state)
{
	(void)state;
	open_series(COUNTERS_OF_PROCESS, 7, 1);
	add(100 * S, 50, 1);
	reading[FAULTS].value -= 10;
	add(101 * S, 0, 1);
	add(102 * S, 5, 1);
	assert_window(100 * S, 102 * S, 5, 2);
}

/* Two hours at one fault a second: the last twenty minutes by the second, before them by the
 * minute, and nothing but the oldest is lost. */
static void test_history_is_bounded(void **state)
{
	const uint64_t hours_s = 2 * 3600, end_ns = (10000 + hours_s) * S;
	struct snapshot_counters *counters;

	(void)state;
	open_series(COUNTERS_OF_ALL, 0, 1);
	for (uint64_t i = 0; i <= hours_s; i++)
		add((10000 + i) * S, i > 0, 1);
	assert_in_range(series.totals.count, ACTIVITY_POINTS, 1440);
	assert_window(end_ns - 600 * S, end_ns, 600, 600);
	assert_window(end_ns - ACTIVITY_POINTS * S, end_ns, ACTIVITY_POINTS, ACTIVITY_POINTS);
	assert_window(10000 * S, end_ns, hours_s, (double)hours_s);
	counters = make(end_ns - 3600 * S, end_ns - 3540 * S);
	assert_true(counters->rates[SECONDS - 1] == 1);
	free(counters);
}

/* 1 MiB holds 21 seconds of 1000 CPUs: the sums go back further. */
static void test_large_machines_have_fewer_seconds_by_cpu(void **state)
{
	struct snapshot_counters *counters;

	(void)state;
	open_series(COUNTERS_OF_ALL, 0, 1000);
	for (uint64_t i = 0; i <= 60; i++)
		add((100 + i) * S, i > 0, 1);
	assert_true(series.rows.room * series.rows.width * sizeof(*series.rows.values) <= 1u << 20);
	counters = make(100 * S, 160 * S);
	assert_int_equal(counters->values[FAULTS].value, 60000);
	assert_true(counters->counted_s == 60);
	assert_true(counters->rows_counted_s >= 10 && counters->rows_counted_s <= 21);
	assert_int_equal(counters->values[1000 * EVENTS + FAULTS].value,
			 (uint64_t)counters->rows_counted_s);
	free(counters);
}

static void test_another_process_begins_anew(void **state)
{
	(void)state;
	open_series(COUNTERS_OF_PROCESS, 7, 1);
	add(100 * S, 0, 0);
	add(101 * S, 9, 0);
	open_series(COUNTERS_OF_PROCESS, 7, 2);	/* with another thread: the sum stays */
	assert_window(100 * S, 101 * S, 9, 1);
	open_series(COUNTERS_OF_PROCESS, 8, 1);
	assert_window(100 * S, 101 * S, 0, 0);
}

static void test_a_refusal_has_its_reason(void **state)
{
	struct counter_opening refused = { .why.err = -EACCES };
	struct snapshot_counters *counters;

	(void)state;
	strcpy(refused.why.text, "not permitted");
	counter_series_open(&series, COUNTERS_OF_ALL, 0, &refused);
	counters = make(100 * S, 110 * S);
	assert_int_equal(counters->state, COUNTERS_REFUSED);
	assert_string_equal(counters->reason, "not permitted");
	assert_int_equal(counters->event_count, 0);
	free(counters);
	counter_series_finish(&series);
	/* What was counted before stays. */
	fill_ten();
	refused = (struct counter_opening){ .why.err = -EMFILE };
	strcpy(refused.why.text, "no descriptors");
	counter_series_open(&series, COUNTERS_OF_ALL, 0, &refused);
	assert_window(100 * S, 110 * S, 55, 10);
	counters = make(120 * S, 130 * S);
	assert_int_equal(counters->state, COUNTERS_REFUSED);
	free(counters);
}

/* A cgroup has 1 fault in second 101, and 2 in second 102; the machine has 10 and 20. */
static void test_rows_of_other_counters_are_beside_the_sums(void **state)
{
	struct counter_opening opening = opening_of(1);
	struct counter_series cgroups = { .last_ns = 0 };
	struct counter_value values[EVENTS] = { { .value = 5 } };
	struct snapshot_counters *counters;

	(void)state;
	open_series(COUNTERS_OF_ALL, 0, 2);
	add(100 * S, 1000, 0);
	add(101 * S, 5, 0);
	add(102 * S, 10, 0);
	opening.rows_are = COUNTER_PER_CGROUP;
	strcpy(opening.rows[0].text, "user.slice");
	counter_series_open(&cgroups, COUNTERS_OF_ALL, 0, &opening);
	for (uint64_t second = 100; second <= 102; second++) {
		counter_series_add(&cgroups, second * S, values);
		values[FAULTS].value += second - 99;
	}
	counters = counter_series_make(&series, &cgroups, 100 * S, 102 * S);
	assert_non_null(counters);
	assert_int_equal(counters->row_count, 1);
	assert_int_equal(counters->rows_are, COUNTER_PER_CGROUP);
	assert_string_equal(counters->rows[0].text, "user.slice");
	assert_int_equal(counters->values[FAULTS].value, 30);
	assert_int_equal(counters->values[EVENTS + FAULTS].value, 3);
	free(counters);
	/* Another cgroup is another row. */
	opening = opening_of(1);
	opening.rows_are = COUNTER_PER_CGROUP;
	strcpy(opening.rows[0].text, "system.slice");
	counter_series_open(&cgroups, COUNTERS_OF_ALL, 0, &opening);
	counters = counter_series_make(&series, &cgroups, 100 * S, 102 * S);
	assert_int_equal(counters->values[EVENTS + FAULTS].value, 0);
	assert_true(counters->rows_counted_s == 0);
	free(counters);
	/* Without cgroups it is said why. */
	opening = (struct counter_opening){ .why.err = -ENOENT };
	strcpy(opening.why.text, "no cgroup but the root has tasks");
	counter_series_finish(&cgroups);
	counter_series_open(&cgroups, COUNTERS_OF_ALL, 0, &opening);
	counters = counter_series_make(&series, &cgroups, 100 * S, 102 * S);
	assert_int_equal(counters->row_count, 0);
	assert_int_equal(counters->state, COUNTERS_COUNTED);
	assert_string_equal(counters->notice, "no cgroup but the root has tasks");
	free(counters);
	counter_series_finish(&cgroups);
}

/* The thread. */

static void wait_for_reading(struct counter_history *counters)
{
	struct pollfd ready = { .fd = counter_history_fd(counters), .events = POLLIN };

	assert_true(ready.fd >= 0);
	poll(&ready, 1, 1000);
	counter_history_take(counters);
}

static void touch_pages(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = 1000 * page;
	char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(pages != MAP_FAILED);
	madvise(pages, bytes, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < 1000; i++)
		((volatile char *)pages)[i * page] = 1;
	munmap(pages, bytes);
}

static int count_perf_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	char path[300], target[64];
	int count = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		ssize_t length;

		snprintf(path, sizeof(path), "/proc/self/fd/%s", entry->d_name);
		length = readlink(path, target, sizeof(target) - 1);
		target[length > 0 ? length : 0] = '\0';
		count += !strcmp(target, "anon_inode:[perf_event]");
	}
	closedir(dir);
	return count;
}

static uint64_t find_value(const struct snapshot_counters *counters, const char *name)
{
	for (uint32_t i = 0; i < counters->event_count; i++)
		if (!strncmp(counters->events[i].name, name, strlen(name)))
			return counters->values[i].value;
	fail_msg("no %s", name);
	return 0;
}

static void test_a_process_is_counted_while_it_is_wanted(void **state)
{
	const struct counter_scope own = { .of = COUNTERS_OF_PROCESS, .id = (uint32_t)getpid() };
	struct counter_history counters = { .linger_ns = 1 };
	const uint64_t begin_ns = clock_now_ns();
	struct snapshot_counters *shown;
	uint64_t faults = 0;

	(void)state;
	assert_int_equal(counter_history_fd(&counters), -1);
	counter_history_want(&counters, (struct counter_scope){ .of = COUNTERS_NONE });
	assert_null(counters.reader);
	counter_history_want(&counters, own);
	while (!counters.task.last_ns && clock_now_ns() - begin_ns < PATIENCE_S * S)
		wait_for_reading(&counters);
	assert_true(count_perf_descriptors() > 0);
	touch_pages();
	while (faults < 1000 && clock_now_ns() - begin_ns < PATIENCE_S * S) {
		wait_for_reading(&counters);
		shown = counter_history_make(&counters, own, begin_ns, clock_now_ns() + S, true);
		if (shown->state == COUNTERS_COUNTED)
			faults = find_value(shown, "page-faults");
		free(shown);
	}
	assert_in_range(faults, 1000, 1000000);
	counter_history_want(&counters, (struct counter_scope){ .of = COUNTERS_NONE });
	while (counters.reader && clock_now_ns() - begin_ns < PATIENCE_S * S) {
		usleep(10000);
		counter_history_want(&counters, (struct counter_scope){ .of = COUNTERS_NONE });
	}
	assert_null(counters.reader);		/* nor is the thread there */
	assert_int_equal(count_perf_descriptors(), 0);
	/* What was counted is there still. */
	shown = counter_history_make(&counters, own, begin_ns, clock_now_ns() + S, false);
	assert_int_equal(shown->state, COUNTERS_COUNTED);
	free(shown);
	/* Wanted again, it is counted on. */
	counter_history_want(&counters, own);
	for (uint64_t last_ns = counters.task.last_ns;
	     counters.task.last_ns <= last_ns && clock_now_ns() - begin_ns < PATIENCE_S * S;)
		wait_for_reading(&counters);
	assert_true(count_perf_descriptors() > 0);
	counter_history_finish(&counters);
}

/* Returns how many events are called @name. */
static int count_events(const struct snapshot_counters *counters, const char *name)
{
	int count = 0;

	for (uint32_t i = 0; i < counters->event_count; i++)
		if (!strncmp(counters->events[i].name, name, strlen(name))) {
			assert_true(counters->events[i].is_asked);
			count++;
		}
	return count;
}

/* page-faults is counted in any case, emulation-faults is not. */
static void test_what_is_asked_for_is_counted_once(void **state)
{
	struct counter_scope scope = { .of = COUNTERS_OF_PROCESS, .id = (uint32_t)getpid(),
				       .events = "emulation-faults,page-faults,emulation-faults" };
	const uint64_t begin_ns = clock_now_ns();
	struct counter_history counters = { .linger_ns = 1 };
	struct snapshot_counters *shown;
	uint32_t usual;

	(void)state;
	counter_history_want(&counters, scope);
	while (!counters.task.totals.count && clock_now_ns() - begin_ns < PATIENCE_S * S)
		wait_for_reading(&counters);
	shown = counter_history_make(&counters, scope, begin_ns, clock_now_ns() + S, true);
	assert_int_equal(count_events(shown, "emulation-faults"), 1);
	assert_int_equal(count_events(shown, "page-faults"), 1);
	usual = shown->event_count - 1;
	free(shown);
	/* Without it all is opened anew. */
	scope.events = NULL;
	counter_history_want(&counters, scope);
	while (counters.task.opening.event_count != usual &&
	       clock_now_ns() - begin_ns < PATIENCE_S * S)
		wait_for_reading(&counters);
	assert_int_equal(counters.task.opening.event_count, usual);
	counter_history_finish(&counters);
}

static void test_a_process_that_has_ended_is_said(void **state)
{
	const uint64_t begin_ns = clock_now_ns();
	struct counter_history counters = { .linger_ns = 0 };
	struct snapshot_counters *shown;
	struct counter_scope scope = { .of = COUNTERS_OF_PROCESS };
	int pipes[2], status;
	pid_t child;
	char byte;

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (!child) {
		close(pipes[1]);
		_exit(read(pipes[0], &byte, 1) != 0);
	}
	close(pipes[0]);
	scope.id = (uint32_t)child;
	counter_history_want(&counters, scope);
	while (!counters.task.last_ns && clock_now_ns() - begin_ns < PATIENCE_S * S)
		wait_for_reading(&counters);
	close(pipes[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	while (!counters.task.is_ended && clock_now_ns() - begin_ns < PATIENCE_S * S)
		wait_for_reading(&counters);
	shown = counter_history_make(&counters, scope, 1, 2, false);
	assert_int_equal(shown->state, COUNTERS_ENDED);
	free(shown);
	counter_history_finish(&counters);
}

#define SERIES_TEST(test) cmocka_unit_test_setup_teardown(test, clean, clean)

UNIT_TESTS(test_counter_series)
{
	const struct CMUnitTest tests[] = {
		SERIES_TEST(test_a_window_has_the_seconds_whose_middle_it_has),
		SERIES_TEST(test_seconds_are_rates),
		SERIES_TEST(test_a_gap_stays_a_gap),
		SERIES_TEST(test_a_late_reading_loses_nothing),
		SERIES_TEST(test_multiplexed_seconds_are_scaled_and_what_never_ran_is_unknown),
		SERIES_TEST(test_what_stays_at_zero_is_absent),
		SERIES_TEST(test_rows_are_the_parts_of_the_sum),
		SERIES_TEST(test_a_count_that_shrinks_is_none),
		SERIES_TEST(test_history_is_bounded),
		SERIES_TEST(test_large_machines_have_fewer_seconds_by_cpu),
		SERIES_TEST(test_another_process_begins_anew),
		SERIES_TEST(test_a_refusal_has_its_reason),
		SERIES_TEST(test_rows_of_other_counters_are_beside_the_sums),
		cmocka_unit_test(test_a_process_is_counted_while_it_is_wanted),
		cmocka_unit_test(test_what_is_asked_for_is_counted_once),
		cmocka_unit_test(test_a_process_that_has_ended_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
