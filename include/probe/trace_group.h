/* trace_group.h - the dynamic events of this instance in tracefs: made, found again, removed.
 *
 * Name:    flametop_<pid>_<start time>_<inode of the pid namespace>: whose it is can be checked, so
 *          a start sweeps what an instance left that was killed with its guardian (same pid
 *          namespace only).
 * Rules:   files are opened O_APPEND (O_TRUNC deletes everybody's), one write(2) per command;
 *          nothing global is ever switched (no instances, no enable files).
 * Source:  Documentation/trace/kprobetrace.rst, uprobetracer.rst.
 * Thread:  one at a time (the probe engine's).
 */
#ifndef PROBE_TRACE_GROUP_H
#define PROBE_TRACE_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "capture/raw_fields.h"

#define TRACE_NAME_BYTES 64	/* the kernel's limit, terminator included */

enum trace_type { TRACE_KPROBE, TRACE_KRETPROBE, TRACE_UPROBE, TRACE_URETPROBE };

struct trace_definition {
	enum trace_type type;
	const char *place;	/* "vfs_read+0", "MOD:SYM+OFF"; "/proc/self/fd/9:0x1139(0x4018)" */
	const char *shown;	/* the same as errors name it; NULL: as `place` */
	const char *fetch_args;	/* "count=%dx:u64 name=+0(%si):string"; "" none */
	uint32_t max_active;	/* TRACE_KRETPROBE: calls at a time; 0: the kernel's default */
};

struct trace_event {
	char name[TRACE_NAME_BYTES];	/* in the group */
	uint64_t id;		/* perf_event_attr.config of PERF_TYPE_TRACEPOINT */
	struct raw_fields fields;	/* owned: raw_fields_finish() by trace_group_remove() */
	enum trace_type type;
};

struct trace_group;

/* The name of this process's group, terminated, into @out: constant for the process, also for the
 * guardian to remove. 0 or -errno. */
int trace_group_name(char out[TRACE_NAME_BYTES], struct diag *why);

/* Sweeps what dead instances left, makes nothing. 0 or -errno of tracefs_open(). */
int trace_group_open(struct trace_group **out, struct diag *why);
/* Removes all events of the group that are left, and frees; NULL is fine. */
void trace_group_close(struct trace_group *group);

/* Defines an event and reads its format. The kernel's own sentence (error_log) is in @why. 0, or
 * -errno: -EINVAL, -ENOENT no such symbol or file, -EADDRNOTAVAIL name not unique, -EILSEQ not an
 * instruction's begin, -EACCES/-EPERM. */
int trace_group_add(struct trace_group *group, const struct trace_definition *definition,
		    struct trace_event *out, struct diag *why);
/* 0, or -EBUSY as long as a descriptor on it is open. Releases what @event owns. */
int trace_group_remove(struct trace_group *group, struct trace_event *event, struct diag *why);
/* Hits that the kernel could not see (kprobe_profile's last column): cumulative; 0 if unknown. */
uint64_t trace_group_missed(struct trace_group *group, const struct trace_event *event);

/* Describes an existing tracepoint: id and fields. 0, -ENOENT, ... The fields of @out are the
 * caller's: raw_fields_finish(). */
int trace_group_find(struct trace_group *group, const char *system, const char *name,
		     struct trace_event *out, struct diag *why);

/* Removes what is left of the group @name, for the guardian: no memory, no state. 0, -EBUSY: try
 * again; -errno. @tracefs: descriptor of the tracing directory. */
int trace_group_remove_named(int tracefs, const char *name);

/* Removes what dead instances of our pid namespace left: returns how many of *@all events are gone;
 * @why is of the last that stayed. */
uint32_t trace_group_sweep(struct trace_group *group, uint32_t *all, struct diag *why);

/* One line for each dynamic event of everybody: "p:probe/foo vfs_read ...". @stale: of a dead
 * instance of flametop. Returns how many were told, or -errno. */
typedef void trace_list_sink(void *context, const char *line, bool is_ours, bool is_stale);
int trace_group_list_all(trace_list_sink *sink, void *context, struct diag *why);

#endif
