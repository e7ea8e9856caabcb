/* point_code.h - worker side: the machine code where a user-space breakpoint would go: whether an
 * instruction begins there, and whether the kernel emulates it.
 *
 * Source: arch/x86/kernel/uprobes.c, which emulates some instructions and single-steps the others;
 *         arch/arm64/kernel/probes/decode-insn.c, which refuses some, too.
 * Thread: the owner's. Only in a worker (and in tests).
 */
#ifndef ELF_POINT_CODE_H
#define ELF_POINT_CODE_H

#include "point_rows.h"
#include "sandbox/code_rows.h"

#define POINT_CODE_TAIL 32	/* bytes after a site that are decoded */

/* What is known of the code at a site. */
struct point_code_look {
	uint8_t flags;		/* enum point_code */
	uint8_t skip;		/* as in struct point_site */
	char text[CODE_TEXT_BYTES];	/* instruction that contains the site; "": unknown */
};

/* Decodes @bytes[@count]: code of a function of @machine from its start to POINT_CODE_TAIL bytes
 * after @at, or to its end. Without memory, or a decoder for @machine, nothing is known; but for
 * AArch64 the text alone, since all its instructions have 4 bytes. */
void point_code_look(enum machine machine, const uint8_t *bytes, size_t count, uint64_t at,
		     struct point_code_look *out);

/* Sets `instruction`, `first`, `code` and `skip` of all sites of the reply, which are those of a
 * program's file. */
void point_code_describe(struct point_job *job);

#endif
