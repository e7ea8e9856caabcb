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
 *   chunk   |.left.|  run 0  |.left.|  run 1  |  run 2  |  free  |
 *                  ^ next    ^ end  ^ next    ^ end, next
 *
 * Nothing is kept per record: its size is in its header, and where its time lies in its run.
 *
 * Invariant: records leave in the order of their times, of equal times in that of arrival; one that
 * would break it (a drop, clock trouble) still leaves, counted in `late`.
 *
 * Storage: records are copied once, as many at a time as came, into chunks, and stay where they
 * are; a chunk is used again when all in it have left. Rejected: a heap of records; moving what
 * stays after a mark, which under load is half of a round; leaving them in the queue, which then
 * could be full of what waits for a mark after it.
 *
 * Cost: one round of delay, so a lone hit on an idle machine shows at once.
 * Rejected: waiting for the next event (perf top: rare hits never show).
 */
#include "ingest/reorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES  (256u * 1024)	/* holds the largest record (64 KiB) several times */
#define CHUNKS_SPARE 16u		/* 50 ms of stack copies at 4 kHz */
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
	free(reorder->runs);
	reorder_init(reorder);
}

/* Returns @items, whose @capacity is used up, with room for more; NULL: out of memory. */
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

/* Makes an empty chunk the one to be filled. 0 or -ENOMEM. */
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

/* Removes a run from chunk @row; reuses or frees the chunk after its last run. */
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

/* Makes sure that the chunk to be filled has room for @bytes. 0 or -ENOMEM. */
static int make_room(struct reorder *reorder, size_t bytes)
{
	if (has_room(reorder, bytes))
		return 0;
	return bytes > CHUNK_BYTES ? -ENOMEM : next_chunk(reorder);
}

/* Whether the records of @span, appended to the chunk, continue the last run. */
static bool goes_on(const struct reorder *reorder, const struct reorder_span *span)
{
	const struct reorder_run *last;

	if (reorder->run_count == reorder->heap_count || reorder->last_in_ns > span->first_ns)
		return false;
	last = &reorder->runs[reorder->run_count - 1];
	return last->chunk == reorder->filling &&
	       last->end == reorder->chunks[reorder->filling].used && last->cpu == span->cpu &&
	       last->event == span->event && last->time_word == span->time_word;
}

/* 0 or -ENOMEM. */
static int begin_run(struct reorder *reorder, const struct reorder_span *span)
{
	struct reorder_chunk *chunk = &reorder->chunks[reorder->filling];

	if (grow_runs(reorder))
		return -ENOMEM;
	reorder->runs[reorder->run_count++] = (struct reorder_run){
		.time_ns = span->first_ns, .arrival = reorder->arrivals++,
		.chunk = reorder->filling, .next = chunk->used, .end = chunk->used,
		.cpu = span->cpu, .event = span->event, .time_word = span->time_word,
	};
	chunk->count++;
	return 0;
}

int reorder_push(struct reorder *reorder, const struct reorder_span *span)
{
	struct reorder_chunk *chunk;

	if (make_room(reorder, span->bytes) ||
	    (!goes_on(reorder, span) && begin_run(reorder, span)))
		return -ENOMEM;
	chunk = &reorder->chunks[reorder->filling];
	memcpy(chunk->bytes + chunk->used, span->records, span->bytes);
	chunk->used += (uint32_t)span->bytes;
	reorder->runs[reorder->run_count - 1].end = chunk->used;
	reorder->last_in_ns = span->last_ns;
	return 0;
}

