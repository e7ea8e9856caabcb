/* samples.c - samples in time order -> entries of the timeline.
 *
 * A sample whose task is not known yet, or whose stack needs a table or callers, becomes pending
 * (pending.h). If name or maps are missing in the end, because /proc was too slow or the process
 * had ended, it is also counted as "unattributed". A recording is read faster than tables come, and
 * copies of all samples would fill the memory: there all later records wait instead.
 */
#include "samples.h"

#include <linux/perf_event.h>

#include "hit_sums.h"
#include "inside.h"
#include "pending.h"

static void count_attribution(struct ingest *ingest, enum attribution attribution)
{
	struct ingest_counters *counters = &ingest->counters;

	if (attribution == ATTRIBUTED)
		return;
	counters->unattributed++;
	counters->unattributed_late += attribution == UNATTRIBUTED_LATE;
	counters->unattributed_forkless += attribution == UNATTRIBUTED_FORKLESS;
}

/* Adds to totals and log. Samples of the idle task are not busy time, but its probe hits are. */
static void note_counted(struct ingest *ingest, const struct sample_form *form,
			 const struct slice_entry *entry)
{
	const struct task *task = &ingest->tasks.tasks[entry->task];

	tick_totals_add(&ingest->timeline.totals, entry->event, form->time_ns, entry->count,
			form->is_hit || task->pid);
	if (form->number)
		hit_values_stack(ingest, form, entry->stack);
}

/* Whether threads may be inside probed calls now; @may_be_past: or were, at the time of a sample
 * that was pending. */
static bool has_calls(const struct ingest *ingest, bool may_be_past)
{
	return ingest->hits &&
	       (ingest->hits->pairs->all_in_flight ||
		(may_be_past && ingest->hits->pairs->last_number));
}

/* Passes a sample on that was counted as @event with @weight. */
static void pass(const struct ingest *ingest, const struct event_record *record,
		 const struct sample_chain *chain, const struct tee_sample *of)
{
	struct tee_sample sample = *of;

	sample.record = record;
	sample.leaf_mode = chain->leaf_mode;
	sample.leaf_ip = chain->leaf_ip;
	sample.words = chain->words;
	sample.count = chain->count;
	sample.walked = chain->walked;
	sample.mode = chain->mode;
	ingest->tee->sample(ingest->tee->owner, ingest, &sample);
}

static void pass_counted(const struct ingest *ingest, const struct event_record *record,
			 const struct sample_origin *origin, const struct sample_stack *stack,
			 uint64_t weight)
{
	pass(ingest, record, &stack->chain, &(struct tee_sample){
		.raw = origin->raw, .format = &origin->form->format,
		.event = origin->form->event, .is_hit = origin->form->is_hit,
		.is_joined = origin->form->is_joined, .is_wait = origin->form->is_wait,
		.wait = origin->form->is_wait ? origin->form->bucket : 0,
		.time_ns = origin->form->time_ns, .weight = weight,
		.thread = origin->thread, .maps = origin->maps,
	});
}

/* The stack that stands for all of them where nobody looks at any; ID_SET_NONE: out of memory. */
static uint32_t unseen_stack(struct ingest *ingest)
{
	const uint32_t frame = stack_trie_frame(&ingest->trie, DSO_UNKNOWN, 0);

	return frame == ID_SET_NONE
	       ? ID_SET_NONE : stack_trie_stack(&ingest->trie, STACK_NODE_ROOT, frame);
}

static uint32_t counted_stack(struct ingest *ingest, const struct sample_stack *stack)
{
	if (ingest->config.only_records)
		return unseen_stack(ingest);
	return stack->leaf == ID_SET_NONE || stack->node == ID_SET_NONE
	       ? ID_SET_NONE : stack_trie_stack(&ingest->trie, stack->node, stack->leaf);
}

/* Adds a sample that was counted as @entry to all that counts something else about it. */
static void note_shown(struct ingest *ingest, const struct event_record *record,
		       const struct sample_origin *origin, const struct slice_entry *entry)
{
	const struct sample_form *form = origin->form;

	note_counted(ingest, form, entry);
	if (form->is_hit) {
		event_lines_counted(&ingest->lines, form->line, entry);
		hit_sums_count(ingest, form, record, origin->thread, entry);
	} else if (form->is_wait) {
		event_lines_wait(&ingest->lines, record, form->time_ns, entry);
	} else {
		hit_values_sample(ingest, record, entry);
	}
	if (!form->is_hit && has_calls(ingest, origin->calls))
		inside_sample(ingest, record, origin->calls, entry);
	branches_count(ingest, record, origin, entry, &ingest->samples->last_branches);
}

