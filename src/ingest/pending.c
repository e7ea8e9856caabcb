/* pending.c - see pending.h.
 *
 * Problem: a stack may need a table that is still being built, or /proc may be slow. The sample is
 * copied with maps and name as of its own time, so that an exec in between can't change them, and
 * is counted a second or two later at the latest, with what is known.
 *
 * Where unwind rows can't unwind a stack, a worker finds its callers. The pending samples are the
 * queue: whenever the server is idle, those of one process that need the same files become one
 * batch, so a batch holds what came while the last one was being worked on. Live, workers get a
 * limited share of the time; a sample without room in the queue is counted with the incomplete
 * stack of its walk.
 *
 * In a replay samples without callers wait for as long as it takes, so that the result is
 * deterministic: later records are counted while they belong to the same slice, and held from the
 * next slice on.
 */
#include "pending.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "capture/stack_copy.h"
#include "hit_sums.h"

#define CALLERS_MAX (2 * SLOW_STACKS_MAX)	/* one batch under way, one to come */
#define PAUSES	    4	/* for each time that a batch took: workers have a fifth of a CPU at most */

/* With hundreds of runnable threads the process reader gets a CPU only after half a second. */
#define REPLY_WAIT_NS	 (CLOCK_NS_PER_S)
/* At the start the tables of all running programs are requested at once, after the kernel's names,
 * which take 100 ms alone and 300 ms on a busy machine; under ThreadSanitizer all of it takes over
 * half a second. */
#define TABLE_WAIT_NS	 (2 * CLOCK_NS_PER_S)
/* With config.can_wait: only what never comes is given up. */
#define PATIENT_WAIT_NS	 (30 * CLOCK_NS_PER_S)
#define PENDING_MUCH_BYTES (2u * 1024 * 1024)

static uint64_t deadline_ns(const struct ingest *ingest, uint64_t wait_ns)
{
	return clock_now_ns() + (ingest->config.can_wait ? PATIENT_WAIT_NS : wait_ns);
}

struct pending_sample *pending_add(struct ingest *ingest, const struct event_record *record,
				   const struct sample_form *form, const void *raw, size_t size)
{
	struct pending *pending = ingest->pending;
	struct pending_sample *sample;

	if (pending->bytes + size > INGEST_PENDING_BYTES_MAX)
		return NULL;
	if (ingest->pending_count == pending->capacity) {
		uint32_t capacity = pending->capacity ? pending->capacity * 2 : 64;

		sample = realloc(pending->list, capacity * sizeof(*sample));
		if (!sample)
			return NULL;
		pending->list = sample;
		pending->capacity = capacity;
	}
	sample = &pending->list[ingest->pending_count];
	*sample = (struct pending_sample){
		.bytes = malloc(size), .size = (uint32_t)size, .form = *form,
		.deadline_ns = deadline_ns(ingest, REPLY_WAIT_NS),
	};
	if (!sample->bytes)
		return NULL;
	memcpy(sample->bytes, raw, size);
	if (form->line)
		form->line->is_pending = true;
	if (form->sums)
		form->sums->is_pending = true;
	probe_hits_calls(ingest->hits, record, &sample->calls);
	pending->bytes += size;
	pending->is_much |= pending->bytes > PENDING_MUCH_BYTES;
	ingest->pending_count++;
	return sample;
}

bool pending_is_full(const struct ingest *ingest)
{
	const struct pending *pending = ingest->pending;

	return pending->bytes >= INGEST_PENDING_BYTES_MAX / 4 ||
	       (ingest->slow_unwinder && pending->callers_count >= CALLERS_MAX);
}

struct stack_patience pending_patience(const struct ingest *ingest)
{
	const struct pending *pending = ingest->pending;

	return (struct stack_patience){
		.for_tables = true,
		/* Leaves half of the room to samples that wait for /proc. */
		.for_unread = pending->bytes < INGEST_PENDING_BYTES_MAX / 2,
		.for_callers = ingest->slow_unwinder && pending->callers_count < CALLERS_MAX,
	};
}

