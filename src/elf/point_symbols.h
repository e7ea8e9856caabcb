/* point_symbols.h - child side: all functions of a file by their symbols, aliases included, to find
 * those that a probe means.
 * Thread: the owner's. Only in a worker (and in tests). */
#ifndef ELF_POINT_SYMBOLS_H
#define ELF_POINT_SYMBOLS_H

#include "elf_minidebug.h"
#include "elf_symbols.h"

struct point_symbol {
	uint64_t vaddr, offset;		/* offset: in the file */
	uint64_t bytes;			/* of code; a sizeless one goes up to the next symbol */
	struct flat_name name;		/* BORROWED from the files */
	bool is_chosen_late;		/* IFUNC: its code only chooses the function that runs */
};

struct point_symbols {
	struct point_symbol *list;	/* owned; by vaddr */
	size_t count;
	struct elf_minidebug minidebug;	/* owned: names */
	bool has_symtab;
	bool is_split_stack;
};

/* @main: its segments were read; @debug: that of its own debug file, or one whose elf is NULL. Both
 * must outlive *@out, which is the caller's, also on failure: point_symbols_finish(). 0, -ENOMEM or
 * -E2BIG. */
int point_symbols_read(struct point_symbols *out, struct elf_file *main, struct elf_file *debug,
		       struct diag *why);
void point_symbols_finish(struct point_symbols *symbols);	/* a zeroed one is fine */

/* The innermost that contains @vaddr, or NULL. */
const struct point_symbol *point_symbols_at(const struct point_symbols *symbols, uint64_t vaddr);

/* Whether @pattern means @name[@bytes]: by its raw name, by what it is without the suffix of a
 * clone that is called as the function itself (.isra.0, .constprop.0), and, if @demangles, by what
 * was written in the source, with or without parameters. * and ? count if @is_wildcard. */
bool point_name_matches(const char *pattern, bool is_wildcard, bool demangles, const char *name,
			size_t bytes);

#endif
