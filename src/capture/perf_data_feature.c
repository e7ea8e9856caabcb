/* perf_data_feature.c - reads the features of a recording: host, CPUs and their sockets, event
 * names, build-ids.
 *
 * A feature is a few bytes with a layout of its own, at the end of the file or in a record. It is
 * read by a cursor that cannot leave it, with one check at the end, like records in record.c.
 */
#include "perf_data_feature.h"

#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sanitize.h"

struct byte_cursor {
	const unsigned char *at, *end;
	bool overrun;
};

static const unsigned char *take_bytes(struct byte_cursor *cursor, uint64_t count)
{
	const unsigned char *bytes = cursor->at;

	if (count > (uint64_t)(cursor->end - cursor->at)) {
		cursor->overrun = true;
		cursor->at = cursor->end;
		return NULL;
	}
	cursor->at += count;
	return bytes;
}

static uint32_t take_u32(struct byte_cursor *cursor)
{
	const unsigned char *bytes = take_bytes(cursor, sizeof(uint32_t));
	uint32_t value = 0;

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return value;
}

static uint64_t take_u64(struct byte_cursor *cursor)
{
	const unsigned char *bytes = take_bytes(cursor, sizeof(uint64_t));
	uint64_t value = 0;

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return value;
}

/* Reads the copies of tracefs files in a recording: the format files of its tracepoints and probes,
 * which give an event the name that its attr lacks, and describe the fields of its raw bytes.
 *
 * Layout: |17 08 44 "tracing"|version\0|byte order|bytes of a long|page size|
 *         |"header_page\0"|file|"header_event\0"|file|count|file ...|
 *         |systems|: each |name\0|count|file ...|  then symbols and command lines, not used here.
 *         A file is its length in 64 bits and its bytes; other numbers have 32 bits.
 * Source: linux/tools/perf/util/trace-event-info.c.
 * Trust:  every length is compared with what is left before it is used. A format is copied only for
 *         an event that has none yet, so that the copies are never larger than the section.
 */

#define FORMAT_MAX_BYTES 65536	/* as for live events; the longest has 6 KiB */

struct tracing_file {
	const char *text;	/* not terminated */
	size_t bytes;
};

/* Reads text up to a NUL, which must exist; returns "" beyond the end. */
static const char *take_name(struct byte_cursor *cursor)
{
	const size_t left = (size_t)(cursor->end - cursor->at);
	const size_t len = strnlen((const char *)cursor->at, left);
	const char *name = (const char *)take_bytes(cursor, (uint64_t)len + 1);

	return name ? name : "";
}

static struct tracing_file take_file(struct byte_cursor *cursor)
{
	const unsigned char *length = take_bytes(cursor, sizeof(uint64_t));
	struct tracing_file file = { .text = NULL };
	uint64_t bytes = 0;

	if (length)
		memcpy(&bytes, length, sizeof(bytes));
	file.text = (const char *)take_bytes(cursor, bytes);
	file.bytes = file.text ? (size_t)bytes : 0;
	return file;
}

/* Finds the word after @key at the beginning of a line; "" when there is none. */
static void find_word(const struct tracing_file *file, const char *key, char *out, size_t room)
{
	const char *end = file->text + file->bytes, *at = file->text;
	const size_t key_bytes = strlen(key);
	size_t len = 0;

	while (at < end && ((size_t)(end - at) < key_bytes || memcmp(at, key, key_bytes) != 0)) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));

		at = line_end ? line_end + 1 : end;
	}
	for (at += at < end ? key_bytes : 0; at < end && isspace((unsigned char)*at); at++)
		;
	while (at + len < end && len + 1 < room && !isspace((unsigned char)at[len]))
		len++;
	memcpy(out, at, len);
	out[len] = '\0';
}

static char *keep_text(struct perf_data_header *header, const struct tracing_file *format)
{
	char **grown = realloc(header->formats, (header->format_count + 1) * sizeof(*grown));
	char *text;

	if (!grown)
		return NULL;
	header->formats = grown;
	text = strndup(format->text, format->bytes);
	if (text)
		grown[header->format_count++] = text;
	return text;
}

