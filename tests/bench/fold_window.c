/* Folds a whole recording at once: how much memory its history takes, and how long a fold takes.
 *
 * usage: fold_window FILE [TIMES]      a perf.data; tests/bench/fold makes one
 *
 * With TIMES its samples are spread over as much more time as if it had been sampled at a rate that
 * much lower: five times faster for two minutes has the stacks of ten minutes, and takes two. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>

#include "analyzer/budget.h"
#include "analyzer/compare.h"
#include "capture/perf_data.h"
#include "elf/file_jobs.h"
#include "fold/fold.h"
#include "fold/groups.h"
#include "sandbox/sandbox.h"

#include "../unit/random_numbers.h"

#define EVENTS_MAX   64
#define IDS_MAX	     4096
#define QUEUE_BYTES  (8u * 1024 * 1024)
#define BUDGET_BYTES (64u * 1024 * 1024)
#define FOLDS	     15
#define KEYS_SYMBOL  (KEY_DSO | KEY_SYMBOL)

/* CPU time, not wall time: the machine has other work. */
static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static bool take(struct ingest *ingest, const struct queue_item *item, size_t bytes)
{
	switch (item->kind) {
	case QUEUE_RECORD:
		ingest_push(ingest, item + 1, bytes - sizeof(*item), item->event, item->cpu);
		return true;
	case QUEUE_ROUND_END:
		ingest_round_end(ingest, (const struct queue_round_end *)(item + 1));
		return true;
	default:
		return item->kind != QUEUE_END;
	}
}

static void ingest_all(struct ingest *ingest, struct perf_data *recording, struct spsc *queue,
		       size_t budget)
{
	struct pollfd ready = { .fd = perf_data_queue_fd(recording), .events = POLLIN };
	const struct queue_item *item;
	uint64_t enforced_seq = 0;
	bool has_more = true;
	eventfd_t count;
	size_t bytes;

	while (has_more) {
		poll(&ready, 1, -1);
		eventfd_read(ready.fd, &count);
		while (has_more && (item = spsc_peek(queue, &bytes))) {
			has_more = take(ingest, item, bytes);
			spsc_release(queue);
			if (ingest->timeline.open_slice.seq == enforced_seq)
				continue;
			enforced_seq = ingest->timeline.open_slice.seq;
			if (budget < SIZE_MAX)
				budget_enforce(ingest, budget, ingest->watermark_ns);
		}
		perf_data_consumed(recording);
		ingest_poll(ingest, true);
	}
	while (ingest->opening) {
		ready.fd = dso_opener_fd(ingest->opener);
		poll(&ready, 1, -1);
		ingest_poll(ingest, true);
	}
	timeline_cut(&ingest->timeline, ingest->watermark_ns);
}

/* Samples of a tick are each put at some moment of the time that the tick becomes. */
struct spread {
	struct timeline *into;
	struct ingest *ingest;
	uint64_t begin_ns, times;
};

struct moment {
	uint64_t time_ns;
	struct slice_entry entry;
};

static int by_time(const void *a, const void *b)
{
	const struct moment *left = a, *right = b;

	return left->time_ns < right->time_ns ? -1 : left->time_ns > right->time_ns;
}

static uint32_t take_tick(const struct spread *spread, const struct slice *slice, uint32_t tick,
			  uint64_t *seed, struct moment *out)
{
	const uint64_t second_ns = slice->start_ns - slice->start_ns % SLICE_NS;
	const uint64_t at_ns = second_ns + (slice->first_tick + tick) * TICK_NS;
	uint32_t count = 0;

	for (uint32_t i = tick ? slice->ticks[tick - 1].end : 0; i < slice->ticks[tick].end; i++)
		for (uint32_t n = 0; n < slice->entries[i].count; n++) {
			struct moment *moment = &out[count++];

			moment->entry = slice->entries[i];
			moment->entry.count = 1;
			moment->entry.weight /= slice->entries[i].count;
			moment->time_ns = spread->begin_ns +
					  (at_ns - spread->begin_ns) * spread->times +
					  random_below(seed, (uint32_t)(TICK_NS * spread->times));
		}
	qsort(out, count, sizeof(*out), by_time);
	return count;
}

