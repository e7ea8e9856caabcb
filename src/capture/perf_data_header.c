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
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sanitize.h"
#include "capture/scope.h"
#include "perf_data_stream.h"

/* Names an event from nothing but its attr.
 *
 * Recordings that kept no event descriptions show the same names here as in perf-report(1), so that
 * results can be compared. Source: perf's names as perf-list(1) prints them first.
 */

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const char *const hardware_names[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES] = "cycles",
	[PERF_COUNT_HW_INSTRUCTIONS] = "instructions",
	[PERF_COUNT_HW_CACHE_REFERENCES] = "cache-references",
	[PERF_COUNT_HW_CACHE_MISSES] = "cache-misses",
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = "branches",
	[PERF_COUNT_HW_BRANCH_MISSES] = "branch-misses",
	[PERF_COUNT_HW_BUS_CYCLES] = "bus-cycles",
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = "stalled-cycles-frontend",
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = "stalled-cycles-backend",
	[PERF_COUNT_HW_REF_CPU_CYCLES] = "ref-cycles",
};

static const char *const software_names[PERF_COUNT_SW_MAX] = {
	[PERF_COUNT_SW_CPU_CLOCK] = "cpu-clock",
	[PERF_COUNT_SW_TASK_CLOCK] = "task-clock",
	[PERF_COUNT_SW_PAGE_FAULTS] = "page-faults",
	[PERF_COUNT_SW_CONTEXT_SWITCHES] = "context-switches",
	[PERF_COUNT_SW_CPU_MIGRATIONS] = "cpu-migrations",
	[PERF_COUNT_SW_PAGE_FAULTS_MIN] = "minor-faults",
	[PERF_COUNT_SW_PAGE_FAULTS_MAJ] = "major-faults",
	[PERF_COUNT_SW_ALIGNMENT_FAULTS] = "alignment-faults",
	[PERF_COUNT_SW_EMULATION_FAULTS] = "emulation-faults",
	[PERF_COUNT_SW_DUMMY] = "dummy",
	[PERF_COUNT_SW_BPF_OUTPUT] = "bpf-output",
	[PERF_COUNT_SW_CGROUP_SWITCHES] = "cgroup-switches",
};

static const char *const cache_names[PERF_COUNT_HW_CACHE_MAX] = {
	[PERF_COUNT_HW_CACHE_L1D] = "L1-dcache",
	[PERF_COUNT_HW_CACHE_L1I] = "L1-icache",
	[PERF_COUNT_HW_CACHE_LL] = "LLC",
	[PERF_COUNT_HW_CACHE_DTLB] = "dTLB",
	[PERF_COUNT_HW_CACHE_ITLB] = "iTLB",
	[PERF_COUNT_HW_CACHE_BPU] = "branch",
	[PERF_COUNT_HW_CACHE_NODE] = "node",
};

/* Words by operation: before "-misses", and alone for accesses. */
static const char *const operation_names[PERF_COUNT_HW_CACHE_OP_MAX][2] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = { "load", "loads" },
	[PERF_COUNT_HW_CACHE_OP_WRITE] = { "store", "stores" },
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = { "prefetch", "prefetches" },
};

static const char *name_in(const char *const *names, size_t count, uint64_t config,
			   const char *unknown)
{
	return config < count && names[config] ? names[config] : unknown;
}

static void name_cache_event(uint64_t config, char *out, size_t size)
{
	const uint64_t cache = config & 0xff, operation = config >> 8 & 0xff,
		       result = config >> 16 & 0xff;

	if (cache >= PERF_COUNT_HW_CACHE_MAX)
		snprintf(out, size, "unknown-ext-hardware-cache-type");
	else if (operation >= PERF_COUNT_HW_CACHE_OP_MAX)
		snprintf(out, size, "unknown-ext-hardware-cache-op");
	else if (result >= PERF_COUNT_HW_CACHE_RESULT_MAX)
		snprintf(out, size, "unknown-ext-hardware-cache-result");
	else if (result == PERF_COUNT_HW_CACHE_RESULT_MISS)
		snprintf(out, size, "%s-%s-misses", cache_names[cache],
			 operation_names[operation][0]);
	else
		snprintf(out, size, "%s-%s", cache_names[cache], operation_names[operation][1]);
}

