/* by_r12 [SECONDS] - the stack is main > outer > by_r12 > inner > spin, and by_r12 finds its frame
 * by r12 (on aarch64 by x19), which no unwind row can say. */
#include <stdlib.h>
#include <time.h>

#include "by_r12.h"

static volatile unsigned long sink;
static time_t end;

__attribute__((noinline)) static void spin(void)
{
	for (int i = 0; i < 100000; i++)
		sink += 1;
}

__attribute__((noinline)) static void inner(void)
{
	while (time(NULL) < end)
		spin();
}

__attribute__((noinline)) static void outer(void)
{
	by_r12(inner);
	sink++;	/* no tail call */
}

int main(int argc, char **argv)
{
	end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 10);
	outer();
	return 0;
}
