/* tracefs.h - finds the kernel's tracing directory, also where nobody mounted it.
 *
 * Order:  /sys/kernel/tracing, /sys/kernel/debug/tracing, else a private mount that has no place in
 *         any directory tree: it is gone with its descriptor and nobody else ever sees it.
 * Source: fsopen(2), fsmount(2).
 * Thread: any; no state.
 */
#ifndef CAPTURE_TRACEFS_H
#define CAPTURE_TRACEFS_H

#include <stdint.h>

#include "base/diag.h"
#include "capture/raw_fields.h"

/* Opens the directory that holds "events/". Returns a descriptor (close-on-exec, the caller's) or
 * -errno: -EACCES/-EPERM, -ENODEV (kernel without tracing), ... */
int tracefs_open(struct diag *why);

/* The number of the tracepoint @group:@event, for perf_event_attr.config of PERF_TYPE_TRACEPOINT.
 * Returns 0, -ENOENT (no such group or event: the sentence says which), or as tracefs_open(). */
int tracefs_event_id(const char *group, const char *event, uint64_t *id, struct diag *why);

/* The tracepoints whose group matches @group and whose name matches @event, patterns both
 * (fnmatch(3)): "group:name" each, sorted. *@names and the texts are the caller's, NULL and 0 after
 * a failure. 0, -ENOENT: none matches, -ENOMEM, or as tracefs_open(). */
int tracefs_find_events(const char *group, const char *event, char ***names, size_t *count,
			struct diag *why);

/* The fields of the tracepoint @group:@event below @dir, the directory of tracefs_open().
 * 0 (@out is the caller's to finish), -ENOENT, -EBADMSG, -ENOMEM, ... with the reason. */
int tracefs_read_fields(int dir, const char *group, const char *event, struct raw_fields *out,
			struct diag *why);
/* The names of the fields of @name, "group:event" with or without modifiers, into @out[@room];
 * "unknown" where they can't be read. */
void tracefs_list_fields(const char *name, char *out, size_t room);

#endif
