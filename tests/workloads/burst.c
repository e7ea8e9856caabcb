/* burst FILE [SECONDS] - spends all of its time in steady(), but for the bursts: at a signal USR1
 * it waits for the next whole second of CLOCK_MONOTONIC and for three seconds spends 75 % of its
 * time in burst(). What that really were by its own CPU clock it then appends to FILE as a line:
 *
 *   BEGIN_NS END_NS CPU_NS_OF_BURST CPU_NS
 *
 * Both run the same loop: see hot_loop.h.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "hot_loop.h"

enum { TURN = 500000 };	/* rounds of the loop */

#define NS_PER_S 1000000000ull
#define BURST_NS (3 * NS_PER_S)

static volatile sig_atomic_t is_asked;

__attribute__((noinline, aligned(64))) static void steady(unsigned long rounds)
{
	HOT_LOOP(rounds);
}

__attribute__((noinline, aligned(64))) static void burst(unsigned long rounds)
{
	HOT_LOOP(rounds);
}

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void ask(int signal)
{
	(void)signal;
	is_asked = 1;
}

static void take_burst(FILE *log)
{
	const uint64_t begin_ns = (now_ns(CLOCK_MONOTONIC) / NS_PER_S + 1) * NS_PER_S;
	uint64_t of_burst_ns = 0, cpu_ns, turn_ns;
	unsigned long turn;

	while (now_ns(CLOCK_MONOTONIC) < begin_ns)
		steady(TURN / 10);
	cpu_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	while (now_ns(CLOCK_MONOTONIC) < begin_ns + BURST_NS) {
		turn = vary(TURN);
		turn_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
		burst(3 * turn);
		of_burst_ns += now_ns(CLOCK_PROCESS_CPUTIME_ID) - turn_ns;
		steady(turn);
	}
	cpu_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
	fprintf(log, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", begin_ns,
		now_ns(CLOCK_MONOTONIC), of_burst_ns, cpu_ns);
	fflush(log);
}

int main(int argc, char **argv)
{
	const time_t end = time(NULL) + (argc > 2 ? atoi(argv[2]) : 10);
	FILE *log = argc > 1 ? fopen(argv[1], "a") : NULL;

	if (!log) {
		fprintf(stderr, "usage: burst FILE [SECONDS]\n");
		return 2;
	}
	signal(SIGUSR1, ask);
	while (time(NULL) < end) {
		if (is_asked)
			take_burst(log);
		is_asked = 0;
		steady(TURN);
	}
	return 0;
}
