/* known_recordings.h - small recordings and, worked out by hand, every row that they must give.
 *
 * test_replay.c compares the rows; the oracle has perf read the same files, so that the hand and
 * perf agree, too.
 */
#ifndef TESTS_KNOWN_RECORDINGS_H
#define TESTS_KNOWN_RECORDINGS_H

#include <stddef.h>
#include <stdint.h>

#include "perf_data_writer.h"

struct known_row {
	const char *event, *comm;
	int64_t pid;
	const char *dso;	/* whole path */
	uint64_t address;
	char level;		/* k . g u H */
	uint64_t samples, weight;
};

struct known_recording {
	const char *name;
	void (*write)(struct perf_data_writer *writer);	/* takes an initialised writer */
	const struct known_row *rows;
	size_t row_count;
};

extern const struct known_recording known_recordings[];
extern const size_t known_recording_count;

#endif
