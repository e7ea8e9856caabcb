/* place_tracepoint.h - resolves tracepoints to places: one for each, or for each pair.
 * Thread: the probe engine's; BLOCKS. */
#ifndef PROBE_PLACE_TRACEPOINT_H
#define PROBE_PLACE_TRACEPOINT_H

#include "capture/raw_fields.h"
#include "probe/probe_places.h"

/* probe_places_find() for PROBE_TRACEPOINT: each place has one site, whose `symbol` is
 * "group:name". A value's `fetch` is its field's name; is_return: in the pair's second. */
int place_tracepoint_find(const struct probe_spec *spec, struct probe_places **out,
			  uint32_t *count, struct diag *why);

#endif
