/* hot_loop.h - what workloads with a known profile spend their time with.
 *
 * The loop is in assembler and aligned: what a compiler makes of two equal C functions differs by
 * 10 % and more in speed, depending on where their jumps fall in a cache line. And its turns are of
 * different lengths: with equal ones a sampler that keeps step with them finds one function too
 * often.
 */
#ifndef HOT_LOOP_H
#define HOT_LOOP_H

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

/* The next length of a turn: between a half and one and a half of @mean, which they have as their
 * mean. The generator is Knuth's MMIX. */
static inline unsigned long vary(unsigned long mean)
{
	static unsigned long long state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return mean / 2 + (unsigned long)((state >> 32) % mean);
}

#endif
