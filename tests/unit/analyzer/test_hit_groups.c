/* Groups of hits in snapshots: which there are, what is summed for each, and the views of one of
 * them or by another weight. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/budget.h"
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
	config.query.probe = P;
	config.query.hit_weight = 0;
	config.query.hit_group = 0;
	config.query.inside = INSIDE_NONE;
	return 0;
}

/* Adds the probe with the arguments size and name; returns its spec, which gets keys. */
static struct probe_spec *add_probe(enum probe_edge edge)
{
	struct probe_spec *spec;

	hit_fixture_add(&feed.ingest, P, PROBE_USER, edge, "", 0);
	spec = feed.ingest.hits->rows[P].spec;
	snprintf(spec->arguments[SIZE].name, sizeof(spec->arguments[SIZE].name), "size");
	snprintf(spec->arguments[NAME].name, sizeof(spec->arguments[NAME].name), "name");
	spec->argument_count = 2;
	return spec;
}

static void add_key(struct probe_spec *spec, enum probe_key_kind kind, uint32_t argument)
{
	spec->keys[spec->key_count++] = (struct probe_key){ kind, argument };
}

/* Adds an aggregate of size * @factor. */
static struct probe_aggregate *add_aggregate(struct probe_spec *spec,
					     enum probe_aggregate_kind kind, int64_t factor)
{
	struct probe_aggregate *aggregate = &spec->aggregates[spec->aggregate_count++];

	*aggregate = (struct probe_aggregate){ .kind = kind, .value = {
		.terms = { { .kind = TERM_VALUE, .argument = SIZE },
			   { .kind = TERM_NUMBER, .number = factor },
			   { .kind = TERM_MULTIPLY } }, .count = factor == 1 ? 1 : 3,
	} };
	return aggregate;
}

static void enter(uint64_t time_ns, uint32_t tid, int64_t size, const char *name)
{
	assert_true(hit_fixture_enter(&feed.ingest, P, &(struct hit_record){
		.time_ns = time_ns, .pid = PID, .tid = tid, .sp = SP, .number = size,
		.text = name }));
}

static void leave(uint64_t time_ns, uint32_t tid)
{
	assert_true(hit_fixture_leave(&feed.ingest, P, &(struct hit_record){
		.time_ns = time_ns, .pid = PID, .tid = tid, .sp = SP + RETURN_BYTES }));
}

static struct snapshot *frame(uint64_t limit_ns)
{
	feed_round(&feed, limit_ns);
	return publisher_fixture_make();
}

static const struct snapshot_groups *groups_of(const struct snapshot *snapshot)
{
	const struct snapshot_groups *groups = snapshot_groups_find(&snapshot->probes, P);

	assert_non_null(groups);
	return groups;
}

static const struct snapshot_group *find(const struct snapshot *snapshot, const char *key)
{
	const struct snapshot_groups *groups = groups_of(snapshot);

	for (uint32_t i = 0; i < groups->count; i++)
		if (!strcmp(groups->list[i].keys[0], key))
			return &groups->list[i];
	fail_msg("no group %s", key);
	return NULL;
}

static void test_hits_with_equal_keys_are_one_group(void **state)
{
	struct probe_spec *spec = add_probe(PROBE_ENTRY);
	const struct snapshot_groups *groups;
	struct snapshot *snapshot;

	(void)state;
	add_key(spec, PROBE_KEY_VALUE, NAME);
	add_key(spec, PROBE_KEY_COMM, 0);
	enter(S + 1, PID, 1, "a");
	enter(S + 2, PID + 1, 1, "a");
	enter(S + 3, PID, 1, "b");
	enter(S + 4, PID, 1, "a");
	enter(S + 5, PID, 1, NULL);
	snapshot = frame(2 * S);
	groups = groups_of(snapshot);
	assert_int_equal(groups->key_count, 2);
	assert_string_equal(groups->key_names[0], "name");
	assert_string_equal(groups->key_names[1], "comm");
	assert_int_equal(groups->count, 4);
	assert_int_equal(groups->list[0].count, 2);
	assert_string_equal(groups->list[0].keys[0], "a");
	assert_string_equal(groups->list[0].keys[1], "prog");
	assert_int_equal(find(snapshot, "[unknown]")->count, 1);
	assert_int_equal(groups->left_out, 0);
	snapshot_destroy(snapshot);
}

