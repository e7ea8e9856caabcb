/* user_registers.c - see user_registers.h.
 *
 * A sample holds one word per bit of the mask, lowest bit first: a register's place is the number
 * of bits below its own. Recordings choose their own mask, so a place is never a constant.
 */
#include "capture/user_registers.h"

#include <linux/perf_event.h>
#include <stddef.h>

#ifdef __x86_64__
#include <asm/perf_regs.h>

/* Kernel's register numbers by DWARF number. */
static const unsigned char kernel_numbers[] = {
	PERF_REG_X86_AX,  PERF_REG_X86_DX,  PERF_REG_X86_CX,  PERF_REG_X86_BX,
	PERF_REG_X86_SI,  PERF_REG_X86_DI,  PERF_REG_X86_BP,  PERF_REG_X86_SP,
	PERF_REG_X86_R8,  PERF_REG_X86_R9,  PERF_REG_X86_R10, PERF_REG_X86_R11,
	PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14, PERF_REG_X86_R15,
	PERF_REG_X86_IP,
};
enum { NUMBER_COUNT = sizeof(kernel_numbers), NUMBER_BP = 6, NUMBER_SP = 7, NUMBER_IP = 16 };

/* All bits that the kernel uses on this architecture. Masks of others have higher bits and are
 * refused, so that x7 of an ARM recording is not taken for a stack pointer. */
#define KNOWN_BITS ((UINT64_C(1) << PERF_REG_X86_64_MAX) - 1)

#else

static const unsigned char kernel_numbers[] = { 0 };
enum { NUMBER_COUNT = 0, NUMBER_BP = 0, NUMBER_SP = 0, NUMBER_IP = 0 };
#define KNOWN_BITS UINT64_C(0)

#endif

uint64_t user_registers_mask(void)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < NUMBER_COUNT; i++)
		mask |= UINT64_C(1) << kernel_numbers[i];
	return mask;
}

int user_registers_place(uint64_t mask, unsigned int number)
{
	uint64_t bit;

	if (number >= NUMBER_COUNT || (mask & ~KNOWN_BITS))
		return -1;
	bit = UINT64_C(1) << kernel_numbers[number];
	return mask & bit ? __builtin_popcountll(mask & (bit - 1)) : -1;
}

bool user_registers_find(uint64_t mask, const struct record_sample *sample, unsigned int number,
			 uint64_t *out)
{
	const int place = user_registers_place(mask, number);

	if (!sample->user_regs || place < 0)
		return false;
	*out = sample->user_regs[place];
	return true;
}

bool user_registers_read(uint64_t mask, const struct record_sample *sample,
			 struct user_registers *out)
{
	return user_registers_find(mask, sample, NUMBER_IP, &out->ip) &&
	       user_registers_find(mask, sample, NUMBER_SP, &out->sp) &&
	       user_registers_find(mask, sample, NUMBER_BP, &out->bp);
}
