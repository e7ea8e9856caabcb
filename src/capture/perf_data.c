/* perf_data.c - see capture/perf_data.h.
 *
 * Problem: a recording is read far faster than it can be analysed, nothing may be dropped, and
 * neither side may spin while it waits for the other.
 *
 * Idea: two eventfds beside the queue. The reader adds to `items` after a batch of records and
 * before it waits; the consumer adds to `room` after it drained. A sum is kept until it is read, so
 * a wake-up that comes before the wait is not lost.
 *
 * Order: perf wrote the rings of all CPUs round after round and marked the end of each with
 * FINISHED_ROUND. What was stamped before a round began is in the file when it ends; its beginning
 * is not recorded, but nothing in the file before the previous mark can be younger than it. So at a
 * mark everything up to the newest stamp before the previous mark may leave.
 *
 * Invariant: QUEUE_END is queued last, with the error if there was one, unless the reader is
 * closed.
 */
#include "capture/perf_data.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/thread.h"
#include "capture/perf_data_header.h"
#include "capture/perf_data_stream.h"
#include "capture/record_queue.h"
#include "capture/record_trim.h"

#define BATCH_BYTES (64u * 1024) /* queued before a wake-up: about a thousand samples */

struct perf_data {
	int fd;
	struct perf_data_header header;
	struct perf_data_stream stream;
	struct spsc *queue;	/* BORROWED since start; the thread is its only producer */
	int items_fd, room_fd;	/* eventfds, see above */
	pthread_t thread;
	bool is_running;
	_Atomic bool stop;	/* perf_data_close() -> is_stopped() */

	/* the thread's */
	size_t unannounced_bytes;	/* queued since the consumer was last woken */
	uint64_t newest_ns;		/* of all records so far */
	uint64_t newest_at_mark_ns;	/* the same at the last FINISHED_ROUND */
};

static void signal_fd(int fd)
{
	const uint64_t one = 1;
	ssize_t written;

	do
		written = write(fd, &one, sizeof(one));
	while (written < 0 && errno == EINTR);	/* EAGAIN: the sum is full, so it is readable */
}

static bool is_stopped(struct perf_data *reader)
{
	return atomic_load_explicit(&reader->stop, memory_order_acquire); /* perf_data_close() */
}

static void announce_items(struct perf_data *reader)
{
	reader->unannounced_bytes = 0;
	signal_fd(reader->items_fd);
}

/* An item of @kind with room for @payload_bytes behind it, or NULL when the reader is closed. */
static struct queue_item *take_room(struct perf_data *reader, enum queue_item_kind kind,
				    size_t payload_bytes)
{
	struct queue_item *item;
	uint64_t sum;

	while (!(item = spsc_reserve(reader->queue, sizeof(*item) + payload_bytes))) {
		announce_items(reader);
		if (read(reader->room_fd, &sum, sizeof(sum)) < 0 && errno != EINTR)
			return NULL;
		if (is_stopped(reader))
			return NULL;
	}
	*item = (struct queue_item){ .kind = (uint16_t)kind, .cpu = UINT32_MAX };
	return item;
}

static void commit_item(struct perf_data *reader, size_t payload_bytes)
{
	spsc_commit(reader->queue);
	reader->unannounced_bytes += payload_bytes;
	if (reader->unannounced_bytes >= BATCH_BYTES)
		announce_items(reader);
}

static int queue_round_end(struct perf_data *reader, uint64_t limit_ns)
{
	const struct queue_round_end mark = { .limit_ns = limit_ns };
	struct queue_item *item = take_room(reader, QUEUE_ROUND_END, sizeof(mark));

	if (!item)
		return -ECANCELED;
	memcpy(item + 1, &mark, sizeof(mark));
	commit_item(reader, sizeof(mark));
	return 0;
}

static void queue_end(struct perf_data *reader, const struct diag *why)
{
	const struct queue_end end = { .why = *why };
	struct queue_item *item = take_room(reader, QUEUE_END, sizeof(end));

	if (!item)
		return;
	memcpy(item + 1, &end, sizeof(end));
	commit_item(reader, sizeof(end));
	announce_items(reader);
}

