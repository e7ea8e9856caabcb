/* lines.h - both sides of a SANDBOX_LINE_RANGES job: which source line each byte of some code
 * comes from, with the calls inlined there, and the places where lines begin.
 *
 *   | header | ranges[] | statements[] | frames[] | files[] | strings, last byte NUL |
 *
 * Ranges are sorted by their begin and don't overlap; code without a range has no line. A range has
 * the frames first <= f < first + count: the innermost inlined function first, the function that
 * contains the code last. Ranges that follow each other may share frames.
 *
 * Inputs: the DSO; the query, a sealed memfd with one struct line_query; then the debug file if
 *         there is one, then dwz's file if there is one.
 * Use:    built in the worker (elf/file_jobs.h), asked for with line_files_read(). Call
 *         line_ranges_check() once when the bytes arrive; readers trust their structure from then
 *         on, but no text in them.
 * Thread: any; immutable after the check.
 */
#ifndef SANDBOX_LINES_H
#define SANDBOX_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/build_id.h"
#include "base/diag.h"
#include "sandbox/code_rows.h"

/* The checked reply of a SANDBOX_LINES job: source lines and inline chains.
 *
 *   | header | first[address_count + 1] | frames[frame_count] | strings[string_bytes], last NUL |
 *
 * Address i, in the order of the request, has the frames first[i] <= f < first[i + 1]: innermost
 * first, the containing function last. No frames: the address is not in the debug information.
 *
 * Use:    built in the worker (elf/file_jobs.h). Call line_chains_check() once when the bytes
 *         arrive; readers trust them from then on.
 * Thread: any; immutable after the check.
 */

#define LINE_CHAINS_MAGIC     0x314e4c4c504d4c46ull	/* "FLMPLLN1" */
#define LINE_CHAINS_VERSION   2
#define LINE_ADDRESSES_MAX    256	/* rows on the largest terminals, and a margin */
#define LINE_DEPTH_MAX	      64	/* gcc and clang were seen to inline 20 deep */
#define LINE_CHAINS_BYTES_MAX (4u << 20)
#define LINE_ALTERNATE_BYTES  126	/* "x86_64-linux-gnu/PACKAGE.debug", terminated */

struct line_header {
	uint64_t magic;
	uint32_t version;
	uint32_t address_count;
	uint32_t frame_count;
	uint32_t string_bytes;
	struct build_id build_id;	/* as found in the DSO, count 0 if none */
	/* Build-id of the shared debug file (dwz) that the debug information refers to and that was
	 * not an input or had another build-id; count 0: none. Without it some names are missing;
	 * with DWARF_LINES_NOT_ASKED (elf/file_jobs.h) the reply has no frames. */
	struct build_id alternate;
	char alternate_name[LINE_ALTERNATE_BYTES];	/* path below .dwz, untrusted; "": none */
};

_Static_assert(sizeof(struct line_header) == 192, "no gaps that nobody fills");

struct line_frame {
	uint32_t function;	/* demangled name, offset into the strings; "": unknown */
	uint32_t file;		/* full path as recorded, offset into the strings; "": unknown */
	uint32_t line;		/* 0: unknown */
	/* Line where the function is declared, or else where its code begins; 0: unknown. */
	uint32_t first_line;
};

struct line_chains {
	const struct line_header *header;	/* all four BORROWED from the checked bytes */
	const uint32_t *first;
	const struct line_frame *frames;
	const char *strings;
};

/* Checks @bytes[@bytes_count], aligned as memory of malloc() or mmap(), as the reply for
 * @address_count addresses. *@out then points into them. Returns 0, or -EBADMSG with the reason. */
int line_chains_check(struct line_chains *out, const void *bytes, size_t bytes_count,
		      uint32_t address_count, struct diag *why);

/* Returns the text at @offset, a struct line_frame field: raw, NUL-terminated, BORROWED. */
static inline const char *line_chains_text(const struct line_chains *chains, uint32_t offset)
{
	return chains->strings + offset;
}

#define LINE_RANGES_MAGIC     0x31474e4c504d4c46ull	/* "FLMPLNG1" */
#define LINE_RANGES_VERSION   1
#define LINE_RANGES_BYTES_MAX (32u << 20)
#define LINE_RANGES_MAX	      (1u << 18)
#define LINE_STATEMENTS_MAX   (1u << 18)
#define LINE_FILES_MAX	      4096
#define LINE_NAME_BYTES	      256
#define LINE_TEXT_BYTES_MAX   (4u << 20)	/* embedded source of all files */

/* Filled by flametop, so the worker trusts it. Zero it before filling it. What is asked for is the
 * code of `ranges`; or, with range_count 0, the code of all functions named `function`, out of line
 * and inlined; or, if that is "", all code whose line is in the file `source`. */
struct line_query {
	uint32_t range_count;
	uint8_t has_debug, has_alternate;	/* whether these optional inputs are present */
	uint8_t no_alternate;			/* dwz's file can't be had: don't ask for it */
	/* The DSO is the debug file of the kernel or a module, and the debug file its layout (a
	 * sealed struct kernel_layout): offsets are addresses of the running kernel. */
	uint8_t is_of_kernel;
	uint64_t memory_bytes;	/* debug information that needs more is not read */
	/* As in a probe: a plain or a linkage name; with ':' the beginning of a demangled one. */
	char function[LINE_NAME_BYTES];
	/* The last components of a path: "fork.c", "kernel/fork.c". With a function: only one that
	 * is declared there; "": any. */
	char source[LINE_NAME_BYTES];
	struct {
		uint64_t begin, end;
	} ranges[CODE_RANGES_MAX];
};

