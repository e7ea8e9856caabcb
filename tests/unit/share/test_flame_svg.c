/* Flame graphs in SVG: where boxes are, what is written on them, what is left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare_fixture.h"
#include "flame_fixture.h"
#include "share/flame_svg.h"
#include "unit_tests.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define LONG_BYTES	(1 << 20)

static char *text;	/* the last graph written; owned */

static int tear_down(void **state)
{
	(void)state;
	free(text);
	text = NULL;
	return 0;
}

#define GRAPH_TEST(test) cmocka_unit_test_teardown(test, tear_down)

static struct snapshot snapshot_of(struct call_tree tree)
{
	return (struct snapshot){ .host = "web-07", .event = "cpu-clock", .target = "8 CPUs",
				  .freq_hz = 997, .hit_weight = "", .notice = "",
				  .absent_events = "", .window_s = 10, .samples = tree.samples,
				  .weight = tree.weight, .busy_pct = -1, .tree = tree,
				  .baseline = { .label = "", .notice = "" } };
}

static void write_graph(const struct snapshot *snapshot, const char *command)
{
	const struct export_options options = { .max_rows = SIZE_MAX };
	size_t bytes;
	FILE *out;

	free(text);
	out = open_memstream(&text, &bytes);
	assert_non_null(out);
	assert_int_equal(flame_svg_write(out, snapshot, &options, command), 0);
	fclose(out);
}

static void write_part(const struct snapshot *snapshot, uint32_t max_frames)
{
	size_t bytes;
	FILE *out;

	free(text);
	out = open_memstream(&text, &bytes);
	assert_non_null(out);
	assert_int_equal(flame_svg_write_part(out, snapshot, max_frames), 0);
	fclose(out);
}

static void assert_has(const char *part)
{
	if (!strstr(text, part))
		fail_msg("not written: %s\n%s", part, text);
}

static void assert_lacks(const char *part)
{
	if (strstr(text, part))
		fail_msg("written: %s", part);
}

static size_t count(const char *part)
{
	size_t found = 0;

	for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
		found++;
	return found;
}

/*
 *   app 8 samples: main itself 1, f 4 (recursive: 1 and 3), read 3 in the kernel
 *   | f 50 %        | read 37.5 % |main|
 *   | f 37.5 % |
 */
static const struct flame_frame known[] = {
	{ .depth = 0, .name = "app", .is_command = true },
	{ .depth = 1, .name = "main", .self = 1 },
	{ .depth = 2, .name = "f", .self = 1 },
	{ .depth = 3, .name = "f", .self = 3 },
	{ .depth = 2, .name = "read", .self = 3, .mode = MODE_KERNEL },
};

static struct snapshot known_snapshot(void)
{
	static struct tree_node nodes[COUNT_OF(known)];

	return snapshot_of(flame_fixture_tree(known, COUNT_OF(known), nodes));
}

static void test_boxes_are_as_wide_as_their_share_and_below_their_caller(void **state)
{
	const struct snapshot snapshot = known_snapshot();

	(void)state;
	write_graph(&snapshot, "");
	assert_int_equal(count("<rect x=\"0.0000%\" y=\"0\" width=\"100.0000%\""), 1);
	assert_int_equal(count("<rect x=\"0.0000%\" y=\"18\" width=\"100.0000%\""), 1);
	assert_int_equal(count("<rect x=\"0.0000%\" y=\"36\" width=\"50.0000%\""), 1);
	assert_int_equal(count("<rect x=\"0.0000%\" y=\"54\" width=\"37.5000%\""), 1);
	assert_int_equal(count("<rect x=\"50.0000%\" y=\"36\" width=\"37.5000%\""), 1);
	assert_int_equal(count(" data-n="), COUNT_OF(known));
	assert_has("data-whole=\"8\"");
}

static void test_titles_have_place_share_and_samples(void **state)
{
	const struct snapshot snapshot = known_snapshot();

	(void)state;
	write_graph(&snapshot, "");
	assert_has("<title>app\ncommand\n100.00 % \u00b7 self 0.00 % \u00b7 8 samples</title>");
	assert_has("<title>f\nprog \u00b7 user\n50.00 % \u00b7 self 12.50 % \u00b7 "
		   "4 samples</title>");
	assert_has("data-n=\"3\"><title>read\n[kernel] \u00b7 kernel\n37.50 % \u00b7 self 37.50 % "
		   "\u00b7 3 samples</title>");
	assert_has(">[k] read</text>");
}

static void test_the_head_says_what_was_sampled_and_how_to_repeat_it(void **state)
{
	const struct snapshot snapshot = known_snapshot();

	(void)state;
	write_graph(&snapshot, "flametop -p 12 -k 'comm == \"a&b\"'");
	assert_has(">web-07 \u00b7 cpu-clock 997 Hz \u00b7 8 CPUs</tspan>");
	assert_has(">last 10.0 s \u00b7 8 samples");
	assert_has(">$ flametop -p 12 -k &#39;comm == &quot;a&amp;b&quot;&#39;</tspan>");
	assert_has(">Width: share of samples.</tspan>");
	assert_has(">[k] kernel</text>");
	assert_lacks(">[j] JIT</text>");
}

