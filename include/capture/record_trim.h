/* record_trim.h - removes from a sample the part of its stack copy that the kernel reserved but did
 * not fill, and the part that is not needed; the result is a record of the same format.
 * If filled bytes are removed, the copy keeps one word more than its filled size, so that a reader
 * who finds the copy too short can tell that the kernel had more (record_trim_left_out()).
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
	size_t head_bytes, cut_bytes;	/* kept before the cut, and cut; cut_bytes 0: no cut */
	size_t size_offset;		/* offset of the word with the size of the copy */
	uint64_t filled_bytes;		/* new value of the word after the copy, the filled size */
	size_t bytes;			/* size of the result, a multiple of 8 */
};

/* Returns true when record_trim_write() removed filled bytes from the stack copy of @sample. */
bool record_trim_left_out(const struct record_sample *sample);

/* Plans the cut. @parsed: result of record_parse() for @record; NULL if it failed: nothing is cut.
 * @needed_bytes: part of the copy to keep; SIZE_MAX: all filled bytes. */
void record_trim_init(struct record_trim *trim, const struct perf_event_header *record,
		      const struct event_record *parsed, size_t needed_bytes);

/* Writes the result, `bytes` long, to @to, which is 8-byte aligned. */
void record_trim_write(const struct record_trim *trim, void *to);

#endif
