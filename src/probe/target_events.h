/* target_events.h - tracepoints, and the dynamic events that somebody left, for the finder.
 * Source: Documentation/trace/events.rst; probe/trace_group.h.
 * Thread: any; may take some 10 ms. */
#ifndef PROBE_TARGET_EVENTS_H
#define PROBE_TARGET_EVENTS_H

#include "probe/probe_attach.h"
#include "target_index.h"

/* Dynamic events of others and of dead instances, as definitions "p:probe/foo vfs_read". They are
 * no targets: only stale ones can be taken, to be removed. 0 with *@out, the caller's. */
int target_events_load_leftovers(struct target_index **out, struct diag *why);

/* All tracepoints but those of dynamic events. Those of @abilities as target_kernel_load(). */
int target_events_load_tracepoints(struct target_index **out,
				   const struct probe_abilities *abilities, struct diag *why);

#endif
