/* ingest_stacks.c - the stack of a sample: the kernel's chain, then the callers in user code.
 *
 * Problem: the user part of the kernel's chain is wrong in every second sample of programs without
 * frame pointers. So a sample brings registers and a copy of the stack, and the tables that say how
 * to walk it may come after the sample.
 *
 * Idea: the record is walked in place. Nothing is interned before it is certain that the sample is
 * counted now; one that needs a missing table is walked again when tables have come. The walker
 * caches rows of addresses under a number that the address map keeps until it changes or any table
 * comes: children share it with their parent until one of them maps something.
 *
 *      chain     KERNEL k0 k1 (USER ...)      -> k0 k1 u0 u1 u2      k0: the sample's own address
 *      walked    u0 u1 u2                        the kernel's user part of the chain is left out
 *
 * A return address follows its call, which may be the last instruction of its function: the frame
 * of a walked caller is the byte before, as in perf(1). The kernel's chains stay unchanged.
 *
 * Functions whose latency is probed return to the uprobes trampoline first: the return address that
 * it replaced is in the record of their entry, until their return.
 *
 * An incomplete stack is attributed to the frame that ended it. A frame pointer is a guess: where
 * code without rows keeps something else in that register, the guess may lead beyond the copy, and
 * a larger copy would not help. If two frames in a row were left by frame pointers, these are real.
 *
 * Invariant: a stack counts as complete only when its walk came to the outermost frame; the sample
 * is counted in any case.
 * Rejected: frame pointers in files without readable rows: nothing proves that they keep them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/record_trim.h"
#include "capture/user_registers.h"
#include "elf/vdso_image.h"
#include "ingest/ingest.h"

#define RECORD_ADDRESSES (65536 / sizeof(uint64_t))	/* a record is at most 64 KiB */
#define CHAIN_WORDS_MAX	  (RECORD_ADDRESSES + WALKER_FRAMES_MAX)
#define STACK_32_BYTES_MAX (8u << 20)	/* RLIMIT_STACK's default */
#define SLOT_32_BYTES	 4
#define UPROBES_COPIES	 128	/* UPROBE_XOL_SLOT_BYTES: in "[uprobes]", behind the trampoline */

int ingest_stacks_init(struct ingest_stacks *stacks)
{
	stacks->walked = malloc(WALKER_FRAMES_MAX * sizeof(*stacks->walked));
	stacks->callers = malloc(CHAIN_WORDS_MAX * sizeof(*stacks->callers));
	stacks->words = malloc(CHAIN_WORDS_MAX * sizeof(*stacks->words));
	if (!stacks->walked || !stacks->callers || !stacks->words ||
	    stack_memo_init(&stacks->memo))
		return -ENOMEM;
	return walker_init(&stacks->walker);
}

void ingest_stacks_finish(struct ingest_stacks *stacks)
{
	free(stacks->walked);
	free(stacks->callers);
	free(stacks->words);
	stack_memo_finish(&stacks->memo);
	walker_finish(&stacks->walker);
}

void ingest_stacks_tables_changed(struct ingest_stacks *stacks)
{
	stacks->last_tables = ++stacks->last_number;
}

/* A walk of the user part of a sample's stack; count 0: there is none. */
struct walk {
	size_t count;		/* number of addresses in ingest_stacks.walked */
	enum walker_end end;
	bool is_by_rows;	/* walker_is_exact() is valid */
};

/* Whether @row is the kernel's uprobes page: functions with a probed return return to it. */
static bool is_uprobes(const struct ingest *ingest, const struct mapping *row)
{
	return !strcmp(strpool_get(ingest->strings, ingest->objects.objects[row->object].path),
		       "[uprobes]");
}

struct code_places {
	struct ingest *ingest;
	const struct address_map *maps;
	const struct event_record *record;
	const struct probe_calls *calls;	/* see struct sample_origin */
};

static const struct mapping *find_uprobes(const struct code_places *places, uint64_t ip)
{
	const struct mapping *row = address_map_find(places->maps, ip);

	return row && is_uprobes(places->ingest, row) ? row : NULL;
}

/* A table of one row at which every walk ends. */
static const struct unwind_row dead_end = { .kind = UNWIND_SP };
static const struct unwind_header one_row = { .row_count = 1 };
static const struct unwind_table unproven = { .header = &one_row, .rows = &dead_end };

