/* probe_points.h - both sides of a SANDBOX_POINTS job: the query about a file's functions, and the
 * checked reply.
 *
 *   | header | functions[] | points[] | values[] | strings[string_bytes], last byte NUL |
 *
 * Function i has the points first_point <= p < first_point + point_count, and the values it offers
 * (its variables). A point has one value for each argument of the query, in the query's order.
 *
 * Inputs: the DSO, the query (sealed memfd with one struct point_query), then the debug file if
 *         there is one, then dwz's file if there is one.
 * Use:    built in the worker (elf/point_job.h). Call point_answer_check() once when the bytes
 *         arrive; from then on readers trust their structure, but no text in them.
 * Thread: any; immutable after the check.
 */
#ifndef SANDBOX_PROBE_POINTS_H
#define SANDBOX_PROBE_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/build_id.h"
#include "base/diag.h"
#include "sandbox/flat_table.h"
#include "sandbox/line_chains.h"

#define POINT_ANSWER_MAGIC   0x31544e50504d4c46ull	/* "FLMPPNT1" */
#define POINT_ANSWER_VERSION 1
#define POINT_ANSWER_BYTES   (4u << 20)
#define POINT_NAME_BYTES     256
#define POINT_ARGUMENTS_MAX  16
#define POINT_FUNCTIONS_MAX  64
#define POINT_SITES_MAX	     64	/* points per function */
#define POINT_OFFERED_MAX    32	/* offered values per function */

struct point_argument {
	char value[96];
	char type[24];		/* type the user asked for; "": the one in the debug information */
};

/* Filled by flametop, so the worker trusts it. Zero it before filling it. */
struct point_query {
	char function[POINT_NAME_BYTES];	/* "": only source and line select the points */
	char source[POINT_NAME_BYTES];		/* "": `line` is relative to the function's first */
	uint32_t line;				/* 0: none */
	uint32_t functions_max;			/* more matches: -E2BIG */
	uint64_t offset;			/* bytes after the function's start */
	uint64_t memory_bytes;			/* debug information that needs more is not read */
	uint32_t argument_count;
	uint8_t is_wildcard;
	uint8_t has_debug, has_alternate;	/* whether these optional inputs are present */
	uint8_t no_alternate;			/* dwz's file can't be had: don't ask for it */
	uint8_t is_of_kernel;	/* vmlinux: offsets in the reply are kernel addresses */
	uint8_t wants_links;	/* reply with the header only: build-id, debug link, flags */
	uint8_t padding[2];
	struct point_argument arguments[POINT_ARGUMENTS_MAX];
};

enum point_flag {
	POINT_IS_GO = 1,
	POINT_IS_SPLIT_STACK = 2,	/* functions may switch to another stack */
	POINT_IS_32_BIT = 4,
	POINT_HAS_SYMTAB = 8,
	POINT_HAS_DEBUG = 16,		/* debug information was read */
	POINT_HAS_EXCEPTIONS = 32,	/* has tables that C++ exception unwinding reads */
};

struct point_header {
	uint64_t magic;
	uint32_t version;
	uint32_t function_count, point_count, value_count, string_bytes;
	uint32_t flags;			/* enum point_flag */
	uint32_t no_debug_reason;	/* text: why existing debug information was not read */
	uint32_t debug_link_crc;
	struct build_id build_id;	/* as found in the DSO, count 0 if none */
	/* Build-id of the missing shared debug file, as in struct line_header. */
	struct build_id alternate;
	char alternate_name[LINE_ALTERNATE_BYTES];
	char debug_link[FLAT_LINK_BYTES];	/* untrusted; "": none */
	uint8_t padding[8];
};

_Static_assert(sizeof(struct point_header) == 280, "no gaps that nobody fills");

struct point_function {
	uint32_t name;			/* text: raw */
	uint32_t file, line;		/* place of its declaration: text; line, 0: unknown */
	uint32_t first_point, point_count;
	uint32_t first_offered, offered_count;	/* range in values[] */
};

struct point {
	uint64_t offset;	/* file offset */
	uint64_t begin;		/* file offset where the symbol or entry around the point begins */
	uint64_t bytes;		/* size of that code; 0: unknown */
	uint32_t first_value, value_count;
	uint32_t symbol;	/* text: raw symbol name of that code; "": unknown */
	uint8_t is_inlined;
	uint8_t start;		/* enum point_start */
	uint8_t padding[2];
};

/* Evidence that the code around a point begins at point.begin. */
enum point_start {
	POINT_START_SYMBOL,
	POINT_START_CALLED,	/* only an unwind entry, which says that the return address is on
				 * top of the stack there: a function, or a frameless part of one */
	POINT_START_UNCALLED,	/* only an unwind entry; the return address is not on top there */
};

enum point_origin { POINT_ORIGIN_TYPED, POINT_ORIGIN_DWARF, POINT_ORIGIN_ABI };

struct point_value {
	uint32_t name, type, fetch, reason;	/* texts; fetch "": not fetchable, see reason */
	uint8_t kind;				/* enum fetch_kind */
	uint8_t origin;				/* enum point_origin */
	uint8_t is_return;
	uint8_t padding;
};

struct point_answer {
	const struct point_header *header;	/* all five BORROWED from the checked bytes */
	const struct point_function *functions;
	const struct point *points;
	const struct point_value *values;
	const char *strings;
};

/* Checks @bytes[@bytes_count], aligned as memory of malloc() or mmap(), as the reply to @query.
 * *@out then points into them. Returns 0, or -EBADMSG with the reason. */
int point_answer_check(struct point_answer *out, const void *bytes, size_t bytes_count,
		       const struct point_query *query, struct diag *why);

/* Returns the text at @offset: raw, NUL-terminated, BORROWED. */
static inline const char *point_answer_text(const struct point_answer *answer, uint32_t offset)
{
	return answer->strings + offset;
}

#endif
