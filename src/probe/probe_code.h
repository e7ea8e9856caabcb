/* probe_code.h - the machine code where a breakpoint of user space would go: whether an instruction
 * begins there, and what a hit will cost.
 *
 * Source: arch/x86/kernel/uprobes.c, which emulates some instructions and steps over the others.
 * Thread: any.
 */
#ifndef PROBE_PROBE_CODE_H
#define PROBE_PROBE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROBE_CODE_TAIL	     32		/* bytes behind a place that are looked at */

struct probe_code {
	bool is_known;		/* false: something before it is no instruction, so nobody knows;
				 * or there was no memory to decode it */
	bool is_border;		/* an instruction begins there */
	bool is_emulated;	/* the kernel does it itself; else it is stepped */
	uint32_t skip;		/* ENDBR64 is there and a cheap instruction behind it: that many
				 * bytes on, registers and stack are the same */
	char text[64];		/* "lea rax, [rdi + rsi]"; of the instruction that contains it */
};

/* @bytes[@count]: code from the begin of a function to PROBE_CODE_TAIL bytes behind @at, or to its
 * end. */
void probe_code_look(const uint8_t *bytes, size_t count, uint64_t at, bool is_32_bit,
		     struct probe_code *out);

/* True: @bytes[@count] begin as compilers begin functions that call others or keep registers:
 * endbr64, push of a register, or sub from the stack pointer. False: a function may still begin
 * there, but parts of functions begin so, too. */
bool probe_code_begins_function(const uint8_t *bytes, size_t count);

/* ns of a hit, as measured on an idle machine: of the entry's record, and of the return's. */
uint32_t probe_code_cost_ns(bool is_emulated, bool has_entry, bool has_return);

#endif
