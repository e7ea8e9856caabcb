/* fold_groups.h - processes as the sums of their threads: KEY_GROUP. Thread: the analyzer's. */
#ifndef FOLD_FOLD_GROUPS_H
#define FOLD_FOLD_GROUPS_H

#include "fold/fold.h"

struct fold_group {
	struct fold_row sum;	/* key: pid and idle; tid mixed; tasks: threads with samples */
	bool has_own_comm;	/* comm is the first thread's, else what all threads share */
};

/* True when @keys ask for groups: one row per thread, and a row per process besides. */
bool fold_is_grouped(unsigned int keys);

/* The processes of a grouped fold; what is idle in them apart, as in rows. *@out: malloc'd, the
 * caller's. 0 or -ENOMEM. */
int fold_groups(const struct fold *fold, struct fold_group **out, uint32_t *count);

#endif
