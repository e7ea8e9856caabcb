/* event_set.h - the descriptors and rings of one capture, and the thread that reads them.
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
#include "base/thread.h"
#include "capture/record.h"
#include "capture/stack_copy.h"

/* Chooses the sizes of the rings of a capture.
 * Thread: any, pure. */

struct ring_size {
	size_t sample_pages;	/* per CPU and event; a power of two */
	size_t sideband_pages;	/* per CPU; a power of two */
};

#define RING_SIZE_COPIES 32	/* stack copies that must fit into a ring, else don't copy stacks */

/* Returns the default for @cpus and @events (without the side-band) on a machine with
 * @memory_bytes. */
struct ring_size ring_size_choose(bool has_copies, size_t cpus, size_t events,
				  uint64_t memory_bytes, size_t page_bytes);

/* Halves the size after the kernel refused it. Returns false when it is one page already. */
bool ring_size_lower(struct ring_size *size);

/* Reads the mmap ring of one perf_event file descriptor.
 *
 * Source:  perf_event_open(2), "MMAP layout"; <linux/perf_event.h>, struct perf_event_mmap_page.
 * Thread:  all calls on one ring come from one thread (the sampler). Nothing here locks.
 * Depends: libc only. Knows bytes and headers, not what a record means (see capture/record.h).
 */

struct perf_ring;		/* opaque; src/capture/perf_ring.c */

/* Maps @data_pages memory pages (a power of two) of the ring of @fd, which is BORROWED until
 * perf_ring_destroy(). The caller owns *@out; it is NULL on failure.
 * Returns 0; -EINVAL: bad page count; -EPERM: over kernel.perf_event_mlock_kb; -ENOMEM. */
int perf_ring_create(struct perf_ring **out, int fd, size_t data_pages, struct diag *why);

/* Creates a ring in memory that is already mapped at @base: a control page, then @data_pages pages.
 * @base is BORROWED until perf_ring_destroy(). Returns 0, -EINVAL or -ENOMEM. */
int perf_ring_create_over(struct perf_ring **out, void *base, size_t data_pages,
			  struct diag *why);
void perf_ring_destroy(struct perf_ring *ring);	/* NULL is fine */

/* Begins a round, which reads only what the kernel has written by now, so that it ends even if the
 * ring is written as fast as it is read. Returns the number of unread bytes. */
size_t perf_ring_begin(struct perf_ring *ring);

/* Returns how many bytes the kernel has written that are not consumed yet, also those after the
 * round. */
size_t perf_ring_unread(const struct perf_ring *ring);

/* Returns the oldest unread record of the round, or NULL if there is none. The record is BORROWED
 * until the next call on @ring: always contiguous (a record that wraps is copied) and 8-byte
 * aligned, its size at least a header. If the bytes are not a record, discards the rest of the
 * round and counts that in perf_ring_malformed(). */
const struct perf_event_header *perf_ring_peek(struct perf_ring *ring);

/* Returns, like perf_ring_peek(), the oldest unread record, and sets *@bytes to the size of it and
 * the contiguous whole records after it: at most @max_bytes, unless the first is larger. */
const void *perf_ring_peek_span(struct perf_ring *ring, size_t max_bytes, size_t *bytes);

/* Consumes what the last perf_ring_peek() or _peek_span() returned. The room is returned to the
 * kernel in steps, and all of it when the last record of the round is consumed. */
void perf_ring_consume(struct perf_ring *ring);

/* Iterates over the records of the round without consuming them: start with *@offset 0. Returns the
 * next record, BORROWED as with perf_ring_peek(), or NULL at the end. */
const struct perf_event_header *perf_ring_walk(struct perf_ring *ring, uint64_t *offset);

/* Returns how often bytes were not a record, since creation. */
uint64_t perf_ring_malformed(const struct perf_ring *ring);

/* What perf_event_attr calls the event by; may differ from CPU to CPU (capture/scope.h). */
struct event_code {
	uint32_t type;
	uint64_t config, config1, config2;
};

static inline struct event_code event_code_of(const struct perf_event_attr *attr)
{
	return (struct event_code){ attr->type, attr->config, attr->config1, attr->config2 };
}

/* An event on one CPU, to be opened. */
struct event_place {
	uint16_t event;		/* index into attrs */
	int cpu;
	struct event_code code;	/* replaces that of the attr */
	size_t leader;		/* index of the place before it whose group it joins; 0, which is
				 * one of the side-band: it joins none */
	bool is_read;		/* it has no records: it is read with its leader's samples */
};

#define EVENT_SET_READ_MAX 64	/* most events of a group that is read with samples */

