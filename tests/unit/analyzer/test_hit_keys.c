/* Keys of `by` in trees of groups and filters; which groups of a probe have a row; their stats in a
 * baseline. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hit_fixture.h"
#include "publisher_fixture.h"
#include "unit_tests.h"

#define PID 100
#define P   1
#define SP  UINT64_C(0x7ff000)

enum { SIZE, NAME };	/* arguments of the probe */

static int set_up(void **state)
{
	publisher_fixture_set_up(state);
	feed_comm(&feed, 1, PID, PID, "prog", true);
	feed_comm(&feed, 1, PID, PID + 1, "helper", false);
	feed_mmap(&feed, 2, PID, 0x400000, 0x1000, 0, "/bin/prog");
	publisher.event = PROBE_EVENT_FIRST + P;
	config.memory_bytes = 16 << 20;
	config.query = (struct query){ .keys = KEY_COMM, .probe = P };
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, publisher_fixture_tear_down)

/* Adds "size name by FIRST, comm : sum(size)". */
static struct probe_spec *add_probe(uint32_t first)
{
	struct probe_spec *spec;

	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_ENTRY, "", 0);
	hit_fixture_attach_again(&feed.ingest, P, PROBE_ENTRY, S);
	spec = feed.ingest.hits->rows[P].spec;
	snprintf(spec->arguments[SIZE].name, sizeof(spec->arguments[SIZE].name), "size");
	snprintf(spec->arguments[NAME].name, sizeof(spec->arguments[NAME].name), "name");
	spec->argument_count = 2;
	spec->keys[0] = (struct probe_key){ PROBE_KEY_VALUE, first };
	spec->keys[1] = (struct probe_key){ PROBE_KEY_COMM, 0 };
	spec->key_count = 2;
	spec->aggregates[0] = (struct probe_aggregate){ .kind = AGGREGATE_SUM, .value = {
		.terms = { { .kind = TERM_VALUE, .argument = SIZE } }, .count = 1 } };
	spec->aggregate_count = 1;
	return spec;
}

static void hit(uint64_t time_ns, uint32_t tid, int64_t size, const char *name)
{
	assert_true(hit_fixture_enter(&feed.ingest, P, &(struct hit_record){
		.time_ns = time_ns, .pid = PID, .tid = tid, .sp = SP, .number = size,
		.text = name }));
}

static struct snapshot *frame(uint64_t limit_ns)
{
	feed_round(&feed, limit_ns);
	return publisher_fixture_make();
}

static void ask_for(enum group_key first, enum group_key second)
{
	config.query.group_count = 2;
	config.query.groups[0] = first;
	config.query.groups[1] = second;
}

/*   a  prog    3 hits, 30    b  helper  1 hit, 70    a  helper  1 hit, 5 */
static void hit_by_name(void)
{
	add_probe(NAME);
	for (uint64_t i = 0; i < 3; i++)
		hit(S + i, PID, 10, "a");
	hit(S + 4, PID + 1, 70, "b");
	hit(S + 5, PID + 1, 5, "a");
}

static const struct group_node *node_of(const struct snapshot *snapshot, const char *text)
{
	for (uint32_t i = 0; i < snapshot->groups.node_count; i++)
		if (!strcmp(snapshot->groups.nodes[i].text, text))
			return &snapshot->groups.nodes[i];
	fail_msg("no group %s", text);
	return NULL;
}

static void expect_node(const struct snapshot *snapshot, uint32_t index, const char *text,
			uint32_t depth, double weight)
{
	assert_true(index < snapshot->groups.node_count);
	assert_string_equal(snapshot->groups.nodes[index].text, text);
	assert_int_equal(snapshot->groups.nodes[index].depth, depth);
	assert_true(snapshot->groups.nodes[index].now.self.weight == weight);
}

static void test_hits_are_grouped_by_the_keys_of_their_probe(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	hit_by_name();
	ask_for(GROUP_BY1, GROUP_COMM);
	snapshot = frame(2 * S);
	assert_string_equal(snapshot->groups.by_names[0], "name");
	assert_string_equal(snapshot->groups.by_names[1], "comm");
	assert_null(snapshot->groups.by_names[2]);
	assert_string_equal(group_tree_key_name(&snapshot->groups, 0), "name");
	assert_int_equal(snapshot->groups.node_count, 5);
	expect_node(snapshot, 0, "a", 0, 4);
	expect_node(snapshot, 1, "prog", 1, 3);
	expect_node(snapshot, 2, "helper", 1, 1);
	expect_node(snapshot, 3, "b", 0, 1);
	assert_true(snapshot->groups.nodes[0].whole_weight == 5);
	snapshot_destroy(snapshot);
	config.query.hit_weight = HIT_WEIGHT_AGGREGATE;
	ask_for(GROUP_BY2, GROUP_BY1);
	snapshot = frame(2 * S);
	expect_node(snapshot, 0, "helper", 0, 75);
	expect_node(snapshot, 1, "b", 1, 70);
	expect_node(snapshot, 2, "a", 1, 5);
	expect_node(snapshot, 3, "prog", 0, 30);
	snapshot_destroy(snapshot);
}

