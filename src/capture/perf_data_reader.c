/* perf_data_reader.c - see capture/perf_data.h.
 *
 * Problem: a recording is read far faster than it can be analysed, nothing may be dropped, and
 * neither side may spin while it waits for the other.
 *
 * Idea: two eventfds beside the queue. The reader adds to `items` after a batch of records and
 * before it waits; the consumer adds to `room` after it drained. A sum is kept until it is read, so
 * a wake-up that comes before the wait is not lost.
 *
 * Order: perf wrote the rings of all CPUs round after round and marked the end of each with
 * FINISHED_ROUND. Records stamped before a round began are in the file when it ends; its beginning
 * is not recorded, but no record before the previous mark can be younger than it. So a mark
 * completes everything up to the newest stamp before the previous mark.
 *
 * Directories: `perf record --threads` writes the records of each CPU into a file of its own, in
 * the order of time and without marks, beside the file with the header, which has the records that
 * perf synthesized before. The reader merges the files by time and sets a mark after every
 * MERGE_ROUND records.
 *
 * Groups: a sample that holds the values of counters (PERF_SAMPLE_READ) is queued once for each
 * event whose value has risen: see struct read_growth.
 *
 * perf record --off-cpu: a BPF program adds up how long each thread waits in each stack, and perf
 * writes a sample for each sum at the end, stamped with times that do not exist; here they are of
 * the end of the recording. Since Linux 6.16 the program also writes a sample for each long wait,
 * from the task that ran before; thread, time waited, user stack and cgroup are in raw bytes, in
 * both. All are queued in one format, with these in their fields.
 * Source: linux/tools/perf/util/bpf_off_cpu.c; linux/tools/perf/util/bpf_skel/off_cpu.bpf.c.
 *
 * Invariant: QUEUE_END is queued last, with the error if there was one, unless the reader is
 * closed.
 */
#include "capture/perf_data.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/thread.h"
#include "capture/record.h"
#include "capture/stack_copy.h"
#include "perf_data_files.h"
#include "perf_data_time.h"

#define BATCH_BYTES (64u * 1024) /* queued per wake-up: about a thousand samples */

#define MERGE_ROUND 1024
#define READ_RECORDS 64			/* between two looks at how far it was read */
#define READ_BYTES   (256u * 1024)	/* between two QUEUE_READ */

/* Sums of perf record --off-cpu are stamped with this and more: OFF_CPU_TIMESTAMP. */
#define SUMS_NS (~UINT64_C(0) << 32)

struct perf_data {
	struct perf_data_header header;
	struct perf_data_files files;
	struct perf_data_unpacker unpacker;	/* begin NULL: none */
	int unpacked_fd;		/* socket of the unpacker; -1: none */
	bool is_unpacking;		/* the unpacker's end() must be called */
	struct spsc *queue;	/* BORROWED since start; the thread is its only producer */
	int items_fd, room_fd;	/* eventfds, see above */
	pthread_t thread;
	bool is_running;
	_Atomic bool stop;	/* perf_data_stop() -> is_stopped() */
	struct perf_data_time begin, end;	/* the range; constant after start */

	/* used only by the thread */
	struct read_growth growth;	/* counters that are read with samples */
	size_t unannounced_bytes;	/* queued since the consumer was last woken */
	uint64_t newest_ns;		/* newest time stamp of all records so far */
	uint64_t newest_at_mark_ns;	/* newest_ns at the last FINISHED_ROUND */
	uint64_t begin_ns, end_ns;	/* samples outside are left out */
	uint64_t left_out;		/* how many these are */
	uint64_t queued_bytes;		/* in the last QUEUE_READ */
	uint64_t wait[(UINT16_MAX + 1) / sizeof(uint64_t)];	/* a sample, see put_wait() */
};

static void signal_fd(int fd)
{
	const uint64_t one = 1;
	ssize_t written;

	do
		written = write(fd, &one, sizeof(one));
	while (written < 0 && errno == EINTR);	/* EAGAIN: at its limit, so readable */
}

