/* name_match.h - matches names against shell wildcards: "vfs_*", "{fsync,fdatasync}",
 * "gethostbyname{,2}_r".
 *
 * Source: fnmatch(3); alternatives in braces as in glob(7) and bash(1).
 * Thread: any; pure.
 */
#ifndef BASE_NAME_MATCH_H
#define BASE_NAME_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#define NAME_PATTERN_BYTES 256	/* longer patterns match nothing */

/* Returns true when @text has alternatives: at least two parts of names between braces. The C++
 * name "{lambda(int, char)#1}" has none. */
bool name_pattern_has_alternatives(const char *text);

/* Returns true when @pattern matches the whole @text. */
bool name_pattern_matches(const char *pattern, const char *text);

/* Finds the known name nearest to a mistyped one.
 *
 * Use:    near_name_start(), near_name_try() with every known name, then `nearest`.
 * Thread: the owner's. Pure.
 */

struct near_name {
	const char *typed;	/* BORROWED */
	const char *nearest;	/* BORROWED from near_name_try(); NULL: no name is near */
	size_t distance;	/* edits from `typed` to `nearest`; initially the least too far */
};

/* @typed is BORROWED until the end of the search. */
void near_name_start(struct near_name *near, const char *typed);
void near_name_try(struct near_name *near, const char *known);

#endif
