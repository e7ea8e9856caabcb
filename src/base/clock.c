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

uint64_t clock_boot_ns(void)
{
	return read_clock_ns(CLOCK_REALTIME) - read_clock_ns(CLOCK_BOOTTIME);
}

int clock_ms_until(uint64_t time_ns, uint64_t now_ns)
{
	const uint64_t left_ms = time_ns > now_ns ? (time_ns - now_ns) / CLOCK_NS_PER_MS + 1 : 0;

	return left_ms > 60000 ? 60000 : (int)left_ms;
}

uint64_t clock_own_cpu_ns(void)
{
	return read_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}
