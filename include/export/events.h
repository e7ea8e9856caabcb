/* events.h - writes hits and samples, a line each, as text or as JSON lines.
 * Thread: any. Errors stay in @out (ferror(3)). */
#ifndef EXPORT_EVENTS_H
#define EXPORT_EVENTS_H

#include <stdio.h>

#include "analyzer/snapshot_events.h"
#include "base/diag.h"

enum event_field {		/* in the order of option_event_fields */
	EVENT_TIME, EVENT_CPU, EVENT_COMM, EVENT_PID, EVENT_TID, EVENT_NAME, EVENT_PERIOD,
	EVENT_LATENCY, EVENT_SYMBOL, EVENT_DSO, EVENT_VALUES, EVENT_STACK,
	EVENT_FIELD_COUNT
};

struct event_fields {
	enum event_field list[EVENT_FIELD_COUNT];	/* in the order of printing */
	uint32_t count;
};

/* NULL-terminated, by enum event_field. */
extern const char *const event_field_names[EVENT_FIELD_COUNT + 1];

/* Selects time, CPU, command, pid, tid, event, latency, symbol and values. */
void event_fields_set_default(struct event_fields *out);
/* Parses "time,comm,stack", or "+stack,-cpu" to change the fields in @out. 0 or -EINVAL; @as: the
 * option, for the reason. */
int event_fields_parse(struct event_fields *out, const char *as, const char *text,
		       struct diag *why);
bool event_fields_has(const struct event_fields *fields, enum event_field field);

void events_write_titles(FILE *out, const struct event_fields *fields);
void events_write(FILE *out, const struct snapshot_events *events,
		  const struct event_fields *fields);
/* Writes a JSON object per line; null where a value is unknown or the hit has none. */
void events_write_json(FILE *out, const struct snapshot_events *events,
		       const struct event_fields *fields);

#endif
