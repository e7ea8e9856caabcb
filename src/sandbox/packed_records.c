/* packed_records.c - see sandbox/packed_records.h.
 *
 * Two buffers: `packed` has bytes of the file and always one complete record when it is handled;
 * `plain` has unpacked bytes, less than one record between two steps.
 */
#include "sandbox/packed_records.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zstd.h>

#include "base/thread.h"
#include "base/whole_io.h"

#define RECORD_BYTES_MAX ((size_t)64 * 1024)
#define FILE_BYTES	 (4 * RECORD_BYTES_MAX)
#define PLAIN_BYTES	 (4 * RECORD_BYTES_MAX)
#define WINDOW_LOG_MAX	 27	/* zstd's own limit for streams: 128 MiB */

/* Types of records that perf itself writes, see capture/perf_data_header.h. */
enum {
	TYPE_TRACING_DATA = 66,
	TYPE_COMPRESSED = 81,
	TYPE_COMPRESSED2 = 83,
};

struct unpacking {
	int file, out;
	uint64_t next, end;		/* file range that is still to be read */
	unsigned char *packed;		/* owned, FILE_BYTES: bytes of the file */
	size_t packed_at, packed_filled;
	unsigned char *plain;		/* owned, PLAIN_BYTES: unpacked bytes */
	size_t plain_filled;
	ZSTD_DStream *stream;
	uint64_t bytes_in, bytes_out;	/* size of the compressed records read, and unpacked */
};

static int write_out(const struct unpacking *job, const void *bytes, size_t count,
		     struct diag *why)
{
	if (whole_write(job->out, bytes, count) == (ssize_t)count)
		return 0;
	return diag_set(why, -errno, "cannot hand records on: %s", strerror(errno));
}

/* Fills the buffer until the next @bytes (RECORD_BYTES_MAX at most) are in it. */
static int make_available(struct unpacking *job, size_t bytes, struct diag *why)
{
	const size_t left = job->packed_filled - job->packed_at;
	const uint64_t in_file = job->end - job->next;
	size_t more = FILE_BYTES - left;

	if (left >= bytes)
		return 0;
	memmove(job->packed, job->packed + job->packed_at, left);
	job->packed_at = 0;
	job->packed_filled = left;
	if (more > in_file)
		more = (size_t)in_file;
	if (left + more < bytes)
		return diag_set(why, -EBADMSG, "the record at byte %" PRIu64 " is cut off",
				job->next - left);
	if (whole_pread(job->file, job->packed + left, more, (off_t)job->next) != (ssize_t)more)
		return diag_set(why, -EBADMSG, "byte %" PRIu64 " cannot be read", job->next);
	job->next += more;
	job->packed_filled += more;
	return 0;
}

/* Writes out the complete unpacked records; the beginning of the next one stays. */
static int hand_on(struct unpacking *job, struct diag *why)
{
	size_t whole = 0;
	int err;

	while (job->plain_filled - whole >= sizeof(struct perf_event_header)) {
		struct perf_event_header header;

		memcpy(&header, job->plain + whole, sizeof(header));
		if (header.size < sizeof(header))
			return diag_set(why, -EBADMSG, "a compressed record says it has %u bytes",
					header.size);
		if (header.size > job->plain_filled - whole)
			break;
		whole += header.size;
	}
	err = write_out(job, job->plain, whole, why);
	job->plain_filled -= whole;
	memmove(job->plain, job->plain + whole, job->plain_filled);
	return err;
}

static bool is_over_ratio(const struct unpacking *job)
{
	return job->bytes_out > PACKED_FREE_BYTES &&
	       job->bytes_out / PACKED_RATIO_MAX > job->bytes_in;
}

static int unpack(struct unpacking *job, const void *bytes, size_t count, struct diag *why)
{
	ZSTD_inBuffer in = { .src = bytes, .size = count };
	bool has_more = true;
	int err = 0;

	job->bytes_in += count;
	while (has_more && !err) {
		ZSTD_outBuffer out = { .dst = job->plain, .size = PLAIN_BYTES,
				       .pos = job->plain_filled };
		const size_t got = ZSTD_decompressStream(job->stream, &out, &in);

		if (ZSTD_isError(got))
			return diag_set(why, -EBADMSG, "damaged: %s", ZSTD_getErrorName(got));
		job->bytes_out += out.pos - job->plain_filled;
		job->plain_filled = out.pos;
		has_more = in.pos < in.size || out.pos == out.size;
		err = hand_on(job, why);
		if (!err && is_over_ratio(job))
			err = diag_set(why, -E2BIG, "it unpacks to more than %d times its size",
				       PACKED_RATIO_MAX);
	}
	return err;
}

/* Copies bytes that follow a record without being one. */
static int pass_bytes(struct unpacking *job, uint64_t count, struct diag *why)
{
	int err = 0;

	while (count && !err) {
		const size_t part = count < RECORD_BYTES_MAX ? (size_t)count : RECORD_BYTES_MAX;

		err = make_available(job, part, why);
		if (!err)
			err = write_out(job, job->packed + job->packed_at, part, why);
		job->packed_at += err ? 0 : part;
		count -= part;
	}
	return err;
}

static int pass_record(struct unpacking *job, const struct perf_event_header *header,
		       struct diag *why)
{
	const unsigned char *body = job->packed + job->packed_at + sizeof(*header);
	uint32_t follow = 0;
	int err;

	if (header->type == TYPE_TRACING_DATA &&
	    header->size >= sizeof(*header) + sizeof(follow))
		memcpy(&follow, body, sizeof(follow));
	err = write_out(job, job->packed + job->packed_at, header->size, why);
	job->packed_at += header->size;
	return err ? err : pass_bytes(job, ((uint64_t)follow + 7) & ~UINT64_C(7), why);
}

