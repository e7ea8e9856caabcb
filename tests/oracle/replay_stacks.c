/* Every stack that the analyzer makes of a recording, with the addresses of its frames.
 *
 * usage: replay_stacks FILE
 * prints: COUNT TAB COMM TAB PID TAB PATH+ADDRESS;PATH+ADDRESS...	leaf first, for each task
 *         and stack, and on a line of its own how many samples have a complete user stack:
 *         "complete" TAB N */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <sys/eventfd.h>

#include "capture/perf_data.h"
#include "elf/file_jobs.h"
#include "ingest/ingest.h"
#include "sandbox/sandbox.h"

#define EVENTS_MAX  64
#define IDS_MAX	    4096
#define QUEUE_BYTES (8u * 1024 * 1024)

static bool take(struct ingest *ingest, const struct queue_item *item, size_t bytes)
{
	if (item->kind == QUEUE_RECORD)
		ingest_push(ingest, item + 1, bytes - sizeof(*item), item->event, item->cpu);
	else if (item->kind == QUEUE_ROUND_END)
		ingest_round_end(ingest, (const struct queue_round_end *)(item + 1));
	return item->kind != QUEUE_END;
}

static void ingest_all(struct ingest *ingest, struct perf_data *recording, struct spsc *queue)
{
	struct pollfd fds[] = {
		{ .fd = perf_data_queue_fd(recording), .events = POLLIN },
		{ .fd = dso_opener_fd(ingest->opener), .events = POLLIN },
		{ .fd = slow_unwinder_fd(ingest->slow_unwinder), .events = POLLIN },
	};
	const struct queue_item *item;
	bool has_more = true, had_waiting;
	eventfd_t count;
	size_t bytes;

	while (has_more || ingest->pending_count) {
		while (has_more && !ingest->has_waiting && (item = spsc_peek(queue, &bytes))) {
			has_more = take(ingest, item, bytes);
			spsc_release(queue);
		}
		perf_data_consumed(recording);
		had_waiting = ingest->has_waiting;
		ingest_poll(ingest, false);
		if ((had_waiting && !ingest->has_waiting) || (!has_more && !ingest->pending_count))
			continue;
		poll(fds, 3, -1);
		if (fds[0].revents)
			eventfd_read(fds[0].fd, &count);
	}
}

static void print_frame(const struct ingest *ingest, uint32_t frame, char before)
{
	const struct stack_frames *frames = &ingest->trie.frames;
	const struct dso *dso = &ingest->dsos.dsos[frames->dso[frame]];

	printf("%c%s+0x%" PRIx64, before, strpool_get(ingest->strings, dso->path),
	       frames->address[frame]);
}

static void print_entry(const struct ingest *ingest, const struct slice_entry *entry)
{
	const struct stack_trie *trie = &ingest->trie;
	const struct task *task = &ingest->tasks.tasks[entry->task];
	uint32_t node = trie->stacks.node[entry->stack];

	printf("%" PRIu32 "\t%s\t%" PRIu32, entry->count, strpool_get(ingest->strings, task->comm),
	       task->pid);
	print_frame(ingest, trie->stacks.frame[entry->stack], '\t');
	for (; node != STACK_NODE_ROOT; node = trie->nodes.parent[node])
		print_frame(ingest, trie->nodes.frame[node], ';');
	putchar('\n');
}

static void print_all(struct ingest *ingest)
{
	const struct timeline *timeline = &ingest->timeline;
	uint64_t complete = 0;

	timeline_cut(&ingest->timeline, ingest->watermark_ns);
	for (uint32_t s = 0; s < timeline->count; s++) {
		for (uint32_t i = 0; i < timeline->slices[s].count; i++)
			print_entry(ingest, &timeline->slices[s].entries[i]);
		complete += timeline->slices[s].stacks.complete;
	}
	printf("complete\t%" PRIu64 "\n", complete);
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
	struct sandbox *sandbox, *sandbox_of_callers;
	struct slow_unwinder *server;
	struct diag why = { 0 };
	struct ingest ingest;
	struct spsc queue;

	if (argc != 2 || sandbox_start(&sandbox, worker_run, &why) ||
	    sandbox_start(&sandbox_of_callers, worker_run, &why) ||
	    slow_unwinder_create(&server, sandbox_of_callers, NULL, &why) ||
	    perf_data_open(&recording, argv[1], &why) ||
	    dso_opener_create(&opener, sandbox, NULL, &why) || spsc_init(&queue, QUEUE_BYTES)) {
		fprintf(stderr, "replay_stacks: %s\n", why.text[0] ? why.text : "wants a FILE");
		return 1;
	}
	describe(recording, &config);
	if (ingest_init(&ingest, &config, opener, NULL, &why) ||
	    perf_data_start(recording, &queue, &why)) {
		fprintf(stderr, "replay_stacks: %s\n", why.text);
		return 1;
	}
	ingest.slow_unwinder = server;
	ingest_all(&ingest, recording, &queue);
	print_all(&ingest);
	perf_data_close(recording);
	ingest_finish(&ingest);
	dso_opener_destroy(opener);
	slow_unwinder_destroy(server);
	sandbox_stop(sandbox);
	sandbox_stop(sandbox_of_callers);
	spsc_finish(&queue);
	return 0;
}
