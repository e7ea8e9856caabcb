/* event_lines.c - see ingest/event_lines.h. A binary heap: heap[i] is not later than heap[2i + 1]
 * and heap[2i + 2]. */
#include "ingest/event_lines.h"

#include <stdlib.h>
#include <string.h>

void event_lines_finish(struct event_lines *lines)
{
	for (uint32_t i = 0; i < lines->count; i++)
		free(lines->heap[i]);
	free(lines->heap);
	memset(lines, 0, sizeof(*lines));
}

static size_t text_bytes(const struct probe_value *values, uint32_t count)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < count; i++)
		if (values[i].is_known && values[i].is_text)
			bytes += values[i].text_bytes;
	return bytes;
}

struct event_line *event_lines_create(struct event_lines *lines, const struct event_line *head,
				      const struct probe_value *values, uint32_t count)
{
	const size_t bytes = sizeof(struct event_line) + count * sizeof(*values) +
			     text_bytes(values, count);
	struct event_line *line = NULL;
	char *text;

	if (!lines->is_bounded || lines->bytes + bytes <= EVENT_LINES_BYTES)
		line = malloc(bytes);
	if (!line) {
		lines->dropped++;
		return NULL;
	}
	memcpy(line, head, sizeof(*head));
	line->bytes = (uint32_t)bytes;
	line->value_count = count;
	line->is_counted = line->is_parked = false;
	text = (char *)(line->values + count);
	for (uint32_t i = 0; i < count; i++) {
		line->values[i] = values[i];
		if (!values[i].is_known || !values[i].is_text)
			continue;
		memcpy(text, values[i].text, values[i].text_bytes);
		line->values[i].text = text;
		text += values[i].text_bytes;
	}
	lines->bytes += bytes;
	return line;
}

void event_lines_destroy(struct event_lines *lines, struct event_line *line)
{
	if (!line)
		return;
	lines->bytes -= line->bytes;
	free(line);
}

static bool is_before(const struct event_line *a, const struct event_line *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->order < b->order;
}

static void swap(struct event_lines *lines, uint32_t a, uint32_t b)
{
	struct event_line *line = lines->heap[a];

	lines->heap[a] = lines->heap[b];
	lines->heap[b] = line;
}

void event_lines_push(struct event_lines *lines, struct event_line *line)
{
	const uint32_t capacity = lines->capacity ? lines->capacity * 2 : 256;
	uint32_t at = lines->count;

	if (lines->count == lines->capacity) {
		struct event_line **bigger = realloc(lines->heap, capacity * sizeof(*bigger));

		if (!bigger) {
			lines->dropped++;
			return;
		}
		lines->heap = bigger;
		lines->capacity = capacity;
	}
	line->order = ++lines->last_order;
	line->is_counted = true;
	lines->heap[lines->count++] = line;
	for (; at && is_before(line, lines->heap[(at - 1) / 2]); at = (at - 1) / 2)
		swap(lines, at, (at - 1) / 2);
}

const struct event_line *event_lines_peek(const struct event_lines *lines, uint64_t limit_ns)
{
	return lines->count && lines->heap[0]->time_ns < limit_ns ? lines->heap[0] : NULL;
}

/* Index of the earliest of the line at @at and its two children. */
static uint32_t earliest(const struct event_lines *lines, uint32_t at)
{
	uint32_t first = at;

	for (uint32_t below = 2 * at + 1; below <= 2 * at + 2 && below < lines->count; below++)
		if (is_before(lines->heap[below], lines->heap[first]))
			first = below;
	return first;
}

void event_lines_pop(struct event_lines *lines)
{
	uint32_t at = 0, next;

	event_lines_destroy(lines, lines->heap[0]);
	lines->heap[0] = lines->heap[--lines->count];
	while ((next = earliest(lines, at)) != at) {
		swap(lines, at, next);
		at = next;
	}
}