static bool is_stopped(struct perf_data *reader)
{
	return atomic_load_explicit(&reader->stop, memory_order_acquire); /* perf_data_stop() */
}

static void announce_items(struct perf_data *reader)
{
	reader->unannounced_bytes = 0;
	signal_fd(reader->items_fd);
}

/* Reserves an item of @kind with a payload of @payload_bytes, waiting for room. Returns NULL when
 * the reader is closed. */
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

/* Returns how far the files were read. */
static struct queue_read how_far(const struct perf_data *reader)
{
	struct queue_read out = { .left_out = reader->left_out };
	bool is_known = true;

	for (uint32_t i = 0; i < reader->files.count; i++) {
		const struct perf_data_stream *stream = &reader->files.files[i].stream;

		out.bytes += stream->next_offset - stream->begin_offset;
		out.total_bytes += stream->end_offset - stream->begin_offset;
		is_known &= !stream->is_unpacked;
	}
	if (!is_known)
		out.total_bytes = 0;	/* once unpacked; what is read is, too */
	return out;
}

static int queue_read(struct perf_data *reader)
{
	const struct queue_read read = how_far(reader);
	struct queue_item *item = take_room(reader, QUEUE_READ, sizeof(read));

	if (!item)
		return -ECANCELED;
	reader->queued_bytes = read.bytes;
	memcpy(item + 1, &read, sizeof(read));
	commit_item(reader, sizeof(read));
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

/* Returns the format that samples of @event have in the file. */
static const struct record_format *format_of(const struct perf_data *reader, uint32_t event)
{
	const struct perf_data_header *header = &reader->header;

	return header->has_waits && event == header->wait_event ? &header->wait_format
								: &header->events[event].format;
}

/* A record on its way to the queue. */
struct read_record {
	const struct perf_event_header *bytes;
	struct event_record parsed;
	uint32_t event;
	uint64_t offset;	/* file offset, for errors */
};

/* Counts a sample that is outside the range. False: it is inside. */
static bool leave_out(struct perf_data *reader, const struct event_record *parsed,
		      uint64_t time_ns)
{
	const bool is_outside = parsed->kind == RECORD_SAMPLE && parsed->has_time &&
				(time_ns < reader->begin_ns || time_ns > reader->end_ns);

	reader->left_out += is_outside;
	return is_outside;
}

/* Queues @record for @event. @growth: period of a sample with PERF_SAMPLE_READ, or NULL. */
static int put_record(struct perf_data *reader, const struct read_record *record, uint32_t event,
		      const uint64_t *growth)
{
	const struct event_record *parsed = &record->parsed;
	struct record_trim trim;
	struct queue_item *item;

	if (leave_out(reader, parsed, parsed->time_ns))
		return 0;
	record_trim_init(&trim, record->bytes, parsed, SIZE_MAX);
	item = take_room(reader, QUEUE_RECORD, trim.bytes);
	if (!item)
		return -ECANCELED;
	item->event = (uint16_t)event;
	if (parsed->has_cpu)
		item->cpu = parsed->cpu;
	record_trim_write(&trim, item + 1);
	if (growth)	/* lies before the stack copy, so its offset is unchanged */
		memcpy((uint64_t *)(void *)(item + 1) +
			       (parsed->sample.read.values - (const uint64_t *)record->bytes),
		       growth, sizeof(*growth));
	commit_item(reader, trim.bytes);
	return 0;
}

/* What perf record --off-cpu says of a wait, or of the sum of some. */
struct perf_wait {
	uint32_t pid, tid;
	uint64_t ns, cgroup;
	const unsigned char *chain;	/* not aligned; PERF_CONTEXT_USER and addresses */
	uint64_t chain_count;
};

static uint64_t word_at(const unsigned char *bytes, uint64_t index)
{
	uint64_t word;

	memcpy(&word, bytes + index * sizeof(word), sizeof(word));
	return word;
}

/* Reads raw bytes: |task|ns|count|chain of `count` words|cgroup|. The program writes the thread
 * first and then its process, perf the other way round: a thread's number is the larger one. */
static int read_raw_wait(const struct record_sample *sample, struct perf_wait *out)
{
	const uint64_t words = sample->raw_bytes / sizeof(uint64_t);
	uint32_t ids[2];

	if (words < 4 || word_at(sample->raw, 2) > words - 4)
		return -EBADMSG;
	memcpy(ids, sample->raw, sizeof(ids));
	*out = (struct perf_wait){
		.pid = ids[0] < ids[1] ? ids[0] : ids[1], .tid = ids[0] < ids[1] ? ids[1] : ids[0],
		.ns = word_at(sample->raw, 1), .chain_count = word_at(sample->raw, 2),
		.chain = (const unsigned char *)sample->raw + 3 * sizeof(uint64_t),
	};
	out->cgroup = word_at(sample->raw, 3 + out->chain_count);
	return 0;
}

/* Writes the sample with the fields of header.events[wait_event]. Returns its bytes; 0: they are
 * too many. */
static size_t write_wait(struct perf_data *reader, const struct read_record *record,
			 const struct perf_wait *wait)
{
	const struct event_record *parsed = &record->parsed;
	const uint64_t type = reader->header.events[record->event].format.sample_type;
	const bool is_sum = parsed->time_ns >= SUMS_NS;
	struct perf_event_header *header = (void *)reader->wait;
	uint64_t *at = reader->wait + 1;

	if (wait->chain_count > UINT16_MAX / sizeof(*at) - 16)
		return 0;
	if (type & PERF_SAMPLE_IDENTIFIER)
		*at++ = 0;	/* the item has the event */
	*at++ = wait->chain_count > 1 ? word_at(wait->chain, 1) : 0;
	memcpy(at++, (uint32_t[]){ wait->pid, wait->tid }, sizeof(*at));
	*at++ = is_sum ? reader->newest_ns : parsed->time_ns;
	if (type & PERF_SAMPLE_ID)
		*at++ = 0;
	if (type & PERF_SAMPLE_CPU)
		memcpy(at++, (uint32_t[]){ parsed->cpu, 0 }, sizeof(*at));
	*at++ = wait->ns;
	*at++ = wait->chain_count;
	memcpy(at, wait->chain, wait->chain_count * sizeof(*at));
	at += wait->chain_count;
	if (type & PERF_SAMPLE_CGROUP)
		*at++ = wait->cgroup;
	*header = (struct perf_event_header){
		.type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER,
		.size = (uint16_t)((at - reader->wait) * (ptrdiff_t)sizeof(*at)),
	};
	return header->size;
}

/* Queues a sample of perf record --off-cpu. */
static int put_wait(struct perf_data *reader, const struct read_record *record, struct diag *why)
{
	const struct record_sample *sample = &record->parsed.sample;
	struct perf_wait wait = {
		.pid = record->parsed.pid, .tid = record->parsed.tid, .ns = sample->period,
		.cgroup = sample->cgroup, .chain_count = sample->chain_count,
		.chain = (const unsigned char *)sample->chain,
	};
	struct queue_item *item;
	size_t bytes = 0;

	if (!(reader->header.wait_format.sample_type & PERF_SAMPLE_RAW) ||
	    !read_raw_wait(sample, &wait))
		bytes = write_wait(reader, record, &wait);
	if (!bytes)
		return diag_set(why, -EBADMSG, "the sample at byte %" PRIu64 " has other bytes"
				" than perf record --off-cpu writes", record->offset);
	if (leave_out(reader, &record->parsed, record->parsed.time_ns >= SUMS_NS
		      ? reader->newest_ns : record->parsed.time_ns))
		return 0;
	item = take_room(reader, QUEUE_RECORD, bytes);
	if (!item)
		return -ECANCELED;
	item->event = (uint16_t)record->event;
	if (record->parsed.has_cpu)
		item->cpu = record->parsed.cpu;
	memcpy(item + 1, reader->wait, bytes);
	commit_item(reader, bytes);
	return 0;
}

/* Returns true when records of one format can be parsed by the other. */
static bool is_same_layout(const struct record_format *one, const struct record_format *other)
{
	return one->sample_type == other->sample_type && one->read_format == other->read_format &&
	       one->branch_sample_type == other->branch_sample_type &&
	       one->user_regs_mask == other->user_regs_mask &&
	       one->intr_regs_mask == other->intr_regs_mask;
}

static int put_counter(struct perf_data *reader, const struct read_record *record, uint64_t at,
		       struct diag *why)
{
	const struct perf_data_header *header = &reader->header;
	const struct event_desc *leader = &header->events[record->event];
	const struct record_read *read = &record->parsed.sample.read;
	const uint64_t *value = read->values + at * read->stride;
	const uint32_t event = header->recorded_count == 1 ? header->first_recorded :
			       id_map_get(&header->event_of_id, value[read->id_at]);
	uint64_t growth;

	if (event == ID_MAP_NONE ||
	    !is_same_layout(&leader->format, &header->events[event].format))
		return diag_set(why, -EBADMSG, "the sample at byte %" PRIu64 " has the value of a "
				"counter that belongs to no event of its group", record->offset);
	if (read_growth(&reader->growth, value[read->id_at],
			leader->has_values_by_thread ? record->parsed.tid : 0, *value, &growth))
		return diag_set(why, -ENOMEM, "no memory for the counters of the recording");
	return growth ? put_record(reader, record, event, &growth) : 0;
}

static int put_counters(struct perf_data *reader, const struct read_record *record,
			struct diag *why)
{
	int err = 0;

	for (uint64_t at = 0; at < record->parsed.sample.read.count && !err; at++)
		err = put_counter(reader, record, at, why);
	return err;
}

static int queue_record(struct perf_data *reader, const struct perf_event_header *bytes,
			uint64_t offset, struct diag *why)
{
	struct read_record record = { .bytes = bytes, .offset = offset };
	const struct event_record *parsed = &record.parsed;
	const struct record_format *format;
	bool is_wait;

	if (perf_data_header_find_event(&reader->header, bytes, &record.event))
		return diag_set(why, -EBADMSG, "the record at byte %" PRIu64 " (type %u) belongs "
				"to no event of the recording", offset, bytes->type);
	format = format_of(reader, record.event);
	if (record_parse(format, bytes, bytes->size, &record.parsed))
		return diag_set(why, -EBADMSG, "the record at byte %" PRIu64 " (type %u, %u bytes) "
				"is shorter than its fields", offset, bytes->type, bytes->size);
	is_wait = parsed->kind == RECORD_SAMPLE && format == &reader->header.wait_format;
	if (parsed->has_time && parsed->time_ns != UINT64_MAX &&
	    parsed->time_ns > reader->newest_ns && !(is_wait && parsed->time_ns >= SUMS_NS))
		reader->newest_ns = parsed->time_ns;
	if (is_wait)
		return put_wait(reader, &record, why);
	if (parsed->kind == RECORD_SAMPLE && format->has_read_period && parsed->sample.read.count)
		return put_counters(reader, &record, why);
	return put_record(reader, &record, record.event, NULL);
}

static int finish_round(struct perf_data *reader)
{
	const int err = queue_round_end(reader, reader->newest_at_mark_ns);

	reader->newest_at_mark_ns = reader->newest_ns;
	return err;
}

static int take_record(struct perf_data *reader, struct perf_data_file *file,
		       const struct perf_event_header *record, uint64_t offset, struct diag *why)
{
	switch (record->type) {
	case PERF_DATA_RECORD_FINISHED_ROUND:
		return finish_round(reader);
	case PERF_DATA_RECORD_TRACING_DATA:
		return perf_data_stream_skip(&file->stream, perf_data_tracing_bytes(record), why);
	case PERF_DATA_RECORD_AUXTRACE_INFO:
	case PERF_DATA_RECORD_AUXTRACE:
		return diag_set(why, -ENOTSUP, "hardware trace data at byte %" PRIu64 ": decode it "
				"first with perf inject --itrace", offset);
	case PERF_DATA_RECORD_COMPRESSED:
	case PERF_DATA_RECORD_COMPRESSED2:
		return diag_set(why, -ENOTSUP, "compressed data at byte %" PRIu64 " that the "
				"header does not announce: record again without -z", offset);
	default:
		if (record->type >= PERF_DATA_RECORD_FIRST)
			return 0;
		return queue_record(reader, record, offset, why);
	}
}

/* Returns the time of @record; 0, so that it comes first, for records made by perf and for damaged
 * ones, which are reported when they are read. */
static uint64_t time_of(const struct perf_data *reader, const struct perf_event_header *record)
{
	struct event_record parsed;
	uint32_t event;

	if (record->type >= PERF_DATA_RECORD_FIRST ||
	    perf_data_header_find_event(&reader->header, record, &event) ||
	    record_parse_front(format_of(reader, event), record, record->size,
			       &parsed) ||
	    !parsed.has_time || parsed.time_ns == UINT64_MAX)
		return 0;
	return parsed.time_ns;
}

/* Reads the next record into file->next if it is NULL. 0 or as perf_data_stream_next(). */
static int look_ahead(const struct perf_data *reader, struct perf_data_file *file,
		      struct diag *why)
{
	int got;

	if (file->next || file->is_at_end)
		return 0;
	got = perf_data_stream_next(&file->stream, &file->next, &file->next_offset, why);
	if (got < 0)
		return got;
	file->is_at_end = !got;
	if (!got)
		file->next = NULL;
	else if (reader->files.count > 1)
		file->next_ns = time_of(reader, file->next);
	return 0;
}

/* Finds the file whose next record is the oldest; *@oldest NULL: all are at their end. */
static int find_oldest(struct perf_data *reader, struct perf_data_file **oldest, struct diag *why)
{
	*oldest = NULL;
	for (uint32_t i = 0; i < reader->files.count; i++) {
		struct perf_data_file *file = &reader->files.files[i];
		const int err = look_ahead(reader, file, why);

		if (err)
			return perf_data_files_name(&reader->files, file, err, why);
		if (file->next && (!*oldest || file->next_ns < (*oldest)->next_ns))
			*oldest = file;
	}
	return 0;
}

/* Queues how far the files were read, if that is further than at the last look. */
static int queue_progress(struct perf_data *reader)
{
	const struct queue_read read = how_far(reader);

	return read.bytes - reader->queued_bytes < READ_BYTES ? 0 : queue_read(reader);
}

static int queue_all(struct perf_data *reader, struct diag *why)
{
	struct perf_data_file *file;
	uint64_t count = 0;
	int err = queue_read(reader);

	if (err)
		return err;

	while (!(err = find_oldest(reader, &file, why)) && file) {
		const struct perf_event_header *record = file->next;

		if (is_stopped(reader))
			return -ECANCELED;
		file->next = NULL;
		err = take_record(reader, file, record, file->next_offset, why);
		if (!err && ++count % MERGE_ROUND == 0 && reader->files.count > 1)
			err = finish_round(reader);
		if (!err && count % READ_RECORDS == 0)
			err = queue_progress(reader);
		if (err)
			return perf_data_files_name(&reader->files, file, err, why);
	}
	return err;
}

/* Ends the unpacker. Its reason for a failure replaces an apparently normal end of the records. */
static int end_unpacking(struct perf_data *reader, int err, struct diag *why)
{
	struct diag reason = { .err = 0 };

	if (!reader->is_unpacking || err == -ECANCELED)
		return err;
	shutdown(reader->unpacked_fd, SHUT_RDWR);	/* unblocks a worker that writes */
	reader->is_unpacking = false;
	if (reader->unpacker.end(reader->unpacker.owner, &reason) && !err) {
		*why = reason;
		err = reason.err;
	}
	return err;
}

static int unpack_files(struct perf_data *reader, struct diag *why)
{
	const struct perf_data_stop stop = { reader->room_fd, &reader->stop };

	return perf_data_files_unpack(&reader->files, &reader->unpacker, &stop, why);
}

/* Notes the time of a sample. */
static void widen(struct perf_data_span *span, uint64_t time_ns)
{
	if (!time_ns || time_ns >= SUMS_NS)
		return;
	if (time_ns < span->first_ns)
		span->first_ns = time_ns;
	if (time_ns > span->last_ns)
		span->last_ns = time_ns;
}

/* Reads the times of all records of @file, with a stream of its own. */
static int scan_times(struct perf_data *reader, const struct perf_data_file *file,
		      struct perf_data_span *span, struct diag *why)
{
	const struct perf_data_stream *from = &file->stream;
	const struct perf_event_header *record;
	struct perf_data_stream stream;
	uint64_t offset;
	int got = 0;

	if (perf_data_stream_init(&stream, from->fd, from->begin_offset, from->end_offset))
		return diag_set(why, -ENOMEM, "no memory for a buffer");
	while (!is_stopped(reader) &&
	       (got = perf_data_stream_next(&stream, &record, &offset, why)) > 0) {
		if (record->type == PERF_RECORD_SAMPLE)
			widen(span, time_of(reader, record));
		else if (record->type == PERF_DATA_RECORD_TRACING_DATA &&
			 (got = perf_data_stream_skip(&stream, perf_data_tracing_bytes(record),
						      why)))
			break;
	}
	perf_data_stream_finish(&stream);
	return is_stopped(reader) ? -ECANCELED : got;
}

/* Finds when the recording began and ended. perf writes it into the header unless it was killed or
 * wrote to a pipe; then all records are read for it. */
static int find_span(struct perf_data *reader, struct perf_data_span *span, struct diag *why)
{
	const struct perf_data_header *header = &reader->header;
	int err = 0;

	*span = (struct perf_data_span){ header->first_sample_ns, header->last_sample_ns, 0 };
	if (!span->last_ns) {
		if (header->is_compressed && reader->files.count == 1)
			return diag_set(why, -ENOTSUP, "this compressed recording does not say "
					"when it began and ended: give --begin and --end as "
					"seconds, as perf script prints them");
		span->first_ns = UINT64_MAX;
		for (uint32_t i = 0; i < reader->files.count && !err; i++)
			err = scan_times(reader, &reader->files.files[i], span, why);
	}
	if (span->first_ns > span->last_ns)
		span->first_ns = span->last_ns;		/* there is no sample */
	span->wall_offset_ns = header->has_wall ? header->wall_ns - header->wall_clock_ns
						: reader->files.written_ns - span->last_ns;
	return err;
}

static int resolve_range(struct perf_data *reader, struct diag *why)
{
	struct perf_data_span span = { 0 };
	int err = 0;

	if (perf_data_time_needs_span(&reader->begin) || perf_data_time_needs_span(&reader->end))
		err = find_span(reader, &span, why);
	if (err)
		return err;
	reader->begin_ns = perf_data_time_resolve(&reader->begin, &span);
	reader->end_ns = reader->end.kind == PERF_DATA_TIME_NONE
			 ? UINT64_MAX : perf_data_time_resolve(&reader->end, &span);
	return reader->begin_ns <= reader->end_ns ? 0
	       : diag_set(why, -EINVAL, "--end is before --begin: nothing of the recording is in "
			  "between");
}

static int read_files(struct perf_data *reader, struct diag *why)
{
	const bool is_apart = reader->header.is_compressed && reader->files.count > 1;
	int err = is_apart ? unpack_files(reader, why) : 0;

	if (!err)
		err = resolve_range(reader, why);
	if (!err)
		err = queue_all(reader, why);
	return err ? err : queue_read(reader);
}

static void *run_reader(void *argument)
{
	struct perf_data *reader = argument;
	struct diag why = { 0 };
	const int err = end_unpacking(reader, read_files(reader, &why), &why);

	if (err == -ECANCELED || (!err && queue_round_end(reader, UINT64_MAX)))
		return NULL;
	queue_end(reader, &why);
	return NULL;
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
	reader->items_fd = reader->room_fd = -1;
	reader->unpacked_fd = -1;
	err = perf_data_files_open(&reader->files, &reader->header, path, why);
	if (!err)
		err = open_queue_fds(reader, why);
	if (err) {
		diag_prefix(why, "%s", path);
		perf_data_close(reader);
		return err;
	}
	*out = reader;
	return 0;
}

void perf_data_stop(struct perf_data *reader)
{
	atomic_store_explicit(&reader->stop, true, memory_order_release);	/* is_stopped() */
	signal_fd(reader->room_fd);
	if (reader->unpacked_fd >= 0)
		shutdown(reader->unpacked_fd, SHUT_RDWR);
}

void perf_data_close(struct perf_data *reader)
{
	struct diag why;

	if (!reader)
		return;
	if (reader->is_running) {
		perf_data_stop(reader);
		pthread_join(reader->thread, NULL);
	}
	if (reader->is_unpacking)
		reader->unpacker.end(reader->unpacker.owner, &why);
	if (reader->unpacked_fd >= 0)
		close(reader->unpacked_fd);
	perf_data_files_finish(&reader->files);
	perf_data_header_finish(&reader->header);
	read_growth_finish(&reader->growth);
	if (reader->items_fd >= 0)
		close(reader->items_fd);
	if (reader->room_fd >= 0)
		close(reader->room_fd);
	free(reader);
}

void perf_data_set_unpacker(struct perf_data *reader, const struct perf_data_unpacker *unpacker)
{
	reader->unpacker = *unpacker;
}

int perf_data_set_range(struct perf_data *reader, const struct perf_data_time *begin,
			const struct perf_data_time *end, struct diag *why)
{
	const struct record_format *format = &reader->header.events[0].format;

	if (begin->kind == PERF_DATA_TIME_NONE && end->kind == PERF_DATA_TIME_NONE)
		return 0;
	if (!(format->sample_type & PERF_SAMPLE_TIME))
		return diag_set(why, -ENOTSUP, "its samples have no times, for --begin and --end: "
				"record with perf record -T");
	reader->begin = *begin;
	reader->end = *end;
	return 0;
}

/* Starts to unpack a single file, which is read meanwhile. */
static int begin_unpacking(struct perf_data *reader, struct diag *why)
{
	struct perf_data_file *file = &reader->files.files[0];
	int err;

	if (!reader->unpacker.begin)
		return diag_set(why, -ENOTSUP, "nothing here unpacks a compressed recording");
	if (reader->files.count > 1)
		return 0;	/* unpack_files() unpacks all of them before they are read */
	err = reader->unpacker.begin(reader->unpacker.owner, file->fd,
				     reader->header.records_offset, reader->header.records_end,
				     &reader->unpacked_fd, why);
	if (err)
		return err;
	reader->is_unpacking = true;
	perf_data_stream_finish(&file->stream);
	if (perf_data_stream_init_unpacked(&file->stream, reader->unpacked_fd))
		return diag_set(why, -ENOMEM, "no memory for a buffer");
	return 0;
}

int perf_data_start(struct perf_data *reader, struct spsc *queue, struct diag *why)
{
	int err = reader->header.is_compressed ? begin_unpacking(reader, why) : 0;

	assert(!reader->is_running && queue->capacity >= PERF_DATA_QUEUE_MIN_BYTES);
	if (err)
		return err;
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

int perf_data_show_waits(struct perf_data *reader, struct diag *why)
{
	return perf_data_header_show_waits(&reader->header, why);
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

const char *perf_data_kernel_release(const struct perf_data *reader)
{
	return reader->header.kernel_release ? reader->header.kernel_release : "";
}

const char *perf_data_machine(const struct perf_data *reader)
{
	return reader->header.machine_name ? reader->header.machine_name : "";
}

int perf_data_kernel_names(const struct perf_data *reader)
{
	return reader->files.kernel_names_fd;
}

uint64_t perf_data_written_ns(const struct perf_data *reader)
{
	return reader->files.written_ns;
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

const struct core_pmus *perf_data_pmus(const struct perf_data *reader)
{
	return &reader->header.pmus;
}

const struct perf_data_build_id *perf_data_build_ids(const struct perf_data *reader, size_t *count)
{
	*count = reader->header.build_id_count;
	return reader->header.build_ids;
}
