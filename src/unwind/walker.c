/* walker.c - see unwind/walk.h.
 *
 * Problem: a stack of 40 frames per sample and thousands of samples a second; a general DWARF
 * unwinder takes 20 us each.
 *
 * Idea: three registers mostly do. A row says where the caller's frame begins (CFA); the return
 * address is at CFA - 8, and the caller's bp is where the row says or still in the register. Code
 * without a row (JIT) gets one step by its frame pointer, which is checked, as it is a guess.
 *
 *        sp ->| locals                 |
 *             | saved bp               |  CFA + 8 * row.bp
 *             | return address         |  CFA - 8
 *       CFA ->| the caller's frame     |  = its sp
 *
 * A return address comes after its call, which may be the last instruction of its function: so the
 * byte before it is looked up. Where a sample or a signal interrupted, it is the address itself.
 * A uretprobe replaces the return address by one of its own: this is checked only where the walk
 * would end.
 *
 * Code that no map names may keep anything in bp. So its frame pointers are followed, but the
 * frames are given out only if they lead to other code; else the stack ends at the first of them.
 * Three or more that lead to one another, up to the end of the copy, are believed, too.
 *
 * aarch64 keeps the return address in x30 (lr), and a function saves it only if it calls another:
 * lr is known of the leaf, and of what a signal interrupted. Its rows, and code without rows, lead
 * to the steps of arm_step.c.
 *
 * Few rows count from bx. It is not followed from frame to frame: at such a row, the walk is
 * repeated from where bx was last known, this time following bx.
 *
 * Invariant: sp grows with every step but a leaf's whose return address is not on the stack, and a
 * signal's, which may come back from a stack of its own;
 * WALKER_FRAMES_MAX bounds what bytes made by a stranger can do with those. No address is given out
 * that is not in an executable mapping, except the leaf's.
 */
#include "unwind/walk.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arm_step.h"

#define HASH_FACTOR 0x9e3779b97f4a7c15ull	/* 2^64 / golden ratio */
/* The kernel's struct ucontext, which sp points to in a signal's return code. */
#define SIGNAL_BP 120
#define SIGNAL_BX 128
#define SIGNAL_SP 160
#define SIGNAL_IP 168
#define CHAIN_FRAMES 3	/* frames of unnamed code that must agree: two steps */
#define PLT_SLOT_MASK 15	/* slots have 16 bytes */

/* bx, as far as it was followed. */
struct trail {
	struct frame frame;	/* the frame whose bx is known */
	size_t count;		/* index of that frame, see walk_from() */
	uint64_t bx;
	bool is_lost;
};

int walker_init(struct walker *walker)
{
	walker->cache = calloc(WALKER_CACHE_ROWS, sizeof(*walker->cache));
	walker->rows = calloc(WALKER_CACHE_ROWS, sizeof(*walker->rows));
	return walker->cache && walker->rows ? 0 : -ENOMEM;
}

void walker_finish(struct walker *walker)
{
	free(walker->cache);
	free(walker->rows);
	walker->cache = NULL;
	walker->rows = NULL;
}

/* The search goes through megabytes of rows that nothing else touches. Number 0 is never kept. */
static const struct unwind_row *find_in_table(struct walker *walker, const struct walker_code *code)
{
	const uint64_t key = code->number << 32 | (uint32_t)code->address;
	struct walker_row *kept = &walker->rows[(key * HASH_FACTOR >> 32) % WALKER_CACHE_ROWS];

	if (!code->number || code->address > UINT32_MAX)
		return unwind_table_find(code->table, code->address);
	if (kept->number != code->number || kept->address != (uint32_t)code->address)
		*kept = (struct walker_row){ code->number, (uint32_t)code->address,
					     *unwind_table_find(code->table, code->address) };
	return &kept->row;
}

/* An emulator may map files of another machine than the one whose registers were sampled. */
static bool is_of_machine(const struct unwind_table *table, enum machine machine)
{
	return table->header->machine == machine || table->header->machine == MACHINE_UNKNOWN;
}

