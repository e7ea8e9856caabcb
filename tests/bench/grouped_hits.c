/* Ten minutes of a probe with two keys and three aggregates, 10,000 hits a second: what the groups
 * cost beside the same hits without them.
 *
 * usage: grouped_hits    prints ns of CPU for a hit, MB of history, and ms for a fold of all of it;
 *                        then how long the screens take that a key asks for: a snapshot of all ten
 *                        minutes, and of the last ten seconds, as a ratio of that of the table of
 *                        the same hits without groups
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../unit/hit_fixture.h"
#include "analyzer/budget.h"
#include "analyzer/hit_group_fold.h"
#include "analyzer/publisher.h"
#include "fold/fold.h"

#define SECONDS	   600
#define ROUND_HITS 500		/* 10,000 a second by rounds of 50 ms */
#define ROUND_NS   UINT64_C(50000000)
#define BUDGET	   ((size_t)96 << 20)
#define PID	   100
#define PROBE	   1

static struct ingest_fixture feed;

/* The screens of the probe, each by a key. */
enum screen { TABLE, TREE, FLAME, WEIGHED_TREE, PAGE, COMPARED_PAGE, GROUPS_OF_CODE, GROUPS_BY_KEYS,
	      FILTERED_BY_KEY, SCREENS };

static const char *const screen_names[SCREENS] = {
	[TABLE] = "1 table", [TREE] = "6 tree", [FLAME] = "7 flame graph",
	[WEIGHED_TREE] = "W tree by a sum", [PAGE] = "8 groups of the probe",
	[COMPARED_PAGE] = "x these compared", [GROUPS_OF_CODE] = "9 by comm, dso, symbol",
	[GROUPS_BY_KEYS] = "g by the two keys, symbol", [FILTERED_BY_KEY] = "Enter, one key",
};

struct costs {
	double hit_ns, megabytes, fold_ms, group_fold_ms;
	uint32_t groups, seconds;
	double screen_ms[2][SCREENS];	/* all of history, the last ten seconds */
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

static void ask_for(struct query *query, enum screen screen, uint64_t identity)
{
	static const enum group_key code[] = { GROUP_COMM, GROUP_DSO, GROUP_SYMBOL };
	static const enum group_key keys[] = { GROUP_BY1, GROUP_BY2, GROUP_SYMBOL };

	*query = (struct query){ .keys = KEY_DSO | KEY_SYMBOL };
	if (screen == TREE || screen == FLAME || screen == WEIGHED_TREE)
		query->tree = screen == FLAME ? TREE_CALLEES : TREE_CALLERS;
	if (screen == WEIGHED_TREE)
		query->hit_weight = HIT_WEIGHT_AGGREGATE;
	if (screen == PAGE || screen == COMPARED_PAGE)
		query->probe = PROBE;
	query->compare = screen == COMPARED_PAGE;
	if (screen == GROUPS_OF_CODE || screen == GROUPS_BY_KEYS) {
		query->group_count = sizeof(keys) / sizeof(keys[0]);
		memcpy(query->groups, screen == GROUPS_BY_KEYS ? keys : code, sizeof(keys));
	}
	if (screen == FILTERED_BY_KEY)
		filter_add(&query->filter, &(struct filter_part){
			.field = FILTER_BY, .hash = identity }, NULL);
}

/* Returns the ms of CPU that the analyzer takes for a snapshot, the least of a few. *@identity: set
 * to that of its first group, if it has groups. */
static double snapshot_ms(struct publisher *publisher, uint64_t *identity)
{
	const struct diag why = { 0 };
	double least = 1e9;

	for (int i = 0; i < 3; i++) {
		const double begin = cpu_ms();
		struct snapshot *snapshot = publisher_make(publisher, false, &why);
		const double ms = cpu_ms() - begin;

		if (snapshot && snapshot->groups.node_count)
			*identity = snapshot->groups.nodes[0].number;
		snapshot_destroy(snapshot);
		least = ms < least ? ms : least;
	}
	return least;
}

static void make_screens(struct costs *costs)
{
	struct analyzer_config config = {
		.ingest = feed.ingest.config, .host = "h", .target = "t", .notice = "",
		.window = WINDOW_ALL, .window_ns = 10 * SLICE_NS, .memory_bytes = BUDGET,
	};
	struct publisher publisher;
	uint64_t identity = 0;

	if (publisher_init(&publisher, &config, &feed.ingest))
		return;
	publisher.event = PROBE_EVENT_FIRST + PROBE;
	publisher.history_ns = 1;
	publisher_mark(&publisher, feed.ingest.watermark_ns - 60 * SLICE_NS,
		       feed.ingest.watermark_ns - 30 * SLICE_NS, false);
	for (int window = 0; window < 2; window++) {
		config.window = window ? WINDOW_SECONDS : WINDOW_ALL;
		for (int screen = 0; screen < SCREENS; screen++) {
			ask_for(&config.query, (enum screen)screen, identity);
			costs->screen_ms[window][screen] = snapshot_ms(&publisher, &identity);
		}
	}
	publisher_finish(&publisher);
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
	make_screens(&costs);
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
	printf("CPU of a screen, ms (as a ratio of the table's without groups); all ten minutes, "
	       "10 s:\n");
	for (int screen = 0; screen < SCREENS; screen++)
		printf("  %-26s%8.1f (%5.2f) %8.1f (%5.2f)\n", screen_names[screen],
		       grouped.screen_ms[0][screen],
		       grouped.screen_ms[0][screen] / plain.screen_ms[0][TABLE],
		       grouped.screen_ms[1][screen],
		       grouped.screen_ms[1][screen] / plain.screen_ms[1][TABLE]);
	for (int screen = 0; screen <= FLAME; screen++)
		printf("  %-26s%8.1f          %8.1f          without groups\n",
		       screen_names[screen], plain.screen_ms[0][screen],
		       plain.screen_ms[1][screen]);
	return grouped.megabytes > (double)(BUDGET >> 20);
}
