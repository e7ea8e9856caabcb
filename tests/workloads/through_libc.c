/* through_libc [SECONDS [PAUSE_US]] - the stack is main > alpha > beta > qsort > compare > spin,
 * without frame pointers in any of them: libc has none, and neither has this file. With PAUSE_US
 * the last one is call_kernel, which enters the kernel by libc's getppid every so often (0: without
 * a pause) and at the end prints how often it did. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;
static time_t end;
static useconds_t pause_us;
static void (*work)(void);

__attribute__((noinline)) static void spin(void)
{
	while (time(NULL) < end)
		for (int i = 0; i < 1000000; i++)
			sink += 1;
}

__attribute__((noinline)) static void call_kernel(void)
{
	const int at_once = pause_us ? 1 : 1000;
	unsigned long calls = 0;

	for (; time(NULL) < end; calls += (unsigned long)at_once) {
		for (int i = 0; i < at_once; i++)
			sink += (unsigned long)getppid();
		if (pause_us)
			usleep(pause_us);
	}
	printf("%lu\n", calls);
}

__attribute__((noinline)) static int compare(const void *a, const void *b)
{
	work();
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static void beta(int *numbers, size_t count)
{
	qsort(numbers, count, sizeof(*numbers), compare);
	sink += (unsigned long)numbers[0];	/* not a tail call: beta stays on the stack */
}

__attribute__((noinline)) static void alpha(void)
{
	int numbers[] = { 2, 1 };

	beta(numbers, 2);
	sink += (unsigned long)numbers[1];
}

int main(int argc, char **argv)
{
	end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 10);
	pause_us = argc > 2 ? (useconds_t)atoi(argv[2]) : 0;
	work = argc > 2 ? call_kernel : spin;
	alpha();
	return 0;
}
