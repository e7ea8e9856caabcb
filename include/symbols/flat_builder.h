/* flat_builder.h - collects symbols and makes one flat table of them (worker, kallsyms).
 *
 * Aliases: of the symbols at one address a single one stays, chosen as perf(1) chooses
 *          (tools/perf/util/symbol.c choose_best_symbol): the higher rank, then fewer leading
 *          underscores, then the longer name, then the one added first. Among symbols that are all
 *          without a size the last one added stays: perf gives only that one an end.
 * Thread:  the owner's.
 */
#ifndef SYMBOLS_FLAT_BUILDER_H
#define SYMBOLS_FLAT_BUILDER_H

#include "symbols/flat_table.h"

#define FLAT_BUILDER_MAX_SYMBOLS 4000000u /* the largest objects known have 0.2 million */

struct flat_builder;

struct flat_builder *flat_builder_create(void);	/* NULL: out of memory */
void flat_builder_destroy(struct flat_builder *builder);	/* NULL is fine */
void flat_builder_set_build_id(struct flat_builder *builder, const struct build_id *id);

/* Adds a symbol; the texts are copied. @size 0: sizeless, see flat_builder_finish(). @object_name
 * NULL for user objects. @rank orders aliases (see above) of the same sort, sized or sizeless; a
 * sized symbol always beats a sizeless one.
 * 0, -ENOMEM, or -E2BIG: more than FLAT_BUILDER_MAX_SYMBOLS or FLAT_BYTES_MAX. */
int flat_builder_add(struct flat_builder *builder, uint64_t start, uint64_t size, const char *name,
		     const char *object_name, unsigned int rank);

/* No sizeless row of the same object goes on over @address: the end of a section, the start of
 * something that is not code. 0, -ENOMEM or -E2BIG. */
int flat_builder_add_boundary(struct flat_builder *builder, uint64_t address,
			      const char *object_name);

/* Sorts, drops aliases and the sizeless rows that lie inside a sized one, and gives the other
 * sizeless rows their end: the next row or boundary. Where the next row is of another object, or
 * there is none, they end at most @sizeless_cap further. *@bytes is malloc'd for the caller, for
 * flat_table_check(). 0, -ENOMEM or -E2BIG. The builder can only be destroyed afterwards. */
int flat_builder_finish(struct flat_builder *builder, uint64_t sizeless_cap, void **bytes,
			size_t *bytes_count);

#endif
