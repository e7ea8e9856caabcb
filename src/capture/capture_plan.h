/* capture_plan.h - opens the events of a capture, with fallbacks where something is refused.
 *
 * Use:    fill the request, capture_plan_open(), read the result, capture_plan_finish().
 * Thread: main.
 */
#ifndef CAPTURE_CAPTURE_PLAN_H
#define CAPTURE_CAPTURE_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "bpf/off_cpu.h"
#include "capture/scope.h"
#include "capture/event.h"
#include "capture/event_set.h"
#include "event_spec.h"

/* Each event on a task is scheduled with it and read for its losses; with more descriptors than
 * this, CPU-wide events cost less. */
#define TASK_DESCRIPTORS_WANTED 1000

struct capture_config;	/* capture/capture.h */

struct capture_plan {
	/* The request; opening may lower it. */
	struct target target;		/* owned */
	enum target_kind kind;
	bool can_count;			/* events that can't be sampled become counted ones */
	bool insists_on_all;		/* fail rather than sample only the user's own processes */
	/* Owned; rates set; without the side-band. Opening moves events that the machine can't
	 * sample to the absent ones, unless no event would be left. */
	struct event_spec_list events;
	bool is_default_event;		/* no -e: cpu-clock may replace it */
	struct call_graph call_graph;	/* result of call_graph_choose(), so never AUTO */
	uint64_t branch_filter;		/* see struct capture_config, as the next three */
	bool all_maps, has_raw, is_unwatched;
	bool is_auto_stacks;	/* --call-graph auto: call_graph may be adapted */
	bool are_hits_too_many;	/* hits of period-1 tracepoints came too fast for
					 * stack copies */
	int *cpus;			/* owned */
	size_t cpu_count;
	struct core_pmus pmus;		/* owned */
	struct ring_size rings;
	struct ring_size wanted_rings;	/* as asked for; opening may lower `rings` */
	bool are_copies_wanted;		/* rings were chosen to hold copies of stacks */
	size_t descriptors_max;		/* limit for events on single tasks */
	size_t descriptors_limit;	/* soft limit of this process */
	struct event_features features;
	uint64_t off_cpu_period_ns;	/* see struct off_cpu_config */

	/* The result. */
	bool exclude_kernel;
	enum event_trial trial;		/* did the hardware counters work? */
	const char *tried;		/* name of the event that was tried, BORROWED from `events`;
					 * NULL: cpu-clock has replaced it */
	bool are_counters_few;		/* the PMU counts the events in turns */
	bool is_cpu_wide;		/* CPU-wide events although the target is tasks */
	bool cant_inherit_reads;	/* the events on tasks would need event_features'
					 * inherited_reads */
	bool was_refused_cpu_wide;
	struct event_set set;		/* open, disabled */
	struct off_cpu *off_cpu;	/* owned; NULL: off-cpu is no event of it */
	/* No programs can be loaded, and *no_programs says why: waits are those of the target's
	 * switches (switch_waits.h). */
	bool has_switches;
	struct diag no_programs;
	bool has_wait_sums;	/* the sums of off-cpu are those of the target and nothing else */
	char *notice;			/* owned; NULL: nothing to tell */
	int cgroup_fd;			/* valid during capture_plan_open(); -1: no cgroup */
};

/* Fills `events`, branch_filter and is_default_event from @config; does not set rates. Returns 0;
 * or -EINVAL, -E2BIG, -ENOENT, ... with the reason: syntax error, or no event can be sampled. */
int capture_plan_parse(struct capture_plan *plan, const struct capture_config *config,
		       struct diag *why);

/* Returns true when each hit of the event is a sample with callers by frame pointers: with
 * --call-graph auto, and copies would be too many. Tracepoints get copies until their hits are too
 * many; software events (page faults) never, as they come in bursts that fill any ring. */
bool capture_plan_chains_hits(const struct capture_plan *plan, const struct event_spec *spec);

/* Returns how many events capture_plan_chains_hits() is true for. */
size_t capture_plan_count_chained(const struct capture_plan *plan);

/* Reduces the size of stack copies, or changes to frame pointers, if fewer than RING_SIZE_COPIES
 * fit into a ring. capture_plan_open() calls it too, after lowering the rings. */
void capture_plan_fit_copies(struct capture_plan *plan);

/* Opens all events, with the necessary fallbacks. 0, or -errno with the reason and remedy. */
int capture_plan_open(struct capture_plan *plan, struct diag *why);
void capture_plan_finish(struct capture_plan *plan);	/* a zeroed plan is fine */

/* Appends a line to the notice; without memory it is left out. */
void capture_plan_tell(struct capture_plan *plan, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Appends what an open plan samples other than asked for, with causes and remedies. */
void capture_plan_tell_concessions(struct capture_plan *plan);

/* Returns true when off-cpu is one of the events. */
bool capture_plan_has_off_cpu(const struct capture_plan *plan);

/* Lets the programs of @old, which know since when its tasks wait, write into the events of @plan,
 * if both have off-cpu and the same target. */
void capture_plan_take_off_cpu(struct capture_plan *plan, struct capture_plan *old);

/* Returns true when flametop is in another PID namespace than the first. */
bool capture_is_in_pid_namespace(void);

/* Returns true when events are on single tasks that the user named, and end with them. */
bool capture_plan_has_tasks(const struct capture_plan *plan);

#endif
