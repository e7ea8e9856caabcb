/* known_chain [SECONDS] - the stack is main > f > g > h, by frame pointers, but for a clock
 * call in every million rounds. */
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sink;

__attribute__((noinline)) static void h(time_t end)
{
	while (time(NULL) < end)
		for (int i = 0; i < 1000000; i++)
			sink += 1;
}

__attribute__((noinline)) static void g(time_t end)
{
	h(end);
	sink += 1;	/* not a tail call: g stays on the stack */
}

__attribute__((noinline)) static void f(time_t end)
{
	g(end);
	sink += 1;
}

int main(int argc, char **argv)
{
	f(time(NULL) + (argc > 1 ? atoi(argv[1]) : 10));
	return 0;
}
