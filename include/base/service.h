/* service.h - a thread that works for another one, which never waits for it.
 *
 *   asker                                     the service's thread
 *     fill `requests`, service_wake()  ──>      serve() takes them, until it has nothing to do
 *     take service_reply()             <──      fill `replies`, service_notify()
 *       when service_fd() is readable
 *
 * Use:    service_create() gives the queues and starts the thread; service_stop(), take the replies
 *         that own something, service_destroy(). Queues of 0 bytes are not made: who has one large
 *         object at a time puts it into a mailbox instead.
 * Bounds: the asker counts what is under way and lets no more be than replies fit into their queue.
 * Crossings: the two queues (SPSC), an eventfd each with a flag that says whether it is set, the
 *         stop flag.
 * Thread: each call says whose it is: the asker's or, from serve(), the service's.
 */
#ifndef BASE_SERVICE_H
#define BASE_SERVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/spsc.h"

#define SERVICE_SLEEP (-1)	/* until service_wake() */
#define SERVICE_AGAIN 0

struct service_plan {
	const char *name;		/* of the thread, at most 15 bytes */
	size_t request_bytes, reply_bytes;	/* as for spsc_init(); 0: no such queue */
	/* The thread calls it again and again. Takes a request and does it; returns how many
	 * milliseconds to wait, if nobody wakes it, before the next call. */
	int (*serve)(void *owner);
	/* Makes a serve() that runs return soon. Called by service_stop(); NULL: it always does. */
	void (*interrupt)(void *owner);
	bool may_hang;			/* in a file system, for ever: it is waited for 2 s only */
	void *owner;			/* must outlive the thread */
};

struct service {
	struct spsc requests, replies;
	atomic_bool is_stopping;	/* service_stop() stores, the thread loads */
	/* Who fills a queue sets its flag and, if that was not set, the eventfd; who empties it
	 * resets the eventfd, then the flag, and then looks once more. */
	atomic_bool is_asked, is_told;

	/* Its own. */
	struct service_plan plan;
	int request_fd, reply_fd;	/* eventfds: look into the queue */
	int end_fd;			/* eventfd: the thread is done with all this */
	pthread_t thread;
	bool has_thread;
};

/* *@out is set before serve() is called first. Returns 0; -ENOMEM, -EMFILE, or as of
 * pthread_create(3): *@out is NULL then. Thread: any. */
int service_create(struct service **out, const struct service_plan *plan);
/* Asker. Sets the stop flag, interrupts, waits. False: the thread hangs and is left behind with the
 * service and its owner, which it still uses; it ends should it wake up. NULL is fine. */
bool service_stop(struct service *service);
/* Once service_stop() was true. NULL is fine. */
void service_destroy(struct service *service);

/* Asker: there is a request. The service's thread may, too, for work that it gives itself. */
void service_wake(struct service *service);
/* Service: there is a reply. */
void service_notify(struct service *service);
/* Asker: readable since service_notify(), until the next service_quiet() or the service_reply()
 * that finds none. */
int service_fd(const struct service *service);
/* Asker, before it looks for a reply in its own place: no reply is missed then. */
void service_quiet(struct service *service);
/* Asker: the oldest reply, to be released (spsc_release() of `replies`), or NULL. */
const void *service_reply(struct service *service, size_t *bytes);
/* Service: a long serve() looks here now and then. */
bool service_is_stopping(const struct service *service);

#endif
