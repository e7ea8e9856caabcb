/* hit_log.c - see ingest/probe_state.h. Memory is allocated at the first hit: most probes of a
 * wildcard have none. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/id_map.h"
#include "ingest/probe_state.h"

void hit_log_finish(struct hit_log *log)
{
	free(log->lines);
	free(log->slowest);
	free(log->texts);
	memset(log, 0, sizeof(*log));
}

static int begin(struct hit_log *log, uint32_t columns)
{
	const uint64_t last_number = log->last_number;
	const size_t line_bytes = sizeof(struct hit_line) +
				  columns * sizeof(struct hit_line_value);

	if (log->lines && log->columns == columns)
		return 0;
	hit_log_finish(log);
	log->last_number = last_number;
	log->lines = calloc(PROBE_LOG_LINES, line_bytes);
	log->slowest = calloc(PROBE_SLOWEST, line_bytes);
	if (!log->lines || !log->slowest) {
		hit_log_finish(log);
		log->last_number = last_number;
		return -ENOMEM;
	}
	log->columns = columns;
	log->line_bytes = (uint32_t)line_bytes;
	return 0;
}

static struct hit_line *line_at(const struct hit_log *log, unsigned char *lines, uint64_t index)
{
	return (struct hit_line *)(void *)(lines + index * log->line_bytes);
}

struct hit_line *hit_log_slowest(const struct hit_log *log, uint32_t index)
{
	return line_at(log, log->slowest, index);
}

/* The row for a line of @latency_ns among the slowest; NULL: it is not slow enough. */
static struct hit_line *place_of(struct hit_log *log, int64_t latency_ns)
{
	struct hit_line *fastest;

	if (latency_ns < 0)
		return NULL;
	if (log->slowest_count < PROBE_SLOWEST)
		return hit_log_slowest(log, log->slowest_count++);
	fastest = hit_log_slowest(log, 0);
	for (uint32_t i = 1; i < PROBE_SLOWEST; i++)
		if (hit_log_slowest(log, i)->latency_ns < fastest->latency_ns)
			fastest = hit_log_slowest(log, i);
	return fastest->latency_ns < latency_ns ? fastest : NULL;
}

static size_t till_end_of_ring(uint64_t at, size_t bytes)
{
	const size_t left = HIT_TEXTS_BYTES - at % HIT_TEXTS_BYTES;

	return bytes < left ? bytes : left;
}

/* Stores a text over HIT_TEXT_BYTES. Out of memory: as if it had left the ring already. */
static void put_longer(struct hit_log *log, struct hit_line_value *out, const char *text)
{
	const size_t bytes = out->text_bytes, first = till_end_of_ring(log->texts_used, bytes);

	memcpy(out->longer.begin, text, HIT_BEGIN_BYTES);
	out->longer.at = UINT64_MAX;
	if (!log->texts)
		log->texts = malloc(HIT_TEXTS_BYTES);
	if (!log->texts)
		return;
	out->longer.at = log->texts_used;
	memcpy(log->texts + log->texts_used % HIT_TEXTS_BYTES, text, first);
	memcpy(log->texts, text + first, bytes - first);
	log->texts_used += bytes;
}

size_t hit_log_text(const struct hit_log *log, const struct hit_line_value *value,
		    char out[HIT_LONGEST_BYTES])
{
	const size_t bytes = value->text_bytes;
	const uint64_t at = value->longer.at;
	size_t first;

	if (bytes <= HIT_TEXT_BYTES) {
		memcpy(out, value->text, bytes);
		return bytes;
	}
	if (at == UINT64_MAX || log->texts_used - at > HIT_TEXTS_BYTES) {
		memcpy(out, value->longer.begin, HIT_BEGIN_BYTES);
		memset(out + HIT_BEGIN_BYTES, '.', 3);
		return HIT_BEGIN_BYTES + 3;
	}
	first = till_end_of_ring(at, bytes);
	memcpy(out, log->texts + at % HIT_TEXTS_BYTES, first);
	memcpy(out + first, log->texts, bytes - first);
	return bytes;
}

static void put_value(struct hit_log *log, struct hit_line_value *out,
		      const struct probe_value *value)
{
	out->is_known = value->is_known;
	out->is_text = value->is_text;
	out->is_signed = value->is_signed;
	out->text_bytes = 0;
	if (!value->is_known)
		return;
	if (!value->is_text) {
		out->number = value->number;
		out->dso = value->dso;
		out->serial = value->serial;
		return;
	}
	out->text_bytes = (uint8_t)(value->text_bytes < HIT_LONGEST_BYTES ? value->text_bytes
									  : HIT_LONGEST_BYTES);
	if (out->text_bytes > HIT_TEXT_BYTES)
		put_longer(log, out, value->text);
	else
		memcpy(out->text, value->text, out->text_bytes);
}

uint64_t hit_log_add(struct hit_log *log, const struct hit_line *line,
		     const struct probe_value *values, uint32_t columns)
{
	struct hit_line *own, *slow;

	if (begin(log, columns))
		return 0;
	own = line_at(log, log->lines, log->last_number % PROBE_LOG_LINES);
	memcpy(own, line, sizeof(*line));
	own->number = ++log->last_number;
	own->stack = ID_SET_NONE;
	for (uint32_t i = 0; i < columns; i++)
		put_value(log, &own->values[i], &values[i]);
	slow = place_of(log, line->latency_ns);
	if (slow)
		memcpy(slow, own, log->line_bytes);
	return own->number;
}

