/* through_libc [SECONDS] - the stack is main > alpha > beta > qsort > compare > spin, without frame
 * pointers in any of them: libc has none, and neither has this file. */
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sink;
static time_t end;

__attribute__((noinline)) static void spin(void)
{
	while (time(NULL) < end)
		for (int i = 0; i < 1000000; i++)
			sink += 1;
}

__attribute__((noinline)) static int compare(const void *a, const void *b)
{
	spin();
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
	alpha();
	return 0;
}
