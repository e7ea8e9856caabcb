/* errand.c - see base/errand.h. */
#include "base/errand.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "base/clock.h"

#define WAIT_MS	    1000	/* a disk that spins up; a server that answers does so sooner */
#define KEPT_NS	    (30 * CLOCK_NS_PER_S)	/* refused files are tried every 5 s */
#define EXPIRE_MS   10000	/* between two looks for late results */
#define QUEUE_BYTES 4096	/* minimum of spsc_init(); holds one pointer at a time */

/* Owner of a service with one thread; freed by end_thread(). */
struct errand_thread {
	struct service *service;
};

static int serve(void *owner)
{
	struct errand_thread *thread = owner;
	struct errand_job *const *request, **reply, *job;
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

static int start_thread(struct errands *errands)
{
	struct errand_thread *thread = calloc(1, sizeof(*thread));
	const struct service_plan plan = {
		.name = "flametop-errand", .request_bytes = QUEUE_BYTES,
		.reply_bytes = QUEUE_BYTES, .serve = serve, .may_hang = true, .owner = thread,
	};
	int err = thread ? service_create(&thread->service, &plan) : -ENOMEM;

	if (err)
		free(thread);
	else
		errands->service = thread->service;
	return err;
}

static void end_thread(struct service *service)
{
	struct errand_thread *thread = service->plan.owner;

	if (!service_stop(service))
		return;		/* the thread hangs: abandon it */
	service_destroy(service);
	free(thread);
}

/* Returns the job that the thread has finished, or NULL. */
static struct errand_job *take_reply(struct service *service)
{
	struct errand_job *const *reply, *job;
	size_t bytes;

	reply = service_reply(service, &bytes);
	if (!reply)
		return NULL;
	job = *reply;
	spsc_release(&service->replies);
	return job;
}

static void drop_late(struct late_errand *late)
{
	if (late->job)
		late->job->drop(late->job);
	late->job = NULL;
}

/* Keeps @job in a free entry, or in place of the late result that expires first. */
static void keep_late(struct errands *errands, struct errand_job *job)
{
	struct late_errand *place = &errands->late[0];

	for (uint32_t i = 1; i < ERRANDS_LATE_MAX && place->job; i++)
		if (!errands->late[i].job || errands->late[i].until_ns < place->until_ns)
			place = &errands->late[i];
	drop_late(place);
	*place = (struct late_errand){ job, clock_now_ns() + KEPT_NS };
}

static bool take_late(struct errands *errands, struct errand_job *job)
{
	for (uint32_t i = 0; i < ERRANDS_LATE_MAX; i++) {
		struct late_errand *late = &errands->late[i];

		if (late->job && late->job->key == job->key &&
		    late->job->take_late == job->take_late && job->take_late(job, late->job)) {
			drop_late(late);
			return true;
		}
	}
	return false;
}

/* Ends hung threads that have returned, as others have replaced them; keeps or drops their jobs. */
static void end_returned(struct errands *errands)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < errands->hung_count; i++) {
		struct hung_errand *hung = &errands->hung[i];
		struct errand_job *job = take_reply(hung->service);

		if (job) {
			if (job->take_late && job->is_worth_keeping)
				keep_late(errands, job);
			else
				job->drop(job);
			end_thread(hung->service);
		} else {
			errands->hung[kept++] = *hung;
		}
	}
	errands->hung_count = kept;
}

static bool is_refused(const struct errands *errands, const struct errand_job *job)
{
	if (errands->hung_count == ERRANDS_HUNG_MAX)
		return true;
	for (uint32_t i = 0; i < errands->hung_count; i++) {
		const uint64_t key = errands->hung[i].key;

		if (key && (key == job->key || key == job->part_of))
			return true;
	}
	return false;
}

/* Waits up to @wait_ms for take_reply() to return a job. The descriptor may still be readable
 * from the reply before. */
static struct errand_job *wait_for_reply(struct service *service, uint32_t wait_ms)
{
	const uint64_t end_ns = clock_now_ns() + wait_ms * CLOCK_NS_PER_MS;
	struct pollfd ready = { .fd = service_fd(service), .events = POLLIN };
	struct errand_job *job = take_reply(service);

	while (!job && clock_now_ns() < end_ns) {
		poll(&ready, 1, clock_ms_until(end_ns, clock_now_ns()));
		job = take_reply(service);
	}
	return job;
}

int errands_expire(struct errands *errands)
{
	const uint64_t now_ns = clock_now_ns();
	bool has_late = false;

	end_returned(errands);
	for (uint32_t i = 0; i < ERRANDS_LATE_MAX; i++) {
		if (errands->late[i].until_ns < now_ns)
			drop_late(&errands->late[i]);
		has_late |= errands->late[i].job != NULL;
	}
	return has_late || errands->hung_count ? EXPIRE_MS : -1;
}

int errands_run(struct errands *errands, struct errand_job *job)
{
	struct errand_job **request;
	int err = 0;

	errands_expire(errands);
	if (take_late(errands, job))
		return 0;
	if (is_refused(errands, job))
		err = -EBUSY;
	if (!err && !errands->service)
		err = start_thread(errands);
	if (err) {
		job->drop(job);
		return err;
	}
	request = spsc_reserve(&errands->service->requests, sizeof(*request));
	*request = job;		/* never NULL: the queue is empty */
	spsc_commit(&errands->service->requests);
	service_wake(errands->service);
	if (wait_for_reply(errands->service, errands->wait_ms ? errands->wait_ms : WAIT_MS))
		return 0;
	errands->hung[errands->hung_count++] = (struct hung_errand){ errands->service, job->key };
	errands->service = NULL;
	return -ETIMEDOUT;
}

void errands_finish(struct errands *errands)
{
	end_returned(errands);
	for (uint32_t i = 0; i < ERRANDS_LATE_MAX; i++)
		drop_late(&errands->late[i]);
	if (errands->service)
		end_thread(errands->service);
	errands->service = NULL;
}
