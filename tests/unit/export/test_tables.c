/* Tables as CSV and Markdown: the exact lines of hand-made snapshots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "export/print.h"
#include "snapshot_fixture.h"
#include "unit_tests.h"

static char *written(const struct table_options *options, const struct snapshot *snapshot,
		     int refreshes)
{
	struct table_writer *writer;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	assert_int_equal(table_writer_create(&writer, options), 0);
	for (int i = 0; i < refreshes; i++)
		assert_int_equal(table_writer_write(writer, out, snapshot), 0);
	table_writer_destroy(writer);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void assert_table(const struct table_options *options, const struct snapshot *snapshot,
			 const char *expected)
{
	char *text = written(options, snapshot, 1);

	assert_string_equal(text, expected);
	free(text);
}

static const struct table_options csv = { .style = TABLE_CSV, .print.max_rows = SIZE_MAX };
static const struct table_options markdown = {
	.style = TABLE_MARKDOWN, .print.max_rows = SIZE_MAX,
};

#define ROW_TITLES "time_ns,event,self_pct,total_pct,self,self_period,total,total_period,comm," \
		   "tasks,dso,build_id,level,symbol,address\n"
#define HEAD "```text\n# flametop  web-07  cpu-clock 997 Hz  8 CPUs  last 10.0 s  40 samples" \
	     "  own 0.0 %\n```\n\n"

static struct snapshot three_rows(void)
{
	static struct snapshot_row rows[3];

	rows[0] = (struct snapshot_row){
		.now = { { 30, 300 }, { 40, 400 } }, .symbol = "f(int, \"x\")", .dso = "app",
		.dso_path = "/bin/app", .build_id = "12ab", .comm = "app", .mode = MODE_USER,
		.address = 0x1000, .tasks = 1,
	};
	rows[1] = (struct snapshot_row){
		.now = { { 10, 100 }, { 10, 100 } }, .symbol = "a|b`<b>", .dso = "[kernel]",
		.dso_path = "[kernel]", .mode = MODE_KERNEL, .address = 0x2000, .tasks = 12,
	};
	rows[2] = (struct snapshot_row){
		.now = { { 0, 0 }, { 10, 100 } }, .dso = "libx.so", .dso_path = "/lib/libx.so",
		.comm = "=1+2", .state = SYMBOL_LOADING, .mode = MODE_USER, .tasks = 1,
	};
	return fixture_snapshot(rows, 3);
}

static struct snapshot known(void)
{
	struct snapshot snapshot = three_rows();

	snapshot.time_ns = 5000000000;
	snapshot.samples = 40;
	snapshot.weight = 400;
	return snapshot;
}

#define ROW_LINES \
	"5000000000,cpu-clock,75.0000,100.0000,30,300,40,400,app,1,/bin/app,12ab,.," \
	"\"f(int, \"\"x\"\")\",0x1000\n" \
	"5000000000,cpu-clock,25.0000,25.0000,10,100,10,100,,12,[kernel],,k,a|b`<b>,0x2000\n" \
	"5000000000,cpu-clock,0.0000,25.0000,0,0,10,100,'=1+2,1,/lib/libx.so,,.,(loading),\n"

static void test_csv_has_titles_once_and_a_line_for_each_row(void **state)
{
	const struct snapshot snapshot = known();
	char *text = written(&csv, &snapshot, 2);

	(void)state;
	assert_string_equal(text, ROW_TITLES ROW_LINES ROW_LINES);
	free(text);
}

static void test_markdown_has_a_head_and_a_table(void **state)
{
	const struct snapshot snapshot = known();
	struct table_options two = markdown;

	(void)state;
	two.print.max_rows = 2;
	assert_table(&two, &snapshot, HEAD
		"| SELF% | TOTAL% | SAMPLES | COMMAND | DSO | SYMBOL |\n"
		"| ---: | ---: | ---: | --- | --- | --- |\n"
		"| 75.00 | 100.00 | 30 | `app` | `app` | `f(int, \"x\")` |\n"
		"| 25.00 | 25.00 | 10 | 12 tasks | `[kernel]` | "
		"<code>a&#124;b&#96;&#60;b&#62;</code> |\n"
		"\n1 more rows (-E shows more)\n\n");
}

/* A counted 50 samples in 5 s: main has gone from 30 % to 75 %. */
static struct snapshot compared(void)
{
	static struct snapshot_row rows[2];
	struct snapshot snapshot;

