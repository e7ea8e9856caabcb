/* What --keep-last holds and saves: which seconds, in how much memory, in how many files. */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "ingest_fixture.h"
#include "perf_data_result.h"
#include "record/flight_recorder.h"
#include "unit_tests.h"

#define S      UINT64_C(1000000000)
#define PID    100
#define FILES  3
#define MEMORY ((size_t)64 << 20)

static struct ingest_fixture feed;
static struct flight_recorder *flight;
static char directory[64];
static struct {
	uint32_t count, failed, removed;
	char path[FLIGHT_PATH_BYTES];	/* the last one's */
} saved;

static void note_saved(void *owner, const struct flight_saved *file)
{
	(void)owner;
	saved.count++;
	saved.failed += file->why.err != 0;
	saved.removed += file->removed;
	snprintf(saved.path, sizeof(saved.path), "%s", file->path);
}

static void begin(uint64_t length_ns, size_t memory_bytes)
{
	static char *const arguments[] = { (char *)"flametop", NULL };
	struct flight_config config = {
		.length_ns = length_ns, .memory_bytes = memory_bytes, .directory = directory,
		.files_max = FILES, .saved = note_saved,
	};
	struct diag why;

	recording_machine_read(&config.machine, arguments);
	assert_int_equal(flight_recorder_create(&flight, &config, &why), 0);
	ingest_set_keeper(&feed.ingest, flight_recorder_tee(flight));
}

static void end(void)
{
	ingest_set_keeper(&feed.ingest, NULL);
	flight_recorder_destroy(flight);
	flight = NULL;
}

static int set_up(void **state)
{
	const struct ingest_config replay = { .is_replay = true };

	(void)state;
	memset(&saved, 0, sizeof(saved));
	snprintf(directory, sizeof(directory), "/tmp/flametop-test-XXXXXX");
	assert_non_null(mkdtemp(directory));
	feed_init(&feed, &replay, NULL);
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	feed_finish(&feed);
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command);
}

/* A program is there since 1 s; it has a sample every 0.1 s. */
static void run_program(uint64_t from_s, uint64_t to_s)
{
	if (from_s == 1) {
		feed_comm(&feed, S, PID, PID, "program", true);
		feed_mmap(&feed, S, PID, 0x400000, 0x1000, 0, "/bin/program");
	}
	for (uint64_t second = from_s; second < to_s; second++) {
		for (uint64_t tenth = second * 10; tenth < second * 10 + 10; tenth++)
			feed_sample(&feed, tenth * S / 10 + 1, PID, PID, 0x400010);
		feed_round(&feed, (second + 1) * S);
		ingest_poll(&feed.ingest, false);
	}
}

static uint64_t count_samples(const char *path, const char *from, const char *to)
{
	struct perf_data_result result = { 0 };
	struct perf_data_time first, last;
	struct perf_data *reader;
	uint64_t samples = 0;
	struct diag why;

	if (perf_data_open(&reader, path, &why))
		fail_msg("%s", why.text);
	assert_int_equal(perf_data_time_parse(&first, from, &why), 0);
	assert_int_equal(perf_data_time_parse(&last, to, &why), 0);
	assert_int_equal(perf_data_set_range(reader, &first, &last, &why), 0);
	perf_data_drain(reader, &result);
	assert_int_equal(result.why.err, 0);
	assert_true(result.sideband >= 2);	/* name and mapping of a program of long ago */
	for (size_t i = 0; i < RESULT_MAX_EVENTS; i++)
		samples += result.samples[i];
	return samples;
}

static uint32_t count_files(void)
{
	DIR *list = opendir(directory);
	const struct dirent *entry;
	uint32_t count = 0;

	assert_non_null(list);
	while ((entry = readdir(list)))
		count += entry->d_name[0] != '.';
	closedir(list);
	return count;
}

static void test_the_file_has_the_last_seconds_before_the_trigger(void **state)
{
	(void)state;
	begin(5 * S, MEMORY);
	run_program(1, 20);
	flight_recorder_trigger(flight, 20 * S);
	run_program(20, 30);
	end();
	assert_int_equal(saved.count, 1);
	assert_int_equal(saved.failed, 0);
	assert_int_equal(count_files(), 1);
	assert_int_equal(count_samples(saved.path, "15", "20"), 50);
	assert_int_equal(count_samples(saved.path, "0", "10"), 0);	/* that is too long ago */
	assert_int_equal(count_samples(saved.path, "21.5", "30"), 0);
}