static void test_each_group_has_its_sums(void **state)
{
	struct probe_spec *spec = add_probe(PROBE_ENTRY);
	const struct snapshot_group *group;
	struct snapshot *snapshot;

	(void)state;
	add_key(spec, PROBE_KEY_VALUE, NAME);
	add_aggregate(spec, AGGREGATE_SUM, 512);
	add_aggregate(spec, AGGREGATE_AVG, 1);
	add_aggregate(spec, AGGREGATE_MIN, 1);
	add_aggregate(spec, AGGREGATE_MAX, 1);
	add_aggregate(spec, AGGREGATE_HIST, 1);
	add_aggregate(spec, AGGREGATE_TOP, 1);
	enter(S + 1, PID, 6, "a");
	enter(S + 2, PID, -2, "a");
	enter(S + 3, PID, 6, "a");
	enter(S + 4, PID + 1, 7, "a");
	enter(S + 5, PID, 100, "b");
	snapshot = frame(2 * S);
	group = find(snapshot, "a");
	assert_int_equal(snapshot->probes.list[0].key_count, 1);
	assert_int_equal(snapshot->probes.list[0].aggregate_count, 6);
	assert_string_equal(snapshot->probes.list[0].aggregates[0].name, "sum(size * 512)");
	assert_int_equal(group->count, 4);
	assert_int_equal(group->sums[0].value, 17 * 512);
	assert_int_equal(group->sums[1].value, 17);
	assert_int_equal(group->sums[1].count, 4);
	assert_int_equal(group->sums[2].value, -2);
	assert_int_equal(group->sums[3].value, 7);
	assert_int_equal(group->sums[4].spread.count, 6);	/* -3..-2 to 4..8 */
	assert_int_equal(group->sums[4].spread.rows[0].begin, -3);
	assert_int_equal(group->sums[4].spread.rows[0].count, 1);
	assert_int_equal(group->sums[4].spread.rows[5].begin, 4);
	assert_int_equal(group->sums[4].spread.rows[5].end, 8);
	assert_int_equal(group->sums[4].spread.rows[5].count, 3);
	assert_string_equal(group->sums[5].spread.rows[0].text, "6");
	assert_int_equal(group->sums[5].spread.rows[0].count, 2);
	assert_int_equal(find(snapshot, "b")->sums[2].value, 100);
	snapshot_destroy(snapshot);
}

/* The least of two seconds, after the one that had it left the window, is another. */
static void test_extremes_are_of_the_window(void **state)
{
	struct probe_spec *spec = add_probe(PROBE_ENTRY);
	struct snapshot *snapshot;

	(void)state;
	add_aggregate(spec, AGGREGATE_MIN, 1);
	add_aggregate(spec, AGGREGATE_MAX, 1);
	config.window = WINDOW_SECONDS;
	config.window_ns = 2 * S;
	enter(S + 1, PID, 1, "a");
	enter(2 * S + 1, PID, 5, "a");
	snapshot_destroy(frame(3 * S));
	enter(3 * S + 1, PID, 9, "a");
	enter(4 * S + 1, PID, 7, "a");
	snapshot = frame(5 * S);
	assert_int_equal(groups_of(snapshot)->count, 1);
	assert_int_equal(groups_of(snapshot)->list[0].sums[0].value, 7);
	assert_int_equal(groups_of(snapshot)->list[0].sums[1].value, 9);
	snapshot_destroy(snapshot);
}