/* Appends the modifiers after the colon: the levels counted and the precision. */
static void add_modifiers(const struct perf_event_attr *attr, char *out, size_t size)
{
	const bool some_level_excluded = attr->exclude_kernel || attr->exclude_user ||
					 attr->exclude_hv;
	const bool expected_guest = some_level_excluded || attr->precise_ip;
	char letters[8] = "";
	size_t count = 0;

	if (some_level_excluded) {
		if (!attr->exclude_kernel)
			letters[count++] = 'k';
		if (!attr->exclude_user)
			letters[count++] = 'u';
		if (!attr->exclude_hv)
			letters[count++] = 'h';
	}
	for (unsigned int i = 0; i < attr->precise_ip; i++)
		letters[count++] = 'p';
	if (attr->exclude_host || attr->exclude_guest == expected_guest) {
		if (!attr->exclude_host)
			letters[count++] = 'H';
		if (!attr->exclude_guest)
			letters[count++] = 'G';
	}
	letters[count] = '\0';
	if (count) {
		const size_t used = strlen(out);

		snprintf(out + used, size - used, ":%s", letters);
	}
}

/* Writes the name that perf 6.1 gives an event without a recorded name. */
static void write_event_name(const struct perf_event_attr *attr, char *out, size_t size)
{
	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		snprintf(out, size, "%s", name_in(hardware_names, COUNT_OF(hardware_names),
						  attr->config, "unknown-hardware"));
		break;
	case PERF_TYPE_SOFTWARE:
		snprintf(out, size, "%s", name_in(software_names, COUNT_OF(software_names),
						  attr->config, "unknown-software"));
		break;
	case PERF_TYPE_HW_CACHE:
		name_cache_event(attr->config, out, size);
		break;
	case PERF_TYPE_RAW:
		snprintf(out, size, "raw 0x%" PRIx64, (uint64_t)attr->config);
		break;
	case PERF_TYPE_TRACEPOINT:
		snprintf(out, size, "%s", PERF_DATA_UNKNOWN_TRACEPOINT);
		return;
	case PERF_TYPE_BREAKPOINT:
		snprintf(out, size, "mem:0x%" PRIx64 ":%s%s%s", (uint64_t)attr->bp_addr,
			 attr->bp_type & HW_BREAKPOINT_R ? "r" : "",
			 attr->bp_type & HW_BREAKPOINT_W ? "w" : "",
			 attr->bp_type & HW_BREAKPOINT_X ? "x" : "");
		break;
	default:
		snprintf(out, size, "unknown attr type: %u", attr->type);
		return;
	}
	add_modifiers(attr, out, size);
}

#define MAGIC		UINT64_C(0x32454c4946524550)	/* "PERFILE2" */
#define MAGIC_SWAPPED	UINT64_C(0x50455246494c4532)
#define FEATURE_MAX_BYTES (UINT64_C(64) << 20)	/* known features have a few KiB */
#define EVENTS_MAX	UINT16_MAX		/* queue_item.event */
#define EVENT_UPDATE_NAME 2

static int no_memory(struct diag *why)
{
	return diag_set(why, -ENOMEM, "no memory for the recording's header");
}

static int check_section(const struct perf_data_section *section, uint64_t file_bytes,
			 const char *name, struct diag *why)
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
	event_desc_identify(event, attr);
	record_format_init(&event->format, attr);
	event->format.has_read_period = attr->sample_type & PERF_SAMPLE_READ &&
					attr->read_format & PERF_FORMAT_ID;
	event->has_values_by_thread = attr->inherit && attr->sample_type & PERF_SAMPLE_TID;
	if (attr->sample_type & PERF_SAMPLE_STACK_USER)
		event->copy_bytes = attr->sample_stack_user;
	write_event_name(attr, event->name, sizeof(event->name));
	header->event_count++;
	for (size_t i = 0; i < id_count; i++) {
		if (id_map_put(&header->event_of_id, ids[i], (uint32_t)index))
			return no_memory(why);
	}
	return 0;
}

/* Reads the event at @offset. Ids are between other sections, never in the records: *@ids_left is
 * how many bytes those of this and later events can have, so that a damaged size does not make ids
 * of a whole recording. */
