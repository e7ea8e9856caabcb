/* three_loops [SECONDS] - one function with three loops, of which the first takes most of its time
 * on every CPU; at the end it prints what the clock of its thread says of each, in percent.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "hot_loop.h"

enum { TURN = 400000 };		/* rounds of the longest loop in a turn: about 1 ms */

static volatile unsigned long sink;
static double spent_s[3];

static double thread_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

__attribute__((noinline)) static void work(unsigned long rounds)
{
	double at_s[4] = { thread_s() };

	for (unsigned long i = 0; i < rounds * 10; i++)
		sink += i;				/* the first loop */
	at_s[1] = thread_s();
	for (unsigned long i = 0; i < rounds * 3; i++)
		sink ^= i;				/* the second loop */
	at_s[2] = thread_s();
	for (unsigned long i = 0; i < rounds; i++)
		sink -= i;				/* the third loop */
	at_s[3] = thread_s();
	for (int i = 0; i < 3; i++)
		spent_s[i] += at_s[i + 1] - at_s[i];
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 10);
	double sum_s;

	while (time(NULL) < end)
		work(vary(TURN / 10));
	sum_s = spent_s[0] + spent_s[1] + spent_s[2];
	for (int i = 0; i < 3; i++)
		printf("%.2f\n", 100 * spent_s[i] / sum_s);
	return 0;
}
