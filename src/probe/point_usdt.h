/* point_usdt.h - resolves USDT probes of a program or library to points, in a worker.
 * Thread: the probe engine's; BLOCKS. */
#ifndef PROBE_POINT_USDT_H
#define PROBE_POINT_USDT_H

#include "probe/probe_point.h"

/* probe_resolver_find() for PROBE_USDT: one point, with a site wherever the compiler put the USDT
 * probe. Its arguments have no names: $arg1 and so on, or arg1. */
int point_usdt_find(struct sandbox *sandbox, const struct probe_spec *spec, pid_t pid,
		    struct probe_point **out, uint32_t *count, struct diag *why);

#endif
