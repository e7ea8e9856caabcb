/* perf_data_stream.h - reads the records of a recording one after the other, through a buffer.
 *
 * Trust:  a file may shrink while it is read, so it is never mapped: reading then gives an error,
 *         not a signal.
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
	int fd;			/* BORROWED until the stream is finished */
	uint64_t begin_offset;	/* file offset of the first record */
	uint64_t next_offset;	/* file offset of the next record */
	uint64_t end_offset;
	bool is_unpacked;	/* fd is a socket, and offsets count what came through it */
	unsigned char *buffer;	/* owned */
	size_t at, filled;	/* bytes of the buffer: used, valid */
};

/* Sets up reading the records of @fd in [@offset, @end). Returns 0 or -ENOMEM. */
int perf_data_stream_init(struct perf_data_stream *stream, int fd, uint64_t offset, uint64_t end);
/* Sets up reading records from the socket @fd, to its end. Returns 0 or -ENOMEM. */
int perf_data_stream_init_unpacked(struct perf_data_stream *stream, int fd);
void perf_data_stream_finish(struct perf_data_stream *stream);

/* Reads the next record. Returns 1: *@record is complete, 8-byte aligned and BORROWED until the
 * next call, *@offset is its file offset; 0: the end; -EBADMSG: truncated or malformed; or -errno
 * of pread(2). */
int perf_data_stream_next(struct perf_data_stream *stream, const struct perf_event_header **record,
			  uint64_t *offset, struct diag *why);

/* Skips @bytes, the data that follow some records. Returns 0 or -EBADMSG. */
int perf_data_stream_skip(struct perf_data_stream *stream, uint64_t bytes, struct diag *why);

/* Reads @bytes at @offset. Returns 0; -EBADMSG: the file ends before; or -errno of pread(2). */
int perf_data_read_at(int fd, uint64_t offset, void *out, size_t bytes, struct diag *why);

#endif
