/* inlined [SECONDS] - nearly all its time is in innermost(), inlined into middle(), inlined into
 * outer(), which is the only one of them that is a function of its own. */
#include <stdlib.h>
#include <time.h>

#define ALWAYS inline __attribute__((always_inline))

static volatile unsigned long sink;

static ALWAYS void innermost(void)
{
	for (int i = 0; i < 1000000; i++)	/* a check reads this line's number: innermost */
		sink += 1;			/* and this one's */
}

static ALWAYS void middle(void)
{
	innermost();				/* middle */
}

__attribute__((noinline)) static void outer(void)
{
	middle();				/* outer */
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 10);

	while (time(NULL) < end)
		outer();
	return 0;
}
