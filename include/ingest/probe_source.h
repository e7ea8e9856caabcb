/* probe_source.h - where the analyzer hears of probes: news, and a second queue of records.
 *
 * Rounds:  each of both sources says up to when all of its records have been queued; the earlier
 *          time holds (ingest/reorder.h). That of the probes counts once PROBE_NEWS_RINGS came.
 *          Rounds of the other source may be far apart, so each of the probes asks for one there.
 * Thread:  the analyzer's; what `news` does is its owner's matter.
 */
#ifndef INGEST_PROBE_SOURCE_H
#define INGEST_PROBE_SOURCE_H

#include "base/spsc.h"
#include "ingest/ingest.h"

struct probe_source {
	bool (*news)(void *owner, struct probe_news *out);	/* false: there is none now. NULL:
								 * there are no probes */
	void *owner;
	struct spsc *queue;	/* of struct queue_item, event 0; BORROWED */
	int fd;			/* eventfd: readable when news or records wait */
	int round_fd;		/* eventfd that asks the other source for a round; 0: it has none */
};

/* What a drain did. */
struct probe_drain {
	bool has_more;		/* there may be more in the queue */
	bool has_dropped;	/* counts were dropped: kept windows must start over */
};

/* Takes all news and up to @limit items of the queue. */
struct probe_drain probe_source_drain(const struct probe_source *source, struct ingest *ingest,
				      int limit);

#endif
