/* errand.h - has something done that may hang for ever, and waits for it a second at most.
 *
 * Problem: a call into a file system whose server is dead never comes back, and a stranger can be
 *          that server (FUSE). The thread in it cannot be ended, so nobody else may need it.
 * Use:     errands_run() hands a job to a thread. Should that hang, it is left behind with the job
 *          and a new one does the next; whatever has the same key is refused at once until the
 *          hanging thread has come back. A job holds all that it needs, and nothing of others'.
 *          A result that came too late may be kept: the next job that wants the same takes it, so
 *          that jobs which take longer than a second succeed at the second attempt.
 * Bounds:  ERRANDS_HUNG_MAX threads; when so many hang, everything is refused. ERRANDS_LATE_MAX
 *          late results, for half a minute.
 * Crossings: those of a service (base/service.h), and the job, which is one thread's at a time.
 * Thread:  all calls from one.
 */
#ifndef BASE_ERRAND_H
#define BASE_ERRAND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/service.h"

#define ERRANDS_HUNG_MAX 64
#define ERRANDS_LATE_MAX 2

struct errand_job {
	uint64_t key;		/* of what may hang: a device, a process; 0: nobody knows */
	uint64_t part_of;	/* a larger thing: it is refused while that hangs, too; 0: none */
	void (*run)(struct errand_job *job);	/* in the errand's thread */
	void (*drop)(struct errand_job *job);	/* frees it with its results */
	/* Moves the results of @late, a kept job with the same key, into @job if both want the
	 * same; returns whether it did. @late is dropped by the errands then. In the caller's
	 * thread. NULL: results of such jobs are not kept. */
	bool (*take_late)(struct errand_job *job, struct errand_job *late);
	bool is_worth_keeping;	/* run() sets it: the result is of use when it comes late, too */
};

struct errands {		/* zeroed: none was run yet */
	struct service *service;	/* NULL: none is started */
	struct hung_errand {
		struct service *service;
		uint64_t key;
	} hung[ERRANDS_HUNG_MAX];
	uint32_t hung_count;
	struct late_errand {
		struct errand_job *job;		/* owned; NULL: free */
		uint64_t until_ns;
	} late[ERRANDS_LATE_MAX];
	uint32_t wait_ms;		/* 0: a second */
};

/* Runs @job. 0: it is done and the caller's again. Otherwise it is dropped, now or when its thread
 * no longer hangs and its result is of no use: -ETIMEDOUT; -EBUSY the last one with its key hangs;
 * -ENOMEM, -EMFILE, or as of pthread_create(3): no thread. */
int errands_run(struct errands *errands, struct errand_job *job);
/* Drops late results whose time is over. Returns in how many ms there may be another; < 0: none is
 * kept, and no thread hangs. */
int errands_expire(struct errands *errands);
/* Ends what does not hang. */
void errands_finish(struct errands *errands);

#endif
