/* thread.h - starts a thread that no signal interrupts: they all go to the main thread. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>

/* As pthread_create(3), with every signal but the fatal ones blocked and @name (at most 15 bytes)
 * shown in ps and top. Returns 0 or -errno. Thread: any. */
int thread_start(pthread_t *out, const char *name, void *(*run)(void *), void *argument);

#endif
