/* by_rbx [SECONDS] - the stack is main > outer > by_rbx > inner > spin, and by_rbx finds its frame
 * by rbx: as hand-written code does that aligns its stack, in crypto libraries and ld.so. */
#include <stdlib.h>
#include <time.h>

#include "by_rbx.h"

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
	by_rbx(inner);
	sink++;	/* no tail call */
}

int main(int argc, char **argv)
{
	end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 10);
	outer();
	return 0;
}
