/* probe_code.h - checks the machine code where a user-space breakpoint would go: whether an
 * instruction begins there, and what a hit will cost.
 *
 * Source: arch/x86/kernel/uprobes.c, which emulates some instructions and single-steps the others.
 * Thread: any.
 */
#ifndef PROBE_PROBE_CODE_H
#define PROBE_PROBE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROBE_CODE_TAIL	     32		/* bytes after the site that are decoded */

struct probe_code {
	bool is_known;		/* false: bytes before it don't decode as instructions, or there was
				 * no memory to decode them */
	bool is_border;		/* an instruction begins at the site */
	bool is_emulated;	/* the kernel emulates it; else it is single-stepped */
	uint32_t skip;		/* bytes to move the site past an ENDBR64 to a cheaper instruction,
				 * with the same registers and stack */
	char text[64];		/* instruction that contains the site: "lea rax, [rdi + rsi]" */
};

/* Decodes @bytes[@count]: code from the start of a function to PROBE_CODE_TAIL bytes after @at, or
 * to the function's end. */
void probe_code_look(const uint8_t *bytes, size_t count, uint64_t at, bool is_32_bit,
		     struct probe_code *out);

/* True: @bytes[@count] begin as compilers begin functions that call others or save registers:
 * endbr64, push of a register, or sub from the stack pointer. False: a function may still begin
 * there, but parts of functions look like that, too. */
bool probe_code_begins_function(const uint8_t *bytes, size_t count);

/* Returns the cost of a hit in ns, measured on an idle machine: entry's record, return's, or
 * both. */
uint32_t probe_code_cost_ns(bool is_emulated, bool has_entry, bool has_return);

#endif
