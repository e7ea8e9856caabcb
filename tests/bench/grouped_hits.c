/* Ten minutes of a probe with two keys and three aggregates, 10,000 hits a second: what the groups
 * cost beside the same hits without them.
 *
 * usage: grouped_hits    prints ns of CPU for a hit, MB of history, and ms for a fold of all of it
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "../unit/hit_fixture.h"
#include "analyzer/budget.h"
#include "analyzer/hit_group_fold.h"
#include "fold/fold.h"

#define SECONDS	   600
#define ROUND_HITS 500		/* 10,000 a second by rounds of 50 ms */
#define ROUND_NS   UINT64_C(50000000)
#define BUDGET	   ((size_t)96 << 20)
#define PID	   100
#define PROBE	   1

static struct ingest_fixture feed;

struct costs {
	double hit_ns, megabytes, fold_ms, group_fold_ms;
	uint32_t groups, seconds;
};

static double cpu_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void add_groups(struct probe_spec *spec)
{
	static const enum probe_aggregate_kind kinds[] = { AGGREGATE_SUM, AGGREGATE_AVG,
							   AGGREGATE_HIST };

	snprintf(spec->arguments[0].name, sizeof(spec->arguments[0].name), "size");
	snprintf(spec->arguments[1].name, sizeof(spec->arguments[1].name), "name");
	spec->argument_count = 2;
	spec->keys[0] = (struct probe_key){ PROBE_KEY_VALUE, 1 };
	spec->keys[1] = (struct probe_key){ PROBE_KEY_TID, 0 };
	spec->key_count = 2;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		spec->aggregates[i] = (struct probe_aggregate){
			.kind = kinds[i],
			.value = { .terms = { { .kind = TERM_VALUE } }, .count = 1 },
		};
	spec->aggregate_count = sizeof(kinds) / sizeof(kinds[0]);
}

static void feed_round_of(uint64_t round)
{
	static struct record_bytes records[ROUND_HITS];
	static const char *const names[] = { "/etc/hosts", "/etc/passwd", "/dev/null", "/tmp/a",
					     "/tmp/b" };

	for (uint64_t i = 0; i < ROUND_HITS; i++) {
		const uint64_t hit = round * ROUND_HITS + i;

		hit_fixture_write(&records[i], 100 * PROBE + 1, false, &(struct hit_record){
			.time_ns = round * ROUND_NS + i * 100, .pid = PID,
			.tid = PID + (uint32_t)(hit % 8), .sp = 0x7f0000,
			.number = (int64_t)(hit * 7919 % 4096), .text = names[hit % 5],
		});
	}
	for (size_t i = 0; i < ROUND_HITS; i++)
		probe_records_push(&feed.ingest, records[i].words, records[i].count * 8, 0);
	hit_fixture_round(&feed.ingest, (round + 1) * ROUND_NS);
	feed_round(&feed, (round + 1) * ROUND_NS);
}

static void fold_all(struct costs *costs)
{
	const struct timeline *timeline = &feed.ingest.timeline;
	const struct filter none = { .count = 0 };
	struct hit_group_fold groups;
	struct fold rows;
	double begin;

	fold_init(&rows, &feed.ingest.trie, &feed.ingest.names, &feed.ingest.tasks,
		  KEY_DSO | KEY_SYMBOL, PROBE_EVENT_FIRST + PROBE, &none);
	begin = cpu_ms();
	for (uint32_t s = 0; s < timeline->count; s++)
		fold_add(&rows, timeline->slices[s].entries, timeline->slices[s].count, 1);
	costs->fold_ms = cpu_ms() - begin;
	fold_finish(&rows);
	begin = cpu_ms();
	if (!hit_group_fold_init(&groups, feed.ingest.hits, PROBE_ALL))
		for (uint32_t s = 0; s < timeline->count; s++)
			hit_group_fold_add(&groups, timeline->slices[s].entries,
					   timeline->slices[s].count, false);
	costs->group_fold_ms = cpu_ms() - begin;
	costs->groups = groups.count;
	hit_group_fold_finish(&groups);
}

static struct costs measure(bool has_groups)
{
	const struct ingest_config config = { .is_replay = true };
	struct costs costs;
	double begin;

	feed_init(&feed, &config, NULL);
	feed_comm(&feed, 0, PID, PID, "prog", true);
	feed_mmap(&feed, 0, PID, 0x400000, 0x1000, 0, "/bin/prog");
	hit_fixture_add(&feed.ingest, PROBE, PROBE_USER, PROBE_ENTRY, "", 0);
	if (has_groups)
		add_groups(feed.ingest.hits->rows[PROBE].spec);
	begin = cpu_ms();
	for (uint64_t round = 1; round < SECONDS * 20; round++) {
		feed_round_of(round);
		if (round % 20 == 0)
			budget_enforce(&feed.ingest, BUDGET, round * ROUND_NS);
	}
	costs.hit_ns = (cpu_ms() - begin) * 1e6 / (SECONDS * 20 * ROUND_HITS);
	timeline_cut(&feed.ingest.timeline, feed.ingest.watermark_ns);
	costs.megabytes = (double)budget_bytes(&feed.ingest) / (1 << 20);
	costs.seconds = (uint32_t)((feed.ingest.watermark_ns -
				    feed.ingest.timeline.slices[0].start_ns) / SLICE_NS);
	fold_all(&costs);
	feed_finish(&feed);
	return costs;
}

int main(void)
{
	const struct costs plain = measure(false), grouped = measure(true);

	printf("without groups: %.0f ns a hit, %.1f MB for %u s, rows folded in %.2f ms\n",
	       plain.hit_ns, plain.megabytes, plain.seconds, plain.fold_ms);
	printf("two keys, three aggregates: %.0f ns a hit, %.1f MB for %u s, rows folded in "
	       "%.2f ms, groups (%u sums) in %.2f ms\n",
	       grouped.hit_ns, grouped.megabytes, grouped.seconds, grouped.fold_ms,
	       grouped.groups, grouped.group_fold_ms);
	return grouped.megabytes > (double)(BUDGET >> 20);
}
