/* event_spec.h - what the user writes after -e -> perf_event_attr.
 *
 *   list:   spec[,spec...]; a comma between slashes belongs to the spec
 *   spec:   name[:modifiers] | rNNN[:modifiers] | pmu/terms/[modifiers] | group:tracepoint[:mods]
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
	bool wants_max_precise;		/* P: lower precise_ip from 3 until the kernel agrees */
	bool has_level_modifier;	/* u, k or h was given */
	const char *filter;	/* of a tracepoint: what the kernel checks; BORROWED; NULL: none */
};

/* Parses one list; appends to *@specs (realloc'd, the caller's to free, also after a failure).
 * Returns 0, -EINVAL (syntax), -ENOENT (unknown, with a near name or how to list), -EACCES, ... */
int event_spec_parse_list(const char *text, struct event_spec **specs, size_t *count,
			  struct diag *why);

/* One spec. */
int event_spec_parse(const char *text, struct event_spec *out, struct diag *why);

#endif
