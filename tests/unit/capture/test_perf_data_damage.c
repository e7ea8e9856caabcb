/* A recording that is cut off, damaged or of another kind ends with the reason, not in silence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "perf_data_result.h"
#include "unit_tests.h"

static void begin_full_recording(struct perf_data_writer *writer)
{
	const struct build_id id = { .bytes = { 1, 2, 3 }, .count = 20 };

	perf_data_begin_clock(writer);
	perf_data_writer_event(writer, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
			       WRITER_SAMPLE_TYPE, "cycles");
	perf_data_writer_build_id(writer, PERF_RECORD_MISC_USER, "/bin/program", &id);
	perf_data_writer_mmap(writer, PERF_RECORD_MISC_USER, 10, 0, 0x400000, 0x10000, 0,
			      "/bin/program");
	perf_data_writer_comm(writer, 10, 10, 0, "program", true);
	perf_data_add_sample(writer, 0, 100, 5);
	perf_data_writer_round(writer);
	perf_data_add_sample(writer, 1, 101, 6);
}

static void assert_full(const struct perf_data_result *result)
{
	assert_int_equal(result->sideband, 2);
	assert_int_equal(result->period[0], 5);
	assert_int_equal(result->period[1], 6);
}

/* What is read when only the first @count bytes of the scratch file are left. */
static struct perf_data_result cut_to(size_t count)
{
	assert_int_equal(truncate(perf_data_path, (off_t)count), 0);
	return perf_data_result_of(perf_data_path);
}

static void test_a_file_cut_at_any_byte_is_refused(void **state)
{
	struct perf_data_writer writer;
	struct perf_data_result result;
	struct writer_bytes file;

	(void)state;
	begin_full_recording(&writer);
	file = perf_data_writer_bytes(&writer, false);
	result = perf_data_result_of_bytes(file.at, file.count);
	assert_int_equal(result.why.err, 0);
	assert_full(&result);
	for (size_t count = file.count; count-- > 0;) {
		result = cut_to(count);
		assert_int_equal(result.open_err, -EBADMSG);
		assert_true(strlen(result.why.text) > strlen(perf_data_path));
	}
	free(file.at);
	perf_data_writer_finish(&writer);
}

/* Whether a record of the piped recording @file ends at @offset. */
static bool is_record_end(const struct writer_bytes *file, size_t offset)
{
	size_t at = 16;

	while (at < offset) {
		struct perf_event_header header;

		memcpy(&header, file->at + at, sizeof(header));
		at += header.size;
	}
	return at == offset;
}

/* It says nowhere how long it is: at the end of a record, and only there, it may be whole. */
static void test_a_piped_file_cut_inside_of_a_record_is_refused(void **state)
{
	struct perf_data_writer writer;
	struct perf_data_result result;
	struct writer_bytes file;

	(void)state;
	begin_full_recording(&writer);
	file = perf_data_writer_bytes(&writer, true);
	result = perf_data_result_of_bytes(file.at, file.count);
	assert_int_equal(result.why.err, 0);
	assert_full(&result);
	for (size_t count = file.count; count-- > 0;) {
		result = cut_to(count);
		if (!is_record_end(&file, count))
			assert_int_equal(result.open_err, -EBADMSG);
		else if (!result.open_err)
			assert_int_equal(result.why.err, 0);
	}
	free(file.at);
	perf_data_writer_finish(&writer);
}

static void set_u64(struct writer_bytes *file, size_t offset, uint64_t value)
{
	assert_true(offset + sizeof(value) <= file->count);
	memcpy(file->at + offset, &value, sizeof(value));
}

/* Writes @value over the eight bytes at @offset and reads the result. */
static struct perf_data_result read_with(const struct perf_data_writer *writer, size_t offset,
					 uint64_t value)
{
	struct writer_bytes file = perf_data_writer_bytes(writer, false);
	struct perf_data_result result;

	set_u64(&file, offset, value);
	result = perf_data_result_of_bytes(file.at, file.count);
	free(file.at);
	return result;
}

