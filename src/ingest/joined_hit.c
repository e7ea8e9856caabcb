/* joined_hit.c - see joined_hit.h and "Values of recorded hits" in ingest/probe_state.h.
 *
 * Problem: a call is one sample of a recording, but its values come in two records: of its entry,
 * and of its return. The times of stages are in none of them.
 *
 * Idea: what the entry's record lacks is inserted into its raw bytes, right after the fields that
 * all events have. What follows moves, and so do the offsets of its texts.
 *
 *	entry's raw bytes:	common | fields ... texts
 *	joined:			common | known | added ... | fields ... texts | added texts
 */
#include "joined_hit.h"

#include <stdlib.h>
#include <string.h>

#define RECORD_BYTES_MAX 65528	/* header.size has 16 bits; records have whole words */

bool probe_field_is_listed(const struct raw_fields *fields, size_t index)
{
	const struct raw_field *field = &fields->list[index];

	if (index >= fields->count || field->area != AREA_RAW || field->bits || field->element)
		return false;
	for (size_t i = 0; i < index && !probe_field_is_copied(field); i++)
		if (!strcmp(fields->list[i].name, field->name))
			return false;
	return true;
}

bool probe_field_is_copied(const struct raw_field *field)
{
	return field->is_dynamic && !field->type[0];
}

const struct probe_stream *probe_reading_stream(const struct probe_reading *reading)
{
	return reading->entry.fields.count ? &reading->entry : &reading->leave;
}

static bool is_added(const struct probe_reading *reading, const struct probe_column *column)
{
	const struct probe_stream *stream = probe_reading_stream(reading);

	if (column->stage && !column->field)
		return true;
	if (column->late_field || column->field < 0)
		return true;
	if (column->is_return && stream == &reading->entry && reading->leave.fields.count)
		return true;
	return !probe_field_is_listed(&stream->fields, (size_t)column->field);
}

uint32_t probe_reading_added(const struct probe_reading *reading,
			     uint8_t columns[PROBE_VALUES_MAX])
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < reading->column_count; i++)
		if (is_added(reading, &reading->columns[i]))
			columns[count++] = (uint8_t)i;
	return count;
}

/* The raw bytes under construction; offsets count from `raw`. */
struct joined_raw {
	unsigned char *raw;
	size_t used;
};

/* Moves the texts' offsets, which count from the begin of the raw bytes. */
static void move_texts(const struct joined_raw *out, const struct raw_fields *fields, size_t by)
{
	for (size_t i = 0; i < fields->count; i++) {
		const struct raw_field *field = &fields->list[i];
		uint32_t place;

		if (!field->is_dynamic || field->is_relative || field->is_common ||
		    !probe_field_is_listed(fields, i) ||
		    field->offset + by + sizeof(place) > out->used)
			continue;
		memcpy(&place, out->raw + field->offset + by, sizeof(place));
		if (!(place >> 16))
			continue;
		place += (uint32_t)by;
		memcpy(out->raw + field->offset + by, &place, sizeof(place));
	}
}

/* Returns the word for a text that is appended to the raw bytes. */
static uint64_t add_text(struct joined_raw *out, const struct probe_value *value)
{
	const size_t bytes = value->text_bytes < PROBE_TEXT_BYTES_MAX ? value->text_bytes
								      : PROBE_TEXT_BYTES_MAX - 1;
	const uint64_t word = (bytes + 1) << 16 | out->used;

	memcpy(out->raw + out->used, value->text, bytes);
	out->raw[out->used + bytes] = '\0';
	out->used += bytes + 1;
	return word;
}

static void add_values(struct joined_raw *out, const struct hit *hit, const uint8_t *columns,
		       uint32_t count)
{
	uint64_t known = 0, word;

	for (uint32_t i = 0; i < count; i++) {
		const struct probe_value *value = &hit->values[columns[i]];

		word = 0;
		if (value->is_known) {
			known |= UINT64_C(1) << i;
			word = value->is_text ? add_text(out, value) : value->number;
		}
		memcpy(out->raw + PROBE_ADDED_AT(i), &word, sizeof(word));
	}
	memcpy(out->raw + PROBE_KNOWN_AT, &known, sizeof(known));
}

static size_t whole_words(size_t bytes)
{
	return (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
}

/* Writes the raw bytes with their length before them. Returns what follows them. */
static unsigned char *write_raw(unsigned char *at, const struct hit *hit,
				const struct probe_stream *stream, const uint8_t *columns,
				uint32_t count)
{
	const struct record_sample *sample = &hit->begin->sample;
	const size_t by = PROBE_ADDED_BYTES(count), head = PROBE_KNOWN_AT;
	struct joined_raw out = { .raw = at + sizeof(uint32_t) };
	uint32_t bytes;

	memcpy(out.raw, sample->raw, head);
	memcpy(out.raw + head + by, (const unsigned char *)sample->raw + head,
	       sample->raw_bytes - head);
	out.used = sample->raw_bytes + by;
	move_texts(&out, &stream->fields, by);
	add_values(&out, hit, columns, count);
	bytes = (uint32_t)(whole_words(sizeof(bytes) + out.used) - sizeof(bytes));
	memset(out.raw + out.used, 0, bytes - out.used);
	memcpy(at, &bytes, sizeof(bytes));
	return out.raw + bytes;
}

static size_t text_bytes(const struct hit *hit, const uint8_t *columns, uint32_t count)
{
	size_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		if (hit->values[columns[i]].is_known && hit->values[columns[i]].is_text)
			sum += hit->values[columns[i]].text_bytes + 1;
	return sum;
}

bool joined_hit_make(struct joined_hit *out, const struct hit *hit,
		     const struct probe_stream *stream)
{
	const struct record_sample *sample = &hit->begin->sample;
	const unsigned char *from = hit->raw;
	struct perf_event_header header;
	uint8_t columns[PROBE_VALUES_MAX];
	const uint32_t count = probe_reading_added(hit->reading, columns);
	size_t before, after, most;
	unsigned char *end;

	*out = (struct joined_hit){ .bytes = NULL };
	if (!count)
		return true;
	if (!sample->raw || sample->raw_bytes < PROBE_KNOWN_AT)
		return false;
	before = (size_t)((const unsigned char *)sample->raw - from) - sizeof(uint32_t);
	after = hit->size - before - sizeof(uint32_t) - sample->raw_bytes;
	most = hit->size + PROBE_ADDED_BYTES(count) + text_bytes(hit, columns, count) +
	       2 * sizeof(uint64_t);
	if (most > RECORD_BYTES_MAX)
		return false;
	out->bytes = malloc(most);
	if (!out->bytes)
		return false;
	memcpy(out->bytes, from, before);
	end = write_raw(out->bytes + before, hit, stream, columns, count);
	memcpy(end, from + hit->size - after, after);
	memcpy(&header, out->bytes, sizeof(header));
	header.size = (uint16_t)(end + after - out->bytes);
	memcpy(out->bytes, &header, sizeof(header));
	if (!record_parse(&stream->format, out->bytes, header.size, &out->record))
		return true;
	joined_hit_finish(out);
	return false;
}

void joined_hit_finish(struct joined_hit *joined)
{
	free(joined->bytes);
	joined->bytes = NULL;
}
