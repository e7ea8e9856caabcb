/* perf_data_time.h - what a time of --begin or --end is on a recording's clock.
 * Thread: any, no state but the time zone's. */
#ifndef CAPTURE_PERF_DATA_TIME_H
#define CAPTURE_PERF_DATA_TIME_H

#include "capture/perf_data.h"

/* The times of the first and the last sample, on the recording's clock. */
struct perf_data_span {
	uint64_t first_ns, last_ns;
	uint64_t wall_offset_ns;	/* added, it gives nanoseconds since 1970 */
};

/* True if perf_data_time_resolve() needs the span. */
bool perf_data_time_needs_span(const struct perf_data_time *time);
/* Returns the time on the recording's clock; a time of the day is of the recording's first day, or
 * of the next one if the recording lasted until then. */
uint64_t perf_data_time_resolve(const struct perf_data_time *time,
				const struct perf_data_span *span);

#endif
