/* perf_data_stream.c - see perf_data_stream.h.
 *
 * A record has at most 64 KiB, and the buffer is several times as large. When the next record is
 * not complete or not aligned in it, the buffer is filled again from that record on: so every
 * record is contiguous and aligned, and nothing is moved.
 */
#include "perf_data_stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)256 * 1024)

int perf_data_stream_init(struct perf_data_stream *stream, int fd, uint64_t offset, uint64_t end)
{
	*stream = (struct perf_data_stream){
		.fd = fd, .begin_offset = offset, .next_offset = offset, .end_offset = end,
	};
	stream->buffer = malloc(BUFFER_BYTES);
	return stream->buffer ? 0 : -ENOMEM;
}

int perf_data_stream_init_unpacked(struct perf_data_stream *stream, int fd)
{
	const int err = perf_data_stream_init(stream, fd, 0, UINT64_MAX);

	stream->is_unpacked = true;
	return err;
}

void perf_data_stream_finish(struct perf_data_stream *stream)
{
	free(stream->buffer);
	stream->buffer = NULL;
}

int perf_data_read_at(int fd, uint64_t offset, void *out, size_t bytes, struct diag *why)
{
	unsigned char *to = out;

	while (bytes) {
		ssize_t got = pread(fd, to, bytes, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return diag_set(why, -errno, "cannot read byte %" PRIu64 ": %s", offset,
					strerror(errno));
		if (!got)
			return diag_set(why, -EBADMSG, "the recording ends at byte %" PRIu64
					", in the middle of its data", offset);
		to += got;
		offset += (uint64_t)got;
		bytes -= (size_t)got;
	}
	return 0;
}

/* Reads from the socket until @bytes are in the buffer, after moving unread ones to its front. At
 * the end of the data sets end_offset. */
static int receive(struct perf_data_stream *stream, size_t bytes, struct diag *why)
{
	if (stream->filled - stream->at >= bytes && stream->at % sizeof(uint64_t) == 0)
		return 0;
	stream->filled -= stream->at;
	memmove(stream->buffer, stream->buffer + stream->at, stream->filled);
	stream->at = 0;
	while (stream->filled < bytes) {
		const ssize_t got = read(stream->fd, stream->buffer + stream->filled,
					 BUFFER_BYTES - stream->filled);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return diag_set(why, -errno, "cannot read unpacked records: %s",
					strerror(errno));
		if (!got)
			break;
		stream->filled += (size_t)got;
	}
	if (stream->filled < bytes)
		stream->end_offset = stream->next_offset + stream->filled;
	return 0;
}

static int refill(struct perf_data_stream *stream, struct diag *why)
{
	const uint64_t left = stream->end_offset - stream->next_offset;
	const size_t bytes = left < BUFFER_BYTES ? (size_t)left : BUFFER_BYTES;

	stream->at = 0;
	stream->filled = bytes;
	return perf_data_read_at(stream->fd, stream->next_offset, stream->buffer, bytes, why);
}

/* Makes the next @bytes contiguous and aligned in the buffer. */
static int make_available(struct perf_data_stream *stream, size_t bytes, struct diag *why)
{
	const int err = stream->is_unpacked ? receive(stream, bytes, why) : 0;

	if (err)
		return err;
	if (stream->end_offset - stream->next_offset < bytes)
		return diag_set(why, -EBADMSG, "the record at byte %" PRIu64 " is cut off: it "
				"needs %zu bytes, %" PRIu64 " are left", stream->next_offset, bytes,
				stream->end_offset - stream->next_offset);
	if (stream->filled - stream->at >= bytes && stream->at % sizeof(uint64_t) == 0)
		return 0;
	return refill(stream, why);
}

int perf_data_stream_next(struct perf_data_stream *stream, const struct perf_event_header **record,
			  uint64_t *offset, struct diag *why)
{
	const struct perf_event_header *header;
	uint16_t size;
	int err;

	err = stream->is_unpacked ? receive(stream, 1, why) : 0;	/* may find the end */
	if (err)
		return err;
	if (stream->next_offset == stream->end_offset)
		return 0;
	err = make_available(stream, sizeof(*header), why);
	if (err)
		return err;
	header = (const void *)(stream->buffer + stream->at);
	size = header->size;
	if (size < sizeof(*header))
		return diag_set(why, -EBADMSG, "the record at byte %" PRIu64 " says it has %u "
				"bytes", stream->next_offset, size);
	err = make_available(stream, size, why);
	if (err)
		return err;
	header = (const void *)(stream->buffer + stream->at);
	if (header->size != size)	/* read twice, once for each make_available() */
		return diag_set(why, -EBADMSG, "the record at byte %" PRIu64 " changes while it is "
				"read", stream->next_offset);
	*record = header;
	*offset = stream->next_offset;
	stream->at += size;
	stream->next_offset += size;
	return 1;
}

static int discard(struct perf_data_stream *stream, uint64_t bytes, struct diag *why)
{
	while (bytes) {
		const size_t part = bytes < BUFFER_BYTES / 2 ? (size_t)bytes : BUFFER_BYTES / 2;
		const int err = make_available(stream, part, why);

		if (err)
			return err;
		stream->at += part;
		stream->next_offset += part;
		bytes -= part;
	}
	return 0;
}

int perf_data_stream_skip(struct perf_data_stream *stream, uint64_t bytes, struct diag *why)
{
	if (stream->end_offset - stream->next_offset < bytes)
		return diag_set(why, -EBADMSG, "%" PRIu64 " bytes at byte %" PRIu64 " lie outside "
				"of the recording", bytes, stream->next_offset);
	if (stream->is_unpacked)
		return discard(stream, bytes, why);
	stream->next_offset += bytes;
	stream->at = stream->filled = 0;
	return 0;
}
