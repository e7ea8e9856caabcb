/* loss_sums.c - see model/loss_sums.h. */
#include "model/loss_sums.h"

#include <linux/perf_event.h>
#include <string.h>

/* The events that are throttled now are so until now. */
static uint64_t throttled_ns(const struct ingest *ingest)
{
	uint64_t sum_ns = ingest->counters.throttled_ns;

	for (uint32_t i = 0; i < ingest->throttle_count; i++)
		if (ingest->throttles[i] && ingest->throttles[i] < ingest->watermark_ns)
			sum_ns += ingest->watermark_ns - ingest->throttles[i];
	return sum_ns;
}

void loss_sums_read(const struct ingest *ingest, uint64_t out[LOSS_CAUSES])
{
	const struct ingest_counters *counters = &ingest->counters;
	const uint64_t probe_hits = probe_hits_lost(ingest->hits);

	memset(out, 0, LOSS_CAUSES * sizeof(*out));
	out[LOSS_RING_FULL] = counters->lost_kernel + probe_hits;
	out[LOSS_READ] = counters->lost_counted + probe_hits;
	out[LOSS_TOLD] = counters->lost_recorded;
	out[LOSS_PROBE_HITS] = probe_hits;
	out[LOSS_PROBE_MISSED] = probe_hits_missed(ingest->hits);
	out[LOSS_NO_MEMORY] = counters->dropped_no_memory +
			      strpool_refused(ingest->strings);
	out[LOSS_MALFORMED] = counters->malformed + counters->malformed_rings;
	out[LOSS_THROTTLED] = throttled_ns(ingest);
	out[LOSS_EVICTED] = ingest->timeline.evicted_samples;
	out[LOSS_UNKNOWN_USER] = counters->filtered_unknown_uid;
	out[LOSS_LATE] = ingest->reorder.late;
	out[LOSS_STALLED] = counters->stalled_rounds;
	out[LOSS_UNATTRIBUTED] = counters->unattributed;
	out[LOSS_TRUNCATED] = counters->stacks.truncated;
	out[LOSS_CUT] = counters->stacks.cut;
	out[LOSS_TRIMMED] = counters->trimmed_stacks;
	out[LOSS_TASKS] = ingest->tasks.forgotten;
	out[LOSS_MAPPINGS] = counters->unkept_mappings;
	out[LOSS_OBJECTS] = ingest->objects.refused + ingest->tasks.cgroups.refused;
	out[LOSS_NAMES] = ingest->names.refused;
	out[LOSS_TABLES] = counters->tables_let_go;
}

/* PERF_FORMAT_LOST came with Linux 6.0. */
static bool is_by_records(const struct ingest *ingest)
{
	const struct ingest_config *config = &ingest->config;

	for (uint32_t i = 0; i < config->event_count; i++)
		if (!(config->events[i]->format.read_format & PERF_FORMAT_LOST))
			return true;
	return false;
}

static void put_ledger(const struct ingest *ingest, const struct loss_history *history,
		       const uint64_t sums[LOSS_CAUSES], struct snapshot *head)
{
	struct loss_ledger *ledger = &head->ledger;
	uint64_t within[LOSS_CAUSES];
	const bool has_window = loss_history_between(history, head->begin_ns, head->time_ns, sums,
						     within);

	*ledger = (struct loss_ledger){ .is_set = true, .is_by_records = is_by_records(ingest) };
	for (size_t cause = 0; cause < LOSS_CAUSES; cause++)
		ledger->counts[cause] = (struct loss_count){
			.since_start = sums[cause], .has_start = true,
			.in_window = has_window ? within[cause] : 0, .has_window = has_window,
		};
	ledger->counts[LOSS_UNRESOLVED].has_start = false;	/* names come after counting */
	/* What has left was in no window of now; "since start" lacks all of it. */
	if (head->window != WINDOW_ALL)
		ledger->counts[LOSS_EVICTED].has_window = false;
	else
		ledger->counts[LOSS_EVICTED].in_window = sums[LOSS_EVICTED];
	if (ledger->is_by_records && !ledger->counts[LOSS_READ].since_start)
		ledger->counts[LOSS_READ] = (struct loss_count){ .has_start = false };
}

void loss_sums_put(const struct ingest *ingest, const struct loss_history *history,
		   struct snapshot *head)
{
	uint64_t sums[LOSS_CAUSES];

	loss_sums_read(ingest, sums);
	head->lost_kernel = sums[LOSS_RING_FULL] + sums[LOSS_NO_MEMORY];
	head->lost_malformed = sums[LOSS_MALFORMED];
	head->lost_late = sums[LOSS_LATE];
	head->unattributed = sums[LOSS_UNATTRIBUTED];
	head->filtered_unknown_uid = sums[LOSS_UNKNOWN_USER];
	head->stalled_rounds = sums[LOSS_STALLED];
	head->throttled_ns = sums[LOSS_THROTTLED];
	put_ledger(ingest, history, sums, head);
}

static void put_in_window(struct snapshot *head, enum loss_cause cause, uint64_t count)
{
	head->ledger.counts[cause].in_window = count;
	head->ledger.counts[cause].has_window = true;
}

void loss_sums_put_window(struct snapshot *head)
{
	put_in_window(head, LOSS_UNRESOLVED, head->unresolved);
	put_in_window(head, LOSS_TRUNCATED, head->truncated_stacks);
	put_in_window(head, LOSS_CUT, head->cut_stacks);
}
