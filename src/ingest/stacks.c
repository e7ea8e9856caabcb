/* stacks.c - the stack of a sample: the kernel's chain, then the callers in user code.
 *
 * Problem: the user part of the kernel's chain is wrong in every second sample of programs without
 * frame pointers. So a sample brings registers and a copy of the stack, and the tables that say how
 * to walk it may come after the sample.
 *
 * Idea: the record is walked in place. Nothing is interned before it is certain that the sample is
 * counted now; one that needs a missing table is walked again when tables have come. The walker
 * caches rows of addresses under a number that the maps keep until they change or any table
 * comes: children share it with their parent until one of them maps something.
 *
 *      chain     KERNEL k0 k1 (USER ...)      -> k0 k1 u0 u1 u2      k0: the sample's own address
 *      walked    u0 u1 u2                        the kernel's user part of the chain is left out
 *
 * Calls that the CPU recorded (Intel's last branch records, PERF_SAMPLE_BRANCH_CALL_STACK) replace
 * the user part in the same way. They are the innermost 16 or 32 at most.
 *
 * A return address follows its call, which may be the last instruction of its function: the frame
 * of a walked caller is the byte before, as in perf(1). The kernel's chains stay unchanged, but for
 * a caller whose address is in a register (aarch64).
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
#include "stacks.h"

#include <stdlib.h>
#include <string.h>

#include "capture/stack_copy.h"
#include "elf/process_memory.h"
#include "ingest/losses.h"
#include "jit.h"
#include "kernel.h"
#include "tables.h"

#define RECORD_ADDRESSES (65536 / sizeof(uint64_t))	/* a record is at most 64 KiB */
#define CHAIN_WORDS_MAX	  (RECORD_ADDRESSES + WALKER_FRAMES_MAX)
#define STACK_32_BYTES_MAX (8u << 20)	/* RLIMIT_STACK's default */
#define SLOT_32_BYTES	 4
#define X86_UPROBES_COPIES 128	/* UPROBE_XOL_SLOT_BYTES */

struct stacks *stacks_create(void)
{
	struct stacks *stacks = calloc(1, sizeof(*stacks));

	if (!stacks)
		return NULL;
	stacks->walked = malloc(WALKER_FRAMES_MAX * sizeof(*stacks->walked));
	stacks->callers = malloc(CHAIN_WORDS_MAX * sizeof(*stacks->callers));
	stacks->words = malloc(CHAIN_WORDS_MAX * sizeof(*stacks->words));
	if (!stacks->walked || !stacks->callers || !stacks->words ||
	    stack_cache_init(&stacks->cache) || walker_init(&stacks->walker)) {
		stacks_destroy(stacks);
		return NULL;
	}
	return stacks;
}

void stacks_destroy(struct stacks *stacks)
{
	if (!stacks)
		return;
	free(stacks->walked);
	free(stacks->callers);
	free(stacks->words);
	stack_cache_finish(&stacks->cache);
	walker_finish(&stacks->walker);
	free(stacks);
}

