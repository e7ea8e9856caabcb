/* arm_step.c - see arm_step.h.
 *
 * Signed return addresses: the signature is in the bits above the address space's, 48 bits wide but
 * where a program asks mmap(2) for more, and never in bit 55, which tells the kernel's addresses
 * from the user's. They are cleared in every return address, whether or not the row says that it is
 * signed: that changes no address without signature, and rows of code written by hand, frame
 * records and JIT compilers don't say it.
 *
 * Where sp is only known to be a lower bound: a frame record has the caller's x29 and the return
 * address, but not where the caller's frame begins. A caller that saves x29 and x30 side by side
 * makes x29 point there, so that its row leads on, counted from x29 in place of sp.
 *
 *         sp ->| siginfo                |	kernel: struct rt_sigframe
 *              | ucontext: x0 .. x30,   |
 *              |   sp, pc, pstate       |
 *              | FPSIMD, SVE ...        |
 *        x29 ->| x29 | x30              |	the kernel's frame record: those interrupted
 *
 * Since Linux 5.8 the vdso has no unwind entry for the return from a signal; the C library has none
 * either. By the frame record alone the interrupted function would be missing. So code without a
 * row is checked for such a frame: its record must repeat x29 and x30 of the context at sp.
 */
#include "arm_step.h"

#define SIGNAL_X29 544	/* siginfo 128, ucontext 176, fault address 8, 29 * 8 */
#define SIGNAL_X30 552
#define SIGNAL_SP  560
#define SIGNAL_PC  568

bool arm_step_by_row(struct frame *frame, const struct unwind_row *row, uint64_t lr,
		     const struct walker_stack *stack, enum walker_end *end)
{
	const bool saves_bp = row->bx & UNWIND_SAVES_BP, saves_lr = row->bx & UNWIND_SAVES_LR;
	const uint64_t base = row->kind == UNWIND_ARM_SP ? frame->sp : frame->bp;
	uint64_t cfa = base + 8 * (uint64_t)(int64_t)row->cfa;
	uint64_t slot = (row->bx & UNWIND_FROM_BASE ? base : cfa) + 8 * (uint64_t)(int64_t)row->bp;
	struct frame caller = { .ip = lr, .bp = frame->bp };

	*end = WALKER_LOST;
	if (frame->is_sp_low && row->kind == UNWIND_ARM_SP) {
		if (!saves_bp || !saves_lr)
			return false;
		cfa += frame->bp - slot;
		slot = frame->bp;
	}
	if (cfa < frame->sp || (saves_lr ? cfa == frame->sp : !frame->is_exact || !lr))
		return false;
	*end = unread_end(frame, cfa);
	/* Go saves x29 below its frame, where the copy of an interrupted frame does not reach, nor
	 * that of its caller's if it has none. */
	if (saves_bp && slot >= stack->start && !(frame->is_exact && slot < frame->sp) &&
	    !read_word(stack, slot, &caller.bp))
		return false;
	if (saves_lr && !read_word(stack, slot + (saves_bp ? 8 : 0), &caller.ip))
		return false;
	caller.ip = arm_address(caller.ip);
	caller.sp = cfa;
	*frame = caller;
	return true;
}

bool arm_step_by_record(struct frame *frame, const struct walker_stack *stack, enum walker_end *end)
{
	struct frame caller = { .sp = frame->bp + 16, .is_sp_low = true };

	/* The ABI's mark of the outermost frame is 0. Code that was interrupted may have any value
	 * in x29; a caller's has been kept over a call. */
	*end = frame->bp || frame->is_exact ? WALKER_LOST : WALKER_COMPLETE;
	if (frame->bp < frame->sp || frame->bp % 8)
		return false;
	*end = unread_end(frame, frame->bp);
	if (!read_word(stack, frame->bp, &caller.bp) ||
	    !read_word(stack, frame->bp + 8, &caller.ip))
		return false;
	caller.ip = arm_address(caller.ip);
	*frame = caller;
	*end = WALKER_LOST;
	return frame->ip != 0;	/* it was a guess, and led to any zero */
}

void arm_step_by_lr(struct frame *frame, uint64_t lr, const struct walker_stack *stack)
{
	struct frame caller = { .ip = lr, .sp = frame->sp, .bp = frame->bp, .is_sp_low = true };
	uint64_t bp, saved;

	/* The function may have made its frame record before it was interrupted. */
	if (frame->bp >= frame->sp && read_word(stack, frame->bp, &bp) &&
	    read_word(stack, frame->bp + 8, &saved) && arm_address(saved) == lr) {
		caller.sp = frame->bp + 16;
		caller.bp = bp;
	}
	*frame = caller;
}

bool arm_is_signal(const struct frame *frame, const struct walker_stack *stack)
{
	uint64_t x29, x30, record[2];

	return !frame->is_sp_low && frame->bp > frame->sp + SIGNAL_PC &&
	       read_word(stack, frame->bp, &record[0]) &&
	       read_word(stack, frame->bp + 8, &record[1]) &&
	       read_word(stack, frame->sp + SIGNAL_X29, &x29) &&
	       read_word(stack, frame->sp + SIGNAL_X30, &x30) && x29 == record[0] &&
	       x30 == record[1];
}

bool arm_step_out_of_signal(struct frame *frame, uint64_t *lr, const struct walker_stack *stack,
			    enum walker_end *end)
{
	struct frame interrupted = { .is_exact = true };
	uint64_t x30;

	*end = frame->is_sp_low ? WALKER_LOST : WALKER_CUT;
	if (frame->is_sp_low || !read_word(stack, frame->sp + SIGNAL_X29, &interrupted.bp) ||
	    !read_word(stack, frame->sp + SIGNAL_X30, &x30) ||
	    !read_word(stack, frame->sp + SIGNAL_SP, &interrupted.sp) ||
	    !read_word(stack, frame->sp + SIGNAL_PC, &interrupted.ip))
		return false;
	*lr = x30;
	*frame = interrupted;
	return true;
}
