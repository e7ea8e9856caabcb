/* mangled [SECONDS] - spends its time in equal parts in functions that the linker knows as
 * shop::Cart::sum(long) of C++ and mycrate::foo of Rust.
 */
#include <stdlib.h>
#include <time.h>

#include "hot_loop.h"

__attribute__((noinline)) long sum(long rounds) __asm__("_ZN4shop4Cart3sumEl");
__attribute__((noinline)) long foo(long rounds) __asm__("_RNvC7mycrate3foo");

long sum(long rounds)
{
	volatile long left = rounds;

	while (left > 0)
		left = left - 1;
	return left;
}

long foo(long rounds)
{
	volatile long left = rounds;

	while (left > 0)
		left = left - 1;
	return left;
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 10);

	while (time(NULL) < end) {
		const long turn = (long)vary(500000);

		sum(turn);
		foo(turn);
	}
	return 0;
}
