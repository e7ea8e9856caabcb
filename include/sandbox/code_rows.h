/* code_rows.h - both sides of a SANDBOX_CODE job: ranges of machine code become instructions.
 *
 *   | header | rows[row_count] | strings[string_bytes], last byte NUL |
 *
 * The rows of a range follow each other without gaps, range by range in the order of the query:
 * bytes that are no instruction are rows, too. Equal texts are there once.
 *
 * Inputs: the file with the code, a DSO or a sealed memfd; the query, a sealed memfd with one
 *         struct code_query.
 * Use:    built in the worker (elf/code_job.h). Call code_rows_check() once when the bytes arrive;
 *         readers trust their structure from then on, but no text in them.
 * Thread: any; immutable after the check.
 */
#ifndef SANDBOX_CODE_ROWS_H
#define SANDBOX_CODE_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/machine.h"

#define CODE_ROWS_MAGIC	     0x31444f43504d4c46ull	/* "FLMPCOD1" */
#define CODE_ROWS_VERSION    1
#define CODE_RANGES_MAX	     16
#define CODE_RANGE_BYTES_MAX (1u << 20)	/* all ranges; the largest of 126,108 functions has 97 kB */
#define CODE_TEXT_BYTES	     120	/* longest text of an instruction, NUL included */
#define CODE_LENGTH_MAX	     15		/* longest instruction of x86, in bytes */
#define CODE_DATA_BYTES	     8		/* longest row of data, but for unknown instructions */
#define CODE_ROWS_BYTES_MAX  (96u << 20)	/* a row of 24 bytes for each byte, and texts */

/* Samples, rows and targets count in the space of `address`: file offsets in a DSO, absolute
 * addresses in the kernel and in code that was made at run time. */
struct code_range {
	uint64_t address;	/* first byte's address; in a DSO the same as `offset` */
	uint64_t offset;	/* where the input file has it */
	uint64_t bytes;		/* at least 1 */
};

struct code_query {
	/* enum machine. MACHINE_UNKNOWN: the input is ELF and says it, and rows count in file
	 * offsets. Else the input is not parsed: its bytes run at the ranges' addresses. */
	uint32_t machine;
	uint32_t range_count;	/* at least 1 */
	struct code_range ranges[CODE_RANGES_MAX];
};

enum code_kind {
	CODE_PLAIN,
	CODE_JUMP,		/* unconditional, direct */
	CODE_BRANCH,		/* conditional, direct */
	CODE_CALL,		/* direct */
	CODE_INDIRECT_JUMP,	/* also a far one */
	CODE_INDIRECT_CALL,	/* also a far one */
	CODE_RETURN,		/* also from an interrupt or a system call */
	CODE_PADDING,		/* int3 and nops that nobody runs: after a jump or a return up to an
				 * aligned address, or at the end of the range after a call */
	CODE_DATA,		/* no instruction: up to CODE_DATA_BYTES, ".byte 0x06,0x07"; or one
				 * that is newer than the decoder, but has a length */
	CODE_KINDS
};

enum code_flag {
	CODE_FUSES = 1,		/* by the CPU with the next row: cmp or test before a branch */
	CODE_HAS_TARGET = 2,	/* jump, branch or call: `target` is where it goes */
	CODE_REFERS = 4,	/* `target` is an address relative to the instruction that it uses;
				 * of an indirect jump or call, where its target is stored */
	CODE_ENABLES_INTERRUPTS = 8,	/* they may be on again after it: sti, popf, msr daifclr */
	CODE_FLAGS = 15			/* all of them */
};

struct code_row {
	uint64_t address;
	uint64_t target;	/* in the space of `address`; 0 without CODE_HAS_TARGET and
				 * CODE_REFERS, of which a row has one at most */
	uint32_t text;		/* offset into the strings: "mov    0x38(%rbp),%rax", in AT&T syntax
				 * on x86; with CODE_HAS_TARGET without the target: "je" */
	uint8_t length;		/* bytes, at least 1 */
	uint8_t kind;		/* enum code_kind */
	uint8_t flags;		/* enum code_flag */
	uint8_t padding;	/* 0 */
};

struct code_header {
	uint64_t magic;
	uint32_t version;
	uint32_t machine;	/* enum machine, never MACHINE_UNKNOWN */
	uint32_t row_count;
	uint32_t string_bytes;
};

struct code_rows {
	const struct code_header *header;	/* all three BORROWED from the checked bytes */
	const struct code_row *rows;
	const char *strings;
};

/* Checks @bytes[@bytes_count], aligned as memory of malloc() or mmap(), as the reply to @query.
 * *@out then points into them. Returns 0, or -EBADMSG with the reason. */
int code_rows_check(struct code_rows *out, const void *bytes, size_t bytes_count,
		    const struct code_query *query, struct diag *why);

/* Returns the text of @row: raw, NUL-terminated, BORROWED. */
static inline const char *code_rows_text(const struct code_rows *rows, const struct code_row *row)
{
	return rows->strings + row->text;
}

#endif