static void count(struct ingest *ingest, const struct event_record *record,
		  const struct sample_origin *origin, struct sample_stack *stack)
{
	const struct sample_form *form = origin->form;
	struct slice_entry entry = {
		.task = task_table_task(&ingest->tasks, origin->thread), .count = 1,
		.bucket = form->bucket,
		.weight = form->is_hit ? 1 : form->is_wait ? form->weight : record->sample.period,
	};

	slice_entry_set_event(&entry, form->event);
	slice_entry_set_cpu(&entry, record->has_cpu, record->cpu);
	count_attribution(ingest, origin->attribution);
	entry.stack = stack->id = counted_stack(ingest, stack);
	if (entry.stack == ID_SET_NONE || entry.task == ID_SET_NONE ||
	    timeline_add(&ingest->timeline, form->time_ns, &entry, &stack->counts)) {
		ingest->counters.dropped_no_memory++;
	} else {
		if (!ingest->config.only_records)
			note_shown(ingest, record, origin, &entry);
		if (ingest->tee)
			pass_counted(ingest, record, origin, stack, entry.weight);
	}
	stack_counts_add(&ingest->counters.stacks, &stack->counts);
}

/* Counts a sample. False, only with @patience: a table or callers have not arrived. */
static bool count_stack(struct ingest *ingest, const struct event_record *record,
			const struct sample_origin *origin, struct stack_patience patience,
			struct sample_stack *stack)
{
	if (!stacks_find(ingest, record, origin, patience, stack))
		return false;
	count(ingest, record, origin, stack);
	return true;
}

static const struct stack_patience no_patience;

static struct stack_patience patience_of(const struct ingest *ingest, bool is_due)
{
	return is_due ? no_patience : pending_patience(ingest);
}

/* False: filtered out by -u, or no target where there are too many threads for an event each. */
static bool is_wanted(struct ingest *ingest, const struct process *process,
		      const struct thread *thread)
{
	const struct ingest_config *config = &ingest->config;

	if (config->has_task_filter &&
	    !(config->target_tid_count ? thread->is_target : process->is_target))
		return false;
	if (!config->has_uid_filter)
		return true;
	if (!process->has_uid)
		ingest->counters.filtered_unknown_uid++;
	return process->has_uid && process->uid == config->uid;
}

/* Fast path for samples that repeat thread and callers of recent ones.
 *
 * Problem: of 20,000 samples a second nearly all are of a thread that was sampled before, with
 * callers that were sampled before: finding that out in the general tables costs ten times as much
 * as counting the sample.
 *
 * Idea: a sample's task follows from its thread, as long as nothing but samples comes: so the task
 * is cached when a sample was counted on the slow path, together with an epoch. Any other record,
 * each round and each reply of the process reader begins another epoch; tables, names and events of
 * probes come between rounds only. The stack is found in the cache (stack_cache.h).
 *
 * Always on the slow path: copies of stacks or registers, branches that the CPU recorded, chains
 * that may be cut off, run-time code (whose samples trigger requests), guests, probe hits, and all
 * samples while a call whose latency is measured has not ended.
 *
 * Invariant: the fast path affects neither the counts nor the requests to the process reader.
 */

/* Sample fields that take the slow path, as stack or task depend on them. */
#define NOT_PLAIN (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_CGROUP | \
		   PERF_SAMPLE_BRANCH_STACK)

static uint64_t leaf_space(const struct ingest *ingest, const struct event_record *record,
			   uint64_t user_space)
{
	return record->mode == MODE_USER ? user_space : ingest->stacks->cache.kernel_space;
}

/* Caches the stack, if its leaf is cached and is not run-time code. */
static void learn_stack(struct ingest *ingest, uint64_t space, uint64_t ip,
			const struct sample_stack *stack)
{
	struct stack_cache *cache = &ingest->stacks->cache;
	const struct cache_frame *leaf = stack_cache_frame(cache, space, ip);
	const struct cache_stack row = { .space = space, .address = ip, .node = stack->node,
					.stack = stack->id };

	if (leaf && !leaf->code && leaf->frame == stack->leaf && stack->id != ID_SET_NONE &&
	    stack_cache_stack(cache, space, ip, stack->node) == ID_SET_NONE)
		stack_cache_keep_stack(cache, &row);
}

/* Caches that @record was counted for @stack by samples_add() without waiting. @until_ns: before it
 * no request about its thread is due, as far as is known now. */
