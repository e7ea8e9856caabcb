/* When a snapshot has groups, of which time, and beside which baseline. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "publisher_fixture.h"
#include "unit_tests.h"

static void ask_for(enum group_key first, enum group_key second)
{
	config.query.group_count = 2;
	config.query.groups[0] = first;
	config.query.groups[1] = second;
}

static void test_groups_are_there_when_they_are_asked_for(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	publisher_fixture_sample(50, 82);
	snapshot = publisher_fixture_make();
	assert_int_equal(snapshot->groups.level_count, 0);
	assert_int_equal(snapshot->groups.node_count, 0);
	snapshot_destroy(snapshot);
	ask_for(GROUP_PID, GROUP_CPU);
	snapshot = publisher_fixture_make();
	assert_int_equal(snapshot->groups.level_count, 2);
	assert_int_equal(snapshot->groups.node_count, 2);
	assert_int_equal(snapshot->groups.nodes[0].now.self.samples, 32);
	assert_int_equal(snapshot->groups.nodes[0].number, 1);
	assert_true(snapshot->groups.nodes[0].whole_weight == snapshot->weight);
	snapshot_destroy(snapshot);
}

static void test_groups_are_of_the_window(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	publisher_fixture_sample(50, 82);
	publisher_fixture_sample(82, 100);
	ask_for(GROUP_PID, GROUP_CPU);
	config.window = WINDOW_SECONDS;
	snapshot = publisher_fixture_make();
	assert_int_equal(snapshot->samples, 30);
	assert_int_equal(snapshot->groups.nodes[0].now.self.samples, 30);
	snapshot_destroy(snapshot);
	config.window = WINDOW_DECAY;
	snapshot = publisher_fixture_make();
	assert_true(snapshot->groups.nodes[0].now.self.weight == snapshot->weight);
	snapshot_destroy(snapshot);
}

/* In a chain of one snapshot an event, with all events as groups the first has them. */
static void test_a_chain_has_groups_by_event_once(void **state)
{
	struct event_desc first = feed.event, other = feed.event;
	const struct event_desc *both[] = { &first, &other };
	struct snapshot *snapshot;

	(void)state;
	snprintf(first.name, sizeof(first.name), "cycles");
	config.ingest.events = both;
	config.ingest.event_count = 2;
	config.wants_all_events = true;
	publisher_fixture_sample(50, 60);
	ask_for(GROUP_COMM, GROUP_PID);
	snapshot = publisher_fixture_make();
	assert_int_equal(snapshot->groups.nodes[0].now.self.samples, 10);
	assert_int_equal(snapshot->next_event->groups.level_count, 2);
	assert_int_equal(snapshot->next_event->groups.node_count, 0);
	snapshot_destroy(snapshot);
	ask_for(GROUP_COMM, GROUP_EVENT);
	snapshot = publisher_fixture_make();
	assert_int_equal(snapshot->groups.keys[0], GROUP_EVENT);
	assert_string_equal(snapshot->groups.nodes[0].text, "cycles");
	assert_int_equal(snapshot->groups.nodes[1].now.self.samples, 10);
	assert_int_equal(snapshot->next_event->groups.level_count, 0);
	snapshot_destroy(snapshot);
}

/* So it is with rows by event. */
static void test_a_chain_has_rows_by_event_once(void **state)
{
	struct event_desc first = feed.event, other = feed.event;
	const struct event_desc *both[] = { &first, &other };
	struct snapshot *snapshot;

	(void)state;
	snprintf(first.name, sizeof(first.name), "cycles");
	config.ingest.events = both;
	config.ingest.event_count = 2;
	config.wants_all_events = config.query.event_columns = true;
	config.query.keys = KEY_COMM | KEY_EVENT;
	publisher_fixture_sample(50, 60);
	snapshot = publisher_fixture_make();
	assert_int_equal(snapshot->row_count, 1);
	assert_string_equal(snapshot->rows[0].event, "cycles");
	assert_int_equal(snapshot->rows[0].event_index, 0);
	assert_true(snapshot->rows[0].whole == snapshot->weight);
	assert_null(snapshot->rows[0].by_event);
	assert_int_equal(snapshot->next_event->row_count, 0);
	snapshot_destroy(snapshot);
	config.wants_all_events = false;
	publisher.event = 1;
	snapshot = publisher_fixture_make();	/* those of the event that is not shown */
	assert_int_equal(snapshot->event_index, 1);
	assert_int_equal(snapshot->samples, 0);
	assert_int_equal(snapshot->rows[0].now.self.samples, 10);
	snapshot_destroy(snapshot);
}

static void test_groups_are_compared_when_that_is_wanted(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	config.memory_bytes = 64 << 20;
	publisher_fixture_sample(50, 60);
	publisher_mark(&publisher, 5 * S, 6 * S, false);
	publisher_fixture_sample(60, 90);
	ask_for(GROUP_PID, GROUP_CPU);
	snapshot = publisher_fixture_make();
	assert_int_equal(snapshot->groups.nodes[0].base.self.samples, 0);
	snapshot_destroy(snapshot);
	config.query.compare = true;
	snapshot = publisher_fixture_make();
	assert_true(snapshot->is_compared);
	assert_int_equal(snapshot->groups.nodes[0].now.self.samples, 40);
	assert_int_equal(snapshot->groups.nodes[0].base.self.samples, 10);
	assert_true(snapshot->groups.nodes[0].base_whole_weight == snapshot->baseline.weight);
	snapshot_destroy(snapshot);
}

