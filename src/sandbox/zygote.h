/* zygote.h - the process that makes one worker per job and ends it at the deadline.
 * It may change a user and end a process, and reads nothing of a file, only main's jobs. */
#ifndef SANDBOX_ZYGOTE_H
#define SANDBOX_ZYGOTE_H

#include <sys/types.h>

/* Runs in the child of sandbox_start() and ends with main, or when @socket is closed.
 * @main_pid: who must be the parent still. Closes every other descriptor. */
_Noreturn void zygote_run(int socket, pid_t main_pid);

#endif
