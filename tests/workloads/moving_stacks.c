/* moving_stacks SHAPE CPU-SECONDS - one program, and stacks that come and go:
 *
 *   coroutine	half a second on a stack that lies in a frame of main's, then 1 ms there and 1 ms in
 *		functions called from that frame
 *   threads	threads that live for 20 ms of CPU time, one after the other on the same memory
 *   exec	a program that starts itself again every 50 ms, no address randomised, with
 *		more in its environment each time
 *
 * Stacks are main - host - outside - burn, inside - burn, in_thread - burn, main - burn. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static volatile unsigned long sink;

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

NOINLINE static void burn(double seconds)
{
	const double end_s = cpu_s() + seconds;
	unsigned long seed = sink;

	while (cpu_s() < end_s)
		for (int i = 0; i < 20000; i++)
			seed = seed * 6364136223846793005ul + 1442695040888963407ul;
	sink = seed;
}

static ucontext_t in_host, in_coroutine;

static void inside(void)
{
	burn(0.5);
	for (;;) {
		sink++;
		swapcontext(&in_coroutine, &in_host);
		burn(0.001);
	}
}

NOINLINE static void outside(void)
{
	burn(0.001);
	sink++;
}

NOINLINE static void host(double end_s)
{
	_Alignas(16) char stack[6144];

	getcontext(&in_coroutine);
#ifdef __aarch64__
	in_coroutine.uc_mcontext.regs[29] = 0;		/* the ABI's mark of the outermost frame */
#else
	in_coroutine.uc_mcontext.gregs[REG_RBP] = 0;	/* the ABI's mark of the outermost frame */
#endif
	in_coroutine.uc_stack.ss_sp = stack;
	in_coroutine.uc_stack.ss_size = sizeof(stack);
	makecontext(&in_coroutine, inside, 0);
	while (cpu_s() < end_s) {
		swapcontext(&in_host, &in_coroutine);
		outside();
	}
	sink += (unsigned long)stack[0];
}

static void *in_thread(void *argument)
{
	burn(0.02);
	sink++;
	return argument;
}

static void run_threads(double end_s)
{
	pthread_t thread;

	while (cpu_s() < end_s && !pthread_create(&thread, NULL, in_thread, NULL))
		pthread_join(thread, NULL);
}

static int begin_again(char **argv, double end_s)
{
	static char more[16384];

	if (!(personality(0xffffffff) & ADDR_NO_RANDOMIZE))
		personality(ADDR_NO_RANDOMIZE);
	burn(0.05);
	if (cpu_s() >= end_s)	/* exec keeps the process, and its CPU time */
		return 0;
	if (getenv("MORE"))
		snprintf(more, sizeof(more), "%sx%0200d", getenv("MORE"), 0);
	setenv("MORE", strlen(more) + 300 < sizeof(more) ? more : "", 1);
	execv("/proc/self/exe", argv);
	return 1;
}

int main(int argc, char **argv)
{
	const char *shape = argc == 3 ? argv[1] : "";
	const double end_s = argc == 3 ? strtod(argv[2], NULL) : 0;

	if (!strcmp(shape, "coroutine"))
		host(end_s);
	else if (!strcmp(shape, "threads"))
		run_threads(end_s);
	else if (!strcmp(shape, "exec"))
		return begin_again(argv, end_s);
	else
		return 2;
	return 0;
}
