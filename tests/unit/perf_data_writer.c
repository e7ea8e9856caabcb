/* perf_data_writer.c - see perf_data_writer.h.
 * Source: linux/tools/perf/Documentation/perf.data-file-format.txt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "perf_data_writer.h"

enum {
	FEATURE_TRACING = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_EVENT_DESC = 12,
	FEATURE_CPU_TOPOLOGY = 13,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_COMPRESSED = 27,
	FEATURE_CLOCKS = 29,
	FEATURE_HYBRID_TOPOLOGY = 30,
	FEATURE_COUNT = 12,

	TYPE_ATTR = 64,
	TYPE_TRACING_DATA = 66,
	TYPE_FINISHED_ROUND = 68,
	TYPE_EVENT_UPDATE = 78,
	TYPE_FEATURE = 80,
	UPDATE_NAME = 2,
};

struct section {
	uint64_t offset, bytes;
};

static void append(struct writer_bytes *to, const void *bytes, size_t count)
{
	if (to->count + count > to->capacity || !to->at) {
		to->capacity = 2 * (to->count + count) + 64;
		to->at = realloc(to->at, to->capacity);
		assert_non_null(to->at);
	}
	if (count)
		memcpy(to->at + to->count, bytes, count);
	to->count += count;
}

static void append_u32(struct writer_bytes *to, uint32_t value)
{
	append(to, &value, sizeof(value));
}

static void append_u64(struct writer_bytes *to, uint64_t value)
{
	append(to, &value, sizeof(value));
}

static void append_string(struct writer_bytes *to, const char *text)
{
	char padded[64] = "";

	assert_true(strlen(text) < sizeof(padded));
	memcpy(padded, text, strlen(text));
	append_u32(to, sizeof(padded));
	append(to, padded, sizeof(padded));
}

void perf_data_writer_init(struct perf_data_writer *writer)
{
	*writer = (struct perf_data_writer){
		.attr_bytes = sizeof(struct perf_event_attr),
		.has_names = true,
		.host = "test-host",
		.cpu_count = 4, .has_topology = true, .long_bytes = 8,
	};
}

void perf_data_writer_finish(struct perf_data_writer *writer)
{
	free(writer->records.at);
	free(writer->build_ids.at);
}

uint64_t perf_data_writer_id(size_t event)
{
	return 100 + event;
}

size_t perf_data_writer_event(struct perf_data_writer *writer, uint32_t type, uint64_t config,
			      uint64_t sample_type, const char *name)
{
	const size_t index = writer->event_count++;

	assert_true(index < WRITER_MAX_EVENTS);
	writer->attrs[index] = (struct perf_event_attr){
		.type = type,
		.config = config,
		.sample_type = sample_type,
		.sample_freq = 997,
		.freq = 1,
		.sample_id_all = 1,
		.mmap = 1,
		.comm = 1,
		.task = 1,
		.exclude_guest = 1,
	};
	snprintf(writer->names[index], sizeof(writer->names[index]), "%s", name);
	return index;
}

void perf_data_writer_record(struct perf_data_writer *writer, struct record_bytes *record)
{
	record_close(record);
	append(&writer->records, record->words, record->count * sizeof(record->words[0]));
}

static void add_word(struct record_bytes *record, uint64_t word)
{
	record_add(record, &word, 1);
}

/* One counter alone, or all of a group; with both times and the losses if they are asked for. */
static void add_reads(struct record_bytes *record, uint64_t format,
		      const struct writer_sample *sample)
{
	const bool is_group = format & PERF_FORMAT_GROUP;

	assert_true(is_group || sample->read_count == 1);
	if (is_group)
		add_word(record, sample->read_count);
	else
		add_word(record, sample->reads[0].value);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		add_word(record, 1111);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		add_word(record, 2222);
	for (size_t i = 0; i < sample->read_count; i++) {
		if (is_group)
			add_word(record, sample->reads[i].value);
		if (format & PERF_FORMAT_ID)
			add_word(record, perf_data_writer_id(sample->reads[i].event));
		if (format & PERF_FORMAT_LOST)
			add_word(record, 3333);
	}
}

