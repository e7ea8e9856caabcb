/* Groups of hits in JSON and in text: each sum where it belongs, open ends, values of top(). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "export/hit_group_lines.h"
#include "unit_tests.h"

static const struct snapshot_spread_row powers[] = {
	{ .text = "", .begin = 0, .end = 1, .count = 2 },
	{ .text = "", .begin = 1, .end = 2, .count = 0 },
	{ .text = "", .begin = 2, .end = 4, .count = 5 },
};
static const struct snapshot_spread_row limits[] = {
	{ .text = "", .begin = INT64_MIN, .end = 1000000, .count = 4 },
	{ .text = "", .begin = 1000000, .end = INT64_MAX, .count = 1 },
};
static const struct snapshot_spread_row top[] = { { .text = "/etc/\"x\"", .count = 3 } };

static const struct snapshot_group list[] = {
	{ .id = 1, .keys = { "nginx", "/a" }, .count = 5, .per_s = 2.5, .latency_ns = 10000,
	  .p50_ns = 1500, .p99_ns = 3000, .max_ns = 3456,
	  .sums = { { .count = 5, .value = -4096 }, { .count = 4, .value = 10 },
		    { .count = 7, .spread = { 3, powers } },
		    { .count = 5, .spread = { 2, limits } },
		    { .count = 3, .spread = { 1, top } }, { .count = 0 } } },
	{ .id = 2, .keys = { "(other)", "(other)" }, .is_other = true, .count = 1, .per_s = -1 },
};

static const struct snapshot_groups groups = {
	.probe = 1, .has_latency = true, .key_count = 2, .aggregate_count = 6, .count = 2,
	.key_names = { "comm", "path" }, .list = list, .left_out = 7, .left_out_hits = 70,
	.aggregates = {
		{ .name = "sum(size * 512)", .kind = AGGREGATE_SUM },
		{ .name = "avg(size)", .kind = AGGREGATE_AVG },
		{ .name = "hist(size)", .kind = AGGREGATE_HIST },
		{ .name = "hist(lat, 1ms)", .kind = AGGREGATE_HIST, .is_ns = true },
		{ .name = "top(path)", .kind = AGGREGATE_TOP },
		{ .name = "max(lat)", .kind = AGGREGATE_MAX, .is_ns = true },
	},
};

static char *written(const struct snapshot_groups *list_of,
		     void (*write)(FILE *out, const struct snapshot_groups *groups))
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	write(out, list_of);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void test_json_has_each_sum_by_its_value(void **state)
{
	char *text = written(&groups, json_put_hit_groups);

	(void)state;
	assert_string_equal(text,
		",\"groups\":[{\"keys\":{\"comm\":\"nginx\",\"path\":\"/a\"},\"is_other\":false,"
		"\"count\":5,\"latency_ns\":{\"sum\":10000,\"p50\":1500,\"p99\":3000,\"max\":3456,"
		"\"log2\":[]},"
		"\"sum\":{\"size * 512\":-4096},\"avg\":{\"size\":2.500},\"max\":{\"lat\":null},"
		"\"log2\":{\"size\":[0,5]},"
		"\"hist\":{\"size\":[[0,1,2],[1,2,0],[2,4,5]],"
		"\"lat\":[[null,1000000,4],[1000000,null,1]]},"
		"\"top\":{\"path\":[[\"/etc/\\\"x\\\"\",3]]}},"
		"{\"keys\":{\"comm\":\"(other)\",\"path\":\"(other)\"},\"is_other\":true,"
		"\"count\":1,\"latency_ns\":{\"sum\":0,\"p50\":0,\"p99\":0,\"max\":0,\"log2\":[]},"
		"\"sum\":{\"size * 512\":null},\"avg\":{\"size\":null},\"max\":{\"lat\":null},"
		"\"log2\":{\"size\":[]},\"hist\":{\"size\":[],\"lat\":[]},\"top\":{\"path\":[]}}"
		"],\"groups_left_out\":7,\"groups_left_out_hits\":70");
	free(text);
}

/* In "log2" it is the only one of its value, so its key stays the value. */
static void test_json_has_a_key_for_each_histogram_of_a_value(void **state)
{
	const struct snapshot_group group = {
		.id = 1, .count = 5,
		.sums = { { .count = 5, .spread = { 3, powers } },
			  { .count = 5, .spread = { 2, limits } },
			  { .count = 5, .spread = { 2, limits } } },
	};
	const struct snapshot_groups same = {
		.probe = 1, .aggregate_count = 3, .count = 1, .list = &group,
		.aggregates = {
			{ .name = "hist(size)", .kind = AGGREGATE_HIST },
			{ .name = "hist(size, 1000000)", .kind = AGGREGATE_HIST },
			{ .name = "lhist(size, 0, 4, 1)", .kind = AGGREGATE_LHIST },
		},
	};
	char *text = written(&same, json_put_hit_groups);

	(void)state;
	assert_string_equal(text,
		",\"groups\":[{\"keys\":{},\"is_other\":false,\"count\":5,"
		"\"log2\":{\"size\":[0,5]},"
		"\"hist\":{\"hist(size)\":[[0,1,2],[1,2,0],[2,4,5]],"
		"\"hist(size, 1000000)\":[[null,1000000,4],[1000000,null,1]]},"
		"\"lhist\":{\"size\":[[null,1000000,4],[1000000,null,1]]}}"
		"],\"groups_left_out\":0,\"groups_left_out_hits\":0");
	free(text);
}

