/* ingest_stacks.c - the stack of a sample: what the kernel's chain says, then the user's callers.
 *
 * Problem: the user part of the kernel's chain is wrong in every second sample of programs without
 * frame pointers. So a sample brings registers and a copy of the stack, and the tables that say how
 * to walk it may come after the sample.
 *
 * Idea: the record is walked where it lies. Nothing is interned before it is certain that the
 * sample counts now; one that needs a table still to come is walked again when tables have come.
 * What the walker remembers of an address holds for a number that the address map has until it
 * changes or any table comes: children share it with their parent until one of them maps something.
 *
 *      chain     KERNEL k0 k1 (USER ...)      -> k0 k1 u0 u1 u2      k0: the sample's own address
 *      walked    u0 u1 u2                        the kernel's opinion of the user part is left out
 *
 * A return address is behind its call, which may be the last instruction of its function: the
 * frame of a walked caller is the byte before, as perf(1) counts it. Chains stay as they are.
 *
 * Functions whose latency is probed return to the kernel first: what stood in the place of the
 * kernel's address is in the record of their entry, until their return.
 *
 * Invariant: a stack counts as complete only when its walk came to the outermost frame; what ended
 * it otherwise is no reason to lose the sample.
 * Rejected: frame pointers in files whose rows can't be had: nothing proves that they keep them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/user_registers.h"
#include "model/ingest.h"
#include "symbols/vdso_image.h"

#define RECORD_ADDRESSES (65536 / sizeof(uint64_t))	/* a record is at most 64 KiB */
#define KERNEL_CHAIN_MAX 127	/* kernel.perf_event_max_stack, its default */
#define STACK_32_BYTES_MAX (8u << 20)	/* RLIMIT_STACK's default */
#define SLOT_32_BYTES	 4
#define UPROBES_COPIES	 128	/* UPROBE_XOL_SLOT_BYTES: in "[uprobes]", behind the trampoline */

int ingest_stacks_init(struct ingest_stacks *stacks)
{
	stacks->walked = malloc(WALKER_FRAMES_MAX * sizeof(*stacks->walked));
	stacks->callers = malloc((RECORD_ADDRESSES + WALKER_FRAMES_MAX) *
				 sizeof(*stacks->callers));
	if (!stacks->walked || !stacks->callers)
		return -ENOMEM;
	return walker_init(&stacks->walker);
}

void ingest_stacks_finish(struct ingest_stacks *stacks)
{
	free(stacks->walked);
	free(stacks->callers);
	walker_finish(&stacks->walker);
}

void ingest_stacks_tables_changed(struct ingest_stacks *stacks)
{
	stacks->last_tables = ++stacks->last_number;
}

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

static uint32_t mapped_frame(struct ingest *ingest, const struct mapping *row, uint64_t ip)
{
	ingest_jit_sample(ingest, row->object);
	return stack_trie_frame(&ingest->trie, object_table_current(&ingest->objects, row->object),
				mapping_frame_address(row, ip));
}

