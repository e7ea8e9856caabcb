/* event_desc.h - what the stages behind the queue must know of one sampled event. Live capture and
 * recordings both provide a list of these; the index in it is queue_item.event. */
#ifndef CAPTURE_EVENT_DESC_H
#define CAPTURE_EVENT_DESC_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/record.h"

struct event_desc {
	char name[96];		/* as shown: "cpu-clock", "cycles:u", "sched:sched_switch" */
	struct record_format format;
	uint64_t tracepoint;	/* recordings: its number where it was recorded; 0: it is none */
	const char *raw_format;	/* recordings: the event's tracefs format file, which tells the
				 * fields of PERF_SAMPLE_RAW; NULL: none was recorded */
	uint32_t long_bytes;	/* raw_format: size of the recorded kernel's long: 4 or 8 */
	uint64_t freq_hz;	/* 0 when the period is fixed */
	uint64_t fixed_period;	/* 0 when a frequency is kept */
	uint32_t copy_bytes;	/* of the user stack in each sample, at most; 0: none */
	bool has_values_by_thread;	/* PERF_SAMPLE_READ: each thread's counters rise on their
					 * own (Linux 6.12) */
	bool is_sideband;	/* the dummy event: maps, comms, forks; never samples */
};

#endif
