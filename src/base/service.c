/* service.c - see base/service.h.
 *
 * Problem: a thread in a file system that hangs can be neither ended nor waited for, and all memory
 * that it may still use must stay. Idea: it sets an eventfd when it no longer uses anything; only
 * then it is joined and its memory freed. Rejected: thread_join_within(), as a guest has no thread
 * of its own.
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

#include "base/clock.h"
#include "base/thread.h"
#include "base/whole_io.h"

#define POLL_AGAIN_US 1000
#define STOP_WAIT_MS 2000	/* a worker ends sooner; a dead file system takes minutes */

/* Returns true when one of the @count descriptors is readable in time. Retries when the kernel has
 * no memory for poll(2). */
static bool wait_for_one(struct pollfd *ready, nfds_t count, int wait_ms)
{
	int ready_count;

	while ((ready_count = poll(ready, count, wait_ms)) < 0)
		if (errno != EINTR)
			usleep(POLL_AGAIN_US);
	return ready_count > 0;
}

static bool wait_for(int fd, int wait_ms)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	return wait_for_one(&ready, 1, wait_ms);
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

/* Calls serve() of the guest. Takes out a guest that is stopping, which then may be freed. */
static int serve_guest(struct service *service, int *ready_fd)
{
	struct service *guest = atomic_load(&service->guest);	/* service_create() */

	*ready_fd = -1;
	if (!guest)
		return SERVICE_SLEEP;
	if (service_is_stopping(guest)) {
		atomic_store(&service->guest, NULL);
		whole_eventfd_write(guest->end_fd, 1);
		return SERVICE_SLEEP;
	}
	if (guest->plan.ready_fd)
		*ready_fd = guest->plan.ready_fd;
	return guest->plan.serve(guest->plan.owner);
}

static void *service_run(void *argument)
{
	struct service *service = argument;
	struct pollfd ready[] = {
		{ .fd = service->request_fd, .events = POLLIN },
		{ .fd = service->plan.ready_fd ? service->plan.ready_fd : -1, .events = POLLIN },
		{ .events = POLLIN },
	};

	while (!service_is_stopping(service)) {
		const int own_ms = service->plan.serve(service->plan.owner);
		const int guest_ms = serve_guest(service, &ready[2].fd);
		const bool is_own = own_ms >= 0 && (guest_ms < 0 || own_ms < guest_ms);
		const int wait_ms = is_own ? own_ms : guest_ms;

		if (wait_ms != SERVICE_AGAIN && wait_for_one(ready, 3, wait_ms))
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
		if (plan->host)
			atomic_store(&plan->host->guest, service);	/* serve_guest() */
		else
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
	eventfd_t ignored;

	if (!service || !service->has_thread)
		return true;
	atomic_store(&service->is_stopping, true);	/* service_is_stopping() */
	if (service->plan.interrupt)
		service->plan.interrupt(service->plan.owner);
	service_wake(service);
	if (!wait_for(service->end_fd, service->plan.may_hang ? STOP_WAIT_MS : -1))
		return false;
	if (service->plan.host)
		eventfd_read(service->end_fd, &ignored);	/* acquires all that the host did */
	service->has_thread = false;
	return service->plan.host || pthread_join(service->thread, NULL) == 0;
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
	if (service->plan.host)
		service = service->plan.host;
	set(service->request_fd, &service->is_asked);
}

void service_notify(struct service *service)
{
	set(service->reply_fd, &service->is_notified);
}

int service_fd(const struct service *service)
{
	return service->reply_fd;
}

void service_quiet(struct service *service)
{
	reset(service->reply_fd, &service->is_notified);
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

#define WAIT_MS	    1000	/* a disk that spins up; a server that is alive replies sooner */
#define KEPT_NS	    (30 * CLOCK_NS_PER_S)	/* refused files are tried every 5 s */
#define EXPIRE_MS   10000	/* between two looks for late results */
#define QUEUE_BYTES 4096	/* minimum of spsc_init(); holds one pointer at a time */

/* Owner of a service with one thread; freed by end_thread(). */
struct blocking_thread {
	struct service *service;
};

static int serve(void *owner)
{
	struct blocking_thread *thread = owner;
	struct blocking_job *const *request, **reply, *job;
	size_t bytes;

	request = spsc_peek(&thread->service->requests, &bytes);
	if (!request)
		return SERVICE_SLEEP;
	job = *request;
	spsc_release(&thread->service->requests);
	job->run(job);
	reply = spsc_reserve(&thread->service->replies, sizeof(*reply));
	*reply = job;	/* never NULL: only one request is outstanding */
	spsc_commit(&thread->service->replies);
	service_notify(thread->service);
	return SERVICE_AGAIN;
}

static int start_thread(struct blocking_calls *blocking_calls)
{
	struct blocking_thread *thread = calloc(1, sizeof(*thread));
	const struct service_plan plan = {
		.name = "flametop-calls", .request_bytes = QUEUE_BYTES,
		.reply_bytes = QUEUE_BYTES, .serve = serve, .may_hang = true, .owner = thread,
	};
	int err = thread ? service_create(&thread->service, &plan) : -ENOMEM;

	if (err)
		free(thread);
	else
		blocking_calls->service = thread->service;
	return err;
}

static void end_thread(struct service *service)
{
	struct blocking_thread *thread = service->plan.owner;

	if (!service_stop(service))
		return;		/* the thread hangs: abandon it */
	service_destroy(service);
	free(thread);
}

/* Returns the job that the thread has finished, or NULL. */
static struct blocking_job *take_reply(struct service *service)
{
	struct blocking_job *const *reply, *job;
	size_t bytes;

	reply = service_reply(service, &bytes);
	if (!reply)
		return NULL;
	job = *reply;
	spsc_release(&service->replies);
	return job;
}

static void drop_late(struct late_call *late)
{
	if (late->job)
		late->job->drop(late->job);
	late->job = NULL;
}

/* Keeps @job in a free entry, or in place of the late result that expires first. */
static void keep_late(struct blocking_calls *blocking_calls, struct blocking_job *job)
{
	struct late_call *place = &blocking_calls->late[0];

	for (uint32_t i = 1; i < BLOCKING_CALLS_LATE_MAX && place->job; i++)
		if (!blocking_calls->late[i].job ||
		    blocking_calls->late[i].until_ns < place->until_ns)
			place = &blocking_calls->late[i];
	drop_late(place);
	*place = (struct late_call){ job, clock_now_ns() + KEPT_NS };
}

static bool take_late(struct blocking_calls *blocking_calls, struct blocking_job *job)
{
	for (uint32_t i = 0; i < BLOCKING_CALLS_LATE_MAX; i++) {
		struct late_call *late = &blocking_calls->late[i];

		if (late->job && late->job->key == job->key &&
		    late->job->take_late == job->take_late && job->take_late(job, late->job)) {
			drop_late(late);
			return true;
		}
	}
	return false;
}

/* Ends hung threads that have returned, as others have replaced them; keeps or drops their jobs. */
static void end_returned(struct blocking_calls *blocking_calls)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < blocking_calls->hung_count; i++) {
		struct hung_call *hung = &blocking_calls->hung[i];
		struct blocking_job *job = take_reply(hung->service);

		if (job) {
			if (job->take_late && job->is_worth_keeping)
				keep_late(blocking_calls, job);
			else
				job->drop(job);
			end_thread(hung->service);
		} else {
			blocking_calls->hung[kept++] = *hung;
		}
	}
	blocking_calls->hung_count = kept;
}

