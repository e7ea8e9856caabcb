/* name_pattern.h - matches names against shell wildcards: "vfs_*", "{fsync,fdatasync}",
 * "gethostbyname{,2}_r".
 *
 * Source: fnmatch(3); alternatives in braces as in glob(7) and bash(1).
 * Thread: any; pure.
 */
#ifndef BASE_NAME_PATTERN_H
#define BASE_NAME_PATTERN_H

#include <stdbool.h>

#define NAME_PATTERN_BYTES 256	/* longer patterns match nothing */

/* Returns true when @text has alternatives: at least two parts of names between braces. The C++
 * name "{lambda(int, char)#1}" has none. */
bool name_pattern_has_alternatives(const char *text);

/* Returns true when @pattern matches the whole @text. */
bool name_pattern_matches(const char *pattern, const char *text);

#endif
