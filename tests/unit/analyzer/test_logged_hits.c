/* Single hits in snapshots: the one that is asked for in full, and how long its stack is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "analyzer/budget.h"
#include "hit_fixture.h"
#include "publisher_fixture.h"
#include "unit_tests.h"

#define PID 100
#define P   1
#define SP  UINT64_C(0x7ff000)

static int set_up(void **state)
{
	publisher_fixture_set_up(state);
	feed_comm(&feed, 1, PID, PID, "prog", true);
	feed_mmap(&feed, 2, PID, 0x400000, 0x1000, 0, "/bin/prog");
	config.query.probe = P;
	return 0;
}

static void enter(uint32_t probe, uint64_t time_ns, int64_t size, const char *name)
{
	assert_true(hit_fixture_enter(&feed.ingest, probe, &(struct hit_record){
		.time_ns = time_ns, .pid = PID, .tid = PID, .sp = SP, .number = size,
		.text = name }));
}

/* All up to @limit_ns. */
static struct snapshot *frame(uint64_t limit_ns)
{
	feed_round(&feed, limit_ns);
	return publisher_fixture_make();
}

/* A hit of a probe that measures no latency, too; and of the kept lines only. */
static void test_the_hit_that_is_asked_for_comes_in_full(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_ENTRY, "", 0);
	for (uint64_t i = 0; i < PROBE_LOG_LINES + 30; i++)
		enter(P, S + i * 1000, (int64_t)i, "a b");
	config.query.hit_probe = P;
	config.query.hit = 40;
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->probes.hit.number, 40);
	assert_int_equal(snapshot->probes.hit.probe, P);
	assert_int_equal(snapshot->probes.hit.time_ns, S + 39000);
	assert_string_equal(snapshot->probes.hit.comm, "prog");
	assert_string_equal(snapshot->probes.hit.values, "size=39\nname=a b");
	assert_string_equal(snapshot->probes.hit.stack, "0x10 (prog)\n");
	assert_string_equal(snapshot->probes.log[0].stack, "");
	snapshot_destroy(snapshot);
	config.query.hit = 30;		/* it has left */
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->probes.hit.number, 0);
	snapshot_destroy(snapshot);
	config.query.hit = 0;
}

/* Those of the newest lines stay when history has gone; what the others had is not another's. */
static void test_the_newest_lines_keep_their_stacks_without_history(void **state)
{
	const uint64_t last = HIT_STACKS_KEPT + 10;
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_ENTRY, "", 0);
	for (uint64_t i = 0; i < last; i++) {
		feed_sample(&feed, S + i, PID, PID, 0x400100 + i);
		enter(P, S + i, 1, "a");
	}
	snapshot_destroy(frame(2 * S));
	for (uint32_t slot = 0; slot < PROBE_SLOTS; slot++)	/* each has the stack of a sample */
		for (uint64_t i = 1; feed.ingest.hits->rows[slot].id == P && i <= last; i++)
			hit_log_set_stack(&feed.ingest.hits->rows[slot].log, i, (uint32_t)i);
	while (timeline_evict_oldest(&feed.ingest.timeline))
		;
	assert_true(budget_compact(&feed.ingest));
	publisher_renumbered(&publisher);
	assert_int_equal(feed.ingest.trie.stacks.count, HIT_STACKS_KEPT);
	config.query.hit_probe = P;
	config.query.hit = last;
	snapshot = frame(3 * S);
	assert_string_not_equal(snapshot->probes.hit.stack, "");
	snapshot_destroy(snapshot);
	config.query.hit = 1;
	snapshot = frame(3 * S);
	assert_int_equal(snapshot->probes.hit.number, 1);
	assert_string_equal(snapshot->probes.hit.stack, "");
	snapshot_destroy(snapshot);
	config.query.hit = 0;
}

