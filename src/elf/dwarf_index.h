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
#include <stdint.h>

struct dwarf_index;

struct dwarf_frame {
	const char *function;	/* BORROWED from the Dwarf, maybe mangled; NULL: unknown */
	const char *file;	/* BORROWED from the Dwarf; NULL: unknown */
	uint32_t line;		/* 0: unknown */
};

/* @dwarf stays the caller's and must outlive the index. NULL: out of memory. */
struct dwarf_index *dwarf_index_create(Dwarf *dwarf);
void dwarf_index_destroy(struct dwarf_index *index);	/* NULL is fine */

/* Fills @frames[@frames_max] for @address (a virtual address of the file): innermost first, the
 * containing function last; longer chains are cut to the innermost part. Returns the number of
 * frames, 0: none known, or -ENOMEM. */
int dwarf_index_find(struct dwarf_index *index, uint64_t address, struct dwarf_frame *frames,
		     uint32_t frames_max);

#endif