	rows[0] = (struct snapshot_row){
		.now = { { 30, 30 }, { 40, 40 } }, .base = { { 15, 15 }, { 50, 50 } },
		.symbol = "main", .dso = "app", .comm = "app", .mode = MODE_USER,
	};
	rows[1] = (struct snapshot_row){
		.base = { { 35, 35 }, { 40, 40 } }, .symbol = "old", .dso = "app", .comm = "app",
		.mode = MODE_USER,
	};
	snapshot = fixture_snapshot(rows, 2);
	snapshot.samples = 40;
	snapshot.weight = 40;
	snapshot.has_baseline = snapshot.is_compared = true;
	snapshot.baseline = (struct snapshot_baseline){
		.window_s = 5, .samples = 50, .weight = 50, .label = "a.data",
	};
	row_changes_weigh_samples(&snapshot);
	return snapshot;
}

static void test_compared_rows_have_both_sides_by_each_other(void **state)
{
	const struct snapshot snapshot = compared();

	(void)state;
	assert_table(&csv, &snapshot,
		"time_ns,event,target,change_points,change,change_sigmas,self_pct,base_self_pct,"
		"total_pct,"
		"base_total_pct,self,self_period,total,total_period,base_self,base_self_period,"
		"base_total,base_total_period,self_per_s,base_self_per_s,comm,tasks,dso,build_id,"
		"level,symbol,address\n"
		"0,cpu-clock,8 CPUs,-70.0000,gone,-7.02,0.0000,70.0000,0.0000,80.0000,"
		"0,0,0,0,35,35,40,40,"
		"0.000,7.000,app,,,,.,old,0x0\n"
		"0,cpu-clock,8 CPUs,45.0000,,2.99,75.0000,30.0000,100.0000,100.0000,"
		"30,30,40,40,15,15,50,50,"
		"3.000,3.000,app,,,,.,main,0x0\n");
	assert_table(&markdown, &snapshot,
		"```text\n# flametop  web-07  cpu-clock 997 Hz  8 CPUs  last 10.0 s  40 samples"
		"  own 0.0 %\n# compared with A: a.data  5.0 s  50 samples  (~ chance explains "
		"the change)\n```\n\n"
		"| CHANGE |  |  | SELF% | A SELF% | TOTAL% | A TOTAL% | SAMPLES | A SAMPLES | "
		"COMMAND | DSO | SYMBOL |\n"
		"| ---: | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | "
		"--- | --- |\n"
		"| -70.00 |  | gone | 0.00 | 70.00 | 0.00 | 80.00 | 0 | 35 | `app` | `app` | "
		"`old` |\n"
		"| +45.00 | ~ |  | 75.00 | 30.00 | 100.00 | 100.00 | 30 | 15 | `app` | `app` | "
		"`main` |"
		"\n\n");
}

/* The first event has no baseline, the second waits: the columns are those of both. */
static void test_all_events_have_the_same_columns(void **state)
{
	struct snapshot first = known(), second = compared();
	char *text;

	(void)state;
	second.is_of_waits = true;
	first.next_event = &second;
	text = written(&csv, &first, 1);
	assert_non_null(strstr(text, ",wait,wait_state,waker,"));
	assert_non_null(strstr(text, "\n5000000000,cpu-clock,8 CPUs,,,,75.0000,,100.0000,,30,"
				     "300,40,400,,,,,3.000,,"));
	assert_non_null(strstr(text, "\n0,cpu-clock,8 CPUs,-70.0000,gone,"));
	free(text);
}

static const struct group_node nodes[] = {
	{ .parent = UINT32_MAX, .size = 2, .now = { { 6, 60 }, { 6, 60 } }, .whole_weight = 100,
	  .text = "app", .dso_path = "" },
	{ .parent = 0, .size = 1, .depth = 1, .now = { { 5, 50 }, { 6, 60 } },
	  .whole_weight = 100, .text = "main()", .dso_path = "/bin/app", .mode = MODE_USER },
};

static void test_groups_have_a_column_for_each_level(void **state)
{
	struct snapshot snapshot = known();
	struct table_options options = csv;

	(void)state;
	options.kind = TABLE_GROUPS;
	options.print.has_groups = true;
	snapshot.groups = (struct group_tree){
		.level_count = 2, .keys = { GROUP_COMM, GROUP_SYMBOL }, .node_count = 2,
		.nodes = nodes,
	};
	assert_table(&options, &snapshot,
		"time_ns,event,level,self_pct,total_pct,self,self_period,total,total_period,comm,"
		"symbol\n"
		"5000000000,cpu-clock,comm,60.0000,60.0000,6,60,6,60,app,\n"
		"5000000000,cpu-clock,symbol,50.0000,60.0000,5,50,6,60,app,main()\n");
}

