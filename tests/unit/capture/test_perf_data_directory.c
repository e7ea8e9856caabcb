/* Recordings that are directories: files merged by time, compressed ones unpacked before that, the
 * kernel's list of functions beside them. */
#include <errno.h>
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
#include <zstd.h>

#include "elf/file_jobs.h"
#include "perf_data_result.h"
#include "sandbox/packed_records.h"
#include "unit_tests.h"

static void path_in_scratch(char *out, size_t room, const char *name)
{
	snprintf(out, room, "%s/%s", perf_data_scratch, name);
}

/* Records of @times, as the file that perf made for one CPU: no header. */
static void save_times(const char *name, const uint64_t *times, size_t count)
{
	struct perf_data_writer writer;
	char path[4096];

	perf_data_begin_clock(&writer);
	for (size_t i = 0; i < count; i++)
		perf_data_add_sample(&writer, 0, times[i], 1);
	path_in_scratch(path, sizeof(path), name);
	perf_data_writer_save_bytes(writer.records.at, writer.records.count, path);
	perf_data_writer_finish(&writer);
}

static void remove_in_scratch(const char *name)
{
	char path[4096];

	path_in_scratch(path, sizeof(path), name);
	assert_int_equal(remove(path), 0);
}

/* `perf record --threads`: "data" has the header and what perf made up, data.N the CPUs. */
static void save_header_file(bool is_compressed)
{
	struct perf_data_writer writer;
	char path[4096];

	perf_data_begin_clock(&writer);
	perf_data_writer_comm(&writer, 10, 10, 0, "program", false);
	writer.is_compressed = is_compressed;
	path_in_scratch(path, sizeof(path), "data");
	perf_data_writer_save(&writer, path);
	perf_data_writer_finish(&writer);
}

static void test_the_files_of_a_directory_are_merged_by_time(void **state)
{
	static const uint64_t first[] = { 10, 40, 50 }, second[] = { 20, 30, 60, 70 };
	static const uint64_t merged[] = { 0, 10, 20, 30, 40, 50, 60, 70 };
	struct perf_data_result result;

	(void)state;
	save_header_file(false);
	save_times("data.0", first, COUNT_OF(first));
	save_times("data.1", second, COUNT_OF(second));
	result = perf_data_result_of(perf_data_scratch);
	assert_int_equal(result.open_err, 0);
	assert_int_equal(result.why.err, 0);
	assert_int_equal(result.sideband, 1);
	assert_int_equal(result.samples[0], COUNT_OF(first) + COUNT_OF(second));
	assert_int_equal(result.time_count, COUNT_OF(merged));
	assert_memory_equal(result.times, merged, sizeof(merged));
	remove_in_scratch("data");
	remove_in_scratch("data.0");
	remove_in_scratch("data.1");
}

static struct sandbox *sandbox;
static struct record_unpacker *running;
static uint64_t jobs;

static int begin_unpacking(void *owner, int fd, uint64_t from, uint64_t to, int *records,
			   struct diag *why)
{
	const struct record_unpacker_range range = { .file = fd, .begin = from, .end = to };

	return record_unpacker_begin(&running, owner, ++jobs, &range, records, why);
}

static int end_unpacking(void *owner, struct diag *why)
{
	(void)owner;
	return record_unpacker_end(running, why);
}

/* Records as `perf record -z` writes them: a frame of zstd in one record. */
static void compress(const char *name)
{
	struct perf_event_header header = { .type = 81 };
	char path[4096], plain[4096], packed[8192];
	size_t count;
	FILE *file;

	path_in_scratch(path, sizeof(path), name);
	file = fopen(path, "re");
	assert_non_null(file);
	count = fread(plain, 1, sizeof(plain), file);
	fclose(file);
	count = ZSTD_compress(packed + sizeof(header), sizeof(packed) - sizeof(header), plain,
			      count, 1);
	assert_false(ZSTD_isError(count));
	header.size = (uint16_t)(count + sizeof(header));
	memcpy(packed, &header, sizeof(header));
	perf_data_writer_save_bytes(packed, header.size, path);
}

static struct perf_data *open_compressed(void)
{
	const struct perf_data_unpacker unpacker = { sandbox, begin_unpacking, end_unpacking };
	struct perf_data *reader;
	struct diag why;

	assert_int_equal(perf_data_open(&reader, perf_data_scratch, &why), 0);
	perf_data_set_unpacker(reader, &unpacker);
	return reader;
}

static void save_compressed(void)
{
	static const uint64_t first[] = { 10, 40, 50 }, second[] = { 20, 30, 60, 70 };

	save_header_file(true);
	save_times("data.0", first, COUNT_OF(first));
	save_times("data.1", second, COUNT_OF(second));
	compress("data.0");
	compress("data.1");
}

static void remove_compressed(void)
{
	remove_in_scratch("data");
	remove_in_scratch("data.0");
	remove_in_scratch("data.1");
}

/* `perf record --threads -z` */
static void test_the_compressed_files_of_a_directory_are_merged_by_time(void **state)
{
	static const uint64_t merged[] = { 0, 10, 20, 30, 40, 50, 60, 70 };
	struct perf_data_result result = { 0 };

	(void)state;
	save_compressed();
	perf_data_drain(open_compressed(), &result);
	assert_int_equal(result.why.err, 0);
	assert_int_equal(result.sideband, 1);
	assert_int_equal(result.samples[0], 7);
	assert_int_equal(result.time_count, COUNT_OF(merged));
	assert_memory_equal(result.times, merged, sizeof(merged));
	remove_compressed();
}