struct event_lane {
	uint16_t event;		/* index into attrs */
	int cpu;
	struct event_code code;
	size_t leader;		/* see struct event_place: a place is a lane */
	bool is_read;
	struct perf_ring *ring;	/* owned; NULL: the event is read with its leader's samples */
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

/* Initialises *@set with a copy of @attrs, each on all of @cpus, without opening events. Returns 0,
 * or -ENOMEM with *@set zeroed. */
int event_set_init(struct event_set *set, const struct perf_event_attr *attrs, size_t event_count,
		   const int *cpus, size_t cpu_count, const struct ring_size *rings);
/* Initialises like event_set_init(), with a lane for each of @places, those of the last event
 * first. */
int event_set_init_at(struct event_set *set, const struct perf_event_attr *attrs,
		      size_t event_count, const struct event_place *places, size_t place_count,
		      const struct ring_size *rings);
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

/* Enables all events of @next but the side-band and disables those of @old. Each hit of a task is
 * counted by one of the two: the calling thread runs on each CPU in turn, and on that CPU no task
 * does meanwhile. Hits that an interrupt causes there within these microseconds are counted by
 * both, and so is any hit on a CPU that the thread may not use; returns how many CPUs these are.
 * Thread: any. */
size_t event_set_exchange(const struct event_set *old, const struct event_set *next);

struct event_counts {
	uint64_t value;		/* count of the event; ns for cpu-clock */
	uint64_t lost;		/* lost records; 0 where the kernel does not count them */
};

/* Adds the kernel's counts for @fd to @sum (perf_event_open(2), PERF_FORMAT_LOST); leaves @sum
 * unchanged where they can't be read. */
void event_set_add_counts(int fd, struct event_counts *sum);

/* Returns the number of unread bytes in the ring of @lane at which its poll(2) wakes. */
uint64_t event_set_watermark(const struct event_set *set, const struct event_lane *lane);

/* Returns how often the rings must be looked at, if nobody polls them, so that none overflows. 0:
 * too often, or no event is inherited, so that no ended task wakes who polls them. */
uint64_t event_set_look_interval_ns(const struct event_set *set);

/* Returns true when the task of @fd and all tasks that inherited the event have ended. */
bool event_set_is_over(int fd);

/* The thread that moves records from the kernel's rings into the record queue.
 *
 * Thread: all calls from one thread. From sampler_start() to its end the sampler is the only
 *         producer of the queue, and from sampler_create() to sampler_destroy() the only reader of
 *         the rings. One sampler for all CPUs.
 */

/* A queue takes payloads up to half its size, and a record may have 64 KiB. */
#define SAMPLER_QUEUE_MIN_BYTES (256 * 1024)

struct sampler;

struct off_cpu;
struct switch_waits;

struct sampler_config {
	struct event_set *set;	/* BORROWED until sampler_destroy() */
	struct spsc *queue;	/* BORROWED until sampler_stop() or _hand_over() returns */
	const int *watch_fds;	/* pidfds; all readable: the target has ended. Copied */
	size_t watch_count;	/* 0: watch the descriptors of the events instead */
	const struct stack_ends *stack_ends;	/* BORROWED until sampler_destroy(); NULL: keep all
						 * filled bytes of a stack copy */
	bool counts_lost;	/* the events have PERF_FORMAT_LOST */
	struct off_cpu *const *off_cpu;	/* BORROWED as long; NULL, or points to NULL: none. Else
					 * QUEUE_WAITS is queued; needs counts_lost */
	const bool *has_wait_sums;	/* BORROWED as long, with off_cpu: its times are those of
					 * the target; false: also of others */
	struct spsc *open_waits;	/* BORROWED as long; has records of the next member's event,
					 * one in each payload; NULL: there are none */
	uint16_t open_waits_event;
	/* BORROWED as long; the rings of open_waits_event are its own, and open_waits is its queue.
	 * NULL: they are the sampler's. */
	struct switch_waits *switch_waits;
	bool is_unwatched;	/* rounds are 250 ms apart, unless a ring fills up */
	bool counts_hits;	/* queue QUEUE_COUNTED as well; needs counts_lost */
	bool ends_with_target;	/* queue QUEUE_END when the target has ended */
	int wake_fd;		/* eventfd, written at each round */
	int round_fd;		/* eventfd that requests a round now; with it, rounds may be
				 * further apart while there is little to read. 0: none; a round
				 * comes every 50 ms */
};

/* Creates the thread, which waits for sampler_start(). Returns 0, -EINVAL (queue too small),
 * -ENOMEM or -errno of a system call. */
int sampler_create(struct sampler **out, const struct sampler_config *config, struct diag *why);

/* Starts sampling; the sampler is the queue's producer from now on. @first: item to queue before
 * everything else, or NULL. */
void sampler_start(struct sampler *sampler, const struct queue_source *first);

/* Makes the sampler run a last round, queue QUEUE_END, and end. The consumer must go on draining;
 * if it takes nothing for 2 s, the rest stays in the rings. A sampler never started just ends. */
void sampler_stop(struct sampler *sampler);

/* Stops like sampler_stop(), but without QUEUE_END, so that another sampler can use the queue, and
 * exchanges the events for those of @next by event_set_exchange(). Returns the time
 * (CLOCK_MONOTONIC, ns) before the exchange, up to which all records of the side-band have been
 * queued; other records and losses have been queued up to the last. If the consumer took nothing
 * for 2 s, it is earlier, and the rest is gone. 0: the target is gone and the sampler had ended
 * already; the events of @next are not enabled. */
uint64_t sampler_hand_over(struct sampler *sampler, const struct event_set *next);
void sampler_destroy(struct sampler *sampler);	/* after stop or hand-over; NULL is fine */

#endif
