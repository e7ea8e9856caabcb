/* probe_cost.h - what a hit takes from the program that is probed.
 *
 * Source: reference measurements on a virtual machine to begin with; what differs most between
 *         machines, a breakpoint in user code, is measured once on a function of our own.
 * Thread: any; probe_cost_measure() BLOCKS for about 0.2 s.
 */
#ifndef PROBE_PROBE_COST_H
#define PROBE_PROBE_COST_H

#include "probe/probe_places.h"

/* In ns of CPU time. */
struct probe_cost {
	double emulated, stepped;	/* breakpoint in user code, by the instruction there */
	double user_return;		/* on top of the entry, for the return that comes with it */
	double kernel, kernel_return;
	double tracepoint;
	double record, stack;		/* of a record; of the stack in it */
};

extern const struct probe_cost probe_cost_expected;

/* Of a hit at the most expensive site: all its edges. */
double probe_cost_of_hit(const struct probe_cost *cost, const struct probe_places *places,
			 bool with_stacks);

/* Calls an empty function of ours, which begins with what the kernel emulates or with what it must
 * step, and where in /proc/self/exe it begins. False: not known. */
void probe_cost_call(bool is_stepped);
bool probe_cost_find_call(bool is_stepped, uint64_t *offset);

/* Puts what this machine needs into @cost; left as it is where it can't be measured. */
void probe_cost_measure(struct probe_cost *cost);

#endif