static void test_text_has_a_line_for_each_group(void **state)
{
	char *text = written(&groups, text_put_hit_groups);

	(void)state;
	assert_non_null(strstr(text, "           HITS     HITS/s      MEAN       P50       P99  "
				     "     MAX  sum(size * 512)  avg(size)   max(lat)  by comm  "
				     "path\n"
				     "              5        2.5     2.0us     1.5us     3.0us  "
				     "   3.5us            -4096        2.5          -  nginx  "
				     "/a\n"));
	assert_non_null(strstr(text, "        hist(lat, 1ms)\n"));
	assert_non_null(strstr(text, "                     ..1.0ms          4  |########"));
	assert_non_null(strstr(text, "                     1.0ms..          1  |##########  "));
	assert_non_null(strstr(text,
			       "                           0          2  |################  "));
	assert_non_null(strstr(text, "             70  hits in 7 more groups\n"));
	free(text);
}

/* Limits far apart, and buckets of one number. */
static void test_ranges_may_begin_below_zero(void **state)
{
	static const struct snapshot_spread_row rows[] = {
		{ .text = "", .begin = INT64_MIN, .end = -5, .count = 1 },
		{ .text = "", .begin = -5, .end = -4, .count = 1 },
		{ .text = "", .begin = -4, .end = INT64_MAX, .count = 1 },
	};
	struct snapshot_group group = { .keys = { "a", "b" }, .count = 3 };
	struct snapshot_groups one = groups;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	assert_non_null(out);
	group.sums[2].spread = (struct snapshot_spread){ 3, rows };
	one.list = &group;
	one.count = 1;
	text_put_hit_groups(out, &one);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(text, " ..-5 "));
	assert_non_null(strstr(text, " -5 "));
	assert_non_null(strstr(text, " -4.. "));
	free(text);
}

/* A long value is cut between characters. */
static void test_a_long_text_is_cut_between_characters(void **state)
{
	char longer[600] = "/";
	struct snapshot_spread_row row = { .text = longer, .count = 3 };
	struct snapshot_group group = { .keys = { "a", "b" }, .count = 3 };
	struct snapshot_groups one = groups;

	(void)state;
	group.sums[4].spread = (struct snapshot_spread){ 1, &row };
	one.list = &group;
	one.count = 1;
	for (size_t used = 1; used + 2 < sizeof(longer); used += 2)
		memcpy(longer + used, "\xc3\xa9", 2);
	for (size_t skipped = 0; skipped <= 3; skipped += 3) {
		char *text = NULL;
		size_t bytes;
		FILE *out = open_memstream(&text, &bytes);

		row.text = longer + skipped;
		assert_non_null(out);
		text_put_hit_groups(out, &one);
		assert_int_equal(fclose(out), 0);
		assert_null(strstr(text, "unclean"));
		assert_non_null(strstr(text, "\xc3\xa9  "));
		free(text);
	}
}

UNIT_TESTS(test_hit_groups_text)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_has_each_sum_by_its_value),
		cmocka_unit_test(test_json_has_a_key_for_each_histogram_of_a_value),
		cmocka_unit_test(test_text_has_a_line_for_each_group),
		cmocka_unit_test(test_ranges_may_begin_below_zero),
		cmocka_unit_test(test_a_long_text_is_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
