/* code_decoder.h - worker side: machine code becomes instructions, one at a time.
 *
 * A build has the decoder of the machine that it is for: code_x86.c (Zydis) or code_aarch64.c
 * (capstone), never both. Both have their rows' text in the syntax of GNU as: AT&T's on x86.
 *
 * Why two libraries: capstone 4 fails on 11 % of AVX-512 code and gives no length then; Zydis
 * knows x86 only.
 * Thread: the owner's. Only in a worker (and in tests).
 */
#ifndef ELF_CODE_DECODER_H
#define ELF_CODE_DECODER_H

#include <stdbool.h>

#include "elf_file.h"
#include "sandbox/code_rows.h"

struct code_decoder;		/* opaque */

struct code_instruction {
	uint64_t target;	/* see `flags` */
	uint8_t length;		/* bytes */
	uint8_t kind;		/* enum code_kind, neither CODE_PADDING nor CODE_DATA */
	uint8_t flags;		/* CODE_HAS_TARGET, CODE_REFERS, CODE_ENABLES_INTERRUPTS */
	bool is_fused;		/* by the CPU with the instruction before it */
	bool is_filler;		/* does nothing, or stops the program: nop, int3 */
	bool ends_flow;		/* never goes on to the next one: a jump, a return, ud2 */
	char text[CODE_TEXT_BYTES];	/* "mov    0x38(%rbp),%rax"; of a direct jump, branch or
					 * call without its target */
};

/* Returns 0 with *@out the caller's (code_decoder_destroy()); -ENOTSUP: this build has no decoder
 * for @machine; or -ENOMEM. */
int code_decoder_create(struct code_decoder **out, enum machine machine, struct diag *why);
void code_decoder_destroy(struct code_decoder *decoder);	/* NULL is fine */

/* Decodes the instruction at @bytes[@count], which runs at @address. Returns false if there is
 * none, or it is cut off. Whether it is fused is known if the previous call's ended at @address. */
bool code_decoder_next(struct code_decoder *decoder, const uint8_t *bytes, size_t count,
		       uint64_t address, struct code_instruction *out);

/* Returns how many bytes to leave out of @bytes[@count], at least 1 of which there are, where
 * code_decoder_next() found no instruction: those of one that is newer than the decoder, if its
 * encoding tells where it ends, with *@is_whole set; else up to the next place where one may
 * begin. */
size_t code_decoder_skip(struct code_decoder *decoder, const uint8_t *bytes, size_t count,
			 uint64_t address, bool *is_whole);

#endif
