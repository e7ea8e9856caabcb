/* Compressed records come out as they were, whatever the parts are that they were compressed in;
 * what is damaged or made to harm is refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>
#include <linux/perf_event.h>
#include <zstd.h>

#include "sandbox/packed_records.h"
#include "unit_tests.h"

enum { TYPE_TRACING_DATA = 66, TYPE_ROUND = 68, TYPE_COMPRESSED = 81, TYPE_COMPRESSED2 = 83 };

struct file {
	int in, out;	/* memfds */
	ZSTD_CStream *stream;
};

static void begin(struct file *file)
{
	file->in = memfd_create("packed", MFD_CLOEXEC);
	file->out = memfd_create("plain", MFD_CLOEXEC);
	file->stream = ZSTD_createCStream();
	assert_true(file->in >= 0 && file->out >= 0);
	assert_non_null(file->stream);
}

static void end(struct file *file)
{
	ZSTD_freeCStream(file->stream);
	close(file->in);
	close(file->out);
}

static void put(const struct file *file, const void *bytes, size_t count)
{
	assert_int_equal(write(file->in, bytes, count), count);
}

static void put_header(const struct file *file, uint32_t type, size_t body_bytes)
{
	const struct perf_event_header header = {
		.type = type, .size = (uint16_t)(sizeof(header) + body_bytes),
	};

	put(file, &header, sizeof(header));
}

/* As perf does: the next part of one stream, flushed. */
static void put_packed(const struct file *file, uint32_t type, const void *bytes, size_t count)
{
	unsigned char packed[32768];
	ZSTD_inBuffer in = { bytes, count, 0 };
	ZSTD_outBuffer out = { packed, sizeof(packed), 0 };
	uint64_t length;

	while (in.pos < in.size)
		assert_false(ZSTD_isError(ZSTD_compressStream(file->stream, &out, &in)));
	assert_int_equal(ZSTD_flushStream(file->stream, &out), 0);
	length = out.pos;
	put_header(file, type, out.pos + (type == TYPE_COMPRESSED2 ? sizeof(length) : 0));
	if (type == TYPE_COMPRESSED2)
		put(file, &length, sizeof(length));
	put(file, packed, out.pos);
}

static int unpack(const struct file *file, struct diag *why)
{
	const struct packed_range range = { 0, (uint64_t)lseek(file->in, 0, SEEK_END) };

	*why = (struct diag){ .err = 0 };
	return packed_records_unpack(file->in, &range, file->out, why);
}

static void assert_out(const struct file *file, const void *bytes, size_t count)
{
	void *out = malloc(count + 1);

	assert_non_null(out);
	assert_int_equal(pread(file->out, out, count + 1, 0), count);
	assert_memory_equal(out, bytes, count);
	free(out);
}

struct sample {
	struct perf_event_header header;
	uint64_t words[3];
};

static void make_samples(struct sample *samples, size_t count)
{
	for (size_t i = 0; i < count; i++)
		samples[i] = (struct sample){
			.header = { .type = PERF_RECORD_SAMPLE, .size = sizeof(samples[i]) },
			.words = { i, 1000 * i, UINT64_C(0x7f00000000) + i },
		};
}

/* Parts of 1, 7 and 40 bytes: no record is whole in any of the first two. */
static void test_records_come_out_whole_whatever_they_were_cut_into(void **state)
{
	static const size_t parts[] = { 1, 7, 40 };
	struct sample samples[100];
	struct diag why;

	(void)state;
	make_samples(samples, 100);
	for (size_t i = 0; i < 3; i++) {
		struct file file;

		begin(&file);
		for (size_t at = 0; at < sizeof(samples); at += parts[i]) {
			const size_t left = sizeof(samples) - at;

			put_packed(&file, i == 1 ? TYPE_COMPRESSED2 : TYPE_COMPRESSED,
				   (const char *)samples + at,
				   left < parts[i] ? left : parts[i]);
		}
		assert_int_equal(unpack(&file, &why), 0);
		assert_out(&file, samples, sizeof(samples));
		end(&file);
	}
}

