/* sample_hold.c - see sample_hold.h. */
#include "sample_hold.h"

#include "base/clock.h"
#include "ingest/ingest.h"

/* Debug information of a large program takes seconds; a recording has the time. */
#define HOLD_NS	       (5 * CLOCK_NS_PER_S)
#define HOLD_REPLAY_NS (30 * CLOCK_NS_PER_S)

struct snapshot *sample_hold_fill(struct snapshot *snapshot, struct sample_fold *fold,
				  struct slice base, const struct ingest *ingest, uint32_t event)
{
	const struct event_desc *of =
		event < ingest->config.event_count ? ingest->config.events[event] : NULL;
	struct stack_samples *samples;

	if (!fold || !snapshot)
		return snapshot;
	if (snapshot->is_compared)
		sample_fold_add_base(fold, base.entries, base.count);
	snapshot->stack_samples = samples = sample_fold_make(fold);
	if (!samples) {
		snapshot_destroy(snapshot);
		return NULL;
	}
	samples->is_of_hits = probe_hits_of_event(ingest->hits, event) != NULL;
	samples->has_times = of && (of->counts_waits || event_is_clock(of->type, of->config));
	return snapshot;
}

void sample_hold_put(struct sample_hold *hold, struct snapshot *snapshot, uint64_t now_ns)
{
	sample_hold_drop(hold);
	hold->snapshot = snapshot;
	hold->until_ns = now_ns + (snapshot->is_replay ? HOLD_REPLAY_NS : HOLD_NS);
}

void sample_hold_drop(struct sample_hold *hold)
{
	snapshot_destroy(hold->snapshot);
	hold->snapshot = NULL;
}

uint64_t sample_hold_due_ns(const struct sample_hold *hold)
{
	if (!hold->snapshot)
		return UINT64_MAX;
	return source_lines_are_pending(hold->lines) ? hold->until_ns : 0;
}

bool sample_hold_must_wait(struct sample_hold *hold, uint64_t now_ns)
{
	struct source_request requests[SOURCE_REQUESTS_MAX];
	uint32_t count;

	if (!hold->snapshot || now_ns >= hold->until_ns)
		return false;
	if (source_lines_are_pending(hold->lines))
		return true;
	for (struct snapshot *each = hold->snapshot; each; each = each->next_event) {
		/* Those of files that can't be opened are dropped at once. */
		while ((count = stack_samples_requests(each->stack_samples, hold->lines,
						       requests)) > 0) {
			source_lines_request(hold->lines, requests, count);
			if (source_lines_are_pending(hold->lines))
				return true;
		}
	}
	return false;
}

struct snapshot *sample_hold_release(struct sample_hold *hold, uint64_t now_ns)
{
	struct snapshot *snapshot = hold->snapshot;

	if (!snapshot || sample_hold_must_wait(hold, now_ns))
		return NULL;
	hold->snapshot = NULL;
	for (struct snapshot *each = snapshot; each; each = each->next_event) {
		if (!stack_samples_put_lines(each->stack_samples, hold->lines))
			continue;
		snapshot_destroy(snapshot);
		return NULL;
	}
	return snapshot;
}
