/* hard_stacks SHAPE CPU-SECONDS - stacks without frame pointers, most of the time in:
 *
 *   deep11, deep41	chains of 11 and 41 frames, the runtime's three of main and below included
 *   signal		a signal handler that calls, half of the time on a stack of its own
 *   alloca		frames whose size only the run knows
 *   big		frames of up to 8 KB
 *
 * Functions of a chain differ in size and in the registers that they save. */
#include <alloca.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))

static volatile unsigned long sink;
static double end_s;
static volatile sig_atomic_t is_over;

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

NOINLINE static unsigned long burn(unsigned long seed)
{
	for (int i = 0; i < 20000; i++)
		seed = seed * 6364136223846793005ul + 1442695040888963407ul;
	return seed;
}

NOINLINE static unsigned long narrow(int left, unsigned long seed);

/* Values that live across the call make the compiler save registers. */
NOINLINE static unsigned long wide(int left, unsigned long seed)
{
	unsigned long a = seed * 3, b = seed ^ 5, c = seed + 7, d = seed - 11, e = seed / 13;
	volatile unsigned long room[24];

	room[seed % 24] = seed;
	seed = left > 0 ? narrow(left - 1, seed + 1) : burn(seed);
	return seed + (a ^ b ^ c ^ d ^ e) + room[a % 24];
}

NOINLINE static unsigned long narrow(int left, unsigned long seed)
{
	unsigned long kept = seed * 17;

	return (left > 0 ? wide(left - 1, seed + 2) : burn(seed)) + kept;
}

NOINLINE static unsigned long sized(int left, unsigned long seed)
{
	size_t bytes = 16 + seed % 700;
	unsigned char *room = alloca(bytes);
	unsigned long kept = seed * 31;

	memset(room, (int)seed, bytes);
	seed = left > 0 ? sized(left - 1, seed + 3) : burn(seed);
	return seed + kept + room[bytes / 2];
}

NOINLINE static unsigned long large(int left, unsigned long seed)
{
	volatile unsigned char room[8192];

	room[seed % sizeof(room)] = (unsigned char)seed;
	seed = left > 0 ? large(left - 1, seed + 5) : burn(seed);
	return seed + room[seed % sizeof(room)];
}

/* More than the ABI's 16 bytes, and a parameter on the stack: the frame below cannot be found by
 * counting from sp or bp. */
NOINLINE static unsigned long aligned(unsigned long seed, unsigned long a, unsigned long b,
				      unsigned long c, unsigned long d, unsigned long e, int left)
{
	_Alignas(64) volatile unsigned long room[16];
	unsigned long kept = seed * 37;

	for (int i = 0; i < 2000; i++)
		room[i % 16] = seed += kept ^ (unsigned long)i;
	seed = left > 0 ? aligned(seed, b, c, d, e, a, left - 1) : burn(seed);
	return seed + kept + room[seed % 16] + a;
}

static void on_signal(int number)
{
	sink += wide(5, sink) + (unsigned long)number;
	is_over = cpu_s() > end_s;
}

static void set_handler(int number, int flags)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = flags };

	sigaction(number, &action, NULL);
}

NOINLINE static void raise_signals(void)
{
	static char stack[1 << 16];
	const stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };

	sigaltstack(&other, NULL);
	set_handler(SIGUSR1, 0);
	set_handler(SIGUSR2, SA_ONSTACK);
	while (!is_over) {
		raise(SIGUSR1);
		raise(SIGUSR2);
	}
}

/* main's chain holds _start, two frames of libc, main and burn. */
#define FRAMES_BESIDES 5

int main(int argc, char **argv)
{
	const char *shape = argc > 1 ? argv[1] : "";

	end_s = argc > 2 ? strtod(argv[2], NULL) : 1;
	if (strcmp(shape, "signal") == 0)
		raise_signals();
	while (cpu_s() < end_s) {
		if (strncmp(shape, "deep", 4) == 0)
			sink += narrow(atoi(shape + 4) - FRAMES_BESIDES - 1, sink);
		else if (strcmp(shape, "alloca") == 0)
			sink += sized(12, sink);
		else if (strcmp(shape, "big") == 0)
			sink += large(2, sink);
		else if (strcmp(shape, "aligned") == 0)
			sink += aligned(sink, 1, 2, 3, 4, 5, 20);
		else if (strcmp(shape, "signal") != 0)
			return 2;
	}
	return 0;
}