/* Unpacks the body of a COMPRESSED2 record: { length, bytes, padding }. */
static int unpack_second_form(struct unpacking *job, const unsigned char *body, size_t room,
			      struct diag *why)
{
	uint64_t count;

	if (room < sizeof(count))
		return diag_set(why, -EBADMSG, "a compressed record without its length");
	memcpy(&count, body, sizeof(count));
	if (count > room - sizeof(count))
		return diag_set(why, -EBADMSG, "a compressed record shorter than its data");
	return unpack(job, body + sizeof(count), (size_t)count, why);
}

static int take_record(struct unpacking *job, struct diag *why)
{
	struct perf_event_header header;
	const unsigned char *body;
	int err = make_available(job, sizeof(header), why);

	if (err)
		return err;
	memcpy(&header, job->packed + job->packed_at, sizeof(header));
	if (header.size < sizeof(header))
		return diag_set(why, -EBADMSG, "a record says it has %u bytes", header.size);
	err = make_available(job, header.size, why);
	if (err)
		return err;
	body = job->packed + job->packed_at + sizeof(header);
	if (header.type != TYPE_COMPRESSED && header.type != TYPE_COMPRESSED2)
		return pass_record(job, &header, why);
	job->packed_at += header.size;
	if (header.type == TYPE_COMPRESSED2)
		return unpack_second_form(job, body, header.size - sizeof(header), why);
	return unpack(job, body, header.size - sizeof(header), why);
}

static int take_records(struct unpacking *job, struct diag *why)
{
	int err = 0;

	while (!err && (job->next < job->end || job->packed_at < job->packed_filled)) {
		const uint64_t at = job->next - (job->packed_filled - job->packed_at);

		err = take_record(job, why);
		if (err == -EBADMSG || err == -E2BIG)
			diag_prefix(why, "the compressed data at byte %" PRIu64, at);
	}
	if (!err && job->plain_filled)
		err = diag_set(why, -EBADMSG, "the compressed data end in the middle of a record");
	return err;
}

int packed_records_unpack(int file, const struct packed_range *range, int out, struct diag *why)
{
	struct unpacking job = { .file = file, .out = out, .next = range->begin,
				 .end = range->end };
	int err;

	if (range->begin > range->end)
		return diag_set(why, -EBADMSG, "records that end before they begin");
	job.packed = malloc(FILE_BYTES);
	job.plain = malloc(PLAIN_BYTES);
	job.stream = ZSTD_createDStream();
	if (!job.packed || !job.plain || !job.stream ||
	    ZSTD_isError(ZSTD_DCtx_setParameter(job.stream, ZSTD_d_windowLogMax, WINDOW_LOG_MAX)))
		err = diag_set(why, -ENOMEM, "no memory to unpack the recording");
	else
		err = take_records(&job, why);
	ZSTD_freeDStream(job.stream);
	free(job.plain);
	free(job.packed);
	return err;
}

/* Unpacking on the parent's side:
 *
 *   thread: sandbox_run() ..................... verdict
 *   worker:  reads the range, then writes records |
 *   reader: <------- socket ---------------------- end of the stream
 *
 * The range goes to the worker through the same socket: a job has room for one number only. */
struct record_unpacker {
	struct sandbox *sandbox;	/* BORROWED */
	int file;			/* BORROWED */
	int socket;			/* the worker's end */
	uint64_t number;
	pthread_t thread;
	int err;			/* result of the thread; valid after it ended */
	struct diag why;
};

static void *run_job(void *argument)
{
	struct record_unpacker *unpacker = argument;
	const struct sandbox_request request = {
		.kind = SANDBOX_RECORDS, .inputs = { unpacker->file, unpacker->socket },
		.input_count = 2, .number = unpacker->number,
	};
	struct sandbox_bytes reply;

	unpacker->err = sandbox_run(unpacker->sandbox, &request, &reply, &unpacker->why);
	sandbox_bytes_finish(&reply);
	close(unpacker->socket);	/* the reader sees the end of the stream */
	return NULL;
}

int record_unpacker_begin(struct record_unpacker **out, struct sandbox *sandbox, uint64_t number,
			  const struct record_unpacker_range *range, int *records, struct diag *why)
{
	const struct packed_range message = { range->begin, range->end };
	struct record_unpacker *unpacker = calloc(1, sizeof(*unpacker));
	int sockets[2], err;

	*out = NULL;
	if (!unpacker)
		return diag_set(why, -ENOMEM, "no memory to unpack the recording");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets)) {
		err = diag_set(why, -errno, "no socket to unpack the recording: %s",
			       strerror(errno));
		free(unpacker);
		return err;
	}
	*unpacker = (struct record_unpacker){
		.sandbox = sandbox, .file = range->file, .socket = sockets[1], .number = number,
	};
	if (write(sockets[0], &message, sizeof(message)) != sizeof(message))
		err = -EIO;
	else
		err = thread_start(&unpacker->thread, "unpacker", run_job, unpacker);
	if (err) {
		diag_set(why, err, "cannot begin to unpack the recording: %s", strerror(-err));
		close(sockets[0]);
		close(sockets[1]);
		free(unpacker);
		return err;
	}
	*records = sockets[0];
	*out = unpacker;
	return 0;
}

int record_unpacker_end(struct record_unpacker *unpacker, struct diag *why)
{
	int err;

	sandbox_cancel_job(unpacker->sandbox, unpacker->number);
	pthread_join(unpacker->thread, NULL);
	err = unpacker->err;
	if (err)
		*why = unpacker->why;
	free(unpacker);
	return err;
}
