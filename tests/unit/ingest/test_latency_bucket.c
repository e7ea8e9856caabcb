/* Eight bits for a duration: where buckets begin, how far off they are, percentiles by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ingest/snapshot_probes.h"
#include "random_numbers.h"
#include "unit_tests.h"

/* 2^10 = 1024, 2^10.25 = 1217.7, 2^10.5 = 1448.2, 2^10.75 = 1722.2 */
static void test_an_octave_has_four_buckets(void **state)
{
	(void)state;
	assert_int_equal(latency_bucket(1023), 1 + 4 * 9 + 3);
	assert_int_equal(latency_bucket(1024), 41);
	assert_int_equal(latency_bucket(1217), 41);
	assert_int_equal(latency_bucket(1218), 42);
	assert_int_equal(latency_bucket(1448), 42);
	assert_int_equal(latency_bucket(1449), 43);
	assert_int_equal(latency_bucket(1722), 43);
	assert_int_equal(latency_bucket(1723), 44);
	assert_int_equal(latency_bucket(2047), 44);
	assert_int_equal(latency_bucket_begin(42), 1218);
	assert_int_equal(latency_bucket_octave(44), 10);
}

static void test_the_ends_of_the_scale_have_buckets(void **state)
{
	(void)state;
	assert_int_equal(latency_bucket(0), 1);
	assert_int_equal(latency_bucket(1), 1);
	assert_int_equal(latency_bucket(2), 5);
	assert_int_equal(latency_bucket(UINT64_MAX), 255);
	assert_int_equal(latency_bucket_octave(255), 63);
}

static void test_a_bucket_stands_for_its_numbers_with_nine_percent(void **state)
{
	uint64_t seed = 4711;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		const uint64_t ns = random_next(&seed) >> (16 + random_below(&seed, 42)) | 64;
		const double middle = (double)latency_bucket_middle(latency_bucket(ns));

		assert_true(middle <= (double)ns * 1.0906 + 0.5);
		assert_true(middle >= (double)ns / 1.0906 - 0.5);
		assert_true(latency_bucket_begin(latency_bucket(ns)) <= ns);
	}
}

/* 90 calls of 1 us, 9 of 100 us, one of 5 ms: 1 us is in the bucket from 2^9.75 (861) to 1024,
 * which stands for 2^9.875 = 939; 100 us in that from 2^16.5 (92682) to 2^16.75, which stands for
 * 2^16.625. */
static void test_percentiles_are_of_sorted_calls(void **state)
{
	uint64_t counts[LATENCY_BUCKETS] = { 0 };
	struct snapshot_latency latency;

	(void)state;
	counts[latency_bucket(1000)] = 90;
	counts[latency_bucket(100000)] = 9;
	counts[latency_bucket(5000000)] = 1;
	latency_summarize(counts, 5000000, &latency);
	assert_int_equal(latency.count, 100);
	assert_int_equal(latency.p50_ns, 939);
	assert_int_equal(latency.p90_ns, 939);
	assert_int_equal(latency.p99_ns, 101070);
	assert_int_equal(latency.max_ns, 5000000);
	assert_int_equal(latency.octaves[9], 90);
	assert_int_equal(latency.octaves[16], 9);
	assert_int_equal(latency.octaves[22], 1);
}

static void test_the_longest_call_of_another_window_is_not_this_ones(void **state)
{
	uint64_t counts[LATENCY_BUCKETS] = { [41] = 3 };
	struct snapshot_latency latency;

	(void)state;
	latency_summarize(counts, 5000000, &latency);
	assert_int_equal(latency.max_ns, 1217);
	latency_summarize(counts, 1100, &latency);
	assert_int_equal(latency.max_ns, 1100);
	assert_int_equal(latency.p99_ns, 1100);		/* not above the maximum */
}

static void test_no_call_has_no_percentiles(void **state)
{
	const uint64_t counts[LATENCY_BUCKETS] = { 0 };
	struct snapshot_latency latency;

	(void)state;
	latency_summarize(counts, 77, &latency);
	assert_int_equal(latency.count, 0);
	assert_int_equal(latency.p50_ns, 0);
	assert_int_equal(latency.max_ns, 0);
}

UNIT_TESTS(test_latency_bucket)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_octave_has_four_buckets),
		cmocka_unit_test(test_the_ends_of_the_scale_have_buckets),
		cmocka_unit_test(test_a_bucket_stands_for_its_numbers_with_nine_percent),
		cmocka_unit_test(test_percentiles_are_of_sorted_calls),
		cmocka_unit_test(test_the_longest_call_of_another_window_is_not_this_ones),
		cmocka_unit_test(test_no_call_has_no_percentiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
