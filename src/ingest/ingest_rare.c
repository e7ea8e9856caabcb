/* ingest_rare.c - stacks that unwind rows can't unwind: a worker finds their callers.
 *
 * Idea: the parked samples are the queue. Whenever the server is idle, those of one process that
 * need the same files become one batch, so a batch holds what came while the last one was being
 * worked on. Live, workers get a limited share of the time; a sample without room in the queue is
 * counted with the incomplete stack of its walk.
 *
 * In a replay all such samples wait, so that the result is deterministic: later records are counted
 * while they belong to the same slice, and held from the next slice on.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "capture/user_registers.h"
#include "ingest/ingest.h"

#define WAITING_MAX (2 * RARE_STACKS_MAX)	/* one batch under way, one to come */
#define PAUSES	    4	/* for each time that a batch took: workers have a fifth of a CPU at most */

static bool add_code(const struct ingest *ingest, struct sample_callers *callers,
		     const struct mapping *mapping)
{
	const struct object_table *objects = &ingest->objects;
	const struct object *object;

	if (!mapping)
		return false;
	object = &objects->objects[object_table_current(objects, mapping->object)];
	for (uint32_t i = 0; i < callers->code_count; i++)
		if (callers->code[i].start == mapping->start)
			return true;
	if (callers->code_count == RARE_MAPPINGS_MAX || object->is_run_time ||
	    object->unwind != OBJECT_UNWIND_KNOWN)
		return false;
	callers->code[callers->code_count++] = *mapping;
	return true;
}

bool ingest_rare_want(const struct ingest *ingest, const struct address_map *maps, size_t count,
		      struct sample_callers *callers)
{
	const struct ingest_stacks *stacks = &ingest->stacks;

	if (!ingest->rare.server || callers->state != CALLERS_UNASKED ||
	    ingest->rare.waiting >= WAITING_MAX)
		return false;
	callers->code_count = 0;
	for (size_t i = 0; i < count; i++) {
		const bool is_call = !walker_is_exact(&stacks->walker, i);

		if (!add_code(ingest, callers,
			      address_map_find(maps, stacks->walked[i] - is_call)))
			return false;
	}
	callers->state = CALLERS_WANTED;
	return true;
}

bool ingest_rare_holds(const struct ingest *ingest, uint64_t time_ns)
{
	const struct ingest_rare *rare = &ingest->rare;

	return rare->waiting && !ingest->is_forced &&
	       (rare->waiting >= WAITING_MAX || time_ns / SLICE_NS != rare->slice);
}

static bool needs_same_code(const struct parked_sample *one, const struct parked_sample *other)
{
	if (one->maps != other->maps || one->callers.code_count != other->callers.code_count)
		return false;
	for (uint32_t i = 0; i < one->callers.code_count; i++)
		if (one->callers.code[i].start != other->callers.code[i].start)
			return false;
	return true;
}

static bool fill_stack(const struct parked_sample *parked, struct remote_stack *stack,
		       uint32_t *pid)
{
	const struct record_format *format = &parked->form.format;
	struct event_record record;
	unsigned char *bytes;

	if (record_parse(format, parked->bytes, parked->size, &record))
		return false;	/* can't be: it was parsed before */
	*stack = (struct remote_stack){ .count = record.sample.user_stack_bytes };
	for (unsigned int i = 0; i < REMOTE_REGISTERS; i++)
		user_registers_find(format->user_regs_mask, &record.sample, i,
				    &stack->registers[i]);
	stack->start = stack->registers[REMOTE_REGISTER_SP];
	bytes = malloc(stack->count + 1);
	if (!bytes)
		return false;
	memcpy(bytes, record.sample.user_stack, stack->count);
	stack->bytes = bytes;
	*pid = record.pid;
	return true;
}

static void fill_code(struct ingest *ingest, const struct parked_sample *parked, uint32_t pid,
		      struct rare_batch *batch)
{
	const struct sample_callers *callers = &parked->callers;

