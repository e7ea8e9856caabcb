/* Probes in JSON and in text: each number where it belongs, hostile text in quotes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "export/json.h"
#include "export/text.h"
#include "unit_tests.h"

static const struct snapshot_value values[] = {
	{ .name = "size", .type = "s64", .origin = "DWARF", .kind = VALUE_SIGNED,
	  .count = 5, .unknown = 1, .numbers = 5, .is_signed = true, .min = (uint64_t)-3,
	  .max = 16, .mean = 7.25,
	  .octaves = { [1] = 1, [4] = 3 }, .zeros = 1, .negatives = 1, .top_count = 2, .other = 1,
	  .top = { { "16", true, 16, 3, false }, { "-3", true, -3, 1, false } } },
	{ .name = "na\"me", .type = "char *", .origin = "typed", .kind = VALUE_TEXT, .count = 2,
	  .top_count = 1, .top = { { "a\\b", false, 0, 2, false } } },
	{ .name = "who", .type = "", .origin = "typed", .kind = VALUE_HEX, .count = 2,
	  .top_count = 1, .top = { { "sh", false, 0, 2, false } } },
	{ .name = "mask", .type = "u64", .origin = "typed", .kind = VALUE_UNSIGNED, .count = 1,
	  .numbers = 1, .min = UINT64_MAX, .max = UINT64_MAX, .mean = 18446744073709551615.0 },
	{ .name = "id", .type = "long", .origin = "format", .kind = VALUE_NAMED, .count = 3,
	  .numbers = 3, .min = 202, .max = 257, .mean = 220, .top_count = 2,
	  .top = { { "futex", true, 202, 2, true }, { "257", true, 257, 1, false } } },
	{ .name = "ret", .type = "long", .origin = "format", .kind = VALUE_SIGNED, .count = 3,
	  .numbers = 3, .is_signed = true, .min = (uint64_t)-11, .max = 5, .mean = 1,
	  .top_count = 2,
	  .top = { { "EAGAIN", true, -11, 2, true }, { "5", true, 5, 1, false } } },
};

static struct snapshot_probe probes[] = {
	{ .id = 1, .event = 128, .spec = "lat:prog:take size name", .name = "lat:prog:take",
	  .dso = "prog", .scope = "pid 7", .kind = PROBE_USER, .edge = PROBE_LATENCY,
	  .state = PROBE_ATTACHED, .reason = "", .hits = 6, .hits_per_s = 3, .hits_since = 9,
	  .lost_since = 2, .missed_since = 4, .unpaired = 1, .filtered = 5, .in_flight = 2,
	  .lease_s = -1, .cost_pct = 0.125, .own_ns = 2149, .has_latency = true,
	  .latency = { .count = 6, .p50_ns = 939, .p90_ns = 1500, .p99_ns = 101070,
		       .max_ns = 5000000, .octaves = { [9] = 5, [22] = 1 } },
	  .value_count = 6, .values = values },
	{ .id = 2, .event = 129, .spec = "t:sched:x", .name = "t:sched:x", .dso = "[kernel]",
	  .scope = "whole system", .kind = PROBE_TRACEPOINT, .edge = PROBE_ENTRY,
	  .state = PROBE_CAPPED, .reason = "too hot", .in_flight = 0 },
};

static const struct snapshot_probes both = { .count = 2, .list = probes };

typedef void writer(FILE *out, const struct snapshot_probes *from);

static char *write_text(writer *write, const struct snapshot_probes *from)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	write(out, from);
	fclose(out);
	return text;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no %s in %s", part, text);
}

static void test_each_stat_is_written_in_json(void **state)
{
	char *text = write_text(json_put_probes, &both);

	(void)state;
	assert_has(text, ",\"probes\":[{\"spec\":\"lat:prog:take size name\"");
	assert_has(text, "\"kind\":\"user\",\"edge\":\"latency\",\"state\":\"attached\","
		   "\"reason\":null,\"hits\":6,\"hits_per_s\":3.0,\"missed\":4,\"lost\":2,"
		   "\"hits_since\":9,\"unpaired\":1,\"filtered\":5,\"in_flight\":2");
	assert_has(text, "\"latency_ns\":{\"count\":6,\"p50\":939,\"p90\":1500,\"p99\":101070,"
		   "\"max\":5000000,\"own\":2149,"
		   "\"log2\":[0,0,0,0,0,0,0,0,0,5,0,0,0,0,0,0,0,0,0,0,0,0,1]}");
	assert_has(text, "\"size\":{\"count\":5,\"unknown\":1,\"type\":\"s64\","
		   "\"origin\":\"DWARF\",\"min\":-3,\"max\":16,\"mean\":7.250,\"zeros\":1,"
		   "\"negatives\":1,\"log2\":[0,1,0,0,3],\"top\":[[16,3],[-3,1]],\"other\":1}");
	assert_has(text, "\"na\\\"me\":{\"count\":2");
	assert_has(text, "\"min\":null,\"max\":null,\"mean\":null");
	assert_has(text, "\"who\":{\"count\":2,\"unknown\":0,\"type\":\"\",\"origin\":\"typed\","
		   "\"min\":null,\"max\":null,\"mean\":null");	/* it brought only texts */
	assert_has(text, "\"min\":18446744073709551615,\"max\":18446744073709551615,"
		   "\"mean\":18446744073709551616.000");
	assert_has(text, "\"top\":[[\"a\\\\b\",2]]");
	assert_has(text, "\"top\":[[\"futex\",2],[\"257\",1]]");
	assert_has(text, "\"top\":[[\"EAGAIN\",2],[5,1]]");
	assert_has(text, "\"state\":\"capped\",\"reason\":\"too hot\"");
	assert_has(text, "\"latency_ns\":null,\"values\":{}}]");
	free(text);
}

