/* event_names.h - the generic events that the kernel gives a name: hardware, software, cache.
 * Source: <linux/perf_event.h> perf_hw_id, perf_sw_ids, perf_hw_cache_id; names as perf-list(1).
 * Thread: any, pure. */
#ifndef CAPTURE_EVENT_NAMES_H
#define CAPTURE_EVENT_NAMES_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

/* Sets type and config of @attr; false when nothing has this name. */
bool event_names_find(const char *name, struct perf_event_attr *attr);

/* The known name closest to @name, or NULL when none is near. */
const char *event_names_nearest(const char *name);

/* The names, one by one; NULL behind the last. Cache events are not among them: they are made of
 * words. */
const char *event_names_at(size_t index);

#endif