/* Offsets in the file header: 0 magic, 8 size, 16 attr size, 24 attrs, 40 data, 72 features. */
static void test_impossible_headers_are_refused(void **state)
{
	static const struct {
		size_t offset;
		uint64_t value;
		int err;
		const char *says;
	} cases[] = {
		{ 0, 0x50455246494c4532, -ENOTSUP, "byte order" },
		{ 0, 0x1234, -EBADMSG, "PERFILE2" },
		{ 8, 105, -EBADMSG, "byte 8" },
		{ 16, 0, -EBADMSG, "byte 16" },
		{ 16, 79, -EBADMSG, "byte 16" },
		{ 16, UINT64_MAX, -EBADMSG, "byte 16" },
		{ 24, UINT64_MAX, -EBADMSG, "event section" },
		{ 32, UINT64_MAX, -EBADMSG, "event section" },
		{ 32, 0, -EBADMSG, "no events" },
		{ 40, UINT64_MAX - 8, -EBADMSG, "data section" },
		{ 48, UINT64_MAX, -EBADMSG, "data section" },
		{ 48, 0, -EBADMSG, "not finished" },
		{ 72, UINT64_MAX, -EBADMSG, "" },
	};
	struct perf_data_writer writer;

	(void)state;
	begin_full_recording(&writer);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct perf_data_result result = read_with(&writer, cases[i].offset,
								 cases[i].value);

		assert_int_equal(result.open_err, cases[i].err);
		assert_non_null(strstr(result.why.text, cases[i].says));
	}
	perf_data_writer_finish(&writer);
}

/* One bit of their size is wrong: a recording of gigabytes would be read as ids. */
static void test_ids_that_reach_over_the_records_are_refused(void **state)
{
	enum { IDS_BYTES = 104 + sizeof(struct perf_event_attr) + 8, SAMPLES = 200 };
	struct perf_data_writer writer;
	struct perf_data_result result;

	(void)state;
	perf_data_begin_clock(&writer);
	for (unsigned int i = 0; i < SAMPLES; i++)	/* 56 bytes each */
		perf_data_add_sample(&writer, 0, 100 + i, 1);
	result = read_with(&writer, IDS_BYTES, 8);
	assert_int_equal(result.why.err, 0);
	assert_int_equal(result.samples[0], SAMPLES);

	result = read_with(&writer, IDS_BYTES, 8 | 1 << 13);
	assert_int_equal(result.open_err, -EBADMSG);
	assert_non_null(strstr(result.why.text, "8200 bytes of ids"));
	perf_data_writer_finish(&writer);
}

