/* event_values.h - the values that a hit or sample carries, as text. Thread: any. */
#ifndef EXPORT_EVENT_VALUES_H
#define EXPORT_EVENT_VALUES_H

#include <stdio.h>

#include "analyzer/snapshot.h"

/* Writes the values as the format of @event's probe says, else as "name=value name=value"; "?": it
 * could not be read. Returns the number of bytes; 0: @event carries no value. */
int event_values_put(FILE *out, const struct snapshot_event *event);

#endif
