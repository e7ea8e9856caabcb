/* probe_cost.h - the CPU time that a hit takes from the probed program.
 *
 * Source: reference measurements on a virtual machine to begin with; what differs most between
 *         machines, a breakpoint in user code, is measured once on a function of our own.
 * Thread: any; probe_cost_measure() BLOCKS for about 0.2 s.
 */
#ifndef PROBE_PROBE_COST_H
#define PROBE_PROBE_COST_H

#include "probe/probe_point.h"

/* Calls an empty function of ours that begins with an instruction that the kernel emulates or
 * single-steps; _find_call() gets its offset in /proc/self/exe. False: not known. */
void probe_cost_call(bool is_stepped);
bool probe_cost_find_call(bool is_stepped, uint64_t *offset);

/* Measures the costs in user code on this machine; what can't be measured stays as it is. */
void probe_cost_measure(struct probe_cost *cost);

#endif
