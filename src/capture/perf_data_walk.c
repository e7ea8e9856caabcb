/* perf_data_walk.c - see capture/perf_data.h. */
#include "capture/perf_data.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perf_data_header.h"
#include "perf_data_stream.h"

struct perf_data_walk {
	int fd;
	uint64_t file_bytes;
	struct perf_data_file_header file;
	struct perf_data_header header;
	struct perf_data_stream stream;
	struct diag damage;
};

static int open_regular(struct perf_data_walk *walk, const char *path, struct diag *why)
{
	struct stat status;

	walk->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (walk->fd < 0 || fstat(walk->fd, &status))
		return diag_set(why, -errno, "%s", strerror(errno));
	if (S_ISDIR(status.st_mode))
		return diag_set(why, -ENOTSUP, "a directory of recordings: give the file \"data\" "
				"in it");
	if (!S_ISREG(status.st_mode))
		return diag_set(why, -ENOTSUP, "not a regular file: save the recording to one "
				"first");
	walk->file_bytes = (uint64_t)status.st_size;
	return 0;
}

static int read_header(struct perf_data_walk *walk, struct diag *why)
{
	const uint64_t bytes = walk->file_bytes < sizeof(walk->file) ? walk->file_bytes
								     : sizeof(walk->file);
	int err;

	walk->header.damage = &walk->damage;
	err = perf_data_header_read(&walk->header, walk->fd, walk->file_bytes, why);
	if (!err)
		err = perf_data_read_at(walk->fd, 0, &walk->file, (size_t)bytes, why);
	if (!err && perf_data_stream_init(&walk->stream, walk->fd, walk->header.records_offset,
					  walk->header.records_end))
		err = diag_set(why, -ENOMEM, "no memory for a buffer");
	return err;
}

int perf_data_walk_open(struct perf_data_walk **out, const char *path, struct diag *why)
{
	struct perf_data_walk *walk = calloc(1, sizeof(*walk));
	int err;

	*out = NULL;
	if (!walk)
		return diag_set(why, -ENOMEM, "%s: no memory for a reader", path);
	err = open_regular(walk, path, why);
	if (!err)
		err = read_header(walk, why);
	if (err) {
		diag_prefix(why, "%s", path);
		perf_data_walk_close(walk);
		return err;
	}
	*out = walk;
	return 0;
}

void perf_data_walk_close(struct perf_data_walk *walk)
{
	if (!walk)
		return;
	perf_data_stream_finish(&walk->stream);
	perf_data_header_finish(&walk->header);
	if (walk->fd >= 0)
		close(walk->fd);
	free(walk);
}

const struct diag *perf_data_walk_damage(const struct perf_data_walk *walk)
{
	return &walk->damage;
}

const struct perf_data_file_header *perf_data_walk_header(const struct perf_data_walk *walk)
{
	return &walk->file;
}

bool perf_data_walk_is_piped(const struct perf_data_walk *walk)
{
	return walk->header.is_piped;
}

uint64_t perf_data_walk_file_bytes(const struct perf_data_walk *walk)
{
	return walk->file_bytes;
}

const struct event_desc *perf_data_walk_event(const struct perf_data_walk *walk, size_t index)
{
	return index < walk->header.recorded_count ? &walk->header.events[index] : NULL;
}

int perf_data_walk_read(const struct perf_data_walk *walk, uint64_t offset, void *out,
			size_t bytes, struct diag *why)
{
	return perf_data_read_at(walk->fd, offset, out, bytes, why);
}

int perf_data_walk_attr(const struct perf_data_walk *walk, size_t index,
			struct perf_event_attr *attr, struct perf_data_section *ids,
			struct diag *why)
{
	const uint64_t bytes = walk->file.attr_bytes;
	const uint64_t at = walk->file.attrs.offset + index * bytes;
	const size_t kept = bytes - sizeof(*ids) < sizeof(*attr) ? (size_t)bytes - sizeof(*ids)
								: sizeof(*attr);
	int err;

	memset(attr, 0, sizeof(*attr));
	err = perf_data_read_at(walk->fd, at, attr, kept, why);
	return err ? err : perf_data_read_at(walk->fd, at + bytes - sizeof(*ids), ids,
					     sizeof(*ids), why);
}

int perf_data_walk_feature(const struct perf_data_walk *walk, uint32_t bit,
			   struct perf_data_section *out, struct diag *why)
{
	const struct perf_data_file_header *file = &walk->file;
	uint64_t at = file->records.offset + file->records.bytes;
	int err;

	if (walk->header.is_piped || bit >= PERF_DATA_FEATURE_BITS ||
	    !perf_data_header_has_feature(file, bit))
		return 0;
	for (uint32_t before = 0; before < bit; before++)
		if (perf_data_header_has_feature(file, before))
			at += sizeof(*out);
	err = perf_data_read_at(walk->fd, at, out, sizeof(*out), why);
	return err ? err : 1;
}

bool perf_data_walk_is_packed(const struct perf_data_walk *walk, int *fd, uint64_t *begin,
			      uint64_t *end)
{
	*fd = walk->fd;
	*begin = walk->header.records_offset;
	*end = walk->header.records_end;
	return walk->header.is_compressed;
}

int perf_data_walk_unpacked(struct perf_data_walk *walk, int records)
{
	perf_data_stream_finish(&walk->stream);
	return perf_data_stream_init_unpacked(&walk->stream, records);
}

/* Returns the size of what follows @record and is no record. */
static uint64_t bytes_after(const struct perf_event_header *record)
{
	uint64_t bytes = 0;

	if (record->type == PERF_DATA_RECORD_TRACING_DATA)
		return perf_data_tracing_bytes(record);
	if (record->type == PERF_DATA_RECORD_AUXTRACE &&
	    record->size >= sizeof(*record) + sizeof(bytes))
		memcpy(&bytes, record + 1, sizeof(bytes));
	return bytes;
}

static void parse(const struct perf_data_walk *walk, struct perf_data_step *step)
{
	const struct perf_event_header *record = step->record;
	uint32_t event;

	step->err = perf_data_header_find_event(&walk->header, record, &event);
	if (step->err)
		return;
	step->event = &walk->header.events[event];
	record_peek_id(&step->event->format, record, record->size, &step->id);
	step->err = record_parse(walk->header.has_waits && event == walk->header.wait_event
					 ? &walk->header.wait_format : &step->event->format,
				 record, record->size, &step->parsed);
	step->parsed.event = event;
}

int perf_data_walk_next(struct perf_data_walk *walk, struct perf_data_step *out, struct diag *why)
{
	int got;

	*out = (struct perf_data_step){ .err = 0 };
	got = perf_data_stream_next(&walk->stream, &out->record, &out->offset, why);
	if (got <= 0)
		return got;
	if (out->record->type < PERF_DATA_RECORD_FIRST) {
		parse(walk, out);
		return 1;
	}
	if (!bytes_after(out->record))
		return 1;
	/* The buffer keeps the record: a skip only moves on. */
	got = perf_data_stream_skip(&walk->stream, bytes_after(out->record), why);
	return got ? got : 1;
}
