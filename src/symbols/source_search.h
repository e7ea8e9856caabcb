/* source_search.h - where a source file is looked for, in order.
 *
 * Order:  --source-path FROM=TO, the longest FROM first; --source-path TO, the longest tail of the
 *         path first; the path itself; where Rust, Go, the kernel and packages install sources.
 * Thread: any. Pure: looks at no file.
 */
#ifndef SYMBOLS_SOURCE_SEARCH_H
#define SYMBOLS_SOURCE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/source_file.h"

#define SOURCE_TAILS_MAX 32	/* longest tails of a path that are tried */

/* What the paths depend on besides the recorded one. */
struct source_context {
	const char *home;		/* directory of the user who built the program; "": none */
	const char *kernel_release;	/* as in uname(2); "": the DSO is no kernel */
};

/* Paths below one directory. */
struct source_step {
	const char *directory;	/* --source-path's TO, BORROWED; NULL: a root directory */
	uint32_t path_count;
	uint32_t path_bytes;
	const char *paths;	/* each with a NUL; BORROWED from the search */
};

#define SOURCE_STEPS_MAX (SOURCE_PATHS_MAX + 1)

struct source_search {
	uint32_t count;		/* the last step is that of the root directory, if it has paths */
	struct source_step steps[SOURCE_STEPS_MAX];
	char *text;		/* owned */
};

/* Lists where @path is looked for. @paths: NULL: none. Returns 0; -ENAMETOOLONG; or -ENOMEM. Free
 * with source_search_finish() in every case. */
int source_search_list(struct source_search *out, const char *path,
		       const struct source_paths *paths, const struct source_context *context);
void source_search_finish(struct source_search *search);

/* Writes @path without empty components, "." and "x/..": "/a/./b/../c" becomes "/a/c", ".." at the
 * begin is left out. @out: room for strlen(@path) + 2 bytes. */
void source_search_normalize(char *out, const char *path);

#endif
