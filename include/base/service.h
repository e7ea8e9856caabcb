/* service.h - a thread that serves requests of another one, which never blocks on it.
 *
 *   asking thread                             service thread
 *     fill `requests`, service_wake()  ──>      serve() takes them, until it has nothing to do
 *     take service_reply()             <──      fill `replies`, service_notify()
 *       when service_fd() is readable
 *
 * Use:    service_create() makes the queues and starts the thread; at the end service_stop(), take
 *         the replies that own memory, service_destroy(). A queue of 0 bytes is not made: for one
 *         large object at a time use a mailbox.
 * Bounds: the asking thread counts outstanding requests; their replies must fit into the queue.
 * Crossings: the two queues (SPSC), an eventfd each with a flag that says whether it is set, the
 *         stop flag.
 * Thread: each call names its caller: "Asker" is the asking thread, "Service" is serve().
 */
#ifndef BASE_SERVICE_H
#define BASE_SERVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/spsc.h"

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
	void *owner;			/* argument of the callbacks; must outlive the thread */
};

struct service {
	struct spsc requests, replies;
	atomic_bool is_stopping;	/* service_stop() stores, the thread loads */
	/* Whether request_fd and reply_fd are set. The producer of a queue sets the flag and, if it
	 * was not set, the eventfd; the consumer resets the eventfd, then the flag, and then looks
	 * into the queue once more. */
	atomic_bool is_asked, is_told;

	/* Private to service.c. */
	struct service_plan plan;
	int request_fd, reply_fd;	/* eventfds: the queue may hold something */
	int end_fd;			/* eventfd: the thread no longer uses the service */
	pthread_t thread;
	bool has_thread;
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

#endif
