/* event_desc.h - describes a sampled event to the consumer of the record queue. Live capture and
 * recordings both provide a list of these, indexed by queue_item.event. */
#ifndef CAPTURE_EVENT_DESC_H
#define CAPTURE_EVENT_DESC_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/record.h"

struct event_desc {
	char name[96];		/* as shown: "cpu-clock", "cycles:u", "sched:sched_switch" */
	struct record_format format;
	uint64_t tracepoint;	/* recordings: tracepoint id on the recorded machine; 0: none */
	const char *raw_format;	/* recordings: the event's tracefs format file, which describes the
				 * fields of PERF_SAMPLE_RAW; NULL: not recorded */
	uint32_t long_bytes;	/* size of a long in raw_format: 4 or 8 */
	uint64_t freq_hz;	/* 0 with a fixed period */
	uint64_t fixed_period;	/* 0 with a frequency */
	uint32_t copy_bytes;	/* most bytes of user stack copied per sample; 0: no copies */
	bool has_values_by_thread;	/* PERF_SAMPLE_READ: each thread has counters of its own
					 * (Linux 6.12) */
	bool is_sideband;	/* the dummy event for maps, comms, forks; has no samples */
};

#endif
