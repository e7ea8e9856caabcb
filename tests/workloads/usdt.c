/* usdt - a program with USDT probes, whose arguments are known.
 *
 * usage: usdt [COUNT]	passes its probes COUNT times and says how often each was passed; without
 *			COUNT it does so for each line COUNT of standard input ("ready" comes
 *			first)
 *
 *	usdt:sizes	i8 u8 i16 u16 i32 u32 i64 u64 text: -i, 200 + i, -300 * i, 60000 + i,
 *			-70000 * i, 4000000000 + i, -i * 10^10, i, "even" or "odd"
 *	usdt:guarded	i; only while its semaphore is not 0, as a program does whose arguments are
 *			expensive to make
 *	usdt:copies	three copies, whose argument is of 32 bits, a constant and of 8 bits:
 *			4000000000 + i, 0 and i
 *	usdt:indexed	its note says that the argument is in memory after an index register
 *
 * The reply is "sizes=COUNT guarded=COUNT semaphore=VALUE". WITHOUT_SEMAPHORES: there are none,
 * and usdt:guarded is always passed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef WITHOUT_SEMAPHORES
#define _SDT_HAS_SEMAPHORES 1
#endif
#define SDT_USE_VARIADIC 1	/* STAP_PROBE_ASM() needs it */
#include <sys/sdt.h>

#ifdef WITHOUT_SEMAPHORES
static const unsigned short usdt_guarded_semaphore = 1;
#else
#define SEMAPHORE volatile unsigned short __attribute__((section(".probes")))
extern SEMAPHORE usdt_sizes_semaphore;
extern SEMAPHORE usdt_guarded_semaphore;
extern SEMAPHORE usdt_copies_semaphore;
extern SEMAPHORE usdt_indexed_semaphore;
SEMAPHORE usdt_sizes_semaphore;
SEMAPHORE usdt_guarded_semaphore;
SEMAPHORE usdt_copies_semaphore;
SEMAPHORE usdt_indexed_semaphore;
#endif

#define PASS_INDEXED STAP_PROBE_ASM(usdt, indexed, 8@(%rsp,%rax,8))

static long guarded;

static void __attribute__((noinline)) pass(long i)
{
	const int8_t tiny = (int8_t)-i;
	const uint8_t byte = (uint8_t)(200 + i);
	const int16_t small = (int16_t)(-300 * i);
	const uint16_t half = (uint16_t)(60000 + i);
	const int32_t number = (int32_t)(-70000 * i);
	const uint32_t word = (uint32_t)(4000000000 + i);
	const int64_t large = -i * 10000000000;
	const uint64_t whole = (uint64_t)i;

	STAP_PROBE9(usdt, sizes, tiny, byte, small, half, number, word, large, whole,
		    i % 2 ? "odd" : "even");
	STAP_PROBE1(usdt, copies, word);
	STAP_PROBE1(usdt, copies, 0);
	STAP_PROBE1(usdt, copies, (uint8_t)i);
	__asm__ volatile(PASS_INDEXED);
	if (!usdt_guarded_semaphore)
		return;
	guarded++;
	STAP_PROBE1(usdt, guarded, i);
}

static void pass_all(long count)
{
	guarded = 0;
	for (long i = 0; i < count; i++)
		pass(i);
	printf("sizes=%ld guarded=%ld semaphore=%d\n", count, guarded, usdt_guarded_semaphore);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char line[32];

	if (argc > 1) {
		pass_all(atol(argv[1]));
		return 0;
	}
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		pass_all(atol(line));
	return 0;
}
