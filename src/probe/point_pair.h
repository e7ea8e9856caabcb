/* point_pair.h - joins points to one latency: from a hit of the first to the next hit of the
 * second, and so on to the last.
 * Thread: the probe engine's; BLOCKS (tracefs). */
#ifndef PROBE_POINT_PAIR_H
#define PROBE_POINT_PAIR_H

#include "probe/probe_point.h"

/* True: @spec is a latency between two points, or from one to itself, not of one function. */
bool point_pair_is(const struct probe_spec *spec);

/* Fills @out with the spec of a probe at the point @index of @spec (probe_point_at()): its values
 * and those that join it to the others, no condition. 0; -E2BIG: these are too many. */
int point_pair_spec(const struct probe_spec *spec, uint32_t index, struct probe_spec *out,
		    struct diag *why);

/* Makes @point, found for the first point, one of @spec, whose other points are to be found next; a
 * wildcard of system calls gets the end of the one that matched. 0; -E2BIG: too many values. */
int point_pair_begin(struct probe_point *point, const struct probe_spec *spec, struct diag *why);

/* Takes the values that the first point lacks from @point->end (NULL: from the point to itself),
 * joins all points and their verdicts, and checks the condition. 0; -EINVAL: a field is missing or
 * is of another type than the one it is joined with; -E2BIG. */
int point_pair_join(struct probe_point *point, struct diag *why);

#endif
