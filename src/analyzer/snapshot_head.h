/* snapshot_head.h - fills the head of a snapshot: the event shown, what flametop itself costs, and
 * the losses.
 *
 * Thread: the analyzer's.
 */
#ifndef ANALYZER_SNAPSHOT_HEAD_H
#define ANALYZER_SNAPSHOT_HEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/snapshot.h"
#include "ingest/ingest.h"
#include "ingest/losses.h"

/* Sets the name, the rate and the stacks of @event: a sampled one, a probe's, or neither, while the
 * first probe is not attached yet. The texts are BORROWED from @config and @hits, which may be
 * NULL. */
void snapshot_head_put_event(const struct ingest_config *config, struct probe_hits *hits,
			     uint32_t event, struct snapshot *head);

/* The CPU time that this process took between two snapshots. */
struct own_cost {
	uint64_t cpu_ns, at_ns;	/* CPU time at, and time of, the last reading */
	double pct;		/* % of one CPU */
};

void own_cost_begin(struct own_cost *cost, uint64_t now_ns);
/* Sets own_cpu_pct, over 50 ms or more unless @is_first, and own_rss_bytes. */
void snapshot_head_put_cost(struct own_cost *cost, bool is_first, struct snapshot *head);

/* Sets the losses since start, and the `losses` except for causes known from the window's fold.
 * The span of the window must be set. */
void snapshot_head_put_losses(const struct ingest *ingest, const struct loss_history *history,
			      struct snapshot *head);

/* Sets the losses known from the window's fold. `unresolved`, the counters of stacks and busy_pct
 * must be set. */
void snapshot_head_put_window_losses(struct snapshot *head);

#endif
