/* target_events.h - loads tracepoints and leftover dynamic events for the finder.
 * Source: Documentation/trace/events.rst; probe/trace_group.h.
 * Thread: any; may take some 10 ms. */
#ifndef PROBE_TARGET_EVENTS_H
#define PROBE_TARGET_EVENTS_H

#include "probe/probe_attach.h"
#include "target_index.h"

/* Loads dynamic events of others and of dead instances, as definitions "p:probe/foo vfs_read". They
 * are no targets: only stale ones can be chosen, for removal. 0 with *@out, the caller's. */
int target_events_load_leftovers(struct target_index **out, struct diag *why);

/* Loads all tracepoints except dynamic events. @abilities: see target_kernel_load(). */
int target_events_load_tracepoints(struct target_index **out,
				   const struct probe_abilities *abilities, struct diag *why);

#endif
