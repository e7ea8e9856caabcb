/* The page of a window: its parts, what it says was cut, and that names are text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "flame_fixture.h"
#include "share/page.h"
#include "snapshot_fixture.h"
#include "unit_tests.h"

#define COMMAND "flametop -F 997 -d 10 --batch=1"

static char *written(const struct snapshot *snapshot, const char *command)
{
	const struct export_options print = { .max_rows = SIZE_MAX };
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	assert_int_equal(page_write(out, snapshot, &print, command), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no %s in the page", part);
}

static void assert_has_not(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("%s is in the page", part);
}

static size_t count_of(const char *text, const char *part)
{
	size_t count = 0;

	while ((text = strstr(text, part)) != NULL) {
		count++;
		text += strlen(part);
	}
	return count;
}

/* 100 busy samples: 60 of libc's memcpy, 40 of the kernel, all below main. */
static struct snapshot small(void)
{
	static struct snapshot_row rows[3];
	struct snapshot snapshot;

	memset(rows, 0, sizeof(rows));
	rows[0] = (struct snapshot_row){ .now = { { 60, 60 }, { 60, 60 } }, .symbol = "memcpy",
					 .dso = "libc.so.6", .dso_path = "/lib/libc.so.6",
					 .mode = MODE_USER };
	rows[1] = (struct snapshot_row){ .now = { { 40, 40 }, { 40, 40 } }, .symbol = "ksys_read",
					 .dso = "[kernel]", .dso_path = "[kernel]",
					 .mode = MODE_KERNEL };
	rows[2] = (struct snapshot_row){ .now = { { 0, 0 }, { 100, 100 } }, .symbol = "main",
					 .dso = "prog", .dso_path = "prog", .mode = MODE_USER };
	snapshot = fixture_snapshot(rows, 3);
	snapshot.tree = flame_fixture_machine();
	snapshot.samples_per_s = 10;
	return snapshot;
}

static void test_a_page_says_what_was_sampled_and_how_to_repeat_it(void **state)
{
	struct snapshot snapshot = small();
	char *text;

	(void)state;
	snapshot.samples = 1078912;
	snapshot.busy_pct = 61;
	snapshot.notice = "no <hardware> counters\nsecond";
	text = written(&snapshot, COMMAND);
	assert_has(text, "<title>cpu-clock 997 Hz \u00b7 8 CPUs \u00b7 web-07</title>");
	assert_has(text, "<dt>Window</dt><dd><b>10.0 s</b>");
	assert_has(text, "<dt>Samples</dt><dd><b>1,078,912</b> <span>10 a second</span>");
	assert_has(text, "<dt>Busy</dt><dd><b>61 %</b>");
	assert_has(text, "<p class=\"notice\">no &lt;hardware&gt; counters</p>\n"
			 "<p class=\"notice\">second</p>");
	assert_has(text, ">" COMMAND "</code>");
	free(text);
}

static void test_rows_have_shares_bars_and_samples(void **state)
{
	struct snapshot snapshot = small();
	char *text = written(&snapshot, COMMAND);

	(void)state;
	assert_has(text, "<tr><td class=\"bar b100\">60.00<td>60.00<td>60<td>60"
			 "<td title=\"/lib/libc.so.6\">libc.so.6<td>[.]<td>memcpy</tr>\n");
	assert_has(text, "<tr class=k><td class=\"bar b67\">40.00<td>40.00<td>40<td>40"
			 "<td>[kernel]<td>[k]<td>ksys_read</tr>\n");
	assert_has(text, "<tr><td class=bar>0.00<td>100.00<td>0<td>100<td>prog<td>[.]<td>main"
			 "</tr>\n");
	assert_has(text, ".b67{--w:0.67}");
	assert_has_not(text, "class=\"cut\"");
	free(text);
}

static void test_compared_rows_have_their_change_and_a(void **state)
{
	struct snapshot snapshot = small();
	struct snapshot_row *rows = (struct snapshot_row *)snapshot.rows;
	char *text;

	(void)state;
	rows[0].base = (struct stats){ { 30, 30 }, { 30, 30 } };
	rows[1].base = (struct stats){ { 70, 70 }, { 70, 70 } };
	snapshot.is_compared = true;
	snapshot.baseline = (struct snapshot_baseline){
		.window_s = 10, .samples = 100, .weight = 100, .label = "before.data", .notice = "",
	};
	text = written(&snapshot, COMMAND);
	assert_has(text, "<dt>Compared with A</dt><dd><b>10.0 s</b> <span>before.data</span> "
			 "<span>100 samples</span>");
	assert_has(text, "+30.00");
	assert_has(text, "-30.00");
	assert_has(text, "<button type=\"button\">A self %</button>");
	free(text);
}