static int read_event(struct perf_data_header *header, int fd, uint64_t file_bytes, uint64_t offset,
		      uint64_t entry_bytes, uint64_t *ids_left, struct diag *why)
{
	unsigned char entry[1024];	/* an attr has 136 bytes today */
	struct perf_event_attr attr;
	struct perf_data_section ids;
	uint64_t *values;
	int err;

	err = perf_data_read_at(fd, offset, entry, (size_t)entry_bytes, why);
	if (err)
		return err;
	memcpy(&ids, entry + entry_bytes - sizeof(ids), sizeof(ids));
	err = read_attr(entry, entry_bytes - sizeof(ids), &attr, why);
	if (!err)
		err = check_section(&ids, file_bytes, "event id", why);
	if (!err && ids.bytes > *ids_left)
		err = diag_set(why, -EBADMSG, "the recording's event at byte %" PRIu64 " is "
			       "damaged: %" PRIu64 " bytes of ids, but only %" PRIu64 " of the "
			       "file can be ids", offset, ids.bytes, *ids_left);
	if (err)
		return err;
	*ids_left -= ids.bytes;
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

static int read_events(struct perf_data_header *header, int fd,
		       const struct perf_data_file_header *file, uint64_t file_bytes,
		       struct diag *why)
{
	uint64_t ids_left = file_bytes - (header->records_end - header->records_offset);
	int err = check_section(&file->attrs, file_bytes, "event", why);

	if (err)
		return err;
	if (file->attr_bytes < PERF_ATTR_SIZE_VER0 + sizeof(struct perf_data_section) ||
	    file->attr_bytes > 1024 || file->attrs.bytes % file->attr_bytes)
		return diag_set(why, -EBADMSG, "the recording's header (byte 16) is damaged: event "
				"entries of %" PRIu64 " bytes", file->attr_bytes);
	for (uint64_t at = 0; at < file->attrs.bytes && !err; at += file->attr_bytes)
		err = read_event(header, fd, file_bytes, file->attrs.offset + at,
				 file->attr_bytes, &ids_left, why);
	share_build_ids(header);
	return err;
}

bool perf_data_header_has_feature(const struct perf_data_file_header *file, uint32_t bit)
{
	return file->features[bit / 64] >> bit % 64 & 1;
}

static int read_feature(struct perf_data_header *header, int fd, uint64_t file_bytes, uint32_t bit,
			const struct perf_data_section *section, struct diag *why)
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
static int read_features(struct perf_data_header *header, int fd,
			 const struct perf_data_file_header *file, uint64_t file_bytes,
			 struct diag *why)
{
	uint64_t offset = file->records.offset + file->records.bytes;
	int err = 0;

	for (uint32_t bit = 0; bit < PERF_DATA_FEATURE_BITS && !err; bit++) {
		struct perf_data_section section;

		if (!perf_data_header_has_feature(file, bit))
			continue;
		err = perf_data_read_at(fd, offset, &section, sizeof(section), why);
		if (!err)
			err = read_feature(header, fd, file_bytes, bit, &section, why);
		offset += sizeof(section);
	}
	return err;
}

/* Returns @err; where the header is walked through in spite of damage, notes it and returns 0. */
static int forgive(struct perf_data_header *header, int err, const struct diag *why)
{
	if (!err || !header->damage)
		return err;
	if (err == -EBADMSG && !header->damage->err)
		*header->damage = *why;
	return err == -ENOMEM ? err : 0;
}

/* Finds the records. Those of a recording that was not finished, or was cut off, end with the
 * file. */
static int find_records(struct perf_data_header *header, const struct perf_data_file_header *file,
			uint64_t file_bytes, struct diag *why)
{
	int err;

	header->records_offset = file->records.offset;
	header->records_end = file->records.offset + file->records.bytes;
	if (!file->records.bytes && !file->attrs.bytes)
		err = diag_set(why, -EBADMSG, "nothing is recorded in it: the recorder was "
			       "killed before its first record");
	else if (!file->records.bytes)
		err = diag_set(why, -EBADMSG, "the recording was not finished (data size 0 at "
			       "byte 48): its recorder was killed while it wrote");
	else
		err = check_section(&file->records, file_bytes, "data", why);
	if (err && file->records.offset <= file_bytes)
		header->records_end = file_bytes;
	else if (err)
		header->records_offset = header->records_end = 0;
	return forgive(header, err, why);
}

static int read_sections(struct perf_data_header *header, int fd, uint64_t file_bytes,
			 struct diag *why)
{
	struct perf_data_file_header file;
	int err;

	err = perf_data_read_at(fd, 0, &file, sizeof(file), why);
	if (err)
		return err;
	err = find_records(header, &file, file_bytes, why);
	if (err)
		return err;
	err = read_events(header, fd, &file, file_bytes, why);
	if (!err)
		err = forgive(header, read_features(header, fd, &file, file_bytes, why), why);
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
	if (*bit >= PERF_DATA_FEATURE_BITS)
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
	header->records_offset = PERF_DATA_PIPE_HEADER_BYTES;
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
	return forgive(header, err, why);
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
			return diag_set(why, -ENOTSUP, "the recording's %zu events cannot be "
					"told apart: record each on its own, or with a newer perf",
					header->event_count);
	}
	return 0;
}

