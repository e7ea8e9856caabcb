/* place_mark.h - resolves USDT probes of a program or library to places, in a worker.
 * Thread: the probe engine's; BLOCKS. */
#ifndef PROBE_PLACE_MARK_H
#define PROBE_PLACE_MARK_H

#include "probe/probe_places.h"

/* probe_places_find() for PROBE_USDT: one place, with a site wherever the compiler put the USDT
 * probe. Its arguments have no names: $arg1 and so on, or arg1. */
int place_mark_find(struct sandbox *sandbox, const struct probe_spec *spec, pid_t pid,
		    struct probe_places **out, uint32_t *count, struct diag *why);

#endif
