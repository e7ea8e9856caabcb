/* Numbers of counters: scaling, means, ratios; and how they are written. */
#include "export/print.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit_tests.h"

#define HARDWARE(what) { .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_##what }
#define SOFTWARE(what) { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_##what }
#define MISSES(cache) { .type = PERF_TYPE_HW_CACHE, .config = PERF_COUNT_HW_CACHE_##cache |	\
			PERF_COUNT_HW_CACHE_RESULT_MISS << 16 }
#define LOADS(cache) { .type = PERF_TYPE_HW_CACHE, .config = PERF_COUNT_HW_CACHE_##cache }

enum { CELLS_MAX = 8 };

static struct counter_cell cells[CELLS_MAX];
static const struct counter_row rows[2] = { { .number = 0 }, { .number = 1 } };

static const struct counter_event plain = { .name = "cycles" };
static const struct counter_event absent = { .name = "cycles", .absent.err = -2 };

static struct counter_report report_of(const struct counter_event *events, size_t count,
				       const double *values)
{
	assert_true(count <= CELLS_MAX);
	for (size_t i = 0; i < count; i++)
		cells[i] = (struct counter_cell){ .value = values[i], .deviation_pct = -1,
						  .running_pct = 100 };
	return (struct counter_report){
		.events = events, .event_count = count, .rows = rows, .row_count = 1,
		.cells = cells, .target = "make", .notice = "", .is_first = true,
		.elapsed_s = 2, .elapsed = { .mean = 2, .runs = 1 },
	};
}

static void assert_ratio(const struct counter_report *report, size_t event, double value,
			 const char *unit)
{
	struct counter_ratio ratio;

	assert_true(counter_ratio_find(report, 0, event, &ratio));
	assert_true(fabs(ratio.value - value) < 1e-9);
	assert_string_equal(ratio.unit, unit);
}

static void test_a_part_of_the_time_stands_for_the_whole(void **state)
{
	const struct counter_value half = { 500, 2000, 1000 }, whole = { 500, 2000, 2000 };
	struct counter_cell cell = counter_cell_of(&half, &plain, false);

	(void)state;
	assert_int_equal(cell.state, COUNTER_COUNTED);
	assert_true(cell.value == 1000);
	assert_true(cell.running_pct == 50);
	cell = counter_cell_of(&whole, &plain, false);
	assert_true(cell.value == 500);
	assert_true(cell.running_pct == 100);
}

static void test_what_never_ran_was_not_counted(void **state)
{
	const struct counter_value waiting = { 0, 2000, 0 }, asleep = { 0, 0, 0 };

	(void)state;
	assert_int_equal(counter_cell_of(&waiting, &plain, false).state, COUNTER_NOT_COUNTED);
	assert_int_equal(counter_cell_of(&waiting, &plain, true).state, COUNTER_NOT_COUNTED);
	assert_int_equal(counter_cell_of(&asleep, &plain, false).state, COUNTER_NOT_COUNTED);
	/* A task that slept for the whole of an interval. */
	assert_int_equal(counter_cell_of(&asleep, &plain, true).state, COUNTER_COUNTED);
	assert_int_equal(counter_cell_of(&asleep, &absent, true).state, COUNTER_NOT_SUPPORTED);
}

/* 2, 4 and 9: mean 5, variance (9 + 1 + 16) / 2 = 13, standard error sqrt(13 / 3) = 2.0817. */
static void test_the_deviation_is_that_of_the_mean(void **state)
{
	struct counter_mean mean = { .runs = 0 };

	(void)state;
	counter_mean_add(&mean, 2);
	assert_true(counter_mean_deviation_pct(&mean) < 0);
	counter_mean_add(&mean, 4);
	counter_mean_add(&mean, 9);
	assert_true(mean.mean == 5);
	assert_true(fabs(counter_mean_deviation_pct(&mean) - 100 * sqrt(13.0 / 3) / 5) < 1e-9);
}

