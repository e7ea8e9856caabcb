/* Samples: their bytes, written down word by word after perf_event_open(2), and what they mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>

#include <cmocka.h>

#include "record_bytes.h"
#include "unit_tests.h"

/* One field of a sample each, in the kernel's order. The words hold, where a length is in them,
 * exactly what it asks for. */
static const struct field {
	uint64_t bit;
	size_t count;
	uint64_t words[10];
} fields[] = {
	{ PERF_SAMPLE_IDENTIFIER, 1, { 4711 } },
	{ PERF_SAMPLE_IP, 1, { 0x401234 } },
	{ PERF_SAMPLE_TID, 1, { PAIR(10, 11) } },
	{ PERF_SAMPLE_TIME, 1, { 1000000007 } },
	{ PERF_SAMPLE_ADDR, 1, { 0xdead0000 } },
	{ PERF_SAMPLE_ID, 1, { 4711 } },
	{ PERF_SAMPLE_STREAM_ID, 1, { 4712 } },
	{ PERF_SAMPLE_CPU, 1, { PAIR(3, 0xffffffff) } },
	{ PERF_SAMPLE_PERIOD, 1, { 250000 } },
	{ PERF_SAMPLE_READ, 9, { 2, 100, 50, 7, 71, 0, 8, 81, 1 } },
	{ PERF_SAMPLE_CALLCHAIN, 4, { 3, (uint64_t)PERF_CONTEXT_USER, 0x401234, 0x402000 } },
	{ PERF_SAMPLE_RAW, 2, { PAIR(12, 0x11111111), 0x3333333322222222 } },
	{ PERF_SAMPLE_BRANCH_STACK, 10, { 2, 0x77, 1, 2, 3, 4, 5, 6, 0xc0, 0xc1 } },
	{ PERF_SAMPLE_REGS_USER, 4, { PERF_SAMPLE_REGS_ABI_64, 0xa, 0xb, 0xc } },
	{ PERF_SAMPLE_STACK_USER, 4, { 16, 0x5555, 0x6666, 9 } },
	{ PERF_SAMPLE_WEIGHT, 1, { 77 } },
	{ PERF_SAMPLE_DATA_SRC, 1, { 1 } },
	{ PERF_SAMPLE_TRANSACTION, 1, { 2 } },
	{ PERF_SAMPLE_REGS_INTR, 3, { PERF_SAMPLE_REGS_ABI_64, 0xd, 0xe } },
	{ PERF_SAMPLE_PHYS_ADDR, 1, { 3 } },
	{ PERF_SAMPLE_CGROUP, 1, { 4 } },
	{ PERF_SAMPLE_DATA_PAGE_SIZE, 1, { 4096 } },
	{ PERF_SAMPLE_CODE_PAGE_SIZE, 1, { 4096 } },
	{ PERF_SAMPLE_AUX, 3, { 11, 0x4141414141414141, 0x414141 } },
};

static struct record_format format_with(uint64_t sample_type)
{
	const struct perf_event_attr attr = {
		.sample_type = sample_type,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID | PERF_FORMAT_LOST,
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HW_INDEX |
				      1 << 19 /* counters */,
		.sample_regs_user = 0x700,
		.sample_regs_intr = 0x3,
	};
	struct record_format format;

	record_format_init(&format, &attr);
	return format;
}

/* A sample of all fields in @sample_type; returns it in @record. */
static struct record_format make_sample(struct record_bytes *record, uint64_t sample_type)
{
	record_begin(record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	for (size_t i = 0; i < COUNT_OF(fields); i++) {
		if (fields[i].bit & sample_type)
			record_add(record, fields[i].words, fields[i].count);
	}
	return format_with(sample_type);
}

static uint64_t every_field(void)
{
	uint64_t all = 0;

	for (size_t i = 0; i < COUNT_OF(fields); i++)
		all |= fields[i].bit;
	return all;
}

static void test_each_field_alone_takes_exactly_its_words(void **state)
{
	struct event_record out;
	struct record_bytes record;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(fields); i++) {
		const struct record_format format = make_sample(&record, fields[i].bit);

		assert_int_equal(record.count, 1 + fields[i].count);
		assert_int_equal(record_parse_cut(&format, &record, record.count, &out), 0);
		assert_int_equal(out.kind, RECORD_SAMPLE);
		assert_int_equal(record_parse_cut(&format, &record, record.count - 1, &out),
				 -EBADMSG);
	}
}

