/* Side-band records and their sample_id trailer, written down word by word, and what they mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "record_bytes.h"
#include "unit_tests.h"

enum {
	TRAILER_FIELDS = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
			 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER,
};

/* tid, time, id, stream id, cpu, identifier: the trailer's order, not that of a sample. */
static const uint64_t trailer[] = { PAIR(90, 91), 5000, 4711, 4712, PAIR(2, 0), 4711 };

#define SAMPLE_FIELDS (TRAILER_FIELDS | PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD)

static struct record_format sideband_format(void)
{
	return record_format_of(SAMPLE_FIELDS, true);
}

static void assert_trailer(const struct event_record *out)
{
	assert_true(out->has_time && out->has_cpu && out->has_pid);
	assert_int_equal(out->time_ns, 5000);
	assert_int_equal(out->cpu, 2);
}

static void assert_text(struct record_text text, const char *expected)
{
	assert_int_equal(text.len, strlen(expected));
	assert_memory_equal(text.bytes, expected, text.len);
}

/* Cut off anywhere, a record is refused, unless only text is gone: then the rest is as before. */
static void assert_truncations(const struct record_format *format,
			       const struct record_bytes *record, size_t fixed_words)
{
	struct event_record whole, cut;

	assert_int_equal(record_parse_cut(format, record, record->count, &whole), 0);
	for (size_t count = 1; count < record->count; count++) {
		const int err = record_parse_cut(format, record, count, &cut);

		assert_int_equal(err, count < 1 + fixed_words + COUNT_OF(trailer) ? -EBADMSG : 0);
		if (err)
			continue;
		assert_int_equal(cut.kind, whole.kind);
		if (whole.kind == RECORD_KSYMBOL || whole.kind == RECORD_CGROUP)
			continue;	/* its task is the trailer's, which has moved */
		assert_int_equal(cut.pid, whole.pid);
		assert_int_equal(cut.tid, whole.tid);
	}
}