/* Every third hit is of another probe. */
static void test_the_log_of_all_probes_is_in_one_time_order(void **state)
{
	const uint64_t hits = 3 * PROBE_LOG_LINES;
	struct snapshot *snapshot;
	struct snapshot_probes *of;
	uint64_t others = 0;

	(void)state;
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_ENTRY, "", 0);
	hit_fixture_add(&feed.ingest, P + 1, PROBE_USER, PROBE_ENTRY, "", 0);
	for (uint64_t i = 0; i < hits; i++)
		enter(i % 3 ? P : P + 1, S + i * 1000, (int64_t)i, "a");
	config.query.probe = PROBE_ALL;
	snapshot = frame(2 * S);
	of = &snapshot->probes;
	assert_int_equal(of->detail, PROBE_ALL);
	assert_int_equal(of->log_count, PROBE_LOG_LINES);
	assert_int_equal(of->log_dropped, hits - PROBE_LOG_LINES);
	for (uint64_t i = 0; i < PROBE_LOG_LINES; i++) {
		const uint64_t number = hits - PROBE_LOG_LINES + i;

		assert_int_equal(of->log[i].time_ns, S + number * 1000);
		assert_int_equal(of->log[i].probe, number % 3 ? P : P + 1);
		others += of->log[i].probe == P + 1;
	}
	assert_in_range(others, PROBE_LOG_LINES / 3, PROBE_LOG_LINES / 3 + 1);
	snapshot_destroy(snapshot);
}

static void test_hits_at_one_time_are_in_the_order_of_their_probes(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_ENTRY, "", 0);
	hit_fixture_add(&feed.ingest, P + 1, PROBE_USER, PROBE_ENTRY, "", 0);
	enter(P + 1, S, 1, "b");
	enter(P, S, 2, "a");
	config.query.probe = PROBE_ALL;
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->probes.log_count, 2);
	assert_int_equal(snapshot->probes.log[0].probe, P);
	assert_string_equal(snapshot->probes.log[1].values, "size=1 name=b");
	assert_int_equal(snapshot->probes.log_dropped, 0);
	snapshot_destroy(snapshot);
}

/* The names stage knows what a function's name means once a sample of it was named. */
static void test_the_mangled_name_of_a_probed_function_is_shown_demangled(void **state)
{
	struct symbol_names *names = &feed.ingest.names;
	struct str_id mangled, meaning;
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_ENTRY, "", 0);
	snprintf(feed.ingest.hits->rows[P].name, sizeof(feed.ingest.hits->rows[P].name),
		 "lat:prog:_Z4workl");
	feed_sample(&feed, S, PID, PID, 0x400100);
	snapshot = frame(2 * S);
	assert_string_equal(snapshot->probes.list[0].meaning, "");
	snapshot_destroy(snapshot);
	mangled = strpool_intern(feed.ingest.strings, "_Z4workl", 8);
	meaning = strpool_intern(feed.ingest.strings, "work(long)", 10);
	names->symbols[0].name = mangled;
	names->symbols[0].is_mangled = true;
	id_map_put(&names->meanings, symbol_names_meaning_key(
		   names->dsos->dsos[names->symbols[0].dso].serial, mangled.v), meaning.v);
	snapshot = frame(3 * S);
	assert_string_equal(snapshot->probes.list[0].meaning, "work(long)");
	assert_string_equal(snapshot->probes.list[0].name, "lat:prog:_Z4workl");
	snapshot_destroy(snapshot);
	config.query.raw_names = true;
	snapshot = frame(4 * S);
	assert_string_equal(snapshot->probes.list[0].meaning, "");
	snapshot_destroy(snapshot);
	config.query.raw_names = false;
}

#define LOG_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, publisher_fixture_tear_down)

UNIT_TESTS(test_logged_hits)
{
	const struct CMUnitTest tests[] = {
		LOG_TEST(test_the_hit_that_is_asked_for_comes_in_full),
		LOG_TEST(test_the_newest_lines_keep_their_stacks_without_history),
		LOG_TEST(test_the_mangled_name_of_a_probed_function_is_shown_demangled),
		LOG_TEST(test_the_log_of_all_probes_is_in_one_time_order),
		LOG_TEST(test_hits_at_one_time_are_in_the_order_of_their_probes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