static void test_all_fields_together_give_their_values(void **state)
{
	struct event_record out;
	struct record_bytes record;
	const struct record_format format = make_sample(&record, every_field());
	uint32_t raw_first;
	uint64_t raw_rest;

	(void)state;
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_int_equal(out.mode, MODE_USER);
	assert_true(out.has_pid && out.has_time && out.has_cpu);
	assert_int_equal(out.pid, 10);
	assert_int_equal(out.tid, 11);
	assert_int_equal(out.time_ns, 1000000007);
	assert_int_equal(out.cpu, 3);
	assert_int_equal(out.sample.ip, 0x401234);
	assert_int_equal(out.sample.addr, 0xdead0000);
	assert_int_equal(out.sample.period, 250000);
	assert_int_equal(out.sample.chain_count, 3);
	assert_int_equal(out.sample.chain[0], (uint64_t)PERF_CONTEXT_USER);
	assert_int_equal(out.sample.chain[2], 0x402000);
	assert_int_equal(out.sample.raw_bytes, 12);
	memcpy(&raw_first, out.sample.raw, sizeof(raw_first));
	memcpy(&raw_rest, (const char *)out.sample.raw + sizeof(raw_first), sizeof(raw_rest));
	assert_int_equal(raw_first, 0x11111111);
	assert_int_equal(raw_rest, 0x3333333322222222);
	assert_int_equal(out.sample.user_abi, PERF_SAMPLE_REGS_ABI_64);
	assert_int_equal(out.sample.user_regs_count, 3);
	assert_int_equal(out.sample.user_regs[2], 0xc);
	assert_int_equal(out.sample.user_stack_bytes, 9);
	assert_memory_equal(out.sample.user_stack, fields[14].words + 1, 9);
	assert_int_equal(out.sample.weight, 77);
	assert_true(out.sample.has_cgroup);
	assert_int_equal(out.sample.cgroup, 4);
}

/* What the parser of the front says of each layout is what that of the whole record says. */
static void test_the_front_says_who_and_when_as_the_whole_does(void **state)
{
	struct event_record front, whole;
	struct record_bytes record;

	(void)state;
	for (uint64_t bits = 0; bits < 512; bits++) {	/* the fields up to the period */
		uint64_t type = PERF_SAMPLE_CALLCHAIN;
		struct record_format format;

		for (size_t i = 0; i < 9; i++)
			type |= bits >> i & 1 ? fields[i].bit : 0;
		format = make_sample(&record, type);
		memset(&front, 0xee, sizeof(front));
		assert_int_equal(record_close_and_parse(&format, &record, &whole), 0);
		assert_int_equal(record_parse_front(&format, record.words, record.count * 8,
						    &front), 0);
		assert_int_equal(front.kind, RECORD_SAMPLE);
		assert_int_equal(front.has_pid, whole.has_pid);
		assert_int_equal(front.pid, whole.pid);
		assert_int_equal(front.tid, whole.tid);
		assert_int_equal(front.has_time, whole.has_time);
		assert_true(front.time_ns == whole.time_ns);
	}
}

static void test_a_front_that_is_cut_short_is_refused(void **state)
{
	struct record_bytes record;
	const struct record_format format = make_sample(&record, every_field());
	struct event_record out;

	(void)state;
	record.count = 10;	/* the header and nine fields */
	record_close(&record);
	assert_int_equal(record_parse_front(&format, record.words, 80, &out), 0);
	assert_int_equal(record_parse_front(&format, record.words, 72, &out), -EBADMSG);
	record.count = 9;
	record_close(&record);
	assert_int_equal(record_parse_front(&format, record.words, 80, &out), -EBADMSG);
	assert_int_equal(record_parse_front(&format, record.words, 4, &out), -EBADMSG);
}

static void test_every_truncation_of_a_full_sample_is_refused(void **state)
{
	struct event_record out;
	struct record_bytes record;
	const struct record_format format = make_sample(&record, every_field());

	(void)state;
	for (size_t count = 1; count < record.count; count++)
		assert_int_equal(record_parse_cut(&format, &record, count, &out), -EBADMSG);
	assert_int_equal(record_parse_cut(&format, &record, record.count, &out), 0);
}

static void test_a_size_beyond_the_bytes_or_of_half_a_word_is_refused(void **state)
{
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = 16 };
	const struct record_format format = format_with(PERF_SAMPLE_IP), empty = format_with(0);
	uint64_t words[2] = { 0, 5 };
	struct event_record out;

	(void)state;
	memcpy(words, &header, sizeof(header));
	assert_int_equal(record_parse(&format, words, 16, &out), 0);
	assert_int_equal(record_parse(&format, words, 15, &out), -EBADMSG);
	assert_int_equal(record_parse(&format, words, 4, &out), -EBADMSG);
	for (header.size = 0; header.size < 16; header.size++) {
		memcpy(words, &header, sizeof(header));
		assert_int_equal(record_parse(&format, words, 16, &out), -EBADMSG);
		assert_int_equal(record_parse(&empty, words, 16, &out),
				 header.size == 8 ? 0 : -EBADMSG);
	}
}