static void test_other_records_and_tracing_data_go_through_in_their_order(void **state)
{
	struct sample samples[2];
	struct {
		struct sample first;
		struct perf_event_header tracing;
		uint64_t tracing_bytes;
		char data[16];		/* no records, though they look so: 9 bytes, padded */
		struct sample second;
		struct perf_event_header round;
	} expected = {
		.tracing = { .type = TYPE_TRACING_DATA, .size = 16 }, .tracing_bytes = 9,
		.data = "\x51\0\0\0\0\0\1\0x", .round = { .type = TYPE_ROUND, .size = 8 },
	};
	struct file file;
	struct diag why;

	(void)state;
	make_samples(samples, 2);
	expected.first = samples[0];
	expected.second = samples[1];
	begin(&file);
	put_packed(&file, TYPE_COMPRESSED, &samples[0], sizeof(samples[0]));
	put(&file, (const char *)&expected + sizeof(samples[0]), 16 + sizeof(expected.data));
	put_packed(&file, TYPE_COMPRESSED, &samples[1], sizeof(samples[1]));
	put(&file, &expected.round, sizeof(expected.round));
	assert_int_equal(unpack(&file, &why), 0);
	assert_out(&file, &expected, sizeof(expected));
	end(&file);
}

static void test_what_ends_in_a_record_is_damaged(void **state)
{
	struct sample sample;
	struct file file;
	struct diag why;

	(void)state;
	make_samples(&sample, 1);
	begin(&file);
	put_packed(&file, TYPE_COMPRESSED, &sample, sizeof(sample) - 8);
	assert_int_equal(unpack(&file, &why), -EBADMSG);
	assert_non_null(strstr(why.text, "in the middle of a record"));
	end(&file);
}

static void test_bytes_that_are_no_zstd_are_damaged(void **state)
{
	struct file file;
	struct diag why;

	(void)state;
	begin(&file);
	put_header(&file, TYPE_COMPRESSED, 16);
	put(&file, "sixteen bytes...", 16);
	assert_int_equal(unpack(&file, &why), -EBADMSG);
	assert_non_null(strstr(why.text, "at byte 0"));
	end(&file);
	begin(&file);
	put_header(&file, TYPE_COMPRESSED2, 16);
	put(&file, "\xff\0\0\0\0\0\0\0........", 16);	/* longer than its record */
	assert_int_equal(unpack(&file, &why), -EBADMSG);
	end(&file);
}

/* One record of 64 KiB without end: a few KiB become gigabytes. */
static void test_what_unpacks_a_thousandfold_is_refused(void **state)
{
	static unsigned char zeros[32768];
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = sizeof(zeros) };
	struct file file;
	struct diag why;
	off_t out_bytes;

	(void)state;
	memcpy(zeros, &header, sizeof(header));
	begin(&file);
	for (int i = 0; i < 4 * (int)(PACKED_FREE_BYTES / sizeof(zeros)); i++)
		put_packed(&file, TYPE_COMPRESSED, zeros, sizeof(zeros));
	assert_int_equal(unpack(&file, &why), -E2BIG);
	out_bytes = lseek(file.out, 0, SEEK_CUR);
	assert_true(out_bytes <= (off_t)PACKED_FREE_BYTES + (1 << 20));
	end(&file);
}

UNIT_TESTS(test_packed_records)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records_come_out_whole_whatever_they_were_cut_into),
		cmocka_unit_test(test_other_records_and_tracing_data_go_through_in_their_order),
		cmocka_unit_test(test_what_ends_in_a_record_is_damaged),
		cmocka_unit_test(test_bytes_that_are_no_zstd_are_damaged),
		cmocka_unit_test(test_what_unpacks_a_thousandfold_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