/* Which event @record belongs to: 0 or -EBADMSG. What perf synthesized has the id 0, or none. */
static int find_event(const struct perf_data *reader, const struct perf_event_header *record,
		      uint32_t *event)
{
	const struct perf_data_header *header = &reader->header;
	const struct record_format *first = &header->events[0].format;
	uint64_t id;

	*event = 0;
	if (header->event_count == 1 ||
	    (!first->sample_id_all && record->type != PERF_RECORD_SAMPLE))
		return 0;
	if (record_peek_id(first, record, record->size, &id))
		return -EBADMSG;
	if (id)
		*event = id_map_get(&header->event_of_id, id);
	return *event == ID_MAP_NONE ? -EBADMSG : 0;
}

static int queue_record(struct perf_data *reader, const struct perf_event_header *record,
			uint64_t offset, struct diag *why)
{
	struct event_record parsed;
	struct record_trim trim;
	struct queue_item *item;
	uint32_t event;

	if (find_event(reader, record, &event))
		return diag_set(why, -EBADMSG, "the record at byte %" PRIu64 " (type %u) belongs "
				"to no event of the recording", offset, record->type);
	if (record_parse(&reader->header.events[event].format, record, record->size, &parsed))
		return diag_set(why, -EBADMSG, "the record at byte %" PRIu64 " (type %u, %u bytes) "
				"is shorter than its fields", offset, record->type, record->size);
	if (parsed.has_time && parsed.time_ns != UINT64_MAX && parsed.time_ns > reader->newest_ns)
		reader->newest_ns = parsed.time_ns;
	record_trim_init(&trim, record, &parsed, SIZE_MAX);
	item = take_room(reader, QUEUE_RECORD, trim.bytes);
	if (!item)
		return -ECANCELED;
	item->event = (uint16_t)event;
	if (parsed.has_cpu)
		item->cpu = parsed.cpu;
	record_trim_write(&trim, item + 1);
	commit_item(reader, trim.bytes);
	return 0;
}

static int finish_round(struct perf_data *reader)
{
	const int err = queue_round_end(reader, reader->newest_at_mark_ns);

	reader->newest_at_mark_ns = reader->newest_ns;
	return err;
}

static int take_record(struct perf_data *reader, const struct perf_event_header *record,
		       uint64_t offset, struct diag *why)
{
	switch (record->type) {
	case PERF_DATA_RECORD_FINISHED_ROUND:
		return finish_round(reader);
	case PERF_DATA_RECORD_TRACING_DATA:
		return perf_data_stream_skip(&reader->stream, perf_data_tracing_bytes(record), why);
	case PERF_DATA_RECORD_AUXTRACE_INFO:
	case PERF_DATA_RECORD_AUXTRACE:
		return diag_set(why, -ENOTSUP, "hardware trace data at byte %" PRIu64 ": decode it "
				"first with perf inject --itrace", offset);
	case PERF_DATA_RECORD_COMPRESSED:
	case PERF_DATA_RECORD_COMPRESSED2:
		return diag_set(why, -ENOTSUP, "compressed data at byte %" PRIu64 ": record again "
				"without -z", offset);
	default:
		if (record->type >= PERF_DATA_RECORD_FIRST)
			return 0;
		return queue_record(reader, record, offset, why);
	}
}

static int queue_all(struct perf_data *reader, struct diag *why)
{
	const struct perf_event_header *record;
	uint64_t offset;
	int err;

	while ((err = perf_data_stream_next(&reader->stream, &record, &offset, why)) > 0) {
		if (is_stopped(reader))
			return -ECANCELED;
		err = take_record(reader, record, offset, why);
		if (err)
			return err;
	}
	return err ? err : queue_round_end(reader, UINT64_MAX);
}