static void test_ratios_are_those_that_are_usual(void **state)
{
	static const struct counter_event events[] = {
		{ .name = "task-clock", .attr = SOFTWARE(TASK_CLOCK) },
		{ .name = "page-faults", .attr = SOFTWARE(PAGE_FAULTS) },
		{ .name = "cycles", .attr = HARDWARE(CPU_CYCLES) },
		{ .name = "instructions", .attr = HARDWARE(INSTRUCTIONS) },
		{ .name = "branches", .attr = HARDWARE(BRANCH_INSTRUCTIONS) },
		{ .name = "branch-misses", .attr = HARDWARE(BRANCH_MISSES) },
		{ .name = "LLC-loads", .attr = LOADS(LL) },
		{ .name = "LLC-load-misses", .attr = MISSES(LL) },
	};
	static const double values[] = { 1e9, 3000, 2002615180, 1001307590, 400, 4, 50, 1 };
	const struct counter_report report = report_of(events, 8, values);

	(void)state;
	assert_ratio(&report, 0, 0.5, "CPUs utilized");	/* 1 s of 2 */
	assert_ratio(&report, 1, 3000, "/sec");
	assert_ratio(&report, 2, 2.00261518, "GHz");
	assert_ratio(&report, 3, 0.5, "insn per cycle");
	assert_ratio(&report, 4, 400, "/sec");
	assert_ratio(&report, 5, 1, "% of all branches");
	assert_ratio(&report, 7, 2, "% of all LL-cache accesses");
}

/* 2^32 counts of 2^-32 J, counted for half of the time: 2 J in 2 s. */
static void test_energy_is_in_joules_and_its_rate_in_watts(void **state)
{
	static const struct counter_event energy = { .name = "power/energy-pkg/",
		.attr.type = 9, .unit = { 1.0 / 4294967296, "Joules" } };
	const struct counter_value half = { 4294967296, 2000, 1000 };
	const struct counter_cell cell = counter_cell_of(&half, &energy, false);
	const struct counter_report report = report_of(&energy, 1, &cell.value);

	(void)state;
	assert_true(cell.value == 2);
	assert_ratio(&report, 0, 1, "W");
}

static const struct counter_event topdown[] = {
	{ .name = "cpu/slots/", .attr.type = PERF_TYPE_RAW },
	{ .name = "cpu/topdown-retiring/", .attr.type = PERF_TYPE_RAW },
	{ .name = "cpu/topdown-bad-spec/", .attr.type = PERF_TYPE_RAW },
	{ .name = "cpu/topdown-fe-bound/", .attr.type = PERF_TYPE_RAW },
	{ .name = "cpu/topdown-be-bound/", .attr.type = PERF_TYPE_RAW },
	{ .name = "cpu_atom/topdown-retiring/", .attr.type = PERF_TYPE_RAW },
};

/* The shares are of the sum of the four: 42 + 6 + 22 + 130 = 200. Other kinds of cores have events
 * of their own. */
static void test_shares_of_slots_are_those_of_the_four_events(void **state)
{
	struct counter_report report = report_of(topdown, 6, (const double[]){ 201, 42, 6, 22, 130,
									       1000 });
	struct counter_ratio ratio;
	double shares[TOPDOWN_SHARES];

	(void)state;
	assert_ratio(&report, 1, 21, "% retiring");
	assert_ratio(&report, 2, 3, "% bad speculation");
	assert_ratio(&report, 3, 11, "% frontend bound");
	assert_ratio(&report, 4, 65, "% backend bound");
	assert_false(counter_ratio_find(&report, 0, 5, &ratio));	/* its others are missing */
	assert_true(counter_is_topdown(&topdown[0], &topdown[4]));
	assert_false(counter_is_topdown(&topdown[5], &topdown[4]));
	cells[3].state = COUNTER_NOT_COUNTED;
	assert_false(counter_topdown_find(&report, 0, 0, shares));
}

/* Of 1000 slots 400 retired; 500 were issued, and 20 were lost to recovery: 100 + 20 are bad
 * speculation. 180 had nothing to issue; the other 300 waited for the backend. */
