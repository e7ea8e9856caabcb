/* place_tracepoint.h - tracepoints -> places: one for each, or for each pair.
 * Thread: the probe engine's; BLOCKS. */
#ifndef PROBE_PLACE_TRACEPOINT_H
#define PROBE_PLACE_TRACEPOINT_H

#include "capture/raw_fields.h"
#include "probe/probe_places.h"

/* As probe_places_find(), for PROBE_TRACEPOINT: each place has one site, whose `symbol` is
 * "group:name". A value's `fetch` is the name of the field; is_return: of the pair's second. */
int place_tracepoint_find(const struct probe_spec *spec, struct probe_places **out,
			  uint32_t *count, struct diag *why);

/* How the numbers of @field are shown, or that it is text. Any thread, does not block. */
enum probe_value_kind place_tracepoint_kind(const struct raw_field *field);

#endif