/* Not inlined into find_row(), which mostly finds the row in the cache. */
__attribute__((noinline)) static void fill_cached(struct walker *walker,
						  const struct walker_space *space, uint64_t ip,
						  struct walker_cached *cached)
{
	struct walker_code code = space->find(space->context, ip);

	*cached = (struct walker_cached){
		.space = space->number,
		.ip = ip,
		.row = { .kind = UNWIND_GAP },
		.is_mapped = code.is_mapped,
		.is_loading = code.is_loading,
		.is_unnamed = code.is_unnamed,
		.is_unread = code.is_unread,
	};
	if (code.table && is_of_machine(code.table, space->machine))
		cached->row = *find_in_table(walker, &code);
	if (space->machine == MACHINE_AARCH64 && cached->row.kind == UNWIND_GAP)
		cached->row.kind = UNWIND_ARM_GAP;
}

/* An entry of zeros is no special case: it says that nothing is mapped at address 0 of space 0. */
static inline const struct walker_cached *find_row(struct walker *walker,
						   const struct walker_space *space, uint64_t ip)
{
	uint64_t hash = (ip ^ space->number * HASH_FACTOR) * HASH_FACTOR;
	struct walker_cached *cached = &walker->cache[(hash >> 32) % WALKER_CACHE_ROWS];

	if (cached->ip != ip || cached->space != space->number)
		fill_cached(walker, space, ip, cached);
	return cached;
}

/* The steps return false with *end set when there is no caller to be had. */
static inline bool step_by_cfa(struct frame *frame, uint64_t cfa, int bp_slot,
			const struct walker_stack *stack, enum walker_end *end)
{
	uint64_t slot = cfa + 8 * (uint64_t)(int64_t)bp_slot;
	struct frame caller = { .sp = cfa, .bp = frame->bp };

	*end = WALKER_LOST;
	if (cfa <= frame->sp)
		return false;
	*end = unread_end(frame, cfa);
	if (!read_word(stack, cfa - 8, &caller.ip))
		return false;
	/* GCC's epilogues don't say that bp was popped: then its slot is below sp. */
	if (bp_slot && slot >= frame->sp && !read_word(stack, slot, &caller.bp))
		return false;
	*frame = caller;
	return true;
}

static bool step_by_frame_pointer(struct frame *frame, const struct walker_stack *stack,
				  enum walker_end *end)
{
	/* 0 is the ABI's mark of the outermost frame: at ld.so's start, in Go. In code that was
	 * interrupted it may be any value; a caller's has been kept over a call. */
	*end = frame->bp || frame->is_exact ? WALKER_LOST : WALKER_COMPLETE;
	if (frame->bp < frame->sp || frame->bp % 8 ||
	    !step_by_cfa(frame, frame->bp + 16, -2, stack, end))
		return false;
	*end = WALKER_LOST;
	return frame->ip != 0;	/* it was a guess, and led to any zero */
}

static bool step_out_of_signal(struct frame *frame, const struct walker_stack *stack,
			       enum walker_end *end)
{
	struct frame interrupted = { .is_exact = true };

	*end = WALKER_CUT;
	if (!read_word(stack, frame->sp + SIGNAL_BP, &interrupted.bp) ||
	    !read_word(stack, frame->sp + SIGNAL_SP, &interrupted.sp) ||
	    !read_word(stack, frame->sp + SIGNAL_IP, &interrupted.ip))
		return false;
	*frame = interrupted;
	return true;
}

/* Where a function aligned the stack, the old stack pointer is in a word of it. */
static bool step_by_word(struct frame *frame, const struct unwind_row *row,
			 const struct walker_stack *stack, enum walker_end *end)
{
	const uint64_t offset = 8 * (uint64_t)(int64_t)row->cfa;
	const bool is_sp = row->kind == UNWIND_SP_WORD;
	const uint64_t address = (is_sp ? frame->sp : frame->bp) + offset;
	uint64_t word, bp = frame->bp;

	*end = unread_end(frame, address);
	if (!read_word(stack, address, &word) || (!is_sp && !read_word(stack, bp, &bp)))
		return false;
	if (!step_by_cfa(frame, is_sp ? word + 8 : word, row->bp, stack, end))
		return false;
	if (!is_sp)
		frame->bp = bp;
	return true;
}