static void test_of_other_events_and_missing_keys_nothing_is_known(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	hit_by_name();
	ask_for(GROUP_BY4, GROUP_BY1);
	snapshot = frame(2 * S);
	expect_node(snapshot, 0, "[none]", 0, 5);
	assert_true(snapshot->groups.nodes[0].is_unknown);
	snapshot_destroy(snapshot);
	publisher.event = 0;
	publisher_fixture_sample(20, 22);
	snapshot = publisher_fixture_make();
	expect_node(snapshot, 0, "[none]", 0, snapshot->weight);
	assert_null(snapshot->groups.by_names[0]);
	snapshot_destroy(snapshot);
}

static void filter_by(const struct group_node *node, bool is_negated)
{
	const struct filter_part part = { .field = FILTER_BY, .number = 0, .hash = node->number,
					  .is_negated = is_negated, .text = "name" };

	config.query.filter = (struct filter){ .count = 0 };
	assert_int_equal(filter_add(&config.query.filter, &part, NULL), 0);
}

/* Shares stay those of all hits, as with any filter. */
static void test_a_key_filters_rows_and_groups(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	hit_by_name();
	ask_for(GROUP_BY1, GROUP_COMM);
	snapshot = frame(2 * S);
	filter_by(node_of(snapshot, "a"), false);
	snapshot_destroy(snapshot);
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->row_count, 2);
	assert_int_equal(snapshot->weight, 5);
	assert_int_equal(snapshot->shown_weight, 4);
	assert_int_equal(snapshot->rows[0].now.self.weight, 3);
	assert_int_equal(snapshot->groups.node_count, 3);
	expect_node(snapshot, 0, "a", 0, 4);
	filter_by(node_of(snapshot, "a"), true);
	snapshot_destroy(snapshot);
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->row_count, 1);
	assert_string_equal(snapshot->rows[0].comm, "helper");
	assert_int_equal(snapshot->groups.node_count, 2);
	expect_node(snapshot, 0, "b", 0, 1);
	snapshot_destroy(snapshot);
	config.query.group_count = 0;
	config.query.keys = KEY_DSO | KEY_SYMBOL;
	config.query.hit_weight = HIT_WEIGHT_AGGREGATE;
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->weight, 105);
	assert_int_equal(snapshot->shown_weight, 70);
	snapshot_destroy(snapshot);
}

/* The thread "helper" has hits of both names: the filter tells them apart. */
static void test_a_key_filters_groups_by_other_keys(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	hit_by_name();
	ask_for(GROUP_BY1, GROUP_COMM);
	snapshot = frame(2 * S);
	filter_by(node_of(snapshot, "a"), false);
	snapshot_destroy(snapshot);
	ask_for(GROUP_COMM, GROUP_TID);
	snapshot = frame(2 * S);
	assert_true(node_of(snapshot, "prog")->now.self.weight == 3);
	assert_true(node_of(snapshot, "helper")->now.self.weight == 1);
	snapshot_destroy(snapshot);
}

static void test_a_group_has_its_share_in_the_baseline(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	hit_by_name();
	feed_round(&feed, 2 * S);
	hit(3 * S + 1, PID, 1, "b");
	hit(3 * S + 2, PID, 1, "c");
	feed_round(&feed, 4 * S);
	publisher.history_ns = S / 10;
	publisher_mark(&publisher, S, 2 * S, false);
	config.window = WINDOW_SECONDS;
	config.window_ns = S;
	config.query.compare = true;
	ask_for(GROUP_BY1, GROUP_SYMBOL);
	snapshot = frame(4 * S);
	assert_true(snapshot->groups.is_compared);
	assert_true(node_of(snapshot, "a")->now.self.weight == 0);
	assert_true(node_of(snapshot, "a")->base.self.weight == 4);
	assert_true(node_of(snapshot, "b")->now.self.weight == 1);
	assert_true(node_of(snapshot, "b")->base.self.weight == 1);
	assert_true(node_of(snapshot, "b")->base_whole_weight == 5);
	snapshot_destroy(snapshot);
}

static const struct snapshot_groups *rows_of(const struct snapshot *snapshot)
{
	const struct snapshot_groups *groups = snapshot_groups_find(&snapshot->probes, P);

	assert_non_null(groups);
	return groups;
}

static const struct snapshot_group *row_of(const struct snapshot *snapshot, const char *key)
{
	const struct snapshot_groups *groups = rows_of(snapshot);

	for (uint32_t i = 0; i < groups->count; i++)
		if (!strcmp(groups->list[i].keys[0], key))
			return &groups->list[i];
	return NULL;
}