/* Reads "PMU/EVENT[:MODIFIERS]/[MODIFIERS]", as perf names a generic event of one kind
 * of cores: writes "EVENT[:MODIFIERS]" into @out and returns true. */
static bool name_for_all_cores(const char *name, char *out, size_t room)
{
	const char *event = strchr(name, '/');
	const char *end = event ? strchr(event + 1, '/') : NULL;
	struct perf_event_attr attr;
	char word[sizeof(((struct event_desc *)NULL)->name)];

	if (!end)
		return false;
	event++;
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(event, ":/"), event);
	snprintf(out, room, "%.*s%s%s", (int)(end - event), event,
		 end[1] && !memchr(event, ':', (size_t)(end - event)) ? ":" : "", end + 1);
	return event_names_find(word, &attr);
}

/* True if the samples of both events can be those of one, and say which CPU they are from. @of_a:
 * name of @a for all cores. */
static bool can_be_one(const struct event_desc *a, const char *of_a, const struct event_desc *b)
{
	char of_b[sizeof(b->name)];

	return name_for_all_cores(b->name, of_b, sizeof(of_b)) && !strcmp(of_a, of_b) &&
	       a->format.sample_type & PERF_SAMPLE_CPU && a->freq_hz == b->freq_hz &&
	       a->fixed_period == b->fixed_period && a->copy_bytes == b->copy_bytes &&
	       a->format.sample_type == b->format.sample_type &&
	       a->format.read_format == b->format.read_format &&
	       a->format.branch_sample_type == b->format.branch_sample_type &&
	       a->format.user_regs_mask == b->format.user_regs_mask &&
	       a->format.intr_regs_mask == b->format.intr_regs_mask &&
	       a->format.sample_id_all == b->format.sample_id_all;
}

static void replace_event(struct perf_data_header *header, size_t index, size_t by)
{
	header->event_count--;
	memmove(&header->events[index], &header->events[index + 1],
		(header->event_count - index) * sizeof(*header->events));
	for (uint32_t i = 0; i < header->event_of_id.slots; i++) {
		uint32_t *event = &header->event_of_id.rows[i].value;

		if (*event == index)
			*event = (uint32_t)by;
		else if (*event != ID_MAP_NONE && *event > index)
			--*event;
	}
}

/* Joins the events that perf opened for one event, one per kind of cores. A recording with more
 * events than can be shown is refused later: all pairs of 65,535 would take too long here. */
static void join_core_pmus(struct perf_data_header *header)
{
	if (header->event_count > CAPTURE_MAX_EVENTS + 1)
		return;
	for (size_t i = 0; i < header->event_count; i++) {
		struct event_desc *event = &header->events[i];
		char name[sizeof(event->name)];
		bool is_joined = false;

		if (!name_for_all_cores(event->name, name, sizeof(name)))
			continue;
		for (size_t other = header->event_count; other-- > i + 1;)
			if (can_be_one(event, name, &header->events[other])) {
				replace_event(header, other, i);
				is_joined = true;
			}
		if (is_joined)
			memcpy(event->name, name, sizeof(name));
	}
}

/* Sets whose registers the samples have. perf writes the machine into each recording; where an old
 * or a filtered one lacks it, the masks of the own machine refuse those of others. */