static void spread_slice(const struct spread *spread, const struct slice *slice, uint64_t *seed)
{
	struct moment *moments = malloc((slice->samples + 1) * sizeof(*moments));
	struct timeline *into = spread->into;

	if (!moments || !slice->ticks)
		exit(1);
	for (uint32_t tick = 0; tick < slice->tick_count; tick++) {
		const uint32_t count = take_tick(spread, slice, tick, seed, moments);

		for (uint32_t i = 0; i < count; i++) {
			const uint64_t seq = into->open_slice.seq;
			const struct moment *moment = &moments[i];

			if (timeline_add(into, moment->time_ns, &moment->entry, NULL))
				exit(1);
			tick_totals_add(&into->totals, moment->entry.event, moment->time_ns, 1,
					true);
			if (into->open_slice.seq != seq)
				timeline_roll_up(into, moment->time_ns);
			spread->ingest->watermark_ns = moment->time_ns + 1;
		}
	}
	free(moments);
}

static void stretch(struct ingest *ingest, uint64_t times)
{
	struct timeline stretched;
	const struct spread spread = {
		.into = &stretched, .ingest = ingest, .times = times,
		.begin_ns = ingest->timeline.slices[0].start_ns,
	};
	uint64_t seed = 1;

	if (timeline_init(&stretched, ingest->timeline.event_count))
		exit(1);
	for (uint32_t s = 0; s < ingest->timeline.count; s++)
		spread_slice(&spread, &ingest->timeline.slices[s], &seed);
	timeline_cut(&stretched, ingest->watermark_ns);
	timeline_finish(&ingest->timeline);
	ingest->timeline = stretched;
	budget_enforce(ingest, BUDGET_BYTES, ingest->watermark_ns);
}

static int by_value(const void *a, const void *b)
{
	const double left = *(const double *)a, right = *(const double *)b;

	return left < right ? -1 : left > right;
}

static const struct filter no_filter;
static const struct filter by_text = {
	.parts = { { .field = FILTER_TEXT, .text = "alloc" } }, .count = 1,
};
static const struct filter by_regex = {
	.parts = { { .field = FILTER_TEXT, .text = "~^(m|c)alloc" } }, .count = 1,
};
static const struct filter by_pid = {
	.parts = { { .field = FILTER_PID, .number = 1 } }, .count = 1,
};

static double median_fold_ms(struct ingest *ingest, unsigned int keys, bool is_dense,
			     const struct filter *filter, struct fold *last)
{
	const struct timeline *timeline = &ingest->timeline;
	double ms[FOLDS];

	for (int i = 0; i < FOLDS; i++) {
		const double began = now_ms();

		fold_finish(last);
		fold_init(last, &ingest->trie, &ingest->names, &ingest->tasks,
			  keys, 0, filter);
		if (is_dense)
			fold_add_slices_dense(last, timeline->slices, NULL, timeline->count);
		for (uint32_t s = 0; !is_dense && s < timeline->count; s++)
			fold_add(last, timeline->slices[s].entries, timeline->slices[s].count, 1.0);
		ms[i] = now_ms() - began;
	}
	qsort(ms, FOLDS, sizeof(ms[0]), by_value);
	return ms[FOLDS / 2];
}

/* What the budget holds of the same, if it goes on as it did. */
static void print_reach(const struct ingest *ingest)
{
	const struct timeline *timeline = &ingest->timeline;
	const double minutes = (double)(timeline->slices[timeline->count - 1].end_ns -
					timeline->slices[0].start_ns) / 60e9;
	size_t recent = 0, ticks = 0;

	for (uint32_t s = 0; s < timeline->count; s++) {
		if (!timeline->slices[s].ticks)
			continue;
		recent += timeline->slices[s].count * sizeof(struct slice_entry);
		ticks += timeline->slices[s].tick_count * sizeof(struct slice_tick);
	}
	printf("reach        %.1f minutes, about %.0f fit\n", minutes,
	       minutes * BUDGET_BYTES / (double)budget_bytes(ingest));
	printf("parts        %.1f MiB slices (%.1f MiB of them by ticks, and %.1f MiB for these), "
	       "%.1f MiB totals, %.1f MiB trie, %.1f MiB tasks\n",
	       (double)(timeline_bytes(timeline) - timeline->totals.bytes) / (1 << 20),
	       (double)recent / (1 << 20), (double)ticks / (1 << 20),
	       (double)timeline->totals.bytes / (1 << 20),
	       (double)stack_trie_bytes(&ingest->trie) / (1 << 20),
	       (double)task_table_bytes(&ingest->tasks) / (1 << 20));
}