static void test_the_rows_of_a_probe_are_compared(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	hit_by_name();
	feed_round(&feed, 2 * S);
	hit(3 * S + 1, PID + 1, 20, "b");
	hit(3 * S + 2, PID, 1, "c");
	feed_round(&feed, 4 * S);
	publisher.history_ns = S / 10;
	publisher_mark(&publisher, S, 2 * S, false);
	config.window = WINDOW_SECONDS;
	config.window_ns = S;
	snapshot = frame(4 * S);
	assert_false(rows_of(snapshot)->is_compared);
	assert_int_equal(rows_of(snapshot)->count, 2);
	snapshot_destroy(snapshot);
	config.query.compare = true;
	snapshot = frame(4 * S);
	assert_true(rows_of(snapshot)->is_compared);
	assert_int_equal(rows_of(snapshot)->count, 4);	/* a of prog and of helper are gone */
	assert_int_equal(rows_of(snapshot)->base.count, 5);
	assert_int_equal(rows_of(snapshot)->base.sums[0], 105);
	assert_int_equal(row_of(snapshot, "b")->count, 1);
	assert_int_equal(row_of(snapshot, "b")->base.count, 1);
	assert_int_equal(row_of(snapshot, "b")->base.sums[0], 70);
	assert_int_equal(row_of(snapshot, "c")->base.count, 0);
	assert_int_equal(row_of(snapshot, "a")->count, 0);
	snapshot_destroy(snapshot);
}

/* 2 hits with each of more sizes than there are rows, and one with a size above all of them. */
static void test_groups_that_weigh_most_have_rows_with_few_hits(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	add_probe(SIZE);
	for (int64_t i = 0; i < 2 * (PROBE_GROUPS_SHOWN + 100); i++)
		hit(S + (uint64_t)i, PID, i / 2, "a");
	hit(S + 10000, PID, 1000000, "a");
	snapshot = frame(2 * S);
	assert_int_equal(rows_of(snapshot)->count, PROBE_GROUPS_SHOWN);
	assert_null(row_of(snapshot, "1000000"));
	snapshot_destroy(snapshot);
	config.query.hit_order = HIT_ORDER_SUM;
	snapshot = frame(2 * S);
	assert_string_equal(rows_of(snapshot)->list[0].keys[0], "1000000");
	assert_string_equal(rows_of(snapshot)->list[1].keys[0], "599");
	assert_int_equal(rows_of(snapshot)->left_out, 101);
	assert_int_equal(rows_of(snapshot)->left_out_hits, 202);
	assert_int_equal(rows_of(snapshot)->left_out_sums[0], 100 * 101);
	snapshot_destroy(snapshot);
	config.query.is_hit_order_reversed = true;
	snapshot = frame(2 * S);
	assert_null(row_of(snapshot, "1000000"));
	assert_string_equal(rows_of(snapshot)->list[0].keys[0], "0");
	snapshot_destroy(snapshot);
}

/* Three calls of 1.5 us in the second from 3 s on, one of 3 us in the next; 6 s is now. */
static void test_a_group_has_a_heat_map_of_its_latencies(void **state)
{
	static const uint64_t begins_ns[] = { 3 * S, 3 * S + 10000, 3 * S + 20000, 4 * S };
	const struct snapshot_group *group;
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_LATENCY, "", 0);
	hit_fixture_attach_again(&feed.ingest, P, PROBE_LATENCY, S);
	feed.ingest.hits->rows[P].spec->keys[0] = (struct probe_key){ PROBE_KEY_COMM, 0 };
	feed.ingest.hits->rows[P].spec->key_count = 1;
	for (size_t i = 0; i < sizeof(begins_ns) / sizeof(begins_ns[0]); i++) {
		hit(begins_ns[i], PID, 1, "a");
		assert_true(hit_fixture_leave(&feed.ingest, P, &(struct hit_record){
			.time_ns = begins_ns[i] + (i == 3 ? 3000 : 1500), .pid = PID, .tid = PID,
			.sp = SP + RETURN_BYTES }));
	}
	snapshot = frame(6 * S);
	group = row_of(snapshot, "prog");
	assert_non_null(group);
	assert_int_equal(group->latency.count, 2);
	assert_int_equal(group->latency.rows[0].begin, 1024);
	assert_int_equal(group->heat[0][PROBE_GROUP_SECONDS - 3], 3);
	assert_int_equal(group->heat[0][PROBE_GROUP_SECONDS - 2], 0);
	assert_int_equal(group->heat[1][PROBE_GROUP_SECONDS - 2], 1);
	assert_int_equal(group->heat[1][PROBE_GROUP_SECONDS - 3], 0);
	snapshot_destroy(snapshot);
}

UNIT_TESTS(test_hit_keys)
{
	const struct CMUnitTest tests[] = {
		TEST(test_hits_are_grouped_by_the_keys_of_their_probe),
		TEST(test_of_other_events_and_missing_keys_nothing_is_known),
		TEST(test_a_key_filters_rows_and_groups),
		TEST(test_a_key_filters_groups_by_other_keys),
		TEST(test_a_group_has_its_share_in_the_baseline),
		TEST(test_the_rows_of_a_probe_are_compared),
		TEST(test_groups_that_weigh_most_have_rows_with_few_hits),
		TEST(test_a_group_has_a_heat_map_of_its_latencies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