/* The second until 16 s is looked at when everything until 25 s has come. */
static void test_a_late_trigger_still_has_the_seconds_before_it(void **state)
{
	struct flight_status status;

	(void)state;
	begin(5 * S, MEMORY);
	run_program(1, 15);
	flight_recorder_note_look(flight, 15 * S);
	run_program(15, 25);
	flight_recorder_trigger(flight, 16 * S);
	flight_recorder_note_look(flight, 25 * S);
	run_program(25, 27);
	flight_recorder_status(flight, &status);	/* from before the look */
	flight_recorder_note_look(flight, 27 * S);
	run_program(27, 28);
	flight_recorder_status(flight, &status);
	assert_true(status.kept_ns >= 5 * S && status.kept_ns <= 9 * S);
	end();
	assert_int_equal(saved.count, 1);
	assert_int_equal(count_samples(saved.path, "10", "16"), 60);
}

static void test_what_began_less_long_ago_is_whole(void **state)
{
	(void)state;
	begin(60 * S, MEMORY);
	run_program(1, 8);
	flight_recorder_trigger(flight, 8 * S);
	end();		/* saves what was to come */
	assert_int_equal(saved.count, 1);
	assert_int_equal(count_samples(saved.path, "0", "100"), 70);
}

static void test_a_request_is_saved_under_its_name(void **state)
{
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/request.data", directory);
	begin(5 * S, MEMORY);
	run_program(1, 4);
	assert_true(flight_recorder_save(flight, path));
	run_program(4, 6);
	end();
	assert_string_equal(saved.path, path);
	assert_int_equal(saved.failed, 0);
	assert_true(count_samples(path, "0", "100") >= 30);
}

static void test_an_existing_file_is_not_overwritten(void **state)
{
	char path[128];
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s/there.data", directory);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	close(fd);
	begin(5 * S, MEMORY);
	run_program(1, 4);
	flight_recorder_save(flight, path);
	run_program(4, 6);
	end();
	assert_int_equal(saved.failed, 1);
	assert_int_equal(count_files(), 1);
}

/* Among them files that only look like the recorder's own. */
static void test_only_the_newest_of_its_own_files_are_left(void **state)
{
	char path[128];
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s/flametop-kept-20200101-000000.data.old", directory);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	close(fd);
	snprintf(path, sizeof(path), "%s/flametop-kept-20200101-000000.data", directory);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	snprintf(path, sizeof(path), "%s/flametop-20200101-000000.data", directory);
	fd = open(path, O_CREAT | O_WRONLY, 0600);	/* the name that O suggests */
	close(fd);
	begin(5 * S, MEMORY);
	run_program(1, 10);
	for (uint64_t second = 10; second < 20; second++) {
		flight_recorder_trigger(flight, second * S);
		run_program(second, second + 1);
	}
	end();
	assert_int_equal(saved.count, 10);
	assert_int_equal(saved.failed, 0);
	assert_int_equal(saved.removed, 10 - FILES);
	assert_int_equal(count_files(), FILES + 3);
	assert_int_equal(count_samples(saved.path, "14", "19"), 50);
}

static void test_memory_is_bounded_and_how_far_back_is_known(void **state)
{
	struct flight_status status;

	(void)state;
	begin(3600 * S, 4 << 20);
	run_program(1, 2);
	for (uint64_t second = 2; second < 60; second++) {
		for (uint64_t i = 0; i < 4000; i++)
			feed_sample(&feed, second * S + i, PID, PID, 0x400010);
		feed_round(&feed, (second + 1) * S);
		ingest_poll(&feed.ingest, false);
		flight_recorder_status(flight, &status);
		assert_true(status.bytes <= (4 << 20));
	}
	run_program(60, 62);
	flight_recorder_status(flight, &status);
	assert_true(status.is_cut);
	assert_true(status.kept_ns >= S && status.kept_ns < 58 * S);
	end();
}

#define FLIGHT_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

UNIT_TESTS(test_flight_recorder)
{
	const struct CMUnitTest tests[] = {
		FLIGHT_TEST(test_the_file_has_the_last_seconds_before_the_trigger),
		FLIGHT_TEST(test_a_late_trigger_still_has_the_seconds_before_it),
		FLIGHT_TEST(test_what_began_less_long_ago_is_whole),
		FLIGHT_TEST(test_a_request_is_saved_under_its_name),
		FLIGHT_TEST(test_an_existing_file_is_not_overwritten),
		FLIGHT_TEST(test_only_the_newest_of_its_own_files_are_left),
		FLIGHT_TEST(test_memory_is_bounded_and_how_far_back_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
