/* reorder.c - puts the events of all CPUs into one time order.
 *
 * Problem: each CPU's ring is in order, the rings together are not. A process maps libfoo.so on
 * CPU 0 and runs it on CPU 1; if CPU 1 is read first, the sample comes before the map and stays
 * unresolved for ever.
 *
 * Idea: the sampler reads in rounds: every ring up to the data_head seen when the round began (a
 * busy ring is never empty), then queues an end-of-round mark. Whatever was stamped before round N
 * began has been read when round N ends, so at that mark every record older than the start of
 * round N may leave, oldest first. A recording's FINISHED_ROUND marks mean the same.
 *
 * Order: what arrives is a row of runs, mostly one per ring and round, each in order already; a
 * record that is older than the one before it begins another. A heap holds the runs by their first
 * record, so a record costs a look at few runs where a sort would compare all with all. Where the
 * rings' own order is broken, there are more runs; nothing else changes.
 *
 *   entries   |.left.|run 0|.left.|run 1      |run 2 .....|   in the order of arrival, so of equal
 *                     ^ next       ^ next      ^ next         times the smaller index goes first
 *
 * Invariant: records leave in the order of their times, of equal times in that of arrival; one that
 * would break it (a drop, clock trouble) still leaves, counted in `late`.
 *
 * Storage: records are copied once, into chunks, and stay where they are; a chunk is used again
 * when all in it have left. Rejected: a heap of records; moving what stays behind a mark, which
 * under load is half of a round.
 *
 * Cost: one round of delay, so a lone hit on an idle machine shows at once.
 * Rejected: waiting for the next event (perf top: rare hits never show).
 */
#include "model/reorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES  (256u * 1024)	/* holds the largest record (64 KiB) several times */
#define CHUNKS_SPARE 16u		/* 50 ms of stack copies at 4 kHz */
#define ENTRIES_KEPT 16384u		/* 50 ms of 300,000 records a second */
#define RUNS_KEPT    4096u		/* two per CPU of the largest machines */
#define NO_CHUNK     UINT32_MAX

void reorder_init(struct reorder *reorder)
{
	memset(reorder, 0, sizeof(*reorder));
	reorder->filling = reorder->first_empty = NO_CHUNK;
}

void reorder_finish(struct reorder *reorder)
{
	for (uint32_t i = 0; i < reorder->chunk_count; i++)
		free(reorder->chunks[i].bytes);
	free(reorder->chunks);
	free(reorder->entries);
	free(reorder->runs);
	reorder_init(reorder);
}

/* @items, of which all @capacity are in use, with room for more; NULL: out of memory. */
static void *grow(void *items, uint32_t *capacity, size_t item_bytes, uint32_t first)
{
	const uint32_t larger = *capacity ? *capacity * 2 : first;
	void *bigger;

	if (larger <= *capacity)	/* 4 billion */
		return NULL;
	bigger = realloc(items, larger * item_bytes);
	if (bigger)
		*capacity = larger;
	return bigger;
}

static int grow_entries(struct reorder *reorder)
{
	struct reorder_entry *bigger;

	if (reorder->filled < reorder->capacity)
		return 0;
	bigger = grow(reorder->entries, &reorder->capacity, sizeof(*bigger), 1024);
	if (!bigger)
		return -ENOMEM;
	reorder->entries = bigger;
	return 0;
}

static int grow_runs(struct reorder *reorder)
{
	struct reorder_run *bigger;

	if (reorder->run_count < reorder->run_capacity)
		return 0;
	bigger = grow(reorder->runs, &reorder->run_capacity, sizeof(*bigger), 64);
	if (!bigger)
		return -ENOMEM;
	reorder->runs = bigger;
	return 0;
}

static int grow_chunks(struct reorder *reorder)
{
	struct reorder_chunk *bigger;

	if (reorder->chunk_count < reorder->chunk_capacity)
		return 0;
	bigger = grow(reorder->chunks, &reorder->chunk_capacity, sizeof(*bigger), 8);
	if (!bigger)
		return -ENOMEM;
	reorder->chunks = bigger;
	return 0;
}

