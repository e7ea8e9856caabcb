/* clock.h - the one clock: CLOCK_MONOTONIC nanoseconds, as every perf event uses
 * (perf_event_attr.use_clockid), so that time stamps of records and of flametop can be compared.
 * Thread: any. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

#define CLOCK_NS_PER_S	1000000000ull
#define CLOCK_NS_PER_MS 1000000ull

uint64_t clock_now_ns(void);

/* Returns CLOCK_REALTIME - CLOCK_MONOTONIC: add it to clock_now_ns() for nanoseconds since 1970.
 * CLOCK_REALTIME may be set at any moment, so call this once to convert several times. */
uint64_t clock_wall_offset_ns(void);

/* Returns when this machine was booted, in nanoseconds since 1970. */
uint64_t clock_boot_ns(void);

static inline uint64_t clock_earlier(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns < b_ns ? a_ns : b_ns;
}

/* Returns a timeout for poll(2): whole milliseconds from @now_ns until @time_ns is over, at most
 * 60,000; 0: it is over. */
int clock_ms_until(uint64_t time_ns, uint64_t now_ns);

/* Returns the CPU time that all threads of this process have used so far, for "own cost". */
uint64_t clock_own_cpu_ns(void);

#endif
