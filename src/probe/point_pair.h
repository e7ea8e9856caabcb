/* point_pair.h - joins two places to one latency: from a hit of the first to the next hit of the
 * second.
 * Thread: the probe engine's; BLOCKS (tracefs). */
#ifndef PROBE_POINT_PAIR_H
#define PROBE_POINT_PAIR_H

#include "probe/probe_point.h"

/* True: @spec is a latency between two places, or from one to itself, not of one function. */
bool point_pair_is(const struct probe_spec *spec);

/* True: the second place is the exit of the system call that the first one enters: tracepoints. */
bool point_pair_is_system_call(const struct probe_spec *spec);

/* Fills @out with the spec of a probe at one place of @spec: its values and those that join it to
 * the other place, no condition. 0; -E2BIG: these are too many. */
int point_pair_spec(const struct probe_spec *spec, bool is_second, struct probe_spec *out,
		     struct diag *why);

/* Makes @point, found for the first place, one of @spec, whose second place is to be found next; a
 * wildcard of system calls gets the end of the one that matched. */
void point_pair_begin(struct probe_point *point, const struct probe_spec *spec);

/* Takes the values that the first place lacks from @point->end (NULL: from the place to itself),
 * joins the two and their verdicts, and checks the condition. 0; -EINVAL: a field is missing or is
 * of another type than the one it is joined with. */
int point_pair_join(struct probe_point *point, struct diag *why);

#endif
