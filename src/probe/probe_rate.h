/* probe_rate.h - measures how often a place is hit before it is probed: counts for a moment, or
 * until the place is known to be hot.
 *
 * Thread: the probe engine's. Begin and end BLOCK for as long as attaching and closing take.
 */
#ifndef PROBE_PROBE_RATE_H
#define PROBE_PROBE_RATE_H

#include "live_probe.h"

#define PROBE_RATE_NS	200000000ull	/* count for 0.2 s, or */
#define PROBE_RATE_HITS 500		/* until there are so many hits */

struct probe_rate {
	struct live_probe live;
	uint64_t begin_ns;
};

/* Counts the entries at @places for @scope. 0, or -errno with nothing left behind. */
int probe_rate_begin(struct probe_rate *rate, struct trace_group *group,
		     const struct probe_places *places, const struct probe_scope *scope,
		     struct diag *why);
/* Reads the rate. True: it is known. */
bool probe_rate_read(struct probe_rate *rate, struct trace_group *group, uint64_t now_ns,
		     double *hits_per_s);
void probe_rate_end(struct probe_rate *rate, struct trace_group *group);

#endif
