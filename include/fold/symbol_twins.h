/* symbol_twins.h - one function in two builds of its file: which symbols a comparison takes for
 * one.
 *
 *   A was /bin/app of yesterday        B is /bin/app of today       row, while they are compared
 *   f at 0x1100 of object 12           f at 0x1180 of object 31     f of object 31
 *
 * Twins have a name and a path in common, and are in different objects of one level. A name that a
 * file has twice has none: which of them is which would be a guess. But code made at run time is
 * compiled again and again: there all of one name are one.
 *
 * Thread: the analyzer's.
 */
#ifndef FOLD_SYMBOL_TWINS_H
#define FOLD_SYMBOL_TWINS_H

#include "ingest/symbol_names.h"

struct symbol_twins {
	uint32_t *of;		/* owned; of each symbol the one that stands for it, often itself:
				 * of its twins the one in the newest object */
	uint32_t *of_object;	/* owned; of each object the newest of its path and level */
	uint32_t count, object_count;
};

/* Finds the twins of all symbols that are known now; `count` is 0 when nobody can have one. 0 or
 * -ENOMEM: then nobody has one, either. */
int symbol_twins_find(struct symbol_twins *twins, const struct symbol_names *names);
void symbol_twins_finish(struct symbol_twins *twins);

/* Who stands for @symbol. @twins NULL: itself. */
static inline uint32_t symbol_twins_of(const struct symbol_twins *twins, uint32_t symbol)
{
	return twins && symbol < twins->count ? twins->of[symbol] : symbol;
}

static inline uint32_t symbol_twins_object(const struct symbol_twins *twins, uint32_t object)
{
	return twins && object < twins->object_count ? twins->of_object[object] : object;
}

#endif