/* After their size, which counts the bytes that fill up the last word. */
static void add_raw(struct record_bytes *record, const struct writer_sample *sample)
{
	uint64_t words[32] = { 0 };
	const size_t count = (sizeof(uint32_t) + sample->raw_bytes + 7) / sizeof(*words);
	const uint32_t size = (uint32_t)(count * sizeof(*words) - sizeof(uint32_t));

	assert_true(count <= COUNT_OF(words));
	memcpy(words, &size, sizeof(size));
	if (sample->raw_bytes)
		memcpy((unsigned char *)words + sizeof(size), sample->raw, sample->raw_bytes);
	record_add(record, words, count);
}

void perf_data_writer_sample(struct perf_data_writer *writer, const struct writer_sample *sample)
{
	const uint64_t type = writer->attrs[sample->event].sample_type;
	const uint64_t id = perf_data_writer_id(sample->event);
	struct record_bytes record;

	record_begin(&record, PERF_RECORD_SAMPLE, sample->misc);
	if (type & PERF_SAMPLE_IDENTIFIER)
		add_word(&record, id);
	if (type & PERF_SAMPLE_IP)
		add_word(&record, sample->ip);
	if (type & PERF_SAMPLE_TID)
		add_word(&record, PAIR(sample->pid, sample->tid));
	if (type & PERF_SAMPLE_TIME)
		add_word(&record, sample->time_ns);
	if (type & PERF_SAMPLE_ADDR)
		add_word(&record, sample->addr);
	if (type & PERF_SAMPLE_ID)
		add_word(&record, id);
	if (type & PERF_SAMPLE_CPU)
		add_word(&record, PAIR(sample->cpu, 0));
	if (type & PERF_SAMPLE_PERIOD)
		add_word(&record, sample->period);
	if (type & PERF_SAMPLE_READ)
		add_reads(&record, writer->attrs[sample->event].read_format, sample);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		add_word(&record, sample->chain_count);
		record_add(&record, sample->chain, sample->chain_count);
	}
	if (type & PERF_SAMPLE_RAW)
		add_raw(&record, sample);
	if (type & PERF_SAMPLE_WEIGHT)
		add_word(&record, sample->weight);
	perf_data_writer_record(writer, &record);
}

/* What perf itself synthesizes has the time 0 and a trailer of zeros. */
static void close_sideband(struct perf_data_writer *writer, struct record_bytes *record,
			   uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	const uint64_t type = writer->attrs[0].sample_type;
	const uint64_t id = time_ns ? perf_data_writer_id(0) : 0;

	if (type & PERF_SAMPLE_TID)
		add_word(record, PAIR(pid, tid));
	if (type & PERF_SAMPLE_TIME)
		add_word(record, time_ns);
	if (type & PERF_SAMPLE_ID)
		add_word(record, id);
	if (type & PERF_SAMPLE_CPU)
		add_word(record, 0);
	if (type & PERF_SAMPLE_IDENTIFIER)
		add_word(record, id);
	perf_data_writer_record(writer, record);
}

void perf_data_writer_mmap(struct perf_data_writer *writer, uint16_t misc, uint32_t pid,
			   uint64_t time_ns, uint64_t start, uint64_t bytes, uint64_t file_offset,
			   const char *path)
{
	const uint32_t tid = misc == PERF_RECORD_MISC_KERNEL ? 0 : pid;
	struct record_bytes record;

	record_begin(&record, PERF_RECORD_MMAP, misc);
	add_word(&record, PAIR(pid, tid));
	add_word(&record, start);
	add_word(&record, bytes);
	add_word(&record, file_offset);
	record_add_text(&record, path);
	close_sideband(writer, &record, pid, tid, time_ns);
}

