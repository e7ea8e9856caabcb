/* clock.c - see base/clock.h. */
#include "base/clock.h"

#include <time.h>

static uint64_t read_clock_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);	/* cannot fail for these clocks */
	return (uint64_t)now.tv_sec * CLOCK_NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t clock_now_ns(void)
{
	return read_clock_ns(CLOCK_MONOTONIC);
}

uint64_t clock_wall_offset_ns(void)
{
	return read_clock_ns(CLOCK_REALTIME) - read_clock_ns(CLOCK_MONOTONIC);
}

uint64_t clock_own_cpu_ns(void)
{
	return read_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}