static void test_latencies_are_summed_by_group(void **state)
{
	struct probe_spec *spec = add_probe(PROBE_LATENCY);
	const struct snapshot_group *group;
	struct snapshot *snapshot;

	(void)state;
	add_key(spec, PROBE_KEY_VALUE, NAME);
	for (uint64_t i = 0; i < 10; i++) {
		enter(S + i * 1000000, PID, 1, i % 2 ? "slow" : "fast");
		leave(S + i * 1000000 + (i % 2 ? 100000 : 1000), PID);
	}
	snapshot = frame(2 * S);
	group = find(snapshot, "slow");
	assert_int_equal(group->count, 5);
	assert_int_equal(group->latency_ns, 500000);
	assert_in_range(group->p50_ns, 91000, 109000);
	assert_int_equal(group->max_ns, 100000);
	assert_int_equal(find(snapshot, "fast")->latency_ns, 5000);
	snapshot_destroy(snapshot);
}

/* 3 hits of the main thread sum 30, 1 of its helper 70. */
static void test_rows_weigh_what_is_asked_for(void **state)
{
	struct probe_spec *spec = add_probe(PROBE_ENTRY);
	struct snapshot *snapshot;

	(void)state;
	add_aggregate(spec, AGGREGATE_SUM, 1);
	for (uint64_t i = 0; i < 3; i++)
		enter(S + i, PID, 10, "a");
	enter(S + 4, PID + 1, 70, "b");
	publisher.event = PROBE_EVENT_FIRST + P;
	config.query.keys = KEY_COMM;
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->row_count, 2);
	assert_string_equal(snapshot->rows[0].comm, "prog");
	assert_int_equal(snapshot->rows[0].now.self.weight, 3);
	assert_string_equal(snapshot->hit_weight, "");
	snapshot_destroy(snapshot);
	config.query.hit_weight = HIT_WEIGHT_AGGREGATE;
	snapshot = frame(2 * S);
	assert_string_equal(snapshot->hit_weight, "sum(size)");
	assert_string_equal(snapshot->rows[0].comm, "helper");
	assert_int_equal(snapshot->rows[0].now.self.weight, 70);
	assert_int_equal(snapshot->rows[1].now.self.weight, 30);
	assert_int_equal(snapshot->rows[1].now.self.samples, 3);
	assert_int_equal(snapshot->weight, 100);
	assert_int_equal(snapshot->probes.list[0].hits, 4);	/* as they are */
	snapshot_destroy(snapshot);
}

static void test_only_the_hits_of_a_group_are_shown(void **state)
{
	struct probe_spec *spec = add_probe(PROBE_ENTRY);
	struct snapshot *snapshot;

	(void)state;
	add_key(spec, PROBE_KEY_VALUE, NAME);
	for (uint64_t i = 0; i < 3; i++)
		enter(S + i, PID, 10, "a");
	enter(S + 4, PID + 1, 70, "b");
	publisher.event = PROBE_EVENT_FIRST + P;
	config.query.keys = KEY_COMM;
	snapshot = frame(2 * S);
	config.query.hit_group = find(snapshot, "b")->id;
	snapshot_destroy(snapshot);
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->hit_group, config.query.hit_group);
	assert_int_equal(snapshot->row_count, 1);
	assert_string_equal(snapshot->rows[0].comm, "helper");
	assert_int_equal(snapshot->weight, 1);
	assert_int_equal(groups_of(snapshot)->count, 2);	/* all of them */
	snapshot_destroy(snapshot);
}

static void test_groups_are_the_same_after_a_compaction(void **state)
{
	struct probe_spec *spec = add_probe(PROBE_ENTRY);
	struct snapshot *snapshot;
	uint64_t id;

	(void)state;
	add_key(spec, PROBE_KEY_VALUE, NAME);
	enter(S + 1, PID, 1, "gone");
	enter(2 * S + 1, PID, 1, "stays");
	enter(2 * S + 2, PID, 1, "stays");
	snapshot = frame(3 * S);
	id = find(snapshot, "stays")->id;
	assert_int_equal(groups_of(snapshot)->count, 2);
	snapshot_destroy(snapshot);
	assert_true(timeline_evict_oldest(&feed.ingest.timeline));
	assert_true(budget_compact(&feed.ingest));
	publisher_renumbered(&publisher);
	assert_int_equal(feed.ingest.hits->tuples.count, 1);
	snapshot = frame(3 * S);
	assert_int_equal(groups_of(snapshot)->count, 1);
	assert_int_equal(find(snapshot, "stays")->id, id);
	assert_int_equal(find(snapshot, "stays")->count, 2);
	snapshot_destroy(snapshot);
}

