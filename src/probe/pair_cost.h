/* pair_cost.h - measures the probe's own time in a measured latency: the time from the record of an
 * entry to that of its return, around a call that does nothing.
 *
 * Source: measured on a function of our own, or on getppid(2), once for each kind of probe.
 * Thread: one at a time (the examiner's). pair_cost_of() takes a few milliseconds when a kind is
 *         new; pair_cost_close() BLOCKS for up to 0.2 s then.
 */
#ifndef PROBE_PAIR_COST_H
#define PROBE_PAIR_COST_H

#include "probe/probe_point.h"

enum pair_kind {
	PAIR_USER_EMULATED, PAIR_USER_STEPPED,	/* by how the probed instruction runs */
	PAIR_KERNEL,
	PAIR_TRACEPOINT,
	PAIR_KINDS
};

struct pair_costs {
	uint32_t ns[PAIR_KINDS][2];	/* without and with stacks; 0: can't be measured */
	bool is_known[PAIR_KINDS][2];
	int open[2];			/* descriptors left open by the last one; -1: none */
};

void pair_costs_init(struct pair_costs *costs);

/* Returns the probe's own time in ns, at the most expensive of the sites; 0: it is no pair, or this
 * kernel or our privileges don't let it be measured. */
uint32_t pair_cost_of(struct pair_costs *costs, const struct probe_point *points, bool with_stacks);

/* Closes the events that pair_cost_of() left open. BLOCKS for up to 0.2 s. */
void pair_cost_close(struct pair_costs *costs);

#endif