uint32_t ingest_frame(struct ingest *ingest, const struct address_map *maps, enum cpu_mode mode,
		      uint64_t ip)
{
	const struct mapping *row = NULL;
	uint32_t object = OBJECT_UNKNOWN, frame;

	switch (mode) {
	case MODE_KERNEL:
		object = kernel_object(ingest, ip);
		if (object == OBJECT_KERNEL)
			ip += ingest->kernel_shift;
		frame = stack_trie_frame(&ingest->trie, object, ip);
		ingest_kernel_sample(ingest, frame);
		return frame;
	case MODE_USER:
		if (vdso_image_is_vsyscall(ip)) {
			object = OBJECT_VSYSCALL;
			break;
		}
		if (maps)
			row = address_map_find(maps, ip);
		if (!row)
			break;
		return mapped_frame(ingest, row, ip);
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
static uint32_t caller_frame(struct ingest *ingest, const struct address_map *maps,
			     enum cpu_mode mode, uint64_t ip)
{
	const struct mapping *row;

	if (mode != MODE_USER || vdso_image_is_vsyscall(ip))
		return ingest_frame(ingest, maps, mode, ip);
	row = maps ? address_map_find(maps, ip) : NULL;
	return row ? mapped_frame(ingest, row, ip)
		   : stack_trie_frame(&ingest->trie, OBJECT_UNKNOWN, 0);
}

/* The user part of a sample as it was walked; count 0: it has none. */
struct walk {
	size_t count;		/* of ingest_stacks.walked */
	enum walker_end end;
	bool is_by_rows;	/* walker_is_exact() knows of it */
};

/* The kernel's code for uprobes: functions return to it whose returns are probed. */
static bool is_uprobes(const struct ingest *ingest, const struct mapping *row)
{
	return !strcmp(strpool_get(ingest->strings, ingest->objects.objects[row->object].path),
		       "[uprobes]");
}

struct code_places {
	struct ingest *ingest;
	const struct address_map *maps;
	const struct event_record *record;
	const struct probe_calls *calls;	/* as of struct sample_origin */
};

static const struct mapping *find_uprobes(const struct code_places *places, uint64_t ip)
{
	const struct mapping *row = address_map_find(places->maps, ip);

	return row && is_uprobes(places->ingest, row) ? row : NULL;
}

static struct walker_code find_code(void *context, uint64_t ip)
{
	/* One row that leads nowhere. */
	static const struct unwind_row dead_end = { .kind = UNWIND_SP };
	static const struct unwind_header one_row = { .row_count = 1 };
	static const struct unwind_table unproven = { .header = &one_row, .rows = &dead_end };
	const struct code_places *places = context;
	const struct object_table *objects = &places->ingest->objects;
	const struct mapping *row = address_map_find(places->maps, ip);
	struct walker_code code = { .is_mapped = row != NULL };
	const struct object *object;

	if (!row)
		return code;
	code.table = ingest_unwind_find(places->ingest, places->record->pid, row, &code.is_loading);
	code.address = mapping_frame_address(row, ip);
	object = &objects->objects[object_table_current(objects, row->object)];
	code.number = object->unwind_number;
	if (is_uprobes(places->ingest, row) || object->unwind == OBJECT_UNWIND_NONE ||
	    object->state == OBJECT_UNREADABLE ||
	    (object->unwind == OBJECT_UNWIND_UNASKED && ingest_unwind_is_expected(object))) {
		code.table = &unproven;
		code.number = 0;
	}
	return code;
}

static uint64_t find_return(void *context, uint64_t slot, uint64_t address)
{
	const struct code_places *places = context;

	return find_uprobes(places, address)
	       ? ingest_hit_return_address(places->ingest, places->record, places->calls, slot,
					   address) : 0;
}

/* Interrupted where no row can be right:
 *
 *	[uprobes] + 0	int3; or push %rax; push %rcx; push %r11; ... syscall	after the return
 *		  + 128	copies of probed instructions				at the entry
 *
 * Writes leaf and caller if the latter can be had; else false. */
static bool leave_uprobes(const struct code_places *places,
			  const struct walker_registers *registers, struct remote_frame found[2])
{
	const struct mapping *row = find_uprobes(places, registers->ip);
	uint64_t slot = registers->sp, address;

	if (!row)
		return false;
	if (registers->ip < row->start + UPROBES_COPIES)
		slot = registers->ip < row->start + 2 ? slot - 8 : slot + 16;
	address = ingest_hit_return_address(places->ingest, places->record, places->calls, slot,
					    row->start);
	found[0] = (struct remote_frame){ registers->ip, registers->sp, registers->bp, true };
	found[1] = (struct remote_frame){ address, slot + 8, registers->bp, false };
	return address;
}

static void walk_rows(struct ingest *ingest, const struct event_record *record,
		      const struct sample_origin *origin,
		      const struct walker_registers *registers, const struct walker_stack *stack,
		      struct walk *walk)
{
	struct ingest_stacks *stacks = &ingest->stacks;
	const struct sample_callers *callers = origin->callers;
	struct address_map *maps = origin->maps;
	struct code_places places = {
		.ingest = ingest, .maps = maps, .record = record, .calls = origin->calls,
	};
	struct walker_space space = {
		.find = find_code, .context = &places,
		.find_return = ingest->hits ? find_return : NULL,
	};
	struct remote_frame left[2];

	if (maps->number <= stacks->last_tables)
		maps->number = ++stacks->last_number;
	space.number = maps->number;
	if (ingest->hits && leave_uprobes(&places, registers, left))
		walk->count = walker_resume(&stacks->walker, &space, left, 2, stack,
					    stacks->walked, WALKER_FRAMES_MAX, &walk->end);
	else
		walk->count = walker_walk(&stacks->walker, &space, registers, stack,
					  stacks->walked, WALKER_FRAMES_MAX, &walk->end);
	if (walk->end == WALKER_COMPLEX && callers->state == CALLERS_KNOWN)
		walk->count = walker_resume(&stacks->walker, &space, callers->frames,
					    callers->frame_count, stack, stacks->walked,
					    WALKER_FRAMES_MAX, &walk->end);
	walk->is_by_rows = true;
}

/* A process of 32 bits: nothing proves its frame pointers, so its stack is never complete.
 *
 *	bp ->| saved bp | return address |
 */
static void walk_frame_pointers_32(struct ingest *ingest, const struct address_map *maps,
				   const struct walker_registers *registers,
				   const struct walker_stack *stack, struct walk *walk)
{
	uint64_t bp = registers->bp, lowest = registers->sp;
	uint32_t slots[2];

	walk->end = WALKER_LOST;
	while (bp >= lowest && bp % SLOT_32_BYTES == 0 && walk->count < WALKER_FRAMES_MAX) {
		const uint64_t offset = bp - stack->start;

		if (stack->count < sizeof(slots) || offset > stack->count - sizeof(slots)) {
			if (offset < STACK_32_BYTES_MAX)
				walk->end = WALKER_CUT;
			return;
		}
		memcpy(slots, stack->bytes + offset, sizeof(slots));
		if (!address_map_find(maps, slots[1]))
			return;
		ingest->stacks.walked[walk->count++] = slots[1];
		lowest = bp + sizeof(slots);
		bp = slots[0];
	}
	if (walk->count == WALKER_FRAMES_MAX)
		walk->end = WALKER_DEEP;
}

/* In the middle of an exec: the registers are the old program's, the memory is not. */
static bool is_between_programs(const struct event_record *record,
				const struct address_map *maps, uint64_t ip)
{
	return record->mode == MODE_KERNEL && !record->sample.user_stack_bytes &&
	       !address_map_find(maps, ip);
}

static void walk_user(struct ingest *ingest, const struct event_record *record,
		      const struct sample_origin *origin, struct walk *walk)
{
	const struct record_sample *sample = &record->sample;
	const struct record_format *format = &origin->form->format;
	struct user_registers read;
	struct walker_registers registers;
	struct walker_stack stack = {
		.bytes = sample->user_stack, .count = sample->user_stack_bytes,
	};

	*walk = (struct walk){ .end = WALKER_LOST };
	if (!(format->sample_type & PERF_SAMPLE_STACK_USER) ||
	    sample->user_abi == PERF_SAMPLE_REGS_ABI_NONE ||
	    !user_registers_read(format->user_regs_mask, sample, &read))
		return;
	registers = (struct walker_registers){ .ip = read.ip, .sp = read.sp, .bp = read.bp };
	if (origin->maps && is_between_programs(record, origin->maps, registers.ip))
		return;
	stack.start = registers.sp;
	ingest->stacks.walked[0] = registers.ip;
	walk->count = 1;
	if (!origin->maps)
		return;
	if (sample->user_abi == PERF_SAMPLE_REGS_ABI_32)
		walk_frame_pointers_32(ingest, origin->maps, &registers, &stack, walk);
	else
		walk_rows(ingest, record, origin, &registers, &stack, walk);
}

/* Frames of the kernel's chain without the sample's own, up to its user part if that was walked;
 * returns how many, or -ENOMEM. *@depth: addresses in the chain. */
static int64_t take_chain(struct ingest *ingest, const struct event_record *record,
			  const struct address_map *maps, uint64_t leaf_ip,
			  const struct walk *walk, uint32_t *depth)
{
	const struct record_sample *sample = &record->sample;
	enum cpu_mode mode = record->mode;
	int64_t callers = 0;

	*depth = 0;
	for (uint64_t i = 0; i < sample->chain_count; i++) {
		const uint64_t ip = sample->chain[i];
		uint32_t frame;

		if (is_marker(ip))
			mode = mode_of_marker(ip);
		if (is_marker(ip) || (mode == MODE_USER && walk->count))
			continue;
		if ((*depth)++ == 0 && ip == leaf_ip)
			continue;	/* the leaf itself */
		frame = caller_frame(ingest, maps, mode, ip);
		if (frame == ID_SET_NONE)
			return -ENOMEM;
		ingest->stacks.callers[callers++] = frame;
	}
	return callers;
}

/* The same for what was walked; a sample of user code is its first frame itself, but where the
 * function that returns there is its leaf: @is_returned. */
static int64_t take_walked(struct ingest *ingest, const struct event_record *record,
			   const struct address_map *maps, bool is_returned,
			   const struct walk *walk, int64_t callers)
{
	const struct ingest_stacks *stacks = &ingest->stacks;

	for (size_t i = record->mode == MODE_USER && !is_returned; i < walk->count; i++) {
		const bool is_exact = i && walk->is_by_rows && walker_is_exact(&stacks->walker, i);
		const bool is_call = (i || is_returned) && !is_exact;
		const uint32_t frame = caller_frame(ingest, maps, MODE_USER,
						    stacks->walked[i] - is_call);

		if (frame == ID_SET_NONE)
			return -ENOMEM;
		stacks->callers[callers++] = frame;
	}
	return callers;
}

static uint32_t node_of(struct ingest *ingest, int64_t callers)
{
	uint32_t node = STACK_NODE_ROOT;

	if (callers < 0)
		return ID_SET_NONE;
	while (callers && node != ID_SET_NONE)
		node = stack_trie_child(&ingest->trie, node, ingest->stacks.callers[--callers]);
	return node;
}

/* A copy also ends at a page that the process has not touched yet, or that is swapped out. */
static bool is_full(const struct event_record *record, uint32_t copy_bytes)
{
	return copy_bytes && record->sample.user_stack_bytes == copy_bytes;
}

bool ingest_stack(struct ingest *ingest, const struct event_record *record,
		  const struct sample_origin *origin, bool may_wait, struct sample_stack *out)
{
	const struct address_map *maps = origin->maps;
	const bool is_returned = origin->form->leaf_ip;
	const uint64_t leaf_ip = is_returned ? origin->form->leaf_ip : record->sample.ip;
	struct walk walk;
	uint32_t depth;
	int64_t callers;

	walk_user(ingest, record, origin, &walk);
	if (may_wait && walk.count && walk.end == WALKER_LOADING)
		return false;
	if (may_wait && walk.count && walk.end == WALKER_COMPLEX &&
	    ingest_rare_want(ingest, maps, walk.count, origin->callers))
		return false;
	callers = take_chain(ingest, record, maps, leaf_ip, &walk, &depth);
	if (callers >= 0)
		callers = take_walked(ingest, record, maps, is_returned, &walk, callers);
	out->leaf = ingest_frame(ingest, maps, record->mode, leaf_ip);
	out->node = node_of(ingest, callers);
	out->counts = (struct stack_counts){
		.truncated = depth >= KERNEL_CHAIN_MAX || (walk.count && walk.end == WALKER_DEEP),
		.user = walk.count > 0,
		.complete = walk.count && walk.end == WALKER_COMPLETE,
		.cut = walk.count && walk.end == WALKER_CUT,
		.outgrown = walk.count && walk.end == WALKER_CUT &&
			    is_full(record, origin->form->copy_bytes),
	};
	return true;
}
