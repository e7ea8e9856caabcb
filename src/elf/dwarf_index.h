/* dwarf_index.h - worker side: address -> functions and inlined functions -> source lines.
 *
 * Use:    one index per file and job; look-ups fill it lazily: a compile unit's functions when the
 *         unit is first hit, a function's inlined calls when the function is first hit.
 * Cost:   milliseconds for a new unit, 0.1 ms for a new function, microseconds otherwise.
 * Thread: the owner's. Runs only in a worker (and in tests and fuzzers).
 */
#ifndef ELF_DWARF_INDEX_H
#define ELF_DWARF_INDEX_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "dwarf_files.h"

/* Address ranges that may nest, each with a value; finds the innermost one.
 *
 * Use:    embed, zero-initialise, range_list_add() all, range_list_sort() once, then
 *         range_list_find(). range_list_finish() frees.
 * Cost:   24 bytes per range; a look-up is a binary search and one step per nesting level.
 * Thread: the owner's.
 */

struct range {
	uint64_t start, end;	/* start <= address < end */
	uint32_t value;
	uint32_t outer;		/* nearest earlier range that ends later, or RANGE_NONE */
};

struct range_list {
	struct range *rows;	/* owned */
	uint32_t count, capacity;
};

#define RANGE_NONE UINT32_MAX

/* Adds a range, @end > @start. Returns 0 or -ENOMEM. */
int range_list_add(struct range_list *list, uint64_t start, uint64_t end, uint32_t value);
/* Sorts the ranges. Of two equal ranges, the one with the higher value is the inner one. */
void range_list_sort(struct range_list *list);
/* Returns the value of the innermost range that contains @address, or RANGE_NONE. Lowers *@end
 * (NULL: not needed) to the first address above @address for which that may be another one. */
uint32_t range_list_find(const struct range_list *list, uint64_t address, uint64_t *end);
void range_list_finish(struct range_list *list);	/* leaves it empty */

struct dwarf_index;

/* A line of a source file. */
struct dwarf_place {
	const char *file;	/* BORROWED from the Dwarf; NULL: unknown */
	uint32_t line;		/* 0: unknown */
	uint32_t file_number;	/* number of `file` in the line table of `unit` */
	Dwarf_CU *unit;		/* NULL: `file` is unknown */
};

struct dwarf_frame {
	const char *function;	/* BORROWED from the Dwarf, maybe mangled; NULL: unknown */
	struct dwarf_place place;	/* innermost: line of the code, else of the inlined call */
	struct dwarf_place declared;	/* place of its declaration */
	uint64_t entry;		/* address where the function, or this inlined copy, begins,
				 * or its first piece does; 0: unknown */
};

/* A row of the line table that begins a statement. */
struct dwarf_row {
	struct dwarf_place place;
	uint32_t column;	/* 0: unknown */
};

/* @files are read, stay the caller's, and must outlive the index, as must @why, where the reason of
 * -E2BIG goes. Line tables that need more than @memory_bytes are not decoded. NULL: out of
 * memory. */
struct dwarf_index *dwarf_index_create(struct dwarf_files *files, uint64_t memory_bytes,
				       struct diag *why);
void dwarf_index_destroy(struct dwarf_index *index);	/* NULL is fine */

/* Fills @frames[@frames_max] for @address (a virtual address of the file): innermost first, the
 * containing function last; longer chains are cut to the innermost part. Returns the number of
 * frames, 0: none known; -ENOMEM; or -E2BIG: the unit's line table is too large. @end: set to an
 * address above @address, up to which the frames and the row are the same; NULL: not needed. */
int dwarf_index_find(struct dwarf_index *index, uint64_t address, struct dwarf_frame *frames,
		     uint32_t frames_max, uint64_t *end);

/* After dwarf_index_find(): fills @rows[@rows_max] with the statements that begin at @address, in
 * the order of the line table. Sets *@column to the column of the row that @address is in. Returns
 * the number of statements. */
uint32_t dwarf_index_statements(struct dwarf_index *index, uint64_t address,
				struct dwarf_row *rows, uint32_t rows_max, uint32_t *column);

/* Reads the line table of @unit (its DIE). Returns 0; -ENODATA: it has none; or -E2BIG. */
int dwarf_index_lines(struct dwarf_index *index, Dwarf_Die *unit, Dwarf_Lines **rows,
		      size_t *count);
/* Returns whether the line table of @unit has a file whose base name is @base, without decoding
 * it. */
bool dwarf_index_has_file(struct dwarf_index *index, Dwarf_Die *unit, const char *base);
/* Sets the checksum (16 bytes) and the embedded source of a file; NULL: none. BORROWED. */
void dwarf_index_source(struct dwarf_index *index, const struct dwarf_place *place,
			const unsigned char **md5, const char **text);

/* Like dwarf_declared_place(), but counts the rows of the line table first. Returns 0, -E2BIG or
 * -ENOMEM. */
int dwarf_index_declared(struct dwarf_index *index, Dwarf_Die *function, struct dwarf_place *out);

/* Sets *@out to where the function, or the one that an inlined copy is of, is declared. Replaces
 * dwarf_decl_file(), for which file number 0 means "none": clang's files begin with 0. */
void dwarf_declared_place(Dwarf_Die *function, struct dwarf_place *out);
/* Returns the address where a function or an inlined copy begins or, if that is not said, its first
 * piece; 0: unknown. */
uint64_t dwarf_entry_address(Dwarf_Die *die);
/* Returns whether a row of @unit at @address is in its code, as far as the unit says where that is.
 * The last row before the end of a sequence may have no bytes: sorted, it comes after the end, and
 * the row that follows it is somewhere else. */
bool dwarf_unit_has(Dwarf_Die *unit, uint64_t address);
/* Returns whether @path ends in the components of @tail. */
bool dwarf_path_ends(const char *path, const char *tail);
/* Returns whether @name, as users write it, means the function: its plain or linkage name or, with
 * ':' in it, the beginning of its demangled name. */
bool dwarf_is_named(Dwarf_Die *function, const char *name);

#endif