static void learn(struct ingest *ingest, const struct event_record *record,
		  const struct sample_origin *origin, const struct sample_stack *stack,
		  uint64_t until_ns)
{
	const struct thread *thread = origin->thread;
	const struct stack_cache *cache = &ingest->stacks->cache;
	const uint64_t space = origin->maps ? origin->maps->space : cache->empty_space;

	if (origin->form->is_hit || !until_ns || thread->task == ID_SET_NONE || cache->is_off)
		return;
	ingest->samples->recent[thread->tid % TASKS_RECENT] = (struct recent_thread){
		.epoch = ingest->sample_epoch, .until_ns = until_ns, .space = space,
		.pid = thread->pid, .tid = thread->tid, .task = thread->task,
		.attribution = origin->attribution,
	};
	if (!ingest->config.only_records)
		learn_stack(ingest, leaf_space(ingest, record, space), record->sample.ip, stack);
}

/* The thread's row, if it is valid for @record; else NULL. */
static const struct recent_thread *recent_of(const struct ingest *ingest,
					     const struct event_record *record)
{
	const struct recent_thread *recent = &ingest->samples->recent[record->tid % TASKS_RECENT];

	return recent->epoch == ingest->sample_epoch && recent->tid == record->tid &&
	       recent->pid == record->pid && record->time_ns <= recent->until_ns ? recent : NULL;
}

/* The cached node of its callers; ID_SET_NONE: not cached. */
static uint32_t known_node(const struct ingest *ingest, const struct recent_thread *recent,
			   const struct sample_chain *chain)
{
	const struct stack_cache *cache = &ingest->stacks->cache;
	const struct cache_key key = {
		.space = recent->space, .words = chain->words, .count = chain->count,
		.plain = chain->walked, .mode = (uint32_t)chain->mode,
	};
	const struct cache_chain *known;

	if (!chain->count)
		return STACK_NODE_ROOT;
	known = stack_cache_chain(cache, &key, stack_cache_hash(&key));
	return known && !known->code ? known->node : ID_SET_NONE;
}

static uint32_t stack_at(struct ingest *ingest, uint64_t space, uint64_t ip, uint32_t node)
{
	struct stack_cache *cache = &ingest->stacks->cache;
	struct cache_stack row = { .space = space, .address = ip, .node = node };
	const struct cache_frame *leaf;

	row.stack = stack_cache_stack(cache, space, ip, node);
	if (row.stack != ID_SET_NONE)
		return row.stack;
	leaf = stack_cache_frame(cache, space, ip);
	if (!leaf || leaf->code)
		return ID_SET_NONE;
	row.stack = stack_trie_stack(&ingest->trie, node, leaf->frame);
	if (row.stack != ID_SET_NONE)
		stack_cache_keep_stack(cache, &row);
	return row.stack;
}

/* The cached stack of @record; ID_SET_NONE: not cached. */
static uint32_t known_stack(struct ingest *ingest, const struct event_record *record,
			    const struct recent_thread *recent)
{
	struct sample_chain chain = { .leaf_ip = record->sample.ip };
	uint32_t node;

	if (ingest->config.only_records)
		return unseen_stack(ingest);
	if (record->mode != MODE_USER && record->mode != MODE_KERNEL)
		return ID_SET_NONE;
	stacks_take_chain(record, &chain);
	node = known_node(ingest, recent, &chain);
	if (node == ID_SET_NONE)
		return ID_SET_NONE;
	return stack_at(ingest, leaf_space(ingest, record, recent->space), chain.leaf_ip, node);
}

/* Passes a sample of the fast path on: its chain is the kernel's, and its task is known. */
static void pass_repeated(const struct ingest *ingest, const struct event_record *record,
			  const void *raw)
{
	struct sample_chain chain = { .leaf_ip = record->sample.ip, .leaf_mode = record->mode };
	const struct process *process = task_table_find_process(&ingest->tasks, record->pid);

	stacks_take_chain(record, &chain);
	pass(ingest, record, &chain, &(struct tee_sample){
		.raw = raw, .format = &ingest->config.events[record->event]->format,
		.event = (uint16_t)record->event, .time_ns = record->time_ns,
		.weight = record->sample.period, .maps = process ? process->maps : NULL,
		.thread = task_table_find_thread(&ingest->tasks, record->tid),
	});
}

bool samples_repeat(struct ingest *ingest, const struct event_record *record, const void *raw)
{
	const struct record_format *format = &ingest->config.events[record->event]->format;
	const struct recent_thread *recent = recent_of(ingest, record);
	struct slice_entry entry = { .count = 1, .weight = record->sample.period };

	if (!recent || format->sample_type & NOT_PLAIN || has_calls(ingest, false) ||
	    record->sample.chain_count >= STACKS_KERNEL_CHAIN_MAX)
		return false;
	slice_entry_set_event(&entry, record->event);
	slice_entry_set_cpu(&entry, record->has_cpu, record->cpu);
	entry.task = recent->task;
	entry.stack = known_stack(ingest, record, recent);
	if (entry.stack == ID_SET_NONE)
		return false;
	count_attribution(ingest, recent->attribution);
	if (timeline_add(&ingest->timeline, record->time_ns, &entry, NULL)) {
		ingest->counters.dropped_no_memory++;
		return true;
	}
	tick_totals_add(&ingest->timeline.totals, entry.event, record->time_ns, 1, recent->pid);
	hit_values_sample(ingest, record, &entry);
	if (ingest->tee)
		pass_repeated(ingest, record, raw);
	return true;
}

