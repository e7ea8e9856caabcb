/* perf_data_stream.h - the records of a recording, one after the other, through a buffer.
 *
 * Trust:  a file may shrink while it is read, so it is never mapped: that shows as an error, not as
 *         a signal.
 * Thread: one.
 */
#ifndef CAPTURE_PERF_DATA_STREAM_H
#define CAPTURE_PERF_DATA_STREAM_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct perf_data_stream {
	int fd;			/* the caller's; must outlive the stream */
	uint64_t next_offset;	/* in the file, of the next record */
	uint64_t end_offset;
	bool is_unpacked;	/* fd is a socket, and offsets count what came through it */
	unsigned char *buffer;	/* owned */
	size_t at, filled;	/* bytes of the buffer: used, valid */
};

/* Records of @fd in [offset, end). 0 or -ENOMEM. */
int perf_data_stream_init(struct perf_data_stream *stream, int fd, uint64_t offset, uint64_t end);
/* Records from the socket @fd, to its end. 0 or -ENOMEM. */
int perf_data_stream_init_unpacked(struct perf_data_stream *stream, int fd);
void perf_data_stream_finish(struct perf_data_stream *stream);

/* Steps to the next record. 1: *@record is it, whole, 8-byte aligned and BORROWED until the next
 * call, *@offset where it begins in the file; 0: the end; -EBADMSG: cut off or impossible; or the
 * errno of pread(2). */
int perf_data_stream_next(struct perf_data_stream *stream, const struct perf_event_header **record,
			  uint64_t *offset, struct diag *why);

/* Leaves @bytes out: what follows some records without belonging to them. 0 or -EBADMSG. */
int perf_data_stream_skip(struct perf_data_stream *stream, uint64_t bytes, struct diag *why);

/* All of @bytes at @offset. 0; -EBADMSG when the file ends before; or the errno of pread(2). */
int perf_data_read_at(int fd, uint64_t offset, void *out, size_t bytes, struct diag *why);

#endif
