/* event_open.h - the system call, the attr that every event here has, and what a refusal means.
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

/* What this kernel knows, each found by opening a dummy event with it. */
struct event_features {
	bool lost;		/* PERF_FORMAT_LOST, 6.0 */
	bool ksymbol;		/* 5.1 */
	bool bpf_event;		/* 5.1 */
	bool stack_copies;	/* user registers and stack; also: a table for this machine */
};

void event_features_probe(struct event_features *out);

/* How all events of a capture sample. */
struct event_sampling {
	struct event_features features;
	struct call_graph call_graph;	/* as call_graph_choose() leaves it */
	bool inherit;		/* what the task starts is sampled too; tasks only */
	bool enable_on_exec;
	bool exclude_kernel;	/* besides what the event's own modifiers say */
	/* A quarter unread wakes the reader. */
	size_t ring_bytes, sideband_ring_bytes;
};

/* Completes @attr (type, config, excludes, freq and period set): clock, fields, disabled. */
void event_attr_complete(struct perf_event_attr *attr, const struct event_sampling *sampling);

/* The event that counts nothing and carries maps, comms, forks, exits and kernel symbols: enabled
 * from the beginning, so that they are complete when the first sample comes. */
void event_attr_sideband(struct perf_event_attr *attr, const struct event_sampling *sampling);

/* Returns a descriptor (close-on-exec, the caller's) or -errno. @tid -1: every task of @cpu. */
int event_open(const struct perf_event_attr *attr, pid_t tid, int cpu);
/* The same for the tasks in the cgroup whose directory @cgroup_fd is. */
int event_open_cgroup(const struct perf_event_attr *attr, int cgroup_fd, int cpu);

/* Can events be counted for that cgroup? 0, or -errno with the reason and what helps. */
int event_check_cgroup(int cgroup_fd, const char *name, int cpu, struct diag *why);

/* The sentence for a refusal @err of event @name: cause and remedy. @tid as in event_open().
 * Returns @err. */
int event_explain(int err, const char *name, pid_t tid, int cpu, struct diag *why);

/* kernel.perf_event_paranoid, perf_event_mlock_kb, perf_event_max_sample_rate: "paranoid", ...;
 * @unknown when it can't be read. */
long event_sysctl(const char *name, long unknown);

/* "sudo flametop, or ..." into @out; @paranoid: the sysctl's value that would do. Returns @out. */
char *event_permission_remedy(int paranoid, char *out, size_t room);

#endif