static const struct tree_node tree_nodes[] = {
	{ .parent = UINT32_MAX, .size = 3, .now = { { 0, 0 }, { 4, 40 } }, .symbol = "app",
	  .dso = "", .dso_path = "", .is_command = true },
	{ .parent = 0, .size = 2, .depth = 1, .now = { { 1, 10 }, { 4, 40 } }, .symbol = "a;b",
	  .dso = "app", .dso_path = "/bin/app", .mode = MODE_USER },
	{ .parent = 1, .size = 1, .depth = 2, .now = { { 3, 30 }, { 3, 30 } }, .symbol = "",
	  .dso = "libx.so", .dso_path = "/lib/libx.so", .state = SYMBOL_LOADING,
	  .mode = MODE_USER },
};

static void test_a_tree_has_the_paths_of_folded_stacks(void **state)
{
	struct snapshot snapshot = known();
	struct table_options options = csv;

	(void)state;
	options.kind = TABLE_TREE;
	options.print.max_rows = 2;	/* the heaviest */
	snapshot.tree = (struct call_tree){
		.direction = TREE_CALLEES, .samples = 4, .weight = 40, .node_count = 3,
		.nodes = tree_nodes,
	};
	assert_table(&options, &snapshot,
		"time_ns,event,self_pct,total_pct,self,self_period,total,total_period,depth,dso,"
		"level,symbol,path\n"
		"5000000000,cpu-clock,0.0000,100.0000,0,0,4,40,0,,,app,app\n"
		"5000000000,cpu-clock,25.0000,100.0000,1,10,4,40,1,/bin/app,.,a;b,app;a:b\n");
}

static void test_a_tree_says_how_many_of_equal_nodes_have_no_room(void **state)
{
	struct snapshot snapshot = known();
	struct table_options options = markdown;
	struct tree_node equal[4];
	char *text;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		equal[i] = tree_nodes[1];
	equal[0] = tree_nodes[0];
	options.kind = TABLE_TREE;
	options.print.max_rows = 2;
	snapshot.tree = (struct call_tree){
		.direction = TREE_CALLEES, .samples = 4, .weight = 40, .node_count = 4,
		.nodes = equal,
	};
	text = written(&options, &snapshot, 1);
	assert_non_null(strstr(text, "\n2 more rows"));
	free(text);
}

/* Two probes with one key in common. */
static const struct snapshot_spread_row powers[] = {
	{ .text = "", .begin = 0, .end = 1, .count = 2 },
	{ .text = "", .begin = 1, .end = 2, .count = 0 },
	{ .text = "", .begin = 2, .end = INT64_MAX, .count = 3 },
};
static const struct snapshot_spread_row top[] = { { .text = "/etc/x,y", .count = 3 } };
static const struct snapshot_group list[] = {
	{ .keys = { "nginx", "/a" }, .count = 5, .per_s = 2.5, .latency_ns = 10000,
	  .p50_ns = 1500, .p99_ns = 3000, .max_ns = 3456,
	  .sums = { { .count = 5, .value = -4096 }, { .count = 4, .value = 10 },
		    { .count = 5, .spread = { 3, powers } },
		    { .count = 3, .spread = { 1, top } } } },
};
static const struct snapshot_group list_of_second[] = {
	{ .keys = { "@here" }, .is_other = true, .count = 1, .per_s = -1 },
};
static const struct snapshot_groups groups[] = {
	{ .probe = 1, .has_latency = true, .key_count = 2, .aggregate_count = 4, .count = 1,
	  .key_names = { "comm", "count" }, .list = list, .left_out = 7, .left_out_hits = 70,
	  .left_out_latency_ns = 140, .left_out_sums = { 21 },
	  .aggregates = { { .name = "sum(size)", .kind = AGGREGATE_SUM },
			  { .name = "avg(size)", .kind = AGGREGATE_AVG },
			  { .name = "hist(size)", .kind = AGGREGATE_HIST },
			  { .name = "top(path)", .kind = AGGREGATE_TOP } } },
	{ .probe = 2, .key_count = 1, .count = 1, .key_names = { "comm" },
	  .list = list_of_second },
};
static const struct snapshot_probe probes[] = {
	{ .id = 1, .spec = "lat:x:f", .name = "lat:x:f", .dso = "", .reason = "" },
	{ .id = 2, .spec = "x:g", .name = "x:g", .dso = "", .reason = "" },
	{ .id = 3, .spec = "lat:x:h", .name = "lat:x:h", .dso = "", .reason = "",
	  .has_latency = true,
	  .latency = { .count = 3, .octaves = { [0] = 1, [10] = 2 } } },
};