/* One sample of the event @number, beside those of event 0. */
static void add_other(uint64_t time_ns, uint8_t number)
{
	struct slice_entry entry = { .event = number, .count = 1, .weight = 1 };

	assert_int_equal(timeline_cut(&feed.ingest.timeline, UINT64_MAX), 0);
	entry.task = feed.ingest.timeline.slices[0].entries[0].task;
	entry.stack = feed.ingest.timeline.slices[0].entries[0].stack;
	assert_int_equal(timeline_add(&feed.ingest.timeline, time_ns, &entry, NULL), 0);
}

static void test_of_many_events_the_following_one_has_samples(void **state)
{
	static const struct event_desc *many[1000];
	struct snapshot *snapshot;

	(void)state;
	for (uint32_t i = 0; i < COUNT_OF(many); i++)
		many[i] = &feed.event;
	config.ingest.events = many;
	config.ingest.event_count = COUNT_OF(many);
	publisher_fixture_sample(50, 60);
	tick_totals_add(&feed.ingest.timeline.totals, 700, 5 * S, 1, true);
	snapshot = publisher_fixture_make();
	assert_int_equal(snapshot->event_count, 1000);
	assert_int_equal(snapshot->next_shown, 700);
	snapshot_destroy(snapshot);
	publisher.event = 700;
	snapshot = publisher_fixture_make();
	assert_int_equal(snapshot->event_index, 700);
	assert_int_equal(snapshot->next_shown, 0);
	snapshot_destroy(snapshot);
}

/* The baseline of another recording, which lacks the first event; its samples of the second. */
static void test_events_that_the_baseline_lacks_have_no_stats_of_it(void **state)
{
	struct event_desc first = feed.event, other = feed.event;
	const struct event_desc *both[] = { &first, &other };
	uint16_t number_of[TIMELINE_NUMBERS];
	const struct group_node *nodes;
	struct snapshot *snapshot;

	(void)state;
	snprintf(first.name, sizeof(first.name), "cycles");
	snprintf(other.name, sizeof(other.name), "faults");
	config.ingest.events = both;
	config.ingest.event_count = 2;
	config.memory_bytes = 64 << 20;
	publisher_fixture_sample(50, 60);
	add_other(55 * S / 10, 1);
	publisher_mark(&publisher, 5 * S, 6 * S, false);
	for (uint32_t i = 0; i < TIMELINE_NUMBERS; i++)
		number_of[i] = BASELINE_NO_EVENT;
	number_of[1] = 1;
	baseline_number_events(&feed.ingest.baseline, number_of, 2);
	add_other(58 * S / 10, 1);
	ask_for(GROUP_EVENT, GROUP_COMM);
	config.query.compare = true;
	snapshot = publisher_fixture_make();
	nodes = snapshot->groups.nodes;
	assert_false(snapshot->is_compared);	/* its rows are of the first event */
	assert_true(snapshot->groups.is_compared);
	assert_int_equal(snapshot->groups.node_count, 4);
	assert_string_equal(nodes[0].text, "cycles");
	assert_false(nodes[0].has_base);
	assert_false(nodes[1].has_base);
	assert_string_equal(nodes[2].text, "faults");
	assert_true(nodes[2].has_base);
	assert_int_equal(nodes[2].now.self.samples, 2);
	assert_int_equal(nodes[2].base.self.samples, 1);
	snapshot_destroy(snapshot);
	ask_for(GROUP_PID, GROUP_COMM);	/* for the first event alone */
	snapshot = publisher_fixture_make();
	assert_false(snapshot->groups.is_compared);
	snapshot_destroy(snapshot);
}

static bool is_due(void *owner)
{
	uint32_t *asked = owner;

	return ++*asked > 3;	/* the rows ask, too */
}

static void test_a_key_ends_the_fold(void **state)
{
	const struct diag why = { 0 };
	uint32_t asked = 0;

	(void)state;
	for (uint64_t i = 0; i < 1500; i++)
		feed_sample(&feed, 5 * S + i, 1, 1, 0x1000 + 16 * i);
	feed_round(&feed, 6 * S);
	ask_for(GROUP_PID, GROUP_SYMBOL);
	publisher.stop = (struct fold_stop){ is_due, &asked };
	assert_null(publisher_make(&publisher, false, &why));
	publisher.stop.is_due = NULL;
	snapshot_destroy(publisher_fixture_make());
}

UNIT_TESTS(test_publisher_groups)
{
	const struct CMUnitTest tests[] = {
		PUBLISHER_TEST(test_groups_are_there_when_they_are_asked_for),
		PUBLISHER_TEST(test_groups_are_of_the_window),
		PUBLISHER_TEST(test_a_chain_has_groups_by_event_once),
		PUBLISHER_TEST(test_a_chain_has_rows_by_event_once),
		PUBLISHER_TEST(test_groups_are_compared_when_that_is_wanted),
		PUBLISHER_TEST(test_of_many_events_the_following_one_has_samples),
		PUBLISHER_TEST(test_events_that_the_baseline_lacks_have_no_stats_of_it),
		PUBLISHER_TEST(test_a_key_ends_the_fold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
