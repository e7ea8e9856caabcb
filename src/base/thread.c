/* thread.c - see thread.h. */
#include "base/thread.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"

#define JOIN_TURN_MS 50

struct beginning {
	void *(*run)(void *);
	void *argument;
};

static void *begin(void *allocated)
{
	const struct beginning beginning = *(struct beginning *)allocated;
	unsigned char crash_stack[CRASH_STACK_BYTES];

	free(allocated);
	crash_use_stack(crash_stack);
	return beginning.run(beginning.argument);
}

int thread_start(pthread_t *out, const char *name, void *(*run)(void *), void *argument)
{
	/* A crash in any thread must reach the handler that restores the terminal. */
	static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	struct beginning *beginning = malloc(sizeof(*beginning));
	sigset_t blocked, before;
	int err;

	if (!beginning)
		return -ENOMEM;
	*beginning = (struct beginning){ run, argument };
	sigfillset(&blocked);
	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
		sigdelset(&blocked, fatal[i]);
	pthread_sigmask(SIG_SETMASK, &blocked, &before);	/* a new thread inherits the mask */
	err = -pthread_create(out, NULL, begin, beginning);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err)
		free(beginning);
	else
		pthread_setname_np(*out, name);
	return err;
}

/* pthread_clockjoin_np() would wait by the right clock, but ThreadSanitizer (GCC 12) does not know
 * it, and takes what the thread did for a race with what comes after. The wall clock may be set:
 * it only ends a turn of the loop. */
bool thread_join_within(pthread_t thread, uint32_t wait_ms)
{
	const uint64_t end_ns = clock_now_ns() + wait_ms * CLOCK_NS_PER_MS;

	do {
		const uint64_t until_ns = clock_now_ns() + clock_wall_offset_ns() +
					  JOIN_TURN_MS * CLOCK_NS_PER_MS;
		const struct timespec until = { .tv_sec = (time_t)(until_ns / CLOCK_NS_PER_S),
						.tv_nsec = (long)(until_ns % CLOCK_NS_PER_S) };

		if (!pthread_timedjoin_np(thread, NULL, &until))
			return true;
	} while (clock_now_ns() < end_ns);
	return false;
}

bool thread_go_first(pid_t tid)
{
	const struct sched_param lowest = { .sched_priority = sched_get_priority_min(SCHED_RR) };

	return sched_setscheduler(tid, SCHED_RR, &lowest) == 0;
}

void thread_turn_begin(struct thread_turn *turn)
{
	atomic_store_explicit(&turn->tid, gettid(), memory_order_relaxed);
}

void thread_turn_end(struct thread_turn *turn)
{
	atomic_store_explicit(&turn->tid, 0, memory_order_relaxed);
}

/* Sets the priority before the flag. A race with thread_turn_give_back() may leave the flag without
 * the priority, which the next call repairs, but never the priority without the flag. In the other
 * order the thread, preempted as soon as it gave back, would seem hastened until it runs again. */
void thread_turn_hasten(struct thread_turn *turn)
{
	const pid_t tid = atomic_load_explicit(&turn->tid, memory_order_relaxed);

	if (tid && thread_go_first(tid))
		atomic_store_explicit(&turn->is_hastened, true, memory_order_release);
}

void thread_turn_give_back(struct thread_turn *turn)
{
	const struct sched_param none = { .sched_priority = 0 };

	if (!atomic_load_explicit(&turn->is_hastened, memory_order_acquire))
		return;
	atomic_store_explicit(&turn->is_hastened, false, memory_order_relaxed);
	sched_setscheduler(0, SCHED_OTHER, &none);
}
