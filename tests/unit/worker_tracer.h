/* worker_tracer.h - a worker of the sandbox under ptrace(2), so that a test can look at it before
 * its first read and make it do what a file that has taken it over could. */
#ifndef TESTS_WORKER_TRACER_H
#define TESTS_WORKER_TRACER_H

#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sandbox/sandbox.h"

#define WORKER_INPUT_FD 3
#define WORKER_REPLY_FD 4	/* for a job with one input */

struct worker_tracer {
	/* Both at the worker's first read of its input; any may be NULL. The exit's @result is what
	 * the call returned that is made instead, if at_first_read() changed it. */
	void (*at_first_read)(struct worker_tracer *tracer);
	void (*at_exit)(struct worker_tracer *tracer, int64_t result);
	void *argument;	/* the test's own */
	pid_t worker;
	bool was_there;	/* at_first_read() was called */

	pid_t zygote;	/* the rest is the tracer's own */
	sem_t is_ready;
	bool is_in_call;
};

/* Has the symbols of this program's own file read with the tracer watching; job @number. Skips the
 * test where ptrace is not allowed. */
int worker_tracer_run(struct worker_tracer *tracer, struct sandbox *sandbox, uint64_t number,
		      struct diag *why);
/* The same without a test around it: WORKER_TRACER_REFUSED in place of the skip. */
int worker_tracer_try(struct worker_tracer *tracer, struct sandbox *sandbox, uint64_t number,
		      struct diag *why);
#define WORKER_TRACER_REFUSED 1

/* Of /proc/PID/@name of the worker. */
void worker_tracer_read_proc(const struct worker_tracer *tracer, const char *name, char *out,
			     size_t cap);

/* From at_first_read(): */

/* The worker's reply socket, or -1; the caller's. */
int worker_tracer_reply(const struct worker_tracer *tracer);

/* The read becomes another system call; its arguments beyond @count stay the read's: descriptor,
 * buffer, size, offset. */
void worker_tracer_replace(struct worker_tracer *tracer, int64_t call, const uint64_t *arguments,
			   int count);
/* The read does nothing, and then the worker is in an endless loop. */
void worker_tracer_spin(struct worker_tracer *tracer);
/* @text, up to 31 bytes, goes to the buffer of the read; returns its address there. */
uint64_t worker_tracer_write(const struct worker_tracer *tracer, const char *text);

#endif
