/* perf_data_header.h - reads the header of a recording: events, host, build-ids, place of the
 * records.
 *
 * Layout:  |file header|attrs + their ids|records ......|table of features|feature|feature|...|
 *          or, when perf wrote to a pipe: |short header|records, attrs and features among them|
 * Source:  linux/tools/perf/Documentation/perf.data-file-format.txt.
 * Thread:  main, at open.
 */
#ifndef CAPTURE_PERF_DATA_HEADER_H
#define CAPTURE_PERF_DATA_HEADER_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "perf_data_feature.h"

/* Reads the header of @fd, a regular file of @file_bytes. @header must be zeroed; the caller must
 * call perf_data_header_finish() also after a failure. Errors as perf_data_open(). */
int perf_data_header_read(struct perf_data_header *header, int fd, uint64_t file_bytes,
			  struct diag *why);
/* Finds the event of @record, which the kernel wrote: 0 or -EBADMSG. Records synthesized by perf
 * have id 0 or none, and the first event's format. */
int perf_data_header_find_event(const struct perf_data_header *header,
				const struct perf_event_header *record, uint32_t *event);
bool perf_data_header_has_feature(const struct perf_data_file_header *file, uint32_t bit);
/* See perf_data_show_waits(). */
int perf_data_header_show_waits(struct perf_data_header *header, struct diag *why);
void perf_data_header_finish(struct perf_data_header *header);

/* Returns the size of the bytes that follow a TRACING_DATA record. */
uint64_t perf_data_tracing_bytes(const struct perf_event_header *record);

#endif