static bool step_by_row(struct frame *frame, const struct unwind_row *row,
			const struct walker_stack *stack, enum walker_end *end)
{
	const uint64_t offset = 8 * (uint64_t)(int64_t)row->cfa;
	uint64_t cfa = frame->sp + offset;

	assert(row->kind < UNWIND_KINDS);	/* unwind_table_check() saw to it */
	switch ((enum unwind_kind)row->kind) {
	case UNWIND_SP:
		break;
	case UNWIND_BP:
		cfa = frame->bp + offset;
		break;
	case UNWIND_PLT:	/* its `bp` is 0 */
		cfa = frame->sp + ((int)(frame->ip & PLT_SLOT_MASK) >= row->cfa ? 16 : 8);
		break;
	case UNWIND_GAP:
		return step_by_frame_pointer(frame, stack, end);
	case UNWIND_SP_WORD:
	case UNWIND_BP_WORD:
		return step_by_word(frame, row, stack, end);
	case UNWIND_SIGNAL:
		return step_out_of_signal(frame, stack, end);
	case UNWIND_END:
		*end = WALKER_COMPLETE;
		return false;
	case UNWIND_BX:	/* walk_from() handles these, for they need more than the frame */
	case UNWIND_DI:
	case UNWIND_ARM_SP:
	case UNWIND_ARM_BP:
	case UNWIND_ARM_SIGNAL:
	case UNWIND_ARM_GAP:
	case UNWIND_COMPLEX:
		*end = WALKER_COMPLEX;
		return false;
	case UNWIND_KINDS:
		*end = WALKER_LOST;
		return false;
	}
	return step_by_cfa(frame, cfa, row->bp, stack, end);
}

static bool step(const struct walker_space *space, struct frame *frame,
		 const struct walker_cached *found, const struct walker_stack *stack,
		 enum walker_end *end)
{
	if (found->is_loading || (found->is_unread && space->can_wait)) {
		*end = WALKER_LOADING;
		return false;
	}
	if (!found->is_mapped) {
		*end = WALKER_LOST;
		return false;
	}
	return step_by_row(frame, &found->row, stack, end);
}

/* Returns the row of @frame. Restores its return address if that was replaced. */
static const struct walker_cached *find_frame(struct walker *walker,
					      const struct walker_space *space,
					      struct frame *frame)
{
	const struct walker_cached *found = find_row(walker, space, frame->ip - !frame->is_exact);
	uint64_t address;

	if (found->is_mapped || frame->is_exact || !space->find_return)
		return found;
	address = space->find_return(space->context,
				     frame->sp - (space->machine == MACHINE_AARCH64 ? 0 : 8),
				     frame->ip);
	if (!address)
		return found;
	frame->ip = address;
	return find_row(walker, space, address - 1);
}

/* Steps out of a leaf that has its return address in di. */
static bool step_by_di(struct frame *frame, const struct walker_registers *registers, int16_t cfa)
{
	frame->ip = registers->di;
	frame->sp += 8 * (uint64_t)(int64_t)cfa;
	frame->is_exact = false;
	return true;
}

static bool is_other(const struct unwind_row *row)
{
	return row->kind == UNWIND_BX || row->kind == UNWIND_DI;
}

/* Steps by a row of kind UNWIND_BX or UNWIND_DI. */
static bool step_by_other(struct frame *frame, const struct unwind_row *row,
			  const struct walker_registers *registers, const struct trail *trail,
			  const struct walker_stack *stack, enum walker_end *end)
{
	const uint64_t offset = 8 * (uint64_t)(int64_t)row->cfa;

	*end = WALKER_COMPLEX;
	if (row->kind == UNWIND_DI)
		return registers && registers->has_others && frame->is_exact &&
		       frame->sp == registers->sp && frame->ip == registers->ip &&
		       row->cfa >= 0 && step_by_di(frame, registers, row->cfa);
	return !trail->is_lost && step_by_cfa(frame, trail->bx + offset, row->bp, stack, end);
}

