/* perf_data_header.c - see perf_data_header.h.
 *
 * Problem: the same facts lie in sections of a file or in records of a stream, and perf wrote them
 * with attrs of many sizes since 2009.
 *
 * Idea: first find the bytes (section or record), check that they lie inside the file, then pass
 * them to the one function that parses them: add_event() for an attr and its ids,
 * perf_data_feature_take() for a feature. A shorter attr is extended with zeros, a longer one cut
 * to the known part: fields are only ever appended.
 */
#include "perf_data_header.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/sanitize.h"
#include "perf_data_stream.h"

#define MAGIC		UINT64_C(0x32454c4946524550)	/* "PERFILE2" */
#define MAGIC_SWAPPED	UINT64_C(0x50455246494c4532)
#define FEATURE_BITS	256
#define FEATURE_MAX_BYTES (UINT64_C(64) << 20)	/* known features have a few KiB */
#define EVENTS_MAX	UINT16_MAX		/* queue_item.event */
#define EVENT_UPDATE_NAME 2

struct section {
	uint64_t offset, bytes;
};

struct file_header {
	uint64_t magic, header_bytes;	/* a piped recording has only these */
	uint64_t attr_bytes;		/* size of an attr and the section of its ids */
	struct section attrs, records, event_types;
	uint64_t features[FEATURE_BITS / 64];
};

#define PIPE_HEADER_BYTES (2 * sizeof(uint64_t))

static int no_memory(struct diag *why)
{
	return diag_set(why, -ENOMEM, "no memory for the recording's header");
}

static int check_section(const struct section *section, uint64_t file_bytes, const char *name,
			 struct diag *why)
{
	if (section->offset <= file_bytes && section->bytes <= file_bytes - section->offset)
		return 0;
	return diag_set(why, -EBADMSG, "the recording is truncated: its %s section begins at byte "
			"%" PRIu64 " and has %" PRIu64 " bytes, but the file ends at byte %" PRIu64,
			name, section->offset, section->bytes, file_bytes);
}

/* Copies an attr of @stored_bytes. Returns 0; -EBADMSG: smaller than PERF_ATTR_SIZE_VER0. */
static int read_attr(const void *stored, uint64_t stored_bytes, struct perf_event_attr *attr,
		     struct diag *why)
{
	memset(attr, 0, sizeof(*attr));
	if (stored_bytes < PERF_ATTR_SIZE_VER0)
		return diag_set(why, -EBADMSG, "an event attr of %" PRIu64 " bytes: the smallest "
				"has %u", stored_bytes, PERF_ATTR_SIZE_VER0);
	memcpy(attr, stored, stored_bytes < sizeof(*attr) ? (size_t)stored_bytes : sizeof(*attr));
	return 0;
}

static int add_event(struct perf_data_header *header, const struct perf_event_attr *attr,
		     const uint64_t *ids, size_t id_count, struct diag *why)
{
	const size_t index = header->event_count;
	struct event_desc *event;

	if (index >= EVENTS_MAX)
		return diag_set(why, -EBADMSG, "the recording has more than %u events", EVENTS_MAX);
	event = realloc(header->events, (index + 1) * sizeof(*event));
	if (!event)
		return no_memory(why);
	header->events = event;
	event = &header->events[index];
	*event = (struct event_desc){
		.freq_hz = attr->freq ? attr->sample_freq : 0,
		.fixed_period = attr->freq ? 0 : attr->sample_period,
		.is_sideband = attr->type == PERF_TYPE_SOFTWARE &&
			       attr->config == PERF_COUNT_SW_DUMMY,
	};
	if (attr->type == PERF_TYPE_TRACEPOINT)
		event->tracepoint = attr->config;
	record_format_init(&event->format, attr);
	event->format.has_read_period = attr->sample_type & PERF_SAMPLE_READ &&
					attr->read_format & PERF_FORMAT_ID;
	event->has_values_by_thread = attr->inherit && attr->sample_type & PERF_SAMPLE_TID;
	if (attr->sample_type & PERF_SAMPLE_STACK_USER)
		event->copy_bytes = attr->sample_stack_user;
	perf_data_name_event(attr, event->name, sizeof(event->name));
	header->event_count++;
	for (size_t i = 0; i < id_count; i++) {
		if (id_map_put(&header->event_of_id, ids[i], (uint32_t)index))
			return no_memory(why);
	}
	return 0;
}