static void *run_reader(void *argument)
{
	struct perf_data *reader = argument;
	struct diag why = { 0 };

	if (queue_all(reader, &why) != -ECANCELED)
		queue_end(reader, &why);
	return NULL;
}

static int open_file(struct perf_data *reader, const char *path, struct diag *why)
{
	struct stat status;

	reader->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);	/* a FIFO must not block */
	if (reader->fd < 0 || fstat(reader->fd, &status))
		return diag_set(why, -errno, "%s", strerror(errno));
	if (!S_ISREG(status.st_mode))
		return diag_set(why, -ENOTSUP, "not a regular file: save the recording to one "
				"first");
	return perf_data_header_read(&reader->header, reader->fd, (uint64_t)status.st_size, why);
}

static int open_queue_fds(struct perf_data *reader, struct diag *why)
{
	reader->items_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	reader->room_fd = eventfd(0, EFD_CLOEXEC);
	if (reader->items_fd < 0 || reader->room_fd < 0)
		return diag_set(why, -errno, "no eventfd: %s", strerror(errno));
	return 0;
}

int perf_data_open(struct perf_data **out, const char *path, struct diag *why)
{
	struct perf_data *reader;
	int err;

	*out = NULL;
	reader = calloc(1, sizeof(*reader));
	if (!reader)
		return diag_set(why, -ENOMEM, "%s: no memory for a reader", path);
	reader->fd = reader->items_fd = reader->room_fd = -1;
	err = open_file(reader, path, why);
	if (!err)
		err = open_queue_fds(reader, why);
	if (!err && perf_data_stream_init(&reader->stream, reader->fd,
					  reader->header.records_offset,
					  reader->header.records_end))
		err = diag_set(why, -ENOMEM, "no memory for a buffer");
	if (err) {
		diag_prefix(why, "%s", path);
		perf_data_close(reader);
		return err;
	}
	*out = reader;
	return 0;
}

void perf_data_close(struct perf_data *reader)
{
	if (!reader)
		return;
	if (reader->is_running) {
		atomic_store_explicit(&reader->stop, true, memory_order_release); /* take_room() */
		signal_fd(reader->room_fd);
		pthread_join(reader->thread, NULL);
	}
	perf_data_stream_finish(&reader->stream);
	perf_data_header_finish(&reader->header);
	if (reader->fd >= 0)
		close(reader->fd);
	if (reader->items_fd >= 0)
		close(reader->items_fd);
	if (reader->room_fd >= 0)
		close(reader->room_fd);
	free(reader);
}

int perf_data_start(struct perf_data *reader, struct spsc *queue, struct diag *why)
{
	int err;

	assert(!reader->is_running && queue->capacity >= PERF_DATA_QUEUE_MIN_BYTES);
	reader->queue = queue;
	err = thread_start(&reader->thread, "recording", run_reader, reader);
	if (err)
		return diag_set(why, err, "cannot start the thread that reads the recording: %s",
				strerror(-err));
	reader->is_running = true;
	return 0;
}

int perf_data_queue_fd(const struct perf_data *reader)
{
	return reader->items_fd;
}

void perf_data_consumed(struct perf_data *reader)
{
	signal_fd(reader->room_fd);
}

size_t perf_data_event_count(const struct perf_data *reader)
{
	return reader->header.event_count;
}

const struct event_desc *perf_data_event(const struct perf_data *reader, size_t index)
{
	assert(index < reader->header.event_count);
	return &reader->header.events[index];
}

const char *perf_data_host(const struct perf_data *reader)
{
	return reader->header.host ? reader->header.host : "";
}

uint32_t perf_data_cpu_count(const struct perf_data *reader)
{
	return reader->header.cpu_count;
}

const int *perf_data_sockets(const struct perf_data *reader, uint32_t *count)
{
	*count = reader->header.socket_count;
	return reader->header.sockets;
}

const struct perf_data_build_id *perf_data_build_ids(const struct perf_data *reader, size_t *count)
{
	*count = reader->header.build_id_count;
	return reader->header.build_ids;
}