/* An empty chunk is the next to be filled. 0 or -ENOMEM. */
static int next_chunk(struct reorder *reorder)
{
	uint32_t row = reorder->first_empty;
	struct reorder_chunk *chunk;

	if (row == NO_CHUNK) {
		if (grow_chunks(reorder))
			return -ENOMEM;
		row = reorder->chunk_count;
		reorder->chunks[row] = (struct reorder_chunk){ .next_empty = NO_CHUNK };
	}
	chunk = &reorder->chunks[row];
	if (chunk->bytes) {
		reorder->spare--;
	} else {
		chunk->bytes = malloc(CHUNK_BYTES);
		if (!chunk->bytes)
			return -ENOMEM;
		reorder->allocated++;
	}
	reorder->chunk_count += row == reorder->chunk_count;
	reorder->first_empty = chunk->next_empty;
	chunk->used = 0;
	reorder->filling = row;
	return 0;
}

static void put_empty(struct reorder *reorder, uint32_t row)
{
	struct reorder_chunk *chunk = &reorder->chunks[row];

	if (reorder->spare == CHUNKS_SPARE) {
		free(chunk->bytes);
		chunk->bytes = NULL;
		reorder->allocated--;
	} else {
		reorder->spare++;
	}
	chunk->next_empty = reorder->first_empty;
	reorder->first_empty = row;
}

/* A record of it has left. */
static void leave_chunk(struct reorder *reorder, uint32_t row)
{
	struct reorder_chunk *chunk = &reorder->chunks[row];

	if (--chunk->count)
		return;
	if (row == reorder->filling)
		chunk->used = 0;
	else
		put_empty(reorder, row);
}

static bool has_room(const struct reorder *reorder, size_t bytes)
{
	return reorder->filling != NO_CHUNK &&
	       CHUNK_BYTES - reorder->chunks[reorder->filling].used >= bytes;
}

/* The chunk that is being filled has room for @bytes. 0 or -ENOMEM. */
static int make_room(struct reorder *reorder, size_t bytes)
{
	if (has_room(reorder, bytes))
		return 0;
	return bytes > CHUNK_BYTES ? -ENOMEM : next_chunk(reorder);
}

/* The entry at `filled` is the next of the last run, or begins one. 0 or -ENOMEM. */
static int add_to_runs(struct reorder *reorder, uint64_t time_ns)
{
	const uint32_t at = reorder->filled;

	if (reorder->run_count > reorder->heap_count &&
	    reorder->entries[at - 1].time_ns <= time_ns) {
		reorder->runs[reorder->run_count - 1].end++;
		return 0;
	}
	if (grow_runs(reorder))
		return -ENOMEM;
	reorder->runs[reorder->run_count++] = (struct reorder_run){ time_ns, at, at + 1 };
	return 0;
}

int reorder_push(struct reorder *reorder, const void *record, size_t size, uint16_t event,
		 uint32_t cpu, uint64_t time_ns)
{
	const size_t room = (size + 7) & ~(size_t)7;
	struct reorder_chunk *chunk;

	if (grow_entries(reorder) || make_room(reorder, room) || add_to_runs(reorder, time_ns))
		return -ENOMEM;
	chunk = &reorder->chunks[reorder->filling];
	memcpy(chunk->bytes + chunk->used, record, size);
	reorder->entries[reorder->filled++] = (struct reorder_entry){
		.time_ns = time_ns, .chunk = reorder->filling, .offset = chunk->used,
		.cpu = cpu, .event = event,
	};
	chunk->used += (uint32_t)room;
	chunk->count++;
	reorder->count++;
	return 0;
}

static bool is_before(const struct reorder_run *a, const struct reorder_run *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->next < b->next;
}

static void sift_up(struct reorder_run *runs, uint32_t at)
{
	const struct reorder_run run = runs[at];

	for (; at && is_before(&run, &runs[(at - 1) / 2]); at = (at - 1) / 2)
		runs[at] = runs[(at - 1) / 2];
	runs[at] = run;
}

static void sift_down(struct reorder_run *runs, uint32_t count)
{
	const struct reorder_run run = runs[0];
	uint32_t at = 0, child;

	for (; (child = 2 * at + 1) < count; at = child) {
		child += child + 1 < count && is_before(&runs[child + 1], &runs[child]);
		if (is_before(&run, &runs[child]))
			break;
		runs[at] = runs[child];
	}
	runs[at] = run;
}

/* The runs that came since the last release join the heap. */
static void fill_heap(struct reorder *reorder)
{
	while (reorder->heap_count < reorder->run_count)
		sift_up(reorder->runs, reorder->heap_count++);
}

/* The first entry of the first run has left. */
static void advance(struct reorder *reorder)
{
	struct reorder_run *run = &reorder->runs[0];

	if (++run->next < run->end)
		run->time_ns = reorder->entries[run->next].time_ns;
	else
		*run = reorder->runs[--reorder->run_count];
	reorder->heap_count = reorder->run_count;
	if (reorder->run_count > 1)
		sift_down(reorder->runs, reorder->run_count);
}