/* Whether @word is no address but a marker of the context of the next ones: PERF_CONTEXT_*. */
static bool is_marker(uint64_t word)
{
	return word >= (uint64_t)-4095;
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

/* Mode of the address after @word in a chain: that of a marker, else @before. */
static enum cpu_mode chain_mode(uint64_t word, enum cpu_mode before)
{
	return is_marker(word) ? mode_of_marker(word) : before;
}

/* A walk of the user part of a sample's stack; count 0: there is none. */
struct walk {
	size_t count;		/* number of addresses in stacks.walked */
	enum walker_end end;
	bool is_by_rows;	/* walker_is_exact() is valid */
	bool is_recorded;	/* by the CPU: callers are where their call is */
};

static bool is_called(const struct ingest *ingest, const struct mapping *row, const char *name)
{
	return !strcmp(strpool_get(ingest->strings, ingest->dsos.dsos[row->dso].path), name);
}

/* Whether @row is the kernel's uprobes page: functions with a probed return return to it. */
static bool is_uprobes(const struct ingest *ingest, const struct mapping *row)
{
	return is_called(ingest, row, "[uprobes]");
}

struct code_places {
	struct ingest *ingest;
	const struct process_maps *maps;
	const struct event_record *record;
	const struct probe_calls *calls;	/* see struct sample_origin */
	enum machine machine;
};

static struct code_places places_of(struct ingest *ingest, const struct event_record *record,
				    const struct sample_origin *origin)
{
	return (struct code_places){
		.ingest = ingest, .maps = origin->maps, .record = record, .calls = origin->calls,
		.machine = origin->form->format.machine,
	};
}

static const struct mapping *find_uprobes(const struct code_places *places, uint64_t ip)
{
	const struct mapping *row = process_maps_find(places->maps, ip);

	return row && is_uprobes(places->ingest, row) ? row : NULL;
}

/* A table of one row at which every walk ends. */
static const struct unwind_row dead_end = { .kind = UNWIND_SP };
static const struct unwind_header one_row = { .row_count = 1 };
static const struct unwind_table unproven = { .header = &one_row, .rows = &dead_end };

/* Whether nothing proves how the code of @row keeps its frame pointers: its rows can't be read.
 * The vdso of another kernel can't either, but on aarch64 it needs none: it is left by lr, or it is
 * the return from a signal. */
static bool is_unproven(const struct code_places *places, const struct mapping *row,
			const struct dso *dso)
{
	if (is_uprobes(places->ingest, row))
		return true;
	if (dso->unwind != DSO_UNWIND_NONE && dso->state != DSO_UNREADABLE)
		return dso->unwind == DSO_UNWIND_UNASKED && tables_expect_unwind(dso);
	return places->machine != MACHINE_AARCH64 || !is_called(places->ingest, row, "[vdso]");
}

static struct walker_code find_code(void *context, uint64_t ip)
{
	const struct code_places *places = context;
	const struct dso_table *dsos = &places->ingest->dsos;
	const struct mapping *row = process_maps_find(places->maps, ip);
	struct walker_code code = { .is_mapped = row != NULL };
	const struct dso *dso;

	if (!row)
		return code;
	code.table = tables_find_unwind(places->ingest, places->record->pid, row, &code.is_loading);
	code.address = mapping_frame_address(row, ip);
	dso = &dsos->dsos[dso_table_current(dsos, row->dso)];
	code.number = dso->unwind_number;
	code.is_unnamed = dso->is_jit && dso->state != DSO_READY;
	if (is_unproven(places, row, dso)) {
		code.table = &unproven;
		code.number = 0;
	} else if (!code.table && dso->code) {
		code.table = jit_find_unwind(places->ingest, dso->code, ip, &code.address);
		code.number = 0;
		code.is_unread = !code.table && !jit_is_read(places->ingest, dso->code);
	}
	return code;
}

static uint64_t find_return(void *context, uint64_t slot, uint64_t address)
{
	const struct code_places *places = context;

	return find_uprobes(places, address)
	       ? probe_hits_return_address(places->ingest->hits, places->record, places->calls,
					   slot, address) : 0;
}

/* Returns the slot of the probed call that was interrupted @into bytes into the kernel's page; see
 * struct walker_space. x86-64 pushes registers for its call of the kernel there; on aarch64 sp is
 * the same at the entry and after the return.
 *
 *	x86-64	+ 0	int3; or push %rax; push %rcx; push %r11; ... syscall	after the return
 *		+ 128	copies of probed instructions				at the entry
 *	aarch64	+ 0	brk							after the return
 *		+ 4	copies of probed instructions				at the entry
 */
static uint64_t find_slot(enum machine machine, uint64_t into, uint64_t sp)
{
	if (machine == MACHINE_AARCH64 || into >= X86_UPROBES_COPIES)
		return sp;
	return into < 2 ? sp - 8 : sp + 16;
}

/* Interrupted where no row can be right. Writes leaf and caller if the latter can be had; else
 * false. */
static bool leave_uprobes(const struct code_places *places,
			  const struct walker_registers *registers, struct remote_frame found[2])
{
	const struct mapping *row = find_uprobes(places, registers->ip);
	uint64_t slot, address;

	if (!row)
		return false;
	slot = find_slot(places->machine, registers->ip - row->start, registers->sp);
	address = probe_hits_return_address(places->ingest->hits, places->record, places->calls,
					    slot, row->start);
	found[0] = (struct remote_frame){ .ip = registers->ip, .sp = registers->sp,
					  .bp = registers->bp, .is_exact = 1 };
	found[1] = (struct remote_frame){ .ip = address, .sp = slot, .bp = registers->bp };
	if (places->machine != MACHINE_AARCH64)
		found[1].sp += 8;	/* above the return address */
	return address;
}

/* The sampler need not copy more of the thread's stack than what was walked, or takes all again. */
static void note_end(struct ingest *ingest, const struct event_record *record,
		     const struct walker_stack *stack, const struct walk *walk)
{
	const struct stack_copy copy = { .tid = record->tid, .sp = stack->start,
					 .bytes = stack->bytes, .count = stack->count };

	if (ingest->stack_ends && walk->end == WALKER_COMPLETE)
		stack_ends_learn(ingest->stack_ends, &copy, ingest->stacks->walker.last_sp);
	else if (ingest->stack_ends && walk->end == WALKER_CUT &&
		 record_trim_left_out(&record->sample))
		stack_ends_was_cut(ingest->stack_ends, record->tid);
}

void stacks_thread_gone(struct ingest *ingest, const struct event_record *record)
{
	if (ingest->stack_ends)
		stack_ends_forget(ingest->stack_ends, record->tid);
}

/* Returns the address space of @origin for walks. Numbers of maps that were walked with other
 * tables are stale. */
static struct walker_space space_of(struct code_places *places, const struct sample_origin *origin)
{
	struct stacks *stacks = places->ingest->stacks;
	struct process_maps *maps = origin->maps;

	if (stacks->tables_epoch != places->ingest->tables_epoch) {
		stacks->tables_epoch = places->ingest->tables_epoch;
		stacks->last_tables = ++stacks->last_number;
	}
	if (maps->number <= stacks->last_tables)
		maps->number = ++stacks->last_number;
	return (struct walker_space){
		.number = maps->number, .find = find_code, .context = places,
		.machine = places->machine,
		.find_return = places->ingest->hits ? find_return : NULL,
	};
}

static void walk_rows(struct ingest *ingest, const struct event_record *record,
		      const struct sample_origin *origin, bool waits_for_unread,
		      const struct walker_registers *registers, const struct walker_stack *stack,
		      struct walk *walk)
{
	struct stacks *stacks = ingest->stacks;
	const struct sample_callers *callers = origin->callers;
	struct code_places places = places_of(ingest, record, origin);
	struct walker_space space = space_of(&places, origin);
	struct remote_frame left[2];

	space.can_wait = waits_for_unread;
	if (ingest->hits && leave_uprobes(&places, registers, left))
		walk->count = walker_resume(&stacks->walker, &space, left, 2, stack,
					    stacks->walked, WALKER_FRAMES_MAX, &walk->end);
	else
		walk->count = walker_walk(&stacks->walker, &space, registers, stack,
					  stacks->walked, WALKER_FRAMES_MAX, &walk->end);
	if (walk->end == WALKER_COMPLEX && callers->frames)
		walk->count = walker_resume(&stacks->walker, &space, callers->frames,
					    callers->frame_count, stack, stacks->walked,
					    WALKER_FRAMES_MAX, &walk->end);
	walk->is_by_rows = true;
	note_end(ingest, record, stack, walk);
}

/* A process of 32 bits: nothing proves its frame pointers, so its stack is never complete. That of
 * 32-bit ARM code keeps its frame pointer in another register (r7 or r11) with each compiler: there
 * the sample's own address is all.
 *
 *	bp ->| saved bp | return address |
 */
static void walk_frame_pointers_32(struct ingest *ingest, const struct process_maps *maps,
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
		if (!process_maps_find(maps, slots[1]))
			return;
		ingest->stacks->walked[walk->count++] = slots[1];
		lowest = bp + sizeof(slots);
		bp = slots[0];
	}
	if (walk->count == WALKER_FRAMES_MAX)
		walk->end = WALKER_DEEP;
}

