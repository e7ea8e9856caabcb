/* thread.h - starts threads that block signals, so that the main thread gets them, and raises the
 * scheduling priority of threads. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

/* Starts a thread like pthread_create(3), with every signal but the fatal ones blocked and @name
 * (at most 15 bytes) shown in ps and top. Returns 0 or -errno. Thread: any. */
int thread_start(pthread_t *out, const char *name, void *(*run)(void *), void *argument);

/* Gives thread @tid (0: the calling one) the lowest real-time priority: beside hundreds of runnable
 * threads it might else run only once a second, and a nice value changes little. Returns false
 * where that is not permitted. Only for bounded work: no thread without real-time priority runs on
 * its CPU meanwhile. Thread: any. Source: sched(7). */
bool thread_go_first(pid_t tid);

/* A thread whose priority the thread that waits for it can raise. Initialised by zeroing before the
 * thread starts. */
struct thread_turn {
	_Atomic(pid_t) tid;		/* 0: the thread has not begun, or has ended */
	atomic_bool is_hastened;	/* the thread has real-time priority */
};

/* Called by the thread itself: _begin() first; _give_back(), which drops the raised priority, when
 * the awaited work is done; _end() last, as the tid may soon be reused. */
void thread_turn_begin(struct thread_turn *turn);
void thread_turn_give_back(struct thread_turn *turn);
void thread_turn_end(struct thread_turn *turn);
/* Called repeatedly by the one thread that waits: raises the priority as thread_go_first() does,
 * until thread_turn_give_back(). */
void thread_turn_hasten(struct thread_turn *turn);

#endif
