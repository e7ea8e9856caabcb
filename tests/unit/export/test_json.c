/* The exact text of hand-made snapshots; and, where jq(1) is there, that it reads every line. */
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

#define UNNAMED	  "\"symbol\":null,\"raw_symbol\":null,\"synthetic\":null,"
#define NO_SYMBOL UNNAMED "\"unreadable\":null,"
#define SYMBOL(name)                                                                              \
	"\"symbol\":\"" name "\",\"raw_symbol\":\"" name                                           \
	"\",\"synthetic\":false,\"unreadable\":null,"

static const struct export_options everything = { .max_rows = SIZE_MAX };

/* malloc'd. */
static char *written(const struct snapshot *snapshot, const struct export_options *options)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	json_write(out, snapshot, options);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no %s in %s", part, text);
}

static void assert_row(struct snapshot_row row, unsigned int keys, const char *expected)
{
	struct snapshot snapshot = fixture_snapshot(&row, 1);
	char *text;

	snapshot.keys = keys;
	text = written(&snapshot, &everything);
	assert_has(text, expected);
	free(text);
}

static void test_a_snapshot_is_one_object_on_one_line(void **state)
{
	struct snapshot_row rows[] = {
		{ .now = { { 3, 75 }, { 4, 100 } }, .symbol = "main", .dso = "app",
		  .dso_path = "/bin/app", .build_id = "abcd", .comm = "app", .address = 0x1000,
		  .mode = MODE_USER, .pid = 7, .tid = 8 },
		{ .now = { { 1, 25 }, { 1, 25 } }, .symbol = "do_idle", .dso = "[kernel]",
		  .dso_path = "[kernel.kallsyms]", .address = 0xffffffff81000000,
		  .mode = MODE_KERNEL },
	};
	struct snapshot snapshot = fixture_snapshot(rows, 2);
	char *text;

	(void)state;
	snapshot.time_ns = 123456789;
	snapshot.samples = 14;
	snapshot.samples_per_s = 1.4;
	snapshot.idle_samples = 10;
	snapshot.unresolved = 2;
	snapshot.busy_pct = 12.34;
	snapshot.own_cpu_pct = 0.5;
	snapshot.own_rss_bytes = 4096;
	snapshot.lost_kernel = 1;
	snapshot.lost_malformed = 2;
	snapshot.lost_late = 3;
	snapshot.stalled_rounds = 4;
	snapshot.throttled_ns = 5;
	snapshot.truncated_stacks = 6;
	snapshot.unattributed = 7;
	snapshot.stacks = STACKS_COPIED;
	snapshot.stack_copy_bytes = 16384;
	snapshot.user_stacks = 12;
	snapshot.complete_stacks = 11;
	snapshot.cut_stacks = 1;
	snapshot.filtered_unknown_uid = 8;
	snapshot.evicted_samples = 9;
	snapshot.shown_samples = 4;
	text = written(&snapshot, &everything);
	assert_string_equal(text,
		"{\"time_ns\":123456789,\"host\":\"web-07\",\"event\":\"cpu-clock\","
		"\"freq_hz\":997,\"period\":null,\"target\":\"8 CPUs\",\"window_s\":10.000,"
		"\"samples\":14,\"samples_per_s\":1.4,\"busy_pct\":12.3,\"idle_samples\":10,"
		"\"unresolved\":2,\"own_cpu_pct\":0.50,\"own_rss_bytes\":4096,"
		"\"stacks\":{\"kind\":\"copies\",\"copy_bytes\":16384,\"user\":12,\"complete\":11,"
		"\"cut\":1},"
		"\"lost\":{\"kernel\":1,\"malformed\":2,\"late\":3},\"stalled_rounds\":4,"
		"\"throttled_ns\":5,\"truncated_stacks\":6,\"unattributed\":7,\"unknown_uid\":8,"
		"\"evicted\":9,\"losses\":null,\"notice\":null,\"not_supported\":[],"
		"\"shown_samples\":4,"
		"\"filter\":[],\"rows\":["
		"{\"self\":3,\"total\":4,\"self_pct\":75.0000,\"total_pct\":100.0000,"
		"\"self_period\":75,\"total_period\":100,\"comm\":null,\"pid\":null,\"tid\":null,"
		"\"cpu\":null,\"dso\":\"/bin/app\",\"build_id\":\"abcd\"," SYMBOL("main")
		"\"address\":\"0x1000\",\"level\":\".\",\"idle\":false},"
		"{\"self\":1,\"total\":1,\"self_pct\":25.0000,\"total_pct\":25.0000,"
		"\"self_period\":25,\"total_period\":25,\"comm\":null,\"pid\":null,\"tid\":null,"
		"\"cpu\":null,\"dso\":\"[kernel.kallsyms]\",\"build_id\":null,"
		SYMBOL("do_idle") "\"address\":\"0xffffffff81000000\",\"level\":\"k\","
		"\"idle\":false}]}\n");
	free(text);
}

