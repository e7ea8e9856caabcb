/* event_set.h - the descriptors and rings of one capture.
 *
 *              lane 0          lane 1          ...      a lane: one event on one CPU, with one ring
 *   row 0      fd, owns ring   fd, owns ring            a row: one task (or -1: every task, of the
 *                                                       cgroup if there is one)
 *   row 1      fd ----^        fd ----^                 all other rows write into row 0's rings
 *
 * Row 0 keeps its descriptors as long as the set lives, also when its task has ended.
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
	/* What followed tasks lost here, closed descriptors included. A count on its own, so
	 * RELAXED: follow.c stores, sampler.c loads. */
	_Atomic uint64_t followed_lost;
};

struct event_set {
	struct perf_event_attr *attrs;	/* owned; the last is the side-band's */
	/* Owned; of each event the BORROWED text for PERF_EVENT_IOC_SET_FILTER, or NULL: set them
	 * before the row is added. What inherits from an event has its filter. */
	const char **filters;
	size_t event_count;
	struct event_lane *lanes;	/* owned; side-band lanes first: see event_set_add_row() */
	size_t lane_count;
	int *fds;			/* owned; row * lane_count + lane */
	pid_t *tids;			/* owned; one per row */
	size_t row_count, row_room;
	int cgroup_fd;			/* borrowed; -1: none. Set it before the row is added; the
					 * side-band is of every task all the same: a process may
					 * come into the cgroup from anywhere */
	struct ring_size rings;
};

/* Where event_set_open_row() stopped. */
struct event_failure {
	uint16_t event;
	int cpu;
	pid_t tid;
	bool is_mapping;	/* the ring, not the event */
	bool is_filter;		/* its filter, not the event */
};

/* Copies @attrs. Opens nothing. Returns 0 or -ENOMEM, then *@set is empty. */
int event_set_init(struct event_set *set, const struct perf_event_attr *attrs, size_t event_count,
		   const int *cpus, size_t cpu_count, const struct ring_size *rings);
void event_set_finish(struct event_set *set);	/* a zeroed set is fine */

/* Opens and adds one row; row 0 maps the rings. The side-band is opened first: a thread born
 * between the two is then announced, and missed, but never counted twice.
 * Returns 0, or -errno of perf_event_open(2) or mmap(2) with *@failure set and no row added. */
int event_set_add_row(struct event_set *set, pid_t tid, struct event_failure *failure);

/* Opens a row into the caller's @fds[lane_count], writing to the rings of row 0; the events count
 * at once. For tasks that come while the sampler runs. Thread: any one. */
int event_set_open_row(const struct event_set *set, pid_t tid, int *fds,
		       struct event_failure *failure);

/* True when a FORK of @tid waits unread in a side-band ring: an event that is already open was
 * inherited by it. Only before the sampler runs. */
bool event_set_saw_fork(struct event_set *set, pid_t tid);

bool event_set_has_task(const struct event_set *set, pid_t tid);

/* Starts or stops all events but the side-band. */
void event_set_enable(const struct event_set *set);
void event_set_disable(const struct event_set *set);

struct event_counts {
	uint64_t value;		/* hits of the event, of cpu-clock ns */
	uint64_t lost;		/* records; 0 where the kernel does not count them */
};

/* Adds the kernel's counts of @fd to @sum (perf_event_open(2), PERF_FORMAT_LOST); nothing where
 * they can't be read. */
void event_set_add_counts(int fd, struct event_counts *sum);

/* True when the descriptor's task and all that inherited from it have ended. */
bool event_set_is_over(int fd);

#endif