/* Counts so large that counting their bytes overflows. */
static void test_lying_counts_are_refused(void **state)
{
	static const uint64_t bits[] = { PERF_SAMPLE_READ, PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_RAW,
					 PERF_SAMPLE_BRANCH_STACK, PERF_SAMPLE_STACK_USER,
					 PERF_SAMPLE_AUX };
	static const uint64_t lies[] = { UINT64_MAX, UINT64_MAX / 8 + 1, UINT64_MAX / 24 + 1,
					 UINT64_MAX / 3 + 1, UINT64_C(1) << 62, UINT64_C(1) << 61,
					 UINT64_C(1) << 32, 1000, UINT32_MAX };
	const uint64_t zeros[12] = { 0 };
	struct event_record out;
	struct record_bytes record;

	(void)state;
	for (size_t bit = 0; bit < COUNT_OF(bits); bit++) {
		for (size_t lie = 0; lie < COUNT_OF(lies); lie++) {
			const struct record_format format = format_with(bits[bit]);

			if (bits[bit] == PERF_SAMPLE_RAW && !(uint32_t)lies[lie])
				continue;	/* its count has 32 bits: an honest 0 */
			record_begin(&record, PERF_RECORD_SAMPLE, 0);
			record_add(&record, &lies[lie], 1);
			record_add(&record, zeros, COUNT_OF(zeros));
			assert_int_equal(record_close_and_parse(&format, &record, &out), -EBADMSG);
		}
	}
}

static void test_a_stack_that_claims_more_than_its_room_is_refused(void **state)
{
	uint64_t words[] = { 16, 1, 2, 17 };
	const struct record_format format = format_with(PERF_SAMPLE_STACK_USER);
	struct event_record out;
	struct record_bytes record;

	(void)state;
	record_begin(&record, PERF_RECORD_SAMPLE, 0);
	record_add(&record, words, COUNT_OF(words));
	assert_int_equal(record_close_and_parse(&format, &record, &out), -EBADMSG);
	words[3] = 16;
	record_begin(&record, PERF_RECORD_SAMPLE, 0);
	record_add(&record, words, COUNT_OF(words));
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	words[0] = 12;	/* the kernel reserves whole words */
	words[2] = 1;
	record_begin(&record, PERF_RECORD_SAMPLE, 0);
	record_add(&record, words, COUNT_OF(words));
	assert_int_equal(record_close_and_parse(&format, &record, &out), -EBADMSG);
}

/* A kernel thread has no user registers and no user stack: only the abi and the size are there. */
static void test_absent_user_registers_and_stack_take_one_word_each(void **state)
{
	static const uint64_t words[] = { PERF_SAMPLE_REGS_ABI_NONE, 0, 55 };
	const struct record_format format = format_with(PERF_SAMPLE_REGS_USER |
							PERF_SAMPLE_STACK_USER |
							PERF_SAMPLE_WEIGHT);
	struct event_record out;
	struct record_bytes record;

	(void)state;
	record_begin(&record, PERF_RECORD_SAMPLE, 0);
	record_add(&record, words, COUNT_OF(words));
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_null(out.sample.user_regs);
	assert_null(out.sample.user_stack);
	assert_int_equal(out.sample.weight, 55);
}

static void test_an_empty_chain_is_no_chain(void **state)
{
	static const uint64_t words[] = { 0x1000, 0 };
	const struct record_format format = format_with(PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN);
	struct event_record out;
	struct record_bytes record;

	(void)state;
	record_begin(&record, PERF_RECORD_SAMPLE, 0);
	record_add(&record, words, COUNT_OF(words));
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_null(out.sample.chain);
	assert_int_equal(out.sample.chain_count, 0);
}

