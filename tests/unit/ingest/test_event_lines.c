/* Hits and samples one by one: all in one order, each once, none before what may still precede
 * it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/budget.h"
#include "analyzer/event_builder.h"
#include "hit_fixture.h"
#include "ingest/probe_state.h"
#include "publisher_fixture.h"
#include "unit_tests.h"

#define PID 100
#define P   1
#define SP  UINT64_C(0x7ff000)

static int set_up(void **state)
{
	publisher_fixture_set_up(state);
	feed.ingest.lines.is_on = true;
	config.wants_events = config.wants_event_stacks = true;
	feed_comm(&feed, 1, PID, PID, "prog", true);
	feed_mmap(&feed, 2, PID, 0x400000, 0x1000, 0, "/bin/prog");
	return 0;
}

static struct snapshot *make(bool is_end)
{
	const struct diag why = { 0 };

	return event_builder_publish(&publisher, is_end, false, &why);
}

static void test_lines_leave_in_time_order_and_ties_as_they_came(void **state)
{
	static const uint64_t times[] = { 50, 10, 30, 30, 20, 90, 10 };
	static const uint64_t order[] = { 1, 6, 4, 2, 3, 0 };	/* indices; 90 is not before 90 */
	struct event_lines lines = { .is_on = true };

	(void)state;
	for (uint32_t i = 0; i < 7; i++) {
		const struct event_line head = { .time_ns = times[i], .cpu = i };

		event_lines_push(&lines, event_lines_create(&lines, &head, NULL, 0));
	}
	for (size_t i = 0; i < 6; i++) {
		const struct event_line *line = event_lines_peek(&lines, 90);

		assert_non_null(line);
		assert_int_equal(line->cpu, order[i]);
		event_lines_pop(&lines);
	}
	assert_null(event_lines_peek(&lines, 90));
	assert_non_null(event_lines_peek(&lines, 91));
	event_lines_finish(&lines);
}

/* Bytes of a damaged sample: the program would wait for it for ever. */
static void test_a_line_of_the_latest_time_leaves_at_the_end(void **state)
{
	const struct event_line head = { .time_ns = UINT64_MAX };
	struct event_lines lines = { .is_on = true };

	(void)state;
	event_lines_push(&lines, event_lines_create(&lines, &head, NULL, 0));
	assert_non_null(event_lines_peek(&lines, UINT64_MAX));
	event_lines_finish(&lines);
}

static void test_what_has_no_room_is_counted(void **state)
{
	struct event_lines lines = { .is_on = true, .bytes_max = 1 << 20 };
	const struct event_line head = { .time_ns = 1 };
	struct event_line *line;
	uint32_t kept = 0;

	(void)state;
	for (uint32_t i = 0; i < 100000; i++) {
		line = event_lines_create(&lines, &head, NULL, 0);
		if (!line)
			continue;
		event_lines_push(&lines, line);
		kept++;
	}
	assert_true(lines.bytes <= lines.bytes_max);
	assert_int_equal(kept, lines.bytes_max / sizeof(struct event_line));
	assert_int_equal(kept + lines.dropped, 100000);
	event_lines_finish(&lines);
}

static void test_texts_are_kept_whole(void **state)
{
	struct event_lines lines = { .is_on = true };
	const struct event_line head = { .time_ns = 1 };
	char text[200];
	struct probe_value values[2] = {
		{ .is_known = true, .number = 7 },
		{ .is_known = true, .is_text = true, .text = text, .text_bytes = sizeof(text) },
	};
	struct event_line *line;

	(void)state;
	memset(text, 'x', sizeof(text));
	line = event_lines_create(&lines, &head, values, 2);
	memset(text, 'y', sizeof(text));	/* the record is gone */
	assert_int_equal(line->values[0].number, 7);
	assert_int_equal(line->values[1].text_bytes, 200);
	for (size_t i = 0; i < sizeof(text); i++)
		assert_int_equal(line->values[1].text[i], 'x');
	event_lines_destroy(&lines, line);
	assert_int_equal(lines.bytes, 0);
	event_lines_finish(&lines);
}

static void test_branches_are_kept_beside_texts(void **state)
{
	struct event_lines lines = { .is_on = true };
	struct perf_branch_entry branches[] = { { .from = 1, .to = 2, .mispred = 1 },
						{ .from = 3, .to = 4, .cycles = 5 } };
	const struct event_line head = { .branches = branches, .branch_count = 2 };
	const struct probe_value value = {
		.is_known = true, .is_text = true, .text = "alpha", .text_bytes = 5,
	};
	struct event_line *line = event_lines_create(&lines, &head, &value, 1);

	(void)state;
	assert_non_null(line);
	memset(branches, 0xff, sizeof(branches));	/* the record is gone */
	assert_int_equal(line->branch_count, 2);
	assert_true(line->branches[0].from == 1 && line->branches[0].to == 2 &&
		    line->branches[0].mispred);
	assert_true(line->branches[1].from == 3 && line->branches[1].to == 4 &&
		    line->branches[1].cycles == 5);
	assert_memory_equal(line->values[0].text, "alpha", 5);
	event_lines_destroy(&lines, line);
	assert_int_equal(lines.bytes, 0);
	event_lines_finish(&lines);
}