/* Part of a title may come from the event's name, which a recording chooses. */
static void test_titles_of_ratios_are_escaped(void **state)
{
	const struct stats by_event[] = { { .self = { 10, 400 } }, { .self = { 10, 100 } } };
	struct snapshot_row row = { .now.self.samples = 10, .symbol = "main",
				    .by_event = by_event };
	struct snapshot snapshot = fixture_snapshot(&row, 1);
	char *text;

	(void)state;
	snapshot.event_columns = (struct event_columns){
		.count = 2, .has_loads = true, .ratio_count = 2,
		.ratios = { { .part = 1, .whole = 0, .factor = 1, .title = "IPC" },
			    { .part = 0, .whole = 1, .factor = 1, .title = "IPC:\"" } },
	};
	text = written(&snapshot, &everything);
	assert_non_null(strstr(text, ",\"ratios\":{\"IPC\":0.2500,\"IPC:\\\"\":4.0000}"));
	free(text);
}

static void test_compared_rows_have_the_baselines_stats(void **state)
{
	struct snapshot_row rows[] = {
		{ .now.self.samples = 3, .now.total.samples = 4, .base = { { 1, 10 }, { 2, 15 } },
		  .symbol = "main", .mode = MODE_USER },
		{ .now.self.samples = 1, .now.total.samples = 1, .symbol = "fresh",
		  .mode = MODE_USER },
		{ .base = { { 1, 10 }, { 1, 10 } }, .symbol = "old", .mode = MODE_USER },
	};
	struct snapshot snapshot = fixture_snapshot(rows, 3);
	char *text, *row[3];

	(void)state;
	snapshot.has_baseline = snapshot.is_compared = true;
	snapshot.baseline = (struct snapshot_baseline){
		.begin_ns = 1, .end_ns = 2, .window_s = 0.5, .samples = 2, .weight = 20,
		.label = "a \"b\"",
	};
	row_changes_weigh_samples(&snapshot);
	text = written(&snapshot, &everything);
	assert_non_null(strstr(text, ",\"baseline\":{\"label\":\"a \\\"b\\\"\",\"begin_ns\":1,"
			       "\"end_ns\":2,\"window_s\":0.500,\"samples\":2,"
			       "\"samples_per_s\":4.0,\"period\":20},\"rows\":["));
	row[0] = strstr(text, ",\"base_self\":1,\"base_total\":1,\"base_self_pct\":50.0000,"
			"\"base_total_pct\":50.0000,\"base_self_period\":10,"
			"\"base_total_period\":10,\"change\":\"gone\",\"self_sigmas\":");
	row[1] = strstr(text, ",\"base_self\":1,\"base_total\":2,\"base_self_pct\":50.0000,"
			"\"base_total_pct\":75.0000,\"base_self_period\":10,"
			"\"base_total_period\":15,\"change\":null,\"self_sigmas\":");
	row[2] = strstr(text, ",\"base_self\":0,\"base_total\":0,\"base_self_pct\":0.0000,"
			"\"base_total_pct\":0.0000,\"base_self_period\":0,"
			"\"base_total_period\":0,\"change\":\"new\",\"self_sigmas\":");
	assert_non_null(strstr(row[0], "\"total_sigmas\":-1."));
	/* 50 points less; the others have 25 more each */
	assert_true(row[0] && row[1] && row[2] && row[0] < row[1] && row[0] < row[2]);
	free(text);
	snapshot.is_compared = false;	/* the other recording has no such event */
	text = written(&snapshot, &everything);
	assert_non_null(strstr(text, ",\"baseline\":null,\"rows\":["));
	assert_null(strstr(text, "base_self"));
	free(text);
}

