/* thread.h - threads that no signal interrupts (they all go to the main thread), and which of them
 * run before others. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

/* As pthread_create(3), with every signal but the fatal ones blocked and @name (at most 15 bytes)
 * shown in ps and top. Returns 0 or -errno. Thread: any. */
int thread_start(pthread_t *out, const char *name, void *(*run)(void *), void *argument);

/* The thread @tid (0: the calling one) runs before all that have no real-time priority: where
 * hundreds want to run, its turn may come once in a second only, and a nice value changes little.
 * False where that is not permitted. For work that has an end: nothing else runs on its CPU
 * meanwhile. Thread: any. Source: sched(7). */
bool thread_go_first(pid_t tid);

/* Whose turn can be hastened by the one who waits for it. All 0 before its thread begins. */
struct thread_turn {
	_Atomic(pid_t) tid;		/* 0: it has not begun, or has ended */
	atomic_bool is_hastened;
};

/* By its thread itself: at its beginning; once it has done what was waited for; and at its end, as
 * its number may soon be another's. */
void thread_turn_begin(struct thread_turn *turn);
void thread_turn_give_back(struct thread_turn *turn);
void thread_turn_end(struct thread_turn *turn);
/* By one other thread, again and again while it waits. It goes first until it gives that back. */
void thread_turn_hasten(struct thread_turn *turn);

#endif
