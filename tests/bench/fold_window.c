/* Folds a whole recording at once: how much memory its history takes, and how long a fold takes.
 *
 * usage: fold_window FILE      a perf.data; tests/bench/fold makes one of ten minutes' worth */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>

#include "capture/perf_data.h"
#include "model/budget.h"
#include "model/fold.h"
#include "model/group_arrange.h"
#include "symbols/sandbox.h"

#define EVENTS_MAX   64
#define IDS_MAX	     4096
#define QUEUE_BYTES  (8u * 1024 * 1024)
#define BUDGET_BYTES (64u * 1024 * 1024)
#define FOLDS	     15

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

static void ingest_all(struct ingest *ingest, struct perf_data *recording, struct spsc *queue)
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
			budget_enforce(ingest, BUDGET_BYTES, ingest->watermark_ns);
		}
		perf_data_consumed(recording);
		ingest_poll(ingest, true);
	}
	while (ingest->opening) {
		ready.fd = object_opener_fd(ingest->opener);
		poll(&ready, 1, -1);
		ingest_poll(ingest, true);
	}
	timeline_cut(&ingest->timeline, ingest->watermark_ns);
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

static double median_fold_ms(struct ingest *ingest, bool is_dense, const struct filter *filter,
			     struct fold *last)
{
	const struct timeline *timeline = &ingest->timeline;
	double ms[FOLDS];

	for (int i = 0; i < FOLDS; i++) {
		const double began = now_ms();

		fold_finish(last);
		fold_init(last, &ingest->trie, &ingest->names, &ingest->tasks,
			  KEY_OBJECT | KEY_SYMBOL, 0, filter);
		if (is_dense)
			fold_add_slices_dense(last, timeline->slices, timeline->count);
		for (uint32_t s = 0; !is_dense && s < timeline->count; s++)
			fold_add(last, timeline->slices[s].entries, timeline->slices[s].count, 1.0);
		ms[i] = now_ms() - began;
	}
	qsort(ms, FOLDS, sizeof(ms[0]), by_value);
	return ms[FOLDS / 2];
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
		struct group_draft draft;
		struct group_fold fold;

		group_fold_init(&fold, &sources, query, 0);
		for (uint32_t s = 0; s < timeline->count; s++)
			group_fold_add(&fold, timeline->slices[s].entries,
				       timeline->slices[s].count, 1.0);
		group_arrange(&fold, &draft);
		*nodes = fold.count - 1;
		group_draft_finish(&draft);
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
		  { .group_count = 3, .groups = { GROUP_COMM, GROUP_OBJECT, GROUP_SYMBOL } } },
		{ "tid,symbol,cpu",
		  { .group_count = 3, .groups = { GROUP_TID, GROUP_SYMBOL, GROUP_CPU } } },
		{ "symbol,parent", { .group_count = 2, .groups = { GROUP_SYMBOL, GROUP_PARENT } } },
		{ "dso,address", { .group_count = 2, .groups = { GROUP_OBJECT, GROUP_ADDRESS } } },
	};
	uint32_t nodes;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const double ms = median_groups_ms(ingest, &known[i].query, &nodes);

		printf("groups       %.1f ms by %s, %u nodes\n", ms, known[i].keys, nodes);
	}
}

static void print_figures(struct ingest *ingest)
{
	struct fold fold = { 0 };
	uint64_t entries = 0;
	double walk_ms, dense_ms;

	for (uint32_t s = 0; s < ingest->timeline.count; s++)
		entries += ingest->timeline.slices[s].count;
	walk_ms = median_fold_ms(ingest, false, &no_filter, &fold);
	dense_ms = median_fold_ms(ingest, true, &no_filter, &fold);
	printf("history      %llu samples in %.1f MiB of a budget of %.0f MiB, %llu left before\n",
	       (unsigned long long)fold.samples, (double)budget_bytes(ingest) / (1 << 20),
	       (double)BUDGET_BYTES / (1 << 20),
	       (unsigned long long)ingest->timeline.evicted_samples);
	printf("rows of it   %llu entries, %u stacks, %u nodes, %u symbols\n",
	       (unsigned long long)entries, ingest->trie.stacks.count, ingest->trie.nodes.count,
	       fold.row_count);
	printf("whole fold   %.1f ms; %.1f ms when it walks every stack (ratio %.2f)\n", dense_ms,
	       walk_ms, dense_ms / walk_ms);
	printf("filtered     %.1f ms by text, ", median_fold_ms(ingest, false, &by_text, &fold));
	printf("%.1f ms by a regular expression, ",
	       median_fold_ms(ingest, false, &by_regex, &fold));
	printf("%.1f ms by process\n", median_fold_ms(ingest, false, &by_pid, &fold));
	fold_finish(&fold);
	print_groups(ingest);
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
	struct object_opener *opener;
	struct perf_data *recording;
	struct sandbox *sandbox;
	struct diag why = { 0 };
	struct ingest ingest;
	struct spsc queue;

	if (argc != 2 || sandbox_start(&sandbox, &why) ||
	    perf_data_open(&recording, argv[1], &why) ||
	    object_opener_create(&opener, sandbox, NULL, &why) || spsc_init(&queue, QUEUE_BYTES)) {
		fprintf(stderr, "fold_window: %s\n", why.text[0] ? why.text : "wants a FILE");
		return 1;
	}
	describe(recording, &config);
	if (ingest_init(&ingest, &config, opener, NULL, &why) ||
	    perf_data_start(recording, &queue, &why)) {
		fprintf(stderr, "fold_window: %s\n", why.text);
		return 1;
	}
	ingest_all(&ingest, recording, &queue);
	print_figures(&ingest);
	perf_data_close(recording);
	ingest_finish(&ingest);
	object_opener_destroy(opener);
	sandbox_stop(sandbox);
	spsc_finish(&queue);
	return 0;
}