static struct hit_line *find_slow(const struct hit_log *log, uint64_t number)
{
	for (uint32_t i = 0; i < log->slowest_count; i++)
		if (hit_log_slowest(log, i)->number == number)
			return hit_log_slowest(log, i);
	return NULL;
}

struct hit_line *hit_log_recent(const struct hit_log *log, uint64_t number)
{
	struct hit_line *line;

	if (!log->lines || !number)
		return NULL;
	line = line_at(log, log->lines, (number - 1) % PROBE_LOG_LINES);
	return line->number == number ? line : NULL;
}

const struct hit_line *hit_log_find(const struct hit_log *log, uint64_t number)
{
	const struct hit_line *line = hit_log_recent(log, number);

	return line ? line : find_slow(log, number);
}

void hit_log_set_stack(struct hit_log *log, uint64_t number, uint32_t stack)
{
	struct hit_line *recent = hit_log_recent(log, number), *slow = find_slow(log, number);

	if (recent)
		recent->stack = stack;
	if (slow)
		slow->stack = stack;
}

/* After a change of columns the ring begins with empty rows, so a row counts only if it has its
 * number. */
uint32_t hit_log_count(const struct hit_log *log)
{
	uint32_t count = 0;

	while (count < log->last_number && hit_log_recent(log, log->last_number - count))
		count++;
	return count;
}

const struct hit_line *hit_log_line(const struct hit_log *log, uint32_t index)
{
	const uint64_t number = log->last_number - hit_log_count(log) + 1 + index;

	return line_at(log, log->lines, (number - 1) % PROBE_LOG_LINES);
}

/* Lines are a binary heap: heap[i] is not later than heap[2i + 1] and heap[2i + 2]. */

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
	const size_t branch_bytes = head->branch_count * sizeof(*head->branches);
	const size_t bytes = sizeof(struct event_line) + count * sizeof(*values) + branch_bytes +
			     head->raw_bytes + text_bytes(values, count);
	struct event_line *line = NULL;
	char *text;

	if (!lines->bytes_max || lines->bytes + bytes <= lines->bytes_max)
		line = malloc(bytes);
	if (!line) {
		lines->dropped++;
		return NULL;
	}
	memcpy(line, head, sizeof(*head));
	line->bytes = (uint32_t)bytes;
	line->value_count = count;
	line->is_counted = line->is_pending = false;
	text = (char *)(line->values + count);
	if (branch_bytes) {
		line->branches = memcpy(text, head->branches, branch_bytes);
		text += branch_bytes;
	}
	if (head->raw_bytes) {
		line->raw = memcpy(text, head->raw, head->raw_bytes);
		text += head->raw_bytes;
	}
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
	if (line->time_ns == UINT64_MAX)	/* a damaged sample; the last limit is later */
		line->time_ns--;
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

struct event_line *event_lines_begin(struct event_lines *lines, const struct event_record *end,
				     int64_t latency_ns, const struct probe_value *values,
				     uint32_t count)
{
	const struct event_line head = {
		.time_ns = end->time_ns, .latency_ns = latency_ns, .is_hit = true,
		.ip = end->sample.ip,
		.cpu = end->has_cpu ? end->cpu : UINT32_MAX,
	};

	return lines->is_on ? event_lines_create(lines, &head, values, count) : NULL;
}

void event_lines_counted(struct event_lines *lines, struct event_line *line,
			 const struct slice_entry *entry)
{
	if (!line)
		return;
	line->entry = *entry;
	event_lines_push(lines, line);
}

void event_lines_end(struct event_lines *lines, struct event_line *line)
{
	if (line && !line->is_counted && !line->is_pending)
		event_lines_destroy(lines, line);
}

void event_lines_sample(struct event_lines *lines, const struct event_record *record,
			const struct slice_entry *entry, const struct probe_value *values,
			uint32_t count)
{
	const struct event_line head = {
		.time_ns = record->time_ns, .latency_ns = -1, .ip = record->sample.ip,
		.addr = record->sample.addr,
		.cpu = record->has_cpu ? record->cpu : UINT32_MAX,
		.raw = lines->has_raw ? record->sample.raw : NULL,
		.raw_bytes = lines->has_raw && record->sample.raw ? record->sample.raw_bytes : 0,
		.branches = lines->has_branches ? record->sample.branches : NULL,
		.branch_count = lines->has_branches ? (uint32_t)record->sample.branch_count : 0,
	};
	struct event_line *line;

	if (!lines->is_on)
		return;
	line = event_lines_create(lines, &head, values, count);
	event_lines_counted(lines, line, entry);
	event_lines_end(lines, line);
}

void event_lines_wait(struct event_lines *lines, const struct event_record *record,
		      uint64_t end_ns, const struct slice_entry *entry)
{
	struct event_record end = *record;

	end.time_ns = end_ns;
	event_lines_sample(lines, &end, entry, NULL, 0);
}