/* Sets raw_format of the events with raw bytes in their samples. Returns 0 or -ENOMEM. */
static int set_formats(struct perf_data_header *header, uint64_t id,
		       const struct tracing_file *format, uint32_t long_bytes)
{
	const char *text = NULL;

	if (format->bytes > FORMAT_MAX_BYTES)
		return 0;
	for (size_t i = 0; i < header->event_count; i++) {
		struct event_desc *event = &header->events[i];

		if (event->tracepoint != id || event->raw_format ||
		    !(event->format.sample_type & PERF_SAMPLE_RAW))
			continue;
		if (!text)
			text = keep_text(header, format);
		if (!text)
			return -ENOMEM;
		event->raw_format = text;
		event->long_bytes = long_bytes;
	}
	return 0;
}

static int describe_events(struct perf_data_header *header, const char *system,
			   const struct tracing_file *format, uint32_t long_bytes)
{
	char name[64], number[24], text[160];
	uint64_t id;

	find_word(format, "name:", name, sizeof(name));
	find_word(format, "ID:", number, sizeof(number));
	id = strtoull(number, NULL, 10);
	if (!name[0] || !id)
		return 0;
	snprintf(text, sizeof(text), "%.64s:%s", system, name);
	for (size_t i = 0; i < header->event_count; i++) {
		struct event_desc *event = &header->events[i];

		if (event->tracepoint == id && !strcmp(event->name, PERF_DATA_UNKNOWN_TRACEPOINT))
			sanitize_text(event->name, sizeof(event->name), text, strlen(text));
	}
	return set_formats(header, id, format, long_bytes);
}

/* Skips the byte order, which is that of the whole recording, and returns the size of a long. */
static uint32_t take_long_bytes(struct byte_cursor *cursor)
{
	const unsigned char *bytes = take_bytes(cursor, 2);

	return bytes && bytes[1] == 4 ? 4 : 8;
}

/* Reads all groups of events. Returns 0 or -ENOMEM. */
static int take_systems(struct perf_data_header *header, struct byte_cursor *cursor,
			uint32_t long_bytes)
{
	int err = 0;

	for (uint32_t systems = take_u32(cursor); systems && !cursor->overrun && !err;
	     systems--) {
		const char *system = take_name(cursor);

		for (uint32_t left = take_u32(cursor); left && !cursor->overrun && !err; left--) {
			const struct tracing_file format = take_file(cursor);

			if (format.text)
				err = describe_events(header, system, &format, long_bytes);
		}
	}
	return err;
}

int perf_data_tracing_take(struct perf_data_header *header, const void *bytes, size_t size,
			   struct diag *why)
{
	static const char magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	struct byte_cursor cursor = { .at = bytes, .end = (const unsigned char *)bytes + size };
	const unsigned char *begin = take_bytes(&cursor, sizeof(magic));
	uint32_t long_bytes;

	if (!begin || memcmp(begin, magic, sizeof(magic)) != 0)
		return diag_set(why, -EBADMSG, "the tracing section is damaged: it does not begin "
				"as such a section does");
	take_name(&cursor);		/* version */
	long_bytes = take_long_bytes(&cursor);
	take_u32(&cursor);		/* page size */
	for (int i = 0; i < 2; i++) {	/* header_page, header_event */
		take_name(&cursor);
		take_file(&cursor);
	}
	for (uint32_t left = take_u32(&cursor); left && !cursor.overrun; left--)
		take_file(&cursor);	/* formats of ftrace's own events */
	if (take_systems(header, &cursor, long_bytes))
		return diag_set(why, -ENOMEM, "no memory for the recording's header");
	if (cursor.overrun)
		return diag_set(why, -EBADMSG, "the tracing section is damaged: a length in it "
				"leads out of its %zu bytes", size);
	return 0;
}