	batch->request.mapping_count = callers->code_count;
	for (uint32_t i = 0; i < callers->code_count; i++) {
		const struct mapping *mapping = &callers->code[i];

		batch->request.mappings[i] = (struct rare_mapping){
			.start = mapping->start, .end = mapping->end,
			.file_offset = mapping->file_offset,
		};
		ingest_mapping_place(ingest, pid, mapping, &batch->objects[i]);
	}
}

/* Returns the next batch; NULL: none. Samples that can't be requested are left without callers. */
static struct rare_batch *make_batch(struct ingest *ingest)
{
	struct rare_batch *batch = calloc(1, sizeof(*batch));
	const struct parked_sample *first = NULL;

	for (uint32_t i = 0; batch && i < ingest->parked_count &&
			     batch->request.stack_count < RARE_STACKS_MAX; i++) {
		struct parked_sample *parked = &ingest->parked[i];
		const uint64_t at = batch->request.stack_count;
		uint32_t pid;

		if (parked->callers.state != CALLERS_WANTED ||
		    (first && !needs_same_code(first, parked)) ||
		    !fill_stack(parked, &batch->stacks[at], &pid))
			continue;
		if (!first)
			fill_code(ingest, parked, pid, batch);
		first = first ? first : parked;
		parked->callers.state = CALLERS_ASKED;
		batch->tickets[at] = parked->callers.ticket;
		batch->request.stack_count++;
	}
	if (first)
		return batch;
	free(batch);
	return NULL;
}

static bool has_wanted(const struct ingest *ingest)
{
	for (uint32_t i = 0; i < ingest->parked_count && ingest->rare.waiting; i++)
		if (ingest->parked[i].callers.state == CALLERS_WANTED)
			return true;
	return false;
}

void ingest_rare_ask(struct ingest *ingest)
{
	struct ingest_rare *rare = &ingest->rare;
	struct rare_batch *batch;

	if (!rare->server || !rare_server_is_idle(rare->server) || !has_wanted(ingest))
		return;
	if (clock_now_ns() < rare->next_ns) {
		if (rare->next_ns < ingest->parked_due_ns)
			ingest->parked_due_ns = rare->next_ns;
		return;
	}
	batch = make_batch(ingest);
	if (batch)
		rare_server_request(rare->server, batch);
}

static void take_answer(struct ingest *ingest, struct parked_sample *parked,
			const struct rare_answer *answer)
{
	struct sample_callers *callers = &parked->callers;
	const size_t bytes = answer ? answer->count * sizeof(*answer->frames) : 0;

	ingest->rare.waiting--;
	parked->has_news = true;
	callers->state = CALLERS_NONE;
	callers->frames = answer ? malloc(bytes) : NULL;
	if (!callers->frames)
		return;
	memcpy(callers->frames, answer->frames, bytes);
	callers->frame_count = answer->count;
	callers->state = CALLERS_KNOWN;
}

/* Applies the replies. Batch and parked samples are in the order of parking; some samples may have
 * been counted since. */
static void take_batch(struct ingest *ingest, const struct rare_batch *batch)
{
	uint64_t at = 0;

	for (uint32_t i = 0; i < ingest->parked_count; i++) {
		struct parked_sample *parked = &ingest->parked[i];

		if (parked->callers.state != CALLERS_ASKED)
			continue;
		while (at < batch->request.stack_count &&
		       batch->tickets[at] != parked->callers.ticket)
			at++;
		if (at < batch->request.stack_count)
			take_answer(ingest, parked,
				    batch->why.err ? NULL : &batch->answers[at]);
	}
}

void ingest_rare_take(struct ingest *ingest)
{
	struct ingest_rare *rare = &ingest->rare;
	struct rare_batch *batch = rare->server ? rare_server_reply(rare->server) : NULL;

	if (!batch)
		return;
	take_batch(ingest, batch);
	if (!ingest->config.is_replay)
		rare->next_ns = clock_now_ns() + PAUSES * batch->took_ns;
	rare->has_answered = true;
	rare_batch_destroy(batch);
}
