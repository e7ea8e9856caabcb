/* Conditions of --keep-when: what they say, and in which seconds they fire. */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/condition_watch.h"
#include "hit_fixture.h"
#include "publisher_fixture.h"
#include "unit_tests.h"

#define MS  UINT64_C(1000000)
#define PID 100
#define P   1

static struct condition parsed(const char *text)
{
	struct condition condition;
	struct diag why;

	if (condition_parse(&condition, text, &why))
		fail_msg("%s", why.text);
	return condition;
}

static void expect_parsed(const char *text, const char *probe, enum condition_stat stat,
			  enum condition_operator comparison, double limit)
{
	const struct condition condition = parsed(text);

	assert_string_equal(condition.probe, probe);
	assert_int_equal(condition.stat, stat);
	assert_int_equal(condition.comparison, comparison);
	assert_true(condition.limit == limit);
}

static void test_a_condition_is_a_stat_a_comparison_and_a_limit(void **state)
{
	(void)state;
	expect_parsed("busy > 90", "", CONDITION_BUSY, CONDITION_ABOVE, 90);
	expect_parsed(" busy>=12.5% ", "", CONDITION_BUSY, CONDITION_AT_LEAST, 12.5);
	expect_parsed("samples < 10", "", CONDITION_SAMPLES, CONDITION_BELOW, 10);
	expect_parsed("lost > 0", "", CONDITION_LOST, CONDITION_ABOVE, 0);
	expect_parsed("read p99 > 50ms", "read", CONDITION_P99, CONDITION_ABOVE, 50e6);
	expect_parsed("read p50 <= 3 us", "read", CONDITION_P50, CONDITION_AT_MOST, 3000);
	expect_parsed("read max > 1.5s", "read", CONDITION_MAX, CONDITION_ABOVE, 1.5e9);
	expect_parsed("read rate > 2k/s", "read", CONDITION_RATE, CONDITION_ABOVE, 2000);
	expect_parsed("read count > 2M", "read", CONDITION_COUNT, CONDITION_ABOVE, 2e6);
	/* Names have blanks and comparisons. */
	expect_parsed("lat:libc.so:read if fd > 2 avg > 1ms", "lat:libc.so:read if fd > 2",
		      CONDITION_AVG, CONDITION_ABOVE, 1e6);
}

static void test_what_is_wrong_is_shown_with_its_column_and_the_remedy(void **state)
{
	static const struct { const char *text, *says; } wrong[] = {
		{ "", "column 1: a comparison is missing" },
		{ "busy 90", "column 8: a comparison is missing" },
		{ "> 90", "column 1: what is compared is missing" },
		{ "busy >", "column 7: a number is missing" },
		{ "busy > x", "column 8: this is no number" },
		{ "busy > 90 ms", "column 11: busy is in %" },
		{ "bsy > 90", "column 1: it is none of busy, samples and lost" },
		{ "p99 > 50ms", "column 1: the name of a probe is missing" },
		{ "read p98 > 50ms", "column 6: it is no stat of a probe: count" },
		{ "read p99 > 50", "column 14: a unit of time is needed" },
		{ "read count > 5 apples", "column 16: nothing can follow" },
	};
	struct condition condition;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct diag why = { 0 };

		assert_int_equal(condition_parse(&condition, wrong[i].text, &why), -EINVAL);
		if (!strstr(why.text, wrong[i].says))
			fail_msg("'%s': %s", wrong[i].text, why.text);
	}
}

static void test_a_condition_fires_again_only_after_a_second_without(void **state)
{
	static const struct { double value; bool is_known, fires; } seconds[] = {
		{ 95, true, true }, { 99, true, false }, { 50, true, false }, { 91, true, true },
		{ 0, false, false },	/* no value: not true */
		{ 92, true, true }, { 90, true, false }, { 90.5, true, true },
	};
	const struct condition condition = parsed("busy > 90");
	struct condition_state of = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++)
		assert_int_equal(condition_note(&condition, &of, seconds[i].is_known,
						seconds[i].value, i + 1), seconds[i].fires);
	assert_int_equal(of.fired, 4);
	assert_int_equal(of.fired_ns, 8);
}

/* The ends of the seconds in which conditions have fired. */
static struct {
	uint32_t count;
	uint64_t end_ns[16];
	double value[16];
} fired;

static void note_fired(void *owner, const struct condition_event *event)
{
	(void)owner;
	assert_true(fired.count < 16);
	assert_int_equal(event->end_ns - event->begin_ns, S);
	fired.value[fired.count] = event->value;
	fired.end_ns[fired.count++] = event->end_ns;
}

static struct condition_watch watch;

/* Everything up to @limit_ns has been counted. */
static void look(const struct condition *condition, struct busy *busy, uint64_t limit_ns)
{
	const struct condition_list list = { .list = condition, .count = 1, .fired = note_fired };

	feed_round(&feed, limit_ns);
	condition_watch_look(&watch, &list, &feed.ingest, busy);
}