/* Numbers of the file format that the system's headers lack. */
enum {
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_EVENT_DESC = 12,
	FEATURE_CPU_TOPOLOGY = 13,
	FEATURE_AUXTRACE = 18,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_COMPRESSED = 27,
	FEATURE_CLOCKS = 29,
	FEATURE_HYBRID_TOPOLOGY = 30,

	COMPRESSED_BY_ZSTD = 1,

	BUILD_ID_HAS_SIZE = 1 << 15,	/* misc: byte 20 of the id field is its length */
	BUILD_ID_FIELD_BYTES = 24,
};

/* Reads a length, then that many bytes, which contain a NUL. *@len becomes the length up to it. */
static const char *take_string(struct byte_cursor *cursor, size_t *len)
{
	const uint32_t bytes = take_u32(cursor);
	const char *text = (const char *)take_bytes(cursor, bytes);

	*len = text ? strnlen(text, bytes) : 0;
	return text;
}

static int copy_string(char **out, struct byte_cursor *cursor)
{
	size_t len;
	const char *text = take_string(cursor, &len);

	if (!text)
		return 0;
	free(*out);
	*out = strndup(text, len);
	return *out ? 0 : -ENOMEM;
}

static int take_host(struct perf_data_header *header, struct byte_cursor *cursor)
{
	return copy_string(&header->host, cursor);
}

static int take_release(struct perf_data_header *header, struct byte_cursor *cursor)
{
	return copy_string(&header->kernel_release, cursor);
}

static int take_machine(struct perf_data_header *header, struct byte_cursor *cursor)
{
	return copy_string(&header->machine_name, cursor);
}

static int take_cpu_count(struct perf_data_header *header, struct byte_cursor *cursor)
{
	header->configured_cpus = take_u32(cursor);
	header->cpu_count = take_u32(cursor);
	return 0;
}

/* Reads two lists of siblings as text, then core and socket of each configured CPU, -1 if absent;
 * what follows depends on the version of perf. The oldest versions wrote only the lists. */
static int take_topology(struct perf_data_header *header, struct byte_cursor *cursor)
{
	const uint64_t entry_bytes = 2 * sizeof(uint32_t);
	const uint64_t count = header->configured_cpus;
	size_t len;

	for (int list = 0; list < 2; list++)
		for (uint32_t left = take_u32(cursor); left && !cursor->overrun; left--)
			take_string(cursor, &len);
	if (cursor->overrun || !count ||
	    count > (uint64_t)(cursor->end - cursor->at) / entry_bytes)
		return 0;
	free(header->sockets);
	header->socket_count = 0;
	header->sockets = malloc(count * sizeof(*header->sockets));
	if (!header->sockets)
		return -ENOMEM;
	for (; header->socket_count < count; header->socket_count++) {
		take_u32(cursor);	/* core */
		header->sockets[header->socket_count] = (int)take_u32(cursor);
	}
	return 0;
}

/* Reads the name and the CPUs ("0-3") of the PMU of each kind of cores. */
static int take_core_pmus(struct perf_data_header *header, struct byte_cursor *cursor)
{
	core_pmus_finish(&header->pmus);
	for (uint32_t left = take_u32(cursor); left && !cursor->overrun; left--) {
		char name[sizeof(header->pmus.list[0].name)], text[4096];
		size_t len, text_len, cpu_count;
		const char *raw = take_string(cursor, &len);
		const char *list = take_string(cursor, &text_len);
		int *cpus, err;

		if (!raw || !list || !len || len >= sizeof(name) || text_len >= sizeof(text))
			continue;
		sanitize_text(name, sizeof(name), raw, len);
		memcpy(text, list, text_len);
		text[text_len] = '\0';
		err = cpu_list_parse(text, &cpus, &cpu_count, NULL);
		if (err == -ENOMEM)
			return err;
		if (!err)
			core_pmus_add(&header->pmus, name, 0, cpus, cpu_count);
	}
	return 0;
}