static void test_without_probes_nothing_is_said(void **state)
{
	const struct snapshot_probes none = { .count = 0 };
	char *json = write_text(json_put_probes, &none), *text;

	(void)state;
	text = write_text(text_put_probes, &none);
	assert_string_equal(json, "");
	assert_string_equal(text, "");
	free(json);
	free(text);
}

static void test_a_probe_without_calls_has_no_percentiles(void **state)
{
	const struct snapshot_latency before = probes[0].latency;
	char *text;

	(void)state;
	probes[0].latency = (struct snapshot_latency){ .count = 0 };
	text = write_text(json_put_probes, &both);
	assert_has(text, "\"latency_ns\":{\"count\":0,\"p50\":null,\"p90\":null,\"p99\":null,"
		   "\"max\":null,\"own\":2149,\"log2\":[]}");
	free(text);
	probes[0].latency = before;
}

static void test_a_rate_that_is_unknown_is_no_number(void **state)
{
	char *text;

	(void)state;
	probes[1].hits_per_s = -1;
	text = write_text(json_put_probes, &both);
	assert_has(text, "\"reason\":\"too hot\",\"hits\":0,\"hits_per_s\":null,");
	free(text);
	text = write_text(text_put_probes, &both);
	assert_has(text,
		   "  t:sched:x                         capped             0          -         -");
	free(text);
	probes[1].hits_per_s = 0;
}

static void test_the_text_block_has_a_line_for_each(void **state)
{
	static const char *const expected[] = {
		"  PROBE                             STATE           HITS     HITS/s       P50",
		("  lat:prog:take                     attached           6        3.0     939ns"
		 "     1.5us   101.1us     5.0ms  unpaired 1  filtered 5  missed 4  lost 2\n"
		 "      of each latency about 2.1 us are the probe\n"),
		"      size s64: 5  unknown 1, min -3, mean 7.2, max 16: 16 x3, -3 x1\n",
		"      who : 2: sh x2\n",
		("      mask u64: 1, min 18446744073709551615, mean 18446744073709551616.0, "
		 "max 18446744073709551615\n"),
		"      id long: 3: futex x2, 257 x1\n",
		"      ret long: 3, min -11, mean 1.0, max 5: EAGAIN x2, 5 x1\n",
		"  t:sched:x                         capped             0        0.0         -",
		"      too hot\n",
	};
	char *text = write_text(text_put_probes, &both);

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_has(text, expected[i]);
	free(text);
}

/* Of each latency, and of each value that is a number. Many empty octaves are one line. */
static void test_histograms_are_in_the_text(void **state)
{
	static const char latency[] =
		"                  512ns..1.0us          5"
		"  |########################################|\n"
		"                           ...\n"
		"                  4.2ms..8.4ms          1"
		"  |########                                |\n"
		"      size s64: 5";
	static const char value[] =
		"                             0          1"
		"  |#############                           |\n"
		"                          2..4          1"
		"  |#############                           |\n"
		"                          4..8          0"
		"  |                                        |\n"
		"                         8..16          0"
		"  |                                        |\n"
		"                        16..32          3"
		"  |########################################|\n"
		"      na\"me char *: 2";
	char *text = write_text(text_put_probes, &both);
	size_t lines = 0;

	(void)state;
	for (const char *at = text; (at = strchr(at, '|')); at++)
		lines++;
	assert_int_equal(lines, 2 * 7);
	assert_non_null(strstr(text, latency));
	assert_non_null(strstr(text, value));
	free(text);
}

UNIT_TESTS(test_json_probes)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_stat_is_written_in_json),
		cmocka_unit_test(test_without_probes_nothing_is_said),
		cmocka_unit_test(test_a_probe_without_calls_has_no_percentiles),
		cmocka_unit_test(test_a_rate_that_is_unknown_is_no_number),
		cmocka_unit_test(test_the_text_block_has_a_line_for_each),
		cmocka_unit_test(test_histograms_are_in_the_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