/* Updates bx for the trail's frame, to which @row led from @before. */
static void follow_bx(struct trail *trail, const struct frame *before, const struct unwind_row *row,
		      const struct walker_stack *stack)
{
	const uint64_t slot = trail->frame.sp - 8 * (uint64_t)row->bx;

	if (row->kind == UNWIND_SIGNAL)
		trail->is_lost = !read_word(stack, before->sp + SIGNAL_BX, &trail->bx);
	else if (row->kind == UNWIND_GAP || row->bx == UNWIND_BX_ELSEWHERE)
		trail->is_lost = true;
	else if (row->bx && slot >= before->sp)	/* else it was popped, like bp */
		trail->is_lost |= !read_word(stack, slot, &trail->bx);
}

/* Follows bx from the trail's frame to the frame with index @count. */
static void find_bx(struct walker *walker, const struct walker_space *space, struct trail *trail,
		    const struct walker_registers *registers, const struct walker_stack *stack,
		    size_t count)
{
	while (trail->count < count) {
		const struct walker_cached *found = find_frame(walker, space, &trail->frame);
		const struct unwind_row row = found->row;
		const struct frame before = trail->frame;
		enum walker_end end;

		if (!step(space, &trail->frame, found, stack, &end) &&
		    !(is_other(&row) && step_by_other(&trail->frame, &row, registers, trail, stack,
						      &end))) {
			trail->is_lost = true;	/* can't be: the walk went this way */
			return;
		}
		follow_bx(trail, &before, &row, stack);
		trail->count++;
	}
}

/* Steps out of aarch64 code that has no row: JIT, code written by hand, the return from a signal. A
 * function that was interrupted before it called anything has its return address in x30. Else x30
 * is an address after one of its own calls: this also has no row. */
static bool step_out_of_gap(struct walker *walker, const struct walker_space *space,
			    struct frame *frame, const struct walker_stack *stack,
			    enum walker_end *end)
{
	const uint64_t lr = frame->is_exact ? arm_address(walker->lr) : 0;
	const struct walker_cached *found;

	if (arm_is_signal(frame, stack))
		return arm_step_out_of_signal(frame, &walker->lr, stack, end);
	if (!lr)
		return arm_step_by_record(frame, stack, end);
	found = find_row(walker, space, lr - 1);
	*end = WALKER_LOADING;
	if (found->is_loading)
		return false;
	if (found->row.kind != UNWIND_ARM_SP && found->row.kind != UNWIND_ARM_BP)
		return arm_step_by_record(frame, stack, end);
	arm_step_by_lr(frame, lr, stack);
	return true;
}

static bool is_frame(const struct unwind_row *row)
{
	return row->kind == UNWIND_ARM_SP || row->kind == UNWIND_ARM_BP;
}

uint64_t walker_find_in_lr(struct walker *walker, const struct walker_space *space, uint64_t ip,
			   uint64_t lr, bool *is_loading)
{
	const struct walker_cached *found = find_row(walker, space, ip);
	const uint64_t address = arm_address(lr);

	*is_loading = found->is_loading;
	if (!is_frame(&found->row) || found->row.bx & UNWIND_SAVES_LR)
		return 0;
	return find_row(walker, space, address - 1)->is_mapped ? address : 0;
}

/* Steps by a row of aarch64, whose return address may be in the walker's lr. */
static bool step_by_arm_row(struct walker *walker, const struct walker_space *space,
			    struct frame *frame, const struct unwind_row *row,
			    const struct walker_stack *stack, enum walker_end *end)
{
	switch ((enum unwind_kind)row->kind) {
	case UNWIND_ARM_SP:
	case UNWIND_ARM_BP:
		return arm_step_by_row(frame, row, walker->lr, stack, end);
	case UNWIND_ARM_SIGNAL:
		return arm_step_out_of_signal(frame, &walker->lr, stack, end);
	case UNWIND_ARM_GAP:
		return step_out_of_gap(walker, space, frame, stack, end);
	default:
		return false;
	}
}