/* More keys than there is room for. */
static void test_what_has_no_room_is_other(void **state)
{
	const uint64_t hits = HIT_TUPLES_OF_PROBE + 5000;
	struct probe_spec *spec = add_probe(PROBE_ENTRY);
	const struct snapshot_groups *groups;
	struct snapshot *snapshot;
	uint64_t listed = 0;
	int64_t sum = 0;

	(void)state;
	add_key(spec, PROBE_KEY_VALUE, SIZE);
	add_aggregate(spec, AGGREGATE_SUM, 1);
	for (uint64_t i = 0; i < hits; i++)
		enter(S + i, PID, (int64_t)i, "a");
	snapshot = frame(2 * S);
	groups = groups_of(snapshot);
	assert_string_equal(groups->list[0].keys[0], "(other)");
	assert_true(groups->list[0].is_other);
	for (uint32_t i = 0; i < groups->count; i++) {
		listed += groups->list[i].count;
		sum += groups->list[i].sums[0].value;
	}
	assert_int_equal(listed + groups->left_out_hits, hits);
	assert_int_equal(sum + groups->left_out_sums[0], hits * (hits - 1) / 2);
	assert_true(feed.ingest.hits->tuples.is_full);
	assert_int_equal(feed.ingest.hits->tuples.count, HIT_TUPLES_OF_PROBE + 2);
	snapshot_destroy(snapshot);
	config.query.hit_weight = HIT_WEIGHT_AGGREGATE;
	publisher.event = PROBE_EVENT_FIRST + P;
	snapshot = frame(2 * S);
	assert_int_equal((uint64_t)snapshot->weight, hits * (hits - 1) / 2);
	snapshot_destroy(snapshot);
}

/* Values that are no keys have filled their own room. */
static void test_keys_have_room_of_their_own(void **state)
{
	struct probe_spec *spec = add_probe(PROBE_ENTRY);
	const uint64_t hits = PROBE_VALUES_KNOWN_MAX + 10;
	struct snapshot *snapshot;

	(void)state;
	add_key(spec, PROBE_KEY_VALUE, NAME);
	for (uint64_t i = 0; i < hits; i++)
		enter(S + i, PID, (int64_t)i, "a");
	enter(S + hits, PID, 1, "b");
	snapshot = frame(2 * S);
	assert_true(feed.ingest.hits->values.is_full);
	assert_int_equal(groups_of(snapshot)->count, 2);
	assert_int_equal(find(snapshot, "a")->count, hits);
	assert_int_equal(find(snapshot, "b")->count, 1);
	snapshot_destroy(snapshot);
}

/* Tuples of a probe that is gone take no room of the next one in its slot. */
static void test_the_next_probe_of_a_slot_has_all_the_room(void **state)
{
	struct probe_spec *spec = add_probe(PROBE_ENTRY);
	struct snapshot *snapshot;

	(void)state;
	add_key(spec, PROBE_KEY_VALUE, SIZE);
	for (uint64_t i = 0; i < HIT_TUPLES_OF_PROBE; i++)
		enter(S + i, PID, (int64_t)i, "a");
	feed_round(&feed, S + HIT_TUPLES_OF_PROBE);
	hit_fixture_event(&feed.ingest, ENGINE_EVENT_REMOVED, P, 2 * S, PROBE_IS_OFF);
	spec = add_probe(PROBE_ENTRY);
	add_key(spec, PROBE_KEY_VALUE, SIZE);
	enter(3 * S, PID, -1, "a");
	snapshot = frame(4 * S);
	assert_int_equal(find(snapshot, "-1")->count, 1);
	snapshot_destroy(snapshot);
}

