/* target_index.h - the names of one source (the kernel, a file, ...) packed, to be searched.
 *
 * A result in a file is shown as "libc.so.6:malloc", with the file's base name before its own; its
 * spec is "/usr/lib/x86_64-linux-gnu/libc.so.6:malloc", quoted where that is needed.
 *
 * Presets are found only by words that occur in their name and one alias, which is shown after it:
 * "new processes (execsnoop)". They come first, so a match of scattered letters must not show one.
 *
 * Use:    filled by the thread that reads the source; then handed to the searcher, which changes
 *         only the cached matches of the last search.
 * Thread: the owner's, one at a time.
 */
#ifndef FINDER_TARGET_INDEX_H
#define FINDER_TARGET_INDEX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "finder/targets.h"
#include "target_match.h"

#define TARGET_NO_TEXT UINT32_MAX
#define TARGET_REASONS_MAX 8
#define TARGET_INDEX_BYTES_MAX (64u << 20)	/* limit for texts and rows: 400,000 C++ names */

struct target_index;

struct target_name {
	const char *raw;	/* name as in a spec */
	const char *shown;	/* display name, sanitized when added; NULL: as `raw` */
	const char *note;	/* NULL: the note of the index */
	const char *aliases;	/* other names to find it by, separated by blanks; NULL: none */
	unsigned int reason;	/* 0: can be probed; else from target_index_reason() */
	bool is_stale;
	bool is_counted;	/* an event that can't be sampled */
};

/* Creates an empty index. @path: path of the file, as the target sees it; "": none. @note: for
 * names without one. Texts are copied. NULL: out of memory. */
struct target_index *target_index_create(enum target_kind_found kind, const char *path,
					 const char *note);
void target_index_destroy(struct target_index *index);	/* NULL is fine */

/* Returns a number from 1 to TARGET_REASONS_MAX, for target_name, that stands for @reason: why
 * names can't be probed, and the remedy. Equal reasons share a number. 0: no room for another. */
unsigned int target_index_reason(struct target_index *index, const char *reason);

/* Adds a name; ignores one that is too long for a spec. 0, -ENOMEM, or -E2BIG:
 * TARGET_INDEX_BYTES_MAX is reached; what was added stays. */
int target_index_add(struct target_index *index, const struct target_name *name);

/* Ranks the index's names before equally good ones of other indexes: they are what one looks at. */
void target_index_prefer(struct target_index *index);

enum target_kind_found target_index_kind(const struct target_index *index);
const char *target_index_path(const struct target_index *index);	/* BORROWED */
uint32_t target_index_count(const struct target_index *index);
size_t target_index_bytes(const struct target_index *index);

/* A name that matched. */
struct target_hit {
	const struct target_index *index;
	uint32_t row;
	int32_t score;
	uint32_t order;		/* among equal scores, the lowest comes first */
	uint32_t length;	/* length of the shown text: breaks the remaining ties */
	uint32_t alias;		/* alias that matched, as an offset in the row's; TARGET_NO_TEXT:
				 * the name itself matched */
};

/* The best hits so far, best first. */
struct target_ranking {
	struct target_hit hits[TARGET_RESULTS_MAX];
	size_t count;
	size_t matches;		/* number of all matches */
};

/* One search over all indexes. */
struct target_search {
	const struct target_pattern *pattern;
	const char *text;	/* source of the pattern: a later search whose text begins with it
				 * looks only at its matches */
	uint32_t order;		/* `order` for the hits in this index */
	struct target_match_work *work;
	struct target_ranking *ranking;
	const _Atomic uint64_t *newest;	/* number of the newest request, set by its thread */
	uint64_t number;	/* number of this search, which ends when it is not the newest */
};

/* Searches the index. False: interrupted; then the ranking is incomplete. Out of memory costs time
 * only: the next search looks at all names. */
bool target_index_search(struct target_index *index, const struct target_search *search);

/* Fills @out with the result for @hit; @prefix begins its spec ("lat:"). */
void target_index_result(const struct target_hit *hit, const struct target_pattern *pattern,
			 struct target_match_work *work, const char *prefix,
			 struct target_result *out);

#endif
