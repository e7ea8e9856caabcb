/* Single hits in pictures: the one that is asked for in full, and how long its stack is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hit_stage.h"
#include "model/budget.h"
#include "publisher_stage.h"

#define PID 100
#define P   1
#define SP  UINT64_C(0x7ff000)

static int set_up(void **state)
{
	publisher_stage_set_up(state);
	stage_comm(&stage, 1, PID, PID, "prog", true);
	stage_mmap(&stage, 2, PID, 0x400000, 0x1000, 0, "/bin/prog");
	config.query.probe = P;
	return 0;
}

static void enter(uint32_t probe, uint64_t time_ns, int64_t size, const char *name)
{
	assert_true(hit_stage_enter(&stage.ingest, probe, &(struct hit_record){
		.time_ns = time_ns, .pid = PID, .tid = PID, .sp = SP, .number = size,
		.text = name }));
}

/* All up to @limit_ns. */
static struct snapshot *picture(uint64_t limit_ns)
{
	stage_round(&stage, limit_ns);
	return publisher_stage_make();
}

/* A hit of a probe that measures no latency, too; and of the kept lines only. */
static void test_the_hit_that_is_asked_for_comes_in_full(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	hit_stage_add(&stage.ingest, P, PROBE_USER, PROBE_ENTRY, "", 0);
	for (uint64_t i = 0; i < PROBE_LOG_LINES + 30; i++)
		enter(P, S + i * 1000, (int64_t)i, "a b");
	config.query.hit_probe = P;
	config.query.hit = 40;
	snapshot = picture(2 * S);
	assert_int_equal(snapshot->probes.hit.number, 40);
	assert_int_equal(snapshot->probes.hit.probe, P);
	assert_int_equal(snapshot->probes.hit.time_ns, S + 39000);
	assert_string_equal(snapshot->probes.hit.comm, "prog");
	assert_string_equal(snapshot->probes.hit.values, "size=39\nname=a b");
	assert_string_equal(snapshot->probes.hit.stack, "0x10 (prog)\n");
	assert_string_equal(snapshot->probes.log[0].stack, "");
	snapshot_destroy(snapshot);
	config.query.hit = 30;		/* it has left */
	snapshot = picture(2 * S);
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
	hit_stage_add(&stage.ingest, P, PROBE_USER, PROBE_ENTRY, "", 0);
	for (uint64_t i = 0; i < last; i++) {
		stage_sample(&stage, S + i, PID, PID, 0x400100 + i);
		enter(P, S + i, 1, "a");
	}
	snapshot_destroy(picture(2 * S));
	for (uint32_t slot = 0; slot < PROBE_SLOTS; slot++)	/* each has the stack of a sample */
		for (uint64_t i = 1; stage.ingest.hits->rows[slot].id == P && i <= last; i++)
			hit_log_set_stack(&stage.ingest.hits->rows[slot].log, i, (uint32_t)i);
	while (timeline_evict_oldest(&stage.ingest.timeline))
		;
	assert_true(budget_compact(&stage.ingest));
	publisher_renumbered(&publisher);
	assert_int_equal(stage.ingest.trie.stacks.count, HIT_STACKS_KEPT);
	config.query.hit_probe = P;
	config.query.hit = last;
	snapshot = picture(3 * S);
	assert_string_not_equal(snapshot->probes.hit.stack, "");
	snapshot_destroy(snapshot);
	config.query.hit = 1;
	snapshot = picture(3 * S);
	assert_int_equal(snapshot->probes.hit.number, 1);
	assert_string_equal(snapshot->probes.hit.stack, "");
	snapshot_destroy(snapshot);
	config.query.hit = 0;
}

#define LOG_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, publisher_stage_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LOG_TEST(test_the_hit_that_is_asked_for_comes_in_full),
		LOG_TEST(test_the_newest_lines_keep_their_stacks_without_history),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