/* Ten calls of 1 us and one of 1 ms, a sample in each; one sample outside. */
static void test_samples_inside_the_slowest_calls_are_shown_alone(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	add_probe(PROBE_LATENCY);
	for (uint64_t i = 0; i < 10; i++) {
		enter(S + i * 10000, PID, 1, "a");
		feed_sample(&feed, S + i * 10000 + 500, PID, PID, 0x400100);
		leave(S + i * 10000 + 1000, PID);
	}
	feed_sample(&feed, S + 200000, PID, PID, 0x400300);
	enter(S + 300000, PID, 1, "a");
	feed_sample(&feed, S + 400000, PID, PID, 0x400200);
	feed_sample(&feed, S + 400000, PID, PID + 1, 0x400300);	/* another thread */
	leave(S + 1300000, PID);
	config.query.keys = KEY_ADDRESS;
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->samples, 13);
	snapshot_destroy(snapshot);
	config.query.inside = INSIDE_ALL;
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->samples, 11);
	assert_int_equal(snapshot->inside, P);
	snapshot_destroy(snapshot);
	config.query.inside = INSIDE_SLOWEST;
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->samples, 1);
	assert_int_equal(snapshot->rows[0].address, 0x200);
	assert_in_range(snapshot->inside_from_ns, 800000, 1000000);
	snapshot_destroy(snapshot);
}

/* What a long call has no room for is counted, and the rest is still its own. */
static void test_samples_inside_a_call_have_a_bound(void **state)
{
	const uint64_t samples = INSIDE_HELD + 100;
	struct snapshot *snapshot;

	(void)state;
	add_probe(PROBE_LATENCY);
	enter(S, PID, 1, "a");
	for (uint64_t i = 1; i <= samples; i++)
		feed_sample(&feed, S + i * 1000, PID, PID, 0x400100);
	leave(S + samples * 1000 + 500, PID);
	config.query.keys = KEY_ADDRESS;
	config.query.inside = INSIDE_ALL;
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->samples, INSIDE_HELD);
	assert_int_equal(feed.ingest.hits->inside.unheld, 100);
	assert_int_equal(snapshot->losses.counts[LOSS_INSIDE].since_start, 100);
	snapshot_destroy(snapshot);
}

/* The inner calls of a function that calls itself are part of the outermost. */
static void test_a_sample_is_inside_the_outermost_of_nested_calls(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	add_probe(PROBE_LATENCY);
	enter(S, PID, 1, "a");
	assert_true(hit_fixture_enter(&feed.ingest, P, &(struct hit_record){
		.time_ns = S + 1000, .pid = PID, .tid = PID, .sp = SP - 64, .text = "a" }));
	feed_sample(&feed, S + 1500, PID, PID, 0x400100);
	assert_true(hit_fixture_leave(&feed.ingest, P, &(struct hit_record){
		.time_ns = S + 2000, .pid = PID, .tid = PID, .sp = SP - 64 + RETURN_BYTES }));
	config.query.keys = KEY_ADDRESS;
	config.query.inside = INSIDE_ALL;
	snapshot = frame(S + 3000);
	assert_int_equal(snapshot->samples, 0);
	snapshot_destroy(snapshot);
	leave(S + 1000000, PID);
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->samples, 1);
	snapshot_destroy(snapshot);
}

#define GROUPS_TEST(test) \
	cmocka_unit_test_setup_teardown(test, set_up, publisher_fixture_tear_down)

UNIT_TESTS(test_hit_groups)
{
	const struct CMUnitTest tests[] = {
		GROUPS_TEST(test_hits_with_equal_keys_are_one_group),
		GROUPS_TEST(test_each_group_has_its_sums),
		GROUPS_TEST(test_extremes_are_of_the_window),
		GROUPS_TEST(test_latencies_are_summed_by_group),
		GROUPS_TEST(test_rows_weigh_what_is_asked_for),
		GROUPS_TEST(test_only_the_hits_of_a_group_are_shown),
		GROUPS_TEST(test_groups_are_the_same_after_a_compaction),
		GROUPS_TEST(test_what_has_no_room_is_other),
		GROUPS_TEST(test_keys_have_room_of_their_own),
		GROUPS_TEST(test_the_next_probe_of_a_slot_has_all_the_room),
		GROUPS_TEST(test_samples_inside_the_slowest_calls_are_shown_alone),
		GROUPS_TEST(test_samples_inside_a_call_have_a_bound),
		GROUPS_TEST(test_a_sample_is_inside_the_outermost_of_nested_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
