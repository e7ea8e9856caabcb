/* Several events side by side: which ratios they have, and the loads of each in rows and nodes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/snapshot.h"
#include "publisher_fixture.h"
#include "unit_tests.h"

#define LLC_MISSES (PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

static const struct event_desc
	cycles = { .name = "cycles", .type = PERF_TYPE_HARDWARE,
		   .config = PERF_COUNT_HW_CPU_CYCLES },
	instructions = { .name = "instructions", .type = PERF_TYPE_HARDWARE,
			 .config = PERF_COUNT_HW_INSTRUCTIONS },
	user_instructions = { .name = "instructions:u", .type = PERF_TYPE_HARDWARE,
			      .config = PERF_COUNT_HW_INSTRUCTIONS, .excluded = 6 },
	references = { .name = "cache-references", .type = PERF_TYPE_HARDWARE,
		       .config = PERF_COUNT_HW_CACHE_REFERENCES },
	misses = { .name = "cache-misses", .type = PERF_TYPE_HARDWARE,
		   .config = PERF_COUNT_HW_CACHE_MISSES },
	llc_misses = { .name = "LLC-load-misses", .type = PERF_TYPE_HW_CACHE,
		       .config = LLC_MISSES },
	llc_loads = { .name = "LLC-loads", .type = PERF_TYPE_HW_CACHE,
		      .config = PERF_COUNT_HW_CACHE_LL },
	cpu_clock = { .name = "cpu-clock", .type = PERF_TYPE_SOFTWARE,
		      .config = PERF_COUNT_SW_CPU_CLOCK },
	faults = { .name = "page-faults", .type = PERF_TYPE_SOFTWARE,
		   .config = PERF_COUNT_SW_PAGE_FAULTS },
	switches = { .name = "sched:sched_switch", .type = PERF_TYPE_TRACEPOINT, .config = 316 };

static struct event_columns columns;

#define DESCRIBE(...) \
	do { \
		const struct event_desc *const list[] = { __VA_ARGS__ }; \
		event_columns_describe(&columns, list, COUNT_OF(list)); \
	} while (0)

/* The titles of all ratios, with a space between. */
static const char *ratios(void)
{
	static char text[EVENT_RATIOS * (EVENT_TITLE_BYTES + 1)];
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < columns.ratio_count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? " " : "",
					 columns.ratios[i].title);
	return text;
}

static void test_one_event_and_nine_have_no_columns(void **state)
{
	(void)state;
	DESCRIBE(&cycles);
	assert_int_equal(columns.count, 0);
	DESCRIBE(&cycles, &instructions, &misses, &references, &faults, &cpu_clock, &llc_loads,
		 &llc_misses, &switches);
	assert_int_equal(columns.count, 0);
	DESCRIBE(&cycles, &instructions, &misses, &references, &faults, &cpu_clock, &llc_loads,
		 &llc_misses);
	assert_int_equal(columns.count, 8);
	assert_string_equal(ratios(), "IPC MISS/K MISS% LLC/K LLC% FAULTS/S");
}

static void test_ratios_are_those_of_the_events(void **state)
{
	(void)state;
	DESCRIBE(&instructions, &cycles);
	assert_string_equal(ratios(), "IPC");
	assert_true(columns.ratios[0].is_ipc);
	assert_int_equal(columns.ratios[0].part, 0);
	assert_int_equal(columns.ratios[0].whole, 1);
	DESCRIBE(&misses, &references, &cycles, &instructions);
	assert_string_equal(ratios(), "IPC MISS/K MISS%");
	assert_string_equal(columns.ratios[1].help, "cache-misses per 1,000 instructions");
	assert_string_equal(columns.ratios[2].help, "cache-misses in % of cache-references");
	DESCRIBE(&llc_misses, &llc_loads);
	assert_string_equal(ratios(), "LLC%");
	DESCRIBE(&cpu_clock, &faults);
	assert_string_equal(ratios(), "FAULTS/S");
	assert_string_equal(columns.ratios[0].help, "page-faults per second of CPU time");
}

static void test_events_of_other_levels_have_no_ratio(void **state)
{
	(void)state;
	DESCRIBE(&cycles, &user_instructions);
	assert_string_equal(ratios(), "");
}

/* They are keys in JSON. */
static void test_no_two_ratios_have_the_same_title(void **state)
{
	const struct event_desc user_cycles = { .name = "cycles:u", .type = PERF_TYPE_HARDWARE,
						.config = PERF_COUNT_HW_CPU_CYCLES, .excluded = 6 };
	const struct event_desc minor = { .name = "minor-faults", .type = PERF_TYPE_SOFTWARE,
					  .config = PERF_COUNT_SW_PAGE_FAULTS_MIN };

	(void)state;
	DESCRIBE(&cycles, &instructions, &user_cycles, &user_instructions);
	assert_string_equal(ratios(), "IPC IPC:u");
	assert_string_equal(columns.ratios[1].help,
			    "instructions:u per cycle (cycles:u); ~: of fewer than 10 samples");
	DESCRIBE(&cpu_clock, &faults, &minor);
	assert_string_equal(ratios(), "FAULTS/S FAULTS/S2");
}

static void test_unrelated_events_have_shares_alone(void **state)
{
	(void)state;
	DESCRIBE(&switches, &user_instructions);
	assert_string_equal(ratios(), "");
	assert_string_equal(columns.events[0].title, "SCHED_S%");
	assert_string_equal(columns.events[1].title, "INSTRUC%");
}