/* Reads the names of the events as perf printed them, in the order of the attrs. */
static int take_event_names(struct perf_data_header *header, struct byte_cursor *cursor)
{
	const uint32_t count = take_u32(cursor);
	const uint32_t attr_bytes = take_u32(cursor);

	for (uint32_t i = 0; i < count && !cursor->overrun; i++) {
		uint32_t id_count;
		const char *name;
		size_t len;

		take_bytes(cursor, attr_bytes);
		id_count = take_u32(cursor);
		name = take_string(cursor, &len);
		take_bytes(cursor, (uint64_t)id_count * sizeof(uint64_t));
		if (name && len && i < header->event_count)
			sanitize_text(header->events[i].name, sizeof(header->events[i].name), name,
				      len);
	}
	return 0;
}

/* Returns the length of a build-id written by perf up to Linux 5.12, which did not store it: 20,
 * minus the zeros at the end of shorter ids (md5, uuid: 16). */
static uint8_t guess_build_id_bytes(const unsigned char *id)
{
	static const unsigned char zeros[4];

	return memcmp(id + 16, zeros, sizeof(zeros)) ? 20 : 16;
}

static int add_build_id(struct perf_data_header *header, const struct perf_event_header *record,
			struct byte_cursor *body)
{
	const uint16_t mode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	struct perf_data_build_id *grown, *entry;
	const unsigned char *id;
	uint8_t count;