static void test_a_part_has_no_head_style_or_script(void **state)
{
	const struct snapshot snapshot = known_snapshot();

	(void)state;
	write_graph(&snapshot, "");
	assert_int_equal(strncmp(text, "<?xml", 5), 0);
	assert_lacks("\\x");	/* a tab inside a line of style or script */
	assert_int_equal(count("<script>") + count("</script>") + count("<style>") +
			 count("]]>"), 5);
	write_part(&snapshot, 10);
	assert_int_equal(strncmp(text, "<svg ", 5), 0);
	assert_lacks("<script");
	assert_lacks("<style");
	assert_lacks("style=");
	assert_lacks("web-07");
	assert_int_equal(count(" data-n="), COUNT_OF(known));
}

static void test_hostile_names_stay_text(void **state)
{
	static struct flame_frame frames[] = {
		{ .depth = 0, .name = "a\"b'c", .is_command = true },
		{ .depth = 1, .name = "</title></script><script>x()</script>]]>", .self = 5 },
		{ .depth = 1, .name = NULL, .self = 5 },
		{ .depth = 1, .name = "two\nlines", .self = 5 },
		{ .depth = 1, .name = "e\u0301\u6f22\u5b57", .self = 5 },
	};
	struct tree_node nodes[COUNT_OF(frames)];
	char *long_name = calloc(1, LONG_BYTES + 1);
	struct snapshot snapshot;

	(void)state;
	assert_non_null(long_name);
	memset(long_name, '&', LONG_BYTES);
	frames[2].name = long_name;
	snapshot = snapshot_of(flame_fixture_tree(frames, COUNT_OF(frames), nodes));
	write_graph(&snapshot, "x </svg>");
	free(long_name);
	assert_int_equal(count("<script>"), 1);
	assert_has("<title>&lt;/title&gt;&lt;/script&gt;&lt;script&gt;x()&lt;/script&gt;]]&gt;\n");
	assert_has("<title>a&quot;b&#39;c\n");
	assert_has("<title>two\\x0alines\n");
	assert_has("&amp;&amp;\u2026\n");
	assert_has("e\u0301\u6f22\u5b57</text>");
	assert_has(">$ x &lt;/svg&gt;</tspan>");
	assert_true(strlen(text) < 40000);
}

static void test_narrow_frames_are_left_out_and_said(void **state)
{
	static const struct flame_frame frames[] = {
		{ .depth = 0, .name = "app", .is_command = true },
		{ .depth = 1, .name = "wide", .self = 1000000 },
		{ .depth = 1, .name = "narrow", .self = 62 },
		{ .depth = 1, .name = "gap", .self = 1 },
		{ .depth = 2, .name = "below", .self = 1 },
	};
	struct tree_node nodes[COUNT_OF(frames)];
	struct snapshot snapshot = snapshot_of(flame_fixture_tree(frames, COUNT_OF(frames), nodes));

	(void)state;
	write_graph(&snapshot, "");
	assert_int_equal(count(" data-n="), 2);
	assert_has("Not drawn: 3 of 5 frames, each at most 0.00625 % of the width.");
}

/* Of equal ones the first stay, whose callers are there. */
static void test_the_widest_frames_are_drawn(void **state)
{
	const struct snapshot snapshot = known_snapshot();

	(void)state;
	write_part(&snapshot, 4);
	assert_int_equal(count(" data-n="), 4);
	assert_has("<rect x=\"0.0000%\" y=\"54\" width=\"37.5000%\"");
	assert_lacks("<title>read");
	assert_has("Not drawn: 1 of 5 frames, each at most 37.5 % of the width.");
}

static void test_changes_have_colours_signs_and_numbers(void **state)
{
	struct snapshot snapshot = snapshot_of(compare_fixture_tree(true));

	(void)state;
	snapshot.is_compared = true;
	snapshot.baseline.weight = snapshot.tree.base_weight;
	write_graph(&snapshot, "");
	assert_has("<g class=\"m4 w\" data-n=\"17000\"><title>sort\nprog \u00b7 user\n48.77 % "
		   "\u00b7 +40.27 points from 8.50 % \u00b7 self");
	assert_has(">+ sort</text>");
	assert_has("<title>swap\nprog \u00b7 user\n5.74 % \u00b7 new \u00b7 self");
	assert_has("<g class=\"l4 w\" data-n=\"1500\"><title>deflate\n");
	assert_has(">\u2212 def\u2026</text>");
	assert_has("<g class=\"z0 w\" data-n=\"10960\"><title>worker_thread\n");
	assert_has("Only in A, and not drawn: 2 frames.");
	assert_has(">as in A</text>");
	assert_lacks(">user</text>");
}

