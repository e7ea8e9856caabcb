/* branches.c - see branches.h.
 *
 * Problem: a sample can bring the 16 or 32 branches that the CPU has taken last, each with its
 * address, its target, and whether it had been predicted. They belong to no event of the kernel's.
 *
 * Idea: they are an event of their own. Each branch is a sample with a stack of two frames, the
 * target as the leaf and the branch as its caller; its value bucket is how it was predicted. So
 * history, filter, comparison and every view have it without knowing of branches.
 *
 * Invariant: a branch is counted once, also where a sample is passed on for each event of its group
 * ({a,b}:S).
 */
#include "branches.h"

#include <linux/perf_event.h>

#include "elf/process_memory.h"

/* It is none of the kernel's types, and has no records that could be lost. */
static const struct event_desc branch_event = {
	.name = BRANCH_EVENT_NAME, .type = UINT32_MAX,
	.format = { .read_format = PERF_FORMAT_LOST },
};

bool branches_are_in(const struct record_format *format)
{
	return format->sample_type & PERF_SAMPLE_BRANCH_STACK &&
	       !(format->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK);
}

void ingest_config_add_branches(struct ingest_config *config, const struct event_desc **events)
{
	uint32_t at = config->event_count;
	bool is_any = false;

	for (uint32_t i = 0; i < config->event_count; i++)
		is_any |= branches_are_in(&events[i]->format);
	while (at && event_desc_is_hidden(events[at - 1]))
		at--;
	if (!is_any || !at || config->event_count >= TIMELINE_MAX_EVENTS)
		return;
	for (uint32_t i = config->event_count; i > at; i--)
		events[i] = events[i - 1];
	events[at] = &branch_event;
	config->branch_event = at;
	config->event_count++;
}

/* Addresses of the kernel have the highest bit set, on x86-64 and on aarch64. */
static uint32_t frame_of(struct ingest *ingest, const struct process_maps *maps, uint64_t address)
{
	const bool is_kernel = address >> 63 && !vdso_image_is_vsyscall(address);

	return ingest_frame(ingest, maps, is_kernel ? MODE_KERNEL : MODE_USER, address);
}

static uint32_t stack_of(struct ingest *ingest, const struct process_maps *maps,
			 const struct perf_branch_entry *branch)
{
	const uint32_t from = frame_of(ingest, maps, branch->from);
	const uint32_t to = frame_of(ingest, maps, branch->to);
	uint32_t node;

	if (from == ID_SET_NONE || to == ID_SET_NONE)
		return ID_SET_NONE;
	node = stack_trie_child(&ingest->trie, STACK_NODE_ROOT, from);
	return node == ID_SET_NONE ? node : stack_trie_stack(&ingest->trie, node, to);
}

static enum branch_prediction prediction_of(const struct perf_branch_entry *branch)
{
	return branch->mispred ? BRANCH_MISPREDICTED
	       : branch->predicted ? BRANCH_PREDICTED : BRANCH_PREDICTION_UNKNOWN;
}

/* True if the branches are those of the sample before, which was of another event of its group. */
static bool is_repeated(const struct event_record *record, struct branch_sample *last)
{
	const struct branch_sample now = {
		.time_ns = record->time_ns, .tid = record->tid, .cpu = record->cpu,
	};
	const bool is_same = last->time_ns == now.time_ns && last->tid == now.tid &&
			     last->cpu == now.cpu;

	*last = now;
	return is_same && record->has_time && record->sample.read.count;
}

void branches_count(struct ingest *ingest, const struct event_record *record,
		    const struct sample_origin *origin, const struct slice_entry *sample,
		    struct branch_sample *last)
{
	const struct task *task = &ingest->tasks.tasks[sample->task];
	const uint32_t event = ingest->config.branch_event;

	if (!event || !branches_are_in(&origin->form->format) || is_repeated(record, last))
		return;
	for (uint64_t i = 0; i < record->sample.branch_count; i++) {
		const struct perf_branch_entry *branch = &record->sample.branches[i];
		struct slice_entry entry = *sample;

		if (!branch->from && !branch->to)	/* none was recorded here */
			continue;
		slice_entry_set_event(&entry, event);
		entry.stack = stack_of(ingest, origin->maps, branch);
		entry.bucket = prediction_of(branch);
		entry.count = 1;
		entry.weight = 1;
		if (entry.stack == ID_SET_NONE ||
		    timeline_add(&ingest->timeline, origin->form->time_ns, &entry, NULL))
			ingest->counters.dropped_no_memory++;
		else
			tick_totals_add(&ingest->timeline.totals, event, origin->form->time_ns, 1,
					task->pid);
	}
}