/* In the middle of an exec: the registers are the old program's, the memory is not. */
static bool is_between_programs(const struct event_record *record,
				const struct process_maps *maps, uint64_t ip)
{
	return record->mode == MODE_KERNEL && !record->sample.user_stack_bytes &&
	       !process_maps_find(maps, ip);
}

/* The index in the chain of @record of the user code that was interrupted, the innermost. Equal to
 * chain_count: there is none. */
static uint64_t find_user_leaf(const struct record_sample *sample)
{
	enum cpu_mode mode = MODE_UNKNOWN;
	uint64_t i = 0;

	for (; i < sample->chain_count; i++) {
		if (mode == MODE_USER && !is_marker(sample->chain[i]))
			break;
		mode = chain_mode(sample->chain[i], mode);
	}
	return i;
}

/* Takes the calls that the CPU recorded for those that have not returned, the innermost first, as
 * the callers of the user code that was interrupted. False: there are none. */
static bool take_recorded_calls(struct ingest *ingest, const struct record_format *format,
				const struct record_sample *sample, struct walk *walk)
{
	const uint64_t leaf = find_user_leaf(sample);
	uint64_t *walked = ingest->stacks->walked;

	if (!(format->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK) ||
	    leaf == sample->chain_count || !sample->branch_count || !sample->branches[0].from)
		return false;
	walked[0] = sample->chain[leaf];
	walk->count = 1;
	for (uint64_t i = 0; i < sample->branch_count && walk->count < WALKER_FRAMES_MAX; i++) {
		if (!sample->branches[i].from)
			break;
		walked[walk->count++] = sample->branches[i].from;
	}
	walk->is_recorded = true;
	return true;
}

