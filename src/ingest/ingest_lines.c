/* ingest_lines.c - output of single hits and samples: each counted one becomes a line in
 * ingest/event_lines.h.
 *
 * The records with a hit's values are gone when its parked sample is counted: so its line is
 * created with the hit, and gets task and stack with the sample.
 */
#include "ingest/ingest.h"

struct event_line *ingest_line_begin(struct ingest *ingest, const struct event_record *end,
				     int64_t latency_ns, const struct probe_value *values,
				     uint32_t count)
{
	const struct event_line head = {
		.time_ns = end->time_ns, .latency_ns = latency_ns, .is_hit = true,
		.cpu = end->has_cpu ? end->cpu : UINT32_MAX,
	};

	return ingest->lines.is_on ? event_lines_create(&ingest->lines, &head, values, count)
				   : NULL;
}

void ingest_line_counted(struct ingest *ingest, struct event_line *line,
			 const struct slice_entry *entry)
{
	if (!line)
		return;
	line->entry = *entry;
	event_lines_push(&ingest->lines, line);
}

void ingest_line_end(struct ingest *ingest, struct event_line *line)
{
	if (line && !line->is_counted && !line->is_parked)
		event_lines_destroy(&ingest->lines, line);
}

void ingest_line_of_sample(struct ingest *ingest, const struct event_record *record,
			   const struct slice_entry *entry, const struct probe_value *values,
			   uint32_t count)
{
	const struct event_line head = {
		.time_ns = record->time_ns, .latency_ns = -1,
		.cpu = record->has_cpu ? record->cpu : UINT32_MAX,
	};
	struct event_line *line;

	if (!ingest->lines.is_on)
		return;
	line = event_lines_create(&ingest->lines, &head, values, count);
	ingest_line_counted(ingest, line, entry);
	ingest_line_end(ingest, line);
}

uint64_t ingest_lines_limit_ns(const struct ingest *ingest)
{
	uint64_t limit_ns = ingest->watermark_ns;

	for (uint32_t i = 0; i < ingest->parked_count; i++)
		if (ingest->parked[i].form.time_ns < limit_ns)
			limit_ns = ingest->parked[i].form.time_ns;
	return limit_ns;
}
