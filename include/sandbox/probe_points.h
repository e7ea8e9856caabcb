/* probe_points.h - both sides of a SANDBOX_POINTS job: the query about a file's functions, and the
 * checked reply.
 *
 *   | header | functions[] | sites[] | values[] | strings[string_bytes], last byte NUL |
 *
 * Function i has the sites first_site <= p < first_site + site_count, and the values it offers
 * (its variables). A site has one value for each argument of the query, in the query's order; or,
 * if the query asks for variables, one for each of them.
 *
 * Inputs: the DSO, the query (sealed memfd with one struct point_query), then the debug file if
 *         there is one, then dwz's file if there is one. Of the kernel: the debug file of the
 *         kernel or a module, the query, and its layout (sealed memfd with one struct
 *         kernel_layout).
 * Use:    built in the worker (elf/point_job.h). Call point_reply_check() once when the bytes
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
#include "base/machine.h"
#include "sandbox/flat_table.h"
#include "sandbox/lines.h"

#define POINT_REPLY_MAGIC   0x31544e50504d4c46ull	/* "FLMPPNT1" */
#define POINT_REPLY_VERSION 1
#define POINT_REPLY_BYTES   (4u << 20)
#define POINT_NAME_BYTES     256
#define POINT_ARGUMENTS_MAX  16
#define POINT_FUNCTIONS_MAX  64
#define POINT_SITES_MAX	     64	/* sites per function */
#define POINT_OFFERED_MAX    32	/* offered values per function */
#define POINT_SKIP_MAX	     4	/* bytes of ENDBR64 */
#define POINT_LINES_MAX	     256	/* lines of one query */
#define POINT_VARIABLES_MAX  4096	/* variables per site */

struct point_argument {
	char value[96];
	char type[24];		/* type the user asked for; "": the one in the debug information */
};

/* What a query asks for, besides its arguments. */
enum point_request {
	POINT_REQUEST_SITES,
	POINT_REQUEST_LINKS,	/* reply with the header only: build-id, debug link, flags */
	POINT_REQUEST_SOURCE,	/* reply without sites: the source file of `function`, or the one
				 * that is meant by `source`, is in functions[0] */
	POINT_REQUEST_VARIABLES,	/* sites with the variables that are in scope there */
	POINT_REQUEST_EXTERNS,	/* these, and those of the compilation unit */
};

/* Filled by flametop, so the worker trusts it. Zero it before filling it. */
struct point_query {
	char function[POINT_NAME_BYTES];	/* "": only source and line select the sites */
	char declared_in[POINT_NAME_BYTES];	/* source file that declares `function`; "": any */
	char source[POINT_NAME_BYTES];		/* "": `line` is relative to the function's first */
	uint32_t line;				/* 0: none */
	uint32_t lines[POINT_LINES_MAX];	/* rising line numbers, in `source` or in the file
						 * that declares `function`; a site for each */
	uint32_t line_count;			/* 0: no `lines` */
	uint32_t functions_max;			/* more matches: -E2BIG */
	uint64_t offset;			/* bytes after the function's start */
	uint64_t memory_bytes;			/* debug information that needs more is not read */
	uint32_t argument_count;
	uint8_t is_wildcard;
	uint8_t has_debug, has_alternate;	/* whether these optional inputs are present */
	uint8_t no_alternate;			/* dwz's file can't be had: don't ask for it */
	uint8_t is_of_kernel;	/* offsets in the reply are addresses of the running kernel */
	uint8_t request;		/* enum point_request */
	uint8_t padding[6];
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
	uint32_t function_count, site_count, value_count, string_bytes;
	uint32_t flags;			/* enum point_flag */
	uint32_t no_debug_reason;	/* text: why existing debug information was not read */
	uint32_t debug_link_crc;
	struct build_id build_id;	/* as found in the DSO, count 0 if none */
	/* Build-id of the missing shared debug file, as in struct line_header. */
	struct build_id alternate;
	char alternate_name[LINE_ALTERNATE_BYTES];
	char debug_link[FLAT_LINK_BYTES];	/* untrusted; "": none */
	uint8_t machine;		/* enum machine that the file's code is for */
	uint8_t padding[7];
};

_Static_assert(sizeof(struct point_header) == 280, "no gaps that nobody fills");

struct point_function {
	uint32_t name;			/* text: raw */
	uint32_t file, line;		/* place of its declaration: text; line, 0: unknown */
	uint32_t first_site, site_count;
	uint32_t first_offered, offered_count;	/* range in values[] */
};

struct point_site {
	uint64_t offset;	/* file offset */
	uint64_t begin;		/* file offset where the symbol or entry around the site begins */
	uint64_t address;	/* virtual address of `begin` in the file */
	uint64_t bytes;		/* size of that code; 0: unknown */
	uint32_t first_value, value_count;
	uint32_t symbol;	/* text: raw symbol name of that code; "": unknown */
	uint32_t instruction;	/* text: what contains the site, "mov $0x5,%eax"; "": unknown */
	uint32_t first;		/* text: the instruction at `begin`; "": it has a symbol */
	uint8_t is_inlined;
	uint8_t start;		/* enum point_start */
	uint8_t code;		/* enum point_code */
	uint8_t skip;		/* bytes to move the site past an ENDBR64 to an instruction that is
				 * cheaper, with the same registers and stack */
};

