/* ingest_samples.c - a sample whose turn has come -> one entry of the timeline.
 *
 * Problem: a process that was there before us has neither maps nor comm until /proc was read, and
 * /proc may be slow. Idea: the reader is asked when the record is first seen (it still has a round
 * to wait in the reorder stage), and the sample is parked for at most 100 ms; then it is counted
 * with what is known. Without a name or maps, because /proc was too slow or the process had ended,
 * it is "unattributed" besides.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "model/ingest.h"
#include "symbols/vdso_image.h"

#define PARK_NS		 (100 * CLOCK_NS_PER_MS)
#define PARKED_MAX_BYTES (16u * 1024 * 1024)
#define KERNEL_CHAIN_MAX 127	/* kernel.perf_event_max_stack, its default */

/* Values that are no address but say where the next ones are: PERF_CONTEXT_*. */
static bool is_marker(uint64_t value)
{
	return value >= (uint64_t)-4095;
}

static enum cpu_mode mode_of_marker(uint64_t marker)
{
	switch ((int64_t)marker) {
	case -128:	return MODE_KERNEL;
	case -512:	return MODE_USER;
	case -32:	return MODE_HYPERVISOR;
	case -2176:	return MODE_GUEST_KERNEL;	/* PERF_CONTEXT_GUEST + KERNEL */
	case -2560:	return MODE_GUEST_USER;
	default:	return MODE_UNKNOWN;
	}
}

static uint32_t kernel_object(const struct ingest *ingest, uint64_t ip)
{
	const struct mapping *row = address_map_find(ingest->kernel_overlay, ip);

	if (!row && ingest->config.is_replay) {
		row = address_map_find(ingest->kernel_maps, ip);
		return row ? row->object : OBJECT_UNKNOWN_KERNEL;
	}
	return row ? row->object : OBJECT_KERNEL;
}

uint32_t ingest_frame(struct ingest *ingest, const struct process *process, enum cpu_mode mode,
		      uint64_t ip)
{
	const struct mapping *row = NULL;
	uint32_t object = OBJECT_UNKNOWN, frame;

	switch (mode) {
	case MODE_KERNEL:
		frame = stack_trie_frame(&ingest->trie, kernel_object(ingest, ip), ip);
		ingest_kernel_sample(ingest, frame);
		return frame;
	case MODE_USER:
		if (vdso_image_is_vsyscall(ip)) {
			object = OBJECT_VSYSCALL;
			break;
		}
		if (process && process->maps)
			row = address_map_find(process->maps, ip);
		if (!row)
			break;
		ingest_jit_sample(ingest, row->object);
		return stack_trie_frame(&ingest->trie,
					object_table_current(&ingest->objects, row->object),
					mapping_frame_address(row, ip));
	case MODE_GUEST_KERNEL:
		object = OBJECT_GUEST_KERNEL;
		break;
	case MODE_GUEST_USER:
		object = OBJECT_GUEST_USER;
		break;
	case MODE_HYPERVISOR:
	case MODE_UNKNOWN:
		object = OBJECT_HYPERVISOR;
		break;
	}
	return stack_trie_frame(&ingest->trie, object, ip);
}

/* A caller outside of every mapping is no code: code without frame pointers left something else in
 * that register. There are as many of these as samples, so they are one frame. */
static uint32_t caller_frame(struct ingest *ingest, const struct process *process,
			     enum cpu_mode mode, uint64_t ip)
{
	const bool is_mapped = mode != MODE_USER || vdso_image_is_vsyscall(ip) ||
			       (process->maps && address_map_find(process->maps, ip));

	return is_mapped ? ingest_frame(ingest, process, mode, ip)
			 : stack_trie_frame(&ingest->trie, OBJECT_UNKNOWN, 0);
}

/* The node of the sample's callers, outermost first. *@depth: addresses in the chain. */
static uint32_t caller_node(struct ingest *ingest, const struct event_record *record,
			    const struct process *process, uint32_t *depth)
{
	const struct record_sample *sample = &record->sample;
	enum cpu_mode mode = record->mode;
	uint32_t node = STACK_NODE_ROOT, callers = 0;

	*depth = 0;
	for (uint64_t i = 0; i < sample->chain_count; i++) {
		const uint64_t ip = sample->chain[i];
		uint32_t frame;

		if (is_marker(ip)) {
			mode = mode_of_marker(ip);
			continue;
		}
		if ((*depth)++ == 0 && ip == sample->ip)
			continue;	/* the leaf itself */
		frame = caller_frame(ingest, process, mode, ip);
		if (frame == ID_SET_NONE)
			return ID_SET_NONE;
		ingest->chain_frames[callers++] = frame;
	}
	while (callers && node != ID_SET_NONE)
		node = stack_trie_child(&ingest->trie, node, ingest->chain_frames[--callers]);
	return node;
}

/* The task that the kernel itself calls "none" can't be asked about. */
static bool is_told(const struct ingest *ingest, const struct process *process,
		    const struct thread *thread)
{
	return !ingest->reader || process->pid == UINT32_MAX ||
	       (process->maps_state == MAPS_KNOWN && thread->has_comm);
}

