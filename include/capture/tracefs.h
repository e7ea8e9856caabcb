/* tracefs.h - finds the kernel's tracing directory, even if it is not mounted.
 *
 * Order:  /sys/kernel/tracing, /sys/kernel/debug/tracing, else a detached mount: it is not visible
 *         in any directory tree and disappears with its descriptor.
 * Source: fsopen(2), fsmount(2).
 * Thread: any; no state.
 */
#ifndef CAPTURE_TRACEFS_H
#define CAPTURE_TRACEFS_H

#include <stdint.h>

#include "base/diag.h"
#include "capture/raw_fields.h"

/* Opens the directory that holds "events/". Returns a descriptor (close-on-exec, owned by the
 * caller) or -errno: -EACCES/-EPERM, -ENODEV (kernel without tracing), ... */
int tracefs_open(struct diag *why);

/* Reads the id of the tracepoint @group:@event, for perf_event_attr.config of PERF_TYPE_TRACEPOINT.
 * Returns 0, -ENOENT (no such group or event: @why says which), or an error of tracefs_open(). */
int tracefs_event_id(const char *group, const char *event, uint64_t *id, struct diag *why);

/* Finds the tracepoints whose group and name match the patterns @group and @event (fnmatch(3)), as
 * sorted texts "group:name". The caller owns *@names and the texts; NULL and 0 after a failure.
 * Returns 0, -ENOENT: none matches, -ENOMEM, or an error of tracefs_open(). */
int tracefs_find_events(const char *group, const char *event, char ***names, size_t *count,
			struct diag *why);

/* Reads the fields of the tracepoint @group:@event below @dir, the directory of tracefs_open().
 * Returns 0 (the caller must finish @out), -ENOENT, -EBADMSG, -ENOMEM, ... with the reason. */
int tracefs_read_fields(int dir, const char *group, const char *event, struct raw_fields *out,
			struct diag *why);
/* Writes the names of the fields of @name, "group:event" with or without modifiers, into
 * @out[@room]; "unknown" where they can't be read. */
void tracefs_list_fields(const char *name, char *out, size_t room);

#endif
