/* Times of --begin and --end: what they mean, and which samples of a recording they leave. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <cmocka.h>

#include "capture/perf_data_time.h"
#include "perf_data_result.h"
#include "unit_tests.h"

#define S  UINT64_C(1000000000)
#define MS UINT64_C(1000000)

static void expect_parsed(const char *text, enum perf_data_time_kind kind, uint64_t ns)
{
	struct perf_data_time time;
	struct diag why;

	if (perf_data_time_parse(&time, text, &why))
		fail_msg("%s: %s", text, why.text);
	assert_int_equal(time.kind, kind);
	assert_int_equal(time.ns, ns);
}

static void test_each_way_to_write_a_time_is_understood(void **state)
{
	(void)state;
	expect_parsed("03:12", PERF_DATA_TIME_OF_DAY, (3 * 3600 + 12 * 60) * S);
	expect_parsed("3:12:05", PERF_DATA_TIME_OF_DAY, (3 * 3600 + 12 * 60 + 5) * S);
	expect_parsed("23:59:59.250", PERF_DATA_TIME_OF_DAY, 86399 * S + 250 * MS);
	expect_parsed("-2h", PERF_DATA_TIME_BEFORE_END, 7200 * S);
	expect_parsed("-90", PERF_DATA_TIME_BEFORE_END, 90 * S);
	expect_parsed("+1h30m", PERF_DATA_TIME_AFTER_BEGIN, 5400 * S);
	expect_parsed("+250ms", PERF_DATA_TIME_AFTER_BEGIN, 250 * MS);
	expect_parsed("81234.000000001", PERF_DATA_TIME_CLOCK, 81234 * S + 1);
	expect_parsed("5", PERF_DATA_TIME_CLOCK, 5 * S);
	/* 1,795,921,920: date -u -d '2026-11-29 03:12' +%s */
	expect_parsed("2026-11-29 03:12", PERF_DATA_TIME_WALL, 1795921920 * S);
	expect_parsed("2026-11-29T03:12:00.5", PERF_DATA_TIME_WALL, 1795921920 * S + 500 * MS);
	expect_parsed("2026-11-29", PERF_DATA_TIME_WALL, (1795921920 - 3 * 3600 - 12 * 60) * S);
}

static void test_what_is_no_time_is_refused_with_the_ways_to_write_one(void **state)
{
	static const char *const texts[] = {
		"", "24:00", "03:60", "03:12:61", "03:12x", "03:12:05.", "-", "+", "-2y",
		"-1h30x", "2026-13-01", "2026-11-29 3", "2026-11-29x", "1.x",
		"99999999999999999999",
		"-99999999999h", "noon",
	};
	struct perf_data_time time;
	struct diag why;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		why = (struct diag){ 0 };
		if (perf_data_time_parse(&time, texts[i], &why) != -EINVAL)
			fail_msg("'%s' is taken for a time", texts[i]);
		assert_non_null(strstr(why.text, "03:12"));
	}
}

static uint64_t resolve(const char *text, uint64_t first_ns, uint64_t last_ns,
			uint64_t wall_offset_ns)
{
	const struct perf_data_span span = { first_ns, last_ns, wall_offset_ns };
	struct perf_data_time time;
	struct diag why;

	assert_int_equal(perf_data_time_parse(&time, text, &why), 0);
	return perf_data_time_resolve(&time, &span);
}

/* The recording began at 23:50 and ended at 00:20, on 1000 s of its clock to 2800 s. */
static void test_a_time_of_the_day_is_of_the_day_that_the_recording_has(void **state)
{
	const uint64_t midnight_s = 1795910400;		/* 2026-11-29, UTC */
	const uint64_t begin_s = midnight_s - 600;
	const uint64_t offset_ns = (begin_s - 1000) * S;

	(void)state;
	assert_int_equal(resolve("23:55", 1000 * S, 2800 * S, offset_ns), 1300 * S);
	assert_int_equal(resolve("00:10", 1000 * S, 2800 * S, offset_ns), 2200 * S);
	/* Before the recording, as the next 23:40 is not in it either. */
	assert_int_equal(resolve("23:40", 1000 * S, 2800 * S, offset_ns), 400 * S);
	assert_int_equal(resolve("2026-11-29 00:10", 1000 * S, 2800 * S, offset_ns), 2200 * S);
	assert_int_equal(resolve("-5m", 1000 * S, 2800 * S, offset_ns), 2500 * S);
	assert_int_equal(resolve("-3h", 1000 * S, 2800 * S, offset_ns), 0);
	assert_int_equal(resolve("+30s", 1000 * S, 2800 * S, offset_ns), 1030 * S);
	assert_int_equal(resolve("1234.5", 1000 * S, 2800 * S, offset_ns), 1234500 * MS);
}

/* Samples at 10, 11, ... 19 s, and a mapping at 10 s. */
static void write_ten(struct perf_data_writer *writer)
{
	perf_data_begin_clock(writer);
	perf_data_writer_comm(writer, 10, 10, 10 * S, "program", false);
	for (uint64_t i = 0; i < 10; i++)
		perf_data_add_sample(writer, 0, (10 + i) * S, 1);
}

