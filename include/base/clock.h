/* clock.h - the one clock: CLOCK_MONOTONIC nanoseconds, the same that every perf event uses
 * (perf_event_attr.use_clockid), so that records and our own marks can be compared.
 * Thread: any. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

#define CLOCK_NS_PER_S	1000000000ull
#define CLOCK_NS_PER_MS 1000000ull

uint64_t clock_now_ns(void);

/* What must be added to that for nanoseconds since 1970, as the clock on the wall stands now: it
 * may be set, so who shows a row of times asks once. */
uint64_t clock_wall_offset_ns(void);

static inline uint64_t clock_earlier(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns < b_ns ? a_ns : b_ns;
}

/* For poll(2): whole milliseconds from @now_ns until @time_ns is over, 60,000 at most; 0: it is. */
int clock_ms_until(uint64_t time_ns, uint64_t now_ns);

/* CPU time that all threads of this process have used so far, for "own cost". */
uint64_t clock_own_cpu_ns(void);

#endif
