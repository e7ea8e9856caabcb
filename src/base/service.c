/* service.c - see base/service.h.
 *
 * Problem: a thread in a file system that hangs can be neither ended nor waited for, and all memory
 * that it may still use must stay. Idea: it sets an eventfd when it no longer uses anything; only
 * then it is joined and its memory freed. Rejected: pthread_timedjoin_np(3), whose timeout is in
 * CLOCK_REALTIME, which users set.
 *
 * Invariant: no wake-up is lost. Each side sets the other's eventfd after filling the queue, and
 * looks into its queue after resetting its own. An eventfd that is set is not set again, and one
 * that is not set is not read: a flag beside it tells without a system call. The flag is set before
 * the eventfd and cleared after it: when it is clear, the next producer sets both, and the look
 * that follows the reset sees what was queued before.
 */
#include "base/service.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/thread.h"
#include "base/whole_io.h"

#define POLL_AGAIN_US 1000
#define STOP_WAIT_MS 2000	/* a worker ends sooner; a dead file system takes minutes */

/* Returns true when @fd is readable in time. Retries when the kernel has no memory for poll(2). */
static bool wait_for(int fd, int wait_ms)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	int count;

	while ((count = poll(&ready, 1, wait_ms)) < 0)
		if (errno != EINTR)
			usleep(POLL_AGAIN_US);
	return count == 1;
}

static void set(int fd, atomic_bool *is_set)
{
	if (!atomic_exchange(is_set, true))	/* reset() */
		whole_eventfd_write(fd, 1);
}

/* Leaves the flag set when the eventfd is not set yet. */
static void reset(int fd, atomic_bool *is_set)
{
	eventfd_t ignored;

	if (atomic_load(is_set) && eventfd_read(fd, &ignored) == 0)	/* set() */
		atomic_exchange(is_set, false);	/* acquires what was queued before set() */
}

static void *service_run(void *argument)
{
	struct service *service = argument;

	while (!service_is_stopping(service)) {
		const int wait_ms = service->plan.serve(service->plan.owner);

		if (wait_ms != SERVICE_AGAIN && wait_for(service->request_fd, wait_ms))
			reset(service->request_fd, &service->is_asked);
	}
	whole_eventfd_write(service->end_fd, 1);
	return NULL;
}

static int open_all(struct service *service)
{
	const struct service_plan *plan = &service->plan;
	int err = 0;

	service->request_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	service->reply_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	service->end_fd = eventfd(0, EFD_CLOEXEC);
	if (service->request_fd < 0 || service->reply_fd < 0 || service->end_fd < 0)
		return -EMFILE;
	if (plan->request_bytes)
		err = spsc_init(&service->requests, plan->request_bytes);
	if (!err && plan->reply_bytes)
		err = spsc_init(&service->replies, plan->reply_bytes);
	return err;
}

int service_create(struct service **out, const struct service_plan *plan)
{
	struct service *service = aligned_alloc(_Alignof(struct service), sizeof(*service));
	int err;

	*out = NULL;
	if (!service)
		return -ENOMEM;
	memset(service, 0, sizeof(*service));
	service->plan = *plan;
	err = open_all(service);
	if (!err) {
		*out = service;
		err = thread_start(&service->thread, plan->name, service_run, service);
		service->has_thread = !err;
	}
	if (err) {
		*out = NULL;
		service_destroy(service);
	}
	return err;
}

bool service_stop(struct service *service)
{
	if (!service || !service->has_thread)
		return true;
	atomic_store(&service->is_stopping, true);	/* service_is_stopping() */
	if (service->plan.interrupt)
		service->plan.interrupt(service->plan.owner);
	service_wake(service);
	if (!wait_for(service->end_fd, service->plan.may_hang ? STOP_WAIT_MS : -1))
		return false;
	service->has_thread = false;
	return pthread_join(service->thread, NULL) == 0;
}

void service_destroy(struct service *service)
{
	if (!service)
		return;
	assert(!service->has_thread);
	spsc_finish(&service->requests);
	spsc_finish(&service->replies);
	if (service->request_fd >= 0)
		close(service->request_fd);
	if (service->reply_fd >= 0)
		close(service->reply_fd);
	if (service->end_fd >= 0)
		close(service->end_fd);
	free(service);
}

void service_wake(struct service *service)
{
	set(service->request_fd, &service->is_asked);
}

void service_notify(struct service *service)
{
	set(service->reply_fd, &service->is_told);
}

int service_fd(const struct service *service)
{
	return service->reply_fd;
}

void service_quiet(struct service *service)
{
	reset(service->reply_fd, &service->is_told);
}

const void *service_reply(struct service *service, size_t *bytes)
{
	const void *reply = spsc_peek(&service->replies, bytes);

	if (reply)
		return reply;
	service_quiet(service);
	return spsc_peek(&service->replies, bytes);
}

bool service_is_stopping(const struct service *service)
{
	return atomic_load(&service->is_stopping);	/* service_stop() */
}