static void count(struct ingest *ingest, const struct event_record *record, struct thread *thread,
		  const struct process *process)
{
	const struct record_sample *sample = &record->sample;
	uint32_t depth;
	struct slice_entry entry = {
		.task = task_table_task(&ingest->tasks, thread), .count = 1,
		.cpu = record->has_cpu && record->cpu < UINT16_MAX ? (uint16_t)record->cpu
								   : UINT16_MAX,
		.event = (uint8_t)record->event, .weight = sample->period,
	};
	const uint32_t leaf = ingest_frame(ingest, process, record->mode, sample->ip);
	const uint32_t node = caller_node(ingest, record, process, &depth);

	ingest->counters.unattributed += !is_told(ingest, process, thread);
	if (leaf != ID_SET_NONE && node != ID_SET_NONE)
		entry.stack = stack_trie_stack(&ingest->trie, node, leaf);
	if (leaf == ID_SET_NONE || node == ID_SET_NONE || entry.stack == ID_SET_NONE ||
	    entry.task == ID_SET_NONE ||
	    timeline_add(&ingest->timeline, record->time_ns, &entry, depth >= KERNEL_CHAIN_MAX))
		ingest->counters.dropped_no_memory++;
}

/* What -u, or too many threads for one event each, leaves out. */
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

/* Is there anything that only /proc can tell, and has not told yet? */
static bool needs_answer(const struct ingest *ingest, const struct process *process,
			 const struct thread *thread)
{
	const bool knows_user = process->has_uid || !ingest->config.has_uid_filter;

	if (!ingest->reader || process->pid == UINT32_MAX)
		return false;
	return process->maps_state == MAPS_UNREAD || process->maps_state == MAPS_ASKED ||
	       (!thread->is_answered && !(thread->has_comm && knows_user));
}

static void ask(struct ingest *ingest, struct process *process, struct thread *thread)
{
	const struct process_request request = {
		.pid = process->pid, .tid = thread->tid, .parent_pid = process->parent_pid,
		.wants_maps = process->maps_state == MAPS_UNREAD,
	};

	if (!needs_answer(ingest, process, thread) || (thread->is_asked && !request.wants_maps))
		return;
	if (!process_reader_request(ingest->reader, &request))
		return;		/* the next sample asks again, or this one when it is looked at */
	thread->is_asked = true;
	if (request.wants_maps)
		process->maps_state = MAPS_ASKED;
}

void ingest_look_ahead(struct ingest *ingest, const struct event_record *record)
{
	struct process *process;
	struct thread *thread;

	if (record->kind != RECORD_SAMPLE || !ingest->reader)
		return;
	process = task_table_process(&ingest->tasks, record->pid);
	thread = task_table_thread(&ingest->tasks, record->pid, record->tid);
	if (process && thread)
		ask(ingest, process, thread);
}

static bool park(struct ingest *ingest, uint16_t event, const void *raw, size_t size)
{
	struct parked_sample *slot;

	if (ingest->parked_bytes + size > PARKED_MAX_BYTES)
		return false;
	if (ingest->parked_count == ingest->parked_capacity) {
		uint32_t capacity = ingest->parked_capacity ? ingest->parked_capacity * 2 : 64;

		slot = realloc(ingest->parked, capacity * sizeof(*slot));
		if (!slot)
			return false;
		ingest->parked = slot;
		ingest->parked_capacity = capacity;
	}
	slot = &ingest->parked[ingest->parked_count];
	slot->bytes = malloc(size);
	if (!slot->bytes)
		return false;
	memcpy(slot->bytes, raw, size);
	slot->size = (uint32_t)size;
	slot->event = event;
	slot->deadline_ns = clock_now_ns() + PARK_NS;
	ingest->parked_bytes += size;
	ingest->parked_count++;
	return true;
}

void ingest_sample(struct ingest *ingest, const struct event_record *record, const void *raw,
		   size_t size)
{
	struct process *process = task_table_process(&ingest->tasks, record->pid);
	struct thread *thread = task_table_thread(&ingest->tasks, record->pid, record->tid);

	if (!process || !thread) {
		ingest->counters.dropped_no_memory++;
		return;
	}
	ask(ingest, process, thread);
	if (needs_answer(ingest, process, thread) &&
	    park(ingest, (uint16_t)record->event, raw, size))
		return;
	if (is_wanted(ingest, process, thread))
		count(ingest, record, thread, process);
}

/* Counts the parked sample if its answer is there, or has been waited for long enough. */
static bool unpark(struct ingest *ingest, struct parked_sample *parked, bool force)
{
	struct event_record record;
	struct process *process;
	struct thread *thread;

	if (record_parse(&ingest->config.events[parked->event]->format, parked->bytes,
			 parked->size, &record))
		return true;	/* can't be: it was parsed before */
	record.event = parked->event;
	process = task_table_process(&ingest->tasks, record.pid);
	thread = task_table_thread(&ingest->tasks, record.pid, record.tid);
	if (!process || !thread) {
		ingest->counters.dropped_no_memory++;
		return true;
	}
	ask(ingest, process, thread);
	if (!force && needs_answer(ingest, process, thread) &&
	    clock_now_ns() < parked->deadline_ns)
		return false;
	if (is_wanted(ingest, process, thread))
		count(ingest, &record, thread, process);
	return true;
}

void ingest_parked(struct ingest *ingest, bool force)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < ingest->parked_count; i++) {
		struct parked_sample *parked = &ingest->parked[i];

		if (!unpark(ingest, parked, force)) {
			ingest->parked[kept++] = *parked;
			continue;
		}
		ingest->parked_bytes -= parked->size;
		free(parked->bytes);
	}
	ingest->parked_count = kept;
}
