/* user_registers.h - the registers of the interrupted user code in a sample.
 *
 * Use:    capture requests user_registers_mask() from the kernel; unwinding reads them here.
 *         Another architecture needs another table in src/capture/user_registers.c.
 * Source: perf_event_open(2) PERF_SAMPLE_REGS_USER; <asm/perf_regs.h> for the kernel's order; the
 *         psABI for DWARF's numbers.
 * Thread: any, pure.
 */
#ifndef CAPTURE_USER_REGISTERS_H
#define CAPTURE_USER_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/event_record.h"

struct user_registers {
	uint64_t ip, sp, bp;
};

/* Returns the value for perf_event_attr.sample_regs_user: all registers that unwinding may need.
 * 0: there is no table for this architecture, and no stack can be unwound. */
uint64_t user_registers_mask(void);

/* Reads the registers from @sample; @mask: record_format.user_regs_mask of its event. Returns false
 * when the sample has no registers (a kernel thread, an event without), lacks one of these, or is
 * from another architecture. Those of 32-bit code (PERF_SAMPLE_REGS_ABI_32) are zero-extended. */
bool user_registers_read(uint64_t mask, const struct record_sample *sample,
			 struct user_registers *out);

/* Returns the index of the register with DWARF number @number among the words that @mask selects;
 * -1: none. */
int user_registers_place(uint64_t mask, unsigned int number);

/* Reads one register by its DWARF number (x86-64: 0 rax ... 15 r15, 16 the return address: rip).
 * Returns false as user_registers_read() does. */
bool user_registers_find(uint64_t mask, const struct record_sample *sample, unsigned int number,
			 uint64_t *out);

#endif
