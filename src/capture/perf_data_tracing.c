/* perf_data_tracing.c - reads the copies of tracefs files in a recording: the format files of its
 * tracepoints and probes, which give an event the name that its attr lacks, and describe the fields
 * of its raw bytes.
 *
 * Layout: |17 08 44 "tracing"|version\0|byte order|bytes of a long|page size|
 *         |"header_page\0"|file|"header_event\0"|file|count|file ...|
 *         |systems|: each |name\0|count|file ...|  then symbols and command lines, not used here.
 *         A file is its length in 64 bits and its bytes; other numbers have 32 bits.
 * Source: linux/tools/perf/util/trace-event-info.c.
 * Trust:  every length is compared with what is left before it is used. A format is copied only for
 *         an event that has none yet, so that the copies are never larger than the section.
 */
#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sanitize.h"
#include "perf_data_header.h"

#define FORMAT_MAX_BYTES 65536	/* as for live events; the longest has 6 KiB */

struct tracing_cursor {
	const char *at, *end;
	bool overrun;
};

struct tracing_file {
	const char *text;	/* not terminated */
	size_t bytes;
};

static const char *take_bytes(struct tracing_cursor *cursor, uint64_t count)
{
	const char *bytes = cursor->at;

	if (count > (uint64_t)(cursor->end - cursor->at)) {
		cursor->overrun = true;
		cursor->at = cursor->end;
		return NULL;
	}
	cursor->at += count;
	return bytes;
}

static uint32_t take_u32(struct tracing_cursor *cursor)
{
	const char *bytes = take_bytes(cursor, sizeof(uint32_t));
	uint32_t value = 0;

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return value;
}

/* Reads text up to a NUL, which must exist; returns "" beyond the end. */
static const char *take_name(struct tracing_cursor *cursor)
{
	const size_t left = (size_t)(cursor->end - cursor->at);
	const size_t len = strnlen(cursor->at, left);
	const char *name = take_bytes(cursor, (uint64_t)len + 1);

	return name ? name : "";
}

static struct tracing_file take_file(struct tracing_cursor *cursor)
{
	const char *length = take_bytes(cursor, sizeof(uint64_t));
	struct tracing_file file = { .text = NULL };
	uint64_t bytes = 0;

	if (length)
		memcpy(&bytes, length, sizeof(bytes));
	file.text = take_bytes(cursor, bytes);
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

static char *keep_format(struct perf_data_header *header, const struct tracing_file *format)
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
			text = keep_format(header, format);
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
static uint32_t take_long_bytes(struct tracing_cursor *cursor)
{
	const char *bytes = take_bytes(cursor, 2);

	return bytes && bytes[1] == 4 ? 4 : 8;
}

/* Reads all groups of events. Returns 0 or -ENOMEM. */
static int take_systems(struct perf_data_header *header, struct tracing_cursor *cursor,
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
	struct tracing_cursor cursor = { .at = bytes, .end = (const char *)bytes + size };
	const char *begin = take_bytes(&cursor, sizeof(magic));
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