static void test_only_what_is_in_the_key_is_written_of_a_row(void **state)
{
	const struct snapshot_row row = {
		.now.self.samples = 1, .now.total.samples = 1, .symbol = "f",
		.dso_path = "/bin/app", .build_id = "ab", .comm = "app", .pid = 7, .tid = 8,
		.cpu = 2, .address = 0x10, .mode = MODE_USER,
	};

	(void)state;
	assert_row(row, KEY_COMM, "\"comm\":\"app\",\"pid\":null,\"tid\":null,\"cpu\":null,"
		   "\"dso\":null,\"build_id\":null," NO_SYMBOL "\"address\":null,"
		   "\"level\":null");
	assert_row(row, KEY_PID | KEY_TID, "\"comm\":null,\"pid\":7,\"tid\":8,\"cpu\":null,"
		   "\"dso\":null,\"build_id\":null," NO_SYMBOL "\"address\":null,"
		   "\"level\":null");
	assert_row(row, KEY_CPU, "\"comm\":null,\"pid\":null,\"tid\":null,\"cpu\":2,");
	assert_row(row, KEY_DSO, "\"dso\":\"/bin/app\",\"build_id\":\"ab\"," NO_SYMBOL
		   "\"address\":null,\"level\":\".\"");
	assert_row(row, KEY_ADDRESS, "\"dso\":null,\"build_id\":null," NO_SYMBOL
		   "\"address\":\"0x10\",\"level\":\".\"");
	/* a row of all functions with that name: none of their addresses */
	assert_row(row, KEY_SYMBOL, "\"dso\":null,\"build_id\":null," SYMBOL("f")
		   "\"address\":null,\"level\":\".\"");
}

static void test_branches_say_where_they_come_from(void **state)
{
	struct snapshot_row row = {
		.now.self.samples = 4, .now.total.samples = 4, .symbol = "f",
		.dso_path = "/bin/app", .build_id = "", .address = 0x101c, .mode = MODE_USER,
		.from_mode = MODE_KERNEL, .from_dso_path = "[kernel]", .from_symbol = "schedule",
		.is_from_named = true, .from_address = 0xffffffff81000028,
		.predicted = 3, .mispredicted = 1,
	};

	(void)state;
	assert_row(row, KEYS_BRANCH, "\"address\":\"0x101c\",\"level\":\".\",\"predicted\":3,"
		   "\"mispredicted\":1,\"from_dso\":\"[kernel]\",\"from_symbol\":\"schedule\","
		   "\"from_address\":\"0xffffffff81000028\",\"from_level\":\"k\"");
	row.is_from_named = false;
	assert_row(row, KEYS_BRANCH, "\"from_dso\":\"[kernel]\",\"from_symbol\":null,");
	row.from_dso_path = "";
	assert_row(row, KEYS_BRANCH, "\"from_dso\":null,\"from_symbol\":null,"
		   "\"from_address\":null,\"from_level\":null");
}

#define NO_CGROUP "\"cgroup\":null,\"unit\":null,\"container\":null,\"pod\":null,"

static void test_tasks_say_what_the_kernel_says_of_them(void **state)
{
	struct snapshot_row row = {
		.now.self.samples = 1, .now.total.samples = 1, .pid = 7, .tid = 7,
		.task_state = 'R', .cpu_pct = 99.96, .threads = 3, .command_line = "./a \"b\"",
	};

	(void)state;
	assert_row(row, KEY_PID, "\"level\":null," NO_CGROUP "\"state\":\"R\","
		   "\"cpu_pct\":100.0,\"threads\":3,"
		   "\"command_line\":\"./a \\\"b\\\"\",\"idle\":false}");
	assert_row(row, KEY_COMM, "\"level\":null,\"idle\":false}");
	row = (struct snapshot_row){ .now.self.samples = 1, .now.total.samples = 1, .pid = 7,
				     .cpu_pct = -1 };
	assert_row(row, KEY_PID | KEY_TID, "\"level\":null," NO_CGROUP
		   "\"state\":null,\"cpu_pct\":null,"
		   "\"threads\":null,\"command_line\":null,\"idle\":false}");
}

static void test_tasks_say_where_they_are(void **state)
{
	const struct snapshot_row row = {
		.now.self.samples = 1, .now.total.samples = 1, .pid = 7, .tid = 7, .cpu_pct = -1,
		.cgroup = "/lxc/\"a\"/b.service", .unit = "b.service", .container = "\"a\"",
	};

	(void)state;
	assert_row(row, KEY_PID, "\"level\":null,\"cgroup\":\"/lxc/\\\"a\\\"/b.service\","
		   "\"unit\":\"b.service\",\"container\":\"\\\"a\\\"\",\"pod\":null,\"state\"");
	assert_row(row, KEY_TID, "\"level\":null,\"cgroup\":\"/lxc/");
	assert_row(row, KEY_COMM, "\"level\":null,\"idle\":false}");
}

