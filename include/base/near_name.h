/* near_name.h - finds the known name nearest to a mistyped one.
 *
 * Use:    near_name_start(), near_name_try() with every known name, then `nearest`.
 * Thread: the owner's. Pure.
 */
#ifndef BASE_NEAR_NAME_H
#define BASE_NEAR_NAME_H

#include <stddef.h>

struct near_name {
	const char *typed;	/* BORROWED */
	const char *nearest;	/* BORROWED from near_name_try(); NULL: no name is near */
	size_t distance;	/* edits from `typed` to `nearest`; initially the least too far */
};

/* @typed is BORROWED until the end of the search. */
void near_name_start(struct near_name *near, const char *typed);
void near_name_try(struct near_name *near, const char *known);

#endif
