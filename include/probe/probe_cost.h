/* probe_cost.h - the CPU time that a hit takes from the probed program.
 *
 * Source: reference measurements on a virtual machine to begin with; what differs most between
 *         machines, a breakpoint in user code, is measured once on a function of our own.
 * Thread: any; probe_cost_measure() BLOCKS for about 0.2 s.
 */
#ifndef PROBE_PROBE_COST_H
#define PROBE_PROBE_COST_H

#include "probe/probe_places.h"

/* CPU time of the steps of a hit, in ns. */
struct probe_cost {
	double emulated, stepped;	/* breakpoint in user code, by how its instruction runs */
	double user_return;		/* extra cost for the return that follows an entry */
	double kernel, kernel_return;
	double tracepoint;
	double record, stack;		/* writing a record; adding its stack */
};

extern const struct probe_cost probe_cost_expected;

/* Returns the cost of a hit, with all its edges, at the most expensive site. */
double probe_cost_of_hit(const struct probe_cost *cost, const struct probe_places *places,
			 bool with_stacks);

/* Calls an empty function of ours that begins with an instruction that the kernel emulates or
 * single-steps; _find_call() gets its offset in /proc/self/exe. False: not known. */
void probe_cost_call(bool is_stepped);
bool probe_cost_find_call(bool is_stepped, uint64_t *offset);

/* Measures the costs in user code on this machine; what can't be measured stays as it is. */
void probe_cost_measure(struct probe_cost *cost);

#endif