static void test_cpus_say_how_busy_they_are(void **state)
{
	struct snapshot_row row = { .now.self.samples = 1, .now.total.samples = 1, .cpu = 2,
				    .busy_pct = 12.34 };

	(void)state;
	assert_row(row, KEY_CPU, "\"level\":null,\"busy_pct\":12.3,\"idle\":false}");
	row.busy_pct = -1;
	assert_row(row, KEY_CPU, "\"level\":null,\"busy_pct\":null,\"idle\":false}");
	assert_row(row, KEY_CPU | KEY_COMM, "\"level\":null,\"idle\":false}");
}

static void test_rows_by_event_name_it(void **state)
{
	struct snapshot_row row = { .now.self = { 1, 50 }, .now.total = { 1, 50 }, .whole = 200,
				    .event = "sched:\"x\"" };

	(void)state;
	assert_row(row, KEY_EVENT, "\"self_pct\":25.0000,\"total_pct\":25.0000,");
	assert_row(row, KEY_EVENT, ",\"event\":\"sched:\\\"x\\\"\",\"comm\":null,");
}

static void test_what_is_not_known_is_null(void **state)
{
	const unsigned int code = KEY_DSO | KEY_SYMBOL;
	struct snapshot_row row = { .now.self.samples = 1, .now.total.samples = 1, .dso_path = "/x",
				    .mode = MODE_USER, .cpu = -1 };

	(void)state;
	row.state = SYMBOL_LOADING;
	assert_row(row, code, "\"build_id\":null," NO_SYMBOL "\"address\":null,");
	row.state = SYMBOL_UNKNOWN;
	row.symbol = "0x77";
	row.address = 0x77;
	assert_row(row, code, NO_SYMBOL "\"address\":\"0x77\",");
	assert_row(row, KEY_SYMBOL, NO_SYMBOL "\"address\":\"0x77\",");
	row.state = SYMBOL_UNREADABLE;
	row.reason = "unreadable: not an ELF file";
	assert_row(row, code, UNNAMED "\"unreadable\":\"unreadable: not an ELF file\","
		   "\"address\":\"0x77\",");
	assert_row(row, KEY_CPU, "\"cpu\":null");
}

static void test_code_without_a_map_has_a_name_and_no_address(void **state)
{
	struct snapshot_row row = { .now.self.samples = 1, .dso_path = "//anon", .cpu = -1,
				    .mode = MODE_USER, .state = SYMBOL_NO_MAP,
				    .symbol = "[anon] JIT of node, no map",
				    .raw_symbol = "[anon] JIT of node, no map" };

	(void)state;
	assert_row(row, KEY_DSO | KEY_SYMBOL, "\"symbol\":\"[anon] JIT of node, no map\",");
	assert_row(row, KEY_DSO | KEY_SYMBOL, "\"address\":null,");
	row.address = 0x7f0000000050;
	assert_row(row, KEY_SYMBOL | KEY_ADDRESS, "\"address\":\"0x7f0000000050\",");
}

static void test_stats_that_do_not_apply_are_null(void **state)
{
	struct snapshot snapshot = fixture_snapshot(NULL, 0);
	char *text;

	(void)state;
	snapshot.freq_hz = 0;
	snapshot.fixed_period = 1000;
	snapshot.notice = "one\ntwo";
	snapshot.absent_events = "cycles\nno counters\nno:such\nno group\n";
	text = written(&snapshot, &everything);
	assert_has(text, "\"freq_hz\":null,\"period\":1000,");
	assert_has(text, "\"busy_pct\":null,");
	assert_has(text, "\"notice\":\"one\\u000atwo\",");
	assert_has(text, "\"not_supported\":[{\"event\":\"cycles\",\"reason\":\"no counters\"},"
			 "{\"event\":\"no:such\",\"reason\":\"no group\"}],");
	free(text);
}

static void test_quotes_and_backslashes_are_escaped(void **state)
{
	const struct snapshot_row row = {
		.now.self.samples = 1, .now.total.samples = 1, .symbol = "a\"b\\cd\xc3\xa9",
	};

	(void)state;
	assert_row(row, KEY_SYMBOL, "\"symbol\":\"a\\\"b\\\\cd\xc3\xa9\"");
}

