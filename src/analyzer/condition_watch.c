/* condition_watch.c - see condition_watch.h.
 *
 * A second is looked at when everything of it was counted: when the watermark has passed its end.
 * Samples that still wait for tables then are counted in the second in which these come.
 */
#include "condition_watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ingest/losses.h"
#include "window_fold.h"

#define LATE_MAX_NS (60 * CLOCK_NS_PER_S)	/* older seconds are left out after a standstill */

/* What is known of one second. */
struct second {
	uint64_t begin_ns, end_ns;
	struct probe_fold probes;	/* buckets NULL: there are no probes */
	uint64_t samples, lost;
	double busy_pct;		/* < 0: unknown */
};

static bool needs_fold(const struct condition_list *conditions)
{
	for (uint32_t i = 0; i < conditions->count; i++)
		if (conditions->list[i].stat != CONDITION_BUSY &&
		    conditions->list[i].stat != CONDITION_LOST)
			return true;
	return false;
}

/* Adds what was counted in the second. 0 or -ENOMEM. */
static int fold_second(struct second *second, struct ingest *ingest)
{
	const struct window_request request = {
		.kind = WINDOW_ALL, .known_ns = second->begin_ns,
		.newest_ns = ingest->watermark_ns, .chosen_ns = second->begin_ns,
		.frozen_ns = second->end_ns,
	};
	struct window_span span;
	struct slice *slices;
	uint32_t count;
	int err = timeline_cut(&ingest->timeline, ingest->watermark_ns);

	if (!err && ingest->hits)
		err = probe_fold_init(&second->probes, ingest->hits);
	if (err)
		return err;
	span = window_span_choose(&ingest->timeline, &request);
	err = window_span_slices(&span, &ingest->timeline, &slices, &count);
	if (err)
		return err;
	for (uint32_t s = 0; s < count; s++) {
		if (second->probes.buckets)
			probe_fold_add(&second->probes, slices[s].entries, slices[s].count);
		for (uint32_t i = 0; i < slices[s].count; i++)
			if (slices[s].entries[i].event < TIMELINE_MAX_EVENTS)
				second->samples += slices[s].entries[i].count;
	}
	free(slices);
	return 0;
}

/* Returns the slot of the probe with the name; PROBE_SLOTS: there is none. */
static uint32_t find_probe(const struct probe_hits *hits, const char *name)
{
	uint32_t slot = 0;

	while (slot < PROBE_SLOTS && (!hits || !hits->rows[slot].id ||
				      (strcmp(hits->rows[slot].name, name) != 0 &&
				       strcmp(hits->rows[slot].spec->name, name) != 0)))
		slot++;
	return slot;
}

static double mean_latency(const uint64_t *buckets)
{
	double sum = 0;
	uint64_t count = 0;

	for (unsigned int bucket = 1; bucket < LATENCY_BUCKETS; bucket++) {
		sum += (double)buckets[bucket] * (double)latency_bucket_middle((uint8_t)bucket);
		count += buckets[bucket];
	}
	return count ? sum / (double)count : -1;
}

/* Returns the stat of the latencies; < 0: there was none. */
static double latency_stat(enum condition_stat stat, const struct second *second,
			     const struct probe_row *row, uint32_t slot)
{
	const uint64_t *buckets = second->probes.buckets[slot];
	struct snapshot_latency latency;
	uint64_t peak_ns;

	latency_summarize(buckets, 0, &latency);
	if (!latency.count)
		return -1;
	peak_ns = probe_peaks_between(&row->peaks, second->begin_ns, second->end_ns,
				      latency.max_ns);
	latency_summarize(buckets, peak_ns, &latency);
	switch (stat) {
	case CONDITION_P50: return (double)latency.p50_ns;
	case CONDITION_P90: return (double)latency.p90_ns;
	case CONDITION_P99: return (double)latency.p99_ns;
	case CONDITION_MAX: return (double)latency.max_ns;
	default:	    return mean_latency(buckets);
	}
}