void perf_data_writer_comm(struct perf_data_writer *writer, uint32_t pid, uint32_t tid,
			   uint64_t time_ns, const char *comm, bool is_exec)
{
	struct record_bytes record;

	record_begin(&record, PERF_RECORD_COMM, is_exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	add_word(&record, PAIR(pid, tid));
	record_add_text(&record, comm);
	close_sideband(writer, &record, pid, tid, time_ns);
}

void perf_data_writer_fork(struct perf_data_writer *writer, uint32_t pid, uint32_t tid,
			   uint32_t parent_pid, uint32_t parent_tid, uint64_t time_ns)
{
	struct record_bytes record;

	record_begin(&record, PERF_RECORD_FORK, 0);
	add_word(&record, PAIR(pid, parent_pid));
	add_word(&record, PAIR(tid, parent_tid));
	add_word(&record, time_ns);
	close_sideband(writer, &record, parent_pid, parent_tid, time_ns);
}

void perf_data_writer_round(struct perf_data_writer *writer)
{
	struct record_bytes record;

	record_begin(&record, TYPE_FINISHED_ROUND, 0);
	perf_data_writer_record(writer, &record);
}

void perf_data_writer_build_id(struct perf_data_writer *writer, uint16_t misc, const char *path,
			       const struct build_id *id)
{
	struct {
		struct perf_event_header header;
		uint32_t pid;
		uint8_t id[24];
		char path[64];
	} __attribute__((packed)) entry = { 0 };

	entry.header.misc = misc;
	entry.header.size = sizeof(entry);
	entry.pid = UINT32_MAX;
	memcpy(entry.id, id->bytes, id->count);
	if (misc & 1 << 15)
		entry.id[20] = id->count;
	snprintf(entry.path, sizeof(entry.path), "%s", path);
	append(&writer->build_ids, &entry, sizeof(entry));
}

/* The attr as a perf of its time wrote it: shorter, and saying so. */
static void append_attr(const struct perf_data_writer *writer, size_t event,
			struct writer_bytes *to)
{
	struct perf_event_attr attr = writer->attrs[event];

	attr.size = writer->attr_bytes;
	append(to, &attr, writer->attr_bytes);
}

/* Lists of cores and of threads, then core and socket of each configured CPU: two CPUs a socket,
 * those that are not online in none. Newer ones have the dies after it. */
static void append_topology(const struct perf_data_writer *writer, struct writer_bytes *out)
{
	append_u32(out, 1);
	append_string(out, "0-1");
	append_u32(out, 2);
	append_string(out, "0");
	append_string(out, "1");
	for (uint32_t i = 0; i < 2 * writer->cpu_count; i++) {
		append_u32(out, i);
		append_u32(out, i < writer->cpu_count ? i / 2 : UINT32_MAX);
	}
	append_u32(out, 0);
}

static void append_file(struct writer_bytes *out, const char *text)
{
	append_u64(out, strlen(text));
	append(out, text, strlen(text));
}

/* As perf copies the tracing directory: one format of ftrace itself, one of an event. */
static void append_tracing(const struct perf_data_writer *writer, struct writer_bytes *out)
{
	static const unsigned char begin[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g',
					       '0', '.', '6', 0, 0 };

	append(out, begin, sizeof(begin));
	append(out, &writer->long_bytes, 1);
	append_u32(out, 4096);
	append(out, "header_page", 12);
	append_file(out, "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n");
	append(out, "header_event", 13);
	append_file(out, "# compressed entry header\n");
	append_u32(out, 1);
	append_file(out, "name: function\nID: 300\nformat:\n");
	append_u32(out, 1);
	append(out, writer->system, strlen(writer->system) + 1);
	append_u32(out, 1);
	append_file(out, writer->format);
	append_u32(out, 0);	/* symbols */
	append_u32(out, 0);	/* printk formats */
	append_u64(out, 0);	/* command lines */
}

static struct writer_bytes make_feature(const struct perf_data_writer *writer, uint32_t bit)
{
	static const uint32_t compression[] = { 1, 1, 1, 4, 528384 };
	struct writer_bytes out = { 0 };

	switch (bit) {
	case FEATURE_TRACING:
		append_tracing(writer, &out);
		break;
	case FEATURE_BUILD_ID:
		append(&out, writer->build_ids.at, writer->build_ids.count);
		break;
	case FEATURE_HOSTNAME:
		append_string(&out, writer->host);
		break;
	case FEATURE_OSRELEASE:
		append_string(&out, writer->kernel_release);
		break;
	case FEATURE_ARCH:
		append_string(&out, writer->machine);
		break;
	case FEATURE_NRCPUS:
		append_u32(&out, 2 * writer->cpu_count);	/* configured */
		append_u32(&out, writer->cpu_count);		/* online */
		break;
	case FEATURE_EVENT_DESC:
		append_u32(&out, (uint32_t)writer->event_count);
		append_u32(&out, writer->attr_bytes);
		for (size_t i = 0; i < writer->event_count; i++) {
			append_attr(writer, i, &out);
			append_u32(&out, 1);
			append_string(&out, writer->names[i]);
			append_u64(&out, perf_data_writer_id(i));
		}
		break;
	case FEATURE_CPU_TOPOLOGY:
		append_topology(writer, &out);
		break;
	case FEATURE_HYBRID_TOPOLOGY:
		append_u32(&out, 2);
		append_string(&out, "cpu_core");
		append_string(&out, "0-1");
		append_string(&out, "cpu_atom");
		append_string(&out, "2-3");
		break;
	case FEATURE_SAMPLE_TIME:
		append_u64(&out, writer->first_ns);
		append_u64(&out, writer->last_ns);
		break;
	case FEATURE_CLOCKS:	/* version, CLOCK_MONOTONIC */
		append_u32(&out, 1);
		append_u32(&out, 1);
		append_u64(&out, writer->wall_ns);
		append_u64(&out, writer->wall_clock_ns);
		break;
	case FEATURE_COMPRESSED:	/* version, zstd, level, ratio, bytes of a ring */
		for (size_t i = 0; i < 5; i++)
			append_u32(&out, compression[i]);
		break;
	}
	return out;
}

/* Those of @writer, lowest first. */
static size_t choose_features(const struct perf_data_writer *writer, uint32_t out[FEATURE_COUNT])
{
	static const uint32_t all[FEATURE_COUNT] = {
		FEATURE_TRACING, FEATURE_BUILD_ID, FEATURE_HOSTNAME, FEATURE_OSRELEASE,
		FEATURE_ARCH, FEATURE_NRCPUS, FEATURE_EVENT_DESC, FEATURE_CPU_TOPOLOGY,
		FEATURE_SAMPLE_TIME, FEATURE_COMPRESSED, FEATURE_CLOCKS,
		FEATURE_HYBRID_TOPOLOGY,
	};
	size_t count = 0;

	for (size_t i = 0; i < FEATURE_COUNT; i++)
		if ((all[i] != FEATURE_TRACING || writer->format) &&
		    (all[i] != FEATURE_EVENT_DESC || writer->has_names) &&
		    (all[i] != FEATURE_OSRELEASE || writer->kernel_release) &&
		    (all[i] != FEATURE_ARCH || writer->machine) &&
		    (all[i] != FEATURE_CPU_TOPOLOGY || writer->has_topology) &&
		    (all[i] != FEATURE_HYBRID_TOPOLOGY || writer->has_core_pmus) &&
		    (all[i] != FEATURE_SAMPLE_TIME || writer->last_ns) &&
		    (all[i] != FEATURE_CLOCKS || writer->wall_ns) &&
		    (all[i] != FEATURE_COMPRESSED || writer->is_compressed))
			out[count++] = all[i];
	return count;
}

static void append_attrs(const struct perf_data_writer *writer, struct writer_bytes *file)
{
	const size_t entry_bytes = writer->attr_bytes + sizeof(struct section);
	uint64_t id_offset = file->count + writer->event_count * entry_bytes;

	for (size_t i = 0; i < writer->event_count; i++) {
		append_attr(writer, i, file);
		append_u64(file, id_offset);
		append_u64(file, sizeof(uint64_t));
		id_offset += sizeof(uint64_t);
	}
	for (size_t i = 0; i < writer->event_count; i++)
		append_u64(file, perf_data_writer_id(i));
}

static void append_features(const struct perf_data_writer *writer, struct writer_bytes *file)
{
	uint32_t features[FEATURE_COUNT];
	const size_t count = choose_features(writer, features);
	struct writer_bytes bodies[FEATURE_COUNT];
	uint64_t offset = file->count + count * sizeof(struct section);

	for (size_t i = 0; i < count; i++) {
		bodies[i] = make_feature(writer, features[i]);
		append_u64(file, offset);
		append_u64(file, bodies[i].count);
		offset += bodies[i].count;
	}
	for (size_t i = 0; i < count; i++) {
		append(file, bodies[i].at, bodies[i].count);
		free(bodies[i].at);
	}
}

static struct writer_bytes make_file(const struct perf_data_writer *writer)
{
	struct {
		char magic[8];
		uint64_t header_bytes, attr_bytes;
		struct section attrs, records, event_types;
		uint64_t features[4];
	} header = { .magic = "PERFILE2" };
	uint32_t features[FEATURE_COUNT];
	const size_t feature_count = choose_features(writer, features);
	struct writer_bytes file = { 0 };

	header.header_bytes = sizeof(header);
	header.attr_bytes = writer->attr_bytes + sizeof(struct section);
	header.attrs.offset = sizeof(header);
	header.attrs.bytes = writer->event_count * header.attr_bytes;
	header.records.offset = sizeof(header) + header.attrs.bytes +
				writer->event_count * sizeof(uint64_t);
	header.records.bytes = writer->records.count;
	for (size_t i = 0; i < feature_count; i++)
		header.features[0] |= UINT64_C(1) << features[i];
	append(&file, &header, sizeof(header));
	append_attrs(writer, &file);
	append(&file, writer->records.at, writer->records.count);
	append_features(writer, &file);
	return file;
}

static void append_record(struct writer_bytes *file, uint32_t type, const struct writer_bytes *body)
{
	static const unsigned char zeros[8];
	const size_t padding = -body->count % sizeof(zeros);
	struct perf_event_header header = { .type = type };

	header.size = (uint16_t)(sizeof(header) + body->count + padding);
	append(file, &header, sizeof(header));
	append(file, body->at, body->count);
	append(file, zeros, padding);
}

static void append_event_records(const struct perf_data_writer *writer, size_t event,
				 struct writer_bytes *file)
{
	struct writer_bytes attr = { 0 }, update = { 0 };

	append_attr(writer, event, &attr);
	append_u64(&attr, perf_data_writer_id(event));
	append_record(file, TYPE_ATTR, &attr);
	free(attr.at);
	if (!writer->has_names)
		return;
	append_u64(&update, UPDATE_NAME);
	append_u64(&update, perf_data_writer_id(event));
	append(&update, writer->names[event], strlen(writer->names[event]) + 1);
	append_record(file, TYPE_EVENT_UPDATE, &update);
	free(update.at);
}

static struct writer_bytes make_piped(const struct perf_data_writer *writer)
{
	struct writer_bytes file = { 0 }, feature = { 0 }, host;

	append(&file, "PERFILE2", 8);
	append_u64(&file, 16);
	for (size_t i = 0; i < writer->event_count; i++)
		append_event_records(writer, i, &file);
	host = make_feature(writer, FEATURE_HOSTNAME);
	append_u64(&feature, FEATURE_HOSTNAME);
	append(&feature, host.at, host.count);
	append_record(&file, TYPE_FEATURE, &feature);
	free(host.at);
	free(feature.at);
	if (writer->format) {
		struct writer_bytes tracing = make_feature(writer, FEATURE_TRACING), size = { 0 };
		static const unsigned char zeros[8];

		append_u32(&size, (uint32_t)tracing.count);
		append_record(&file, TYPE_TRACING_DATA, &size);
		append(&file, tracing.at, tracing.count);
		append(&file, zeros, -tracing.count % sizeof(zeros));
		free(size.at);
		free(tracing.at);
	}
	append(&file, writer->records.at, writer->records.count);
	return file;
}

struct writer_bytes perf_data_writer_bytes(const struct perf_data_writer *writer, bool is_piped)
{
	return is_piped ? make_piped(writer) : make_file(writer);
}

void perf_data_writer_save_bytes(const void *bytes, size_t count, const char *path)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, count, file), count);
	assert_int_equal(fclose(file), 0);
}

void perf_data_writer_save(const struct perf_data_writer *writer, const char *path)
{
	struct writer_bytes bytes = perf_data_writer_bytes(writer, false);

	perf_data_writer_save_bytes(bytes.at, bytes.count, path);
	free(bytes.at);
}