static void test_every_part_of_the_filter_is_written(void **state)
{
	const struct export_options options = {
		.max_rows = SIZE_MAX,
		.filter = {
			.count = 13,
			.parts = {
				{ .field = FILTER_TEXT, .text = "~\"\x9b" },
				{ .field = FILTER_COMMAND, .text = "sh", .is_negated = true },
				{ .field = FILTER_DSO, .text = "libc.so.6" },
				{ .field = FILTER_SYMBOL, .text = "main" },
				{ .field = FILTER_PID, .number = 7 },
				{ .field = FILTER_TID, .number = 8 },
				{ .field = FILTER_CPU, .number = 0 },
				{ .field = FILTER_KERNEL, .is_negated = true },
				{ .field = FILTER_USER },
				{ .field = FILTER_CGROUP, .text = "/a" },
				{ .field = FILTER_UNIT, .text = "b.service" },
				{ .field = FILTER_CONTAINER, .text = "c" },
				{ .field = FILTER_POD, .text = "d" },
			},
		},
	};
	struct snapshot snapshot = fixture_snapshot(NULL, 0);
	char *text;

	(void)state;
	snapshot.shown_samples = 5;
	text = written(&snapshot, &options);
	assert_has(text,
		   "\"shown_samples\":5,\"filter\":["
		   "{\"field\":\"text\",\"negated\":false,\"value\":\"~\\\"\\\\x9b\"},"
		   "{\"field\":\"comm\",\"negated\":true,\"value\":\"sh\"},"
		   "{\"field\":\"dso\",\"negated\":false,\"value\":\"libc.so.6\"},"
		   "{\"field\":\"symbol\",\"negated\":false,\"value\":\"main\"},"
		   "{\"field\":\"pid\",\"negated\":false,\"value\":7},"
		   "{\"field\":\"tid\",\"negated\":false,\"value\":8},"
		   "{\"field\":\"cpu\",\"negated\":false,\"value\":0},"
		   "{\"field\":\"kernel\",\"negated\":true},"
		   "{\"field\":\"user\",\"negated\":false},"
		   "{\"field\":\"cgroup\",\"negated\":false,\"value\":\"/a\"},"
		   "{\"field\":\"unit\",\"negated\":false,\"value\":\"b.service\"},"
		   "{\"field\":\"container\",\"negated\":false,\"value\":\"c\"},"
		   "{\"field\":\"pod\",\"negated\":false,\"value\":\"d\"}],\"rows\":[]}\n");
	free(text);
}

static void test_idle_rows_come_when_asked_for_and_the_limit_holds(void **state)
{
	struct snapshot_row rows[] = {
		{ .now.self.samples = 5, .now.total.samples = 5, .symbol = "idle",
		  .is_idle = true },
		{ .now.self.samples = 4, .now.total.samples = 4, .symbol = "a" },
		{ .now.self.samples = 3, .now.total.samples = 3, .symbol = "b" },
		{ .now.self.samples = 2, .now.total.samples = 2, .symbol = "c" },
	};
	struct export_options options = { .max_rows = 2 };
	struct snapshot snapshot = fixture_snapshot(rows, 4);
	char *text;

	(void)state;
	text = written(&snapshot, &options);
	assert_has(text, "\"symbol\":\"a\"");
	assert_has(text, "\"symbol\":\"b\"");
	assert_null(strstr(text, "\"symbol\":\"c\""));
	assert_null(strstr(text, "idle\":true"));
	free(text);
	options.show_idle = true;
	text = written(&snapshot, &options);
	assert_has(text, "\"idle\":true}");
	assert_has(text, "\"self\":5,\"total\":5,\"self_pct\":null,\"total_pct\":null,");
	free(text);
}

static void test_a_moment_has_no_samples_a_second(void **state)
{
	struct snapshot_row row = { .now.self.samples = 1, .now.total.samples = 1, .symbol = "f" };
	const struct export_options options = { .max_rows = SIZE_MAX };
	struct snapshot snapshot = fixture_snapshot(&row, 1);
	char *text;

	(void)state;
	snapshot.samples_per_s = -1;
	text = written(&snapshot, &options);
	assert_has(text, "\"samples_per_s\":null,");
	free(text);
}

