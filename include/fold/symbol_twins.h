/* symbol_twins.h - pairs the symbols of one function in two builds of its file, for a comparison.
 *
 *   A was /bin/app of yesterday        B is /bin/app of today       row, while they are compared
 *   f at 0x1100 of object 12           f at 0x1180 of object 31     f of object 31
 *
 * Paired symbols share name, path and level, and are in different DSOs. A name that a file has
 * twice is not paired, as which is which would be a guess. But code made at run time is compiled
 * again and again: there all symbols of one name count as one.
 *
 * Thread: the analyzer's.
 */
#ifndef FOLD_SYMBOL_TWINS_H
#define FOLD_SYMBOL_TWINS_H

#include "ingest/symbol_names.h"

struct symbol_twins {
	uint32_t *of;		/* owned; symbol -> symbol that it counts for: often itself, else
				 * its counterpart in the newest DSO */
	uint32_t *of_object;	/* owned; DSO -> newest DSO with its path and level */
	uint32_t count, object_count;
};

/* Pairs all symbols that are known now; `count` is 0 if there can be no pairs. 0, or -ENOMEM: then
 * there are no pairs, either. */
int symbol_twins_find(struct symbol_twins *twins, const struct symbol_names *names);
void symbol_twins_finish(struct symbol_twins *twins);

/* Returns the symbol that @symbol counts for; with @twins NULL itself. */
static inline uint32_t symbol_twins_of(const struct symbol_twins *twins, uint32_t symbol)
{
	return twins && symbol < twins->count ? twins->of[symbol] : symbol;
}

/* Returns the DSO that @object counts for; with @twins NULL itself. */
static inline uint32_t symbol_twins_object(const struct symbol_twins *twins, uint32_t object)
{
	return twins && object < twins->object_count ? twins->of_object[object] : object;
}

#endif
