/* snapshot.c - see analyzer/snapshot.h. */
#include "analyzer/snapshot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RATE_SHORTEST_S 0.1

void snapshot_destroy(struct snapshot *snapshot)
{
	while (snapshot) {
		struct snapshot *next = snapshot->next_event;

		snapshot_destroy(snapshot->folded);
		stack_samples_destroy(snapshot->stack_samples);
		listing_destroy(snapshot->listing);
		free(snapshot->source_text);
		free(snapshot->events);
		free(snapshot->counters);
		free(snapshot->loads_by_event);
		free(snapshot);
		snapshot = next;
	}
}

bool snapshot_is_by_weight(const struct snapshot *snapshot)
{
	return snapshot->is_of_waits || (snapshot->hit_weight && snapshot->hit_weight[0]);
}

struct snapshot *snapshot_create_failure(void)
{
	struct snapshot *snapshot = calloc(1, sizeof(*snapshot));

	if (!snapshot)
		return NULL;
	snapshot->host = snapshot->event = snapshot->target = snapshot->notice = "";
	snapshot->absent_events = snapshot->hit_weight = "";
	snapshot->baseline.label = snapshot->baseline.notice = "";
	snapshot->is_last = true;
	snapshot->end_err = -ENOMEM;
	snapshot->end_reason = "no memory for a refresh: what was counted cannot be shown";
	snapshot->busy_pct = snapshot->missing_ticks_pct = -1;
	return snapshot;
}

static int take_line(const char **at, const char **line)
{
	const size_t length = strcspn(*at, "\n");

	*line = *at;
	*at += length + ((*at)[length] == '\n');
	return (int)length;
}

bool snapshot_next_absence(const char **at, struct snapshot_absence *out)
{
	if (!*at || !**at)
		return false;
	out->event_bytes = take_line(at, &out->event);
	out->reason_bytes = take_line(at, &out->reason);
	return true;
}

double snapshot_pct(const struct snapshot *snapshot, double weight)
{
	const double whole = snapshot->is_relative ? snapshot->shown_weight : snapshot->weight;

	return whole > 0 ? 100.0 * weight / whole : 0;
}

double snapshot_row_pct(const struct snapshot *snapshot, const struct snapshot_row *row,
			double weight)
{
	if (!(snapshot->keys & KEY_EVENT))
		return snapshot_pct(snapshot, weight);
	return row->whole > 0 ? 100.0 * weight / row->whole : 0;
}

double snapshot_shown_pct(const struct snapshot *snapshot)
{
	return snapshot->weight > 0 ? 100.0 * snapshot->shown_weight / snapshot->weight : 0;
}

double snapshot_per_s(uint64_t count, double seconds)
{
	return seconds < RATE_SHORTEST_S ? -1 : (double)count / seconds;
}

double snapshot_complete_pct(const struct snapshot *snapshot)
{
	if (snapshot->stacks != STACKS_COPIED || !snapshot->user_stacks)
		return -1;
	return floor(100.0 * (double)snapshot->complete_stacks / (double)snapshot->user_stacks);
}

const char *probe_state_name(enum probe_state state)
{
	switch (state) {
	case PROBE_ATTACHING: return "attaching";
	case PROBE_ATTACHED:  return "attached";
	case PROBE_IS_OFF:    return "off";
	case PROBE_DETACHING: return "detaching";
	case PROBE_REFUSED:   return "refused";
	case PROBE_FAILED:    return "failed";
	case PROBE_CAPPED:    return "capped";
	case PROBE_EXPIRED:   return "expired";
	case PROBE_RECORDED:  return "recorded";
	case PROBE_PAUSED:    break;
	}
	return "paused";
}

char snapshot_level(enum cpu_mode mode)
{
	switch (mode) {
	case MODE_KERNEL:	return 'k';
	case MODE_USER:		return '.';
	case MODE_GUEST_KERNEL: return 'g';
	case MODE_GUEST_USER:	return 'u';
	case MODE_HYPERVISOR:
	case MODE_UNKNOWN:	break;
	}
	return 'H';
}
