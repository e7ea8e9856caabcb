/* record_bytes.c - see record_bytes.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record_bytes.h"

static void set_size(uint64_t *words, size_t count)
{
	struct perf_event_header header;

	memcpy(&header, words, sizeof(header));
	header.size = (uint16_t)(count * sizeof(*words));
	memcpy(words, &header, sizeof(header));
}

void record_begin(struct record_bytes *record, uint32_t type, uint16_t misc)
{
	const struct perf_event_header header = { .type = type, .misc = misc };

	memset(record, 0, sizeof(*record));
	memcpy(record->words, &header, sizeof(header));
	record->count = 1;
}

void record_add(struct record_bytes *record, const uint64_t *words, size_t count)
{
	assert_true(record->count + count <= RECORD_MAX_WORDS);
	memcpy(record->words + record->count, words, count * sizeof(*words));
	record->count += count;
}

void record_add_text(struct record_bytes *record, const char *text)
{
	const size_t len = strlen(text), count = len / sizeof(uint64_t) + 1;

	assert_true(record->count + count <= RECORD_MAX_WORDS);
	memcpy(record->words + record->count, text, len);	/* the rest is 0 since the begin */
	record->count += count;
}

void record_close(struct record_bytes *record)
{
	set_size(record->words, record->count);
}

int record_close_and_parse(const struct record_format *format, struct record_bytes *record,
			   struct event_record *out)
{
	record_close(record);
	return record_parse(format, record->words, sizeof(record->words), out);
}

struct record_format record_format_of(uint64_t sample_type, bool has_trailers)
{
	const struct perf_event_attr attr = { .sample_type = sample_type,
					      .sample_id_all = has_trailers };
	struct record_format format;

	record_format_init(&format, &attr);
	return format;
}

int record_parse_cut(const struct record_format *format, const struct record_bytes *record,
		     size_t count, struct event_record *out)
{
	uint64_t *copy = malloc(count * sizeof(*copy));	/* a sanitizer sees a read after it */
	int err;

	assert_non_null(copy);
	memcpy(copy, record->words, count * sizeof(*copy));
	set_size(copy, count);
	err = record_parse(format, copy, count * sizeof(*copy), out);
	free(copy);
	return err;
}