static struct snapshot with_probes(void)
{
	struct snapshot snapshot = known();

	snapshot.probes = (struct snapshot_probes){
		.count = 3, .list = probes, .groups = groups, .group_count = 2,
	};
	return snapshot;
}

static void test_groups_of_hits_have_the_columns_of_all_probes(void **state)
{
	const struct snapshot snapshot = with_probes();
	struct table_options options = csv;

	(void)state;
	options.kind = TABLE_HIT_GROUPS;
	assert_table(&options, &snapshot,
		"time_ns,probe,groups,by comm,by count,is_other,count,hits_per_s,latency_sum_ns,"
		"latency_mean_ns,p50_ns,p99_ns,max_ns,sum(size),avg(size)\n"
		"5000000000,lat:x:f,1,nginx,/a,false,5,2.5,10000,2000,1500,3000,3456,-4096,2.500\n"
		"5000000000,lat:x:f,7,,,true,70,,140,2,,,,21,\n"
		"5000000000,x:g,1,'@here,,true,1,,,,,,,,\n");
}

static void test_histograms_have_a_line_for_each_bucket(void **state)
{
	const struct snapshot snapshot = with_probes();
	struct table_options options = csv;

	(void)state;
	options.kind = TABLE_HISTOGRAMS;
	assert_table(&options, &snapshot,
		"time_ns,probe,by comm,by count,aggregate,value,begin,end,count\n"
		"5000000000,lat:x:f,nginx,/a,hist(size),,0,1,2\n"
		"5000000000,lat:x:f,nginx,/a,hist(size),,2,,3\n"
		"5000000000,lat:x:f,nginx,/a,top(path),\"/etc/x,y\",,,3\n"
		"5000000000,lat:x:h,,,lat,,0,2,1\n"
		"5000000000,lat:x:h,,,lat,,1024,2048,2\n");
}

static void test_probes_are_a_table(void **state)
{
	struct snapshot snapshot = with_probes();
	struct table_options options = csv;

	(void)state;
	options.kind = TABLE_PROBES;
	snapshot.probes.list = &probes[2];
	snapshot.probes.count = 1;
	assert_table(&options, &snapshot,
		"time_ns,probe,spec,dso,state,hits,hits_per_s,latency_count,p50_ns,p90_ns,p99_ns,"
		"max_ns,unpaired,filtered,missed,lost,cost_pct,reason\n"
		"5000000000,lat:x:h,lat:x:h,,attaching,0,0.0,3,0,0,0,0,0,0,0,0,0.000,\n");
}

/* Columns come from the specs: a probe that has no hits yet has them, too. */
static void test_specs_name_the_columns(void **state)
{
	struct probe_spec spec = { 0 };
	struct table_options options = csv;
	struct snapshot snapshot = known();
	struct diag why;

	(void)state;
	assert_int_equal(probe_spec_parse(&spec, "lat:k:f by pid : max(lat)", &why), 0);
	options.kind = TABLE_HIT_GROUPS;
	options.probes = &spec;
	options.probe_count = 1;
	assert_table(&options, &snapshot,
		"time_ns,probe,groups,by pid,is_other,count,hits_per_s,latency_sum_ns,"
		"latency_mean_ns,p50_ns,p99_ns,max_ns,max(lat)\n");
}

UNIT_TESTS(test_tables)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_csv_has_titles_once_and_a_line_for_each_row),
		cmocka_unit_test(test_markdown_has_a_head_and_a_table),
		cmocka_unit_test(test_compared_rows_have_both_sides_by_each_other),
		cmocka_unit_test(test_all_events_have_the_same_columns),
		cmocka_unit_test(test_groups_have_a_column_for_each_level),
		cmocka_unit_test(test_a_tree_has_the_paths_of_folded_stacks),
		cmocka_unit_test(test_a_tree_says_how_many_of_equal_nodes_have_no_room),
		cmocka_unit_test(test_groups_of_hits_have_the_columns_of_all_probes),
		cmocka_unit_test(test_histograms_have_a_line_for_each_bucket),
		cmocka_unit_test(test_probes_are_a_table),
		cmocka_unit_test(test_specs_name_the_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