/* What the machine code around a site says, of a program's file: flags. */
enum point_code {
	POINT_CODE_KNOWN = 1,	/* all bytes from `begin` to the site are instructions */
	POINT_CODE_BORDER = 2,	/* an instruction begins at the site */
	POINT_CODE_EMULATED = 4,	/* the kernel emulates it; else it is single-stepped */
	/* The code at `begin` looks as compilers begin functions that call others or save
	 * registers: endbr64, bti c, paciasp, push of a register or its like, sub from the stack
	 * pointer. Unset: a function may begin there all the same, but parts of functions look
	 * like that, too. */
	POINT_CODE_FUNCTION = 8,
	POINT_CODE_NOWHERE_ELSE = 16,	/* not emulated, and a copy of it at another address, which
					 * could be stepped, is refused or does something else */
	POINT_CODE_EXCLUSIVE = 32,	/* aarch64: in a sequence of load- and store-exclusive,
					 * where the kernel accepts a breakpoint, but the store
					 * fails after each hit, and the program tries for ever */
	POINT_CODE_FLAGS = 63		/* all of them */
};

/* Evidence that the code around a site begins at site.begin. */
enum point_start {
	POINT_START_SYMBOL,
	POINT_START_CALLED,	/* only an unwind entry, which says that the return address is where
				 * a call puts it: a function, or a frameless part of one */
	POINT_START_UNCALLED,	/* only an unwind entry; the return address is elsewhere there */
};

enum point_origin { POINT_ORIGIN_TYPED, POINT_ORIGIN_DWARF, POINT_ORIGIN_ABI };

struct point_value {
	uint32_t name, type, fetch, reason;	/* texts; fetch "": not fetchable, see reason */
	uint8_t kind;				/* enum fetch_kind */
	uint8_t origin;				/* enum point_origin */
	uint8_t is_return;
	uint8_t is_located;	/* debug information has its location here, even if no probe can
				 * fetch it from there */
};

struct point_reply {
	const struct point_header *header;	/* all five BORROWED from the checked bytes */
	const struct point_function *functions;
	const struct point_site *sites;
	const struct point_value *values;
	const char *strings;
};

/* Checks @bytes[@bytes_count], aligned as memory of malloc() or mmap(), as the reply to @query.
 * *@out then points into them. Returns 0, or -EBADMSG with the reason. */
int point_reply_check(struct point_reply *out, const void *bytes, size_t bytes_count,
		      const struct point_query *query, struct diag *why);

/* Returns the text at @offset: raw, NUL-terminated, BORROWED. */
static inline const char *point_reply_text(const struct point_reply *reply, uint32_t offset)
{
	return reply->strings + offset;
}

/* The location of a value, built step by step, and its fetch argument in the syntax
 * of kprobe_events and uprobe_events.
 *
 *   register %di --follow--> memory at (%di) + 0 --add 16--> memory at (%di) + 16
 *                --follow--> memory at (+16(%di)) + 0 ...          "+0(+16(%di)):string"
 *
 * Source: Documentation/trace/kprobetrace.rst, uprobetracer.rst; the kernel's names of registers:
 *         arch/x86/kernel/ptrace.c, arch/arm64/kernel/ptrace.c; System V ABI, AMD64, 3.2.3;
 *         AAPCS64, 6.8; AADWARF64, 4.1.
 */
#define FETCH_TEXT_BYTES 160
#define FETCH_TYPE_BYTES 24

enum fetch_kind { FETCH_SIGNED, FETCH_UNSIGNED, FETCH_HEX, FETCH_TEXT, FETCH_SYMBOL };

struct fetch_location {
	char base[FETCH_TEXT_BYTES];	/* "%di", "$retval"; "": no location, or nested too deep */
	bool is_memory;			/* the value is in memory at base + offset, else in base */
	bool is_symbol;			/* base is "@SYMBOL": memory there, not at its value */
	int64_t offset;
};

struct fetch_location fetch_register(const char *base);
struct fetch_location fetch_memory(const char *base, int64_t offset);
/* Returns the memory at @offset from a symbol of the kernel. */
struct fetch_location fetch_symbol(const char *name, int64_t offset);
/* Returns the location that the pointer at @place points to. */
struct fetch_location fetch_follow(const struct fetch_location *place);

/* Writes the fetch argument of @place with @type, e.g. "u32", "string", "b3@5/32"; a string's
 * characters are at @place itself. Returns false if @place has no location or the text is too
 * long. */
bool fetch_write(const struct fetch_location *place, const char *type, char out[FETCH_TEXT_BYTES]);

/* Returns the name of @machine's register with this DWARF number; NULL: no probe can read it. */
const char *fetch_dwarf_register(enum machine machine, unsigned int number);
/* Returns how many registers @machine has for arguments that are integers or pointers; 0: it has
 * none, or its calling convention is not known. */
unsigned int fetch_argument_registers(enum machine machine);
/* Returns the location, at the function's first instruction, of argument @index (from 0), an
 * integer or pointer, assuming that the stack arguments before it are all such. @machine must have
 * registers for arguments. */
struct fetch_location fetch_argument(enum machine machine, unsigned int index);

/* Writes an integer type such as "s32" or "u8". Returns false unless @bytes is 1, 2, 4 or 8. */
bool fetch_integer_type(char out[FETCH_TYPE_BYTES], char letter, uint64_t bytes);
enum fetch_kind fetch_kind_of(const char *type);

#endif
