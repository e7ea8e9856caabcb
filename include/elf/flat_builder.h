/* flat_builder.h - collects symbols and builds one flat table from them (worker, kallsyms).
 *
 * Aliases: one symbol per address is kept, chosen as in perf(1)
 *          (tools/perf/util/symbol.c choose_best_symbol): the higher rank, then fewer leading
 *          underscores, then the longer name, then the one added first. If all symbols there are
 *          sizeless, the one added last is kept: perf gives only that one an end.
 * Trust:   a symbol takes precedence over a PLT slot, and a PLT slot over an unwind entry.
 * Thread:  the owner's.
 */
#ifndef ELF_FLAT_BUILDER_H
#define ELF_FLAT_BUILDER_H

#include <stdbool.h>

#include "sandbox/flat_table.h"

#define FLAT_BUILDER_MAX_SYMBOLS 4000000u /* the largest DSOs known have 0.2 million */

/* A name that need not be NUL-terminated. BORROWED until flat_builder_finish(). */
struct flat_name {
	const char *text;
	size_t bytes;
};

struct flat_builder;

struct flat_builder *flat_builder_create(void);	/* NULL: out of memory */
void flat_builder_destroy(struct flat_builder *builder);	/* NULL is fine */
void flat_builder_set_build_id(struct flat_builder *builder, const struct build_id *id);
/* Set the header fields of the same names. A @debug_link that does not fit is left out. */
void flat_builder_set_symtab(struct flat_builder *builder, bool has_symtab);
void flat_builder_set_minidebug(struct flat_builder *builder, enum flat_minidebug minidebug);
void flat_builder_set_debug_link(struct flat_builder *builder, struct flat_name debug_link,
				 uint32_t crc);

/* Hint: @count symbols will be added. Avoids growing step by step, which needs old and new memory
 * at once. A failed allocation or a wrong @count does no harm. */
void flat_builder_reserve(struct flat_builder *builder, size_t count);

/* The calls below return 0, -ENOMEM, or -E2BIG: more than FLAT_BUILDER_MAX_SYMBOLS, or more than
 * FLAT_BYTES_MAX of names. */

/* Adds a symbol; the texts are copied. @size 0: sizeless, see flat_builder_finish(). @dso_name:
 * the kernel module, NULL for user DSOs. @rank (0-255) orders aliases that are all sized or all
 * sizeless; a sized symbol always beats a sizeless one. */
int flat_builder_add(struct flat_builder *builder, uint64_t start, uint64_t size, const char *name,
		     const char *dso_name, unsigned int rank);
/* Adds a symbol of a user DSO without copying @name; otherwise like flat_builder_add(). */
int flat_builder_add_borrowed(struct flat_builder *builder, uint64_t start, uint64_t size,
			      struct flat_name name, unsigned int rank);

/* Adds code that has an unwind entry: a FLAT_UNWIND row "fn_<@vaddr in hex>" if no symbol covers
 * its start. It also ends the sizeless symbols that lie before or in it. */
int flat_builder_add_unwind(struct flat_builder *builder, uint64_t start, uint64_t size,
			    uint64_t vaddr);

/* Adds a PLT slot: a FLAT_PLT row "<@name>@plt". */
int flat_builder_add_plt(struct flat_builder *builder, uint64_t start, uint64_t size,
			 struct flat_name name);
/* Adds a PLT slot whose function is chosen by the resolver at @resolver: named like the row that
 * starts there; left out if there is none. */
int flat_builder_add_plt_of(struct flat_builder *builder, uint64_t start, uint64_t size,
			    uint64_t resolver);

/* Adds a boundary that no sizeless row of the same DSO extends across: the end of a section, or
 * the start of something that is not code. */
int flat_builder_add_boundary(struct flat_builder *builder, uint64_t address,
			      const char *dso_name);

/* Sorts the rows, drops aliases and sizeless rows inside a sized one, and computes the end of the
 * other sizeless rows: the next row, boundary or unwind entry, or the end of the row they lie in.
 * If the next row belongs to another DSO, or there is none, they have at most @sizeless_cap
 * bytes. *@bytes is malloc'd for the caller, for flat_table_check(). Afterwards the builder can
 * only be destroyed. */
int flat_builder_finish(struct flat_builder *builder, uint64_t sizeless_cap, void **bytes,
			size_t *bytes_count);

#endif