static void test_a_ratio_divides_weights(void **state)
{
	const struct stats by_event[] = {
		{ .self = { 20, 4000 }, .total = { 30, 8000 } },
		{ .self = { 9, 3000 }, .total = { 50, 2000 } },
		{ .self = { 0, 0 } },
	};
	const struct event_ratio ratio = { .part = 1, .whole = 0, .factor = 100 },
				 none = { .part = 2, .whole = 0, .factor = 1 },
				 by_none = { .part = 0, .whole = 2, .factor = 1 };
	bool is_rough;

	(void)state;
	assert_true(event_ratio_of(&ratio, by_event, false, &is_rough) == 75);
	assert_true(is_rough);
	assert_true(event_ratio_of(&ratio, by_event, true, &is_rough) == 25);
	assert_false(is_rough);
	assert_true(event_ratio_of(&none, by_event, false, &is_rough) == 0);
	assert_false(is_rough);		/* none at all in many samples is known well */
	assert_true(event_ratio_of(&by_none, by_event, false, &is_rough) < 0);
	assert_true(event_ratio_of(&ratio, NULL, false, &is_rough) < 0);
}

/* Ten samples of cpu-clock, as the fixture makes them, and one page-fault of weight 7. */
static void sample_both(const struct event_desc *both[2])
{
	struct slice_entry entry = { .event = 1, .count = 1, .weight = 7 };

	both[0] = &cpu_clock;
	both[1] = &faults;
	config.ingest.events = both;
	config.ingest.event_count = 2;
	publisher_fixture_sample(50, 60);
	assert_int_equal(timeline_cut(&feed.ingest.timeline, UINT64_MAX), 0);
	entry.task = feed.ingest.timeline.slices[0].entries[0].task;
	entry.stack = feed.ingest.timeline.slices[0].entries[0].stack;
	assert_int_equal(timeline_add(&feed.ingest.timeline, 55 * S / 10, &entry, NULL), 0);
}

static void assert_both(const struct stats *by_event, const struct stats *now)
{
	assert_non_null(by_event);
	assert_memory_equal(&by_event[0], now, sizeof(*now));
	assert_int_equal(by_event[1].self.samples, 1);
	assert_true(by_event[1].self.weight == 7);
}

static void test_rows_and_nodes_have_the_loads_of_each_event(void **state)
{
	const struct event_desc *both[2];
	struct snapshot *snapshot;

	(void)state;
	sample_both(both);
	config.query.event_columns = true;
	config.query.tree = TREE_CALLERS;
	config.query.tree_limit_pct = 50;
	config.query.group_count = 2;
	config.query.groups[0] = GROUP_PID;
	config.query.groups[1] = GROUP_CPU;
	snapshot = publisher_fixture_make();
	assert_true(snapshot->event_columns.has_loads);
	assert_true(snapshot->event_columns.events[0].weight == snapshot->weight);
	assert_true(snapshot->event_columns.events[1].weight == 7);
	assert_int_equal(snapshot->rows[0].now.self.samples, 10);
	assert_both(snapshot->rows[0].by_event, &snapshot->rows[0].now);
	assert_both(snapshot->tree.nodes[0].by_event, &snapshot->tree.nodes[0].now);
	assert_both(snapshot->groups.nodes[0].by_event, &snapshot->groups.nodes[0].now);
	snapshot_destroy(snapshot);
	publisher.event = 1;
	snapshot = publisher_fixture_make();
	assert_int_equal(snapshot->rows[0].now.self.samples, 1);
	assert_int_equal(snapshot->rows[0].by_event[0].self.samples, 10);
	snapshot_destroy(snapshot);
}

static void test_loads_are_not_counted_unless_they_are_asked_for(void **state)
{
	const struct event_desc *both[2];
	struct snapshot *snapshot;

	(void)state;
	sample_both(both);
	snapshot = publisher_fixture_make();
	assert_int_equal(snapshot->event_columns.count, 2);
	assert_false(snapshot->event_columns.has_loads);
	assert_null(snapshot->rows[0].by_event);
	snapshot_destroy(snapshot);
}

static void test_a_chain_has_the_loads_in_each_snapshot(void **state)
{
	const struct event_desc *both[2];
	struct snapshot *snapshot;

	(void)state;
	sample_both(both);
	config.query.event_columns = true;
	config.wants_all_events = true;
	snapshot = publisher_fixture_make();
	assert_both(snapshot->rows[0].by_event, &snapshot->rows[0].now);
	assert_int_equal(snapshot->next_event->rows[0].by_event[0].self.samples, 10);
	assert_int_equal(snapshot->next_event->rows[0].by_event[1].self.samples, 1);
	snapshot_destroy(snapshot);
}

/* Where events are groups, a group is of one event. */
static void test_groups_by_event_have_no_loads_of_others(void **state)
{
	const struct event_desc *both[2];
	struct snapshot *snapshot;

	(void)state;
	sample_both(both);
	config.query.event_columns = true;
	config.query.group_count = 1;
	config.query.groups[0] = GROUP_EVENT;
	snapshot = publisher_fixture_make();
	assert_int_equal(snapshot->groups.node_count, 2);
	assert_null(snapshot->groups.nodes[1].by_event);
	snapshot_destroy(snapshot);
}

UNIT_TESTS(test_event_columns)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_event_and_nine_have_no_columns),
		cmocka_unit_test(test_ratios_are_those_of_the_events),
		cmocka_unit_test(test_events_of_other_levels_have_no_ratio),
		cmocka_unit_test(test_no_two_ratios_have_the_same_title),
		cmocka_unit_test(test_unrelated_events_have_shares_alone),
		cmocka_unit_test(test_a_ratio_divides_weights),
		PUBLISHER_TEST(test_rows_and_nodes_have_the_loads_of_each_event),
		PUBLISHER_TEST(test_loads_are_not_counted_unless_they_are_asked_for),
		PUBLISHER_TEST(test_a_chain_has_the_loads_in_each_snapshot),
		PUBLISHER_TEST(test_groups_by_event_have_no_loads_of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