static void walk_user(struct ingest *ingest, const struct event_record *record,
		      const struct sample_origin *origin, bool waits_for_unread, struct walk *walk)
{
	const struct record_sample *sample = &record->sample;
	const struct record_format *format = &origin->form->format;
	struct user_registers read;
	struct walker_registers registers;
	struct walker_stack stack = {
		.bytes = sample->user_stack, .count = sample->user_stack_bytes,
	};

	*walk = (struct walk){ .end = WALKER_LOST };
	if (take_recorded_calls(ingest, format, sample, walk))
		return;
	if (!(format->sample_type & PERF_SAMPLE_STACK_USER) ||
	    sample->user_abi == PERF_SAMPLE_REGS_ABI_NONE ||
	    !user_registers_read(format, sample, &read))
		return;
	registers = (struct walker_registers){
		.ip = read.ip, .sp = read.sp, .bp = read.bp, .lr = read.lr,
	};
	registers.has_others = format->machine == MACHINE_X86_64 &&
			       user_registers_find(format, sample, REMOTE_REGISTER_BX,
						   &registers.bx) &&
			       user_registers_find(format, sample, REMOTE_REGISTER_DI,
						   &registers.di);
	if (origin->maps && is_between_programs(record, origin->maps, registers.ip))
		return;
	stack.start = registers.sp;
	ingest->stacks->walked[0] = registers.ip;
	walk->count = 1;
	if (!origin->maps || (sample->user_abi == PERF_SAMPLE_REGS_ABI_32 &&
			      format->machine == MACHINE_AARCH64))
		return;
	if (sample->user_abi == PERF_SAMPLE_REGS_ABI_32)
		walk_frame_pointers_32(ingest, origin->maps, &registers, &stack, walk);
	else
		walk_rows(ingest, record, origin, waits_for_unread, &registers, &stack, walk);
}

/* Whether the kernel's chain reached its depth limit. If there is a @walk, the chain's user part is
 * not counted. */
static bool is_chain_full(const struct event_record *record, const struct walk *walk)
{
	const struct record_sample *sample = &record->sample;
	enum cpu_mode mode = record->mode;
	uint32_t depth = 0;

	if (sample->chain_count < STACKS_KERNEL_CHAIN_MAX)
		return false;
	for (uint64_t i = 0; i < sample->chain_count; i++) {
		mode = chain_mode(sample->chain[i], mode);
		if (!is_marker(sample->chain[i]) && !(mode == MODE_USER && walk->count))
			depth++;
	}
	return depth >= STACKS_KERNEL_CHAIN_MAX;
}

/* The sample's own address may be missing. */
void stacks_take_chain(const struct event_record *record, struct sample_chain *out)
{
	const struct record_sample *sample = &record->sample;
	uint64_t i;

	out->mode = record->mode;
	for (i = 0; i < sample->chain_count && is_marker(sample->chain[i]); i++)
		out->mode = chain_mode(sample->chain[i], out->mode);
	if (i < sample->chain_count && sample->chain[i] == out->leaf_ip)
		i++;
	out->words = sample->chain ? sample->chain + i : NULL;
	out->count = out->walked = (uint32_t)(sample->chain_count - i);
}