static int set_up(void **state)
{
	memset(&watch, 0, sizeof(watch));
	memset(&fired, 0, sizeof(fired));
	return publisher_fixture_set_up(state);
}

/* In the seconds from 3 s on the CPUs were busy 10, 95, 96, 20 and 91 %. */
static void test_busy_fires_once_a_crossing(void **state)
{
	static const int pct[] = { 10, 10, 10, 95, 96, 20, 91, 91 };
	const struct condition condition = parsed("busy > 90");
	static struct busy busy;
	int work = 0, idle = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(pct) / sizeof(pct[0]); i++) {
		char text[64];

		snprintf(text, sizeof(text), "cpu %d 0 0 %d\n", 1000 + work, 1000 + idle);
		busy_add(&busy, i * S, text);	/* the second begins here */
		work += pct[i];
		idle += 100 - pct[i];
	}
	look(&condition, &busy, S + S / 2);	/* its second is not whole */
	for (uint64_t limit = 2; limit <= 7; limit++)
		look(&condition, &busy, limit * S + 50 * MS);
	assert_int_equal(fired.count, 2);
	assert_int_equal(fired.end_ns[0], 4 * S);
	assert_true(fired.value[0] > 94.9 && fired.value[0] < 95.1);
	assert_int_equal(fired.end_ns[1], 7 * S);
	busy_finish(&busy);
}

static void call(uint64_t begin_ns, uint64_t latency_ns)
{
	const struct hit_record enter = { .time_ns = begin_ns, .pid = PID, .tid = PID,
					  .sp = 0x7ff000 };
	struct hit_record leave = enter;

	leave.time_ns += latency_ns;
	leave.sp += sizeof(uint64_t);	/* the return took its address from the stack */
	assert_true(hit_fixture_enter(&feed.ingest, P, &enter));
	assert_true(hit_fixture_leave(&feed.ingest, P, &leave));
}

/* In each second ten calls of 10 ms end; in the sixth two of them take 60 ms. */
static void test_a_percentile_is_that_of_the_second(void **state)
{
	const struct condition condition = parsed("function p99 > 50ms");

	(void)state;
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_LATENCY, "", 0);
	hit_fixture_attach_again(&feed.ingest, P, PROBE_LATENCY, 3 * S);
	snprintf(feed.ingest.hits->rows[P].name, sizeof(feed.ingest.hits->rows[P].name),
		 "function");
	for (uint64_t second = 3; second < 9; second++) {
		for (uint64_t i = 0; i < 10; i++)
			call(second * S + i * 90 * MS,
			     second == 6 && i % 5 == 0 ? 60 * MS : 10 * MS);
		hit_fixture_round(&feed.ingest, (second + 1) * S + 50 * MS);
		look(&condition, NULL, (second + 1) * S + 50 * MS);
	}
	assert_int_equal(fired.count, 1);
	assert_int_equal(fired.end_ns[0], 7 * S);
	assert_true(fired.value[0] > 54e6 && fired.value[0] < 66e6);
}

/* An absent probe has no count; one without hits has the count 0. */
static void test_nothing_is_known_of_a_probe_that_is_absent(void **state)
{
	const struct condition condition = parsed("function count < 5");

	(void)state;
	for (uint64_t second = 3; second < 6; second++)
		look(&condition, NULL, second * S + 50 * MS);
	assert_int_equal(fired.count, 0);
	assert_false(watch.states[0].is_known);
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_ENTRY, "", 0);
	hit_fixture_attach_again(&feed.ingest, P, PROBE_ENTRY, 6 * S);
	snprintf(feed.ingest.hits->rows[P].name, sizeof(feed.ingest.hits->rows[P].name),
		 "function");
	feed.ingest.hits->rows[P].first_ns = 6 * S;
	look(&condition, NULL, 6 * S + 50 * MS);
	assert_int_equal(fired.count, 1);
	assert_true(watch.states[0].is_known && watch.states[0].value == 0);
}

/* Ten samples a second, none in the fifth. */
static void test_samples_are_counted_by_second(void **state)
{
	const struct condition condition = parsed("samples < 5");

	(void)state;
	look(&condition, NULL, 2 * S + S / 2);
	publisher_fixture_sample(30, 50);
	look(&condition, NULL, 5 * S);
	publisher_fixture_sample(60, 80);
	look(&condition, NULL, 8 * S);
	assert_int_equal(fired.count, 1);
	assert_int_equal(fired.end_ns[0], 6 * S);
	assert_true(fired.value[0] == 0);
}

#define WATCH_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, publisher_fixture_tear_down)

UNIT_TESTS(test_condition)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_condition_is_a_stat_a_comparison_and_a_limit),
		cmocka_unit_test(test_what_is_wrong_is_shown_with_its_column_and_the_remedy),
		cmocka_unit_test(test_a_condition_fires_again_only_after_a_second_without),
		WATCH_TEST(test_busy_fires_once_a_crossing),
		WATCH_TEST(test_a_percentile_is_that_of_the_second),
		WATCH_TEST(test_nothing_is_known_of_a_probe_that_is_absent),
		WATCH_TEST(test_samples_are_counted_by_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
