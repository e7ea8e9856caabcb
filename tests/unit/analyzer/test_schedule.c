/* The table of due times: when each entry is due, by what the analyzer has and waits for, and that
 * the thread wakes up for the earliest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analyzer/schedule.h"
#include "base/clock.h"
#include "unit_tests.h"

#define NEVER	UINT64_MAX
#define NOW_NS	(50 * CLOCK_NS_PER_S)
#define NEXT_NS (51 * CLOCK_NS_PER_S)

/* Live, a second before the next refresh. */
static struct analyzer *start(void)
{
	struct analyzer *analyzer = calloc(1, sizeof(*analyzer));

	assert_non_null(analyzer);
	analyzer->publisher.config = &analyzer->config;
	analyzer->publisher.ingest = &analyzer->ingest;
	analyzer->hold.lines = &analyzer->publisher.source_lines;
	analyzer->config.window = WINDOW_SECONDS;
	analyzer->next_refresh_ns = NEXT_NS;
	return analyzer;
}

/* @due alone is due, at @due_ns. */
static void expect_only(struct analyzer *analyzer, enum due due, uint64_t due_ns)
{
	for (enum due other = 0; other < DUE_COUNT; other++)
		assert_true(schedule_due_ns(analyzer, other) == (other == due ? due_ns : NEVER));
	assert_true(schedule_next_ns(analyzer) == due_ns);
}

static void expect_none(struct analyzer *analyzer)
{
	for (enum due due = 0; due < DUE_COUNT; due++)
		assert_true(schedule_due_ns(analyzer, due) == NEVER);
	assert_true(schedule_next_ns(analyzer) == NEVER);
}

static void test_only_the_refresh_is_due_while_all_is_quiet(void **state)
{
	struct analyzer *analyzer = start();

	(void)state;
	expect_only(analyzer, DUE_REFRESH, NEXT_NS);
	analyzer->next_refresh_ns = NEVER;	/* it begins on a request */
	expect_none(analyzer);
	free(analyzer);
}

static void test_the_thread_wakes_up_for_the_earliest(void **state)
{
	struct analyzer *analyzer = start();

	(void)state;
	analyzer->more_due_ns = NEXT_NS + 1;
	assert_true(schedule_next_ns(analyzer) == NEXT_NS);
	analyzer->more_due_ns = NEXT_NS - 1;
	assert_true(schedule_next_ns(analyzer) == NEXT_NS - 1);
	analyzer->ingest.pending_count = 1;
	analyzer->ingest.pending_due_ns = NEXT_NS - 2;
	assert_true(schedule_next_ns(analyzer) == NEXT_NS - 2);
	assert_true(schedule_due_ns(analyzer, DUE_MORE) == NEXT_NS - 1);
	assert_true(schedule_due_ns(analyzer, DUE_REFRESH) == NEXT_NS);
	free(analyzer);
}

static void test_a_batch_waits_for_its_reader(void **state)
{
	struct analyzer *analyzer = start();
	int unread;

	(void)state;
	mailbox_put(&analyzer->mailbox, &unread);
	expect_only(analyzer, DUE_REFRESH, NEXT_NS);	/* the screen takes the newest */
	analyzer->config.window = WINDOW_INTERVAL;
	expect_none(analyzer);
	mailbox_take(&analyzer->mailbox);
	expect_only(analyzer, DUE_REFRESH, NEXT_NS);
	free(analyzer);
}

static void test_events_wait_for_their_reader(void **state)
{
	struct analyzer *analyzer = start();
	int unread;

	(void)state;
	analyzer->config.wants_events = true;
	expect_only(analyzer, DUE_EVENTS, NEXT_NS);
	mailbox_put(&analyzer->mailbox, &unread);
	expect_none(analyzer);
	mailbox_take(&analyzer->mailbox);
	analyzer->config.ingest.is_replay = true;	/* published when there are enough */
	expect_none(analyzer);
	analyzer->end_ns = NOW_NS;			/* the rest */
	expect_only(analyzer, DUE_LAST, 0);
	free(analyzer);
}