static void set_machine(struct perf_data_header *header)
{
	for (size_t i = 0; header->machine_name && i < header->event_count; i++)
		header->events[i].format.machine = machine_of_name(header->machine_name);
}

static bool is_sampled_whole(const struct event_desc *event, const char *name)
{
	return event->raw_format && event->fixed_period <= 1 && !event->freq_hz && !event->probe &&
	       !strcmp(event->name, name);
}

/* Moves the events that are not shown to the end, if flametop's probes are among them. Returns 0 or
 * -ENOMEM. */
static int end_with_hidden(struct perf_data_header *header, struct diag *why)
{
	const size_t count = header->event_count;
	struct event_desc *events;
	uint32_t *number, at = 0;
	size_t probes = 0;

	for (size_t i = 0; i < count; i++)
		probes += header->events[i].probe != NULL;
	if (!probes)
		return 0;
	events = malloc(count * sizeof(*events));
	number = malloc(count * sizeof(*number));
	for (int hidden = 0; events && number && hidden < 2; hidden++)
		for (size_t i = 0; i < count; i++)
			if (event_desc_is_hidden(&header->events[i]) == hidden) {
				events[at] = header->events[i];
				number[i] = at++;
			}
	if (!events || !number) {
		free(events);
		free(number);
		return no_memory(why);
	}
	for (uint32_t i = 0; i < header->event_of_id.slots; i++) {
		uint32_t *event = &header->event_of_id.rows[i].value;

		if (*event != ID_MAP_NONE)
			*event = number[*event];
	}
	header->first_recorded = number[header->first_recorded];
	free(number);
	free(header->events);
	header->events = events;
	return 0;
}

/* Makes room for an event at @index, which has no ids. */
static int insert_event(struct perf_data_header *header, size_t index, struct diag *why)
{
	struct event_desc *events =
		realloc(header->events, (header->event_count + 1) * sizeof(*events));

	if (!events)
		return no_memory(why);
	header->events = events;
	memmove(&events[index + 1], &events[index],
		(header->event_count - index) * sizeof(*events));
	header->event_count++;
	for (uint32_t i = 0; i < header->event_of_id.slots; i++) {
		uint32_t *event = &header->event_of_id.rows[i].value;

		if (*event != ID_MAP_NONE && *event >= index)
			++*event;
	}
	return 0;
}

#define WAITS_OF_PERF "offcpu-time"
/* Source: linux/tools/perf/util/off_cpu.h, OFFCPU_SAMPLE_TYPES, which had CALLCHAIN in place of RAW
 * before Linux 6.16. */
#define WAIT_FIELDS (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |		\
		     PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU |			\
		     PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |		\
		     PERF_SAMPLE_CGROUP)

/* Returns whether the event is that of perf record --off-cpu, and its samples say how long. */
static bool is_of_waits(const struct event_desc *event)
{
	const uint64_t type = event->format.sample_type;

	return event->type == PERF_TYPE_SOFTWARE && event->config == PERF_COUNT_SW_BPF_OUTPUT &&
	       !strcmp(event->name, WAITS_OF_PERF) && !(type & ~(uint64_t)WAIT_FIELDS) &&
	       type & PERF_SAMPLE_TID && type & PERF_SAMPLE_TIME &&
	       type & (PERF_SAMPLE_RAW | PERF_SAMPLE_PERIOD);
}

/* Describes the samples that the reader makes of those of perf record --off-cpu, if there are any:
 * they have in their fields what a newer perf writes into raw bytes. */
static void find_waits(struct perf_data_header *header)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	struct event_desc *event;
	uint32_t at = 0;

	while (at < header->event_count && !is_of_waits(&header->events[at]))
		at++;
	header->has_waits = at < header->event_count;
	if (!header->has_waits)
		return;
	event = &header->events[at];
	header->wait_event = at;
	header->wait_format = event->format;
	attr.sample_type = (event->format.sample_type & ~(uint64_t)PERF_SAMPLE_RAW) |
			   PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN;
	attr.read_format = event->format.read_format;
	attr.sample_id_all = event->format.sample_id_all;
	record_format_init(&event->format, &attr);
	event->format.machine = header->wait_format.machine;
	event->format.has_build_ids = header->wait_format.has_build_ids;
	event->counts_waits = true;
	event->freq_hz = event->fixed_period = 0;
	snprintf(event->name, sizeof(event->name), EVENT_OFF_CPU);
}

