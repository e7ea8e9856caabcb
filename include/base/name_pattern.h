/* name_pattern.h - names by wildcards, as shells write them: "vfs_*", "{fsync,fdatasync}",
 * "gethostbyname{,2}_r".
 *
 * Source: fnmatch(3); alternatives in braces as in glob(7) and bash(1).
 * Thread: any; pure.
 */
#ifndef BASE_NAME_PATTERN_H
#define BASE_NAME_PATTERN_H

#include <stdbool.h>

#define NAME_PATTERN_BYTES 256	/* longer patterns match nothing */

/* True: @text has alternatives, at least two parts of names between braces. What C++ calls
 * "{lambda(int, char)#1}" has none. */
bool name_pattern_has_alternatives(const char *text);

/* Whether @pattern means the whole @text. */
bool name_pattern_matches(const char *pattern, const char *text);

#endif
