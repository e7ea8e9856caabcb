/* zygote.h - the process that forks one worker per job and kills it at the deadline.
 * It may change the worker's user and kill it; it reads main's jobs and no file. */
#ifndef SANDBOX_ZYGOTE_H
#define SANDBOX_ZYGOTE_H

#include <sys/types.h>

/* Runs in the child of sandbox_start() and ends with main, or when @socket is closed.
 * @main_pid must still be its parent. Closes every other descriptor. */
_Noreturn void zygote_run(int socket, pid_t main_pid);

#endif
