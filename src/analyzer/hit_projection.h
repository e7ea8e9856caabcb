/* hit_projection.h - shows the hits of a probe by another weight, or those of one group: entries of
 * the sums of groups (ingest/hit_groups.h) take the place of the entries that count the hits.
 *
 *   of the probe's event:  (task, stack, cpu) -> 7 hits       left out
 *   of EVENT_OF_SUMS:      (task, stack, sum(bytes)) -> 4096  an entry of the probe's event, of
 *                                                             unknown CPU, that weighs 4096
 *
 * For groups by keys of `by` the projected entries have their tuples beside them. The parts of the
 * filter for such keys have a bit each in the value bucket: see fold/fold_filter.h.
 *
 * For the samples inside the calls of a latency the same is done with those of HIT_SUM_INSIDE.
 * So every view folds what is asked for, and none knows of it.
 * Thread: the analyzer's.
 */
#ifndef ANALYZER_HIT_PROJECTION_H
#define ANALYZER_HIT_PROJECTION_H

#include "analyzer/snapshot.h"
#include "fold/query.h"
#include "ingest/ingest.h"
#include "ingest/probe_state.h"

struct hit_projection {
	bool is_on;		/* false: entries are folded as they are */
	uint32_t event;
	unsigned int weight;	/* enum hit_weight */
	uint64_t group;
	bool has_tuples;	/* groups are by keys of `by` */
	bool is_by_stack;	/* such a key, or one of the filter, is the stack */
	struct filter_part by[FILTER_BY_PARTS];	/* parts of the filter for keys of `by` */
	uint32_t by_count;
	unsigned char *satisfied;	/* owned; by tuple: a bit for each part in `by`, unless
					 * is_by_stack; NULL: by_count is 0 */
	bool is_inside, is_of_slowest;	/* query.inside, query.inside_slowest */
	uint8_t least;		/* inside: the lowest bucket of latency that is shown */
	struct ingest *ingest;	/* borrowed */
	const struct probe_row *row;	/* borrowed */
	unsigned char *wanted;	/* owned; by tuple: 0 no, 1 yes, 2: if the stack is the group's */
	uint32_t tuple_count;
	struct slice base;	/* owned entries and tuples: those of the baseline */
	char name[PROBE_SPEC_BYTES];	/* name of the weight; "": number of hits */
};

/* Prepares to project @event, as @query asks. 0; or -ENOMEM, without anything to finish. */
int hit_projection_begin(struct hit_projection *projection, struct ingest *ingest,
			 const struct query *query, uint32_t event);
void hit_projection_finish(struct hit_projection *projection);	/* a zeroed one is fine, too */
/* Describes in @head how the hits weigh and which are shown; it refers to @projection. */
void hit_projection_describe(struct hit_projection *projection, struct snapshot *head);
/* Chooses the slowest calls of a window, if these are asked for. */
void hit_projection_choose(struct hit_projection *projection, const struct slice *slices,
			   uint32_t count);
/* Fills @out, whose entries and tuples the caller owns, with what @from becomes. 0 or -ENOMEM. */
int hit_projection_apply(const struct hit_projection *projection, const struct slice *from,
			 struct slice *out);
/* Frees entries and tuples that hit_projection_apply() allocated. */
void hit_projection_free(struct slice *slice);

#endif
