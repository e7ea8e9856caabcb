/* unwind_table.h - the checked unwind rows of one DSO: how to get from a frame to its caller.
 *
 *   | header | rows[row_count], sorted by start |
 *
 * A row applies from its start to the start of the next row; a gap is a row of its own. Addresses
 * are file offsets, as in sandbox/flat_table.h. The rows are those of the machine that the file is
 * for, whatever machine flametop runs on.
 *
 * x86-64 has the return address at CFA - 8, except in UNWIND_DI rows. aarch64 saves x29 (the frame
 * pointer) and x30 (lr, the return address) anywhere in the frame, mostly side by side, or leaves
 * x30 where the call put it:
 *
 *         sp ->| outgoing arguments     |
 *        x29 ->| x29                    |  CFA + 8 * bp, or from the base: sp or x29, + 8 * bp
 *              | x30                    |  + 8
 *              | locals                 |
 *        CFA ->| the caller's frame     |
 *
 * Use:    built in a worker (elf/elf_cfi.h). Call unwind_table_check() once when the bytes arrive;
 *         look-ups then trust the table: a binary search, no allocation, no lock, no IPC.
 * Source: DWARF 5, 6.4; System V ABI AMD64, 3.6.2 (registers: 3 rbx, 5 rdi, 6 rbp, 7 rsp, 16 return
 *         address); DWARF for the Arm 64-bit Architecture, 4.1 (29 x29, 30 x30, 31 sp).
 * Thread: any; immutable after the check.
 */
#ifndef SANDBOX_UNWIND_TABLE_H
#define SANDBOX_UNWIND_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/build_id.h"
#include "base/diag.h"
#include "base/machine.h"

#define UNWIND_TABLE_MAGIC   0x31574e55504d4c46ull /* "FLMPUNW1" */
#define UNWIND_TABLE_VERSION 3
#define UNWIND_BYTES_MAX     (64u << 20)	/* 8 million rows; LLVM has one million */

enum unwind_kind {
	UNWIND_GAP,	/* no unwind entry covers the code: JIT, hand-written code */
	UNWIND_SP,	/* CFA = sp + 8 * cfa */
	UNWIND_BP,	/* CFA = bp + 8 * cfa */
	UNWIND_PLT,	/* CFA = sp + 8; sp + 16 from byte `cfa` of each 16-byte PLT slot on (byte
			 * 11, another where slots begin with ENDBR64); `bp` is 0 */
	UNWIND_SP_WORD,	/* CFA = 8 + the word at sp + 8 * cfa: OpenSSL where it aligns the stack */
	UNWIND_BP_WORD,	/* CFA = the word at bp + 8 * cfa, caller's bp = the word at bp: gcc where
			 * it aligns the stack; `bp` is 0 */
	UNWIND_BX,	/* CFA = bx + 8 * cfa: ld.so where it resolves a call or aligns the stack */
	UNWIND_DI,	/* CFA = sp + 8 * cfa, the return address is in di: vfork(). Leaf frames
			 * only: no callee preserves di */
	UNWIND_SIGNAL,	/* signal frame: bp, bx, sp, ip of the interrupted frame are at sp + 120,
			 * 128, 160, 168 */
	UNWIND_END,	/* the return address is undefined: the outermost frame */
	UNWIND_COMPLEX,	/* a rule that a row can't express */
	/* Only aarch64, which of the kinds above has UNWIND_GAP, UNWIND_END and UNWIND_COMPLEX. */
	UNWIND_ARM_SP,	/* CFA = sp + 8 * cfa */
	UNWIND_ARM_BP,	/* CFA = x29 + 8 * cfa */
	UNWIND_ARM_SIGNAL,	/* signal frame: sp points to the kernel's struct rt_sigframe */
	UNWIND_ARM_GAP,	/* UNWIND_GAP in the walker, never in a table */
	UNWIND_KINDS
};

/* unwind_row.bx of UNWIND_ARM_SP and UNWIND_ARM_BP: what is saved in the word at `bp`. */
enum unwind_saves {
	UNWIND_SAVES_LR = 1,	/* x30; in the next word if x29 is saved, too. Else it is in x30 */
	UNWIND_SAVES_BP = 2,	/* x29; else it is still in x29, or lost */
	UNWIND_FROM_BASE = 4,	/* `bp` counts from sp or x29, not from the CFA: in large frames */
};

struct unwind_row {
	uint32_t start;
	int16_t cfa;	/* in units of 8 bytes */
	int8_t bp;	/* x86-64: the caller's bp is saved at CFA + 8 * bp; 0: still in bp, or
			 * lost. aarch64: where `bx` is saved */
	uint8_t kind : 4;	/* enum unwind_kind */
	uint8_t bx : 4;	/* x86-64: the caller's bx is saved at CFA - 8 * bx; 0: still in bx, or
			 * lost. aarch64: enum unwind_saves */
};

#define UNWIND_KIND_MASK    15
#define UNWIND_BX_ELSEWHERE 15
#define UNWIND_SAVES_PAIR   (UNWIND_SAVES_LR | UNWIND_SAVES_BP)

static inline bool unwind_row_is_same_rule(const struct unwind_row *a, const struct unwind_row *b)
{
	return a->kind == b->kind && a->cfa == b->cfa && a->bp == b->bp && a->bx == b->bx;
}

struct unwind_header {
	uint64_t magic;
	uint32_t version;
	uint32_t row_count;
	/* Used to decide whether frame pointers can be relied on. */
	uint64_t code_bytes;	/* code that unwind entries cover */
	uint64_t bp_bytes;	/* part of it with a frame that bp points to: x86-64: CFA = bp + 16;
				 * aarch64: x29 and x30 saved; or at a function's edges */
	struct build_id build_id;	/* as found in the DSO, count 0 if none */
	uint8_t machine;	/* enum machine of the code; MACHINE_UNKNOWN: there are no rows */
	uint8_t padding[2];
};

struct unwind_table {
	const struct unwind_header *header;	/* both BORROWED from the checked bytes */
	const struct unwind_row *rows;
};

/* Checks sizes against @bytes_count, sortedness, that the kinds are the machine's, and that the
 * last row is a gap. Returns 0, or -EBADMSG with the reason; then *@out is unusable. @bytes must
 * outlive *@out and never change (sealed memfd, or own memory). */
int unwind_table_check(struct unwind_table *out, const void *bytes, size_t bytes_count,
		       struct diag *why);

/* Returns the row that applies at @address; before the first row, an UNWIND_GAP row. Never NULL. */
const struct unwind_row *unwind_table_find(const struct unwind_table *table, uint64_t address);

size_t unwind_table_bytes(const struct unwind_table *table);	/* from its header on */

#endif
