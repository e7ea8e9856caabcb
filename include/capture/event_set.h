/* event_set.h - the descriptors and rings of one capture.
 *
 *              lane 0          lane 1          ...      a lane: one event on one CPU, with one ring
 *   row 0      fd, owns ring   fd, owns ring            a row: one task (or -1: every task, or
 *                                                       every task of the cgroup, if any)
 *   row 1      fd ----^        fd ----^                 all other rows write into row 0's rings
 *
 * Row 0 keeps its descriptors as long as the set lives, even after its task has ended.
 *
 * Thread: built by main; constant while the sampler runs, apart from the atomic.
 */
#ifndef CAPTURE_EVENT_SET_H
#define CAPTURE_EVENT_SET_H

#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/diag.h"
#include "capture/perf_ring.h"
#include "capture/ring_size.h"

struct event_lane {
	uint16_t event;		/* index into attrs */
	int cpu;
	struct perf_ring *ring;	/* owned */
	/* Samples lost by tasks of follow.c, including those of closed descriptors. follow.c
	 * stores, sampler.c loads; RELAXED, as no other data depends on it. */
	_Atomic uint64_t followed_lost;
};

struct event_set {
	struct perf_event_attr *attrs;	/* owned, one per event; the last is the side-band */
	/* Owned, one per event: BORROWED text for PERF_EVENT_IOC_SET_FILTER, or NULL. To be set
	 * before a row is added. Inherited events have the filter too. */
	const char **filters;
	size_t event_count;
	struct event_lane *lanes;	/* owned; side-band lanes first: see event_set_add_row() */
	size_t lane_count;
	int *fds;			/* owned; row * lane_count + lane */
	pid_t *tids;			/* owned; one per row */
	size_t row_count, row_room;
	int cgroup_fd;			/* BORROWED; -1: none. To be set before the row is added.
					 * The side-band is for every task all the same, as any
					 * process may move into the cgroup */
	struct ring_size rings;
};

/* The event that could not be added or opened. */
struct event_failure {
	uint16_t event;
	int cpu;
	pid_t tid;
	bool is_mapping;	/* the event was opened, its ring failed */
	bool is_filter;		/* the event was opened, its filter failed */
};

/* Initialises *@set with a copy of @attrs, without opening events. Returns 0, or -ENOMEM with *@set
 * zeroed. */
int event_set_init(struct event_set *set, const struct perf_event_attr *attrs, size_t event_count,
		   const int *cpus, size_t cpu_count, const struct ring_size *rings);
void event_set_finish(struct event_set *set);	/* a zeroed set is fine */

/* Opens and adds one row; row 0 maps the rings. The side-band is opened first: a thread that starts
 * before the other events are open is then announced and missed, but never counted twice.
 * Returns 0, or -errno of perf_event_open(2) or mmap(2) with *@failure set and no row added. */
int event_set_add_row(struct event_set *set, pid_t tid, struct event_failure *failure);

/* Opens the events of a row into the caller's @fds[lane_count], enabled and writing to the rings of
 * row 0. For tasks that appear while the sampler runs. Thread: any one. */
int event_set_open_row(const struct event_set *set, pid_t tid, int *fds,
		       struct event_failure *failure);

/* Returns true when a side-band ring holds a FORK record of @tid: the task has then inherited an
 * open event. Only before the sampler runs. */
bool event_set_saw_fork(struct event_set *set, pid_t tid);

bool event_set_has_task(const struct event_set *set, pid_t tid);

/* Enable or disable all events but the side-band. */
void event_set_enable(const struct event_set *set);
void event_set_disable(const struct event_set *set);

struct event_counts {
	uint64_t value;		/* count of the event; ns for cpu-clock */
	uint64_t lost;		/* lost records; 0 where the kernel does not count them */
};

/* Adds the kernel's counts for @fd to @sum (perf_event_open(2), PERF_FORMAT_LOST); leaves @sum
 * unchanged where they can't be read. */
void event_set_add_counts(int fd, struct event_counts *sum);

/* Returns true when the task of @fd and all tasks that inherited the event have ended. */
bool event_set_is_over(int fd);

#endif
