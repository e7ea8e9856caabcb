/* worker.h - the process that parses one foreign file, or other text that strangers chose. */
#ifndef SANDBOX_WORKER_H
#define SANDBOX_WORKER_H

#include <sys/types.h>

#include "sandbox/confine.h"
#include "sandbox/sandbox_protocol.h"

/* Runs in the child of the zygote: gives everything up, does @job with @fds (inputs, the last is
 * the reply socket), sends struct sandbox_answer and exits. @zygote_pid: who must be the parent
 * still. */
_Noreturn void worker_run(const struct confinement *confinement, const struct sandbox_job *job,
			  const int fds[SANDBOX_JOB_FDS], pid_t zygote_pid);

#endif