static bool is_refused(const struct blocking_calls *blocking_calls, const struct blocking_job *job)
{
	if (blocking_calls->hung_count == BLOCKING_CALLS_HUNG_MAX)
		return true;
	for (uint32_t i = 0; i < blocking_calls->hung_count; i++) {
		const uint64_t key = blocking_calls->hung[i].key;

		if (key && (key == job->key || key == job->part_of))
			return true;
	}
	return false;
}

/* Waits up to @wait_ms for take_reply() to return a job. The descriptor may still be readable
 * from the reply before. */
static struct blocking_job *wait_for_reply(struct service *service, uint32_t wait_ms)
{
	const uint64_t end_ns = clock_now_ns() + wait_ms * CLOCK_NS_PER_MS;
	struct pollfd ready = { .fd = service_fd(service), .events = POLLIN };
	struct blocking_job *job = take_reply(service);

	while (!job && clock_now_ns() < end_ns) {
		poll(&ready, 1, clock_ms_until(end_ns, clock_now_ns()));
		job = take_reply(service);
	}
	return job;
}

int blocking_calls_expire(struct blocking_calls *blocking_calls)
{
	const uint64_t now_ns = clock_now_ns();
	bool has_late = false;

	end_returned(blocking_calls);
	for (uint32_t i = 0; i < BLOCKING_CALLS_LATE_MAX; i++) {
		if (blocking_calls->late[i].until_ns < now_ns)
			drop_late(&blocking_calls->late[i]);
		has_late |= blocking_calls->late[i].job != NULL;
	}
	return has_late || blocking_calls->hung_count ? EXPIRE_MS : -1;
}

int blocking_calls_run(struct blocking_calls *blocking_calls, struct blocking_job *job)
{
	struct blocking_job **request;
	int err = 0;

	blocking_calls_expire(blocking_calls);
	if (take_late(blocking_calls, job))
		return 0;
	if (is_refused(blocking_calls, job))
		err = -EBUSY;
	if (!err && !blocking_calls->service)
		err = start_thread(blocking_calls);
	if (err) {
		job->drop(job);
		return err;
	}
	request = spsc_reserve(&blocking_calls->service->requests, sizeof(*request));
	*request = job;		/* never NULL: the queue is empty */
	spsc_commit(&blocking_calls->service->requests);
	service_wake(blocking_calls->service);
	if (wait_for_reply(blocking_calls->service,
			   blocking_calls->wait_ms ? blocking_calls->wait_ms : WAIT_MS))
		return 0;
	blocking_calls->hung[blocking_calls->hung_count++] =
		(struct hung_call){ blocking_calls->service, job->key };
	blocking_calls->service = NULL;
	return -ETIMEDOUT;
}

void blocking_calls_finish(struct blocking_calls *blocking_calls)
{
	end_returned(blocking_calls);
	for (uint32_t i = 0; i < BLOCKING_CALLS_LATE_MAX; i++)
		drop_late(&blocking_calls->late[i]);
	if (blocking_calls->service)
		end_thread(blocking_calls->service);
	blocking_calls->service = NULL;
}