	take_u32(body);	/* pid of a guest */
	id = take_bytes(body, BUILD_ID_FIELD_BYTES);
	if (!id || mode == PERF_RECORD_MISC_GUEST_KERNEL || mode == PERF_RECORD_MISC_GUEST_USER)
		return 0;
	grown = realloc(header->build_ids, (header->build_id_count + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	header->build_ids = grown;
	entry = &grown[header->build_id_count];
	*entry = (struct perf_data_build_id){ .is_kernel = mode == PERF_RECORD_MISC_KERNEL };
	count = record->misc & BUILD_ID_HAS_SIZE ? id[20] : guess_build_id_bytes(id);
	entry->build_id.count = count < BUILD_ID_MAX_BYTES ? count : BUILD_ID_MAX_BYTES;
	memcpy(entry->build_id.bytes, id, entry->build_id.count);
	entry->path = strndup((const char *)body->at, (size_t)(body->end - body->at));
	if (!entry->path)
		return -ENOMEM;
	header->build_id_count++;
	return 0;
}

static int take_build_ids(struct perf_data_header *header, struct byte_cursor *cursor)
{
	int err = 0;

	while (!err && !cursor->overrun && cursor->at < cursor->end) {
		const unsigned char *bytes = take_bytes(cursor, sizeof(struct perf_event_header));
		struct perf_event_header record;
		struct byte_cursor body;

		if (!bytes)
			break;
		memcpy(&record, bytes, sizeof(record));
		if (record.size < sizeof(record)) {
			cursor->overrun = true;
			break;
		}
		body.at = take_bytes(cursor, record.size - sizeof(record));
		if (!body.at)
			break;
		body.end = cursor->at;
		body.overrun = false;
		err = add_build_id(header, &record, &body);
		cursor->overrun |= body.overrun;
	}
	return err;
}

/* Sets what @text says of the event. The names are those of ingest/waits.h. */
static void set_description(struct event_desc *event, const char *text)
{
	event->counts_waits = !strcmp(text, "waits") || !strcmp(text, "waits wall");
	event->is_wall = event->counts_waits && strchr(text, ' ');
	if (!event->counts_waits) {
		event->probe = text;
	} else if (!event->is_wall) {
		event->freq_hz = event->fixed_period = 0;
		snprintf(event->name, sizeof(event->name), EVENT_OFF_CPU);
	}
}

/* Reads the descriptions of probes and waits, each with the ids of its event. Layout: count; each
 * |string|count of ids in 32 bits|ids|. */
static int take_probes(struct perf_data_header *header, struct byte_cursor *cursor)
{
	for (uint32_t left = take_u32(cursor); left && !cursor->overrun; left--) {
		struct tracing_file text;
		const char *kept = NULL;

		text.text = take_string(cursor, &text.bytes);
		for (uint32_t ids = take_u32(cursor); ids && !cursor->overrun; ids--) {
			const uint32_t event = id_map_get(&header->event_of_id, take_u64(cursor));

			if (event == ID_MAP_NONE || event >= header->event_count || !text.text ||
			    header->events[event].probe)
				continue;
			if (!kept)
				kept = keep_text(header, &text);
			if (!kept)
				return -ENOMEM;
			set_description(&header->events[event], kept);
		}
	}
	return 0;
}

static int take_sample_time(struct perf_data_header *header, struct byte_cursor *cursor)
{
	header->first_sample_ns = take_u64(cursor);
	header->last_sample_ns = take_u64(cursor);
	return 0;
}

static int take_clocks(struct perf_data_header *header, struct byte_cursor *cursor)
{
	take_u32(cursor);	/* version: 1 */
	take_u32(cursor);	/* id of the clock */
	header->wall_ns = take_u64(cursor);
	header->wall_clock_ns = take_u64(cursor);
	header->has_wall = !cursor->overrun;
	return 0;
}

struct feature_reader {
	uint32_t bit;
	const char *name;
	int (*take)(struct perf_data_header *header, struct byte_cursor *cursor);
};

static const struct feature_reader readers[] = {
	{ PERF_DATA_FEATURE_BUILD_ID, "build-id", take_build_ids },
	{ FEATURE_HOSTNAME, "hostname", take_host },
	{ FEATURE_OSRELEASE, "kernel release", take_release },
	{ FEATURE_ARCH, "architecture", take_machine },
	{ FEATURE_NRCPUS, "CPU count", take_cpu_count },
	{ FEATURE_EVENT_DESC, "event description", take_event_names },
	{ FEATURE_CPU_TOPOLOGY, "CPU topology", take_topology },
	{ FEATURE_SAMPLE_TIME, "sample time", take_sample_time },
	{ FEATURE_CLOCKS, "clocks", take_clocks },
	{ FEATURE_HYBRID_TOPOLOGY, "core types", take_core_pmus },
	{ PERF_DATA_FEATURE_PROBES, "probe", take_probes },
};

static int run_reader(const struct feature_reader *reader, struct perf_data_header *header,
		      const void *bytes, size_t size, struct diag *why)
{
	struct byte_cursor cursor = { .at = bytes, .end = (const unsigned char *)bytes + size };
	const int err = reader->take(header, &cursor);

	if (err)
		return diag_set(why, err, "no memory for the recording's header");
	if (cursor.overrun)
		return diag_set(why, -EBADMSG, "the %s section is damaged: a length in it leads "
				"out of its %zu bytes", reader->name, size);
	return 0;
}

/* Reads version, type, level, ratio, bytes of a ring. */
static int take_compression(struct perf_data_header *header, const void *bytes, size_t size,
			    struct diag *why)
{
	struct byte_cursor cursor = { .at = bytes, .end = (const unsigned char *)bytes + size };
	uint32_t type;

	take_u32(&cursor);
	type = take_u32(&cursor);
	if (cursor.overrun)
		return diag_set(why, -EBADMSG, "the compression section is damaged: it has %zu "
				"bytes", size);
	if (type != COMPRESSED_BY_ZSTD)
		return diag_set(why, -ENOTSUP, "the recording is compressed in a way (%u) that is "
				"not known here: record again without -z", type);
	header->is_compressed = true;
	return 0;
}

int perf_data_feature_take(struct perf_data_header *header, uint32_t bit, const void *bytes,
			   size_t size, struct diag *why)
{
	if (bit == PERF_DATA_FEATURE_TRACING)
		return perf_data_tracing_take(header, bytes, size, why);
	if (bit == FEATURE_COMPRESSED)
		return take_compression(header, bytes, size, why);
	if (bit == FEATURE_AUXTRACE)
		return diag_set(why, -ENOTSUP, "the recording holds hardware trace data (intel_pt, "
				"cs_etm, ...): decode it first with perf inject --itrace");
	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
		if (readers[i].bit == bit)
			return run_reader(&readers[i], header, bytes, size, why);
	}
	return 0;
}