/* Each read format has its own length; the weight after it shows whether it was kept. */
static void test_every_read_format_has_its_length(void **state)
{
	static const struct {
		uint64_t read_format;
		size_t count;
	} cases[] = {
		{ 0, 1 },
		{ PERF_FORMAT_ID, 2 },
		{ PERF_FORMAT_LOST, 2 },
		{ PERF_FORMAT_ID | PERF_FORMAT_LOST, 3 },
		{ PERF_FORMAT_TOTAL_TIME_ENABLED, 2 },
		{ PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING, 3 },
		{ PERF_FORMAT_GROUP, 3 },	/* number, two values */
		{ PERF_FORMAT_GROUP | PERF_FORMAT_ID, 5 },
		{ PERF_FORMAT_GROUP | PERF_FORMAT_LOST | PERF_FORMAT_TOTAL_TIME_RUNNING, 6 },
	};
	static const uint64_t values[] = { 2, 2, 2, 2, 2, 2, 2, 2, 2 };
	static const uint64_t weight = 99;
	struct event_record out;
	struct record_bytes record;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct record_format format = format_with(PERF_SAMPLE_READ | PERF_SAMPLE_WEIGHT);

		format.read_format = cases[i].read_format;
		record_begin(&record, PERF_RECORD_SAMPLE, 0);
		record_add(&record, values, cases[i].count);
		record_add(&record, &weight, 1);
		assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
		assert_int_equal(out.sample.weight, 99);
	}
}

static void test_branch_entries_without_index_and_counters_have_three_words(void **state)
{
	static const uint64_t words[] = { 2, 1, 2, 3, 4, 5, 6, 88 };
	struct record_format format = format_with(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_WEIGHT);
	struct event_record out;
	struct record_bytes record;

	(void)state;
	format.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	record_begin(&record, PERF_RECORD_SAMPLE, 0);
	record_add(&record, words, COUNT_OF(words));
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_int_equal(out.sample.weight, 88);
	assert_int_equal(out.sample.branch_count, 2);
	assert_int_equal(out.sample.branches[1].from, 4);
	assert_int_equal(out.sample.branches[1].to, 5);
}

/* The flags of struct perf_branch_entry begin with mispredicted, predicted, in_tx and abort, a bit
 * each; 16 bits of cycles follow. */
static void test_branch_entries_have_addresses_flags_and_cycles(void **state)
{
	static const uint64_t words[] = { 2, 0x77, 0x401000, 0x402000, 1 | 4 | 8 | 300 << 4,
					  0x403000, 0x404000, 2 | 0xffff << 4, 0xc0, 0xc1 };
	const struct record_format format = format_with(PERF_SAMPLE_BRANCH_STACK);
	const struct perf_branch_entry *branch;
	struct event_record out;
	struct record_bytes record;

	(void)state;
	record_begin(&record, PERF_RECORD_SAMPLE, 0);
	record_add(&record, words, COUNT_OF(words));
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_int_equal(out.sample.branch_count, 2);
	branch = out.sample.branches;
	assert_int_equal(branch[0].from, 0x401000);
	assert_int_equal(branch[0].to, 0x402000);
	assert_true(branch[0].mispred && !branch[0].predicted && branch[0].in_tx &&
		    branch[0].abort);
	assert_int_equal(branch[0].cycles, 300);
	assert_int_equal(branch[1].from, 0x403000);
	assert_int_equal(branch[1].to, 0x404000);
	assert_true(!branch[1].mispred && branch[1].predicted && !branch[1].in_tx &&
		    !branch[1].abort);
	assert_int_equal(branch[1].cycles, 0xffff);
}

/* 3 * count overflows to 2 words, which are there. */
static void test_a_count_of_branches_beyond_the_record_is_refused(void **state)
{
	static const uint64_t counts[] = { 3, UINT64_MAX, UINT64_MAX / 3 + 1 };
	struct record_format format = format_with(PERF_SAMPLE_BRANCH_STACK);
	struct event_record out;
	struct record_bytes record;

	(void)state;
	format.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	for (size_t i = 0; i < COUNT_OF(counts); i++) {
		const uint64_t words[] = { counts[i], 1, 2, 3, 4, 5, 6 };

		record_begin(&record, PERF_RECORD_SAMPLE, 0);
		record_add(&record, words, COUNT_OF(words));
		assert_int_equal(record_close_and_parse(&format, &record, &out), -EBADMSG);
	}
}

static void test_a_weight_struct_gives_its_first_part(void **state)
{
	static const uint64_t words[] = { PAIR(42, 0x00070009) };
	const struct record_format format = format_with(PERF_SAMPLE_WEIGHT_STRUCT);
	struct event_record out;
	struct record_bytes record;

	(void)state;
	record_begin(&record, PERF_RECORD_SAMPLE, 0);
	record_add(&record, words, COUNT_OF(words));
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_int_equal(out.sample.weight, 42);
}

