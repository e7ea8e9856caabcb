/* worker.h - the process that parses one foreign file. */
#ifndef SYMBOLS_WORKER_H
#define SYMBOLS_WORKER_H

#include <sys/types.h>

/* Runs in the child of the zygote: gives everything up, compiles the object behind @object, sends
 * struct sandbox_answer to @reply and exits. @zygote_pid: who must be the parent still. */
_Noreturn void worker_run(int object, int reply, pid_t zygote_pid);

#endif
