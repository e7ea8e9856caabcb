/* stuck WHAT [COUNT] - threads that wait in known functions, for ever; whoever started it kills it.
 * It prints "ready" when all have been started, and is built without frame pointers.
 *
 *   deadlock	two threads: worker_a has the first lock and waits for the second, and worker_b
 *		has the second and waits for the first
 *   ring	four threads in a circle of locks, wait_in_ring, and one that waits for one of these
 *   blocked	COUNT threads below descend x 5, wait_for_lock; main has the lock, and pauses
 *   kinds	a thread each in wait_for_lock, wait_for_time, wait_for_pipe, wait_for_descriptor,
 *		wait_for_condition, and one that computes in compute
 *   turns	COUNT threads that sleep for moments, in first_nap below first_way and in second_nap
 *		below second_way in turn, so that they are often seen while they change
 *   silent	a thread in wait_for_time, whose stack can't be read to its end: reading the memory
 *		above it blocks, until a SIGUSR1 comes. Fails where userfaultfd(2) is not permitted
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES (64 * 1024)
#define RING	    4
#define NAP_NS	    300000

/* Keeps a call from becoming a jump, which would leave no frame. */
#define STAY __asm__ volatile("" ::: "memory")
#define FUNCTION __attribute__((noinline)) static void

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t ring[RING];
static pthread_barrier_t both;
static int nothing[2];
static int silence;	/* userfaultfd(2): accesses wait until it is closed */

FUNCTION worker_a(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&first);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&second);
	STAY;
}

FUNCTION worker_b(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&second);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&first);
	STAY;
}

FUNCTION wait_in_ring(void *number)
{
	const uintptr_t own = (uintptr_t)number;

	pthread_mutex_lock(&ring[own]);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&ring[(own + 1) % RING]);
	STAY;
}

FUNCTION wait_beside(void *unused)
{
	(void)unused;
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&ring[0]);
	STAY;
}

FUNCTION wait_for_lock(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&first);
	STAY;
}

FUNCTION descend(void *depth)
{
	if ((uintptr_t)depth > 1)
		descend((void *)((uintptr_t)depth - 1));
	else
		wait_for_lock(NULL);
	STAY;
}

FUNCTION wait_for_time(void *unused)
{
	const struct timespec long_time = { .tv_sec = 1000000 };

	(void)unused;
	nanosleep(&long_time, NULL);
	STAY;
}

FUNCTION wait_for_pipe(void *unused)
{
	char byte;

	(void)unused;
	if (read(nothing[0], &byte, 1) < 0)
		STAY;
	STAY;
}

FUNCTION wait_for_descriptor(void *unused)
{
	struct pollfd one = { .fd = nothing[0], .events = POLLIN };

	(void)unused;
	poll(&one, 1, -1);
	STAY;
}

FUNCTION wait_for_condition(void *unused)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

	(void)unused;
	pthread_mutex_lock(&lock);
	pthread_cond_wait(&never, &lock);
	STAY;
}

FUNCTION compute(void *unused)
{
	(void)unused;
	for (;;)
		STAY;
}

FUNCTION first_nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = NAP_NS }, NULL);
	STAY;
}

FUNCTION second_nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = NAP_NS }, NULL);
	STAY;
}

FUNCTION first_way(void)
{
	first_nap();
	STAY;
}

FUNCTION second_way(void)
{
	volatile char room[256];

	room[0] = room[255] = 0;
	second_nap();
	STAY;
}

FUNCTION take_turns(void *unused)
{
	(void)unused;
	for (;;) {
		first_way();
		second_way();
	}
}

struct start {
	void (*run)(void *argument);
	void *argument;
};

static void *run_thread(void *argument)
{
	const struct start *start = argument;

	start->run(start->argument);
	STAY;
	return NULL;
}

/* @stack: STACK_BYTES of memory; NULL: allocates it. */
static bool start_on(void *stack, void (*run)(void *), uintptr_t argument)
{
	struct start *start = malloc(sizeof(*start));
	pthread_attr_t attributes;
	pthread_t thread;

	if (!start)
		return false;
	*start = (struct start){ run, (void *)argument };
	pthread_attr_init(&attributes);
	if (stack)
		pthread_attr_setstack(&attributes, stack, STACK_BYTES);
	else
		pthread_attr_setstacksize(&attributes, STACK_BYTES);
	return !pthread_create(&thread, &attributes, run_thread, start);
}

static bool start(void (*run)(void *), uintptr_t argument)
{
	return start_on(NULL, run, argument);
}

static void respond(int number)
{
	(void)number;
	close(silence);
}

static bool start_silent(void)
{
	char *stack = mmap(NULL, 2 * (size_t)STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register above = {
		.range = { (uintptr_t)stack + STACK_BYTES, STACK_BYTES },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	silence = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	signal(SIGUSR1, respond);
	return stack != MAP_FAILED && silence >= 0 && !ioctl(silence, UFFDIO_API, &api) &&
	       !ioctl(silence, UFFDIO_REGISTER, &above) && start_on(stack, wait_for_time, 0);
}

static bool start_kinds(void)
{
	pthread_mutex_lock(&first);
	return !pipe(nothing) && start(wait_for_lock, 0) && start(wait_for_time, 0) &&
	       start(wait_for_pipe, 0) && start(wait_for_descriptor, 0) &&
	       start(wait_for_condition, 0) && start(compute, 0);
}

static bool start_all(const char *what, int count)
{
	bool is_started = true;

	if (!strcmp(what, "deadlock")) {
		pthread_barrier_init(&both, NULL, 2);
		return start(worker_a, 0) && start(worker_b, 0);
	}
	if (!strcmp(what, "ring")) {
		pthread_barrier_init(&both, NULL, RING + 1);
		for (uintptr_t i = 0; i < RING; i++) {
			pthread_mutex_init(&ring[i], NULL);
			is_started &= start(wait_in_ring, i);
		}
		return is_started && start(wait_beside, 0);
	}
	if (!strcmp(what, "kinds"))
		return start_kinds();
	if (!strcmp(what, "silent"))
		return start_silent();
	if (strcmp(what, "turns") && strcmp(what, "blocked"))
		return false;
	pthread_mutex_lock(&first);
	for (int i = 0; i < count; i++)
		is_started &= start(*what == 't' ? take_turns : descend, 5);
	return is_started;
}

int main(int argc, char **argv)
{
	if (argc < 2 || !start_all(argv[1], argc > 2 ? atoi(argv[2]) : 1)) {
		fprintf(stderr, "usage: stuck deadlock|ring|blocked|kinds|turns|silent [COUNT]\n");
		return 2;
	}
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
