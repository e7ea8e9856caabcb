/* probe_draft_times.c - hits over time, second by second, out of the slices. A slice of several
 * seconds (rolled up) is spread evenly over them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/latency_bucket.h"
#include "probe_draft.h"

/* The seconds shown: first <= second <= now; `now` is not over yet. */
struct seconds {
	uint64_t first, now;
	uint32_t index_of[TIMELINE_NUMBERS];	/* row of the event's probe; UINT32_MAX: none */
	uint32_t heat_event;		/* UINT32_MAX: no heat map */
};

/* Returns the part in @second of @count hits, spread over @length seconds from @first on. */
static uint32_t part_of(uint32_t count, uint64_t first, uint64_t length, uint64_t second)
{
	return (uint32_t)(count / length + (second - first < count % length));
}

static void add_second(struct probe_draft *draft, const struct seconds *seconds,
		       const struct slice_entry *entry, uint64_t second, uint32_t count)
{
	const uint64_t age = seconds->now - second;
	struct snapshot_probe *probe = &draft->list[seconds->index_of[entry->event]];

	if (age && age <= probe->spark_count)
		probe->spark[probe->spark_count - age] += (float)count;
	if (entry->event == seconds->heat_event && entry->bucket)
		draft->heat[second - seconds->first][latency_bucket_octave(entry->bucket)] +=
			count;
}

static void add_slice(struct probe_draft *draft, const struct seconds *seconds,
		      const struct slice *slice)
{
	const uint64_t first = slice->start_ns / SLICE_NS;
	const uint64_t last = slice->end_ns > slice->start_ns ? (slice->end_ns - 1) / SLICE_NS
							      : first;

	for (const struct slice_entry *entry = slice->entries;
	     entry < slice->entries + slice->count; entry++) {
		if (seconds->index_of[entry->event] == UINT32_MAX)
			continue;
		for (uint64_t second = first; second <= last && second <= seconds->now; second++)
			if (second >= seconds->first)
				add_second(draft, seconds, entry, second,
					   part_of(entry->count, first, last - first + 1, second));
	}
}

static struct seconds seconds_of(struct probe_draft *draft, const struct probe_draft_span *span)
{
	const uint64_t now = span->end_ns / SLICE_NS, known = span->known_ns / SLICE_NS;
	struct seconds seconds = { .now = now, .heat_event = UINT32_MAX };

	seconds.first = now >= PROBE_HEAT_SECONDS ? now - PROBE_HEAT_SECONDS + 1 : 0;
	if (known > seconds.first)
		seconds.first = known < now ? known : now;
	memset(seconds.index_of, 0xff, sizeof(seconds.index_of));
	for (uint32_t i = 0; i < draft->head.count; i++) {
		struct snapshot_probe *probe = &draft->list[i];
		const uint64_t complete = now - seconds.first;

		seconds.index_of[probe->event] = i;
		probe->spark_count = (uint32_t)(complete < PROBE_SPARK_POINTS ? complete
									      : PROBE_SPARK_POINTS);
		if (probe->id == draft->head.detail && probe->has_latency)
			seconds.heat_event = probe->event;
	}
	return seconds;
}

int probe_draft_times(struct probe_draft *draft, const struct ingest *ingest,
		      const struct probe_draft_span *span)
{
	const struct timeline *timeline = &ingest->timeline;
	const struct seconds seconds = seconds_of(draft, span);

	if (seconds.heat_event != UINT32_MAX) {
		draft->head.heat.seconds = (uint32_t)(seconds.now - seconds.first + 1);
		draft->head.heat.end_ns = (seconds.now + 1) * SLICE_NS;
		draft->heat = calloc(draft->head.heat.seconds, sizeof(*draft->heat));
		if (!draft->heat)
			return -ENOMEM;
	}
	for (uint32_t s = timeline->count; s-- > 0;) {
		const struct slice *slice = &timeline->slices[s];

		if (slice->end_ns / SLICE_NS < seconds.first)
			break;
		if (slice->start_ns <= span->end_ns)
			add_slice(draft, &seconds, slice);
	}
	return 0;
}