bool samples_add(struct ingest *ingest, const struct event_record *record,
		 const struct sample_form *form, const void *raw, size_t size, bool can_hold)
{
	struct process *process = task_table_process(&ingest->tasks, record->pid);
	struct thread *thread = task_table_thread(&ingest->tasks, record->pid, record->tid);
	struct sample_callers callers = { .was_wanted = false };
	struct sample_origin origin = { .thread = thread, .callers = &callers, .form = form,
					.raw = raw };
	struct pending_sample *pending;
	struct sample_stack stack;

	if (!process || !thread) {
		ingest->counters.dropped_no_memory++;
		return true;
	}
	if (!form->is_interrupt && task_is_own(process, thread, record->time_ns)) {
		ingest->counters.left_out_own++;
		return true;
	}
	tasks_request(ingest, process, thread, record->time_ns);
	if (tasks_need_reply(ingest, process, thread, record->time_ns) &&
	    pending_add(ingest, record, form, raw, size))
		return true;
	if ((!form->is_hit || ingest->config.is_replay) && !is_wanted(ingest, process, thread))
		return true;
	tasks_place(ingest, record, process, thread);
	origin.maps = process->maps;
	origin.attribution = tasks_attribution(ingest, process, thread);
	if (thread->task == ID_SET_NONE)	/* it was renamed, or is another one */
		ingest->sample_epoch++;
	if (count_stack(ingest, record, &origin, patience_of(ingest, ingest->is_forced), &stack)) {
		learn(ingest, record, &origin, &stack,
		      tasks_request_nothing_until(ingest, process, thread, record->time_ns));
		return true;
	}
	if (can_hold && !callers.was_wanted)
		return false;
	pending = pending_add(ingest, record, form, raw, size);
	if (pending)
		pending_wait_for_stack(ingest, pending, record, &origin);
	else
		count_stack(ingest, record, &origin, no_patience, &stack);
	return true;
}

/* Counts a sample that waits for its process. False: it goes on waiting, maybe for its stack. */
static bool resume_for_reply(struct ingest *ingest, struct pending_sample *pending,
			     const struct event_record *record, bool is_due)
{
	struct process *process = task_table_process(&ingest->tasks, record->pid);
	struct thread *thread = task_table_thread(&ingest->tasks, record->pid, record->tid);
	struct sample_origin origin = { .thread = thread, .callers = &pending->callers,
					.calls = &pending->calls, .form = &pending->form,
					.raw = pending->bytes };
	struct sample_stack stack;

	if (!process || !thread) {
		ingest->counters.dropped_no_memory++;
		return true;
	}
	tasks_request(ingest, process, thread, record->time_ns);
	if (!is_due && tasks_need_reply(ingest, process, thread, record->time_ns))
		return false;
	if (!pending->form.is_interrupt && task_is_own(process, thread, record->time_ns)) {
		ingest->counters.left_out_own++;
		return true;
	}
	if (!pending->form.is_hit && !is_wanted(ingest, process, thread))
		return true;
	tasks_place(ingest, record, process, thread);
	origin.maps = process->maps;
	origin.attribution = tasks_attribution(ingest, process, thread);
	if (count_stack(ingest, record, &origin, patience_of(ingest, is_due), &stack))
		return true;
	pending_wait_for_stack(ingest, pending, record, &origin);
	return false;
}

static bool resume_for_stack(struct ingest *ingest, struct pending_sample *pending,
			     const struct event_record *record, bool is_due)
{
	const struct sample_origin origin = {
		.thread = &pending->thread, .maps = pending->maps,
		.attribution = pending->attribution,
		.callers = &pending->callers, .calls = &pending->calls, .form = &pending->form,
		.raw = pending->bytes,
	};
	struct sample_stack stack;

	tasks_settle(ingest, &pending->thread);
	if (count_stack(ingest, record, &origin, patience_of(ingest, is_due), &stack))
		return true;
	pending_wait_for_stack(ingest, pending, record, &origin);
	return false;
}

static bool resume(struct ingest *ingest, struct pending_sample *pending,
		   const struct event_record *record, bool is_due)
{
	return pending->waiting_for == WAITING_FOR_REPLY
	       ? resume_for_reply(ingest, pending, record, is_due)
	       : resume_for_stack(ingest, pending, record, is_due);
}

void samples_poll(struct ingest *ingest, bool force)
{
	pending_poll(ingest, force, resume);
}