static bool is_before(const struct reorder_run *a, const struct reorder_run *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->arrival < b->arrival;
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

/* Returns @items, shrunk to room for @kept if far fewer than the capacity are used. */
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

/* Shrinks `runs` after a burst, or a recording without rounds, which comes all at once. */
static void give_back(struct reorder *reorder)
{
	reorder->runs = shrink(reorder->runs, &reorder->run_capacity, sizeof(*reorder->runs),
			       reorder->run_count, RUNS_KEPT);
}

/* sizeof(struct perf_event_header) is 8 and its last u16 is the record's size. */
static uint16_t record_size(const unsigned char *record)
{
	uint16_t size;

	memcpy(&size, record + 6, sizeof(size));
	return size;
}

static uint64_t record_time(const unsigned char *record, int16_t time_word)
{
	uint64_t time_ns;

	record += time_word < 0 ? record_size(record) : 0;
	memcpy(&time_ns, record + time_word * (int)sizeof(time_ns), sizeof(time_ns));
	return time_ns;
}

/* Time up to which records of the first run come before those of all others. */
static uint64_t first_until(const struct reorder *reorder, uint64_t limit_ns)
{
	const struct reorder_run *runs = reorder->runs;
	const struct reorder_run *second = &runs[1];
	uint64_t until_ns;

	if (reorder->run_count < 2)
		return limit_ns;
	if (reorder->run_count > 2 && is_before(&runs[2], second))
		second = &runs[2];
	until_ns = second->time_ns - (second->arrival < runs[0].arrival);
	return until_ns < limit_ns ? until_ns : limit_ns;
}

/* Removes the first run, which is empty. */
static void leave_run(struct reorder *reorder)
{
	leave_chunk(reorder, reorder->runs[0].chunk);
	reorder->runs[0] = reorder->runs[--reorder->run_count];
	reorder->heap_count = reorder->run_count;
}

/* Passes records of the first run up to @until_ns, at least one, to @sink. False: refused. */
static bool let_out(struct reorder *reorder, uint64_t until_ns, reorder_sink *sink, void *context)
{
	struct reorder_run *run = &reorder->runs[0];
	const unsigned char *bytes = reorder->chunks[run->chunk].bytes;

	do {
		const uint16_t size = record_size(bytes + run->next);

		if (!sink(context, bytes + run->next, size, run->event, run->cpu, run->time_ns))
			return false;
		if (run->time_ns < reorder->last_out_ns)
			reorder->late++;
		else
			reorder->last_out_ns = run->time_ns;
		run->next += size;
		if (run->next == run->end) {
			leave_run(reorder);
			return true;
		}
		run->time_ns = record_time(bytes + run->next, run->time_word);
	} while (run->time_ns <= until_ns);
	return true;
}

static bool release(struct reorder *reorder, uint64_t limit_ns, reorder_sink *sink, void *context)
{
	fill_heap(reorder);
	while (reorder->run_count && reorder->runs[0].time_ns <= limit_ns) {
		if (!let_out(reorder, first_until(reorder, limit_ns), sink, context))
			return false;
		if (reorder->run_count > 1)
			sift_down(reorder->runs, reorder->run_count);
	}
	return true;
}

bool reorder_release(struct reorder *reorder, uint64_t limit_ns, reorder_sink *sink, void *context)
{
	if (!release(reorder, limit_ns, sink, context))
		return false;
	give_back(reorder);
	return true;
}

/* Moves the runs of event @last after all others, of which it returns the number. */
static uint32_t put_last(struct reorder *reorder, uint16_t last)
{
	struct reorder_run *runs = reorder->runs;
	uint32_t others = 0;

	for (uint32_t i = 0; i < reorder->run_count; i++) {
		const struct reorder_run run = runs[i];

		if (run.event == last)
			continue;
		runs[i] = runs[others];
		runs[others++] = run;
	}
	return others;
}

void reorder_flush(struct reorder *reorder, uint16_t kept, reorder_sink *sink, void *context)
{
	const uint32_t others = put_last(reorder, kept);
	const uint32_t kept_count = reorder->run_count - others;

	reorder->run_count = others;
	reorder->heap_count = 0;
	release(reorder, UINT64_MAX, sink, context);
	if (kept_count)		/* NULL has no elements */
		memmove(reorder->runs, reorder->runs + others,
			kept_count * sizeof(*reorder->runs));
	reorder->run_count = kept_count;
	reorder->heap_count = 0;
	fill_heap(reorder);
	give_back(reorder);
	reorder->last_out_ns = 0;
}

size_t reorder_bytes(const struct reorder *reorder)
{
	return reorder->run_capacity * sizeof(*reorder->runs) +
	       (size_t)reorder->allocated * CHUNK_BYTES;
}