/* Shares of 1/3 and the like: four digits, and a decimal point. */
static void test_shares_have_four_digits(void **state)
{
	struct snapshot_row row = { .now.self.samples = 1, .now.total.samples = 2, .symbol = "f" };
	struct snapshot snapshot = fixture_snapshot(&row, 1);
	char *text;

	(void)state;
	snapshot.weight = 3;
	text = written(&snapshot, &everything);
	assert_has(text, "\"self_pct\":33.3333,\"total_pct\":66.6667,");
	free(text);
}

static void test_jq_reads_it(void **state)
{
	struct snapshot_row rows[] = {
		{ .now.self.samples = 1, .now.total.samples = 1,
		  .symbol = "operator\"\" _x\\\\x01" },
		{ .now.self.samples = 1, .now.total.samples = 1, .state = SYMBOL_LOADING },
	};
	struct snapshot snapshot = fixture_snapshot(rows, 2);
	FILE *jq;

	(void)state;
	if (system("command -v jq >/dev/null"))
		skip();
	jq = popen("jq -e '(.rows | length == 2) and (.rows[0].symbol == \"operator\\\"\\\" "
		   "_x\\\\\\\\x01\") and .lost.kernel == 0' >/dev/null", "w");
	assert_non_null(jq);
	json_write(jq, &snapshot, &everything);
	assert_int_equal(pclose(jq), 0);
}

/* What is not known is null, and not 0. */
static void test_every_cause_of_losses_is_written(void **state)
{
	struct snapshot snapshot = fixture_snapshot(NULL, 0);
	char name[64], *text;

	(void)state;
	snapshot.losses.is_set = true;
	snapshot.losses.counts[LOSS_RING_FULL] = (struct loss_count){ 7, 2, true, true };
	snapshot.losses.counts[LOSS_THROTTLED] = (struct loss_count){ 900, 0, true, true };
	snapshot.losses.counts[LOSS_UNRESOLVED] = (struct loss_count){ 0, 5, false, true };
	snapshot.losses.counts[LOSS_NO_MAP] = (struct loss_count){ 3, 3, true, true };
	snapshot.losses.processes[LOSS_NO_MAP] =
		(struct loss_process){ .pid = 9, .program = "java" };
	text = written(&snapshot, &everything);
	assert_non_null(strstr(text, "\"losses\":{\"kernel\":{\"since_start\":7,"
				     "\"in_window\":2},\"kernel_counted\":{\"since_start\":null,"
				     "\"in_window\":null},"));
	assert_non_null(strstr(text, "\"throttled_ns\":{\"since_start\":900,\"in_window\":0}"));
	assert_non_null(strstr(text, "\"unmapped_code_stacks\":{\"since_start\":3,\"in_window\":3,"
				     "\"mostly_in\":{\"pid\":9,\"program\":\"java\"}}"));
	assert_non_null(strstr(text, "\"unresolved\":{\"since_start\":null,\"in_window\":5}"));
	for (size_t cause = 0; cause < LOSS_CAUSES; cause++) {
		snprintf(name, sizeof(name), "\"%s%s\":{\"since_start\":",
			 loss_descriptions[cause].name,
			 loss_descriptions[cause].is_time ? "_ns" : "");
		assert_non_null(strstr(text, name));
	}
	free(text);
}

UNIT_TESTS(test_json)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_snapshot_is_one_object_on_one_line),
		cmocka_unit_test(test_titles_of_ratios_are_escaped),
		cmocka_unit_test(test_compared_rows_have_the_baselines_stats),
		cmocka_unit_test(test_only_what_is_in_the_key_is_written_of_a_row),
		cmocka_unit_test(test_branches_say_where_they_come_from),
		cmocka_unit_test(test_tasks_say_what_the_kernel_says_of_them),
		cmocka_unit_test(test_tasks_say_where_they_are),
		cmocka_unit_test(test_cpus_say_how_busy_they_are),
		cmocka_unit_test(test_rows_by_event_name_it),
		cmocka_unit_test(test_what_is_not_known_is_null),
		cmocka_unit_test(test_code_without_a_map_has_a_name_and_no_address),
		cmocka_unit_test(test_stats_that_do_not_apply_are_null),
		cmocka_unit_test(test_quotes_and_backslashes_are_escaped),
		cmocka_unit_test(test_every_part_of_the_filter_is_written),
		cmocka_unit_test(test_every_cause_of_losses_is_written),
		cmocka_unit_test(test_idle_rows_come_when_asked_for_and_the_limit_holds),
		cmocka_unit_test(test_a_moment_has_no_samples_a_second),
		cmocka_unit_test(test_shares_have_four_digits),
		cmocka_unit_test(test_jq_reads_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
