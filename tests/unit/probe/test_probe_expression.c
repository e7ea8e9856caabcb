/* Arithmetic on the values of a hit means the same as in C, has no undefined behaviour, and each
 * bucket of a histogram begins where the one before ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probe/probe_expression.h"
#include "random_numbers.h"
#include "unit_tests.h"

#define VALUES 4

/* The values of a hit, by argument; one that is unknown has no number. */
struct hit {
	int64_t numbers[VALUES];
	bool is_known[VALUES];
};

static bool look_up(const void *context, uint32_t argument, int64_t *out)
{
	const struct hit *hit = context;

	*out = hit->numbers[argument];
	return hit->is_known[argument];
}

static struct probe_spec parse(const char *text)
{
	struct probe_spec spec;
	struct diag why = { 0 };

	if (probe_spec_parse(&spec, text, &why))
		fail_msg("%s: %s", text, why.text);
	return spec;
}

/* Evaluates @expression over the values v0 .. v3. */
static bool value_of(const char *expression, const struct hit *hit, int64_t latency_ns,
		     int64_t *out)
{
	char text[PROBE_SPEC_BYTES];
	struct probe_spec spec;

	snprintf(text, sizeof(text), "lat:k:f v0 v1 v2 v3 : sum(%s)", expression);
	spec = parse(text);
	assert_int_equal(spec.aggregate_count, 1);
	return probe_expression_value(&spec.aggregates[0].value, look_up, hit, latency_ns, out);
}

static const struct hit known_hit = { { 7, -3, 512, 1 }, { true, true, true, false } };

static void is_value(const char *expression, int64_t expected)
{
	int64_t out = 0;

	if (!value_of(expression, &known_hit, 5000, &out))
		fail_msg("%s has no value", expression);
	if (out != expected)
		fail_msg("%s is %lld", expression, (long long)out);
}

static void test_operators_bind_as_in_c(void **state)
{
	(void)state;
	is_value("v0 + v2 * 2", 1031);
	is_value("(v0 + v2) * 2", 1038);
	is_value("v0 - 2 - 1", 4);
	is_value("v0 - (2 - 1)", 6);
	is_value("100 / 10 / 5", 2);
	is_value("17 % 5 * 2", 4);
	is_value("1 | 6 & 3", 3);
	is_value("1 << 2 + 1", 8);
	is_value("v2 >> 4 & 0x21", 32);
	is_value("-v1 * 2", 6);
	is_value("-(v0 + 1)", -8);
	is_value("--v0", 7);
	is_value("v0 - -2", 9);
	is_value("lat / 1us", 5);
	is_value("2k + 1", 2049);
	is_value("1.5ms", 1500000);
	is_value("-7 / 2", -3);
	is_value("-7 % 2", -1);
	is_value("-8 >> 1", -4);
}

static void test_overflow_wraps(void **state)
{
	(void)state;
	is_value("0x7fffffffffffffff + 1", INT64_MIN);
	is_value("-9223372036854775808", INT64_MIN);
	is_value("-9223372036854775808 / -1", INT64_MIN);
	is_value("-9223372036854775808 % -1", 0);
	is_value("-(-9223372036854775808)", INT64_MIN);
	is_value("0x7fffffffffffffff * 2", -2);
	is_value("0xffffffffffffffff", -1);
	is_value("1 << 63", INT64_MIN);
	is_value("1 << 64", 0);
	is_value("v1 >> 64", -1);
	is_value("v0 >> 64", 0);
}

static void test_what_is_unknown_or_divided_by_zero_has_no_value(void **state)
{
	int64_t out = 42;

	(void)state;
	assert_false(value_of("v3", &known_hit, 1, &out));
	assert_false(value_of("v0 + v3 * 0", &known_hit, 1, &out));
	assert_false(value_of("v0 / 0", &known_hit, 1, &out));
	assert_false(value_of("v0 % (v2 - 512)", &known_hit, 1, &out));
	assert_false(value_of("lat + 1", &known_hit, -1, &out));
	assert_true(value_of("lat + 1", &known_hit, 0, &out));
	assert_int_equal(out, 1);
}

/* A plain interpreter of a text whose binary operators have a blank on both sides: the last one of
 * those that bind least is done last. */
struct plain {
	const char *text;
	const struct hit *hit;
	int64_t latency_ns;
	bool has_none;		/* a value is unknown, or it was divided by zero */
};

static int level_of(const char *sign)
{
	static const char *const levels[] = { "|", "&", "<< >>", "+ -", "* / %" };

	for (int i = 0; i < 5; i++)
		if (strstr(levels[i], sign))
			return i;
	return 5;
}

static int64_t plain_value(struct plain *plain, size_t from, size_t to);

static int64_t plain_leaf(struct plain *plain, size_t from, size_t to)
{
	const char *at = plain->text + from;

	if (*at == '-')
		return (int64_t)(0 - (uint64_t)plain_value(plain, from + 1, to));
	if (*at == '(')
		return plain_value(plain, from + 1, to - 1);
	if (*at == 'l') {
		plain->has_none |= plain->latency_ns < 0;
		return plain->latency_ns;
	}
	if (*at != 'v')
		return (int64_t)strtoull(at, NULL, 10);
	plain->has_none |= !plain->hit->is_known[at[1] - '0'];
	return plain->hit->numbers[at[1] - '0'];
}