static int read_event(struct perf_data_header *header, int fd, uint64_t file_bytes, uint64_t offset,
		      uint64_t entry_bytes, struct diag *why)
{
	unsigned char entry[1024];	/* an attr has 136 bytes today */
	struct perf_event_attr attr;
	struct section ids;
	uint64_t *values;
	int err;

	err = perf_data_read_at(fd, offset, entry, (size_t)entry_bytes, why);
	if (err)
		return err;
	memcpy(&ids, entry + entry_bytes - sizeof(ids), sizeof(ids));
	err = read_attr(entry, entry_bytes - sizeof(ids), &attr, why);
	if (!err)
		err = check_section(&ids, file_bytes, "event id", why);
	if (err)
		return err;
	values = malloc(ids.bytes + 1);
	if (!values)
		return no_memory(why);
	err = perf_data_read_at(fd, ids.offset, values, (size_t)ids.bytes, why);
	if (!err)
		err = add_event(header, &attr, values, ids.bytes / sizeof(*values), why);
	free(values);
	return err;
}

/* Copies has_build_ids to all events: one has the maps of all, and any format may parse them. */
static void share_build_ids(struct perf_data_header *header)
{
	bool is_any = false;

	for (size_t i = 0; i < header->event_count; i++)
		is_any |= header->events[i].format.has_build_ids;
	for (size_t i = 0; i < header->event_count; i++)
		header->events[i].format.has_build_ids = is_any;
}

static int read_events(struct perf_data_header *header, int fd, const struct file_header *file,
		       uint64_t file_bytes, struct diag *why)
{
	int err = check_section(&file->attrs, file_bytes, "event", why);

	if (err)
		return err;
	if (file->attr_bytes < PERF_ATTR_SIZE_VER0 + sizeof(struct section) ||
	    file->attr_bytes > 1024 || file->attrs.bytes % file->attr_bytes)
		return diag_set(why, -EBADMSG, "the recording's header (byte 16) is damaged: event "
				"entries of %" PRIu64 " bytes", file->attr_bytes);
	for (uint64_t at = 0; at < file->attrs.bytes && !err; at += file->attr_bytes)
		err = read_event(header, fd, file_bytes, file->attrs.offset + at,
				 file->attr_bytes, why);
	share_build_ids(header);
	return err;
}

static int read_feature(struct perf_data_header *header, int fd, uint64_t file_bytes, uint32_t bit,
			const struct section *section, struct diag *why)
{
	void *bytes;
	int err;

	err = check_section(section, file_bytes, "feature", why);
	if (err)
		return err;
	if (section->bytes > FEATURE_MAX_BYTES)
		return 0;	/* BPF programs, ...: not used */
	bytes = malloc(section->bytes + 1);
	if (!bytes)
		return no_memory(why);
	err = perf_data_read_at(fd, section->offset, bytes, (size_t)section->bytes, why);
	if (!err)
		err = perf_data_feature_take(header, bit, bytes, (size_t)section->bytes, why);
	free(bytes);
	return err;
}

/* Reads the features: after the records, a section for each feature bit set, lowest first. */
static int read_features(struct perf_data_header *header, int fd, const struct file_header *file,
			 uint64_t file_bytes, struct diag *why)
{
	uint64_t offset = file->records.offset + file->records.bytes;
	int err = 0;

	for (uint32_t bit = 0; bit < FEATURE_BITS && !err; bit++) {
		struct section section;

		if (!(file->features[bit / 64] >> bit % 64 & 1))
			continue;
		err = perf_data_read_at(fd, offset, &section, sizeof(section), why);
		if (!err)
			err = read_feature(header, fd, file_bytes, bit, &section, why);
		offset += sizeof(section);
	}
	return err;
}

static int read_sections(struct perf_data_header *header, int fd, uint64_t file_bytes,
			 struct diag *why)
{
	struct file_header file;
	int err;

	err = perf_data_read_at(fd, 0, &file, sizeof(file), why);
	if (err)
		return err;
	if (!file.records.bytes)
		return diag_set(why, -EBADMSG, "the recording was not finished (data size 0 at "
				"byte 48): perf record was killed while it wrote");
	err = check_section(&file.records, file_bytes, "data", why);
	if (err)
		return err;
	header->records_offset = file.records.offset;
	header->records_end = file.records.offset + file.records.bytes;
	err = read_events(header, fd, &file, file_bytes, why);
	if (!err)
		err = read_features(header, fd, &file, file_bytes, why);
	return err;
}