/* Without PERF_SAMPLE_PERIOD each sample stands for the attr's period; a frequency says nothing. */
static void test_a_missing_period_comes_from_the_attr(void **state)
{
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_IP, .sample_period = 4000 };
	const uint64_t ip = 0x1000;
	struct record_format format;
	struct event_record out;
	struct record_bytes record;

	(void)state;
	record_begin(&record, PERF_RECORD_SAMPLE, 0);
	record_add(&record, &ip, 1);
	record_format_init(&format, &attr);
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_int_equal(out.sample.period, 4000);
	attr.freq = 1;
	record_format_init(&format, &attr);
	assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
	assert_int_equal(out.sample.period, 1);
	assert_false(out.has_pid || out.has_time || out.has_cpu);
}

static void test_the_mode_comes_from_misc(void **state)
{
	static const struct {
		uint16_t misc;
		enum cpu_mode mode;
	} cases[] = {
		{ PERF_RECORD_MISC_CPUMODE_UNKNOWN, MODE_UNKNOWN },
		{ PERF_RECORD_MISC_KERNEL, MODE_KERNEL },
		{ PERF_RECORD_MISC_USER | PERF_RECORD_MISC_EXACT_IP, MODE_USER },
		{ PERF_RECORD_MISC_HYPERVISOR, MODE_HYPERVISOR },
		{ PERF_RECORD_MISC_GUEST_KERNEL, MODE_GUEST_KERNEL },
		{ PERF_RECORD_MISC_GUEST_USER, MODE_GUEST_USER },
	};
	const struct record_format format = format_with(0);
	struct event_record out;
	struct record_bytes record;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		record_begin(&record, PERF_RECORD_SAMPLE, cases[i].misc);
		assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
		assert_int_equal(out.mode, cases[i].mode);
	}
}

/* Where the time of a record lies is where the parser found it. */
static void test_the_word_of_the_time_is_what_was_parsed(void **state)
{
	static const uint32_t types[] = {
		PERF_RECORD_SAMPLE, PERF_RECORD_MMAP, PERF_RECORD_MMAP2, PERF_RECORD_LOST,
		PERF_RECORD_COMM, PERF_RECORD_EXIT, PERF_RECORD_THROTTLE, PERF_RECORD_UNTHROTTLE,
		PERF_RECORD_FORK, PERF_RECORD_KSYMBOL, PERF_RECORD_CGROUP,
	};
	static const uint64_t sample_types[] = {
		0, PERF_SAMPLE_TIME, PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
		PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_ID,
		PERF_SAMPLE_TID,
	};
	uint64_t words[20];
	struct record_bytes record;
	struct event_record out;

	(void)state;
	for (uint64_t i = 0; i < COUNT_OF(words); i++)
		words[i] = 1000 + i;
	for (size_t i = 0; i < COUNT_OF(types) * COUNT_OF(sample_types) * 2; i++) {
		const uint32_t type = types[i / 2 / COUNT_OF(sample_types)];
		const struct record_format format =
			record_format_of(sample_types[i / 2 % COUNT_OF(sample_types)], i % 2);
		int word;

		record_begin(&record, type, 0);
		record_add(&record, words, COUNT_OF(words));
		assert_int_equal(record_close_and_parse(&format, &record, &out), 0);
		word = record_time_word(&format, (const void *)record.words);
		assert_int_equal(word != 0, out.has_time);
		if (word < 0)
			word += (int)record.count;
		assert_true(!word || record.words[word] == out.time_ns);
	}
}

UNIT_TESTS(test_record)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_field_alone_takes_exactly_its_words),
		cmocka_unit_test(test_all_fields_together_give_their_values),
		cmocka_unit_test(test_the_front_says_who_and_when_as_the_whole_does),
		cmocka_unit_test(test_a_front_that_is_cut_short_is_refused),
		cmocka_unit_test(test_every_truncation_of_a_full_sample_is_refused),
		cmocka_unit_test(test_a_size_beyond_the_bytes_or_of_half_a_word_is_refused),
		cmocka_unit_test(test_lying_counts_are_refused),
		cmocka_unit_test(test_a_stack_that_claims_more_than_its_room_is_refused),
		cmocka_unit_test(test_absent_user_registers_and_stack_take_one_word_each),
		cmocka_unit_test(test_an_empty_chain_is_no_chain),
		cmocka_unit_test(test_every_read_format_has_its_length),
		cmocka_unit_test(test_branch_entries_without_index_and_counters_have_three_words),
		cmocka_unit_test(test_branch_entries_have_addresses_flags_and_cycles),
		cmocka_unit_test(test_a_count_of_branches_beyond_the_record_is_refused),
		cmocka_unit_test(test_a_weight_struct_gives_its_first_part),
		cmocka_unit_test(test_a_missing_period_comes_from_the_attr),
		cmocka_unit_test(test_the_mode_comes_from_misc),
		cmocka_unit_test(test_the_word_of_the_time_is_what_was_parsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