static int64_t plain_shift(struct plain *plain, bool is_left, int64_t a, int64_t b)
{
	(void)plain;
	if ((uint64_t)b > 63)
		return is_left || a >= 0 ? 0 : -1;
	for (; b; b--)		/* one bit at a time, by multiplication and floor division */
		a = is_left ? (int64_t)((uint64_t)a * 2) : a / 2 - (a < 0 && a % 2);
	return a;
}

static int64_t plain_binary(struct plain *plain, const char *sign, int64_t a, int64_t b)
{
	const __int128 wide_a = a, wide_b = b;

	switch (sign[0]) {
	case '+': return (int64_t)(uint64_t)(wide_a + wide_b);
	case '-': return (int64_t)(uint64_t)(wide_a - wide_b);
	case '*': return (int64_t)((uint64_t)a * (uint64_t)b);
	case '|': return a | b;
	case '&': return a & b;
	case '<': return plain_shift(plain, true, a, b);
	case '>': return plain_shift(plain, false, a, b);
	default:
		plain->has_none |= !b;
		return !b ? 0 : (int64_t)(uint64_t)(sign[0] == '/' ? wide_a / wide_b
								   : wide_a % wide_b);
	}
}

static int64_t plain_value(struct plain *plain, size_t from, size_t to)
{
	size_t split = 0, depth = 0;
	char sign[3] = "", best[3] = "";
	int lowest = 5;

	for (size_t i = from; i < to; i++) {
		depth += plain->text[i] == '(';
		depth -= plain->text[i] == ')';
		if (depth || plain->text[i] != ' ')
			continue;
		snprintf(sign, sizeof(sign), "%.*s", plain->text[i + 2] == ' ' ? 1 : 2,
			 plain->text + i + 1);
		if (level_of(sign) <= lowest) {
			lowest = level_of(sign);
			split = i;
			strcpy(best, sign);
		}
		i += 1 + strlen(sign);
	}
	if (!split)
		return plain_leaf(plain, from, to);
	const int64_t left = plain_value(plain, from, split);

	return plain_binary(plain, best, left, plain_value(plain, split + 2 + strlen(best), to));
}

static void put_random(uint64_t *seed, char *out, unsigned int terms)
{
	static const char *const signs[] = { "+", "-", "*", "/", "%", "&", "|", "<<", ">>" };
	static const char *const leaves[] = { "v0", "v1", "v2", "v3", "lat", "0", "1", "3", "63",
					      "64", "4096", "9223372036854775807" };

	if (random_below(seed, 6) == 0)
		strcat(out, "-");
	if (terms == 1) {
		strcat(out, leaves[random_below(seed, sizeof(leaves) / sizeof(leaves[0]))]);
		return;
	}
	strcat(out, "(");
	put_random(seed, out, terms / 2);
	strcat(out, " ");
	strcat(out, signs[random_below(seed, sizeof(signs) / sizeof(signs[0]))]);
	strcat(out, " ");
	put_random(seed, out, terms - terms / 2);
	strcat(out, ")");
}

/* Leaves out parentheses at random, where no sign is before them. */
static void drop_parentheses(uint64_t *seed, char *text)
{
	for (size_t i = 0; text[i]; i++) {
		size_t end = i, depth = 0;

		if (text[i] != '(' || (i && text[i - 1] == '-') || random_below(seed, 2))
			continue;
		do {
			depth += text[end] == '(';
			depth -= text[end] == ')';
			end++;
		} while (depth);
		memmove(text + end - 1, text + end, strlen(text + end) + 1);
		memmove(text + i, text + i + 1, strlen(text + i + 1) + 1);
	}
}

static void test_any_expression_is_what_a_plain_interpreter_computes(void **state)
{
	static const int64_t numbers[] = { 0, 1, -1, 2, 7, -3, 63, 4096, INT64_MAX, INT64_MIN };
	uint64_t seed = 27;
	unsigned int valued = 0;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char text[600] = "";
		struct plain plain = { .text = text, .latency_ns = i % 7 ? i * 1000 : -1 };
		struct hit hit;
		int64_t expected, out = 0;
		bool is_known;

		for (int j = 0; j < VALUES; j++) {
			hit.numbers[j] = numbers[random_below(&seed, 10)];
			hit.is_known[j] = random_below(&seed, 20) != 0;
		}
		put_random(&seed, text, (unsigned int)random_below(&seed, 3) + 1);
		drop_parentheses(&seed, text);
		plain.hit = &hit;
		expected = plain_value(&plain, 0, strlen(text));
		is_known = value_of(text, &hit, plain.latency_ns, &out);
		if (is_known == plain.has_none || (is_known && out != expected))
			fail_msg("%s is %lld (%d), not %lld", text, (long long)out, is_known,
				 (long long)expected);
		valued += is_known;
	}
	assert_true(valued > 5000);
}

static struct probe_aggregate aggregate_of(const char *text)
{
	char whole[200];

