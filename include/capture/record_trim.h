/* record_trim.h - a sample without the part of its stack copy that the kernel reserved and did not
 * fill: another record of the same format, with the same content.
 *
 * Use:    record_trim_init(), make room for `bytes`, record_trim_write().
 * Thread: any, pure.
 */
#ifndef CAPTURE_RECORD_TRIM_H
#define CAPTURE_RECORD_TRIM_H

#include <linux/perf_event.h>
#include <stddef.h>

#include "base/event_record.h"

struct record_trim {
	const struct perf_event_header *record;	/* BORROWED */
	size_t head_bytes, cut_bytes;	/* what is kept before the cut; cut_bytes 0: all is kept */
	size_t size_offset;		/* of the word that says how long the copy is */
	size_t bytes;			/* of the result, a multiple of 8 */
};

/* @parsed: what record_parse() made of @record, in place; NULL where it made nothing: then all is
 * kept. */
void record_trim_init(struct record_trim *trim, const struct perf_event_header *record,
		      const struct event_record *parsed);

/* Writes `bytes` to @to, which is 8-byte aligned. */
void record_trim_write(const struct record_trim *trim, void *to);

#endif