static void test_the_first_snapshots_are_those_of_a_live_window(void **state)
{
	struct analyzer *analyzer = start();
	struct dso dsos[DSO_FIXED_COUNT] = { 0 };

	(void)state;
	analyzer->ingest.dsos.dsos = dsos;
	first_snapshots_begin(&analyzer->first, NOW_NS);
	assert_true(schedule_due_ns(analyzer, DUE_FIRST) == NOW_NS + 150 * CLOCK_NS_PER_MS);
	assert_true(schedule_next_ns(analyzer) == NOW_NS + 150 * CLOCK_NS_PER_MS);
	analyzer->publisher.frozen_ns = NOW_NS;
	expect_none(analyzer);
	free(analyzer);
}

static void test_a_frozen_window_waits_for_names(void **state)
{
	struct analyzer *analyzer = start();

	(void)state;
	analyzer->publisher.frozen_ns = NOW_NS;
	expect_none(analyzer);
	analyzer->ingest.has_new_names = true;
	expect_only(analyzer, DUE_NEW_NAMES, NEXT_NS);
	analyzer->config.wants_all_events = true;	/* printed already */
	expect_none(analyzer);
	free(analyzer);
}

static void test_a_chosen_window_has_a_moving_activity_graph_until_the_end(void **state)
{
	struct analyzer *analyzer = start();

	(void)state;
	analyzer->publisher.frozen_ns = NOW_NS;
	analyzer->publisher.chosen_ns = NOW_NS - 1;
	analyzer->chosen_due_ns = NEXT_NS + 7;
	expect_only(analyzer, DUE_CHOSEN, NEXT_NS + 7);
	analyzer->end_ns = NOW_NS;
	expect_none(analyzer);		/* nor does the last snapshot come before it is live
					 * again */
	analyzer->end_ns = 0;
	analyzer->config.ingest.is_replay = true;
	expect_none(analyzer);
	free(analyzer);
}

static void test_a_recording_is_shown_with_its_first_samples_while_it_is_read(void **state)
{
	struct analyzer *analyzer = start();

	(void)state;
	analyzer->config.ingest.is_replay = true;
	analyzer->reading_due_ns = NEXT_NS;
	expect_none(analyzer);		/* there is no sample yet */
	analyzer->ingest.timeline.count = 1;
	expect_only(analyzer, DUE_READING, NEXT_NS);
	analyzer->publisher.reading.bytes = 1 << 20;
	expect_only(analyzer, DUE_READING, 0);	/* it is a large one */
	analyzer->publisher.seq = 1;
	expect_only(analyzer, DUE_READING, NEXT_NS);
	analyzer->config.wants_all_events = true;
	expect_none(analyzer);		/* a batch prints all of it */
	analyzer->config.wants_all_events = false;
	analyzer->end_ns = NOW_NS;
	expect_only(analyzer, DUE_LAST, 0);
	free(analyzer);
}

static void test_a_recording_has_one_snapshot_at_its_end(void **state)
{
	struct analyzer *analyzer = start();

	(void)state;
	analyzer->config.ingest.is_replay = true;
	expect_none(analyzer);
	analyzer->end_ns = NOW_NS;
	expect_only(analyzer, DUE_LAST, 0);
	analyzer->is_last_published = true;
	expect_none(analyzer);
	free(analyzer);
}

static void test_the_last_snapshot_waits_for_names_and_samples(void **state)
{
	struct analyzer *analyzer = start();

	(void)state;
	analyzer->end_ns = NOW_NS;
	analyzer->ingest.opening = 1;
	expect_only(analyzer, DUE_LAST, NOW_NS + 5 * CLOCK_NS_PER_S);
	analyzer->ingest.pending_count = 1;
	analyzer->ingest.pending_due_ns = NOW_NS + 3;
	expect_only(analyzer, DUE_PENDING, NOW_NS + 3);
	analyzer->ingest.pending_count = analyzer->ingest.opening = 0;
	expect_only(analyzer, DUE_LAST, 0);
	free(analyzer);
}

static void test_the_last_snapshot_waits_for_the_hits_of_probes(void **state)
{
	struct analyzer *analyzer = start();
	struct probe_hits *hits = calloc(1, sizeof(*hits));

	(void)state;
	assert_non_null(hits);
	analyzer->ingest.hits = hits;
	hits->has_rings = true;
	analyzer->end_ns = NOW_NS;
	hits->limit_ns = NOW_NS - 1;
	expect_none(analyzer);		/* an event of the engine wakes the thread */
	hits->limit_ns = NOW_NS;
	expect_only(analyzer, DUE_LAST, 0);
	free(hits);
	free(analyzer);
}

