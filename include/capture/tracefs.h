/* tracefs.h - finds the kernel's tracing directory, even if it is not mounted, reads events there
 * and makes its own.
 *
 * Order:  /sys/kernel/tracing, /sys/kernel/debug/tracing, else a detached mount: it is not visible
 *         in any directory tree and disappears with its descriptor.
 * Source: fsopen(2), fsmount(2).
 * Thread: any; no state.
 */
#ifndef CAPTURE_TRACEFS_H
#define CAPTURE_TRACEFS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "capture/raw_fields.h"
#include "proc/guardian.h"

/* Opens the directory that holds "events/". Returns a descriptor (close-on-exec, owned by the
 * caller) or -errno: -EACCES/-EPERM, -ENODEV (kernel without tracing), ... */
int tracefs_open(struct diag *why);

/* Reads the id of the tracepoint @group:@event, for perf_event_attr.config of PERF_TYPE_TRACEPOINT.
 * Returns 0, -ENOENT (no such group or event: @why says which), or an error of tracefs_open(). */
int tracefs_event_id(const char *group, const char *event, uint64_t *id, struct diag *why);

/* Reads the id of the event @group:@event below @dir, the directory of tracefs_open(). Returns 0 or
 * -errno. */
int tracefs_read_id(int dir, const char *group, const char *event, uint64_t *id);

/* Finds the tracepoints whose group and name match the patterns @group and @event (fnmatch(3)), as
 * sorted texts "group:name". The caller owns *@names and the texts; NULL and 0 after a failure.
 * Returns 0, -ENOENT: none matches, -ENOMEM, or an error of tracefs_open(). */
int tracefs_find_events(const char *group, const char *event, char ***names, size_t *count,
			struct diag *why);

/* Reads the format file of the tracepoint @group:@event below @dir, the directory of
 * tracefs_open(). *@out is the caller's, NULL on failure. Returns 0, -ENOENT, -ENOMEM, ... */
int tracefs_read_format(int dir, const char *group, const char *event, char **out,
			struct diag *why);
/* Reads the fields of the tracepoint @group:@event below @dir, the directory of tracefs_open().
 * Returns 0 (the caller must finish @out), -ENOENT, -EBADMSG, -ENOMEM, ... with the reason. */
int tracefs_read_fields(int dir, const char *group, const char *event, struct raw_fields *out,
			struct diag *why);
/* Returns a copy of the format file of @name, "group:event" with or without modifiers, which the
 * caller frees; NULL: it can't be read. */
char *tracefs_copy_format(const char *name);
/* Writes the names of the fields of @name, "group:event" with or without modifiers, into
 * @out[@room]; "unknown" where they can't be read. */
void tracefs_list_fields(const char *name, char *out, size_t room);

/* The dynamic events of this instance in tracefs: made, found again, removed.
 *
 * Name:    flametop_<pid>_<start time>_<inode of the pid namespace>: it identifies the owner, so
 *          the next flametop can remove what an instance left that was killed with its guardian
 *          (same pid namespace only).
 * Rules:   files are opened O_APPEND (O_TRUNC deletes everybody's), one write(2) per command;
 *          nothing global is ever switched (no instances, no enable files).
 * Source:  Documentation/trace/kprobetrace.rst, uprobetracer.rst.
 * Thread:  one at a time (the probe engine's).
 */

#define TRACE_NAME_BYTES 64	/* the kernel's limit, terminator included */

enum trace_type { TRACE_KPROBE, TRACE_KRETPROBE, TRACE_UPROBE, TRACE_URETPROBE };

struct trace_definition {
	enum trace_type type;
	const char *site;	/* "vfs_read+0", "MOD:SYM+OFF"; "/proc/self/fd/9:0x1139(0x4018)" */
	const char *shown;	/* the site as errors name it; NULL: as `site` */
	const char *fetch_args;	/* "count=%dx:u64 name=+0(%si):string"; "": none */
	uint32_t max_active;	/* TRACE_KRETPROBE: concurrent calls; 0: the kernel's default */
};

struct trace_event {
	char name[TRACE_NAME_BYTES];	/* name of the event in the group */
	uint64_t id;		/* perf_event_attr.config of PERF_TYPE_TRACEPOINT */
	struct raw_fields fields;	/* owned: raw_fields_finish() by trace_group_remove() */
	enum trace_type type;
};

struct trace_group;

/* Writes the name of this process's group, terminated, into @out: constant for the process; the
 * guardian removes it. 0 or -errno. */
int trace_group_name(char out[TRACE_NAME_BYTES], struct diag *why);

/* Removes what dead instances left; defines nothing. 0 or -errno of tracefs_open(). */
int trace_group_open(struct trace_group **out, struct diag *why);
/* Removes all events of the group that are left, and frees; NULL is fine. */
void trace_group_close(struct trace_group *group);

/* Defines an event and reads its format. On errors @why has the kernel's own message (error_log).
 * 0, or -errno: -EINVAL, -ENOENT no such symbol or file, -EADDRNOTAVAIL name not unique, -EILSEQ
 * not an instruction's start, -EACCES/-EPERM. */
int trace_group_add(struct trace_group *group, const struct trace_definition *definition,
		    struct trace_event *out, struct diag *why);
/* Removes @event and releases what it owns. 0, or -EBUSY as long as a descriptor on it is open. */
int trace_group_remove(struct trace_group *group, struct trace_event *event, struct diag *why);
/* Returns hits that the kernel missed (kprobe_profile, last column): cumulative; 0 if unknown. */
uint64_t trace_group_missed(struct trace_group *group, const struct trace_event *event);

/* Describes an existing tracepoint: id and fields. 0, -ENOENT, ... The fields of @out are the
 * caller's: raw_fields_finish(). */
int trace_group_find(struct trace_group *group, const char *system, const char *name,
		     struct trace_event *out, struct diag *why);

/* Removes what is left of the group @name, for the guardian: no memory, no state. 0; -EBUSY: try
 * again; -errno. */
int trace_group_remove_named(const char *name);
/* Sets what the guardian removes when this process dies: the events of its group. */
void trace_group_leftovers(struct guardian_leftovers *out);

/* Removes what dead instances of our pid namespace left; returns how many of *@all events are gone;
 * @why is from the last one that stayed. */
uint32_t trace_group_sweep(struct trace_group *group, uint32_t *all, struct diag *why);

/* Called with each dynamic event of the system: "p:probe/foo vfs_read ...". @is_stale: it is from a
 * dead flametop. trace_group_list_all() returns the number of calls, or -errno. */
typedef void trace_list_sink(void *context, const char *line, bool is_ours, bool is_stale);
int trace_group_list_all(trace_list_sink *sink, void *context, struct diag *why);

#endif
