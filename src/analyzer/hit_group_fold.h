/* hit_group_fold.h - sums the entries of groups of hits (ingest/hit_groups.h) over a window.
 *
 * Use:    hit_group_fold_init(), hit_group_fold_add() for all entries of the window,
 *         hit_group_fold_finish() in every case. probe_builder_groups() makes the groups of a
 *         snapshot of it.
 * Thread: the analyzer's.
 */
#ifndef ANALYZER_HIT_GROUP_FOLD_H
#define ANALYZER_HIT_GROUP_FOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/id_map.h"
#include "ingest/ingest.h"
#include "ingest/probe_state.h"
#include "timeline/timeline.h"

/* The sum of one tuple, for one stack if the stack is a key. */
struct hit_cell {
	uint32_t tuple, stack;	/* stack: ID_SET_NONE if it is no key */
	uint64_t count;
	int64_t weight;		/* or the least, or the greatest */
};

struct hit_group_fold {
	const struct hit_tuples *tuples;	/* borrowed; NULL: nothing is folded */
	struct hit_cell *cells;		/* owned */
	uint32_t count, capacity;
	struct id_map by_place;		/* (tuple, stack) -> cell */
	unsigned char *wanted;		/* owned; by tuple: 0: not folded, 2: by its stack, too */
	uint32_t tuple_count;
	bool has_extremes;	/* there are minima or maxima to be folded */
	bool is_out_of_memory;
};

/* Prepares to fold the groups of probe @probe; PROBE_ALL: of all. 0 or -ENOMEM. */
int hit_group_fold_init(struct hit_group_fold *fold, const struct probe_hits *hits,
			uint32_t probe);
void hit_group_fold_finish(struct hit_group_fold *fold);	/* a zeroed one is fine, too */
/* Adds entries; @are_extremes: only minima and maxima, else all but these. */
void hit_group_fold_add(struct hit_group_fold *fold, const struct slice_entry *entries,
			uint32_t count, bool are_extremes);

/* Whether a key of @spec is the stack, or a part of it. */
bool hit_group_has_stack(const struct probe_spec *spec);
/* Returns @id, a key of a tuple, or HIT_KEY_OTHER if it stands for values that had no room. */
uint32_t hit_group_key(const struct ingest *ingest, uint32_t id);
/* Returns the identity of the group that a tuple of @row belongs to, which is equal in all
 * snapshots. @stack: ID_SET_NONE if no key is the stack. */
uint64_t hit_group_identity(struct ingest *ingest, const struct probe_row *row,
			    const struct hit_tuple *tuple, uint32_t stack);
/* Returns the identity of the value of key @index, likewise. */
uint64_t hit_group_value(struct ingest *ingest, const struct probe_row *row,
			 const struct hit_tuple *tuple, uint32_t stack, uint32_t index);
/* Calls @take for each function of @stack, leaf first, that a key of @kind means. */
typedef void hit_group_frame(void *context, const struct symbol *symbol);
void hit_group_walk(struct ingest *ingest, uint32_t stack, enum probe_key_kind kind,
		    hit_group_frame *take, void *context);

#endif