static void test_the_second_recording_begins_when_the_first_is_counted(void **state)
{
	struct analyzer *analyzer = start();
	const struct second_recording second = { .name = "B" };

	(void)state;
	analyzer->config.ingest.is_replay = true;
	analyzer->config.second = &second;
	analyzer->end_ns = NOW_NS;
	analyzer->ingest.opening = 1;		/* its names can come later */
	expect_only(analyzer, DUE_LAST, 0);
	analyzer->is_first_read = true;
	expect_only(analyzer, DUE_LAST, NOW_NS + 5 * CLOCK_NS_PER_S);
	free(analyzer);
}

static void test_a_snapshot_waits_while_its_lines_are_pending(void **state)
{
	struct analyzer *analyzer = start();
	struct snapshot waiting = { .seq = 1 };

	(void)state;
	analyzer->hold.snapshot = &waiting;
	analyzer->hold.until_ns = NOW_NS + 9;
	analyzer->publisher.source_lines.request_count = 1;
	expect_only(analyzer, DUE_SOURCES, NOW_NS + 9);
	analyzer->publisher.source_lines.request_count = 0;
	expect_only(analyzer, DUE_SOURCES, 0);
	free(analyzer);
}

static void test_a_refresh_waits_for_the_lines_of_its_groups(void **state)
{
	struct analyzer *analyzer = start();

	(void)state;
	analyzer->line_wait.until_ns = NEXT_NS + 9;
	analyzer->publisher.source_lines.request_count = 1;
	expect_only(analyzer, DUE_REFRESH, NEXT_NS + 9);
	analyzer->publisher.source_lines.request_count = 0;
	expect_only(analyzer, DUE_REFRESH, NEXT_NS);
	analyzer->end_ns = NOW_NS;
	analyzer->publisher.source_lines.request_count = 1;
	expect_only(analyzer, DUE_LAST, NEXT_NS + 9);
	analyzer->line_wait.until_ns = NOW_NS + 6 * CLOCK_NS_PER_S;
	analyzer->ingest.opening = 1;			/* names are waited for, 5 s */
	expect_only(analyzer, DUE_LAST, NOW_NS + 6 * CLOCK_NS_PER_S);
	analyzer->line_wait.until_ns = NOW_NS + 4 * CLOCK_NS_PER_S;
	expect_only(analyzer, DUE_LAST, NOW_NS + 5 * CLOCK_NS_PER_S);
	free(analyzer);
}

static void test_the_load_is_read_until_the_end(void **state)
{
	struct analyzer *analyzer = start();

	(void)state;
	analyzer->config.has_busy = true;
	assert_true(schedule_due_ns(analyzer, DUE_LOAD) == busy_due_ns(&analyzer->publisher.busy));
	analyzer->publisher.is_ended = true;
	assert_true(schedule_due_ns(analyzer, DUE_LOAD) == NEVER);
	free(analyzer);
}

UNIT_TESTS(test_schedule)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_the_refresh_is_due_while_all_is_quiet),
		cmocka_unit_test(test_the_thread_wakes_up_for_the_earliest),
		cmocka_unit_test(test_a_batch_waits_for_its_reader),
		cmocka_unit_test(test_events_wait_for_their_reader),
		cmocka_unit_test(test_the_first_snapshots_are_those_of_a_live_window),
		cmocka_unit_test(test_a_frozen_window_waits_for_names),
		cmocka_unit_test(test_a_chosen_window_has_a_moving_activity_graph_until_the_end),
		cmocka_unit_test(
			test_a_recording_is_shown_with_its_first_samples_while_it_is_read),
		cmocka_unit_test(test_a_recording_has_one_snapshot_at_its_end),
		cmocka_unit_test(test_the_last_snapshot_waits_for_names_and_samples),
		cmocka_unit_test(test_the_last_snapshot_waits_for_the_hits_of_probes),
		cmocka_unit_test(test_the_second_recording_begins_when_the_first_is_counted),
		cmocka_unit_test(test_a_snapshot_waits_while_its_lines_are_pending),
		cmocka_unit_test(test_a_refresh_waits_for_the_lines_of_its_groups),
		cmocka_unit_test(test_the_load_is_read_until_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