static bool has_callers_to_come(const struct pending_sample *sample)
{
	return sample->waiting_for == WAITING_FOR_REQUEST ||
	       sample->waiting_for == WAITING_FOR_CALLERS;
}

static void wait_for_callers(struct pending *pending, struct pending_sample *sample,
			     const struct event_record *record)
{
	sample->waiting_for = WAITING_FOR_REQUEST;
	sample->ticket = ++pending->last_ticket;
	if (!pending->callers_count++)
		pending->callers_slice = record->time_ns / SLICE_NS;
}

void pending_wait_for_stack(struct ingest *ingest, struct pending_sample *sample,
			    const struct event_record *record, const struct sample_origin *origin)
{
	const bool wants_callers = origin->callers->was_wanted && !sample->ticket;
	const bool has_task = sample->waiting_for != WAITING_FOR_REPLY;

	sample->waiting_for = WAITING_FOR_TABLES;
	sample->tables_epoch = ingest->tables_epoch;
	sample->callers = *origin->callers;
	if (wants_callers)
		wait_for_callers(ingest->pending, sample, record);
	if (has_task)
		return;
	sample->maps = process_maps_share(origin->maps);
	/* In a replay a deadline would make the counts depend on timing. */
	sample->deadline_ns = ingest->config.is_replay ? UINT64_MAX
						      : deadline_ns(ingest, TABLE_WAIT_NS);
	sample->thread = *origin->thread;
	sample->thread.task = ID_SET_NONE;	/* tasks may be renumbered meanwhile */
	sample->attribution = origin->attribution;
}

static void finish(struct ingest *ingest, struct pending_sample *sample)
{
	if (has_callers_to_come(sample))
		ingest->pending->callers_count--;
	if (sample->form.line && !sample->form.line->is_counted)
		event_lines_destroy(&ingest->lines, sample->form.line);
	ingest->pending->bytes -= sample->size;
	free(sample->form.sums);
	free(sample->calls.list);
	free(sample->callers.frames);
	process_maps_release(sample->maps);
	free(sample->bytes);
}

void pending_drop(struct ingest *ingest, uint32_t event)
{
	struct pending_sample *list = ingest->pending->list;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < ingest->pending_count; i++) {
		if (event == UINT32_MAX || list[i].form.event == event)
			finish(ingest, &list[i]);
		else
			list[kept++] = list[i];
	}
	ingest->pending_count = kept;
}

void pending_destroy(struct ingest *ingest)
{
	if (!ingest->pending)
		return;
	pending_drop(ingest, UINT32_MAX);
	free(ingest->pending->list);
	free(ingest->pending);
}

void ingest_mark_hit_values(const struct ingest *ingest, unsigned char *used)
{
	for (uint32_t i = 0; i < ingest->pending_count; i++)
		hit_sums_mark(ingest->pending->list[i].form.sums, used);
}

void ingest_renumber_hit_values(struct ingest *ingest, const uint32_t *new_value)
{
	for (uint32_t i = 0; i < ingest->pending_count; i++)
		hit_sums_renumber(ingest->pending->list[i].form.sums, new_value);
}

uint64_t ingest_lines_limit_ns(const struct ingest *ingest)
{
	uint64_t limit_ns = ingest->watermark_ns;

	for (uint32_t i = 0; i < ingest->pending_count; i++)
		if (ingest->pending->list[i].form.time_ns < limit_ns)
			limit_ns = ingest->pending->list[i].form.time_ns;
	return limit_ns;
}