static int take_attr_record(struct perf_data_header *header, const struct perf_event_header *record,
			    struct diag *why)
{
	const unsigned char *bytes = (const unsigned char *)(record + 1);
	const size_t size = record->size - sizeof(*record);
	struct perf_event_attr attr;
	uint32_t attr_bytes = 0;
	int err;

	if (size >= PERF_ATTR_SIZE_VER0)
		memcpy(&attr_bytes, bytes + offsetof(struct perf_event_attr, size),
		       sizeof(attr_bytes));
	if (!attr_bytes)
		attr_bytes = PERF_ATTR_SIZE_VER0;
	if (attr_bytes > size || attr_bytes % sizeof(uint64_t))
		return diag_set(why, -EBADMSG, "an event attr of %u bytes in a record of %zu",
				attr_bytes, size);
	err = read_attr(bytes, attr_bytes, &attr, why);
	if (err)
		return err;
	return add_event(header, &attr, (const uint64_t *)(const void *)(bytes + attr_bytes),
			 (size - attr_bytes) / sizeof(uint64_t), why);
}

static void take_event_update(struct perf_data_header *header,
			      const struct perf_event_header *record)
{
	const uint64_t *words = (const uint64_t *)(const void *)(record + 1);
	const size_t size = record->size - sizeof(*record);
	struct event_desc *event;
	uint32_t index;

	if (size <= 2 * sizeof(*words) || words[0] != EVENT_UPDATE_NAME)
		return;
	index = id_map_get(&header->event_of_id, words[1]);
	if (index == ID_MAP_NONE)
		return;
	event = &header->events[index];
	sanitize_text(event->name, sizeof(event->name), (const char *)(words + 2),
		      size - 2 * sizeof(*words));
}

static int take_feature_record(struct perf_data_header *header,
			       const struct perf_event_header *record, struct diag *why)
{
	const uint64_t *bit = (const uint64_t *)(const void *)(record + 1);

	if (record->size < sizeof(*record) + sizeof(*bit))
		return diag_set(why, -EBADMSG, "a feature record of %u bytes", record->size);
	if (*bit >= FEATURE_BITS)
		return 0;
	return perf_data_feature_take(header, (uint32_t)*bit, bit + 1,
				      record->size - sizeof(*record) - sizeof(*bit), why);
}

uint64_t perf_data_tracing_bytes(const struct perf_event_header *record)
{
	uint32_t bytes = 0;

	if (record->size >= sizeof(*record) + sizeof(bytes))
		memcpy(&bytes, record + 1, sizeof(bytes));
	return ((uint64_t)bytes + 7) & ~UINT64_C(7);
}

/* Reads { tracepoint id, name }, which perf wrote into pipes before it wrote EVENT_UPDATE. */
static void take_event_type(struct perf_data_header *header, const struct perf_event_header *record)
{
	const uint64_t *words = (const uint64_t *)(const void *)(record + 1);

	if (record->size <= sizeof(*record) + sizeof(*words))
		return;
	for (size_t i = 0; i < header->event_count; i++) {
		struct event_desc *event = &header->events[i];

		if (event->tracepoint && event->tracepoint == words[0])
			sanitize_text(event->name, sizeof(event->name), (const char *)(words + 1),
				      record->size - sizeof(*record) - sizeof(*words));
	}
}

/* Reads the bytes after a TRACING_DATA record, which are not records. */
static int take_tracing(struct perf_data_header *header, struct perf_data_stream *stream,
			const struct perf_event_header *record, struct diag *why)
{
	const uint64_t bytes = perf_data_tracing_bytes(record), at = stream->next_offset;
	void *tracing;
	int err = perf_data_stream_skip(stream, bytes, why);

	if (err || bytes > FEATURE_MAX_BYTES)
		return err;
	tracing = malloc(bytes + 1);
	if (!tracing)
		return no_memory(why);
	err = perf_data_read_at(stream->fd, at, tracing, (size_t)bytes, why);
	if (!err)
		err = perf_data_tracing_take(header, tracing, (size_t)bytes, why);
	free(tracing);
	return err;
}

