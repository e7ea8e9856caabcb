/* probe_source.c - see ingest/probe_source.h.
 *
 * Problem: news and records have separate queues, so the first record of a probe may be read before
 * the news that says how to decode it. Idea: the sender queues the news first; on a record with an
 * unknown id the news are read again, and if the id stays unknown the record is malformed.
 */
#include "ingest/probe_source.h"

#include <sys/eventfd.h>

#include "base/whole_io.h"
#include "capture/record_queue.h"

static bool take_news(const struct probe_source *source, struct ingest *ingest)
{
	struct probe_news news;
	bool has_dropped = false;

	while (source->news(source->owner, &news))
		has_dropped |= ingest_hit_news(ingest, &news);
	return has_dropped;
}

static void take_record(const struct probe_source *source, struct ingest *ingest,
			const struct perf_event_header *record, uint32_t cpu,
			struct probe_drain *drain)
{
	if (ingest_hit_push(ingest, record, record->size, cpu))
		return;
	drain->has_dropped |= take_news(source, ingest);
	if (!ingest_hit_push(ingest, record, record->size, cpu))
		ingest->counters.malformed++;
}

/* Pushes all records of @item. Returns how many. */
static int take_records(const struct probe_source *source, struct ingest *ingest,
			const struct queue_item *item, size_t bytes, struct probe_drain *drain)
{
	const struct perf_event_header *record;
	size_t offset = 0;
	int count = 0;

	for (; (record = queue_next_record(item, bytes, &offset)); count++)
		take_record(source, ingest, record, item->cpu, drain);
	return count;
}

/* Requests a round of the other source: the new hits wait for its records of their time. */
static void ask_for_round(const struct probe_source *source, const struct ingest *ingest,
			  uint64_t before_ns)
{
	const uint64_t hits_ns = ingest_hit_limit_ns(ingest);

	if (source->round_fd > 0 && hits_ns != before_ns && hits_ns != UINT64_MAX &&
	    ingest->limit_ns < hits_ns)
		whole_eventfd_write(source->round_fd, 1);
}

struct probe_drain probe_source_drain(const struct probe_source *source, struct ingest *ingest,
				      int limit)
{
	struct probe_drain drain = { .has_more = true };
	const uint64_t before_ns = ingest_hit_limit_ns(ingest);
	const struct queue_item *item;
	size_t bytes;

	if (!source->news)
		return (struct probe_drain){ .has_more = false };
	drain.has_dropped = take_news(source, ingest);
	for (int taken = 0; taken < limit;) {
		item = spsc_peek(source->queue, &bytes);
		if (!item) {
			drain.has_more = false;
			break;
		}
		if (item->kind == QUEUE_RECORD)
			taken += take_records(source, ingest, item, bytes, &drain);
		else
			taken++;
		if (item->kind == QUEUE_ROUND_END)
			ingest_hit_round_end(ingest, (const void *)(item + 1));
		spsc_release(source->queue);
	}
	ask_for_round(source, ingest, before_ns);
	return drain;
}
