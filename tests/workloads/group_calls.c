/* group_calls ROUNDS [alone] - calls functions with known arguments, and prints how often.
 *
 * In each round the first thread calls charge("alpha", 100) and charge("beta", round % 8), in every
 * fourth the thread "helper" charge("alpha", 1000), unless the first is alone. serve(round) calls
 * quick() 99 times of 100, the hundredth time slow(), which takes about 5 ms of CPU time. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) void charge(const char *account, long amount)
{
	__asm__ volatile("" : : "r"(account), "r"(amount) : "memory");
}

__attribute__((noinline)) static void spin(unsigned long turns)
{
	for (unsigned long i = 0; i < turns; i++)
		__asm__ volatile("" : : : "memory");
}

__attribute__((noinline)) void quick(void)
{
	spin(100);
	__asm__ volatile("" : : : "memory");
}

__attribute__((noinline)) void slow(void)
{
	spin(10000000);
	__asm__ volatile("" : : : "memory");
}

__attribute__((noinline)) void serve(int round)
{
	if (round % 100 == 99)
		slow();
	else
		quick();
	__asm__ volatile("" : : : "memory");
}

/* Reads the names, so that a tracer that can't read a page from the file finds them in memory. */
static void touch(const char *text)
{
	__asm__ volatile("" : : "r"(*(const volatile char *)text));
}

static void *help(void *argument)
{
	const int rounds = *(int *)argument;

	pthread_setname_np(pthread_self(), "helper");
	for (int i = 0; i < rounds / 4; i++)
		charge("alpha", 1000);
	return NULL;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 100;
	const bool is_alone = argc > 2;
	pthread_t helper;

	if (!is_alone && pthread_create(&helper, NULL, help, &rounds))
		return 1;
	touch("alpha");
	touch("beta");
	for (int i = 0; i < rounds; i++) {
		charge("alpha", 100);
		charge("beta", i % 8);
		serve(i);
	}
	if (!is_alone)
		pthread_join(helper, NULL);
	printf("rounds=%d\n", rounds);
	return 0;
}