static void test_weights_of_time_are_said_as_time(void **state)
{
	struct snapshot snapshot = known_snapshot();

	(void)state;
	for (uint32_t i = 0; i < COUNT_OF(known); i++)
		((struct tree_node *)snapshot.tree.nodes)[i].now.total.weight *= 1e8;
	snapshot.tree.weight *= 1e8;
	snapshot.weight *= 1e8;
	snapshot.hit_weight = "lat";
	snapshot.is_hit_time = true;
	write_graph(&snapshot, "");
	assert_has("50.00 % \u00b7 self 0.00 % \u00b7 400.000 ms \u00b7 4 samples</title>");
	assert_has("data-n=\"400000000\"");
	assert_has(">Width: share of latency.</tspan>");
}

/* A sum of values may be negative, and that of a callee larger than its caller's. */
static void test_no_box_leaves_its_caller(void **state)
{
	struct snapshot snapshot = known_snapshot();
	struct tree_node *nodes = (struct tree_node *)snapshot.tree.nodes;

	(void)state;
	nodes[3].now.total.weight = 7;
	nodes[4].now.total.weight = -2;
	write_graph(&snapshot, "");
	assert_has("<rect x=\"0.0000%\" y=\"54\" width=\"50.0000%\"");
	assert_lacks("<title>read");
	assert_has("Not drawn: 1 of 5 frames");
}

static void test_kinds_of_code_have_colours_and_words(void **state)
{
	static const struct flame_frame frames[] = {
		{ .depth = 0, .name = "app", .is_command = true },
		{ .depth = 1, .name = "outer", .self = 1 },
		{ .depth = 2, .name = "inner", .self = 1, .is_inlined = true },
		{ .depth = 1, .name = "made", .self = 1, .is_run_time = true },
	};
	struct tree_node nodes[COUNT_OF(frames)];
	const struct snapshot snapshot =
		snapshot_of(flame_fixture_tree(frames, COUNT_OF(frames), nodes));

	(void)state;
	nodes[1].symbol = "0x4010";
	nodes[1].state = SYMBOL_UNKNOWN;
	nodes[1].address = 0x4010;
	write_graph(&snapshot, "");
	assert_has("<title>inner\nprog \u00b7 inlined\n");
	assert_has(">[i] inner</text>");
	assert_has("<title>made\nprog \u00b7 JIT\n");
	assert_has(">[j] made</text>");
	assert_has("<title>0x4010\nprog \u00b7 no symbol\n");
	assert_has("<g class=\"chip i0\">");
	assert_has("<g class=\"chip j0\">");
	assert_has("<g class=\"chip x0\">");
	assert_int_equal(count("class=\"chip "), 4);
}

/* The same window of the others has files of its own. */
static void test_other_events_are_said(void **state)
{
	struct snapshot snapshot = known_snapshot(), second = known_snapshot(),
			third = known_snapshot();

	(void)state;
	second.event = "instructions";
	third.event = "page-faults";
	snapshot.next_event = &second;
	second.next_event = &third;
	write_graph(&snapshot, "");
	assert_has("Width: share of samples. Not in this file: instructions, page-faults</tspan>");
}

static void test_an_empty_window_says_so(void **state)
{
	const struct snapshot snapshot = snapshot_of((struct call_tree){ .nodes = NULL });

	(void)state;
	write_graph(&snapshot, "");
	assert_has(">No samples in this window</text>");
}

static void test_deep_stacks_have_a_line_each(void **state)
{
	const struct snapshot snapshot = snapshot_of(flame_fixture_deep(FLAME_FIXTURE_DEPTH));

	(void)state;
	write_graph(&snapshot, "");
	assert_int_equal(count(" data-n="), FLAME_FIXTURE_DEPTH);
	assert_has("height=\"5400\">");
}

UNIT_TESTS(test_flame_svg)
{
	const struct CMUnitTest tests[] = {
		GRAPH_TEST(test_boxes_are_as_wide_as_their_share_and_below_their_caller),
		GRAPH_TEST(test_titles_have_place_share_and_samples),
		GRAPH_TEST(test_the_head_says_what_was_sampled_and_how_to_repeat_it),
		GRAPH_TEST(test_a_part_has_no_head_style_or_script),
		GRAPH_TEST(test_hostile_names_stay_text),
		GRAPH_TEST(test_narrow_frames_are_left_out_and_said),
		GRAPH_TEST(test_the_widest_frames_are_drawn),
		GRAPH_TEST(test_changes_have_colours_signs_and_numbers),
		GRAPH_TEST(test_weights_of_time_are_said_as_time),
		GRAPH_TEST(test_no_box_leaves_its_caller),
		GRAPH_TEST(test_kinds_of_code_have_colours_and_words),
		GRAPH_TEST(test_other_events_are_said),
		GRAPH_TEST(test_an_empty_window_says_so),
		GRAPH_TEST(test_deep_stacks_have_a_line_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