static void test_shares_of_slots_without_events_of_their_own(void **state)
{
	static const struct counter_event events[] = {
		{ .name = "cpu/topdown-total-slots/", .attr.type = PERF_TYPE_RAW },
		{ .name = "cpu/topdown-slots-issued/", .attr.type = PERF_TYPE_RAW },
		{ .name = "cpu/topdown-slots-retired/", .attr.type = PERF_TYPE_RAW },
		{ .name = "cpu/topdown-fetch-bubbles/", .attr.type = PERF_TYPE_RAW },
		{ .name = "cpu/topdown-recovery-bubbles/", .attr.type = PERF_TYPE_RAW },
	};
	const struct counter_report report = report_of(events, 5, (const double[]){ 1000, 500, 400,
										    180, 20 });

	(void)state;
	assert_ratio(&report, 0, 30, "% backend bound");
	assert_ratio(&report, 1, 12, "% bad speculation");
	assert_ratio(&report, 2, 40, "% retiring");
	assert_ratio(&report, 3, 18, "% frontend bound");
}

static void test_levels_that_differ_make_no_ratio(void **state)
{
	static const struct counter_event events[] = {
		{ .name = "cycles", .attr = HARDWARE(CPU_CYCLES) },
		{ .name = "instructions:u", .attr = { .type = PERF_TYPE_HARDWARE,
				.config = PERF_COUNT_HW_INSTRUCTIONS, .exclude_kernel = 1 } },
	};
	const struct counter_report report = report_of(events, 2, (const double[]){ 100, 50 });
	struct counter_ratio ratio;

	(void)state;
	assert_false(counter_ratio_find(&report, 0, 1, &ratio));
}

static void test_a_part_that_was_not_counted_makes_no_ratio(void **state)
{
	static const struct counter_event events[] = {
		{ .name = "cycles", .attr = HARDWARE(CPU_CYCLES) },
		{ .name = "instructions", .attr = HARDWARE(INSTRUCTIONS) },
	};
	const struct counter_report report = report_of(events, 2, (const double[]){ 100, 50 });
	struct counter_ratio ratio;

	(void)state;
	assert_true(counter_ratio_find(&report, 0, 1, &ratio));
	cells[0].state = COUNTER_NOT_COUNTED;
	assert_false(counter_ratio_find(&report, 0, 1, &ratio));
	cells[0] = (struct counter_cell){ .value = 0 };
	assert_false(counter_ratio_find(&report, 0, 1, &ratio));
}

static void assert_written(void (*write)(FILE *out, const struct counter_report *report),
			   const struct counter_report *report, const char *expected)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	write(out, report);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static const struct counter_event three[] = {
	{ .name = "task-clock", .attr = SOFTWARE(TASK_CLOCK) },
	{ .name = "page-faults", .attr = SOFTWARE(PAGE_FAULTS) },
	{ .name = "cycles", .attr = HARDWARE(CPU_CYCLES),
	  .absent = { .err = -2, .text = "no such counter" } },
};

static struct counter_report report_of_three(void)
{
	struct counter_report report = report_of(three, 3, (const double[]){ 1.5e9, 1234567, 0 });

	cells[1].running_pct = 50;
	cells[2].state = COUNTER_NOT_SUPPORTED;
	report.user = (struct counter_mean){ .mean = 1.25, .runs = 1 };
	report.system = (struct counter_mean){ .mean = 0.25, .runs = 1 };
	return report;
}

static void test_text_is_for_people(void **state)
{
	const struct counter_report report = report_of_three();

	(void)state;
	assert_written(counter_text_write, &report,
		"Counted: make\n"
		"\n"
		"           1500.00 msec  task-clock                #     0.750 CPUs utilized\n"
		"         1,234,567       page-faults               #   823.045 K/sec  (50.00%)\n"
		"   <not supported>       cycles\n"
		"\n"
		"# cycles: no such counter\n"
		"       2.000000000 seconds elapsed\n"
		"       1.250000000 seconds user\n"
		"       0.250000000 seconds sys\n");
}

