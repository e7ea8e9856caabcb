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
 * Invariant: records leave in the order of their times; one that would break it (a drop, clock
 * trouble) still leaves, counted in `late`.
 *
 * Storage: records are copied into chunks that never move, entries are sorted once per mark. What
 * stays behind after a mark (records of the round's own duration) moves to fresh chunks, so chunks
 * are freed whole. Rejected: a heap with one allocation per record.
 *
 * Cost: one round of delay, at most 50 ms, so a lone hit on an idle machine shows at once.
 * Rejected: waiting for the next event (perf top: rare hits never show).
 */
#include "model/reorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES (256u * 1024)	/* holds the largest record (64 KiB) several times */

void reorder_init(struct reorder *reorder)
{
	memset(reorder, 0, sizeof(*reorder));
}

void reorder_finish(struct reorder *reorder)
{
	for (uint32_t i = 0; i < reorder->chunk_count; i++)
		free(reorder->chunks[i].bytes);
	free(reorder->chunks);
	free(reorder->entries);
	memset(reorder, 0, sizeof(*reorder));
}

static void clear(struct reorder *reorder)
{
	const uint64_t late = reorder->late;

	reorder_finish(reorder);
	reorder->late = late;
}

static int grow_entries(struct reorder *reorder)
{
	size_t capacity = reorder->capacity ? reorder->capacity * 2 : 1024;
	struct reorder_entry *bigger;

	if (reorder->count < reorder->capacity)
		return 0;
	bigger = realloc(reorder->entries, capacity * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	reorder->entries = bigger;
	reorder->capacity = capacity;
	return 0;
}

/* The chunk that has room for @size bytes, the last or a new one; NULL: no memory. */
static struct reorder_chunk *chunk_for(struct reorder *reorder, size_t size)
{
	struct reorder_chunk *chunk;

	if (reorder->chunk_count) {
		chunk = &reorder->chunks[reorder->chunk_count - 1];
		if (chunk->capacity - chunk->used >= size)
			return chunk;
	}
	if (reorder->chunk_count == reorder->chunk_capacity) {
		uint32_t capacity = reorder->chunk_capacity ? reorder->chunk_capacity * 2 : 8;

		chunk = realloc(reorder->chunks, capacity * sizeof(*chunk));
		if (!chunk)
			return NULL;
		reorder->chunks = chunk;
		reorder->chunk_capacity = capacity;
	}
	chunk = &reorder->chunks[reorder->chunk_count];
	*chunk = (struct reorder_chunk){ .bytes = malloc(CHUNK_BYTES), .capacity = CHUNK_BYTES };
	if (!chunk->bytes)
		return NULL;
	reorder->chunk_count++;
	return chunk;
}

int reorder_push(struct reorder *reorder, const void *record, size_t size, uint16_t event,
		 uint32_t cpu, uint64_t time_ns)
{
	const size_t room = (size + 7) & ~(size_t)7;
	struct reorder_chunk *chunk;

	if (room > CHUNK_BYTES || grow_entries(reorder))
		return -ENOMEM;
	chunk = chunk_for(reorder, room);
	if (!chunk)
		return -ENOMEM;
	memcpy(chunk->bytes + chunk->used, record, size);
	reorder->is_sorted = false;
	reorder->entries[reorder->count++] = (struct reorder_entry){
		.time_ns = time_ns, .seq = reorder->next_seq++, .offset = chunk->used,
		.chunk = reorder->chunk_count - 1, .event = event, .cpu = cpu,
	};
	chunk->used += (uint32_t)room;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct reorder_entry *left = a, *right = b;

	if (left->time_ns != right->time_ns)
		return left->time_ns < right->time_ns ? -1 : 1;
	return left->seq < right->seq ? -1 : left->seq > right->seq;
}

/* sizeof(struct perf_event_header) is 8 and its last u16 is the record's size. */
static uint16_t record_size(const unsigned char *record)
{
	uint16_t size;

	memcpy(&size, record + 6, sizeof(size));
	return size;
}

static const unsigned char *record_at(const struct reorder *reorder,
				      const struct reorder_entry *entry)
{
	return reorder->chunks[entry->chunk].bytes + entry->offset;
}

/* Moves what is left into fresh chunks and frees the old ones. When there is no memory the records
 * simply stay where they are. */
static void pack_rest(struct reorder *reorder, const struct reorder_entry *rest, size_t rest_count)
{
	struct reorder fresh = { .next_seq = reorder->next_seq, .late = reorder->late,
				 .last_out_ns = reorder->last_out_ns };

	if (!rest_count && reorder->chunk_count == 1) {	/* the quiet case: nothing to move */
		reorder->chunks[0].used = 0;
		reorder->count = 0;
		return;
	}
	for (size_t i = 0; i < rest_count; i++) {
		const unsigned char *record = record_at(reorder, &rest[i]);

		if (reorder_push(&fresh, record, record_size(record), rest[i].event, rest[i].cpu,
				 rest[i].time_ns)) {
			reorder_finish(&fresh);
			memmove(reorder->entries, rest, rest_count * sizeof(*rest));
			reorder->count = rest_count;
			return;
		}
	}
	reorder_finish(reorder);
	*reorder = fresh;
}

void reorder_keep_only(struct reorder *reorder, uint16_t event)
{
	size_t kept = 0;

	for (size_t i = 0; i < reorder->count; i++)
		if (reorder->entries[i].event == event)
			reorder->entries[kept++] = reorder->entries[i];
	if (kept)
		pack_rest(reorder, reorder->entries, kept);
	else
		clear(reorder);
	reorder->last_out_ns = 0;
}

/* They will leave soon, so what they lie in is not packed. In a recording without rounds they are
 * all of it, and a record is refused for each table that is still to come: sorted once. */
static void keep_rest(struct reorder *reorder, size_t first)
{
	reorder->is_sorted = true;
	reorder->count -= first;
	memmove(reorder->entries, reorder->entries + first,
		reorder->count * sizeof(*reorder->entries));
}

bool reorder_release(struct reorder *reorder, uint64_t limit_ns, reorder_sink *sink, void *context)
{
	size_t out;

	if (!reorder->count)
		return true;
	if (!reorder->is_sorted)
		qsort(reorder->entries, reorder->count, sizeof(*reorder->entries), by_time);
	for (out = 0; out < reorder->count && reorder->entries[out].time_ns <= limit_ns; out++) {
		const struct reorder_entry *entry = &reorder->entries[out];
		const unsigned char *record = record_at(reorder, entry);

		if (!sink(context, record, record_size(record), entry->event, entry->cpu,
			  entry->time_ns)) {
			keep_rest(reorder, out);
			return false;
		}
		if (entry->time_ns < reorder->last_out_ns)
			reorder->late++;
		else
			reorder->last_out_ns = entry->time_ns;
	}
	if (out)
		pack_rest(reorder, reorder->entries + out, reorder->count - out);
	return true;
}

size_t reorder_bytes(const struct reorder *reorder)
{
	return reorder->capacity * sizeof(*reorder->entries) +
	       (size_t)reorder->chunk_count * CHUNK_BYTES;
}
