/* near_name.h - which known name was meant by a mistyped one.
 *
 * Use:    near_name_start(), near_name_try() with every known name, then `nearest`.
 * Thread: the owner's. Pure.
 */
#ifndef BASE_NEAR_NAME_H
#define BASE_NEAR_NAME_H

#include <stddef.h>

struct near_name {
	const char *typed;
	const char *nearest;	/* borrowed from whoever tried it; NULL: none is near */
	size_t distance;	/* of the nearest so far; at first what is too far */
};

/* @typed is borrowed as long as the search goes on. */
void near_name_start(struct near_name *near, const char *typed);
void near_name_try(struct near_name *near, const char *known);

#endif
