/* probe_source.h - the analyzer's input from probes: news, and a second queue of records.
 *
 * Rounds:  each of the two sources reports the time up to which all of its records have been
 *          queued; the earlier one is the limit (ingest/reorder.h). The probes' time counts once
 *          PROBE_NEWS_RINGS came. Rounds of the other source may be far apart, so each round of the
 *          probes requests one there.
 * Thread:  the analyzer's; `news` synchronizes itself.
 */
#ifndef INGEST_PROBE_SOURCE_H
#define INGEST_PROBE_SOURCE_H

#include "base/spsc.h"
#include "ingest/ingest.h"

struct probe_source {
	bool (*news)(void *owner, struct probe_news *out);	/* false: no news now. NULL: there
								 * are no probes */
	void *owner;
	struct spsc *queue;	/* items: struct queue_item, event 0; BORROWED */
	int fd;			/* eventfd: readable when news or records wait */
	int round_fd;		/* eventfd that asks the other source for a round; 0: it has none */
};

/* Result of probe_source_drain(). */
struct probe_drain {
	bool has_more;		/* there may be more in the queue */
	bool has_dropped;	/* counts were dropped: kept windows must start over */
};

/* Applies all news and up to @limit items of the queue. */
struct probe_drain probe_source_drain(const struct probe_source *source, struct ingest *ingest,
				      int limit);

#endif
