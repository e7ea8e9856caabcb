/* perf_data_result.h - reads a recording through the queue and sums up what came out.
 * Tests of recordings share it; it fails the test on whatever must never happen. */
#ifndef TESTS_PERF_DATA_RESULT_H
#define TESTS_PERF_DATA_RESULT_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "capture/perf_data.h"
#include "capture/record.h"
#include "perf_data_writer.h"

enum { RESULT_MAX_EVENTS = 8, RESULT_MAX_ROUNDS = 8, RESULT_MAX_TIMES = 64 };

struct perf_data_result {
	int open_err;
	struct diag why;		/* why the open failed, else the end */
	uint64_t samples[RESULT_MAX_EVENTS], period[RESULT_MAX_EVENTS];
	uint64_t sideband;		/* records that are no samples */
	uint64_t times[RESULT_MAX_TIMES];	/* the first records' */
	size_t time_count;
	uint64_t limits[RESULT_MAX_ROUNDS];
	size_t round_count;
	struct queue_read read;		/* the last one */
};

/* A file of this test alone, in a directory of its own: group setup and teardown. */
extern char perf_data_scratch[], perf_data_path[];
int perf_data_scratch_make(void **state);
int perf_data_scratch_remove(void **state);

struct perf_data_result perf_data_result_of(const char *path);
/* Through the scratch file. */
struct perf_data_result perf_data_result_of_bytes(const void *bytes, size_t count);
struct perf_data_result perf_data_result_of_writer(const struct perf_data_writer *writer);

/* The same by hand: an open reader of what was written, waiting for it, reading and closing it. */
struct perf_data *perf_data_open_written(const struct perf_data_writer *writer);
void perf_data_wait_for_items(const struct perf_data *reader);
void perf_data_drain(struct perf_data *reader, struct perf_data_result *result);

/* Often used: an event "cpu-clock:u"; a sample of a program's code. */
void perf_data_begin_clock(struct perf_data_writer *writer);
void perf_data_add_sample(struct perf_data_writer *writer, size_t event, uint64_t time_ns,
			  uint64_t period);

#endif