/* Returns how many frames to give out of the @count that a walk found. The last @unnamed of them
 * are in unnamed code. */
static size_t leave_out_guesses(size_t count, size_t unnamed, enum walker_end *end)
{
	const bool is_chain = *end == WALKER_CUT && unnamed >= CHAIN_FRAMES;

	if (!unnamed || is_chain || *end == WALKER_COMPLETE || *end == WALKER_LOADING ||
	    *end == WALKER_DEEP)
		return count;
	*end = WALKER_NO_MAP;
	return count - unnamed + 1;
}

/* Walks on from @frame, which is written to @frames[@count]. @registers: the leaf's if @frame is
 * the leaf, else NULL. */
static size_t walk_from(struct walker *walker, const struct walker_space *space,
			struct frame frame, const struct walker_registers *registers,
			const struct walker_stack *stack, uint64_t *frames, size_t count,
			size_t room, enum walker_end *end)
{
	size_t limit = room < WALKER_FRAMES_MAX ? room : WALKER_FRAMES_MAX;
	struct trail trail = { frame, count, registers ? registers->bx : 0,
			       !registers || !registers->has_others };
	const struct walker_cached *found;
	size_t unnamed = 0;
	bool has_more;

	do {
		found = find_frame(walker, space, &frame);
		if (count > 0 && !found->is_mapped) {
			/* A row proves where the return address is: Go's goexit has 0 there. */
			*end = frame.ip || frame.is_exact ? WALKER_LOST : WALKER_COMPLETE;
			break;
		}
		if (count == limit) {
			*end = WALKER_DEEP;
			break;
		}
		walker->exact[count / 64] |= (uint64_t)frame.is_exact << count % 64;
		frames[count] = frame.ip;
		unnamed = found->is_unnamed ? unnamed + 1 : 0;
		has_more = step(space, &frame, found, stack, end);
		if (!has_more && *end == WALKER_COMPLEX && space->machine == MACHINE_AARCH64) {
			has_more = step_by_arm_row(walker, space, &frame, &found->row, stack, end);
		} else if (!has_more && *end == WALKER_COMPLEX && is_other(&found->row)) {
			const struct unwind_row row = found->row;	/* the cache moves on */

			find_bx(walker, space, &trail, registers, stack, count);
			has_more = step_by_other(&frame, &row, registers, &trail, stack, end);
		}
		count++;
	} while (has_more);
	walker->last_sp = frame.sp;
	return leave_out_guesses(count, unnamed, end);
}

size_t walker_walk(struct walker *walker, const struct walker_space *space,
		   const struct walker_registers *registers, const struct walker_stack *stack,
		   uint64_t *frames, size_t room, enum walker_end *end)
{
	const struct frame leaf = { registers->ip, registers->sp, registers->bp, .is_exact = true };

	assert(room > 0);
	memset(walker->exact, 0, sizeof(walker->exact));
	walker->lr = registers->lr;
	return walk_from(walker, space, leaf, registers, stack, frames, 0, room, end);
}

size_t walker_resume(struct walker *walker, const struct walker_space *space,
		     const struct remote_frame *found, size_t found_count,
		     const struct walker_stack *stack, uint64_t *frames, size_t room,
		     enum walker_end *end)
{
	const size_t limit = room < WALKER_FRAMES_MAX ? room : WALKER_FRAMES_MAX;
	const struct remote_frame *at = found;
	size_t count = 0;

	assert(found_count > 0 && room > 0);
	memset(walker->exact, 0, sizeof(walker->exact));
	while (count + 1 < found_count && count + 1 < limit &&
	       (!count || find_row(walker, space, at->ip - !at->is_exact)->is_mapped)) {
		walker->exact[count / 64] |= at->is_exact << count % 64;
		frames[count++] = at++->ip;
	}
	walker->lr = at->lr;
	return walk_from(walker, space,
			 (struct frame){ at->ip, at->sp, at->bp, .is_exact = at->is_exact }, NULL,
			 stack, frames, count, room, end);
}
