/* code_files.h - files with code, as workers reply what is in them: where an ELF file's code is,
 * and the code of a jitdump.
 *
 * SANDBOX_SEGMENTS: which ELF file it is, and where its parts are loaded. The reply is one struct
 *   elf_segments. Inputs: the file; for a kernel or module also a sealed memfd with a struct
 *   kernel_layout, whose build-id it must have: then the addresses are those at run time, and a
 *   module's code sections take the place of segments.
 * SANDBOX_JIT_CODE: the code that was at some addresses at a time, from a jitdump.
 *
 *   | header | the bytes of all ranges, one after the other | 0 to a multiple of 8 | lines |
 *
 *   At each address the last record until that time wins; where there is none until then, the first
 *   one after it does, because a compiler may log its code after it has run. Inputs: the jitdump;
 *   the query, a sealed memfd with one struct jit_code_query.
 *
 * Use:    built in the worker. Call the check once when the bytes arrive.
 * Thread: any; immutable after the check.
 */
#ifndef SANDBOX_CODE_FILES_H
#define SANDBOX_CODE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/build_id.h"
#include "base/diag.h"
#include "sandbox/code_rows.h"
#include "sandbox/lines.h"

#define ELF_SEGMENTS_MAGIC 0x31474553504d4c46ull	/* "FLMPSEG1" */
#define ELF_SEGMENTS_MAX   64

/* The part of a PT_LOAD segment that lies in the file. */
struct elf_segment_row {
	uint64_t address;	/* as linked; with a layout at run time */
	uint64_t offset;	/* in the file */
	uint64_t bytes;		/* neither address + bytes nor offset + bytes wraps */
	uint64_t is_code;	/* 0 or 1 */
};

struct elf_segments {
	uint64_t magic;
	struct build_id build_id;	/* count 0: none */
	uint8_t is_32_bit;
	uint16_t machine;		/* EM_X86_64... */
	uint32_t count;
	uint32_t padding;
	struct elf_segment_row rows[ELF_SEGMENTS_MAX];	/* sorted by address */
};

/* Checks @bytes[@bytes_count] and copies them. 0 or -EBADMSG with the reason. */
int elf_segments_check(struct elf_segments *out, const void *bytes, size_t bytes_count,
		       struct diag *why);

/* Returns whether the @bytes at @address, all of them, are code in the file; sets *@offset. */
bool elf_segments_find_code(const struct elf_segments *segments, uint64_t address, uint64_t bytes,
			    uint64_t *offset);

#define JIT_CODE_MAGIC	   0x31434a504d4c4f46ull
#define JIT_CODE_BYTES_MAX (jit_code_lines_at(CODE_RANGE_BYTES_MAX) + LINE_RANGES_BYTES_MAX)

struct jit_code_query {
	uint64_t time_ns;	/* CLOCK_MONOTONIC; UINT64_MAX: the newest code */
	uint32_t range_count;
	uint32_t padding;
	struct code_range ranges[CODE_RANGES_MAX];	/* their offsets are not used */
};

struct jit_code_header {
	uint64_t magic;
	uint32_t machine;	/* enum machine, never MACHINE_UNKNOWN */
	uint32_t is_later;	/* 0 or 1: some of it was logged only after the time */
	uint64_t bytes;		/* sum over all ranges */
	uint64_t lines_bytes;	/* 0: there are no lines */
};

struct jit_code {
	const struct jit_code_header *header;	/* all BORROWED from the checked bytes */
	const unsigned char *code;
	const void *lines;	/* for line_ranges_check(): of the code that has the first byte */
};

/* Returns the offset of the lines in a reply with @code_bytes bytes of code. */
static inline size_t jit_code_lines_at(uint64_t code_bytes)
{
	return (sizeof(struct jit_code_header) + (size_t)code_bytes + 7) / 8 * 8;
}

/* Checks @bytes[@bytes_count], aligned as memory of malloc() or mmap(), as the reply to a query for
 * @code_bytes bytes. 0, or -EBADMSG with the reason. */
int jit_code_check(struct jit_code *out, const void *bytes, size_t bytes_count,
		   uint64_t code_bytes, struct diag *why);

#endif
