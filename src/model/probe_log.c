/* probe_log.c - see model/probe_log.h. The memory comes with the first hit: most probes of a
 * wildcard have none. */
#include "model/probe_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/id_set.h"

void probe_log_finish(struct probe_log *log)
{
	free(log->lines);
	free(log->slowest);
	memset(log, 0, sizeof(*log));
}

static int begin(struct probe_log *log, uint32_t columns)
{
	const uint64_t last_number = log->last_number;
	const size_t line_bytes = sizeof(struct probe_line) +
				  columns * sizeof(struct probe_line_value);

	if (log->lines && log->columns == columns)
		return 0;
	probe_log_finish(log);
	log->last_number = last_number;
	log->lines = calloc(PROBE_LOG_LINES, line_bytes);
	log->slowest = calloc(PROBE_SLOWEST, line_bytes);
	if (!log->lines || !log->slowest) {
		probe_log_finish(log);
		log->last_number = last_number;
		return -ENOMEM;
	}
	log->columns = columns;
	log->line_bytes = (uint32_t)line_bytes;
	return 0;
}

static struct probe_line *line_at(const struct probe_log *log, unsigned char *lines,
				  uint64_t index)
{
	return (struct probe_line *)(void *)(lines + index * log->line_bytes);
}

struct probe_line *probe_log_slowest(const struct probe_log *log, uint32_t index)
{
	return line_at(log, log->slowest, index);
}

/* Where a line of @latency_ns goes among the slowest; NULL: nowhere. */
static struct probe_line *place_of(struct probe_log *log, int64_t latency_ns)
{
	struct probe_line *fastest;

	if (latency_ns < 0)
		return NULL;
	if (log->slowest_count < PROBE_SLOWEST)
		return probe_log_slowest(log, log->slowest_count++);
	fastest = probe_log_slowest(log, 0);
	for (uint32_t i = 1; i < PROBE_SLOWEST; i++)
		if (probe_log_slowest(log, i)->latency_ns < fastest->latency_ns)
			fastest = probe_log_slowest(log, i);
	return fastest->latency_ns < latency_ns ? fastest : NULL;
}

static void put_value(struct probe_line_value *out, const struct probe_value *value)
{
	out->is_known = value->is_known;
	out->is_text = value->is_text;
	out->is_signed = value->is_signed;
	out->text_bytes = 0;
	if (!value->is_known)
		return;
	if (!value->is_text) {
		out->number = value->number;
		return;
	}
	out->text_bytes = (uint8_t)(value->text_bytes < PROBE_LINE_TEXT ? value->text_bytes
									: PROBE_LINE_TEXT);
	memcpy(out->text, value->text, out->text_bytes);
}

uint64_t probe_log_add(struct probe_log *log, const struct probe_line *line,
		       const struct probe_value *values, uint32_t columns)
{
	struct probe_line *own, *slow;

	if (begin(log, columns))
		return 0;
	own = line_at(log, log->lines, log->last_number % PROBE_LOG_LINES);
	memcpy(own, line, sizeof(*line));
	own->number = ++log->last_number;
	own->stack = ID_SET_NONE;
	for (uint32_t i = 0; i < columns; i++)
		put_value(&own->values[i], &values[i]);
	slow = place_of(log, line->latency_ns);
	if (slow)
		memcpy(slow, own, log->line_bytes);
	return own->number;
}

static struct probe_line *find_slow(const struct probe_log *log, uint64_t number)
{
	for (uint32_t i = 0; i < log->slowest_count; i++)
		if (probe_log_slowest(log, i)->number == number)
			return probe_log_slowest(log, i);
	return NULL;
}

bool probe_log_is_slow(const struct probe_log *log, uint64_t number)
{
	return find_slow(log, number);
}

void probe_log_set_stack(struct probe_log *log, uint64_t number, uint32_t stack)
{
	struct probe_line *line = find_slow(log, number);

	if (line)
		line->stack = stack;
}

/* After the columns have changed the oldest that is kept is not the ring's oldest: its number says
 * whether there is a line. */
uint32_t probe_log_count(const struct probe_log *log)
{
	uint32_t count = 0;

	for (uint64_t number = log->last_number; log->lines && number && count < PROBE_LOG_LINES;
	     number--, count++)
		if (line_at(log, log->lines, (number - 1) % PROBE_LOG_LINES)->number != number)
			break;
	return count;
}

const struct probe_line *probe_log_line(const struct probe_log *log, uint32_t index)
{
	const uint64_t number = log->last_number - probe_log_count(log) + 1 + index;

	return line_at(log, log->lines, (number - 1) % PROBE_LOG_LINES);
}