static bool is_ready(const struct ingest *ingest, const struct pending_sample *sample)
{
	switch (sample->waiting_for) {
	case WAITING_FOR_REPLY:		/* only the task's state says whether it came */
	case WAITING_FOR_NOTHING:
		return true;
	case WAITING_FOR_TABLES:
		return sample->tables_epoch != ingest->tables_epoch;
	case WAITING_FOR_REQUEST:
	case WAITING_FOR_CALLERS:
		break;
	}
	return false;
}

/* Counts a sample if what it waits for is there, or has been waited for long enough. */
static bool resume(struct ingest *ingest, struct pending_sample *sample, bool is_due,
		   pending_counter *count)
{
	struct event_record record;

	if (!is_due && !is_ready(ingest, sample))
		return false;
	if (record_parse(&sample->form.format, sample->bytes, sample->size, &record))
		return true;	/* can't be: it was parsed before */
	return count(ingest, sample, &record, is_due);
}

/* Pending records lie between memory in use, so free() alone returns none of it to the system. */
static void give_memory_back(struct ingest *ingest)
{
	if (!ingest->pending->is_much || ingest->pending_count)
		return;
	ingest->pending->is_much = false;
	malloc_trim(0);
}

void pending_poll(struct ingest *ingest, bool force, pending_counter *count)
{
	const uint64_t now_ns = ingest->pending_count ? clock_now_ns() : 0;
	struct pending_sample *list = ingest->pending->list;
	uint32_t kept = 0;

	ingest->pending_due_ns = UINT64_MAX;
	for (uint32_t i = 0; i < ingest->pending_count; i++) {
		if (resume(ingest, &list[i], force || now_ns >= list[i].deadline_ns, count)) {
			finish(ingest, &list[i]);
			continue;
		}
		if (list[i].deadline_ns < ingest->pending_due_ns)
			ingest->pending_due_ns = list[i].deadline_ns;
		list[kept++] = list[i];
	}
	ingest->pending_count = kept;
	give_memory_back(ingest);
}

bool pending_holds(const struct ingest *ingest, uint64_t time_ns)
{
	const struct pending *pending = ingest->pending;

	return pending->callers_count && !ingest->is_forced &&
	       (pending->callers_count >= CALLERS_MAX ||
		time_ns / SLICE_NS != pending->callers_slice);
}

static bool needs_same_code(const struct pending_sample *one, const struct pending_sample *other)
{
	if (one->maps != other->maps || one->callers.code_count != other->callers.code_count)
		return false;
	for (uint32_t i = 0; i < one->callers.code_count; i++)
		if (one->callers.code[i].start != other->callers.code[i].start)
			return false;
	return true;
}

static bool fill_stack(const struct pending_sample *sample, struct remote_stack *stack,
		       uint32_t *pid)
{
	const struct record_format *format = &sample->form.format;
	struct event_record record;
	unsigned char *bytes;

	if (record_parse(format, sample->bytes, sample->size, &record))
		return false;	/* can't be: it was parsed before */
	*stack = (struct remote_stack){ .count = record.sample.user_stack_bytes };
	for (unsigned int i = 0; i < REMOTE_REGISTERS; i++)
		user_registers_find(format, &record.sample, i, &stack->registers[i]);
	stack->start = stack->registers[REMOTE_REGISTER_SP];
	bytes = malloc(stack->count + 1);
	if (!bytes)
		return false;
	memcpy(bytes, record.sample.user_stack, stack->count);
	stack->bytes = bytes;
	*pid = record.pid;
	return true;
}

static void fill_code(struct ingest *ingest, const struct pending_sample *sample, uint32_t pid,
		      struct slow_batch *batch)
{
	const struct sample_callers *callers = &sample->callers;

	batch->request.mapping_count = callers->code_count;
	for (uint32_t i = 0; i < callers->code_count; i++) {
		const struct mapping *mapping = &callers->code[i];

		batch->request.mappings[i] = (struct slow_mapping){
			.start = mapping->start, .end = mapping->end,
			.file_offset = mapping->file_offset,
		};
		ingest_mapping_place(ingest, pid, mapping, &batch->dsos[i]);
	}
}