	snprintf(whole, sizeof(whole), "lat:k:f x : %s", text);
	return parse(whole).aggregates[0];
}

static void is_in_bucket(const char *histogram, int64_t value, uint16_t bucket, const char *range)
{
	const struct probe_aggregate aggregate = aggregate_of(histogram);
	char text[80];

	assert_int_equal(probe_aggregate_bucket(&aggregate, value), bucket);
	probe_aggregate_range_write(&aggregate, bucket, text, sizeof(text));
	assert_string_equal(text, range);
}

static void test_values_are_in_their_buckets(void **state)
{
	(void)state;
	is_in_bucket("hist(x)", 0, 64, "0");
	is_in_bucket("hist(x)", 1, 65, "1");
	is_in_bucket("hist(x)", 3, 66, "2..4");
	is_in_bucket("hist(x)", 1024, 75, "1k..2k");
	is_in_bucket("hist(x)", INT64_MAX, 127, "4294967296G and more");
	is_in_bucket("hist(x)", -1, 63, "-1");
	is_in_bucket("hist(x)", -5, 61, "-7..-3");
	is_in_bucket("hist(x, 100, 64k)", 99, 0, "below 100");
	is_in_bucket("hist(x, 100, 64k)", 100, 1, "100..64k");
	is_in_bucket("hist(lat, 1ms, 5ms, 20ms)", 4999999, 1, "1ms..5ms");
	is_in_bucket("hist(lat, 1ms, 5ms, 20ms)", 20000000, 3, "20ms and more");
	is_in_bucket("lhist(x, -10, 10, 5)", -11, 0, "below -10");
	is_in_bucket("lhist(x, -10, 10, 5)", -10, 1, "-10..-5");
	is_in_bucket("lhist(x, -10, 10, 5)", 9, 4, "5..10");
	is_in_bucket("lhist(x, -10, 10, 5)", 10, 5, "10 and more");
	is_in_bucket("lhist(x, 0, 7, 5)", 6, 2, "5..7");
	is_in_bucket("lhist(lat, 0, 10ms, 1ms)", 1500000, 2, "1ms..2ms");
}

/* From the least to the greatest number it is 2^64 - 1: with a step, it would be too large. */
static void test_steps_over_nearly_all_numbers_do_not_overflow(void **state)
{
	static const char all[] = "lhist(x, -9223372036854775808, 9223372036854775807, "
				  "9223372036854775807)";
	static const char halves[] = "lhist(x, -9223372036854775807, 9223372036854775806, "
				     "6000000000000000000)";
	const struct probe_aggregate aggregate = aggregate_of(halves);
	int64_t begin, end;

	(void)state;
	is_in_bucket(all, INT64_MIN, 1, "below -1");
	is_in_bucket(all, -1, 2, "-1..9223372036854775806");
	is_in_bucket(all, INT64_MAX - 1, 3, "9223372036854775806 and more");
	is_in_bucket(all, INT64_MAX, 4, "9223372036854775807 and more");
	is_in_bucket(halves, INT64_MIN, 0, "below -9223372036854775807");
	is_in_bucket(halves, INT64_MAX, 5, "9223372036854775806 and more");
	probe_aggregate_range(&aggregate, 4, &begin, &end);
	assert_int_equal(begin, 8776627963145224193);
	assert_int_equal(end, INT64_MAX - 1);
}

/* Each value that is next to a limit is in the bucket whose range has it. */
static void test_ranges_have_their_values(void **state)
{
	static const char *const histograms[] = { "hist(x)", "hist(x, -5, 0, 1, 64k)",
						  "lhist(x, -7, 100, 9)", "lhist(x, 0, 1G, 64M)" };

	(void)state;
	for (size_t i = 0; i < sizeof(histograms) / sizeof(histograms[0]); i++) {
		const struct probe_aggregate aggregate = aggregate_of(histograms[i]);
		int64_t previous = INT64_MIN;
		uint16_t last = 0;

		for (uint16_t bucket = probe_aggregate_bucket(&aggregate, INT64_MIN);
		     bucket <= probe_aggregate_bucket(&aggregate, INT64_MAX); bucket++) {
			int64_t begin, end;

			probe_aggregate_range(&aggregate, bucket, &begin, &end);
			assert_true(begin == previous);
			assert_true(begin < end);
			assert_int_equal(probe_aggregate_bucket(&aggregate, begin), bucket);
			if (end != INT64_MAX)
				assert_int_equal(probe_aggregate_bucket(&aggregate, end - 1),
						 bucket);
			previous = end;
			last = bucket;
		}
		assert_true(previous == INT64_MAX);
		assert_true(last > 3);
	}
}

UNIT_TESTS(test_probe_expression)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operators_bind_as_in_c),
		cmocka_unit_test(test_overflow_wraps),
		cmocka_unit_test(test_what_is_unknown_or_divided_by_zero_has_no_value),
		cmocka_unit_test(test_any_expression_is_what_a_plain_interpreter_computes),
		cmocka_unit_test(test_values_are_in_their_buckets),
		cmocka_unit_test(test_ranges_have_their_values),
		cmocka_unit_test(test_steps_over_nearly_all_numbers_do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
