/* What a sample keeps of its stack copy. The records are written word by word, as the kernel's
 * perf_output_sample() does. */
#include "capture/stack_copy.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "record_bytes.h"
#include "unit_tests.h"

#define COPY_WORDS 64u

static struct record_format format;

static int make_format(void **state)
{
	(void)state;
	format = record_format_of(PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
				  PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT |
				  PERF_SAMPLE_PHYS_ADDR, false);
	format.user_regs_mask = 1u << 7 | 1u << 8;
	return 0;
}

static struct record_bytes whole;
static uint64_t trimmed[RECORD_MAX_WORDS];

/* A sample with a copy of 64 words, of which the kernel filled @filled_bytes. */
static void write_sample(uint64_t filled_bytes)
{
	uint64_t words[COPY_WORDS];
	const uint64_t before[] = { 0x1000, 2, (uint64_t)-128, 0xffffffff81000000,
				    PERF_SAMPLE_REGS_ABI_64, 0x7000, 0x1000, sizeof(words) };
	const uint64_t after[] = { filled_bytes, 77, 0xabc000 };

	for (size_t i = 0; i < COPY_WORDS; i++)
		words[i] = i * 8 < filled_bytes ? 500 + i : 0xdead;
	record_begin(&whole, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	record_add(&whole, before, COUNT_OF(before));
	record_add(&whole, words, COPY_WORDS);
	record_add(&whole, after, COUNT_OF(after));
	record_close(&whole);
}

/* Returns the words of the result; what it says is what the whole record says, of the stack the
 * first bytes. */
static size_t trim_to(size_t needed, bool leaves_out)
{
	const uint64_t stays = leaves_out ? needed : UINT64_MAX;
	const struct perf_event_header *header = (const void *)whole.words;
	struct event_record before, after;
	struct record_trim plan;

	assert_int_equal(record_parse(&format, whole.words, header->size, &before), 0);
	record_trim_init(&plan, header, &before, needed);
	memset(trimmed, 0xee, sizeof(trimmed));
	record_trim_write(&plan, trimmed);
	assert_int_equal(trimmed[plan.bytes / 8], 0xeeeeeeeeeeeeeeee);
	assert_int_equal(record_parse(&format, trimmed, plan.bytes, &after), 0);
	assert_int_equal(after.sample.ip, before.sample.ip);
	assert_int_equal(after.sample.weight, 77);
	assert_int_equal(after.sample.chain_count, 2);
	assert_int_equal(after.sample.user_regs[0], 0x7000);
	assert_int_equal(after.sample.user_stack_bytes,
			 stays < before.sample.user_stack_bytes ? stays
								: before.sample.user_stack_bytes);
	assert_int_equal(record_trim_left_out(&after.sample), leaves_out);
	assert_non_null(after.sample.user_stack);
	assert_memory_equal(after.sample.user_stack, before.sample.user_stack,
			    after.sample.user_stack_bytes);
	assert_int_equal(trimmed[plan.bytes / 8 - 1], 0xabc000);
	return plan.bytes / 8;
}

static size_t trim(void)
{
	return trim_to(SIZE_MAX, false);
}

static void test_what_the_kernel_did_not_fill_is_cut(void **state)
{
	(void)state;
	write_sample(80);
	assert_int_equal(trim(), whole.count - COPY_WORDS + 10);
}

static void test_a_half_word_is_kept_whole(void **state)
{
	(void)state;
	write_sample(81);
	assert_int_equal(trim(), whole.count - COPY_WORDS + 11);
}

static void test_a_full_copy_stays_as_it_is(void **state)
{
	(void)state;
	write_sample(COPY_WORDS * 8);
	assert_int_equal(trim(), whole.count);
	assert_memory_equal(trimmed, whole.words, whole.count * 8);
}

/* But for a word, which tells of it. */
static void test_what_is_not_needed_is_cut(void **state)
{
	(void)state;
	write_sample(COPY_WORDS * 8);
	assert_int_equal(trim_to(80, true), whole.count - COPY_WORDS + 11);
	assert_int_equal(trim_to(81, true), whole.count - COPY_WORDS + 12);
	assert_int_equal(trim_to(COPY_WORDS * 8, false), whole.count);
	assert_int_equal(trim_to(COPY_WORDS * 8 - 8, false), whole.count);
	write_sample(80);
	assert_int_equal(trim_to(160, false), whole.count - COPY_WORDS + 10);
	assert_int_equal(trim_to(40, true), whole.count - COPY_WORDS + 6);
}

/* A copy of no bytes has no word that says how much of it is filled. */
static void test_an_empty_copy_keeps_a_word(void **state)
{
	(void)state;
	write_sample(0);
	assert_int_equal(trim(), whole.count - COPY_WORDS + 1);
}

static void test_a_record_without_a_copy_stays_as_it_is(void **state)
{
	static const uint64_t words[] = { 0x1000, 0, PERF_SAMPLE_REGS_ABI_NONE, 0, 77, 0xabc000 };
	struct event_record parsed;
	struct record_trim plan;

	(void)state;
	record_begin(&whole, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	record_add(&whole, words, COUNT_OF(words));
	record_close(&whole);
	assert_int_equal(record_parse(&format, whole.words, whole.count * 8, &parsed), 0);
	record_trim_init(&plan, (const void *)whole.words, &parsed, SIZE_MAX);
	assert_int_equal(plan.bytes, whole.count * 8);
	record_trim_write(&plan, trimmed);
	assert_memory_equal(trimmed, whole.words, plan.bytes);
}

static void test_what_cannot_be_parsed_stays_as_it_is(void **state)
{
	struct record_trim plan;

	(void)state;
	write_sample(80);
	record_trim_init(&plan, (const void *)whole.words, NULL, SIZE_MAX);
	assert_int_equal(plan.bytes, whole.count * 8);
	record_trim_write(&plan, trimmed);
	assert_memory_equal(trimmed, whole.words, plan.bytes);
}

UNIT_TESTS(test_record_trim)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_the_kernel_did_not_fill_is_cut),
		cmocka_unit_test(test_a_half_word_is_kept_whole),
		cmocka_unit_test(test_a_full_copy_stays_as_it_is),
		cmocka_unit_test(test_what_is_not_needed_is_cut),
		cmocka_unit_test(test_an_empty_copy_keeps_a_word),
		cmocka_unit_test(test_a_record_without_a_copy_stays_as_it_is),
		cmocka_unit_test(test_what_cannot_be_parsed_stays_as_it_is),
	};

	return cmocka_run_group_tests(tests, make_format, NULL);
}