static void test_compressed_and_hardware_traces_are_refused_by_name(void **state)
{
	static const struct {
		uint32_t type;
		const char *says;
	} cases[] = {
		{ 81, "compressed" }, { 83, "compressed" }, { 70, "trace" }, { 71, "trace" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct perf_data_writer writer;
		struct record_bytes record;
		struct perf_data_result result;

		perf_data_begin_clock(&writer);
		record_begin(&record, cases[i].type, 0);
		perf_data_writer_record(&writer, &record);
		result = perf_data_result_of_writer(&writer);
		assert_int_equal(result.why.err, -ENOTSUP);
		assert_non_null(strstr(result.why.text, cases[i].says));
		perf_data_writer_finish(&writer);
	}
}

static void test_damage_among_the_records_ends_with_its_offset(void **state)
{
	enum { RECORDS = 104 + sizeof(struct perf_event_attr) + 16 + 8, SAMPLE = 8 + 6 * 8 };
	struct perf_data_writer writer;
	struct perf_data_result result;
	char offset[32];

	(void)state;
	perf_data_begin_clock(&writer);
	perf_data_add_sample(&writer, 0, 100, 1);
	perf_data_add_sample(&writer, 0, 101, 1);
	snprintf(offset, sizeof(offset), "byte %d", (int)(RECORDS + SAMPLE));

	result = read_with(&writer, RECORDS + SAMPLE, 0);	/* type 0, size 0 */
	assert_int_equal(result.why.err, -EBADMSG);
	assert_non_null(strstr(result.why.text, offset));
	assert_int_equal(result.samples[0], 1);

	result = read_with(&writer, RECORDS + SAMPLE, UINT64_C(64) << 48 | PERF_RECORD_SAMPLE);
	assert_int_equal(result.why.err, -EBADMSG);	/* longer than what is left */
	assert_non_null(strstr(result.why.text, offset));

	result = read_with(&writer, RECORDS + SAMPLE, UINT64_C(48) << 48 | PERF_RECORD_SAMPLE);
	assert_int_equal(result.why.err, -EBADMSG);	/* shorter than its fields */
	assert_non_null(strstr(result.why.text, offset));
	perf_data_writer_finish(&writer);
}

static void test_a_record_of_an_unknown_event_ends_with_its_offset(void **state)
{
	enum { RECORDS = 104 + 2 * (sizeof(struct perf_event_attr) + 16) + 2 * 8 };
	struct perf_data_writer writer;
	struct perf_data_result result;
	char offset[32];

	(void)state;
	perf_data_begin_clock(&writer);
	perf_data_writer_event(&writer, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
			       WRITER_SAMPLE_TYPE, "cycles");
	perf_data_add_sample(&writer, 1, 100, 1);
	result = read_with(&writer, RECORDS + 8, 12345);	/* its identifier */
	assert_int_equal(result.why.err, -EBADMSG);
	snprintf(offset, sizeof(offset), "byte %d", (int)RECORDS);
	assert_non_null(strstr(result.why.text, offset));
	perf_data_writer_finish(&writer);
}

static void test_events_that_cannot_be_told_apart_are_refused(void **state)
{
	struct perf_data_writer writer;

	(void)state;
	perf_data_writer_init(&writer);
	perf_data_writer_event(&writer, PERF_TYPE_HARDWARE, 0, PERF_SAMPLE_IP, "cycles");
	perf_data_writer_event(&writer, PERF_TYPE_HARDWARE, 1, PERF_SAMPLE_IP, "instructions");
	perf_data_add_sample(&writer, 0, 100, 1);
	assert_int_equal(perf_data_result_of_writer(&writer).open_err, -ENOTSUP);
	perf_data_writer_finish(&writer);
}

static void test_what_is_no_regular_file_is_refused(void **state)
{
	struct perf_data_result result = perf_data_result_of("/nonexistent/recording");

	(void)state;
	assert_int_equal(result.open_err, -ENOENT);
	assert_non_null(strstr(result.why.text, "/nonexistent/recording"));
	unlink(perf_data_path);
	result = perf_data_result_of(perf_data_scratch);	/* a directory of something else */
	assert_int_equal(result.open_err, -ENOENT);
	assert_non_null(strstr(result.why.text, "no file \"data\""));
	assert_int_equal(mkfifo(perf_data_path, 0600), 0);
	assert_int_equal(perf_data_result_of(perf_data_path).open_err, -ENOTSUP);
	unlink(perf_data_path);
}

UNIT_TESTS(test_perf_data_damage)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_file_cut_at_any_byte_is_refused),
		cmocka_unit_test(test_a_piped_file_cut_inside_of_a_record_is_refused),
		cmocka_unit_test(test_impossible_headers_are_refused),
		cmocka_unit_test(test_ids_that_reach_over_the_records_are_refused),
		cmocka_unit_test(test_compressed_and_hardware_traces_are_refused_by_name),
		cmocka_unit_test(test_damage_among_the_records_ends_with_its_offset),
		cmocka_unit_test(test_a_record_of_an_unknown_event_ends_with_its_offset),
		cmocka_unit_test(test_events_that_cannot_be_told_apart_are_refused),
		cmocka_unit_test(test_what_is_no_regular_file_is_refused),
	};

	return cmocka_run_group_tests(tests, perf_data_scratch_make, perf_data_scratch_remove);
}
