/* hot_ab [SECONDS] - spends 75 % of its time in hot_a() and 25 % in hot_b().
 *
 * Both run the same loop (hot_loop.h), hot_a three times as often, in turns short enough (about
 * 1 ms) for any window to hold many.
 */
#include <stdlib.h>
#include <time.h>

#include "hot_loop.h"

enum { TURN = 500000 };	/* rounds of the loop in one turn of hot_b */

__attribute__((noinline, aligned(64))) static void hot_a(unsigned long rounds)
{
	HOT_LOOP(rounds);
}

__attribute__((noinline, aligned(64))) static void hot_b(unsigned long rounds)
{
	HOT_LOOP(rounds);
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 10);

	while (time(NULL) < end) {
		const unsigned long turn = vary(TURN);

		hot_a(3 * turn);
		hot_b(turn);
	}
	return 0;
}