/* Like stacks_take_chain(), but with the walked addresses in place of the user part. */
static void take_walked(struct ingest *ingest, const struct event_record *record,
			bool is_returned, const struct walk *walk, struct sample_chain *out)
{
	const struct stacks *stacks = ingest->stacks;
	const struct record_sample *sample = &record->sample;
	enum cpu_mode mode = out->mode = record->mode;
	bool is_first = true;

	out->words = stacks->words;
	out->count = 0;
	for (uint64_t i = 0; i < sample->chain_count; i++) {
		const uint64_t word = sample->chain[i];

		mode = chain_mode(word, mode);
		if (!is_marker(word) && mode == MODE_USER)
			continue;
		if (is_marker(word) || !is_first || word != out->leaf_ip)
			stacks->words[out->count++] = word;
		is_first &= is_marker(word);
	}
	out->walked = out->count;
	/* A sample of user code is the first frame itself, but where the function that returns
	 * there is its leaf. */
	for (size_t i = out->leaf_mode == MODE_USER && !is_returned; i < walk->count; i++) {
		const bool is_exact = walk->is_recorded || (i && walk->is_by_rows &&
							    walker_is_exact(&stacks->walker, i));
		const bool is_call = (i || is_returned) && !is_exact;

		stacks->words[out->count++] = stacks->walked[i] - is_call;
	}
}

/* The kernel's chain leaves out the caller of a function that has no frame, or not yet, and has its
 * return address in lr. Adds it to @chain, which stacks_take_chain() filled in:
 *
 *	USER leaf ...	lr ->	USER leaf lr ...
 *
 * False: the leaf's table, which tells whether that is so, is on its way. */
static bool add_caller_in_lr(struct ingest *ingest, const struct event_record *record,
			     const struct sample_origin *origin, struct sample_chain *chain)
{
	const struct record_sample *sample = &record->sample;
	uint64_t *words = ingest->stacks->words, leaf, lr;
	struct code_places places;
	struct walker_space space;
	bool is_loading;
	uint32_t at;

	if (sample->user_abi != PERF_SAMPLE_REGS_ABI_64 || !origin->maps ||
	    !user_registers_find_lr(&origin->form->format, sample, &lr))
		return true;
	leaf = find_user_leaf(sample);
	if (leaf == sample->chain_count)
		return true;
	places = places_of(ingest, record, origin);
	space = space_of(&places, origin);
	lr = walker_find_in_lr(&ingest->stacks->walker, &space, sample->chain[leaf], lr,
			       &is_loading);
	if (!lr)
		return !is_loading;
	at = (uint32_t)(leaf + 1 - (sample->chain_count - chain->count));
	memcpy(words, chain->words, at * sizeof(*words));
	words[at] = lr - 1;
	memcpy(words + at + 1, chain->words + at, (chain->count - at) * sizeof(*words));
	chain->words = words;
	chain->walked = ++chain->count;
	return true;
}

/* The mapping of a walked frame's code; NULL: nothing is mapped there. *@has_rule: an unwind row
 * covers it. */
static const struct mapping *find_walked(const struct code_places *places, size_t index,
					 bool *has_rule)
{
	const struct stacks *stacks = places->ingest->stacks;
	const bool is_exact = !index || walker_is_exact(&stacks->walker, index);
	const uint64_t ip = stacks->walked[index] - !is_exact;
	const struct walker_code code = find_code((void *)places, ip);

	*has_rule = code.table && code.table != &unproven &&
		    unwind_table_find(code.table, code.address)->kind != UNWIND_GAP;
	return process_maps_find(places->maps, ip);
}

/* Why a walk ended early, and in which DSO's code. */
struct walk_end {
	enum stack_fault fault;
	uint32_t dso;
};

/* The fault of the frame at which @walk was cut or lost; STACK_END_NONE: not the frame's fault. */
static struct walk_end find_end(struct ingest *ingest, const struct event_record *record,
				const struct sample_origin *origin, const struct walk *walk)
{
	const struct code_places places = places_of(ingest, record, origin);
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
		row->is_absolute || ingest->dsos.dsos[row->dso].code ? STACK_END_RUN_TIME
									      : STACK_END_FILE,
		row->dso,
	};
}

