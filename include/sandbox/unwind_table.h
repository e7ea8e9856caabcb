/* unwind_table.h - the checked unwind rows of one object: how to get from a frame to its caller.
 *
 *   | header | rows[row_count], sorted by start |
 *
 * A row holds from its start to the next one's; a gap is a row of its own. Addresses are file
 * offsets, as in sandbox/flat_table.h. The return address of x86-64 is at CFA - 8, but for
 * UNWIND_DI.
 *
 * Use:    made in a worker (elf/elf_cfi.h). unwind_table_check() once when the bytes arrive;
 *         look-ups afterwards trust the table: a binary search, no allocation, no lock, no IPC.
 * Source: DWARF 5, 6.4; System V ABI AMD64, 3.6.2 (registers: 3 rbx, 5 rdi, 6 rbp, 7 rsp, 16 return
 *         address).
 * Thread: immutable after the check; any.
 */
#ifndef SANDBOX_UNWIND_TABLE_H
#define SANDBOX_UNWIND_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/build_id.h"
#include "base/diag.h"

#define UNWIND_TABLE_MAGIC   0x31574e55504d4c46ull /* "FLMPUNW1" */
#define UNWIND_TABLE_VERSION 2
#define UNWIND_BYTES_MAX     (64u << 20)	/* 8 million rows; LLVM has one million */

enum unwind_kind {
	UNWIND_GAP,	/* no entry covers it: JIT, hand-written code */
	UNWIND_SP,	/* CFA = sp + 8 * cfa */
	UNWIND_BP,	/* CFA = bp + 8 * cfa */
	UNWIND_PLT,	/* CFA = sp + 8, + 8 more from byte `cfa` of a slot of 16 bytes on: 11, or
			 * another where slots begin with ENDBR64; `bp` is 0 */
	UNWIND_SP_WORD,	/* CFA = 8 + the word at sp + 8 * cfa: OpenSSL where it aligns the stack */
	UNWIND_BP_WORD,	/* CFA = the word at bp + 8 * cfa, the caller's bp is that at bp: gcc
			 * where it aligns the stack; `bp` is 0 */
	UNWIND_BX,	/* CFA = bx + 8 * cfa: ld.so where it resolves a call or aligns the stack */
	UNWIND_DI,	/* CFA = sp + 8 * cfa, the return address is in di: vfork(). Of a leaf only,
			 * as nobody keeps di over a call */
	UNWIND_SIGNAL,	/* of a signal: bp, bx, sp, ip of the interrupted are at sp + 120, 128,
			 * 160, 168 */
	UNWIND_END,	/* the return address is undefined: the outermost frame */
	UNWIND_COMPLEX,	/* what a row can't express */
	UNWIND_KINDS
};

struct unwind_row {
	uint32_t start;
	int16_t cfa;	/* in units of 8 bytes */
	int8_t bp;	/* where the caller's bp is: CFA + 8 * bp; 0: in bp, or lost */
	uint8_t kind : 4;	/* enum unwind_kind */
	uint8_t bx : 4;	/* where the caller's bx is: CFA - 8 * bx; 0: in bx, or lost */
};

#define UNWIND_KIND_MASK    15
#define UNWIND_BX_ELSEWHERE 15

static inline bool unwind_row_is_same_rule(const struct unwind_row *a, const struct unwind_row *b)
{
	return a->kind == b->kind && a->cfa == b->cfa && a->bp == b->bp && a->bx == b->bx;
}

struct unwind_header {
	uint64_t magic;
	uint32_t version;
	uint32_t row_count;
	/* For the choice of frame pointers. */
	uint64_t code_bytes;	/* of functions that entries cover */
	uint64_t bp_bytes;	/* of these: CFA = bp + 16, or a function's first or last ones */
	struct build_id build_id;	/* as found in the object, count 0 if none */
	uint8_t padding[3];
};

struct unwind_table {
	const struct unwind_header *header;	/* BORROWED: the bytes that were checked */
	const struct unwind_row *rows;
};

/* Sizes against @bytes_count, sortedness, kinds, and that the last row is a gap. 0 or -EBADMSG with
 * the reason; then *@out is unusable. @bytes must stay and never change (sealed memfd, or own
 * memory). */
int unwind_table_check(struct unwind_table *out, const void *bytes, size_t bytes_count,
		       struct diag *why);

/* The row that holds at @address; a row of UNWIND_GAP before the first one. Never NULL. */
const struct unwind_row *unwind_table_find(const struct unwind_table *table, uint64_t address);

size_t unwind_table_bytes(const struct unwind_table *table);	/* from its header on */

#endif
