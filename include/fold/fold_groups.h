/* fold_groups.h - processes as the sums of their threads: KEY_GROUP. Thread: the analyzer's. */
#ifndef FOLD_FOLD_GROUPS_H
#define FOLD_FOLD_GROUPS_H

#include "fold/fold.h"

struct fold_group {
	struct fold_row sum;	/* keyed by pid and idle; tid is FOLD_MIXED; tasks: threads with
				 * samples */
	bool has_own_comm;	/* comm is the main thread's; else shared by all threads, or
				 * FOLD_MIXED */
};

/* True if @keys give one row per thread and, in addition, a row per process. */
bool fold_is_grouped(unsigned int keys);

/* Sums the rows of a grouped fold by process, and idle ones separately. *@out: the caller must
 * free() it. 0 or -ENOMEM. */
int fold_groups(const struct fold *fold, struct fold_group **out, uint32_t *count);

#endif
