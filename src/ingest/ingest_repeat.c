/* ingest_repeat.c - fast path for samples that repeat thread and callers of recent ones.
 *
 * Problem: of 20,000 samples a second nearly all are of a thread that was sampled before, with
 * callers that were sampled before: finding that out in the general tables costs ten times as much
 * as counting the sample.
 *
 * Idea: a sample's task follows from its thread, as long as nothing but samples comes: so the task
 * is cached when a sample was counted on the slow path, together with an epoch. Any other record,
 * each round and each reply of the process reader begins another epoch; tables, names and news of
 * probes come between rounds only. The stack is found in ingest/stack_memo.h.
 *
 * Always on the slow path: copies of stacks, chains that may be cut off, run-time code (whose
 * samples trigger requests), guests, probe hits.
 *
 * Invariant: this file affects neither the counts nor the requests to the process reader.
 */
#include <linux/perf_event.h>

#include "ingest/ingest.h"

/* Sample fields that take the slow path, as stack or task depend on them. */
#define NOT_PLAIN (PERF_SAMPLE_STACK_USER | PERF_SAMPLE_CGROUP)

/* Limited, as cgroups are read again from time to time. */
#define SEEN_HOLDS_NS SLICE_NS

bool ingest_repeat_saw(struct ingest *ingest, const struct event_record *sample)
{
	struct seen_thread *seen = &ingest->repeat.seen[sample->tid % INGEST_RECENT];
	const uint64_t epoch = ingest->repeat.epoch;

	if (seen->epoch == epoch && seen->tid == sample->tid && seen->pid == sample->pid &&
	    sample->time_ns - seen->time_ns < SEEN_HOLDS_NS)
		return true;
	*seen = (struct seen_thread){ epoch, sample->time_ns, sample->pid, sample->tid };
	return false;
}

static uint64_t leaf_space(const struct ingest *ingest, const struct event_record *record,
			   uint64_t user_space)
{
	return record->mode == MODE_USER ? user_space : ingest->stacks.memo.kernel_space;
}

/* Caches the stack, if its leaf is cached and is not run-time code. */
static void learn_stack(struct ingest *ingest, uint64_t space, uint64_t ip,
			const struct sample_stack *stack)
{
	struct stack_memo *memo = &ingest->stacks.memo;
	const struct memo_frame *leaf = stack_memo_frame(memo, space, ip);
	const struct memo_stack row = { .space = space, .address = ip, .node = stack->node,
					.stack = stack->id };

	if (leaf && !leaf->code && leaf->frame == stack->leaf && stack->id != ID_SET_NONE &&
	    stack_memo_stack(memo, space, ip, stack->node) == ID_SET_NONE)
		stack_memo_keep_stack(memo, &row);
}

void ingest_repeat_learn(struct ingest *ingest, const struct event_record *record,
			 const struct sample_origin *origin, const struct sample_stack *stack,
			 uint64_t until_ns)
{
	const struct thread *thread = origin->thread;
	const struct stack_memo *memo = &ingest->stacks.memo;
	const uint64_t space = origin->maps ? origin->maps->space : memo->empty_space;

	if (origin->form->is_hit || !until_ns || thread->task == ID_SET_NONE || memo->is_off)
		return;
	ingest->repeat.recent[thread->tid % INGEST_RECENT] = (struct recent_thread){
		.epoch = ingest->repeat.epoch, .until_ns = until_ns, .space = space,
		.pid = thread->pid, .tid = thread->tid, .task = thread->task,
		.attribution = origin->attribution,
	};
	learn_stack(ingest, leaf_space(ingest, record, space), record->sample.ip, stack);
}

/* The thread's row, if it is valid for @record; else NULL. */
static const struct recent_thread *recent_of(const struct ingest *ingest,
					     const struct event_record *record)
{
	const struct recent_thread *recent = &ingest->repeat.recent[record->tid % INGEST_RECENT];

	return recent->epoch == ingest->repeat.epoch && recent->tid == record->tid &&
	       recent->pid == record->pid && record->time_ns <= recent->until_ns ? recent : NULL;
}

/* The cached node of its callers; ID_SET_NONE: not cached. */
static uint32_t known_node(const struct ingest *ingest, const struct recent_thread *recent,
			   const struct sample_chain *chain)
{
	const struct stack_memo *memo = &ingest->stacks.memo;
	const struct memo_key key = {
		.space = recent->space, .words = chain->words, .count = chain->count,
		.plain = chain->walked, .mode = (uint32_t)chain->mode,
	};
	const struct memo_chain *known;

	if (!chain->count)
		return STACK_NODE_ROOT;
	known = stack_memo_chain(memo, &key, stack_memo_hash(&key));
	return known && !known->code ? known->node : ID_SET_NONE;
}

static uint32_t stack_at(struct ingest *ingest, uint64_t space, uint64_t ip, uint32_t node)
{
	struct stack_memo *memo = &ingest->stacks.memo;
	struct memo_stack row = { .space = space, .address = ip, .node = node };
	const struct memo_frame *leaf;

	row.stack = stack_memo_stack(memo, space, ip, node);
	if (row.stack != ID_SET_NONE)
		return row.stack;
	leaf = stack_memo_frame(memo, space, ip);
	if (!leaf || leaf->code)
		return ID_SET_NONE;
	row.stack = stack_trie_stack(&ingest->trie, node, leaf->frame);
	if (row.stack != ID_SET_NONE)
		stack_memo_keep_stack(memo, &row);
	return row.stack;
}

/* The cached stack of @record; ID_SET_NONE: not cached. */
static uint32_t known_stack(struct ingest *ingest, const struct event_record *record,
			    const struct recent_thread *recent)
{
	struct sample_chain chain = { .leaf_ip = record->sample.ip };
	uint32_t node;

	if (record->mode != MODE_USER && record->mode != MODE_KERNEL)
		return ID_SET_NONE;
	ingest_take_chain(record, &chain);
	node = known_node(ingest, recent, &chain);
	if (node == ID_SET_NONE)
		return ID_SET_NONE;
	return stack_at(ingest, leaf_space(ingest, record, recent->space), chain.leaf_ip, node);
}

bool ingest_repeat_sample(struct ingest *ingest, const struct event_record *record)
{
	const struct record_format *format = &ingest->config.events[record->event]->format;
	const struct recent_thread *recent = recent_of(ingest, record);
	struct slice_entry entry = { .count = 1, .weight = record->sample.period };

	if (!recent || format->sample_type & NOT_PLAIN ||
	    record->sample.chain_count >= INGEST_KERNEL_CHAIN_MAX)
		return false;
	slice_entry_set_event(&entry, record->event);
	slice_entry_set_cpu(&entry, record->has_cpu, record->cpu);
	entry.task = recent->task;
	entry.stack = known_stack(ingest, record, recent);
	if (entry.stack == ID_SET_NONE)
		return false;
	ingest_count_attribution(ingest, recent->attribution);
	if (timeline_add(&ingest->timeline, record->time_ns, &entry, NULL)) {
		ingest->counters.dropped_no_memory++;
		return true;
	}
	tick_totals_add(&ingest->timeline.totals, entry.event, record->time_ns, 1, recent->pid);
	ingest_hit_fields(ingest, record, &entry);
	return true;
}