/* Counts the stack by the cause of its end, which is returned. */
static enum stack_fault count_end(struct ingest *ingest, const struct event_record *record,
				  const struct sample_origin *origin, const struct walk *walk)
{
	struct walk_end end = { .fault = STACK_END_NONE };

	if (walk->count && !walk->is_recorded)
		end = find_end(ingest, record, origin, walk);
	if (walk->count && walk->end == WALKER_NO_MAP)
		end.fault = STACK_END_NO_MAP;
	else if (walk->count && walk->end == WALKER_CUT && end.fault == STACK_END_NONE)
		end.fault = STACK_END_COPY;
	stack_enders_add(ingest, end.fault, record->pid, origin->maps, end.dso);
	return end.fault;
}

/* A copy also ends at a page that the process has not touched yet, or that is swapped out. */
static bool is_full(const struct event_record *record, uint32_t copy_bytes)
{
	return copy_bytes && record->sample.user_stack_bytes == copy_bytes;
}

static bool add_code(const struct ingest *ingest, struct sample_callers *callers,
		     const struct mapping *mapping)
{
	const struct dso_table *dsos = &ingest->dsos;
	const struct dso *dso;

	if (!mapping)
		return false;
	dso = &dsos->dsos[dso_table_current(dsos, mapping->dso)];
	for (uint32_t i = 0; i < callers->code_count; i++)
		if (callers->code[i].start == mapping->start)
			return true;
	if (callers->code_count == SLOW_MAPPINGS_MAX || dso->is_run_time ||
	    dso->unwind != DSO_UNWIND_KNOWN)
		return false;
	callers->code[callers->code_count++] = *mapping;
	return true;
}

/* Fills in @callers of @origin for a worker that is to find the callers of the first @count
 * addresses of stacks.walked. False: it can't, or could not before. Its libunwind is for the own
 * machine. */
static bool want_callers(const struct ingest *ingest, const struct sample_origin *origin,
			 size_t count)
{
	const struct stacks *stacks = ingest->stacks;
	const struct process_maps *maps = origin->maps;
	struct sample_callers *callers = origin->callers;

	if (callers->was_wanted || origin->form->format.machine != MACHINE_OWN)
		return false;
	callers->code_count = 0;
	for (size_t i = 0; i < count; i++) {
		const bool is_call = !walker_is_exact(&stacks->walker, i);

		if (!add_code(ingest, callers,
			      process_maps_find(maps, stacks->walked[i] - is_call)))
			return false;
	}
	callers->was_wanted = true;
	return true;
}

/* The addresses of a sample -> its leaf frame and the node of its callers.
 *
 * Idea: the frame of an address, and the node of a whole chain of callers, stay valid until
 * something changes that they depend on. So they are cached (stack_cache.h) under the space
 * number of the maps; all other dependencies are checked in one place, is_unchanged().
 *
 * Side effects of a sample happen for cached chains, too: a cached chain names the run-time code
 * that it goes through. That a kernel address has no name is noticed only when a chain is looked up
 * anew, so the cache is dropped when such an address comes, or after a request for kernel names.
 *
 * Invariant: the cache does not affect counts or the numbers of frames, nodes and stacks.
 */
#define MANY_CODES UINT32_MAX	/* a chain through code of several processes, after a JIT's fork */

static uint32_t kernel_dso(const struct ingest *ingest, uint64_t ip)
{
	const struct mapping *row = process_maps_find(ingest->kernel->overlay, ip);

	if (!row && ingest->config.is_replay) {
		row = process_maps_find(ingest->kernel->maps, ip);
		return row ? row->dso : DSO_UNKNOWN_KERNEL;
	}
	return row ? row->dso : DSO_KERNEL;
}

static uint32_t kernel_frame(struct ingest *ingest, uint64_t ip)
{
	const uint32_t dso = kernel_dso(ingest, ip);
	const uint64_t shift = dso == DSO_KERNEL ? ingest->kernel->shift : 0;
	const uint32_t frame = stack_trie_frame(&ingest->trie, dso, ip + shift);

	kernel_note_frame(ingest, frame);
	return frame;
}

/* Fills in frame and code. False: @ip is outside of every mapping. */
static bool find_user(struct ingest *ingest, const struct process_maps *maps, uint64_t ip,
		      struct cache_frame *out)
{
	const struct mapping *row;

