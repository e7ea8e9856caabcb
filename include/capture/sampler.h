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
	const int *watch_fds;	/* pidfds; all readable means that the target is gone. Copied */
	size_t watch_count;	/* 0: look at the events' own descriptors */
	const struct stack_ends *stack_ends;	/* BORROWED until sampler_destroy(); NULL: all that
						 * is filled of a stack copy is taken */
	bool counts_lost;	/* the events have PERF_FORMAT_LOST */
	bool counts_hits;	/* queue QUEUE_COUNTED as well; needs counts_lost */
	bool ends_with_target;
	int wake_fd;		/* eventfd, written at each round */
	int round_fd;		/* eventfd that asks for a round now; then they may be far apart
				 * where nothing new runs. 0: nobody asks, each comes within
				 * 50 ms */
};

/* Makes the thread, which waits. 0, -EINVAL (queue too small), -ENOMEM or the errno of a system
 * call. */
int sampler_create(struct sampler **out, const struct sampler_config *config, struct diag *why);

/* The queue is its own from now on. @first: what it queues before everything else, or NULL. */
void sampler_start(struct sampler *sampler, const struct queue_source *first);

/* Lets it do its last round, queue QUEUE_END, and go. The consumer must go on draining; when it
 * takes nothing for 2 s, what is left stays behind. One that was never started just goes. */
void sampler_stop(struct sampler *sampler);

/* The same without QUEUE_END: the queue is free for another sampler. Returns the time before which
 * everything has been queued (CLOCK_MONOTONIC, ns). It is after @after_ns, a time of this moment,
 * unless the consumer took nothing. 0: the target is gone, the sampler had ended already. */
uint64_t sampler_hand_over(struct sampler *sampler, uint64_t after_ns);
void sampler_destroy(struct sampler *sampler);	/* after one of the two; NULL is fine */

#endif
