/* target_index.h - the names of one source (the kernel, a file, ...) packed, to be searched.
 *
 * A result of a file is shown as "libc.so.6:malloc", the file's base name in front of its own; its
 * spec is "/usr/lib/x86_64-linux-gnu/libc.so.6:malloc", quoted where that is needed.
 *
 * Presets are found only by words that stand in their name and one alias, which is shown behind it:
 * "new processes (execsnoop)". They come first: letters of a neighbour's name are no answer.
 *
 * Use:    filled by who reads the source; then handed to the searcher, which changes only what it
 *         remembers of the last search.
 * Thread: the owner's, one at a time.
 */
#ifndef PROBE_TARGET_INDEX_H
#define PROBE_TARGET_INDEX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/target_finder.h"
#include "probe/target_match.h"

#define TARGET_NO_TEXT UINT32_MAX
#define TARGET_REASONS_MAX 8
#define TARGET_INDEX_BYTES_MAX (64u << 20)	/* texts and rows: 400,000 names of C++ */

struct target_index;

struct target_name {
	const char *raw;	/* as a spec has it */
	const char *shown;	/* NULL: as `raw`; foreign, too: sanitized when added */
	const char *note;	/* NULL: the index's */
	const char *aliases;	/* other names it is found by, blanks between them; NULL: none */
	unsigned int reason;	/* 0: can be probed; else of target_index_reason() */
	bool is_stale;
};

/* @path: of the file, as the target sees it; "": none. @note: of all names that have none. Texts
 * are copied. NULL: out of memory. */
struct target_index *target_index_create(enum target_kind_found kind, const char *path,
					 const char *note);
void target_index_destroy(struct target_index *index);	/* NULL is fine */

/* Why some of its names can't be probed, and what helps: 1 to TARGET_REASONS_MAX, for target_name.
 * The same reason has one number. 0: no room for another. */
unsigned int target_index_reason(struct target_index *index, const char *reason);

/* A name that is too long for a spec is left out. 0, -ENOMEM, or -E2BIG: there is
 * TARGET_INDEX_BYTES_MAX already, which stays. */
int target_index_add(struct target_index *index, const struct target_name *name);

/* Its names come before as good ones of other indexes: they are what one looks at. */
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
	uint32_t order;		/* of equal scores: what is less comes first */
	uint32_t length;	/* then: of the shown text */
	uint32_t alias;		/* that it was found by, as an offset in the row's; TARGET_NO_TEXT:
				 * by its name alone */
};

/* The best so far, best first. */
struct target_ranking {
	struct target_hit hits[TARGET_RESULTS_MAX];
	size_t count;
	size_t matches;		/* in all */
};

/* One search over all indexes. */
struct target_search {
	const struct target_pattern *pattern;
	const char *text;	/* that the pattern was made of: a later search that begins with it
				 * looks only at what matched */
	uint32_t order;		/* of the index, for its hits */
	struct target_match_work *work;
	struct target_ranking *ranking;
	const _Atomic uint64_t *newest;	/* the number of the newest request; the asker stores it */
	uint64_t number;	/* of this one: the search ends when it is not the newest */
};

/* False: interrupted; then the ranking is incomplete. Out of memory costs time only: the next
 * search looks at all names. */
bool target_index_search(struct target_index *index, const struct target_search *search);

/* Adds one hit, if it is among the best. */
void target_ranking_offer(struct target_ranking *ranking, const struct target_hit *hit);

/* The whole of a hit: @prefix is that of the spec ("lat:"). */
void target_index_result(const struct target_hit *hit, const struct target_pattern *pattern,
			 struct target_match_work *work, const char *prefix,
			 struct target_result *out);

#endif