/* A tree of groups, and its nodes in order. */
static double median_groups_ms(struct ingest *ingest, const struct query *query, uint32_t *nodes)
{
	const struct timeline *timeline = &ingest->timeline;
	const struct group_sources sources = { .trie = &ingest->trie, .names = &ingest->names,
					       .tasks = &ingest->tasks };
	double ms[FOLDS];

	for (int i = 0; i < FOLDS; i++) {
		const double began = now_ms();
		struct group_builder builder;
		struct group_fold fold;

		group_fold_init(&fold, &sources, query, 0);
		for (uint32_t s = 0; s < timeline->count; s++)
			group_fold_add(&fold, timeline->slices[s].entries,
				       timeline->slices[s].count, 1.0);
		group_fold_sum(&fold);
		group_arrange(&fold, &builder);
		*nodes = fold.count - 1;
		group_builder_finish(&builder);
		group_fold_finish(&fold);
		ms[i] = now_ms() - began;
	}
	qsort(ms, FOLDS, sizeof(ms[0]), by_value);
	return ms[FOLDS / 2];
}

static void print_groups(struct ingest *ingest)
{
	static const struct {
		const char *keys;
		struct query query;
	} known[] = {
		{ "comm", { .group_count = 1, .groups = { GROUP_COMM } } },
		{ "comm,dso,symbol",
		  { .group_count = 3, .groups = { GROUP_COMM, GROUP_DSO, GROUP_SYMBOL } } },
		{ "tid,symbol,cpu",
		  { .group_count = 3, .groups = { GROUP_TID, GROUP_SYMBOL, GROUP_CPU } } },
		{ "symbol,parent", { .group_count = 2, .groups = { GROUP_SYMBOL, GROUP_PARENT } } },
		{ "dso,address", { .group_count = 2, .groups = { GROUP_DSO, GROUP_ADDRESS } } },
	};
	uint32_t nodes;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const double ms = median_groups_ms(ingest, &known[i].query, &nodes);

		printf("groups       %.1f ms by %s, %u nodes\n", ms, known[i].keys, nodes);
	}
}

static void print_stats(struct ingest *ingest)
{
	struct fold fold = { 0 };
	uint64_t entries = 0;
	double walk_ms, dense_ms;

	for (uint32_t s = 0; s < ingest->timeline.count; s++)
		entries += ingest->timeline.slices[s].count;
	walk_ms = median_fold_ms(ingest, KEYS_SYMBOL, false, &no_filter, &fold);
	dense_ms = median_fold_ms(ingest, KEYS_SYMBOL, true, &no_filter, &fold);
	print_reach(ingest);
	printf("history      %llu samples in %.1f MiB of a budget of %.0f MiB, %llu left before\n",
	       (unsigned long long)fold.samples, (double)budget_bytes(ingest) / (1 << 20),
	       (double)BUDGET_BYTES / (1 << 20),
	       (unsigned long long)ingest->timeline.evicted_samples);
	printf("rows of it   %llu entries, %u stacks, %u nodes, %u symbols\n",
	       (unsigned long long)entries, ingest->trie.stacks.count, ingest->trie.nodes.count,
	       fold.row_count);
	printf("whole fold   %.1f ms; %.1f ms when it walks every stack (ratio %.2f)\n", dense_ms,
	       walk_ms, dense_ms / walk_ms);
	printf("filtered     %.1f ms by text, ",
	       median_fold_ms(ingest, KEYS_SYMBOL, false, &by_text, &fold));
	printf("%.1f ms by a regular expression, ",
	       median_fold_ms(ingest, KEYS_SYMBOL, false, &by_regex, &fold));
	printf("%.1f ms by process\n",
	       median_fold_ms(ingest, KEYS_SYMBOL, false, &by_pid, &fold));
	printf("other keys   %.1f ms by DSO, ",
	       median_fold_ms(ingest, KEY_DSO, true, &no_filter, &fold));
	printf("%.1f ms by command, ",
	       median_fold_ms(ingest, KEY_COMM, false, &no_filter, &fold));
	printf("%.1f ms by thread, ",
	       median_fold_ms(ingest, KEY_PID | KEY_TID, false, &no_filter, &fold));
	printf("%.1f ms by CPU\n", median_fold_ms(ingest, KEY_CPU, false, &no_filter, &fold));
	fold_finish(&fold);
	print_groups(ingest);
}

