/* flat_table.h - the checked symbol table of one object: a header, sorted rows, one string blob.
 *
 *   | header | rows[row_count], sorted by start | strings[string_bytes], last byte NUL |
 *
 * Addresses are FILE OFFSETS for user objects (the worker turned st_value into an offset through
 * PT_LOAD, so a look-up needs no segments and works for PIE, non-PIE, BOLT and lld alike), and
 * run-time addresses for the kernel.
 *
 * Use:    made by elf/flat_builder.h (worker, kallsyms).
 *         flat_table_check() once when the bytes arrive; look-ups afterwards trust the table: a
 *         binary search, no allocation, no lock, no IPC.
 * Thread: immutable after the check; any.
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
	struct build_id build_id;	/* as found in the object, count 0 if none */
	uint8_t has_symtab;		/* .symtab was there: a debug file adds no symbols */
	uint8_t minidebug;		/* enum flat_minidebug */
	uint8_t padding[1];
	uint32_t debug_link_crc;	/* of the file that .gnu_debuglink names */
	char debug_link[FLAT_LINK_BYTES];	/* terminated; "" none. Foreign: a base name? */
};

/* What became of .gnu_debugdata. */
enum flat_minidebug {
	FLAT_MINIDEBUG_FINE,		/* or not there, or not needed */
	FLAT_MINIDEBUG_TOO_LARGE,
	FLAT_MINIDEBUG_DAMAGED,
};

/* Where a row's name comes from, the most trusted first. */
enum flat_kind {
	FLAT_SYMBOL,
	FLAT_PLT,		/* "name@plt" */
	FLAT_UNWIND,		/* other code that has an unwind entry: FLAT_UNWIND_PREFIX and its
				 * address in hex */
	FLAT_KINDS
};

struct flat_row {
	uint64_t start;		/* see above */
	uint32_t size;		/* > 0: the compiler gave sizeless symbols their end */
	uint32_t name : 28;	/* offset into strings; raw foreign bytes, terminated */
	uint32_t kind : 4;	/* enum flat_kind */
	uint32_t object_name;	/* kernel tables: offset of the module's name; else FLAT_NONE */
	uint32_t outer;		/* nearest earlier row that ends later, else FLAT_NONE */
};

struct flat_table {
	const struct flat_header *header;	/* BORROWED: the bytes that were checked */
	const struct flat_row *rows;
	const char *strings;
};

/* Checks everything once: sizes against @bytes_count, sortedness, string offsets, terminator.
 * Returns 0 or -EBADMSG with the reason; then *@out is unusable. @bytes must stay and never change
 * (sealed memfd, or own memory). */
int flat_table_check(struct flat_table *out, const void *bytes, size_t bytes_count,
		     struct diag *why);

/* Row that contains @address, or FLAT_NONE: a gap is a gap, never the symbol before it. Where rows
 * nest, the innermost (latest start) that contains the address; given up after 64 rows that ended
 * before it, which real objects do not have. */
uint32_t flat_table_find(const struct flat_table *table, uint64_t address);

/* Why it has fewer names than its file promises, for the log; NULL: it has all. */
const char *flat_table_caution(const struct flat_table *table);

/* Of the whole table, from its header on. */
size_t flat_table_bytes(const struct flat_table *table);

const char *flat_table_name(const struct flat_table *table, uint32_t row);	  /* BORROWED */
const char *flat_table_object_name(const struct flat_table *table, uint32_t row); /* or NULL */

/* `outer` of row @index of @rows, where those of all rows before it are right already. */
uint32_t flat_table_outer(const struct flat_row *rows, uint32_t index);

#endif
