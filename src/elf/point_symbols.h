/* point_symbols.h - worker side: all functions of a file by their symbols, aliases included, to
 * find those that a probe names.
 * Thread: the owner's. Only in a worker (and in tests). */
#ifndef ELF_POINT_SYMBOLS_H
#define ELF_POINT_SYMBOLS_H

#include "elf_debug_file.h"
#include "elf_symbols.h"
#include "sandbox/probe_points.h"

struct point_symbol {
	uint64_t vaddr, offset;		/* offset: file offset */
	uint64_t bytes;			/* size of the code; sizeless: up to the next symbol */
	struct flat_name name;		/* BORROWED from the files */
	bool is_chosen_late;		/* IFUNC: the code only chooses the function that runs */
};

struct point_symbols {
	struct point_symbol *list;	/* owned; sorted by vaddr */
	size_t count;
	struct elf_minidebug minidebug;	/* owned; names in `list` may point into it */
	bool has_symtab;
	bool is_split_stack;
};

/* Reads the symbols of @main, whose segments were read, and of @debug, its debug file (elf NULL:
 * none). Both must outlive *@out, which is the caller's, also on failure: point_symbols_finish().
 * Returns 0, -ENOMEM or -E2BIG. */
int point_symbols_read(struct point_symbols *out, struct elf_file *main, struct elf_file *debug,
		       struct diag *why);
void point_symbols_finish(struct point_symbols *symbols);	/* a zeroed one is fine */

/* Returns the innermost symbol that contains @vaddr, or NULL. */
const struct point_symbol *point_symbols_at(const struct point_symbols *symbols, uint64_t vaddr);

/* Returns whether @pattern matches @name[@bytes]: the raw name, the name without the suffix of a
 * clone that is called like the function itself (.isra.0, .constprop.0), or, if @demangles, the
 * demangled name with or without parameters. * and ? are wildcards if @is_wildcard. */
bool point_name_matches(const char *pattern, bool is_wildcard, bool demangles, const char *name,
			size_t bytes);

/* Finds the variable of a kernel or module that has @vaddr: its name, which must be that of no
 * other symbol of the file, and where it begins. Reads the whole table. False: none, or one per
 * CPU. */
bool point_symbols_variable(struct elf_file *file, uint64_t vaddr, char name[POINT_NAME_BYTES],
			    uint64_t *begin);

#endif
