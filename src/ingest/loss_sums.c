/* loss_sums.c - see ingest/loss_sums.h. */
#include "ingest/loss_sums.h"

#include <string.h>

/* Throttled time of all events; those that are throttled now count up to now. */
static uint64_t throttled_ns(const struct ingest *ingest)
{
	uint64_t sum_ns = ingest->counters.throttled_ns;

	for (uint32_t i = 0; i < ingest->throttle_count; i++)
		if (ingest->throttles[i] && ingest->throttles[i] < ingest->watermark_ns)
			sum_ns += ingest->watermark_ns - ingest->throttles[i];
	return sum_ns;
}

static struct clock_gaps clock_gaps(const struct ingest *ingest)
{
	return (struct clock_gaps){ throttled_ns(ingest), ingest->counters.lost_kernel };
}

static uint64_t missing_ns(const struct ingest *ingest)
{
	return clock_ticks_missing_ns(&ingest->clock, ingest->watermark_ns, clock_gaps(ingest));
}

void loss_sums_begin_clock(struct ingest *ingest)
{
	const struct ingest_config *config = &ingest->config;

	clock_ticks_begin(&ingest->clock, config->events, config->event_count, config->whole_cpus,
			  missing_ns(ingest), clock_gaps(ingest));
	ingest->clock.begin_ns = ingest->watermark_ns;
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
	out[LOSS_TICKS] = missing_ns(ingest);
	out[LOSS_STOLEN] = ingest->clock.stolen_ns;
	out[LOSS_EVICTED] = ingest->timeline.evicted_samples;
	out[LOSS_UNKNOWN_USER] = counters->filtered_unknown_uid;
	out[LOSS_OWN] = counters->left_out_own;
	out[LOSS_LATE] = ingest->reorder.late;
	out[LOSS_STALLED] = counters->stalled_rounds;
	out[LOSS_UNATTRIBUTED] = counters->unattributed;
	out[LOSS_UNANSWERED] = counters->unattributed_late;
	out[LOSS_FORKLESS] = counters->unattributed_forkless;
	out[LOSS_TRUNCATED] = counters->stacks.truncated;
	out[LOSS_CUT] = counters->stacks.cut;
	out[LOSS_NO_MAP] = counters->stacks.no_map;
	out[LOSS_TRIMMED] = counters->trimmed_stacks;
	out[LOSS_ENDED_RUN_TIME] = ingest->stack_enders.total[STACK_END_RUN_TIME];
	out[LOSS_ENDED_FILE] = ingest->stack_enders.total[STACK_END_FILE];
	out[LOSS_TASKS] = ingest->tasks.forgotten;
	out[LOSS_MAPPINGS] = counters->unkept_mappings;
	out[LOSS_OBJECTS] = ingest->objects.refused + ingest->tasks.cgroups.refused;
	out[LOSS_NAMES] = ingest->names.refused;
	out[LOSS_TABLES] = counters->tables_let_go;
}
