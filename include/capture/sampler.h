/* sampler.h - the thread that moves records from the kernel's rings into the record queue.
 *
 * Thread: all calls from one thread. From sampler_start() to its end the sampler is the only
 *         producer of the queue, and from sampler_create() to sampler_destroy() the only reader of
 *         the rings. One sampler for all CPUs.
 */
#ifndef CAPTURE_SAMPLER_H
#define CAPTURE_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/spsc.h"
#include "capture/event_set.h"
#include "capture/record_queue.h"
#include "capture/stack_ends.h"

/* A queue takes payloads up to half its size, and a record may have 64 KiB. */
#define SAMPLER_QUEUE_MIN_BYTES (256 * 1024)

struct sampler;

struct sampler_config {
	struct event_set *set;	/* BORROWED until sampler_destroy() */
	struct spsc *queue;	/* BORROWED until sampler_stop() or _hand_over() returns */
	const int *watch_fds;	/* pidfds; all readable: the target has ended. Copied */
	size_t watch_count;	/* 0: watch the descriptors of the events instead */
	const struct stack_ends *stack_ends;	/* BORROWED until sampler_destroy(); NULL: keep all
						 * filled bytes of a stack copy */
	bool counts_lost;	/* the events have PERF_FORMAT_LOST */
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

/* Stops like sampler_stop(), but without QUEUE_END, so that another sampler can use the queue.
 * Returns the time before which all records have been queued (CLOCK_MONOTONIC, ns), later than
 * @after_ns, the current time, unless the consumer took nothing. 0: the target is gone and the
 * sampler had ended already. */
uint64_t sampler_hand_over(struct sampler *sampler, uint64_t after_ns);
void sampler_destroy(struct sampler *sampler);	/* after stop or hand-over; NULL is fine */

#endif
