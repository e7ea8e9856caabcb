/* arm_step.h - what the walker knows of a frame; and the steps of aarch64: see unwind/walk.h.
 *
 * Source: Procedure Call Standard for the Arm 64-bit Architecture, 6.4.6 (frame records); Linux,
 *         arch/arm64/kernel/signal.c and <asm/sigcontext.h> (signal frames), and
 *         arch/arm64/include/asm/pointer_auth.h (which bits sign an address).
 * Thread: the walker's.
 */
#ifndef UNWIND_ARM_STEP_H
#define UNWIND_ARM_STEP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sandbox/unwind_table.h"
#include "unwind/walk.h"

/* RLIMIT_STACK's default: what is further away than a whole stack is not on it. */
#define STACK_BYTES_MAX (8u << 20)

struct frame {
	uint64_t ip, sp, bp;
	bool is_exact;	/* it was interrupted at ip: nothing was called there */
	bool is_sp_low;	/* aarch64: the frame begins at sp or above; only its x29 is known */
};

static inline bool read_word(const struct walker_stack *stack, uint64_t address, uint64_t *word)
{
	uint64_t offset = address - stack->start;	/* below the start it is huge */

	if (stack->count < sizeof(*word) || offset > stack->count - sizeof(*word))
		return false;
	memcpy(word, stack->bytes + offset, sizeof(*word));
	return true;
}

static inline enum walker_end unread_end(const struct frame *frame, uint64_t address)
{
	return address - frame->sp < STACK_BYTES_MAX ? WALKER_CUT : WALKER_LOST;
}

/* Returns @address without the bits that sign it. */
static inline uint64_t arm_address(uint64_t address)
{
	return address >> 55 & 1 ? address : address & (((uint64_t)1 << 48) - 1);
}

/* Steps by a row of kind UNWIND_ARM_SP or UNWIND_ARM_BP. @lr: x30 of the frame that was interrupted
 * last; 0: unknown. These return false with *@end set when there is no caller to be had. */
bool arm_step_by_row(struct frame *frame, const struct unwind_row *row, uint64_t lr,
		     const struct walker_stack *stack, enum walker_end *end);

/* Steps by the frame record that x29 points to. */
bool arm_step_by_record(struct frame *frame, const struct walker_stack *stack,
			enum walker_end *end);

/* Steps to the caller at @lr out of a function without rows that was interrupted. */
void arm_step_by_lr(struct frame *frame, uint64_t lr, const struct walker_stack *stack);

/* Returns whether sp and x29 point to what the kernel pushed for a signal. */
bool arm_is_signal(const struct frame *frame, const struct walker_stack *stack);

/* Steps to what a signal interrupted; *@lr is its x30. */
bool arm_step_out_of_signal(struct frame *frame, uint64_t *lr, const struct walker_stack *stack,
			    enum walker_end *end);

#endif
