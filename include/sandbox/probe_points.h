/* probe_points.h - both sides of a SANDBOX_POINTS job: what is asked about a file's functions, and
 * the checked answer.
 *
 *   | header | functions[] | points[] | values[] | strings[string_bytes], last byte NUL |
 *
 * Function i has the points first_point <= p < first_point + point_count, and the values that it
 * offers; a point has one value for each argument that was asked for, in that order.
 *
 * Inputs: object, query (sealed memfd with one struct point_query), then the debug file if there is
 *         one, then dwz's file if there is one.
 * Use:    made in the worker (elf/point_job.h). point_answer_check() once when the bytes
 *         arrive; what reads them afterwards trusts their form, and no text in them.
 * Thread: immutable after the check; any.
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
#define POINT_SITES_MAX	     64	/* of one function */
#define POINT_OFFERED_MAX    32	/* of one function */

struct point_argument {
	char value[96];
	char type[24];		/* "": as the debug information says */
};

/* Filled by us, so trusted by the worker; zeroed before it is filled. */
struct point_query {
	char function[POINT_NAME_BYTES];	/* "": the line alone says where */
	char source[POINT_NAME_BYTES];		/* "": lines count from the function's first */
	uint32_t line;				/* 0: none */
	uint32_t functions_max;			/* more matches are -E2BIG */
	uint64_t offset;			/* behind the function's begin */
	uint64_t memory_bytes;			/* debug information that takes more is not read */
	uint32_t argument_count;
	uint8_t is_wildcard;
	uint8_t has_debug, has_alternate;	/* which inputs there are */
	uint8_t no_alternate;			/* there is none to be had: don't ask for it */
	uint8_t is_of_kernel;	/* vmlinux: offsets in the answer are its addresses */
	uint8_t wants_links;	/* only the header is wanted: build-id, debug link, flags */
	uint8_t padding[2];
	struct point_argument arguments[POINT_ARGUMENTS_MAX];
};

enum point_flag {
	POINT_IS_GO = 1,
	POINT_IS_SPLIT_STACK = 2,	/* functions may move to another stack */
	POINT_IS_32_BIT = 4,
	POINT_HAS_SYMTAB = 8,
	POINT_HAS_DEBUG = 16,		/* debug information was read */
	POINT_HAS_EXCEPTIONS = 32,	/* tables that the unwinding of C++ reads */
};

struct point_header {
	uint64_t magic;
	uint32_t version;
	uint32_t function_count, point_count, value_count, string_bytes;
	uint32_t flags;			/* enum point_flag */
	uint32_t no_debug_reason;	/* text: why debug information that is there was not read */
	uint32_t debug_link_crc;
	struct build_id build_id;	/* as found in the object, count 0 if none */
	/* The shared debug file that is missing, as in struct line_header. */
	struct build_id alternate;
	char alternate_name[LINE_ALTERNATE_BYTES];
	char debug_link[FLAT_LINK_BYTES];	/* foreign; "" none */
	uint8_t padding[8];
};

_Static_assert(sizeof(struct point_header) == 280, "no gaps that nobody fills");

struct point_function {
	uint32_t name;			/* text: raw */
	uint32_t file, line;		/* text; of its declaration, 0 unknown */
	uint32_t first_point, point_count;
	uint32_t first_offered, offered_count;	/* in values */
};

struct point {
	uint64_t offset;	/* in the file */
	uint64_t begin;		/* of the machine code that it lies in: of a function's symbol */
	uint64_t bytes;		/* of that code; 0 unknown */
	uint32_t first_value, value_count;
	uint32_t symbol;	/* text: of that code, raw; "" unknown */
	uint8_t is_inlined;
	uint8_t start;		/* enum point_start */
	uint8_t padding[2];
};

/* What says that the code of a point begins where it does. */
enum point_start {
	POINT_START_SYMBOL,
	POINT_START_CALLED,	/* an unwind entry alone, by which the return address is on top of
				 * the stack there: a function, or a part of one without a frame */
	POINT_START_UNCALLED,	/* an unwind entry alone, by which it is not */
};

enum point_origin { POINT_ORIGIN_TYPED, POINT_ORIGIN_DWARF, POINT_ORIGIN_ABI };

struct point_value {
	uint32_t name, type, fetch, reason;	/* texts; fetch "": the reason says why not */
	uint8_t kind;				/* enum fetch_kind */
	uint8_t origin;				/* enum point_origin */
	uint8_t is_return;
	uint8_t padding;
};

struct point_answer {
	const struct point_header *header;	/* BORROWED: the checked bytes, as the next */
	const struct point_function *functions;
	const struct point *points;
	const struct point_value *values;
	const char *strings;
};

/* Checks @bytes[@bytes_count], aligned as memory of malloc() or mmap(). *@out then points into
 * them. 0, or -EBADMSG with the reason. */
int point_answer_check(struct point_answer *out, const void *bytes, size_t bytes_count,
		       const struct point_query *query, struct diag *why);

/* Text at an offset: raw, terminated. */
static inline const char *point_answer_text(const struct point_answer *answer, uint32_t offset)
{
	return answer->strings + offset;
}

#endif
