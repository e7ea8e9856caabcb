/* worker.h - the confined process that parses one untrusted file, or other untrusted bytes. */
#ifndef SANDBOX_WORKER_H
#define SANDBOX_WORKER_H

#include <sys/types.h>

#include "sandbox/confine.h"
#include "sandbox/sandbox_protocol.h"

/* Runs in the zygote's child: confines itself, does @job with @fds (inputs; the last is the reply
 * socket), sends struct sandbox_answer and exits. @zygote_pid must still be its parent. */
_Noreturn void worker_run(const struct confinement *confinement, const struct sandbox_job *job,
			  const int fds[SANDBOX_JOB_FDS], pid_t zygote_pid);

#endif
