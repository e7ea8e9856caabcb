/* event_spec.h - parses the argument of -e into perf_event_attrs.
 *
 *   list:   spec[,spec...]; a comma between slashes belongs to the spec
 *   spec:   name[:modifiers] | rNNN[:modifiers] | pmu/terms/[modifiers] | group:tracepoint[:mods]
 *           Group and tracepoint may be patterns (*, ?, [...]): all that match, by name.
 *   modifiers: u k h (only these levels), p pp ppp (precise), P (as precise as it goes),
 *              G (guest only), H (host only)
 *
 * Source: perf_event_open(2); perf-list(1) for the names.
 * Thread: any. Reads sysfs and tracefs where a spec needs them, opens no event.
 */
#ifndef CAPTURE_EVENT_SPEC_H
#define CAPTURE_EVENT_SPEC_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

#define EVENT_NAME_BYTES 96

struct event_spec {
	struct perf_event_attr attr;	/* type, config*, exclude_*, precise_ip; the rest is 0 */
	char name[EVENT_NAME_BYTES];	/* as the user wrote it; cut when longer */
	bool wants_max_precise;		/* P: lower precise_ip from 3 until the kernel accepts it */
	bool has_level_modifier;	/* u, k or h was given */
	const char *filter;	/* --filter text for a tracepoint, checked by the kernel;
				 * BORROWED; NULL: none */
};

/* An event that the user named and that this machine does not have or can't sample. */
struct event_absence {
	char name[EVENT_NAME_BYTES];
	struct diag why;
};

struct event_spec_list {
	struct event_spec *specs;	/* owned */
	size_t count;
	size_t last;			/* index of the first event from the last element of the
					 * last list: a pattern yields several */
	struct event_absence *absent;	/* owned */
	size_t absent_count;
	char *patterns;			/* owned; a line per pattern: "sched:*: 24 tracepoints" */
};

/* Parses one list, as the user wrote it, and appends to @list. A tracepoint, PMU or PMU event that
 * this machine lacks is appended to the absent ones. Call event_spec_list_finish() in every case.
 * Returns 0, -EINVAL (syntax), -ENOENT (no such name; @why has a near one or how to list them),
 * -EACCES, -ENOMEM, ... */
int event_spec_parse_list(const char *text, struct event_spec_list *list, struct diag *why);
void event_spec_list_finish(struct event_spec_list *list);	/* a zeroed one is fine */
/* Moves spec @index to the absent ones. 0 or -ENOMEM. */
int event_spec_list_drop(struct event_spec_list *list, size_t index, const struct diag *reason);

/* Parses one spec without a pattern. Errors as event_spec_parse_list(). */
int event_spec_parse(const char *text, struct event_spec *out, struct diag *why);

#endif