enum line_range_flag {
	LINE_IS_STATEMENT = 1,	/* a statement begins at the range's begin: it can be probed */
};

struct line_range {
	uint64_t begin, end;		/* as in the query */
	uint32_t first, count;		/* frames; count is at least 1 */
	uint32_t flags;			/* enum line_range_flag */
	uint32_t column;		/* where the code is in its line; 0: unknown */
};

enum line_statement_flag {
	/* The address means this line: perf-probe(1) marks a line if it has such a statement. Other
	 * statements share their address with one of another line that comes before them. */
	LINE_IS_MARKED = 1,
	LINE_IS_DECLARATION = 2,	/* the function's own line, at its entry */
	LINE_IS_CALL = 4,		/* the line of an inlined call, at the entry of the copy */
};

/* A place where a line begins: a row of the line table that begins a statement, or one of the above
 * flags. Sorted by `at`, of one address in the order of the line table. */
struct line_statement {
	uint64_t at;			/* inside a range, in whose frames `frame` is */
	uint32_t file, line;
	uint32_t frame;			/* the function that the line is in */
	uint32_t flags;			/* enum line_statement_flag */
};

struct line_range_frame {
	uint32_t function;	/* text: demangled name; "": unknown */
	uint32_t file;		/* index into files[]; UINT32_MAX: unknown */
	uint32_t line;		/* 0: unknown. Of the innermost frame the line of the code, of the
				 * others the line of the inlined call */
	/* Where the function is declared; UINT32_MAX and 0: unknown. */
	uint32_t declared_file, declared_line;
};

struct line_file {
	uint32_t path;		/* text: whole path, as recorded; may be relative */
	uint32_t text;		/* text: source embedded in the debug information; "": none */
	uint8_t has_md5;	/* 0 or 1 */
	uint8_t padding[3];
	uint8_t md5[16];
};

struct line_ranges_header {
	uint64_t magic;
	uint32_t version;
	uint32_t range_count, statement_count, frame_count, file_count, string_bytes;
	/* Where the function that query.function names is declared; if there are several, the first
	 * one, and the reply has only code of functions declared there. UINT32_MAX and 0: none. */
	uint32_t named_file, named_line;
	struct build_id build_id;	/* as found in the DSO, count 0 if none */
	struct build_id alternate;	/* as in struct line_header */
	char alternate_name[LINE_ALTERNATE_BYTES];
};

_Static_assert(sizeof(struct line_range) == 32 && sizeof(struct line_statement) == 24 &&
	       sizeof(struct line_range_frame) == 20 && sizeof(struct line_file) == 28 &&
	       sizeof(struct line_ranges_header) == 208, "no gaps that nobody fills");

struct line_ranges {
	const struct line_ranges_header *header;	/* all BORROWED from the checked bytes */
	const struct line_range *ranges;
	const struct line_statement *statements;
	const struct line_range_frame *frames;
	const struct line_file *files;
	const char *strings;
};

/* Checks @bytes[@bytes_count], aligned as memory of malloc() or mmap(). *@out then points into
 * them. Returns 0, or -EBADMSG with the reason. */
int line_ranges_check(struct line_ranges *out, const void *bytes, size_t bytes_count,
		      struct diag *why);

/* Returns the text at @offset: raw, NUL-terminated, BORROWED. */
static inline const char *line_ranges_text(const struct line_ranges *lines, uint32_t offset)
{
	return lines->strings + offset;
}

/* Returns the path of files[@file], raw and BORROWED; "" for UINT32_MAX. */
static inline const char *line_ranges_path(const struct line_ranges *lines, uint32_t file)
{
	return file == UINT32_MAX ? "" : line_ranges_text(lines, lines->files[file].path);
}

/* Returns the range that contains @at (an offset or address, as in the query); NULL: none. */
const struct line_range *line_ranges_find(const struct line_ranges *lines, uint64_t at);

/* Builds the form of line_ranges.h from a list of lines that has no inlined calls: of
 * BPF programs and of code in a jitdump.
 *
 * Thread: any.
 */

/* Code of one line. */
struct line_list_row {
	uint64_t begin, end;	/* addresses; it is cut where the next row begins */
	uint32_t line, column;	/* 0: unknown */
	const char *file;	/* BORROWED: its path */
	/* BORROWED: the line's source, up to a newline or its end; NULL: only the file has it. Such
	 * texts become the file's embedded source, each at its number, empty lines between them. */
	const char *text;
};

/* Sorts @rows[@count] and builds the ranges of @function. *@bytes is malloc'd for the caller, for
 * line_ranges_check(). 0; -ENODATA: there are no rows; -E2BIG or -ENOMEM. */
int line_list_build(struct line_list_row *rows, uint32_t count, const char *function, void **bytes,
		    size_t *bytes_count);

#endif