static struct walker_code find_code(void *context, uint64_t ip)
{
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
	code.is_unnamed = object->is_jit && object->state != OBJECT_READY;
	if (is_uprobes(places->ingest, row) || object->unwind == OBJECT_UNWIND_NONE ||
	    object->state == OBJECT_UNREADABLE ||
	    (object->unwind == OBJECT_UNWIND_UNASKED && ingest_unwind_is_expected(object))) {
		code.table = &unproven;
		code.number = 0;
	} else if (!code.table && object->code) {
		code.table = ingest_jit_unwind(places->ingest, object->code, ip, &code.address);
		code.number = 0;
		code.is_unread = !code.table && !ingest_jit_is_read(places->ingest, object->code);
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

/* The sampler need not copy more of the thread's stack than what was walked, or takes all again. */
static void note_end(struct ingest_stacks *stacks, const struct event_record *record,
		     const struct walker_stack *stack, const struct walk *walk)
{
	const struct stack_copy copy = { .tid = record->tid, .sp = stack->start,
					 .bytes = stack->bytes, .count = stack->count };

	if (stacks->ends && walk->end == WALKER_COMPLETE)
		stack_ends_learn(stacks->ends, &copy, stacks->walker.last_sp);
	else if (stacks->ends && walk->end == WALKER_CUT && record_trim_left_out(&record->sample))
		stack_ends_was_cut(stacks->ends, record->tid);
}

void ingest_stacks_gone(struct ingest_stacks *stacks, const struct event_record *record)
{
	if (stacks->ends)
		stack_ends_forget(stacks->ends, record->tid);
}

/* Leaves half of the room to samples that wait for /proc. */
static bool has_room_to_wait(const struct ingest *ingest)
{
	return ingest->parked_bytes < INGEST_PARKED_BYTES_MAX / 2;
}

static void walk_rows(struct ingest *ingest, const struct event_record *record,
		      const struct sample_origin *origin, bool can_wait,
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
		.can_wait = can_wait && has_room_to_wait(ingest),
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
	note_end(stacks, record, stack, walk);
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
		      const struct sample_origin *origin, bool can_wait, struct walk *walk)
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
	registers.has_others = user_registers_find(format->user_regs_mask, sample,
						   REMOTE_REGISTER_BX, &registers.bx) &&
			       user_registers_find(format->user_regs_mask, sample,
						   REMOTE_REGISTER_DI, &registers.di);
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
		walk_rows(ingest, record, origin, can_wait, &registers, &stack, walk);
}

/* Whether the kernel's chain reached its depth limit. If there is a @walk, the chain's user part is
 * not counted. */
static bool is_chain_full(const struct event_record *record, const struct walk *walk)
{
	const struct record_sample *sample = &record->sample;
	enum cpu_mode mode = record->mode;
	uint32_t depth = 0;

	if (sample->chain_count < INGEST_KERNEL_CHAIN_MAX)
		return false;
	for (uint64_t i = 0; i < sample->chain_count; i++) {
		mode = ingest_chain_mode(sample->chain[i], mode);
		if (!ingest_is_marker(sample->chain[i]) && !(mode == MODE_USER && walk->count))
			depth++;
	}
	return depth >= INGEST_KERNEL_CHAIN_MAX;
}

/* The sample's own address may be missing. */
void ingest_take_chain(const struct event_record *record, struct sample_chain *out)
{
	const struct record_sample *sample = &record->sample;
	uint64_t i;

	out->mode = record->mode;
	for (i = 0; i < sample->chain_count && ingest_is_marker(sample->chain[i]); i++)
		out->mode = ingest_chain_mode(sample->chain[i], out->mode);
	if (i < sample->chain_count && sample->chain[i] == out->leaf_ip)
		i++;
	out->words = sample->chain ? sample->chain + i : NULL;
	out->count = out->walked = (uint32_t)(sample->chain_count - i);
}

/* Like ingest_take_chain(), but with the walked addresses in place of the user part. */
static void take_walked(struct ingest *ingest, const struct event_record *record,
			bool is_returned, const struct walk *walk, struct sample_chain *out)
{
	const struct ingest_stacks *stacks = &ingest->stacks;
	const struct record_sample *sample = &record->sample;
	enum cpu_mode mode = out->mode = record->mode;
	bool is_first = true;

	out->words = stacks->words;
	out->count = 0;
	for (uint64_t i = 0; i < sample->chain_count; i++) {
		const uint64_t word = sample->chain[i];

		mode = ingest_chain_mode(word, mode);
		if (!ingest_is_marker(word) && mode == MODE_USER)
			continue;
		if (ingest_is_marker(word) || !is_first || word != out->leaf_ip)
			stacks->words[out->count++] = word;
		is_first &= ingest_is_marker(word);
	}
	out->walked = out->count;
	/* A sample of user code is the first frame itself, but where the function that returns
	 * there is its leaf. */
	for (size_t i = record->mode == MODE_USER && !is_returned; i < walk->count; i++) {
		const bool is_exact = i && walk->is_by_rows && walker_is_exact(&stacks->walker, i);
		const bool is_call = (i || is_returned) && !is_exact;

		stacks->words[out->count++] = stacks->walked[i] - is_call;
	}
}

/* The mapping of a walked frame's code; NULL: nothing is mapped there. *@has_rule: an unwind row
 * covers it. */
static const struct mapping *find_walked(const struct code_places *places, size_t index,
					 bool *has_rule)
{
	const struct ingest_stacks *stacks = &places->ingest->stacks;
	const bool is_exact = !index || walker_is_exact(&stacks->walker, index);
	const uint64_t ip = stacks->walked[index] - !is_exact;
	const struct walker_code code = find_code((void *)places, ip);

	*has_rule = code.table && code.table != &unproven &&
		    unwind_table_find(code.table, code.address)->kind != UNWIND_GAP;
	return address_map_find(places->maps, ip);
}

/* Why a walk ended early, and in which object's code. */
struct walk_end {
	enum stack_fault fault;
	uint32_t object;
};

/* The fault of the frame at which @walk was cut or lost; STACK_END_NONE: not the frame's fault. */
static struct walk_end find_end(struct ingest *ingest, const struct event_record *record,
				 const struct sample_origin *origin, const struct walk *walk)
{
	const struct code_places places = {
		.ingest = ingest, .maps = origin->maps, .record = record, .calls = origin->calls,
	};
	const struct walk_end none = { .fault = STACK_END_NONE };
	const struct mapping *row;
	bool has_rule = false;

	if (!walk->is_by_rows || (walk->end != WALKER_CUT && walk->end != WALKER_LOST))
		return none;
	row = find_walked(&places, walk->count - 1, &has_rule);
	if (!row || has_rule || is_uprobes(ingest, row))
		return none;
	if (walk->end == WALKER_CUT && walk->count > 1) {
		find_walked(&places, walk->count - 2, &has_rule);
		if (!has_rule)
			return none;
	}
	return (struct walk_end){
		row->is_absolute || ingest->objects.objects[row->object].code ? STACK_END_RUN_TIME
									      : STACK_END_FILE,
		row->object,
	};
}

/* Counts the stack by the cause of its end, which is returned. */
static enum stack_fault count_end(struct ingest *ingest, const struct event_record *record,
				  const struct sample_origin *origin, const struct walk *walk)
{
	struct walk_end end = { .fault = STACK_END_NONE };

	if (walk->count)
		end = find_end(ingest, record, origin, walk);
	if (walk->count && walk->end == WALKER_NO_MAP)
		end.fault = STACK_END_NO_MAP;
	else if (walk->count && walk->end == WALKER_CUT && end.fault == STACK_END_NONE)
		end.fault = STACK_END_COPY;
	stack_enders_add(ingest, end.fault, record->pid, origin->maps, end.object);
	return end.fault;
}

/* A copy also ends at a page that the process has not touched yet, or that is swapped out. */
static bool is_full(const struct event_record *record, uint32_t copy_bytes)
{
	return copy_bytes && record->sample.user_stack_bytes == copy_bytes;
}

bool ingest_stack(struct ingest *ingest, const struct event_record *record,
		  const struct sample_origin *origin, bool may_wait, struct sample_stack *out)
{
	const bool is_returned = origin->form->leaf_ip;
	struct sample_chain chain = {
		.leaf_ip = is_returned ? origin->form->leaf_ip : record->sample.ip,
		.leaf_mode = record->mode,
	};
	enum stack_fault fault;
	struct walk walk;
	bool is_cut;

	walk_user(ingest, record, origin, may_wait, &walk);
	if (may_wait && walk.count && walk.end == WALKER_LOADING)
		return false;
	if (may_wait && walk.count && walk.end == WALKER_COMPLEX &&
	    ingest_rare_want(ingest, origin->maps, walk.count, origin->callers))
		return false;
	if (walk.count)
		take_walked(ingest, record, is_returned, &walk, &chain);
	else
		ingest_take_chain(record, &chain);
	ingest_chain_frames(ingest, origin->maps, &chain, out);
	fault = count_end(ingest, record, origin, &walk);
	is_cut = fault == STACK_END_COPY;
	ingest->counters.trimmed_stacks += is_cut && record_trim_left_out(&record->sample);
	out->counts = (struct stack_counts){
		.truncated = is_chain_full(record, &walk) ||
			     (walk.count && walk.end == WALKER_DEEP),
		.user = walk.count > 0,
		.complete = walk.count && walk.end == WALKER_COMPLETE,
		.cut = is_cut,
		.outgrown = is_cut && is_full(record, origin->form->copy_bytes),
		.no_map = fault == STACK_END_NO_MAP,
	};
	return true;
}
