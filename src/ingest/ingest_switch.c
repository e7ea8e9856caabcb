/* ingest_switch.c - switches to another source: drops counts, may keep what is known of tasks.
 *
 * Problem: an event or a target that was not sampled can't be shown for that time, and what tasks
 * did while no event followed them is unknown. But the new events were opened before the old ones
 * were stopped, so both reported the same forks and mappings for a moment.
 *
 * Idea: a point in time. The old sampler guarantees that all records up to it have been queued;
 * later ones are in the new rings as well. So old records after that point are dropped, and new
 * ones before it: each side-band record takes effect once, in order, and no task is forgotten that
 * both sources follow. The kernel stamps a record for each ring anew, microseconds apart: one that
 * straddles the point is applied twice, which changes nothing, or never, like any lost one.
 *
 * Probe hits have rings of their own, which go on: they stay in order, as those before the point
 * have left with the old records (see analyzer.c).
 *
 * If only the size of stack copies changes, counts go on: the point joins the two sources.
 *
 * Invariant: otherwise counts restart, names and objects stay; losses stay counted "since start".
 * Nothing here can fail.
 */
#include <errno.h>
#include <stdlib.h>

#include "ingest/ingest.h"
#include "ingest/source.h"

static void drop_parked(struct ingest *ingest)
{
	for (uint32_t i = 0; i < ingest->parked_count; i++)
		ingest_park_finish(ingest, &ingest->parked[i]);
	ingest->parked_count = 0;
}

/* Ends the throttled time of the old events, which are closed. */
static void end_throttles(struct ingest *ingest, uint64_t now_ns)
{
	for (uint32_t i = 0; i < ingest->throttle_count; i++)
		if (ingest->throttles[i] && ingest->throttles[i] < now_ns)
			ingest->counters.throttled_ns += now_ns - ingest->throttles[i];
	ingest->throttle_count = 0;
	id_map_clear(&ingest->throttled_since);
}

/* Cumulative counts of the sampler and of descriptors restart at 0. */
static void begin_losses(struct ingest *ingest)
{
	ingest->stalled_before = ingest->counters.stalled_rounds;
	ingest->malformed_before = ingest->counters.malformed_rings;
	ingest->loss_count = 0;
	id_map_clear(&ingest->loss_of);
}

static void take_timeline(struct ingest *ingest, struct source *source)
{
	const uint64_t seq = ingest->timeline.open_slice.seq + 1;

	timeline_finish(&ingest->timeline);
	ingest->timeline = source->timeline;
	ingest->timeline.open_slice.seq = seq;	/* sequence numbers stay unique */
	source->timeline = (struct timeline){ .event_count = 0 };
}

void ingest_switch(struct ingest *ingest, struct source *source, uint64_t begin_ns)
{
	if (!source->keeps_counts)
		drop_parked(ingest);
	reorder_keep_only(&ingest->reorder, INGEST_HIT_EVENT);
	ingest->is_held = false;
	end_throttles(ingest, begin_ns);
	begin_losses(ingest);
	if (!source->keeps_counts)
		take_timeline(ingest, source);
	if (!source->keeps_tasks) {
		task_table_forget(&ingest->tasks);
		ingest->tasks_since_ns = begin_ns;
	}
	source->ingest.own_pids = ingest->config.own_pids;
	source->ingest.own_pid_count = ingest->config.own_pid_count;
	ingest->config = source->ingest;
	ingest_look_at_config(ingest);
	ingest_hit_targets(ingest);
	ingest->begin_ns = ingest->limit_ns = begin_ns;
	if (ingest->watermark_ns < begin_ns)
		ingest->watermark_ns = begin_ns;
}

static int begin_kernel_maps(struct ingest *ingest)
{
	struct address_map *maps = address_map_create(), *overlay = address_map_create();

	if (!maps || !overlay) {
		address_map_release(maps);
		address_map_release(overlay);
		return -ENOMEM;
	}
	address_map_release(ingest->kernel_maps);
	address_map_release(ingest->kernel_overlay);
	ingest->kernel_maps = maps;
	ingest->kernel_overlay = overlay;
	return 0;
}

int ingest_next_recording(struct ingest *ingest, const struct ingest_config *config)
{
	const uint64_t seq = ingest->timeline.open_slice.seq + 1;
	struct probe_hits *hits;
	struct timeline fresh;

	if (probe_hits_create_recorded(&hits, config->events, config->event_count))
		return -ENOMEM;
	if (timeline_init(&fresh, config->event_count)) {
		probe_hits_destroy(hits);
		return -ENOMEM;
	}
	if (begin_kernel_maps(ingest)) {
		probe_hits_destroy(hits);
		timeline_finish(&fresh);
		return -ENOMEM;
	}
	probe_hits_destroy(ingest->hits);
	ingest->hits = hits;
	timeline_finish(&ingest->timeline);
	ingest->timeline = fresh;
	ingest->timeline.open_slice.seq = seq;
	drop_parked(ingest);
	reorder_finish(&ingest->reorder);
	reorder_init(&ingest->reorder);
	ingest->is_held = false;
	ingest->rare.slice = 0;
	ingest->throttle_count = 0;
	id_map_clear(&ingest->throttled_since);
	begin_losses(ingest);
	ingest->counters = (struct ingest_counters){ .lost_kernel = 0 };
	ingest->stack_enders = (struct stack_enders){ .total = { 0 } };
	ingest->stalled_before = ingest->malformed_before = 0;
	task_table_forget(&ingest->tasks);
	id_map_clear(&ingest->recorded_cgroups);
	ingest->begin_ns = ingest->limit_ns = ingest->watermark_ns = 0;
	ingest->config = *config;
	ingest_look_at_config(ingest);
	return 0;
}
