/* flat_builder.h - collects symbols and makes one flat table of them (worker, kallsyms).
 *
 * Aliases: of the symbols at one address a single one stays, chosen as perf(1) chooses
 *          (tools/perf/util/symbol.c choose_best_symbol): the higher rank, then fewer leading
 *          underscores, then the longer name, then the one added first. Among symbols that are all
 *          without a size the last one added stays: perf gives only that one an end.
 * Trust:   a symbol names its address before a PLT slot does, and that before an unwind entry.
 * Thread:  the owner's.
 */
#ifndef ELF_FLAT_BUILDER_H
#define ELF_FLAT_BUILDER_H

#include <stdbool.h>

#include "sandbox/flat_table.h"

#define FLAT_BUILDER_MAX_SYMBOLS 4000000u /* the largest objects known have 0.2 million */

/* A name that stays where it is, terminated or not. BORROWED until flat_builder_finish(). */
struct flat_name {
	const char *text;
	size_t bytes;
};

struct flat_builder;

struct flat_builder *flat_builder_create(void);	/* NULL: out of memory */
void flat_builder_destroy(struct flat_builder *builder);	/* NULL is fine */
void flat_builder_set_build_id(struct flat_builder *builder, const struct build_id *id);
/* For the header's fields of these names. A @debug_link that does not fit there is left out. */
void flat_builder_set_symtab(struct flat_builder *builder, bool has_symtab);
void flat_builder_set_minidebug(struct flat_builder *builder, enum flat_minidebug minidebug);
void flat_builder_set_debug_link(struct flat_builder *builder, struct flat_name debug_link,
				 uint32_t crc);

/* So many are to come: what grows step by step is there twice while it moves. Memory that can't be
 * had, or is not needed, does no harm. */
void flat_builder_reserve(struct flat_builder *builder, size_t count);

/* The calls below return 0, -ENOMEM, or -E2BIG: more than FLAT_BUILDER_MAX_SYMBOLS or names of more
 * than FLAT_BYTES_MAX. */

/* Adds a symbol; the texts are copied. @size 0: sizeless, see flat_builder_finish(). @object_name
 * NULL for user objects. @rank (0-255) orders aliases (see above) of the same sort, sized or
 * sizeless; a sized symbol always beats a sizeless one. */
int flat_builder_add(struct flat_builder *builder, uint64_t start, uint64_t size, const char *name,
		     const char *object_name, unsigned int rank);
/* The same for a user object, without a copy. */
int flat_builder_add_borrowed(struct flat_builder *builder, uint64_t start, uint64_t size,
			      struct flat_name name, unsigned int rank);

/* Code that has an unwind entry: a FLAT_UNWIND row "fn_<@vaddr in hex>" where no symbol covers its
 * start. Also ends the sizeless symbols that lie before or in it. */
int flat_builder_add_unwind(struct flat_builder *builder, uint64_t start, uint64_t size,
			    uint64_t vaddr);

/* A slot of a PLT: a FLAT_PLT row "<@name>@plt". */
int flat_builder_add_plt(struct flat_builder *builder, uint64_t start, uint64_t size,
			 struct flat_name name);
/* One whose function a resolver chooses: named as the row that starts at @resolver is, if any. */
int flat_builder_add_plt_of(struct flat_builder *builder, uint64_t start, uint64_t size,
			    uint64_t resolver);

/* No sizeless row of the same object goes on over @address: the end of a section, the start of
 * something that is not code. */
int flat_builder_add_boundary(struct flat_builder *builder, uint64_t address,
			      const char *object_name);

/* Sorts, drops aliases and the sizeless rows that lie inside a sized one, and gives the other
 * sizeless rows their end: the next row, boundary or unwind entry, or the end of the one they lie
 * in. Where the next row is of another object, or there is none, they end at most @sizeless_cap
 * further. *@bytes is malloc'd for the caller, for flat_table_check(). The builder can only be
 * destroyed afterwards. */
int flat_builder_finish(struct flat_builder *builder, uint64_t sizeless_cap, void **bytes,
			size_t *bytes_count);

#endif