static int by_arrival(const void *a, const void *b)
{
	const struct reorder_run *left = a, *right = b;

	return left->next < right->next ? -1 : left->next > right->next;
}

/* Adds entries [@first, @end), which are in order, to what lies before `filled`. */
static void put_back(struct reorder *reorder, uint32_t first, uint32_t end)
{
	struct reorder_entry *entries = reorder->entries;
	const uint32_t at = reorder->filled, count = end - first;

	memmove(entries + at, entries + first, count * sizeof(*entries));
	if (at && entries[at - 1].time_ns <= entries[at].time_ns)
		reorder->runs[reorder->run_count - 1].end += count;
	else
		reorder->runs[reorder->run_count++] =
			(struct reorder_run){ entries[at].time_ns, at, at + count };
	reorder->filled += count;
}

/* Takes out of the entries those that have left; of the runs becomes no more than there were. */
static void close_ranks(struct reorder *reorder)
{
	const uint32_t runs = reorder->run_count;

	reorder->filled = reorder->run_count = reorder->heap_count = 0;
	if (!runs)
		return;		/* nothing is left */
	qsort(reorder->runs, runs, sizeof(*reorder->runs), by_arrival);
	for (uint32_t i = 0; i < runs; i++)
		put_back(reorder, reorder->runs[i].next, reorder->runs[i].end);
}

/* @items with room for @kept, where few of many more are in use. */
static void *shrink(void *items, uint32_t *capacity, size_t item_bytes, uint32_t used,
		    uint32_t kept)
{
	void *smaller;

	if (*capacity <= kept || used > kept / 2)
		return items;
	smaller = realloc(items, kept * item_bytes);
	if (!smaller)
		return items;
	*capacity = kept;
	return smaller;
}

/* After a crowd, or a recording without rounds, which is all here at once. */
static void give_back(struct reorder *reorder)
{
	reorder->entries = shrink(reorder->entries, &reorder->capacity, sizeof(*reorder->entries),
				  reorder->filled, ENTRIES_KEPT);
	reorder->runs = shrink(reorder->runs, &reorder->run_capacity, sizeof(*reorder->runs),
			       reorder->run_count, RUNS_KEPT);
}

void reorder_keep_only(struct reorder *reorder, uint16_t event)
{
	uint32_t filled, kept = 0;

	close_ranks(reorder);
	filled = reorder->filled;
	reorder->filled = reorder->run_count = reorder->count = 0;
	for (uint32_t i = 0; i < filled; i++) {
		if (reorder->entries[i].event != event) {
			leave_chunk(reorder, reorder->entries[i].chunk);
			continue;
		}
		put_back(reorder, i, i + 1);
		kept++;
	}
	reorder->count = kept;
	give_back(reorder);
	reorder->last_out_ns = 0;
}

/* sizeof(struct perf_event_header) is 8 and its last u16 is the record's size. */
static uint16_t record_size(const unsigned char *record)
{
	uint16_t size;

	memcpy(&size, record + 6, sizeof(size));
	return size;
}

static bool let_out(struct reorder *reorder, const struct reorder_entry *entry, reorder_sink *sink,
		    void *context)
{
	const unsigned char *record = reorder->chunks[entry->chunk].bytes + entry->offset;

	if (!sink(context, record, record_size(record), entry->event, entry->cpu, entry->time_ns))
		return false;
	if (entry->time_ns < reorder->last_out_ns)
		reorder->late++;
	else
		reorder->last_out_ns = entry->time_ns;
	leave_chunk(reorder, entry->chunk);
	reorder->count--;
	return true;
}

bool reorder_release(struct reorder *reorder, uint64_t limit_ns, reorder_sink *sink, void *context)
{
	fill_heap(reorder);
	while (reorder->run_count && reorder->runs[0].time_ns <= limit_ns) {
		if (!let_out(reorder, &reorder->entries[reorder->runs[0].next], sink, context))
			return false;
		advance(reorder);
	}
	if (reorder->filled > 2 * reorder->count) {
		close_ranks(reorder);
		give_back(reorder);
	}
	return true;
}

size_t reorder_bytes(const struct reorder *reorder)
{
	return reorder->capacity * sizeof(*reorder->entries) +
	       reorder->run_capacity * sizeof(*reorder->runs) +
	       (size_t)reorder->allocated * CHUNK_BYTES;
}
