/* hit_log.c - see ingest/hit_log.h. Memory is allocated at the first hit: most probes of a wildcard
 * have none. */
#include "ingest/hit_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/id_set.h"

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

static struct hit_line *line_at(const struct hit_log *log, unsigned char *lines,
				  uint64_t index)
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
		out->object = value->object;
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
