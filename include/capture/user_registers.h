/* user_registers.h - which registers of the interrupted user code a sample carries, and where.
 *
 * Use:    capture asks the kernel for user_registers_mask(); who walks the stack reads them here.
 *         Another machine is another table in src/capture/user_registers.c.
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

/* For perf_event_attr.sample_regs_user: all that unwinding may need. 0: this machine has no table,
 * and no stack can be walked. */
uint64_t user_registers_mask(void);

/* Reads them out of @sample; @mask: record_format.user_regs_mask of its event. False: it has none
 * (a kernel thread, an event without), or not these, or is another machine's. A process of 32 bits
 * (PERF_SAMPLE_REGS_ABI_32) has them zero-extended. */
bool user_registers_read(uint64_t mask, const struct record_sample *sample,
			 struct user_registers *out);

/* Which word of the registers that register is in, of those that @mask chose; -1: none. */
int user_registers_place(uint64_t mask, unsigned int number);

/* One register by its DWARF number (x86-64: 0 rax ... 15 r15, 16 the return address: rip). False as
 * above. */
bool user_registers_find(uint64_t mask, const struct record_sample *sample, unsigned int number,
			 uint64_t *out);

#endif