/* 60 waits of 90 ms in all. */
static void test_waits_have_their_time(void **state)
{
	struct snapshot snapshot = small();
	struct snapshot_row *rows = (struct snapshot_row *)snapshot.rows;
	char *text;

	(void)state;
	rows[0].now = (struct stats){ { 60, 90e6 }, { 60, 90e6 } };
	rows[0].wait = "futex";
	snapshot.weight = 120e6;
	snapshot.is_of_waits = true;
	text = written(&snapshot, COMMAND);
	assert_has(text, "<dt>Time</dt><dd><b>120.0 ms</b> <span>off CPU</span>");
	assert_has(text, "\">75.00<td>75.00<td>60<td>60<td data-n=90000000>90.0 ms<td>futex<td");
	free(text);
}

/* Points of a second, from 50 on half busy; the window is the last ten. */
static void test_the_activity_graph_fades_what_is_outside_the_window(void **state)
{
	struct snapshot snapshot = small();
	float points[60];
	char *text;

	(void)state;
	for (int i = 0; i < 60; i++)
		points[i] = i < 10 ? -1 : i < 50 ? 25 : 50;
	snapshot.is_replay = true;	/* times of the recording, so that they are known */
	snapshot.activity = points;
	snapshot.activity_count = 60;
	snapshot.activity_step_s = 1;
	snapshot.time_ns = snapshot.activity_end_ns = 60000000000;
	text = written(&snapshot, COMMAND);
	assert_has(text, "viewBox=\"0 0 50 100\"");
	assert_has(text, "d=\"M0 100V75.0h1V75.0h1");
	assert_has(text, "V50.0h1V100Z\"");
	assert_has(text, "<rect class=\"outside\" width=\"80.000%\"");
	assert_has(text, ">0:30</text>");
	assert_has(text, "10.0 s</b> <span>50.0 \u2013 60.0 s of the recording</span>");
	free(text);
}

/* A recording does not say how its callers were found. */
static void test_stacks_of_a_recording_are_as_they_were_recorded(void **state)
{
	struct snapshot snapshot = small();
	char *text;

	(void)state;
	snapshot.stacks = STACKS_CHAINED;
	text = written(&snapshot, COMMAND);
	assert_has(text, "<span>by frame pointers; how many are complete is not known</span>");
	free(text);
	snapshot.is_replay = true;
	text = written(&snapshot, COMMAND);
	assert_has(text, "<span>as they were recorded; how many are complete is not known</span>");
	free(text);
}

static void test_names_are_text(void **state)
{
	static char long_name[1 << 20];
	struct snapshot_row rows[] = {
		{ .now = { { 3, 3 }, { 3, 3 } }, .symbol = "</script><script>alert(1)</script>",
		  .dso = "\"><img src=x onerror=alert(1)>", .dso_path = "/\"'>&amp;" },
		{ .now = { { 2, 2 }, { 2, 2 } }, .symbol = "]]></style><!--", .dso = "b",
		  .dso_path = "b" },
		{ .now = { { 1, 1 }, { 1, 1 } }, .symbol = long_name, .dso = "c", .dso_path = "c" },
	};
	struct snapshot snapshot;
	char *text;

	(void)state;
	memset(long_name, 'x', sizeof(long_name) - 1);
	snapshot = fixture_snapshot(rows, 3);
	snapshot.tree = flame_fixture_machine();
	snapshot.host = "</title><script>alert(1)</script>";
	text = written(&snapshot, "flametop -p '</code><script>' \xe2\x80\xae \x1b[31m");
	assert_int_equal(count_of(text, "<script"), 1);
	assert_int_equal(count_of(text, "</script"), 1);
	assert_int_equal(count_of(text, "<style"), 1);
	assert_int_equal(count_of(text, "</title>") - count_of(text, "<title>"), 0);
	assert_has_not(text, "<img");
	assert_has_not(text, "<!--");
	assert_has_not(text, "\xe2\x80\xae");
	assert_has_not(text, "\x1b");
	assert_has(text, "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
	assert_has(text, "<td title=\"/&quot;&#39;&gt;&amp;amp;\">");
	assert_has(text, "xxx\u2026");
	assert_true(strlen(text) < 200000);
	free(text);
}

static int digit_of(char letter)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	return (int)(strchr(digits, letter) - digits);
}

