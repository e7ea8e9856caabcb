/* event_names.h - names of the kernel's generic events: hardware, software, cache.
 * Source: <linux/perf_event.h> perf_hw_id, perf_sw_ids, perf_hw_cache_id; perf-list(1) for names.
 * Thread: any, pure. */
#ifndef CAPTURE_EVENT_NAMES_H
#define CAPTURE_EVENT_NAMES_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

/* Sets type and config of @attr; returns false when no event has this name. */
bool event_names_find(const char *name, struct perf_event_attr *attr);

/* Returns the known name closest to @name, or NULL when none is near. */
const char *event_names_nearest(const char *name);

/* Returns the @index-th name, NULL after the last. Cache events, composed of words, are not
 * listed. */
const char *event_names_at(size_t index);

#endif