	if (vdso_image_is_vsyscall(ip)) {
		out->frame = stack_trie_frame(&ingest->trie, DSO_VSYSCALL, ip);
		return true;
	}
	row = maps ? process_maps_find(maps, ip) : NULL;
	if (!row)
		return false;
	out->code = ingest->dsos.dsos[row->dso].code;
	out->frame = stack_trie_frame(&ingest->trie,
				      dso_table_current(&ingest->dsos, row->dso),
				      mapping_frame_address(row, ip));
	return true;
}

static uint32_t other_frame(struct ingest *ingest, enum cpu_mode mode, uint64_t ip)
{
	const uint32_t dso = mode == MODE_GUEST_KERNEL ? DSO_GUEST_KERNEL :
				mode == MODE_GUEST_USER	  ? DSO_GUEST_USER
							  : DSO_HYPERVISOR;

	return stack_trie_frame(&ingest->trie, dso, ip);
}

uint32_t ingest_frame(struct ingest *ingest, const struct process_maps *maps, enum cpu_mode mode,
		      uint64_t ip)
{
	struct cache_frame found = { .code = 0 };

	if (mode == MODE_KERNEL)
		return kernel_frame(ingest, ip);
	if (mode != MODE_USER)
		return other_frame(ingest, mode, ip);
	if (!find_user(ingest, maps, ip, &found))
		return stack_trie_frame(&ingest->trie, DSO_UNKNOWN, ip);
	if (found.code)
		jit_note_sample(ingest, found.code);
	return found.frame;
}

/* Where the addresses of the current sample are looked up. */
struct spaces {
	const struct process_maps *maps;
	uint64_t user, kernel;
};

/* Whether the kernel, the DSOs and the rows that the cache depends on are unchanged since the
 * last call. Each of the summed counters only rises. */
static bool is_unchanged(struct ingest *ingest)
{
	struct stacks *stacks = ingest->stacks;
	const uint64_t changes = ingest->trie.compactions + ingest->dsos.successions +
				 ingest->names.nameless_in_kernel + ingest->kernel->requests +
				 ingest->jit->forgotten;
	const bool is_same = changes == stacks->changes &&
			     ingest->kernel->shift == stacks->kernel_shift &&
			     ingest->kernel->maps->space && ingest->kernel->overlay->space;

	stacks->changes = changes;
	stacks->kernel_shift = ingest->kernel->shift;
	return is_same;
}

static struct spaces look_around(struct ingest *ingest, struct process_maps *maps)
{
	struct stack_cache *cache = &ingest->stacks->cache;

	if (!is_unchanged(ingest)) {
		ingest->sample_epoch++;
		stack_cache_forget(cache);
		stack_cache_space(cache, &ingest->kernel->maps->space);
		stack_cache_space(cache, &ingest->kernel->overlay->space);
	}
	return (struct spaces){
		.maps = maps, .kernel = cache->kernel_space,
		.user = maps ? stack_cache_space(cache, &maps->space) : cache->empty_space,
	};
}

/* A caller outside of every mapping is no code: code without frame pointers left something else in
 * that register. There are as many of these as samples, so they are one frame. */
static uint32_t frame_outside(struct ingest *ingest, uint64_t ip, bool is_caller)
{
	return stack_trie_frame(&ingest->trie, DSO_UNKNOWN, is_caller ? 0 : ip);
}

/* The frame of @ip. Joins the run-time code that it is in to *@code (MANY_CODES: several). */
static uint32_t frame_of(struct ingest *ingest, const struct spaces *spaces, enum cpu_mode mode,
			 uint64_t ip, bool is_caller, uint32_t *code)
{
	struct stack_cache *cache = &ingest->stacks->cache;
	struct cache_frame found = {
		.space = mode == MODE_USER ? spaces->user : spaces->kernel, .address = ip,
	};
	const struct cache_frame *known;

	if (mode != MODE_USER && mode != MODE_KERNEL)
		return other_frame(ingest, mode, ip);
	known = stack_cache_frame(cache, found.space, ip);
	if (!known) {
		if (mode == MODE_KERNEL)
			found.frame = kernel_frame(ingest, ip);
		else if (!find_user(ingest, spaces->maps, ip, &found))
			return frame_outside(ingest, ip, is_caller);
		if (found.frame != ID_SET_NONE)
			stack_cache_keep_frame(cache, &found);
		known = &found;
	}
	if (known->code) {
		jit_note_sample(ingest, known->code);
		*code = *code && *code != known->code ? MANY_CODES : known->code;
	}
	return known->frame;
}

