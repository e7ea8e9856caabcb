/* deep_stack [SECONDS] - burns with 40 KiB of stack between main and burn: too much for a copy of
 * 16 or 32 KiB. */
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sink;

__attribute__((noinline)) static void burn(time_t end)
{
	while (time(NULL) < end)
		for (int i = 0; i < 1000000; i++)
			sink += 1;
}

__attribute__((noinline)) static void deep(time_t end)
{
	volatile char frame[40 * 1024];

	for (size_t i = 0; i < sizeof(frame); i++)	/* only what is there can be copied */
		frame[i] = 1;
	burn(end);
	sink += (unsigned long)frame[0];	/* not a tail call: the frame stays */
}

int main(int argc, char **argv)
{
	deep(time(NULL) + (argc > 1 ? atoi(argv[1]) : 10));
	return 0;
}
