/* hot_ab [SECONDS] - spends 75 % of its time in hot_a() and 25 % in hot_b().
 *
 * Both run the same loop, in assembler and aligned: what a compiler makes of two equal C functions
 * differs by 10 % and more in speed, depending on where their jumps fall in a cache line. hot_a
 * runs it three times as often, in turns short enough (about 1 ms) for any window to hold many.
 */
#include <stdlib.h>
#include <time.h>

enum { TURN = 500000 };	/* rounds of the loop in one turn of hot_b */

#if defined(__x86_64__)
#define HOT_LOOP(rounds)                                                                          \
	__asm__ volatile(".p2align 6\n1:\n\tadd $1, %%rax\n\tdec %0\n\tjnz 1b"                     \
			 : "+r"(rounds) : : "rax", "cc")
#else
#define HOT_LOOP(rounds)                                                                          \
	do                                                                                        \
		__asm__ volatile("" : "+r"(rounds));                                               \
	while (--rounds)
#endif

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
		hot_a(3 * TURN);
		hot_b(TURN);
	}
	return 0;
}