static void test_mmap_tells_the_mapping_and_who_made_it(void **state)
{
	static const uint64_t words[] = { PAIR(10, 11), 0x400000, 0x2000, 0x1000 };
	const struct record_format format = sideband_format();
	struct event_record out;
	struct record_bytes record;

	(void)state;
	record_begin(&record, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
	record_add(&record, words, COUNT_OF(words));
	record_add_text(&record, "/usr/bin/program");
	record_add(&record, trailer, COUNT_OF(trailer));
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_int_equal(out.kind, RECORD_MMAP);
	assert_trailer(&out);
	assert_int_equal(out.pid, 10);	/* the record's, not the trailer's */
	assert_int_equal(out.tid, 11);
	assert_int_equal(out.mmap.start, 0x400000);
	assert_int_equal(out.mmap.bytes, 0x2000);
	assert_int_equal(out.mmap.file_offset, 0x1000);
	assert_text(out.mmap.path, "/usr/bin/program");
	assert_true(out.mmap.is_executable);
	assert_false(out.mmap.has_inode || out.mmap.has_build_id);
	assert_truncations(&format, &record, COUNT_OF(words));

	record_begin(&record, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA);
	record_add(&record, words, COUNT_OF(words));
	record_add(&record, trailer, COUNT_OF(trailer));
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_false(out.mmap.is_executable);
	assert_int_equal(out.mmap.path.len, 0);
}

static void test_mmap2_tells_the_inode(void **state)
{
	static const uint64_t words[] = { PAIR(10, 10), 0x400000, 0x2000, 0x1000,
					  PAIR(8, 1), 123456, 789,
					  PAIR(PROT_READ | PROT_EXEC, MAP_PRIVATE) };
	const struct record_format format = sideband_format();
	struct event_record out;
	struct record_bytes record;

	(void)state;
	record_begin(&record, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	record_add(&record, words, COUNT_OF(words));
	record_add_text(&record, "/lib/libc.so.6");
	record_add(&record, trailer, COUNT_OF(trailer));
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_int_equal(out.kind, RECORD_MMAP);
	assert_true(out.mmap.has_inode && out.mmap.is_executable);
	assert_false(out.mmap.has_build_id);
	assert_int_equal(out.mmap.dev_major, 8);
	assert_int_equal(out.mmap.dev_minor, 1);
	assert_int_equal(out.mmap.inode, 123456);
	assert_int_equal(out.mmap.inode_generation, 789);
	assert_int_equal(out.mmap.flags, MAP_PRIVATE);
	assert_text(out.mmap.path, "/lib/libc.so.6");
	assert_truncations(&format, &record, COUNT_OF(words));
}

/* Bytes of the id: 01 02 .. 14 (hexadecimal), after its length and three reserved bytes. */
static void test_mmap2_with_a_build_id_has_no_inode(void **state)
{
	uint64_t words[] = { PAIR(10, 10), 0x400000, 0x2000, 0x1000,
			     PAIR(20, 0x04030201), 0x0c0b0a0908070605, 0x14131211100f0e0d,
			     PAIR(PROT_READ, 0) };
	const struct record_format format = sideband_format();
	struct record_format asked = format;
	struct event_record out;
	struct record_bytes record;

	(void)state;
	record_begin(&record, PERF_RECORD_MMAP2,
		     PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID);
	record_add(&record, words, COUNT_OF(words));
	record_add_text(&record, "/lib/libc.so.6");
	record_add(&record, trailer, COUNT_OF(trailer));
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_true(out.mmap.has_build_id);
	assert_false(out.mmap.has_inode || out.mmap.is_executable);
	assert_int_equal(out.mmap.inode, 0);
	assert_int_equal(out.mmap.build_id.count, 20);
	for (uint8_t i = 0; i < 20; i++)
		assert_int_equal(out.mmap.build_id.bytes[i], i + 1);

	asked.has_build_ids = true;
	record.words[5] = PAIR(200, 0x04030201);	/* a length that no id has */
	assert_int_equal(record_close_and_parse(&asked, &record, &out), 0);
	assert_int_equal(out.mmap.build_id.count, BUILD_ID_MAX_BYTES);

	record.words[5] = PAIR(8, 5);	/* as a length: of an id of ld.lld; as a device: 8:5 */
	assert_int_equal(record_close_and_parse(&asked, &record, &out), 0);
	assert_int_equal(out.mmap.build_id.count, 8);
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_false(out.mmap.has_build_id);
	assert_int_equal(out.mmap.dev_major, 8);
	assert_int_equal(out.mmap.dev_minor, 5);
}

static void test_comm_tells_the_name_and_whether_it_comes_from_exec(void **state)
{
	static const uint64_t ids = PAIR(10, 11);
	const struct record_format format = sideband_format();
	struct event_record out;
	struct record_bytes record;

	(void)state;
	record_begin(&record, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	record_add(&record, &ids, 1);
	record_add_text(&record, "python3");
	record_add(&record, trailer, COUNT_OF(trailer));
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_int_equal(out.kind, RECORD_COMM);
	assert_int_equal(out.tid, 11);
	assert_true(out.comm.is_exec);
	assert_text(out.comm.comm, "python3");
	assert_trailer(&out);
	assert_truncations(&format, &record, 1);
}

/* 16 bytes of text without a NUL end where the trailer begins. */
static void test_text_without_an_end_stops_at_the_trailer(void **state)
{
	static const uint64_t words[] = { PAIR(10, 11), 0x4141414141414141, 0x4242424242424242 };
	const struct record_format format = sideband_format();
	struct event_record out;
	struct record_bytes record;

	(void)state;
	record_begin(&record, PERF_RECORD_COMM, 0);
	record_add(&record, words, COUNT_OF(words));
	record_add(&record, trailer, COUNT_OF(trailer));
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_text(out.comm.comm, "AAAAAAAABBBBBBBB");
}

static void test_fork_and_exit_tell_child_and_parent(void **state)
{
	static const uint64_t words[] = { PAIR(20, 10), PAIR(21, 11), 6000 };
	struct record_format format = sideband_format();
	struct event_record out;
	struct record_bytes record;

	(void)state;
	record_begin(&record, PERF_RECORD_FORK, 0);
	record_add(&record, words, COUNT_OF(words));
	record_add(&record, trailer, COUNT_OF(trailer));
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_int_equal(out.kind, RECORD_FORK);
	assert_int_equal(out.pid, 20);
	assert_int_equal(out.tid, 21);
	assert_int_equal(out.task.parent_pid, 10);
	assert_int_equal(out.task.parent_tid, 11);
	assert_trailer(&out);
	assert_truncations(&format, &record, COUNT_OF(words));

	/* Then the time in the record is all there is. */
	format = record_format_of(SAMPLE_FIELDS, false);
	record_begin(&record, PERF_RECORD_EXIT, 0);
	record_add(&record, words, COUNT_OF(words));
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_int_equal(out.kind, RECORD_EXIT);
	assert_true(out.has_time);
	assert_false(out.has_cpu);
	assert_int_equal(out.time_ns, 6000);
}

static void test_lost_records_and_samples_are_counted(void **state)
{
	static const uint64_t lost[] = { 4711, 17 };
	static const uint64_t lost_samples = 3;
	const struct record_format format = sideband_format();
	struct event_record out;
	struct record_bytes record;

	(void)state;
	record_begin(&record, PERF_RECORD_LOST, 0);
	record_add(&record, lost, COUNT_OF(lost));
	record_add(&record, trailer, COUNT_OF(trailer));
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_int_equal(out.kind, RECORD_LOST);
	assert_int_equal(out.lost.count, 17);
	assert_truncations(&format, &record, COUNT_OF(lost));

	record_begin(&record, PERF_RECORD_LOST_SAMPLES, 0);
	record_add(&record, &lost_samples, 1);
	record_add(&record, trailer, COUNT_OF(trailer));
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_int_equal(out.kind, RECORD_LOST);
	assert_int_equal(out.lost.count, 3);
	assert_truncations(&format, &record, 1);
}

static void test_throttle_and_unthrottle_have_a_time(void **state)
{
	static const uint64_t words[] = { 7000, 4711, 4712 };
	struct record_format format = sideband_format();
	struct event_record out;
	struct record_bytes record;

	(void)state;
	record_begin(&record, PERF_RECORD_THROTTLE, 0);
	record_add(&record, words, COUNT_OF(words));
	record_add(&record, trailer, COUNT_OF(trailer));
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_int_equal(out.kind, RECORD_THROTTLE);
	assert_int_equal(out.time_ns, 5000);
	assert_truncations(&format, &record, COUNT_OF(words));

	format = record_format_of(SAMPLE_FIELDS, false);
	record_begin(&record, PERF_RECORD_UNTHROTTLE, 0);
	record_add(&record, words, COUNT_OF(words));
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_int_equal(out.kind, RECORD_UNTHROTTLE);
	assert_int_equal(out.time_ns, 7000);
}

static void test_ksymbol_tells_a_kernel_function_come_or_gone(void **state)
{
	static const uint64_t words[] = { 0xffffffffc0001000, PAIR(0x120, 1 | 1 << 16) };
	const struct record_format format = sideband_format();
	struct event_record out;
	struct record_bytes record;

	(void)state;
	record_begin(&record, PERF_RECORD_KSYMBOL, PERF_RECORD_MISC_KERNEL);
	record_add(&record, words, COUNT_OF(words));
	record_add_text(&record, "bpf_prog_6deef7357e7b4530");
	record_add(&record, trailer, COUNT_OF(trailer));
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_int_equal(out.kind, RECORD_KSYMBOL);
	assert_int_equal(out.ksymbol.start, 0xffffffffc0001000);
	assert_int_equal(out.ksymbol.bytes, 0x120);
	assert_int_equal(out.ksymbol.type, PERF_RECORD_KSYMBOL_TYPE_BPF);
	assert_true(out.ksymbol.is_unregister);
	assert_text(out.ksymbol.name, "bpf_prog_6deef7357e7b4530");
	assert_truncations(&format, &record, COUNT_OF(words));
}

static void test_a_record_that_is_too_long_ends_with_its_first_trailer(void **state)
{
	static const uint64_t words[] = { PAIR(1, 7), 0x123456789abcdef0 };
	static const uint64_t unwritten[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	const struct record_format format = sideband_format();
	struct event_record out;
	struct record_bytes record;
	int word;

	(void)state;
	record_begin(&record, PERF_RECORD_BPF_EVENT, PERF_RECORD_MISC_KERNEL);
	record_add(&record, words, COUNT_OF(words));
	record_add(&record, trailer, COUNT_OF(trailer));
	record_add(&record, unwritten, COUNT_OF(unwritten));
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_trailer(&out);
	word = record_time_word(&format, (const void *)record.words);
	assert_true(word > 0 && record.words[word] == out.time_ns);
	assert_int_equal(record_written_bytes(&format, (const void *)record.words),
			 sizeof(uint64_t) * (1 + COUNT_OF(words) + COUNT_OF(trailer)));
}

static void test_cgroups_have_an_id_and_a_path(void **state)
{
	static const uint64_t words[] = { 4711 };
	const struct record_format format = sideband_format();
	struct event_record out;
	struct record_bytes record;

	(void)state;
	record_begin(&record, PERF_RECORD_CGROUP, 0);
	record_add(&record, words, COUNT_OF(words));
	record_add_text(&record, "/system.slice/nginx.service");
	record_add(&record, trailer, COUNT_OF(trailer));
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_int_equal(out.kind, RECORD_CGROUP);
	assert_int_equal(out.cgroup.id, 4711);
	assert_text(out.cgroup.path, "/system.slice/nginx.service");
	assert_truncations(&format, &record, COUNT_OF(words));
}

static void test_bpf_events_are_recognized(void **state)
{
	static const uint64_t words[] = { PAIR(1, 7), 0x123456789abcdef0 };
	const struct record_format format = sideband_format();
	struct event_record out;
	struct record_bytes record;

	(void)state;
	record_begin(&record, PERF_RECORD_BPF_EVENT, PERF_RECORD_MISC_KERNEL);
	record_add(&record, words, COUNT_OF(words));
	record_add(&record, trailer, COUNT_OF(trailer));
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_int_equal(out.kind, RECORD_BPF);
	assert_trailer(&out);
	assert_truncations(&format, &record, COUNT_OF(words));
}

static void test_records_of_no_use_are_other_and_keep_their_time(void **state)
{
	const struct record_format format = sideband_format();
	struct event_record out;
	struct record_bytes record;

	(void)state;
	record_begin(&record, PERF_RECORD_SWITCH, 0);
	record_add(&record, trailer, COUNT_OF(trailer));
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_int_equal(out.kind, RECORD_OTHER);
	assert_trailer(&out);

	record_begin(&record, 60, 0);	/* a type that no kernel has today */
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_int_equal(out.kind, RECORD_OTHER);
	assert_false(out.has_time);
}

static void test_the_id_is_found_in_samples_and_in_trailers(void **state)
{
	const uint64_t fields = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				PERF_SAMPLE_ID | PERF_SAMPLE_CPU;
	struct record_format format = record_format_of(fields, false);
	static const uint64_t words[] = { 0x1000, PAIR(1, 1), 5000, 4711, PAIR(0, 0) };
	static const uint64_t ends[] = { PAIR(1, 1), 5000, 4713, PAIR(0, 0) };
	struct event_record out;
	struct record_bytes record;
	uint64_t id;

	(void)state;
	record_begin(&record, PERF_RECORD_SAMPLE, 0);
	record_add(&record, words, COUNT_OF(words));
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);	/* sets the size */
	assert_int_equal(record_peek_id(&format, record.words, sizeof(record.words), &id), 0);
	assert_int_equal(id, 4711);

	record_begin(&record, PERF_RECORD_LOST_SAMPLES, 0);
	record_add(&record, words, 1);
	record_add(&record, ends, COUNT_OF(ends));
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_int_equal(record_peek_id(&format, record.words, sizeof(record.words), &id), -ENOENT);
	format = record_format_of(fields, true);
	assert_int_equal(record_peek_id(&format, record.words, sizeof(record.words), &id), 0);
	assert_int_equal(id, 4713);
}

static void test_the_identifier_is_first_in_samples_and_last_in_trailers(void **state)
{
	struct record_format format =
		record_format_of(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP, true);
	static const uint64_t words[] = { 4711, 0x1000 };
	struct event_record out;
	struct record_bytes record;
	uint64_t id;

	(void)state;
	record_begin(&record, PERF_RECORD_SAMPLE, 0);
	record_add(&record, words, COUNT_OF(words));
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_int_equal(record_peek_id(&format, record.words, sizeof(record.words), &id), 0);
	assert_int_equal(id, 4711);
	record_begin(&record, PERF_RECORD_LOST_SAMPLES, 0);
	record_add(&record, words, COUNT_OF(words));
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_int_equal(record_peek_id(&format, record.words, sizeof(record.words), &id), 0);
	assert_int_equal(id, 0x1000);
	assert_int_equal(record_peek_id(&format, record.words, 8, &id), -ENOENT);
	format = record_format_of(PERF_SAMPLE_IP, true);
	assert_int_equal(record_peek_id(&format, record.words, sizeof(record.words), &id), -ENOENT);
}

UNIT_TESTS(test_record_sideband)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mmap_tells_the_mapping_and_who_made_it),
		cmocka_unit_test(test_mmap2_tells_the_inode),
		cmocka_unit_test(test_mmap2_with_a_build_id_has_no_inode),
		cmocka_unit_test(test_comm_tells_the_name_and_whether_it_comes_from_exec),
		cmocka_unit_test(test_text_without_an_end_stops_at_the_trailer),
		cmocka_unit_test(test_fork_and_exit_tell_child_and_parent),
		cmocka_unit_test(test_lost_records_and_samples_are_counted),
		cmocka_unit_test(test_throttle_and_unthrottle_have_a_time),
		cmocka_unit_test(test_ksymbol_tells_a_kernel_function_come_or_gone),
		cmocka_unit_test(test_a_record_that_is_too_long_ends_with_its_first_trailer),
		cmocka_unit_test(test_cgroups_have_an_id_and_a_path),
		cmocka_unit_test(test_bpf_events_are_recognized),
		cmocka_unit_test(test_records_of_no_use_are_other_and_keep_their_time),
		cmocka_unit_test(test_the_id_is_found_in_samples_and_in_trailers),
		cmocka_unit_test(test_the_identifier_is_first_in_samples_and_last_in_trailers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
