/* condition_watch.h - looks once a second whether conditions are fulfilled.
 * Thread: the analyzer's. */
#ifndef ANALYZER_CONDITION_WATCH_H
#define ANALYZER_CONDITION_WATCH_H

#include "analyzer/condition.h"
#include "busy.h"
#include "ingest/ingest.h"

/* Zeroed: nothing was looked at. */
struct condition_watch {
	struct condition_state states[CONDITIONS_MAX];
	uint64_t next_ns;	/* end of the next second to be looked at; 0: not known yet */
	uint64_t lost;		/* records lost up to the last look */
};

/* True if condition_watch_look() has a second to look at. */
bool condition_watch_is_due(const struct condition_watch *watch, const struct ingest *ingest);
/* Looks at the seconds that have been counted since the last call; the one in which counting began
 * is left out. @busy: NULL where it means nothing. Returns how many conditions have fired. */
uint32_t condition_watch_look(struct condition_watch *watch,
			      const struct condition_list *conditions, struct ingest *ingest,
			      struct busy *busy);

#endif
