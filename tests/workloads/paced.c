/* paced [SECONDS] - spends its time in turn(), some hundred calls a second of milliseconds each:
 * hot, yet cheap to probe. Each returns a thousandth of its argument: 5000. */
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sink;

__attribute__((noinline)) static unsigned long turn(unsigned long rounds)
{
	for (unsigned long i = 0; i < rounds; i++)
		sink += i;
	return rounds / 1000;
}

int main(int argc, char **argv)
{
	const time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 10);

	while (time(NULL) < end)
		sink = turn(5000000);
	return 0;
}
