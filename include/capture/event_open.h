/* event_open.h - calls perf_event_open(2), fills in attrs, and explains errors to the user.
 * Source: perf_event_open(2). Thread: any. */
#ifndef CAPTURE_EVENT_OPEN_H
#define CAPTURE_EVENT_OPEN_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/diag.h"
#include "capture/call_graph.h"

/* Features of the running kernel, each found by opening a dummy event that uses it. */
struct event_features {
	bool lost;		/* PERF_FORMAT_LOST, Linux 6.0 */
	bool ksymbol;		/* Linux 5.1 */
	bool bpf_event;		/* Linux 5.1 */
	bool stack_copies;	/* of user registers and stack; user_registers.c has this machine */
};

void event_features_probe(struct event_features *out);

/* Settings that all events of a capture share. */
struct event_sampling {
	struct event_features features;
	struct call_graph call_graph;	/* result of call_graph_choose() */
	bool inherit;		/* also sample the children of the task; task events only */
	bool enable_on_exec;
	bool exclude_kernel;	/* in addition to the event's own modifiers */
	size_t ring_bytes, sideband_ring_bytes;	/* a share of them is the wakeup watermark */
};

/* Completes @attr (type, config, excludes, freq and period set): clock, sample fields, watermark
 * and `disabled`. */
void event_attr_complete(struct perf_event_attr *attr, const struct event_sampling *sampling);

/* Makes the attr of the side-band: a dummy event for maps, comms, forks, exits and kernel symbols,
 * enabled when opened, so that these are complete when the first sample arrives. */
void event_attr_sideband(struct perf_event_attr *attr, const struct event_sampling *sampling);

/* Opens an event. Returns a descriptor (close-on-exec, owned by the caller) or -errno. @tid -1:
 * every task on @cpu. */
int event_open(const struct perf_event_attr *attr, pid_t tid, int cpu);
/* Opens an event like event_open(), for the tasks in the cgroup with the directory @cgroup_fd. */
int event_open_cgroup(const struct perf_event_attr *attr, int cgroup_fd, int cpu);

/* Checks that events can be counted for @cgroup_fd. Returns 0, or -errno with reason and remedy. */
int event_check_cgroup(int cgroup_fd, const char *name, int cpu, struct diag *why);

/* Explains error @err of opening event @name: cause and remedy. @tid as in event_open().
 * Returns @err. */
int event_explain(int err, const char *name, pid_t tid, int cpu, struct diag *why);

/* Returns the sysctl kernel.perf_event_@name ("paranoid", "mlock_kb", "max_sample_rate"), or
 * @unknown when it can't be read. */
long event_sysctl(const char *name, long unknown);

/* Writes "sudo flametop, or ..." into @out; @paranoid: the value of perf_event_paranoid that would
 * allow it. Returns @out. */
char *event_permission_remedy(int paranoid, char *out, size_t room);

#endif