/* A call of 20 ns that ends at 40 comes after a sample at 30. */
static void test_hits_and_samples_are_in_one_order(void **state)
{
	const struct hit_record enter = { .time_ns = 20, .pid = PID, .tid = PID, .sp = SP,
					  .number = -3, .text = "beta" };
	const struct hit_record leave = { .time_ns = 40, .pid = PID, .tid = PID,
					  .sp = SP + RETURN_BYTES, .number = 5 };
	const struct snapshot_event *list;
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_LATENCY, "", 0);
	feed.period = 9;
	feed_sample(&feed, 50, PID, PID, 0x400020);
	hit_fixture_enter(&feed.ingest, P, &enter);
	hit_fixture_leave(&feed.ingest, P, &leave);
	feed_sample(&feed, 30, PID, PID, 0x400020);
	hit_fixture_round(&feed.ingest, 60);
	feed_round(&feed, 60);
	snapshot = make(true);
	assert_non_null(snapshot);
	assert_int_equal(snapshot->events->count, 3);
	list = snapshot->events->list;
	assert_int_equal(list[0].time_ns, 30);
	assert_int_equal(list[1].time_ns, 40);
	assert_int_equal(list[2].time_ns, 50);
	assert_true(list[0].has_period && list[2].has_period && !list[1].has_period);
	assert_int_equal(list[0].period, 9);
	assert_int_equal(list[0].latency_ns, -1);
	assert_int_equal(list[1].latency_ns, 20);
	assert_string_equal(list[1].comm, "prog");
	assert_int_equal(list[1].pid, PID);
	assert_int_equal(list[1].field_count, 3);
	assert_string_equal(list[1].fields[0].name, "size");
	assert_string_equal(list[1].fields[0].text, "-3");
	assert_true(list[1].fields[0].is_number);
	assert_string_equal(list[1].fields[1].text, "beta");
	assert_false(list[1].fields[1].is_number);
	assert_int_equal(list[1].frame_count, 1);
	snapshot_destroy(snapshot);
	assert_int_equal(feed.ingest.lines.bytes, 0);
}

static void test_each_line_is_there_once_and_survives_a_compaction(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	feed_sample(&feed, S / 2, 7, 7, 0x1000);	/* when it is gone numbers change */
	feed_round(&feed, S);
	snapshot_destroy(make(true));
	for (uint64_t i = 1; i <= 3; i++)
		feed_sample(&feed, i * S, PID, PID, 0x400000 + i);
	feed_round(&feed, 4 * S);
	assert_int_equal(timeline_cut(&feed.ingest.timeline, 4 * S), 0);
	while (timeline_evict_oldest(&feed.ingest.timeline))
		;
	assert_true(budget_compact(&feed.ingest));
	snapshot = make(false);
	assert_non_null(snapshot);
	assert_int_equal(snapshot->events->count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_string_equal(snapshot->events->list[i].comm, "prog");
		assert_string_equal(snapshot->events->list[i].dso, "prog");
	}
	snapshot_destroy(snapshot);
	assert_null(make(false));	/* there is nothing new */
	snapshot = make(true);
	assert_int_equal(snapshot->events->count, 0);
	snapshot_destroy(snapshot);
}

/* Nothing leaves while a sample that is older waits for its process. */
static void test_what_is_pending_holds_what_is_younger(void **state)
{
	struct pending_sample sample = { .form.time_ns = 2 * S };
	uint64_t limit_ns;

	(void)state;
	for (uint64_t i = 1; i <= 3; i++)
		feed_sample(&feed, i * S, PID, PID, 0x400000);
	feed_round(&feed, 4 * S);
	assert_int_equal(ingest_lines_limit_ns(&feed.ingest), 4 * S);
	feed.ingest.pending->list = &sample;
	feed.ingest.pending_count = 1;
	limit_ns = ingest_lines_limit_ns(&feed.ingest);
	feed.ingest.pending->list = NULL;
	feed.ingest.pending_count = 0;
	assert_int_equal(limit_ns, 2 * S);
}

/* Lines wait a second for tables that are being read, unless others would be dropped meanwhile. */
static void test_nothing_waits_for_names_while_room_is_short(void **state)
{
	struct event_lines *lines = &feed.ingest.lines;
	struct snapshot *snapshot;

	(void)state;
	for (uint64_t i = 1; i <= 3; i++)
		feed_sample(&feed, 3 * S + i, PID, PID, 0x400000);
	feed_round(&feed, 3 * S + 10);
	feed.ingest.opening++;
	lines->bytes_max = 2 * lines->bytes;
	assert_null(make(false));
	lines->bytes_max--;
	snapshot = make(false);
	feed.ingest.opening--;
	assert_non_null(snapshot);
	assert_int_equal(snapshot->events->count, 3);
	assert_int_equal(snapshot->events->dropped, 0);
	snapshot_destroy(snapshot);
}

/* What is still to be printed takes its memory from history. */
static void test_lines_count_against_the_budget(void **state)
{
	size_t bytes;

	(void)state;
	feed_sample(&feed, S, PID, PID, 0x400000);
	feed_round(&feed, 2 * S);
	bytes = budget_bytes(&feed.ingest);
	assert_true(feed.ingest.lines.bytes > 0);
	snapshot_destroy(make(false));
	assert_int_equal(feed.ingest.lines.bytes, 0);
	assert_true(budget_bytes(&feed.ingest) < bytes);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, publisher_fixture_tear_down)

UNIT_TESTS(test_event_lines)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_leave_in_time_order_and_ties_as_they_came),
		cmocka_unit_test(test_a_line_of_the_latest_time_leaves_at_the_end),
		cmocka_unit_test(test_what_has_no_room_is_counted),
		cmocka_unit_test(test_texts_are_kept_whole),
		cmocka_unit_test(test_branches_are_kept_beside_texts),
		TEST(test_hits_and_samples_are_in_one_order),
		TEST(test_each_line_is_there_once_and_survives_a_compaction),
		TEST(test_what_is_pending_holds_what_is_younger),
		TEST(test_nothing_waits_for_names_while_room_is_short),
		TEST(test_lines_count_against_the_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