/* The whole history as a baseline, marked and then asked for by two refreshes. */
static void print_comparison(struct ingest *ingest)
{
	const struct query query = { .keys = KEYS_SYMBOL, .compare = true };
	const struct fold_stop never = { .is_due = NULL };
	const struct window_request whole = { .kind = WINDOW_ALL,
					      .newest_ns = ingest->watermark_ns };
	double ms[5] = { now_ms() };
	struct compare compare;
	struct slice base;

	if (baseline_take(&ingest->baseline, &ingest->timeline, &whole, NULL, "", SIZE_MAX))
		return;
	ms[1] = now_ms();
	compare_init(&compare, ingest);
	compare_pairs(&compare);
	base = (struct slice){ .entries = ingest->baseline.entries,
			       .count = ingest->baseline.count };
	ms[2] = now_ms();
	compare_rows(&compare, &query, query.keys, 0, NULL, base, &never);
	ms[3] = now_ms();
	compare_rows(&compare, &query, query.keys, 0, NULL, base, &never);
	ms[4] = now_ms();
	printf("baseline     %u entries in %.1f MiB, taken in %.1f ms; pairs %.1f ms; its fold "
	       "%.1f ms, at the next refresh %.2f ms\n", ingest->baseline.count,
	       (double)baseline_bytes(&ingest->baseline) / (1 << 20), ms[1] - ms[0], ms[2] - ms[1],
	       ms[3] - ms[2], ms[4] - ms[3]);
	compare_finish(&compare);
}

static void describe(struct perf_data *recording, struct ingest_config *config)
{
	static const struct event_desc *events[EVENTS_MAX];
	static struct ingest_build_id ids[IDS_MAX];
	const struct perf_data_build_id *recorded;

	config->events = events;
	config->event_count = (uint32_t)perf_data_event_count(recording);
	for (size_t i = 0; i < config->event_count && i < EVENTS_MAX; i++)
		events[i] = perf_data_event(recording, i);
	recorded = perf_data_build_ids(recording, &config->build_id_count);
	if (config->build_id_count > IDS_MAX)
		config->build_id_count = IDS_MAX;
	for (size_t i = 0; i < config->build_id_count; i++)
		ids[i] = (struct ingest_build_id){
			.path = recorded[i].path, .build_id = recorded[i].build_id,
			.is_kernel = recorded[i].is_kernel,
		};
	config->build_ids = ids;
	config->running_kernel = kallsyms_build_id();
}

int main(int argc, char **argv)
{
	struct ingest_config config = { .is_replay = true };
	struct dso_opener *opener;
	struct perf_data *recording;
	struct sandbox *sandbox;
	struct diag why = { 0 };
	struct ingest ingest;
	struct spsc queue;

	const uint64_t times = argc == 3 ? strtoull(argv[2], NULL, 10) : 1;

	if (argc < 2 || argc > 3 || !times || sandbox_start(&sandbox, worker_run, &why) ||
	    perf_data_open(&recording, argv[1], &why) ||
	    dso_opener_create(&opener, sandbox, NULL, &why) || spsc_init(&queue, QUEUE_BYTES)) {
		fprintf(stderr, "fold_window: %s\n", why.text[0] ? why.text : "wants a FILE");
		return 1;
	}
	describe(recording, &config);
	if (ingest_init(&ingest, &config, opener, NULL, &why) ||
	    perf_data_start(recording, &queue, &why)) {
		fprintf(stderr, "fold_window: %s\n", why.text);
		return 1;
	}
	ingest_all(&ingest, recording, &queue, times > 1 ? SIZE_MAX : BUDGET_BYTES);
	if (times > 1)
		stretch(&ingest, times);
	print_stats(&ingest);
	print_comparison(&ingest);
	perf_data_close(recording);
	ingest_finish(&ingest);
	dso_opener_destroy(opener);
	sandbox_stop(sandbox);
	spsc_finish(&queue);
	return 0;
}