/* Returns the value in the second; < 0: there is none. */
static double value_of(const struct condition *condition, const struct second *second,
		       const struct ingest *ingest)
{
	uint32_t slot;

	switch (condition->stat) {
	case CONDITION_BUSY:	return second->busy_pct;
	case CONDITION_SAMPLES:	return (double)second->samples;
	case CONDITION_LOST:	return (double)second->lost;
	default:		break;
	}
	slot = find_probe(ingest->hits, condition->probe);
	if (slot == PROBE_SLOTS || !second->probes.buckets)
		return -1;
	if (condition_needs_latency(condition))
		return latency_stat(condition->stat, second, &ingest->hits->rows[slot], slot);
	return ingest->hits->rows[slot].first_ns ? (double)probe_fold_hits(&second->probes, slot)
						 : -1;
}

static uint32_t look(struct condition_watch *watch, const struct condition_list *conditions,
		     const struct ingest *ingest, const struct second *second)
{
	uint32_t fired = 0;

	for (uint32_t i = 0; i < conditions->count; i++) {
		const struct condition *condition = &conditions->list[i];
		const double value = value_of(condition, second, ingest);

		if (!condition_note(condition, &watch->states[i], value >= 0, value,
				    second->end_ns))
			continue;
		fired++;
		if (conditions->fired)
			conditions->fired(conditions->owner, &(struct condition_event){
				.condition = condition, .index = i, .value = value,
				.begin_ns = second->begin_ns, .end_ns = second->end_ns,
			});
	}
	return fired;
}

static uint64_t count_lost(struct condition_watch *watch, const struct ingest *ingest)
{
	uint64_t sums[SUMS], before = watch->lost;

	loss_sums_read(ingest, sums);
	watch->lost = sums[LOSS_RING_FULL];
	return watch->lost > before ? watch->lost - before : 0;
}

static uint32_t look_at_second(struct condition_watch *watch,
			       const struct condition_list *conditions, struct ingest *ingest,
			       struct busy *busy)
{
	struct second second = {
		.begin_ns = watch->next_ns - CLOCK_NS_PER_S, .end_ns = watch->next_ns,
		.lost = count_lost(watch, ingest),
	};
	uint32_t fired = 0;

	second.busy_pct = busy ? busy_pct(busy, second.begin_ns, second.end_ns) : -1;
	if (!needs_fold(conditions) || !fold_second(&second, ingest))
		fired = look(watch, conditions, ingest, &second);
	probe_fold_finish(&second.probes);
	return fired;
}

static void note_look(const struct condition_watch *watch, const struct condition_list *conditions)
{
	if (conditions->looked)
		conditions->looked(conditions->owner, watch->next_ns - CLOCK_NS_PER_S);
}

bool condition_watch_is_due(const struct condition_watch *watch, const struct ingest *ingest)
{
	return ingest->watermark_ns >= watch->next_ns;
}

uint32_t condition_watch_look(struct condition_watch *watch,
			      const struct condition_list *conditions, struct ingest *ingest,
			      struct busy *busy)
{
	const uint64_t newest_ns = ingest->watermark_ns;
	uint32_t fired = 0;

	if (!conditions->count || !newest_ns || newest_ns == UINT64_MAX)
		return 0;
	if (!watch->next_ns) {
		watch->next_ns = (newest_ns / CLOCK_NS_PER_S + 2) * CLOCK_NS_PER_S;
		count_lost(watch, ingest);
		note_look(watch, conditions);
	}
	if (newest_ns < watch->next_ns)
		return 0;
	if (newest_ns - watch->next_ns > LATE_MAX_NS)
		watch->next_ns = newest_ns / CLOCK_NS_PER_S * CLOCK_NS_PER_S;
	for (; watch->next_ns <= newest_ns; watch->next_ns += CLOCK_NS_PER_S)
		fired += look_at_second(watch, conditions, ingest, busy);
	note_look(watch, conditions);
	return fired;
}
