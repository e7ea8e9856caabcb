/* flat_table.h - the checked symbol table of one DSO: a header, sorted rows, one string blob.
 *
 *   | header | rows[row_count], sorted by start | strings[string_bytes], last byte NUL |
 *
 * Addresses are FILE OFFSETS for user DSOs (the worker converted st_value to an offset through
 * PT_LOAD, so a look-up needs no segments and works for PIE, non-PIE, BOLT and lld alike), and
 * run-time addresses for the kernel.
 *
 * Use:    built by elf/flat_builder.h (worker, kallsyms). Call flat_table_check() once when the
 *         bytes arrive; look-ups then trust the table: a binary search, no allocation, no lock,
 *         no IPC.
 * Thread: any; immutable after the check.
 */
#ifndef SANDBOX_FLAT_TABLE_H
#define SANDBOX_FLAT_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/build_id.h"
#include "base/diag.h"

#define FLAT_UNWIND_PREFIX "fn_"
#define FLAT_TABLE_MAGIC   0x31424154504d4c46ull /* "FLMPTAB1" */
#define FLAT_TABLE_VERSION 3
#define FLAT_NONE	   UINT32_MAX
#define FLAT_BYTES_MAX	   (256u << 20)	/* 4 million rows with names of 40 bytes, and a margin */
#define FLAT_LINK_BYTES	   64		/* longer names of debug files were not found in the wild */

struct flat_header {
	uint64_t magic;
	uint32_t version;
	uint32_t row_count;
	uint64_t string_bytes;
	struct build_id build_id;	/* as found in the DSO, count 0 if none */
	uint8_t has_symtab;		/* .symtab was found: a debug file adds no symbols */
	uint8_t minidebug;		/* enum flat_minidebug */
	uint8_t padding[1];
	uint32_t debug_link_crc;	/* CRC of the file that .gnu_debuglink names */
	char debug_link[FLAT_LINK_BYTES];	/* terminated; "": none. Untrusted: may be a path */
};

/* Whether .gnu_debugdata could be used. */
enum flat_minidebug {
	FLAT_MINIDEBUG_FINE,		/* also when it is absent or not needed */
	FLAT_MINIDEBUG_TOO_LARGE,
	FLAT_MINIDEBUG_DAMAGED,
};

/* Source of a row's name, the most trusted first. */
enum flat_kind {
	FLAT_SYMBOL,
	FLAT_PLT,		/* "name@plt" */
	FLAT_UNWIND,		/* code with an unwind entry but no symbol: FLAT_UNWIND_PREFIX and
				 * the address in hex */
	FLAT_KINDS
};

struct flat_row {
	uint64_t start;		/* file offset (user DSO) or run-time address (kernel) */
	uint32_t size;		/* bytes, > 0: the builder computes the end of sizeless symbols */
	uint32_t name : 28;	/* offset into strings; raw untrusted bytes, NUL-terminated */
	uint32_t kind : 4;	/* enum flat_kind */
	uint32_t dso_name;	/* kernel tables: offset of the module's name; else FLAT_NONE */
	uint32_t outer;		/* index of the nearest earlier row that ends later, or FLAT_NONE */
};

struct flat_table {
	const struct flat_header *header;	/* all three BORROWED from the checked bytes */
	const struct flat_row *rows;
	const char *strings;
};

/* Checks everything once: sizes against @bytes_count, sortedness, string offsets, terminator.
 * Returns 0, or -EBADMSG with the reason; then *@out is unusable. @bytes must outlive *@out and
 * never change (sealed memfd, or own memory). */
int flat_table_check(struct flat_table *out, const void *bytes, size_t bytes_count,
		     struct diag *why);

/* Returns the row that contains @address, or FLAT_NONE: an address in a gap is never given to the
 * symbol before it. Where rows nest, returns the innermost (latest start); the search stops after
 * 64 rows that end before @address, more than real DSOs have. */
uint32_t flat_table_find(const struct flat_table *table, uint64_t address);

/* Returns, for the log, why @table has fewer names than its file should have; NULL: it has all. */
const char *flat_table_caution(const struct flat_table *table);

/* Returns the size of the whole table in bytes, header included. */
size_t flat_table_bytes(const struct flat_table *table);

const char *flat_table_name(const struct flat_table *table, uint32_t row);	  /* BORROWED */
const char *flat_table_dso_name(const struct flat_table *table, uint32_t row); /* or NULL */

/* Returns `outer` for row @index of @rows; `outer` of all rows before it must already be set. */
uint32_t flat_table_outer(const struct flat_row *rows, uint32_t index);

#endif