static void test_json_has_numbers_as_they_are(void **state)
{
	static const struct counter_value own[] = { { 7, 1, 1 }, { 0, 1, 1 }, { 0, 0, 0 } };
	struct counter_report report = report_of_three();

	(void)state;
	report.own = own;
	report.only_nonzero = true;
	report.notice = "one \"thing\"";
	assert_written(counter_json_write, &report,
		"{\"kind\":\"total\",\"target\":\"make\",\"elapsed_s\":2.000000000,"
		"\"user_s\":1.250000000,\"sys_s\":0.250000000,\"runs\":1,"
		"\"notice\":[\"one \\\"thing\\\"\"],\"events\":["
		"{\"event\":\"task-clock\",\"state\":\"counted\",\"value\":1500000000,"
		"\"unit\":\"ns\",\"enabled_ns\":0,\"running_ns\":0,\"running_pct\":100.00,"
		"\"ratio\":{\"value\":0.750000,\"unit\":\"CPUs utilized\"}},"
		"{\"event\":\"page-faults\",\"state\":\"counted\",\"value\":1234567,"
		"\"unit\":\"count\",\"enabled_ns\":0,\"running_ns\":0,\"running_pct\":50.00,"
		"\"ratio\":{\"value\":823044.666667,\"unit\":\"/sec\"}}],"
		"\"own\":[{\"event\":\"task-clock\",\"value\":7}]}\n");
}

static void write_csv(FILE *out, const struct counter_report *report)
{
	counter_table_write(out, report, TABLE_CSV);
}

static void write_markdown(FILE *out, const struct counter_report *report)
{
	counter_table_write(out, report, TABLE_MARKDOWN);
}

static void test_markdown_has_a_table(void **state)
{
	struct counter_report report = report_of(three, 1, (const double[]){ 1500000000 });

	(void)state;
	assert_written(write_markdown, &report,
		"| EVENT | COUNT | UNIT | +-% | RATIO |  |\n"
		"| --- | ---: | --- | ---: | ---: | --- |\n"
		"| `task-clock` | 1500000000 | `ns` |  | 0.75 | CPUs utilized |\n");
}

static void test_csv_has_a_line_for_each_row(void **state)
{
	static const struct counter_value own[] = { { 5, 1, 1 } };
	static const struct counter_event quoted[] = {
		{ .name = "a\"b", .attr = SOFTWARE(PAGE_FAULTS) },
	};
	struct counter_report report = report_of(quoted, 1, (const double[]){ 3 });

	(void)state;
	cells[1] = (struct counter_cell){ .state = COUNTER_NOT_COUNTED };
	report.row_count = 2;
	report.rows_are = COUNTER_PER_CPU;
	report.own = own;
	assert_written(write_csv, &report,
		"kind,time_s,row,event,state,value,unit,enabled_ns,running_ns,deviation_pct,"
		"ratio,ratio_unit,own\n"
		"total,2.000000000,CPU0,\"a\"\"b\",counted,3,count,0,0,,,,5\n"
		"total,2.000000000,CPU1,\"a\"\"b\",not counted,,count,0,0,,,,\n");
}

UNIT_TESTS(test_counters)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_part_of_the_time_stands_for_the_whole),
		cmocka_unit_test(test_what_never_ran_was_not_counted),
		cmocka_unit_test(test_the_deviation_is_that_of_the_mean),
		cmocka_unit_test(test_ratios_are_those_that_are_usual),
		cmocka_unit_test(test_energy_is_in_joules_and_its_rate_in_watts),
		cmocka_unit_test(test_shares_of_slots_are_those_of_the_four_events),
		cmocka_unit_test(test_shares_of_slots_without_events_of_their_own),
		cmocka_unit_test(test_levels_that_differ_make_no_ratio),
		cmocka_unit_test(test_a_part_that_was_not_counted_makes_no_ratio),
		cmocka_unit_test(test_text_is_for_people),
		cmocka_unit_test(test_json_has_numbers_as_they_are),
		cmocka_unit_test(test_csv_has_a_line_for_each_row),
		cmocka_unit_test(test_markdown_has_a_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
