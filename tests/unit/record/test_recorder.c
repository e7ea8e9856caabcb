/* The recorder: what each file of a recording in parts begins with.
 *
 * Name of kernel code: header 8, address 8, size and type 8, 487 characters and a NUL 488, process,
 * time, CPU and id 32 = 544 bytes. 4 MiB hold 7710 of them; 8000 of them are in the first file.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ingest_fixture.h"
#include "record/recording.h"
#include "unit_tests.h"

enum {
	NAME_BYTES = 488, NAME_RECORD_BYTES = 544, NAMES_KEPT = (4 << 20) / NAME_RECORD_BYTES,
	NAMES = 8000, NAMES_OF_A_ROUND = 50,
};

static char place[] = "/tmp/flametop-recorder-XXXXXX";

static int set_up(void **state)
{
	static struct ingest_fixture feed;

	memset(&feed, 0, sizeof(feed));
	*state = &feed;
	return feed_set_up_replay(state) || !mkdtemp(place);
}

static int tear_down(void **state)
{
	DIR *files = opendir(place);
	const struct dirent *entry;

	while (files && (entry = readdir(files)))
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(files), entry->d_name, 0);
	if (files)
		closedir(files);
	rmdir(place);
	strcpy(strrchr(place, '-'), "-XXXXXX");
	return feed_tear_down(state);
}

static struct recorder *begin(struct ingest_fixture *feed, uint64_t part_bytes)
{
	const struct recorder_config config = {
		.machine = { .host = "host", .release = "6.1", .version = "1", .arch = "x86_64",
			     .cpu = "a CPU", .cpus_available = 2, .cpus_online = 2 },
		.is_replay = true, .split = { .is_on = true, .bytes = part_bytes },
	};
	struct recorder *recorder;
	struct diag why;
	char path[64];

	snprintf(path, sizeof(path), "%s/out.data", place);
	assert_int_equal(recorder_begin(&recorder, path, &config, &why), 0);
	ingest_set_tee(&feed->ingest, recorder_tee(recorder));
	feed_round(feed, 50);		/* the first file begins to be counted */
	ingest_poll(&feed->ingest, false);
	return recorder;
}

static struct recorder_status end(struct ingest_fixture *feed, struct recorder *recorder)
{
	struct recorder_status status;
	struct diag why;

	ingest_set_tee(&feed->ingest, NULL);
	while (!recorder_wait(recorder, 1000))
		;
	assert_int_equal(recorder_finish(recorder, &status, &why), 0);
	return status;
}

/* Returns the time after the names of @count pieces of kernel code. */
static uint64_t feed_names(struct ingest_fixture *feed, uint32_t count)
{
	char name[NAME_BYTES];
	uint64_t time_ns = 100;

	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	for (uint32_t i = 0; i < count; i++) {
		feed_ksymbol(feed, ++time_ns, 0xffffffffc0000000 + UINT64_C(64) * i, 64, false,
			     name);
		if (i % NAMES_OF_A_ROUND == NAMES_OF_A_ROUND - 1 || i == count - 1) {
			feed_round(feed, ++time_ns);
			ingest_poll(&feed->ingest, false);
		}
	}
	return time_ns;
}

static void test_names_that_later_files_lack_are_counted(void **state)
{
	struct ingest_fixture *feed = *state;
	struct recorder *recorder = begin(feed, (uint64_t)NAMES * NAME_RECORD_BYTES);
	uint64_t time_ns = feed_names(feed, NAMES);
	struct recorder_status status;

	feed_comm(feed, time_ns + 10, 7, 7, "app", true);
	feed_mmap(feed, time_ns + 11, 7, 0x400000, 0x10000, 0x1000, "/bin/app");
	feed_sample(feed, time_ns + 12, 7, 7, 0x400100);
	feed_round(feed, time_ns + 20);
	ingest_poll(&feed->ingest, false);
	status = end(feed, recorder);
	assert_int_equal(status.files, 2);
	assert_int_equal(status.undescribed, NAMES - NAMES_KEPT);
}

static size_t names_in(const char *path)
{
	static const char begin[] = "nnnnnnnnnnnnnnnn";
	FILE *file = fopen(path, "r");
	char *text = NULL, *at;
	size_t room = 0, count = 0;

	assert_non_null(file);
	while (getdelim(&text, &room, '\0', file) > 0) {
		at = strstr(text, begin);
		count += at && strlen(at) == NAME_BYTES - 1;
	}
	free(text);
	fclose(file);
	return count;
}

static size_t names_in_files(void)
{
	DIR *files = opendir(place);
	const struct dirent *entry;
	char path[sizeof(place) + sizeof(entry->d_name)];
	size_t count = 0;

	assert_non_null(files);
	while ((entry = readdir(files))) {
		snprintf(path, sizeof(path), "%s/%s", place, entry->d_name);
		if (entry->d_name[0] != '.')
			count += names_in(path);
	}
	closedir(files);
	return count;
}

static void test_names_that_fit_are_in_each_file(void **state)
{
	struct ingest_fixture *feed = *state;
	struct recorder *recorder = begin(feed, (uint64_t)NAMES_OF_A_ROUND * NAME_RECORD_BYTES);
	struct recorder_status status;

	feed_names(feed, 4 * NAMES_OF_A_ROUND);
	status = end(feed, recorder);
	assert_int_equal(status.files, 3);
	assert_int_equal(status.undescribed, 0);
	/* Of four rounds the first file has one, the second one three, the last one all. */
	assert_int_equal(names_in_files(), (1 + 3 + 4) * NAMES_OF_A_ROUND);
}

UNIT_TESTS(test_recorder)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_names_that_later_files_lack_are_counted,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_names_that_fit_are_in_each_file, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