static uint32_t take_callers(struct ingest *ingest, const struct spaces *spaces,
			     const struct sample_chain *chain, uint32_t *code)
{
	uint32_t *frames = ingest->stacks->callers;
	enum cpu_mode mode = chain->mode;
	uint32_t count = 0, node = STACK_NODE_ROOT;

	for (uint32_t i = 0; i < chain->count; i++) {
		const uint64_t word = chain->words[i];

		if (i >= chain->walked) {
			mode = MODE_USER;
		} else if (is_marker(word)) {
			mode = mode_of_marker(word);
			continue;
		}
		frames[count] = frame_of(ingest, spaces, mode, word, true, code);
		if (frames[count++] == ID_SET_NONE)
			return ID_SET_NONE;
	}
	while (count && node != ID_SET_NONE)
		node = stack_trie_child(&ingest->trie, node, frames[--count]);
	return node;
}

static uint32_t node_of(struct ingest *ingest, const struct spaces *spaces,
			const struct sample_chain *chain)
{
	struct stack_cache *cache = &ingest->stacks->cache;
	const struct cache_key key = {
		.space = spaces->user, .words = chain->words, .count = chain->count,
		.plain = chain->walked, .mode = (uint32_t)chain->mode,
	};
	const uint64_t hash = stack_cache_hash(&key);
	const struct cache_chain *known = stack_cache_chain(cache, &key, hash);
	uint32_t node, code = 0;

	if (known) {
		if (known->code)
			jit_note_sample(ingest, known->code);
		return known->node;
	}
	node = take_callers(ingest, spaces, chain, &code);
	if (node != ID_SET_NONE && code != MANY_CODES)
		stack_cache_keep_chain(cache, &key, hash, node, code);
	return node;
}

/* Finds leaf and node of @chain; @maps: the maps for its user part (NULL: none are known). */
static void find_frames(struct ingest *ingest, struct process_maps *maps,
			const struct sample_chain *chain, struct sample_stack *out)
{
	const struct spaces spaces = look_around(ingest, maps);
	uint32_t code = 0;

	out->node = chain->count ? node_of(ingest, &spaces, chain) : STACK_NODE_ROOT;
	out->leaf = frame_of(ingest, &spaces, chain->leaf_mode, chain->leaf_ip, false, &code);
}

bool stacks_find(struct ingest *ingest, const struct event_record *record,
		 const struct sample_origin *origin, struct stack_patience patience,
		 struct sample_stack *out)
{
	const bool is_entered = origin->form->is_entered;
	const bool is_returned = origin->form->leaf_ip && !is_entered;
	struct sample_chain chain = {
		.leaf_ip = origin->form->leaf_ip ? origin->form->leaf_ip : record->sample.ip,
		.leaf_mode = is_entered ? MODE_USER : record->mode,
	};
	enum stack_fault fault;
	struct walk walk;
	bool is_cut;

	walk_user(ingest, record, origin, patience.for_unread, &walk);
	if (patience.for_tables && walk.count && walk.end == WALKER_LOADING)
		return false;
	if (patience.for_callers && walk.count && walk.end == WALKER_COMPLEX &&
	    want_callers(ingest, origin, walk.count))
		return false;
	if (walk.count) {
		take_walked(ingest, record, is_returned, &walk, &chain);
	} else {
		stacks_take_chain(record, &chain);
		if (!add_caller_in_lr(ingest, record, origin, &chain) && patience.for_tables)
			return false;
	}
	if (ingest->config.only_records)
		out->leaf = out->node = ID_SET_NONE;
	else
		find_frames(ingest, origin->maps, &chain, out);
	out->chain = chain;
	fault = count_end(ingest, record, origin, &walk);
	is_cut = fault == STACK_END_COPY;
	ingest->counters.trimmed_stacks += is_cut && record_trim_left_out(&record->sample);
	out->counts = (struct stack_counts){
		.truncated = is_chain_full(record, &walk) ||
			     (walk.count && walk.end == WALKER_DEEP),
		.user = walk.count > 0 && !walk.is_recorded,
		.complete = walk.count && walk.end == WALKER_COMPLETE,
		.cut = is_cut,
		.outgrown = is_cut && is_full(record, origin->form->copy_bytes),
		.no_map = fault == STACK_END_NO_MAP,
	};
	return true;
}