static struct perf_data_result read_range(const struct perf_data_writer *writer,
					  const char *begin, const char *end)
{
	struct perf_data *reader = perf_data_open_written(writer);
	struct perf_data_time from = { 0 }, to = { 0 };
	struct perf_data_result result = { 0 };
	struct diag why;

	assert_true(!begin || !perf_data_time_parse(&from, begin, &why));
	assert_true(!end || !perf_data_time_parse(&to, end, &why));
	assert_int_equal(perf_data_set_range(reader, &from, &to, &why), 0);
	perf_data_drain(reader, &result);
	return result;
}

static void expect_range(const struct perf_data_writer *writer, const char *begin,
			 const char *end, uint64_t samples)
{
	const struct perf_data_result result = read_range(writer, begin, end);

	assert_int_equal(result.why.err, 0);
	assert_int_equal(result.samples[0], samples);
	assert_int_equal(result.sideband, 1);
	assert_int_equal(result.read.left_out, 10 - samples);
	assert_true(result.read.bytes && result.read.bytes == result.read.total_bytes);
}

static void test_samples_outside_are_counted_and_tasks_of_before_are_read(void **state)
{
	struct perf_data_writer writer;

	(void)state;
	write_ten(&writer);
	expect_range(&writer, NULL, NULL, 10);
	expect_range(&writer, "12", NULL, 8);
	expect_range(&writer, "12", "15.5", 4);
	expect_range(&writer, NULL, "10", 1);	/* both ends are inside, as in perf */
	expect_range(&writer, "30", NULL, 0);
	perf_data_writer_finish(&writer);
}

/* The header has no times of samples, as that of a recording whose perf was killed. */
static void test_begin_and_end_are_found_where_the_header_lacks_them(void **state)
{
	struct perf_data_writer writer;

	(void)state;
	write_ten(&writer);
	expect_range(&writer, "+2s", NULL, 8);
	expect_range(&writer, "-3s", "-1s", 3);
	perf_data_writer_finish(&writer);
}

static void test_the_header_says_when_the_recording_began_and_ended(void **state)
{
	struct perf_data_writer writer;

	(void)state;
	write_ten(&writer);
	writer.first_ns = 8 * S;	/* other than the samples, to see that it is used */
	writer.last_ns = 21 * S;
	expect_range(&writer, "+4s", NULL, 8);
	expect_range(&writer, "-5s", NULL, 4);
	writer.wall_ns = 1795921920 * S;	/* 2026-11-29 03:12 */
	writer.wall_clock_ns = 12 * S;
	expect_range(&writer, "03:12:02", NULL, 6);
	expect_range(&writer, "2026-11-29 03:12:02", "03:12:04", 3);
	perf_data_writer_finish(&writer);
}

/* perf writes its last records, and so changes the file, when it ends. */
static void test_without_clock_data_the_file_was_changed_when_the_last_sample_came(void **state)
{
	const struct timespec times[2] = { { .tv_sec = 1795921920 }, { .tv_sec = 1795921920 } };
	struct perf_data_time begin = { 0 }, none = { 0 };
	struct perf_data_result result = { 0 };
	struct perf_data_writer writer;
	struct perf_data *reader;
	struct diag why;

	(void)state;
	write_ten(&writer);
	perf_data_writer_save(&writer, perf_data_path);
	assert_int_equal(utimensat(AT_FDCWD, perf_data_path, times, 0), 0);
	assert_int_equal(perf_data_open(&reader, perf_data_path, &why), 0);
	assert_int_equal(perf_data_time_parse(&begin, "03:11:57", &why), 0);
	assert_int_equal(perf_data_set_range(reader, &begin, &none, &why), 0);
	perf_data_drain(reader, &result);
	assert_int_equal(result.samples[0], 4);
	perf_data_writer_finish(&writer);
}

static void test_an_end_before_the_begin_is_an_error(void **state)
{
	struct perf_data_writer writer;
	struct perf_data_result result;

	(void)state;
	write_ten(&writer);
	result = read_range(&writer, "15", "12");
	assert_int_equal(result.why.err, -EINVAL);
	assert_non_null(strstr(result.why.text, "--end is before --begin"));
	perf_data_writer_finish(&writer);
}

static int begin(void **state)
{
	setenv("TZ", "UTC", 1);
	tzset();
	return perf_data_scratch_make(state);
}

UNIT_TESTS(test_perf_data_time)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_way_to_write_a_time_is_understood),
		cmocka_unit_test(
			test_what_is_no_time_is_refused_with_the_ways_to_write_one),
		cmocka_unit_test(test_a_time_of_the_day_is_of_the_day_that_the_recording_has),
		cmocka_unit_test(test_samples_outside_are_counted_and_tasks_of_before_are_read),
		cmocka_unit_test(test_begin_and_end_are_found_where_the_header_lacks_them),
		cmocka_unit_test(test_the_header_says_when_the_recording_began_and_ended),
		cmocka_unit_test(
			test_without_clock_data_the_file_was_changed_when_the_last_sample_came),
		cmocka_unit_test(test_an_end_before_the_begin_is_an_error),
	};

	return cmocka_run_group_tests(tests, begin, perf_data_scratch_remove);
}