/* The policy's hash of what is between @begin and @end, of the only element of that name. */
static void assert_hash(const char *text, const char *source, const char *begin, const char *end)
{
	const char *hash = strstr(text, source), *from = strstr(text, begin);
	uint8_t expected[SHA256_DIGEST_LENGTH];
	SHA2_CTX sum;

	assert_non_null(hash);
	assert_non_null(from);
	hash += strlen(source);
	from += strlen(begin);
	SHA256Init(&sum);
	SHA256Update(&sum, (const uint8_t *)from, (size_t)(strstr(from, end) - from));
	SHA256Final(expected, &sum);
	for (size_t i = 0; i < sizeof(expected); i++) {
		const size_t bit = 8 * i;
		const int high = digit_of(hash[bit / 6]), low = digit_of(hash[bit / 6 + 1]);

		assert_int_equal(((high << 6 | low) >> (4 - bit % 6)) & 255, expected[i]);
	}
	assert_memory_equal(hash + 43, "='", 2);
}

static void test_the_policy_has_the_hashes_of_the_only_script_and_style(void **state)
{
	struct snapshot snapshot = small();
	char *text = written(&snapshot, COMMAND);

	(void)state;
	assert_has(text, "content=\"default-src 'none'; script-src 'sha256-");
	assert_has(text, "'; base-uri 'none'; form-action 'none'\">");
	assert_hash(text, "script-src 'sha256-", "<script>", "</script>");
	assert_hash(text, "style-src 'sha256-", "<style>", "</style>");
	assert_has_not(text, " style=");
	assert_has_not(text, " onclick=");
	assert_has_not(text, " src=");
	assert_has_not(text, " href=");
	assert_has_not(text, "url(");
	assert_has_not(text, "@import");
	free(text);
}

/* Those with least total go: main has all of it. */
static void test_a_table_without_room_says_what_it_has_not(void **state)
{
	const uint32_t count = 10000;
	struct snapshot_row *rows = calloc(count, sizeof(*rows));
	struct snapshot snapshot;
	char *text;

	(void)state;
	assert_non_null(rows);
	rows[0] = (struct snapshot_row){ .now.total = { count - 1, count - 1 }, .symbol = "main",
					 .dso = "prog", .dso_path = "prog" };
	for (uint32_t i = 1; i < count; i++)
		rows[i] = (struct snapshot_row){ .now = { { 1, 1 }, { 1, 1 } }, .symbol = "leaf",
						 .dso = "prog", .dso_path = "prog" };
	snapshot = fixture_snapshot(rows, count);
	snapshot.tree = flame_fixture_machine();
	text = written(&snapshot, COMMAND);
	assert_int_equal(count_of(text, "<td>leaf</tr>\n"), 2999);
	assert_int_equal(count_of(text, "<td>main</tr>\n"), 1);
	assert_has(text, "7,000 functions with less in total are not on this page; their self is "
			 "7,000 samples.");
	free(text);
	free(rows);
}

/* The events of a batch share the room. */
static void test_each_event_has_its_table_and_graph(void **state)
{
	struct snapshot first = small(), second = small();
	char *text;

	(void)state;
	second.event = "page-faults";
	first.next_event = &second;
	text = written(&first, COMMAND);
	assert_int_equal(count_of(text, "<article>"), 2);
	assert_int_equal(count_of(text, "<table>"), 2);
	assert_int_equal(count_of(text, "class=\"flame-graph\""), 2);
	assert_has(text, "<h1>page-faults 997 Hz \u00b7 8 CPUs</h1>");
	free(text);
}

UNIT_TESTS(test_page)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_page_says_what_was_sampled_and_how_to_repeat_it),
		cmocka_unit_test(test_rows_have_shares_bars_and_samples),
		cmocka_unit_test(test_compared_rows_have_their_change_and_a),
		cmocka_unit_test(test_waits_have_their_time),
		cmocka_unit_test(test_the_activity_graph_fades_what_is_outside_the_window),
		cmocka_unit_test(test_stacks_of_a_recording_are_as_they_were_recorded),
		cmocka_unit_test(test_names_are_text),
		cmocka_unit_test(test_the_policy_has_the_hashes_of_the_only_script_and_style),
		cmocka_unit_test(test_a_table_without_room_says_what_it_has_not),
		cmocka_unit_test(test_each_event_has_its_table_and_graph),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
