/* When a snapshot has groups, of which time, and beside which baseline. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "publisher_stage.h"

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
	publisher_stage_sample(50, 82);
	snapshot = publisher_stage_make();
	assert_int_equal(snapshot->groups.level_count, 0);
	assert_int_equal(snapshot->groups.node_count, 0);
	snapshot_destroy(snapshot);
	ask_for(GROUP_PID, GROUP_CPU);
	snapshot = publisher_stage_make();
	assert_int_equal(snapshot->groups.level_count, 2);
	assert_int_equal(snapshot->groups.node_count, 2);
	assert_int_equal(snapshot->groups.nodes[0].self_samples, 32);
	assert_int_equal(snapshot->groups.nodes[0].number, 1);
	assert_true(snapshot->groups.nodes[0].whole_weight == snapshot->weight);
	snapshot_destroy(snapshot);
}

static void test_groups_are_of_the_window(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	publisher_stage_sample(50, 82);
	publisher_stage_sample(82, 100);
	ask_for(GROUP_PID, GROUP_CPU);
	config.window = WINDOW_SECONDS;
	snapshot = publisher_stage_make();
	assert_int_equal(snapshot->samples, 30);
	assert_int_equal(snapshot->groups.nodes[0].self_samples, 30);
	snapshot_destroy(snapshot);
	config.window = WINDOW_DECAY;
	snapshot = publisher_stage_make();
	assert_true(snapshot->groups.nodes[0].self_weight == snapshot->weight);
	snapshot_destroy(snapshot);
}

/* In a chain of one snapshot an event, with all events as groups the first has them. */
static void test_a_chain_has_groups_by_event_once(void **state)
{
	struct event_desc first = stage.event, other = stage.event;
	const struct event_desc *both[] = { &first, &other };
	struct snapshot *snapshot;

	(void)state;
	snprintf(first.name, sizeof(first.name), "cycles");
	config.ingest.events = both;
	config.ingest.event_count = 2;
	config.wants_all_events = true;
	publisher_stage_sample(50, 60);
	ask_for(GROUP_COMM, GROUP_PID);
	snapshot = publisher_stage_make();
	assert_int_equal(snapshot->groups.nodes[0].self_samples, 10);
	assert_int_equal(snapshot->next_event->groups.level_count, 2);
	assert_int_equal(snapshot->next_event->groups.node_count, 0);
	snapshot_destroy(snapshot);
	ask_for(GROUP_COMM, GROUP_EVENT);
	snapshot = publisher_stage_make();
	assert_int_equal(snapshot->groups.keys[0], GROUP_EVENT);
	assert_string_equal(snapshot->groups.nodes[0].text, "cycles");
	assert_int_equal(snapshot->groups.nodes[1].self_samples, 10);
	assert_int_equal(snapshot->next_event->groups.level_count, 0);
	snapshot_destroy(snapshot);
}

static void test_groups_are_compared_when_that_is_wanted(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	config.memory_bytes = 64 << 20;
	publisher_stage_sample(50, 60);
	publisher_mark(&publisher, 5 * S, 6 * S);
	publisher_stage_sample(60, 90);
	ask_for(GROUP_PID, GROUP_CPU);
	snapshot = publisher_stage_make();
	assert_int_equal(snapshot->groups.nodes[0].base_self_samples, 0);
	snapshot_destroy(snapshot);
	config.query.compare = true;
	snapshot = publisher_stage_make();
	assert_true(snapshot->is_compared);
	assert_int_equal(snapshot->groups.nodes[0].self_samples, 40);
	assert_int_equal(snapshot->groups.nodes[0].base_self_samples, 10);
	assert_true(snapshot->groups.nodes[0].base_whole_weight == snapshot->baseline.weight);
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
		stage_sample(&stage, 5 * S + i, 1, 1, 0x1000 + 16 * i);
	stage_round(&stage, 6 * S);
	ask_for(GROUP_PID, GROUP_SYMBOL);
	publisher.stop = (struct tree_stop){ is_due, &asked };
	assert_null(publisher_make(&publisher, false, &why));
	publisher.stop.is_due = NULL;
	snapshot_destroy(publisher_stage_make());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PUBLISHER_TEST(test_groups_are_there_when_they_are_asked_for),
		PUBLISHER_TEST(test_groups_are_of_the_window),
		PUBLISHER_TEST(test_a_chain_has_groups_by_event_once),
		PUBLISHER_TEST(test_groups_are_compared_when_that_is_wanted),
		PUBLISHER_TEST(test_a_key_ends_the_fold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