/* Adds the event off-cpu if all switches were recorded, and what they were from and to. */
static int add_off_cpu(struct perf_data_header *header, struct diag *why)
{
	size_t at = 0, index = header->event_count;
	int err;

	while (at < header->event_count &&
	       !is_sampled_whole(&header->events[at], EVENT_OF_SWITCHES))
		at++;
	if (at == header->event_count || header->event_count > CAPTURE_MAX_EVENTS)
		return 0;
	if (header->has_waits)	/* two events of one name can't be told apart */
		snprintf(header->events[header->wait_event].name,
			 sizeof(header->events[header->wait_event].name), WAITS_OF_PERF);
	while (event_desc_is_hidden(&header->events[index - 1]))
		index--;
	err = insert_event(header, index, why);
	if (err)
		return err;
	header->events[index] = (struct event_desc){
		.name = EVENT_OFF_CPU, .type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_BPF_OUTPUT, .counts_waits = true, .is_of_switches = true,
		.format = header->events[at].format,
		.copy_bytes = header->events[at].copy_bytes,
	};
	return 0;
}

static uint32_t moved_to_front(uint32_t at, uint32_t index)
{
	return at == index ? 0 : at + (at < index);
}

int perf_data_header_show_waits(struct perf_data_header *header, struct diag *why)
{
	struct event_desc event;
	uint32_t at = 0;

	while (at < header->event_count && strcmp(header->events[at].name, EVENT_OFF_CPU) != 0)
		at++;
	if (at == header->event_count)
		return diag_set(why, -ENOENT, "nothing in the recording says how long threads "
				"waited: record each switch (perf record -a -g -e sched:"
				"sched_switch -e sched:sched_waking), or with --off-cpu");
	event = header->events[at];
	memmove(header->events + 1, header->events, at * sizeof(event));
	header->events[0] = event;
	for (uint32_t i = 0; i < header->event_of_id.slots; i++) {
		uint32_t *of_id = &header->event_of_id.rows[i].value;

		if (*of_id != ID_MAP_NONE)
			*of_id = moved_to_front(*of_id, at);
	}
	header->first_recorded = moved_to_front(header->first_recorded, at);
	header->wait_event = moved_to_front(header->wait_event, at);
	for (uint32_t i = 1; i < header->event_count; i++)
		header->events[i].is_unasked = true;
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
	if (start[1] == PERF_DATA_PIPE_HEADER_BYTES)
		err = read_piped(header, fd, file_bytes, why);
	else if (start[1] == sizeof(struct perf_data_file_header))
		err = read_sections(header, fd, file_bytes, why);
	else
		err = diag_set(why, -EBADMSG, "the recording's header (byte 8) is damaged: it says "
			       "it has %" PRIu64 " bytes", start[1]);
	if (!err && !header->event_count)
		err = diag_set(why, -EBADMSG, "the recording has no events: a recorder that was "
			       "killed before its first sample leaves such a file");
	if (!err)
		err = forgive(header, check_event_ids(header, why), why);
	if (!err)
		join_core_pmus(header);
	set_machine(header);
	if (!err)
		err = end_with_hidden(header, why);
	find_waits(header);
	header->recorded_count = header->event_count;
	return err || header->damage ? err : add_off_cpu(header, why);
}

int perf_data_header_find_event(const struct perf_data_header *header,
				const struct perf_event_header *record, uint32_t *event)
{
	const struct record_format *first = &header->events[header->first_recorded].format;
	uint64_t id;

	*event = header->first_recorded;
	if (header->recorded_count == 1 ||
	    (!first->sample_id_all && record->type != PERF_RECORD_SAMPLE))
		return 0;
	if (record_peek_id(first, record, record->size, &id))
		return -EBADMSG;
	if (id)
		*event = id_map_get(&header->event_of_id, id);
	return *event == ID_MAP_NONE ? -EBADMSG : 0;
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
	free(header->machine_name);
	free(header->sockets);
	core_pmus_finish(&header->pmus);
	id_map_finish(&header->event_of_id);
	*header = (struct perf_data_header){ .damage = header->damage };
}