/* Returns the next batch; NULL: none. Samples that can't be requested are left without callers. */
static struct slow_batch *make_batch(struct ingest *ingest)
{
	struct slow_batch *batch = calloc(1, sizeof(*batch));
	const struct pending_sample *first = NULL;

	for (uint32_t i = 0; batch && i < ingest->pending_count &&
			     batch->request.stack_count < SLOW_STACKS_MAX; i++) {
		struct pending_sample *sample = &ingest->pending->list[i];
		const uint64_t at = batch->request.stack_count;
		uint32_t pid;

		if (sample->waiting_for != WAITING_FOR_REQUEST ||
		    (first && !needs_same_code(first, sample)) ||
		    !fill_stack(sample, &batch->stacks[at], &pid))
			continue;
		if (!first)
			fill_code(ingest, sample, pid, batch);
		first = first ? first : sample;
		sample->waiting_for = WAITING_FOR_CALLERS;
		batch->tickets[at] = sample->ticket;
		batch->request.stack_count++;
	}
	if (first)
		return batch;
	free(batch);
	return NULL;
}

static bool has_wanted(const struct ingest *ingest)
{
	const struct pending *pending = ingest->pending;

	for (uint32_t i = 0; i < ingest->pending_count && pending->callers_count; i++)
		if (pending->list[i].waiting_for == WAITING_FOR_REQUEST)
			return true;
	return false;
}

void pending_request_callers(struct ingest *ingest)
{
	struct pending *pending = ingest->pending;
	struct slow_batch *batch;

	if (!ingest->slow_unwinder || !slow_unwinder_is_idle(ingest->slow_unwinder) ||
	    !has_wanted(ingest))
		return;
	if (clock_now_ns() < pending->next_batch_ns) {
		if (pending->next_batch_ns < ingest->pending_due_ns)
			ingest->pending_due_ns = pending->next_batch_ns;
		return;
	}
	batch = make_batch(ingest);
	if (batch)
		slow_unwinder_request(ingest->slow_unwinder, batch);
}

static void take_reply(struct ingest *ingest, struct pending_sample *sample,
		       const struct slow_reply *reply)
{
	struct sample_callers *callers = &sample->callers;
	const size_t bytes = reply ? reply->count * sizeof(*reply->frames) : 0;

	ingest->pending->callers_count--;
	sample->waiting_for = WAITING_FOR_NOTHING;
	callers->frames = reply ? malloc(bytes) : NULL;
	if (!callers->frames)
		return;
	memcpy(callers->frames, reply->frames, bytes);
	callers->frame_count = reply->count;
}

/* Applies the replies. Batch and pending samples are in the order in which they began to wait; some
 * samples may have been counted since. */
static void take_batch(struct ingest *ingest, const struct slow_batch *batch)
{
	uint64_t at = 0;

	for (uint32_t i = 0; i < ingest->pending_count; i++) {
		struct pending_sample *sample = &ingest->pending->list[i];

		if (sample->waiting_for != WAITING_FOR_CALLERS)
			continue;
		while (at < batch->request.stack_count &&
		       batch->tickets[at] != sample->ticket)
			at++;
		if (at < batch->request.stack_count)
			take_reply(ingest, sample,
				   batch->why.err ? NULL : &batch->replies[at]);
	}
}

void pending_take_callers(struct ingest *ingest)
{
	struct pending *pending = ingest->pending;
	struct slow_batch *batch = NULL;

	if (ingest->slow_unwinder)
		batch = slow_unwinder_reply(ingest->slow_unwinder);
	if (!batch)
		return;
	take_batch(ingest, batch);
	if (!ingest->config.is_replay && !ingest->config.can_wait)
		pending->next_batch_ns = clock_now_ns() + PAUSES * batch->took_ns;
	pending->has_callers = true;
	slow_batch_destroy(batch);
}
