/* zygote.h - the process that forks a worker for each job and kills it at the deadline.
 * It may change the worker's user and kill it; it reads main's jobs and no file. */
#ifndef SANDBOX_ZYGOTE_H
#define SANDBOX_ZYGOTE_H

#include <sys/types.h>

#include "sandbox/sandbox_protocol.h"

/* Runs in the child of sandbox_start_all() and ends with main, or when all @count @sockets, one for
 * each user, are closed. @main_pid must still be its parent; @run does the workers' jobs. Closes
 * every other descriptor. */
_Noreturn void zygote_run(const int *sockets, size_t count, pid_t main_pid, sandbox_worker *run);

#endif
