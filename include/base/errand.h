/* errand.h - runs blocking calls, which may hang for ever, in another thread, and waits for each at
 * most a second.
 *
 * Problem: a call into a file system whose server is dead never returns, and any user can be that
 *          server (FUSE). The thread in it cannot be ended, so nothing else may depend on it.
 * Use:     errands_run() hands a job to a thread. If the thread hangs, it is abandoned together
 *          with the job, and a new thread runs the next job; jobs with the same key are refused at
 *          once until the hung thread has returned. A job owns all that it uses.
 *          A late result may be kept for the next job that asks for the same, so that jobs which
 *          take longer than a second succeed at the second attempt.
 * Bounds:  ERRANDS_HUNG_MAX hung threads, then every job is refused. ERRANDS_LATE_MAX late results,
 *          kept for 30 s.
 * Crossings: those of a service (base/service.h); a job belongs to one thread at a time.
 * Thread:  all calls from one thread.
 */
#ifndef BASE_ERRAND_H
#define BASE_ERRAND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/service.h"

#define ERRANDS_HUNG_MAX 64
#define ERRANDS_LATE_MAX 2

struct errand_job {
	uint64_t key;		/* identifies what may hang: a device, a process; 0: unknown */
	uint64_t part_of;	/* second key under which the job is refused too; 0: none */
	void (*run)(struct errand_job *job);	/* does the work, in the errand thread */
	void (*drop)(struct errand_job *job);	/* frees the job with its results */
	/* If @job asks for the same as @late, a kept job with the same key, moves the results of
	 * @late into @job and returns true; the caller then drops @late. Called in the thread of
	 * errands_run(). NULL: late results of such jobs are not kept. */
	bool (*take_late)(struct errand_job *job, struct errand_job *late);
	bool is_worth_keeping;	/* set by run(): a late result is still useful */
};

struct errands {		/* initialised by zeroing */
	struct service *service;	/* the thread for the next job; NULL: none is running */
	struct hung_errand {
		struct service *service;
		uint64_t key;
	} hung[ERRANDS_HUNG_MAX];
	uint32_t hung_count;
	struct late_errand {
		struct errand_job *job;		/* owned; NULL: the entry is free */
		uint64_t until_ns;		/* when the result is dropped, CLOCK_MONOTONIC */
	} late[ERRANDS_LATE_MAX];
	uint32_t wait_ms;		/* timeout of a job; 0: 1000 */
};

/* Runs @job. Returns 0 when it is done; the job then belongs to the caller again. On an error the
 * job is dropped, at once or when its thread has returned and its result is not kept: -ETIMEDOUT;
 * -EBUSY: an earlier job with its key hangs, or too many do; -ENOMEM, -EMFILE or an error of
 * pthread_create(3): there is no thread. */
int errands_run(struct errands *errands, struct errand_job *job);
/* Drops expired late results. Returns in how many ms to call this again; < 0: no result is kept and
 * no thread hangs. */
int errands_expire(struct errands *errands);
/* Drops the late results and ends the threads that do not hang; hung ones are abandoned. */
void errands_finish(struct errands *errands);

#endif