static void test_damage_in_a_compressed_file_names_it_and_nothing_is_counted(void **state)
{
	struct perf_data_result result = { 0 };
	char path[4096];

	(void)state;
	save_compressed();
	path_in_scratch(path, sizeof(path), "data.1");
	assert_int_equal(truncate(path, 20), 0);
	perf_data_drain(open_compressed(), &result);
	assert_int_equal(result.why.err, -EBADMSG);
	assert_non_null(strstr(result.why.text, "data.1: "));
	assert_int_equal(result.samples[0], 0);
	remove_compressed();
}

static void test_a_compressed_directory_is_refused_without_an_unpacker(void **state)
{
	struct perf_data *reader;
	struct spsc queue;
	struct diag why;

	(void)state;
	save_compressed();
	assert_int_equal(perf_data_open(&reader, perf_data_scratch, &why), 0);
	assert_int_equal(spsc_init(&queue, PERF_DATA_QUEUE_MIN_BYTES), 0);
	assert_int_equal(perf_data_start(reader, &queue, &why), -ENOTSUP);
	perf_data_close(reader);
	spsc_finish(&queue);
	remove_compressed();
}

static int open_kcore(struct diag *why)
{
	struct perf_data *reader;
	const int err = perf_data_open(&reader, perf_data_scratch, why);

	perf_data_close(reader);
	return err;
}

/* `perf record --kcore` */
static void test_the_list_of_the_kernels_functions_is_opened_only_if_it_is_a_file(void **state)
{
	char directory[4096], list[4096];
	struct perf_data *reader;
	struct diag why;

	(void)state;
	save_header_file(false);
	path_in_scratch(directory, sizeof(directory), "kcore_dir");
	path_in_scratch(list, sizeof(list), "kcore_dir/kallsyms");
	assert_int_equal(mkdir(directory, 0700), 0);
	assert_int_equal(perf_data_open(&reader, perf_data_scratch, &why), 0);
	assert_int_equal(perf_data_kernel_names(reader), -1);	/* no list: no names */
	perf_data_close(reader);
	perf_data_writer_save_bytes("ffffffff81000000 T _text\n", 25, list);
	assert_int_equal(perf_data_open(&reader, perf_data_scratch, &why), 0);
	assert_true(perf_data_kernel_names(reader) >= 0);
	perf_data_close(reader);
	assert_int_equal(truncate(list, 1 << 30), 0);
	assert_int_equal(open_kcore(&why), -EFBIG);
	assert_non_null(strstr(why.text, "kcore_dir/kallsyms: 1073741824 bytes"));
	remove_in_scratch("kcore_dir/kallsyms");
	assert_int_equal(symlink("/proc/kallsyms", list), 0);
	assert_int_equal(open_kcore(&why), -ELOOP);
	remove_in_scratch("kcore_dir/kallsyms");
	assert_int_equal(mkfifo(list, 0600), 0);
	assert_int_equal(open_kcore(&why), -ENOTSUP);
	remove_in_scratch("kcore_dir/kallsyms");
	remove_in_scratch("kcore_dir");
	assert_int_equal(symlink("/proc", directory), 0);
	assert_int_equal(open_kcore(&why), -ENOTDIR);
	remove_in_scratch("kcore_dir");
	remove_in_scratch("data");
}

static void test_damage_in_a_directory_names_the_file(void **state)
{
	static const uint64_t times[] = { 10, 20 };
	struct perf_data_result result;
	char path[4096];

	(void)state;
	save_header_file(false);
	save_times("data.0", times, COUNT_OF(times));
	path_in_scratch(path, sizeof(path), "data.1");
	perf_data_writer_save_bytes("\1\0\0\0\0\0\0\0", 8, path);
	result = perf_data_result_of(perf_data_scratch);
	assert_int_equal(result.why.err, -EBADMSG);
	assert_non_null(strstr(result.why.text, "data.1: "));
	remove_in_scratch("data.1");
	assert_int_equal(symlink("data.0", path), 0);	/* nobody is led elsewhere */
	result = perf_data_result_of(perf_data_scratch);
	assert_int_equal(result.open_err, -ELOOP);
	remove_in_scratch("data");
	remove_in_scratch("data.0");
	remove_in_scratch("data.1");
}

static int begin(void **state)
{
	return sandbox_start(&sandbox, worker_run, NULL) ? -1 : perf_data_scratch_make(state);
}

static int end(void **state)
{
	sandbox_stop(sandbox);
	return perf_data_scratch_remove(state);
}

UNIT_TESTS(test_perf_data_directory)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_files_of_a_directory_are_merged_by_time),
		cmocka_unit_test(test_the_compressed_files_of_a_directory_are_merged_by_time),
		cmocka_unit_test(test_damage_in_a_compressed_file_names_it_and_nothing_is_counted),
		cmocka_unit_test(test_a_compressed_directory_is_refused_without_an_unpacker),
		cmocka_unit_test(
			test_the_list_of_the_kernels_functions_is_opened_only_if_it_is_a_file),
		cmocka_unit_test(test_damage_in_a_directory_names_the_file),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
