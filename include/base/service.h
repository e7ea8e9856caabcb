/* service.h - a thread that serves requests of another one, which never blocks on it.
 *
 *   asking thread                             service thread
 *     fill `requests`, service_wake()  ──>      serve() takes them, until it has nothing to do
 *     take service_reply()             <──      fill `replies`, service_notify()
 *       when service_fd() is readable
 *
 * Use:    service_create() makes the queues and starts the thread; at the end service_stop(), take
 *         the replies that own memory, service_destroy(). A queue of 0 bytes is not made: for one
 *         large DSO at a time use a mailbox.
 * Bounds: the asking thread counts outstanding requests; their replies must fit into the queue.
 * Guests: a service may run in the thread of another one, its host, which calls both in turn.
 * Crossings: the two queues (SPSC), an eventfd each with a flag that says whether it is set, the
 *         stop flag, the guest.
 * Thread: each call names its caller: "Asker" is the asking thread, "Service" is serve().
 */
#ifndef BASE_SERVICE_H
#define BASE_SERVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/thread.h"

#define SERVICE_SLEEP (-1)	/* serve(): wait for service_wake() */
#define SERVICE_AGAIN 0		/* serve(): call again at once */

struct service_plan {
	const char *name;		/* thread name, at most 15 bytes */
	size_t request_bytes, reply_bytes;	/* capacities for spsc_init(); 0: no queue */
	/* Called in a loop by the thread. Takes a request and executes it; returns how many
	 * milliseconds to wait for service_wake() before the next call. */
	int (*serve)(void *owner);
	/* Makes a running serve() return soon. Called by service_stop(); NULL: not needed. */
	void (*interrupt)(void *owner);
	bool may_hang;			/* serve() may block for ever: service_stop() waits 2 s */
	int ready_fd;			/* serve() is called when it is readable, too; 0: none */
	/* Runs serve() in its thread; has no other guest, and is stopped after this service. NULL:
	 * a thread of its own. */
	struct service *host;
	void *owner;			/* argument of the callbacks; must outlive the thread */
};

struct service {
	struct spsc requests, replies;
	atomic_bool is_stopping;	/* service_stop() stores, the thread loads */
	/* Whether request_fd and reply_fd are set. The producer of a queue sets the flag and, if it
	 * was not set, the eventfd; the consumer resets the eventfd, then the flag, and then looks
	 * into the queue once more. */
	atomic_bool is_asked, is_notified;

	/* Private to service.c. */
	struct service_plan plan;
	int request_fd, reply_fd;	/* eventfds: the queue may hold something */
	int end_fd;			/* eventfd: the thread no longer uses the service */
	/* Set by service_create() of the guest; taken by the thread before it sets the guest's
	 * end_fd. */
	_Atomic(struct service *) guest;
	pthread_t thread;
	bool has_thread;		/* its own, or the host's while it is a guest */
};

/* Creates a service; *@out is set before the first call of serve(). Returns 0; or -ENOMEM, -EMFILE
 * or an error of pthread_create(3), with *@out NULL. Thread: any. */
int service_create(struct service **out, const struct service_plan *plan);
/* Asker. Sets the stop flag, interrupts serve(), joins the thread. False: the thread hangs; do not
 * free the service or its owner, which it still uses. It ends if it returns. NULL is fine. */
bool service_stop(struct service *service);
/* Frees the service after service_stop() has returned true. NULL is fine. */
void service_destroy(struct service *service);

/* Asker. Announces a request. serve() may call it too, to be called again. */
void service_wake(struct service *service);
/* Service. Announces a reply. */
void service_notify(struct service *service);
/* Asker. Returns a descriptor, BORROWED, that is readable from service_notify() until the next
 * service_quiet() or a service_reply() that returns NULL. */
int service_fd(const struct service *service);
/* Asker. Resets service_fd(). Call it before looking for a reply elsewhere than in `replies` (a
 * mailbox), so that no reply is missed. */
void service_quiet(struct service *service);
/* Asker. Returns the oldest reply, BORROWED until spsc_release() of `replies`, or NULL. */
const void *service_reply(struct service *service, size_t *bytes);
/* Service. Returns true once service_stop() was called; a long serve() polls it. */
bool service_is_stopping(const struct service *service);

/* Runs blocking calls, which may hang for ever, in another thread, and waits for each at most a
 * second.
 *
 * Problem: a call into a file system whose server is dead never returns, and any user can be that
 *          server (FUSE). The thread in it cannot be ended, so nothing else may depend on it.
 * Use:     blocking_calls_run() hands a job to a thread. If the thread hangs, it is abandoned
 *          together with the job, and a new thread runs the next job; jobs with the same key are
 *          refused at once until the hung thread has returned. A job owns all that it uses.
 *          A late result may be kept for the next job that asks for the same, so that jobs which
 *          take longer than a second succeed at the second attempt.
 * Bounds:  BLOCKING_CALLS_HUNG_MAX hung threads, then every job is refused. BLOCKING_CALLS_LATE_MAX
 *          late results, kept for 30 s.
 * Crossings: those of a service (base/service.h); a job belongs to one thread at a time.
 * Thread:  all calls from one thread.
 */

#define BLOCKING_CALLS_HUNG_MAX 64
#define BLOCKING_CALLS_LATE_MAX 2

struct blocking_job {
	uint64_t key;		/* identifies what may hang: a device, a process; 0: unknown */
	uint64_t part_of;	/* second key under which the job is refused too; 0: none */
	void (*run)(struct blocking_job *job);	/* does the work, in the blocking call thread */
	void (*drop)(struct blocking_job *job);	/* frees the job with its results */
	/* If @job asks for the same as @late, a kept job with the same key, moves the results of
	 * @late into @job and returns true; the caller then drops @late. Called in the thread of
	 * blocking_calls_run(). NULL: late results of such jobs are not kept. */
	bool (*take_late)(struct blocking_job *job, struct blocking_job *late);
	bool is_worth_keeping;	/* set by run(): a late result is still useful */
};

struct blocking_calls {		/* initialised by zeroing */
	struct service *service;	/* the thread for the next job; NULL: none is running */
	struct hung_call {
		struct service *service;
		uint64_t key;
	} hung[BLOCKING_CALLS_HUNG_MAX];
	uint32_t hung_count;
	struct late_call {
		struct blocking_job *job;	/* owned; NULL: the entry is free */
		uint64_t until_ns;		/* when the result is dropped, CLOCK_MONOTONIC */
	} late[BLOCKING_CALLS_LATE_MAX];
	uint32_t wait_ms;		/* timeout of a job; 0: 1000 */
};

/* Runs @job. Returns 0 when it is done; the job then belongs to the caller again. On an error the
 * job is dropped, at once or when its thread has returned and its result is not kept: -ETIMEDOUT;
 * -EBUSY: an earlier job with its key hangs, or too many do; -ENOMEM, -EMFILE or an error of
 * pthread_create(3): there is no thread. */
int blocking_calls_run(struct blocking_calls *blocking_calls, struct blocking_job *job);
/* Drops expired late results. Returns in how many ms to call this again; < 0: no result is kept and
 * no thread hangs. */
int blocking_calls_expire(struct blocking_calls *blocking_calls);
/* Drops the late results and ends the threads that do not hang; hung ones are abandoned. */
void blocking_calls_finish(struct blocking_calls *blocking_calls);

#endif
