/* capture_plan.h - how a capture is to be opened, and what had to be given up for it.
 *
 * Use:    fill the upper part, capture_plan_open(), read the result, capture_plan_finish().
 * Thread: main.
 */
#ifndef CAPTURE_CAPTURE_PLAN_H
#define CAPTURE_CAPTURE_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "capture/event_open.h"
#include "capture/event_set.h"
#include "capture/target.h"
#include "event_spec.h"

struct capture_config;	/* capture/capture.h */

struct capture_plan {
	/* Asked for; opening may lower what stands here. */
	struct target target;		/* owned */
	enum target_kind kind;
	bool insists_on_all;		/* the user's own processes are no substitute */
	/* Owned; rates set; without the side-band. Of several events those that the machine can't
	 * sample become absent ones. */
	struct event_spec_list events;
	bool is_default_event;		/* no -e: another event may take its place */
	struct call_graph call_graph;	/* as chosen, so never AUTO */
	bool is_auto_stacks;	/* how they are sampled may follow the circumstances */
	bool are_hits_too_many;	/* hits of period-1 tracepoints came too fast for
					 * stack copies */
	int *cpus;			/* owned */
	size_t cpu_count;
	struct ring_size rings;
	size_t descriptors_max;		/* for events on single tasks */
	size_t descriptors_limit;	/* of this process */
	struct event_features features;

	/* The result. */
	bool exclude_kernel;
	bool is_cpu_wide;		/* though tasks were asked for */
	bool was_refused_cpu_wide;
	struct event_set set;		/* open, disabled */
	int cgroup_fd;			/* while it is opened; -1: every task's */
};

/* Fills `events` and is_default_event as @config asks; rates are not set yet. 0; -EINVAL, -E2BIG,
 * -ENOENT, ...: none can be sampled, or they were written wrongly, with the reason. */
int capture_plan_parse(struct capture_plan *plan, const struct capture_config *config,
		       struct diag *why);

/* True when each hit of the event is a sample whose callers the kernel follows by frame pointers:
 * nobody insists on copies, and they would be too many. Tracepoints are copied until they prove to
 * be; software events (page faults) come in bursts that fill any ring. */
bool capture_plan_chains_hits(const struct capture_plan *plan, const struct event_spec *spec);

/* Less of each stack, or frame pointers, where the rings hold too few copies for a busy moment;
 * opening calls it, too, when it has to lower the rings. */
void capture_plan_fit_copies(struct capture_plan *plan);

/* Opens all events, giving up what has to be given up. 0, or -errno with the reason and remedy. */
int capture_plan_open(struct capture_plan *plan, struct diag *why);
void capture_plan_finish(struct capture_plan *plan);	/* a zeroed plan is fine */

/* True when events are on single tasks that the user named: they end with these. */
bool capture_plan_has_tasks(const struct capture_plan *plan);

#endif
