/* record_trim.h - a sample without the part of its stack copy that the kernel reserved and did not
 * fill, and without what lies behind the bytes that are needed: another record of the same format.
 * Where bytes that were filled are left out, one word stays that is not: so whoever finds the copy
 * too short can tell that the kernel had more (record_trim_left_out()).
 *
 * Use:    record_trim_init(), make room for `bytes`, record_trim_write().
 * Thread: any, pure.
 */
#ifndef CAPTURE_RECORD_TRIM_H
#define CAPTURE_RECORD_TRIM_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#include "capture/event_record.h"

struct record_trim {
	const struct perf_event_header *record;	/* BORROWED */
	size_t head_bytes, cut_bytes;	/* what is kept before the cut; cut_bytes 0: all is kept */
	size_t size_offset;		/* of the word that says how long the copy is */
	uint64_t filled_bytes;		/* what the word behind the copy is to say */
	size_t bytes;			/* of the result, a multiple of 8 */
};

/* Of a record that was written by record_trim_write(): bytes of its stack were not needed. */
bool record_trim_left_out(const struct record_sample *sample);

/* @parsed: what record_parse() made of @record, in place; NULL where it made nothing: then all is
 * kept. @needed_bytes: of the copy; SIZE_MAX: all that is filled. */
void record_trim_init(struct record_trim *trim, const struct perf_event_header *record,
		      const struct event_record *parsed, size_t needed_bytes);

/* Writes `bytes` to @to, which is 8-byte aligned. */
void record_trim_write(const struct record_trim *trim, void *to);

#endif
