/* A perf.data file written in steps, as the reader of recordings counts it. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "perf_data_result.h"
#include "record/recording.h"
#include "record_bytes.h"
#include "unit_tests.h"

#define SAMPLE_TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
		     PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

static const struct recording_machine machine = {
	.host = "host", .release = "6.1", .version = "1", .arch = "x86_64", .cpu = "a CPU",
	.cpus_available = 2, .cpus_online = 2,
};

static struct recording_file *begin(void)
{
	struct recording_file *file;
	struct diag why;
	int fd;

	unlink(perf_data_path);
	fd = recording_file_create(perf_data_path, &why);
	assert_true(fd >= 0);
	assert_int_equal(recording_file_begin(&file, fd, &machine, &why), 0);
	return file;
}

static void add_event(struct recording_file *file, uint64_t id, const char *name)
{
	const struct recording_item item = {
		.kind = RECORDING_EVENT,
		.event = { .attr = { .size = sizeof(item.event.attr), .type = PERF_TYPE_SOFTWARE,
				     .config = PERF_COUNT_SW_CPU_CLOCK, .freq = 1,
				     .sample_freq = 997, .sample_type = SAMPLE_TYPE,
				     .sample_id_all = 1 },
			   .id = id, .name = name, .format = "", .group = "", .probe = "" },
	};

	assert_int_equal(recording_file_add(file, &item, NULL), 0);
}

static int add_sample(struct recording_file *file, uint64_t id, uint64_t time_ns, uint64_t period,
		      struct diag *why)
{
	const uint64_t words[] = { id, 0x1000, PAIR(7, 7), time_ns, PAIR(0, 0), period };
	struct record_bytes record;

	record_begin(&record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	record_add(&record, words, COUNT_OF(words));
	record_close(&record);
	return recording_file_add(file, &(struct recording_item){
		.kind = RECORDING_RECORD, .record = (const void *)record.words,
		.time_ns = time_ns, .is_sample = true,
	}, why);
}

static void expect(uint64_t first, uint64_t first_period, uint64_t second)
{
	const struct perf_data_result result = perf_data_result_of(perf_data_path);

	assert_int_equal(result.open_err, 0);
	assert_int_equal(result.why.err, 0);
	assert_int_equal(result.samples[0], first);
	assert_int_equal(result.period[0], first_period);
	assert_int_equal(result.samples[1], second);
}

static void test_each_sync_leaves_a_file_that_can_be_read(void **state)
{
	struct recording_file *file = begin();
	struct diag why = { 0 };

	(void)state;
	add_event(file, 1, "cpu-clock");
	for (uint64_t i = 0; i < 10; i++)
		assert_int_equal(add_sample(file, 1, 100 + i, 3, &why), 0);
	assert_int_equal(recording_file_sync(file, &why), 0);
	expect(10, 30, 0);
	add_event(file, 2, "later");
	for (uint64_t i = 0; i < 5; i++)
		assert_int_equal(add_sample(file, 1 + i % 2, 200 + i, 1, &why), 0);
	expect(10, 30, 0);
	assert_int_equal(recording_file_samples(file), 10);
	assert_int_equal(recording_file_sync(file, &why), 0);
	assert_int_equal(recording_file_samples(file), 15);
	expect(13, 33, 2);
	assert_int_equal(recording_file_close(file, &why), 0);
	expect(13, 33, 2);
}

/* Readers of a long recording put it in order in steps. */
static void test_each_sync_ends_a_round(void **state)
{
	struct recording_file *file = begin();
	struct diag why = { 0 };
	uint64_t bytes;

	(void)state;
	add_event(file, 1, "cpu-clock");
	assert_int_equal(recording_file_sync(file, &why), 0);
	for (uint64_t i = 1; i < 4; i++) {
		assert_int_equal(add_sample(file, 1, 100 * i, 3, &why), 0);
		assert_int_equal(recording_file_sync(file, &why), 0);
	}
	/* The first sync had no records, and the reader ends with a round of its own. */
	assert_int_equal(perf_data_result_of(perf_data_path).round_count, 1 + 3 + 1);
	bytes = recording_file_bytes(file);
	assert_int_equal(recording_file_sync(file, &why), 0);
	assert_int_equal(recording_file_bytes(file), bytes);
	assert_int_equal(perf_data_result_of(perf_data_path).limits[3], 200);
	assert_int_equal(recording_file_close(file, &why), 0);
	unlink(perf_data_path);
}

/* perf and -i take records of no bytes for a recorder that was killed. */
static void test_a_recording_of_nothing_can_be_read(void **state)
{
	struct recording_file *file = begin();
	struct diag why = { 0 };

	(void)state;
	add_event(file, 1, "cpu-clock");
	assert_int_equal(recording_file_sync(file, &why), 0);
	assert_int_equal(recording_file_close(file, &why), 0);
	expect(0, 0, 0);
	unlink(perf_data_path);
}

