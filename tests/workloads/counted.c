/* counted ROUNDS [CALLS] - runs known instructions: in user code 3 * ROUNDS rounds in three_parts()
 * and ROUNDS in one_part(), with six instructions each, of which the last are a subtraction and a
 * branch; then CALLS system calls, getppid(2), from calls(). Its other instructions are the same
 * for every ROUNDS of as many digits.
 */
#include <stdlib.h>
#include <unistd.h>

#if defined(__x86_64__)
#define COUNTED_LOOP(rounds)                                                                      \
	__asm__ volatile(".p2align 6\n1:\n\tnop\n\tnop\n\tnop\n\tnop\n\tsub $1, %0\n\tjnz 1b"   \
			 : "+r"(rounds) : : "cc")
#elif defined(__aarch64__)
#define COUNTED_LOOP(rounds)                                                                      \
	__asm__ volatile(".p2align 6\n1:\n\tnop\n\tnop\n\tnop\n\tnop\n\tsubs %0, %0, #1\n"      \
			 "\tb.ne 1b" : "+r"(rounds) : : "cc")
#endif

__attribute__((noinline, aligned(64))) static void three_parts(unsigned long rounds)
{
	COUNTED_LOOP(rounds);
}

__attribute__((noinline, aligned(64))) static void one_part(unsigned long rounds)
{
	COUNTED_LOOP(rounds);
}

__attribute__((noinline, aligned(64))) static void calls(unsigned long count)
{
	while (count-- > 0)
		getppid();
}

int main(int argc, char **argv)
{
	const unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;

	if (rounds) {
		three_parts(3 * rounds);
		one_part(rounds);
	}
	calls(argc > 2 ? strtoul(argv[2], NULL, 10) : 0);
	return 0;
}