static int take_header_record(struct perf_data_header *header, struct perf_data_stream *stream,
			      const struct perf_event_header *record, struct diag *why)
{
	switch (record->type) {
	case PERF_DATA_RECORD_ATTR:
		return take_attr_record(header, record, why);
	case PERF_DATA_RECORD_EVENT_UPDATE:
		take_event_update(header, record);
		return 0;
	case PERF_DATA_RECORD_FEATURE:
		return take_feature_record(header, record, why);
	case PERF_DATA_RECORD_BUILD_ID:
		return perf_data_feature_take(header, PERF_DATA_FEATURE_BUILD_ID, record,
					      record->size, why);
	case PERF_DATA_RECORD_EVENT_TYPE:
		take_event_type(header, record);
		return 0;
	case PERF_DATA_RECORD_TRACING_DATA:
		return take_tracing(header, stream, record, why);
	default:
		return 0;
	}
}

/* Reads the header of a piped recording. Names and build-ids may be anywhere in the stream, so it
 * scans all of it. */
static int read_piped(struct perf_data_header *header, int fd, uint64_t file_bytes,
		      struct diag *why)
{
	const struct perf_event_header *record;
	struct perf_data_stream stream;
	uint64_t offset;
	int err;

	header->is_piped = true;
	header->records_offset = PIPE_HEADER_BYTES;
	header->records_end = file_bytes;
	if (perf_data_stream_init(&stream, fd, header->records_offset, header->records_end))
		return no_memory(why);
	while ((err = perf_data_stream_next(&stream, &record, &offset, why)) > 0) {
		err = take_header_record(header, &stream, record, why);
		if (err) {
			diag_prefix(why, "record at byte %" PRIu64, offset);
			break;
		}
	}
	perf_data_stream_finish(&stream);
	return err;
}

/* Checks that with several events the id is at the same place in the records of all. */
static int check_event_ids(const struct perf_data_header *header, struct diag *why)
{
	const uint64_t before_id = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID | PERF_SAMPLE_IP |
				   PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
	const uint64_t after_id = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
				  PERF_SAMPLE_CPU;

	for (size_t i = 0; header->event_count > 1 && i < header->event_count; i++) {
		const uint64_t type = header->events[i].format.sample_type;
		const uint64_t differs = type ^ header->events[0].format.sample_type;

		if (type & PERF_SAMPLE_IDENTIFIER && !(differs & PERF_SAMPLE_IDENTIFIER))
			continue;
		if (!(type & PERF_SAMPLE_ID) || differs & (before_id | after_id))
			return diag_set(why, -ENOTSUP, "the recording's %zu events cannot be told "
					"apart: record each on its own, or with a newer perf",
					header->event_count);
	}
	return 0;
}

int perf_data_header_read(struct perf_data_header *header, int fd, uint64_t file_bytes,
			  struct diag *why)
{
	uint64_t start[2];
	int err;

	if (file_bytes < sizeof(start))
		return diag_set(why, -EBADMSG, "%" PRIu64 " bytes are too short for a recording of "
				"perf", file_bytes);
	err = perf_data_read_at(fd, 0, start, sizeof(start), why);
	if (err)
		return err;
	if (start[0] == MAGIC_SWAPPED)
		return diag_set(why, -ENOTSUP, "the recording comes from a machine of the other "
				"byte order: read it there");
	if (start[0] != MAGIC)
		return diag_set(why, -EBADMSG, "no recording of perf: byte 0 is not \"PERFILE2\"");
	if (start[1] == PIPE_HEADER_BYTES)
		err = read_piped(header, fd, file_bytes, why);
	else if (start[1] == sizeof(struct file_header))
		err = read_sections(header, fd, file_bytes, why);
	else
		err = diag_set(why, -EBADMSG, "the recording's header (byte 8) is damaged: it says "
			       "it has %" PRIu64 " bytes", start[1]);
	if (!err && !header->event_count)
		err = diag_set(why, -EBADMSG, "the recording has no events");
	return err ? err : check_event_ids(header, why);
}

void perf_data_header_finish(struct perf_data_header *header)
{
	for (size_t i = 0; i < header->build_id_count; i++)
		free(header->build_ids[i].path);
	for (size_t i = 0; i < header->format_count; i++)
		free(header->formats[i]);
	free(header->formats);
	free(header->build_ids);
	free(header->events);
	free(header->host);
	free(header->kernel_release);
	free(header->sockets);
	id_map_finish(&header->event_of_id);
	*header = (struct perf_data_header){ 0 };
}