static void test_events_and_machine_have_their_names(void **state)
{
	struct recording_file *file = begin();
	struct perf_data *reader;
	struct diag why = { 0 };

	(void)state;
	add_event(file, 1, "cpu-clock");
	add_event(file, 2, "my event");
	add_event(file, 2, "my event");		/* said again: it is the same */
	assert_int_equal(add_sample(file, 1, 100, 3, &why), 0);
	assert_int_equal(recording_file_close(file, &why), 0);
	assert_int_equal(perf_data_open(&reader, perf_data_path, &why), 0);
	assert_int_equal(perf_data_event_count(reader), 2);
	assert_string_equal(perf_data_event(reader, 1)->name, "my event");
	assert_int_equal(perf_data_event(reader, 0)->freq_hz, 997);
	assert_string_equal(perf_data_host(reader), "host");
	assert_string_equal(perf_data_kernel_release(reader), "6.1");
	assert_int_equal(perf_data_cpu_count(reader), 2);
	perf_data_close(reader);
}

static void test_build_ids_are_those_of_their_paths(void **state)
{
	const struct recording_item item = {
		.kind = RECORDING_BUILD_ID,
		.build_id = { .path = "/bin/app", .build_id = { { 1, 2, 3 }, 20 } },
	};
	struct recording_file *file = begin();
	const struct perf_data_build_id *ids;
	struct perf_data *reader;
	struct diag why = { 0 };
	size_t count;

	(void)state;
	add_event(file, 1, "cpu-clock");
	assert_int_equal(recording_file_add(file, &item, &why), 0);
	assert_int_equal(add_sample(file, 1, 100, 3, &why), 0);
	assert_int_equal(recording_file_close(file, &why), 0);
	assert_int_equal(perf_data_open(&reader, perf_data_path, &why), 0);
	ids = perf_data_build_ids(reader, &count);
	assert_int_equal(count, 1);
	assert_string_equal(ids[0].path, "/bin/app");
	assert_true(build_id_is_equal(&ids[0].build_id, &item.build_id.build_id));
	assert_false(ids[0].is_kernel);
	perf_data_close(reader);
}

static void limit_file(rlim_t bytes)
{
	struct rlimit limit;

	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void test_a_failed_write_leaves_what_the_last_sync_wrote(void **state)
{
	struct recording_file *file = begin();
	struct diag why = { 0 };
	struct stat found;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	add_event(file, 1, "cpu-clock");
	for (uint64_t i = 0; i < 10; i++)
		assert_int_equal(add_sample(file, 1, 100 + i, 3, &why), 0);
	assert_int_equal(recording_file_sync(file, &why), 0);
	assert_int_equal(stat(perf_data_path, &found), 0);
	limit_file((rlim_t)found.st_size);
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(add_sample(file, 1, 200 + i, 3, &why), 0);
	assert_int_equal(recording_file_sync(file, &why), -EFBIG);
	assert_non_null(strstr(why.text, "limit of a file's size"));
	assert_int_equal(add_sample(file, 1, 3000, 3, &why), -EFBIG);
	assert_int_equal(recording_file_samples(file), 10);
	assert_int_equal(recording_file_close(file, &why), -EFBIG);
	limit_file(RLIM_INFINITY);
	expect(10, 30, 0);
}

static void test_too_many_events_end_it_with_what_came_before(void **state)
{
	const struct recording_item another = {
		.kind = RECORDING_EVENT,
		.event = { .id = RECORDING_EVENTS_MAX + 1, .name = "", .format = "", .group = "",
			   .probe = "" },
	};
	struct recording_file *file = begin();
	struct diag why = { 0 };

	(void)state;
	for (uint64_t id = 1; id <= RECORDING_EVENTS_MAX; id++)
		add_event(file, id, "cpu-clock");
	for (uint64_t i = 0; i < 10; i++)
		assert_int_equal(add_sample(file, 1, 100 + i, 3, &why), 0);
	assert_int_equal(recording_file_add(file, &another, &why), -E2BIG);
	assert_non_null(strstr(why.text, "another event"));
	why.text[0] = '\0';
	assert_int_equal(recording_file_close(file, &why), -E2BIG);
	assert_non_null(strstr(why.text, "another event"));
	expect(10, 30, 0);
}

static void test_a_file_that_exists_is_left_alone(void **state)
{
	struct diag why = { 0 };

	(void)state;
	recording_file_close(begin(), &why);
	assert_int_equal(recording_file_create(perf_data_path, &why), -EEXIST);
	unlink(perf_data_path);
	assert_int_equal(mkfifo(perf_data_path, 0600), 0);
	assert_int_equal(recording_file_create(perf_data_path, &why), -EEXIST);
	assert_non_null(strstr(why.text, "a FIFO"));
	unlink(perf_data_path);
	assert_int_equal(symlink("/nothing", perf_data_path), 0);
	assert_int_equal(recording_file_create(perf_data_path, &why), -EEXIST);
	assert_non_null(strstr(why.text, "a symbolic link"));
}

UNIT_TESTS(test_recording_file)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_sync_leaves_a_file_that_can_be_read),
		cmocka_unit_test(test_each_sync_ends_a_round),
		cmocka_unit_test(test_a_recording_of_nothing_can_be_read),
		cmocka_unit_test(test_events_and_machine_have_their_names),
		cmocka_unit_test(test_build_ids_are_those_of_their_paths),
		cmocka_unit_test(test_a_failed_write_leaves_what_the_last_sync_wrote),
		cmocka_unit_test(test_too_many_events_end_it_with_what_came_before),
		cmocka_unit_test(test_a_file_that_exists_is_left_alone),
	};

	return cmocka_run_group_tests(tests, perf_data_scratch_make, perf_data_scratch_remove);
}
