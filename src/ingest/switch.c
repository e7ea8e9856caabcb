/* switch.c - switches to another source: drops counts, may keep what is known of tasks.
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
 * If only the size of stack copies changes, counts go on. A point in time can't join them: the
 * kernel counts the hits that a ring had no room for, but not when. So after the point the new
 * events were enabled and the old ones disabled, one CPU after the other, such that each hit is in
 * one source, shown or lost: event_set_exchange(). What the old one has after the point, in the
 * microseconds until its last CPU, is counted here, before the new side-band of these is known.
 *
 * Invariant: otherwise counts restart, names and DSOs stay; losses stay counted "since start".
 * Nothing here can fail.
 */
#include <errno.h>

#include "ingest/losses.h"
#include "ingest/source.h"
#include "intake.h"
#include "kernel.h"
#include "pending.h"
#include "probe_records.h"
#include "tasks.h"

static void take_timeline(struct ingest *ingest, struct source *source)
{
	const uint64_t seq = ingest->timeline.open_slice.seq + 1;

	timeline_finish(&ingest->timeline);
	ingest->timeline = source->timeline;
	ingest->timeline.open_slice.seq = seq;	/* sequence numbers stay unique */
	source->timeline = (struct timeline){ .event_count = 0 };
}

static bool drop(void *ingest, const void *record, size_t size, uint16_t event, uint32_t cpu,
		 uint64_t time_ns)
{
	(void)ingest, (void)record, (void)size, (void)event, (void)cpu, (void)time_ns;
	return true;
}

static bool take_all_but_sideband(void *context, const void *record, size_t size, uint16_t event,
				  uint32_t cpu, uint64_t time_ns)
{
	const struct ingest *ingest = context;

	return ingest->config.events[event]->is_sideband ||
	       intake_sink(context, record, size, event, cpu, time_ns);
}

void ingest_switch(struct ingest *ingest, struct source *source, uint64_t begin_ns)
{
	if (!source->keeps_counts)
		pending_drop(ingest, UINT32_MAX);
	reorder_flush(ingest->reorder, PROBE_RECORDS_EVENT,
		      source->keeps_counts ? take_all_but_sideband : drop, ingest);
	ingest->has_waiting = false;
	losses_begin_source(ingest, begin_ns);
	if (!source->keeps_counts)
		take_timeline(ingest, source);
	if (!source->keeps_tasks)
		tasks_forget(ingest, begin_ns);
	source->ingest.own_pids = ingest->config.own_pids;
	source->ingest.own_pid_count = ingest->config.own_pid_count;
	source->ingest.only_records = ingest->config.only_records;
	ingest->config = source->ingest;
	intake_look_at_config(ingest);
	probe_records_mark_targets(ingest);
	ingest->intake->begin_ns = ingest->intake->limit_ns = begin_ns;
	read_growth_finish(&ingest->intake->growth);	/* the new counters begin at 0 */
	if (ingest->watermark_ns < begin_ns)
		ingest->watermark_ns = begin_ns;
	if (ingest->tee)
		ingest->tee->source(ingest->tee->owner, ingest);
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
	if (kernel_begin_recording(ingest->kernel)) {
		probe_hits_destroy(hits);
		timeline_finish(&fresh);
		return -ENOMEM;
	}
	probe_hits_destroy(ingest->hits);
	ingest->hits = hits;
	timeline_finish(&ingest->timeline);
	ingest->timeline = fresh;
	ingest->timeline.open_slice.seq = seq;
	pending_drop(ingest, UINT32_MAX);
	reorder_finish(ingest->reorder);
	reorder_init(ingest->reorder);
	ingest->has_waiting = false;
	ingest->pending->callers_slice = 0;
	losses_begin_source(ingest, 0);
	losses_begin_recording(ingest);
	tasks_forget(ingest, ingest->task_reads->since_ns);
	id_map_clear(&ingest->task_reads->recorded_cgroups);
	ingest->intake->begin_ns = ingest->intake->limit_ns = ingest->watermark_ns = 0;
	ingest->config = *config;
	intake_look_at_config(ingest);
	return 0;
}
