/* request.h - requests from the screen to the analyzer, over an SPSC queue; the reply is a
 * snapshot. */
#ifndef ANALYZER_REQUEST_H
#define ANALYZER_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/query.h"

enum request_kind {
	REQUEST_REFRESH,	/* make a snapshot now */
	REQUEST_BEGIN,		/* begin the first interval at value_ns, when begins_on_request is
				 * set in analyzer_config; no snapshot replies */
	REQUEST_WINDOW,		/* use window kind value; WINDOW_SECONDS: of length value_ns */
	REQUEST_INTERVAL,	/* refresh every value_ns */
	REQUEST_ZERO,		/* restart "since start" now */
	REQUEST_QUERY,		/* use `query` from now on */
	REQUEST_EVENT,		/* show event number value */
	REQUEST_SOURCES,	/* look up the source lines of `wishes`, and no longer those
				 * requested before. A snapshot comes when some were found */
	REQUEST_STACKS,		/* add all stacks of the window to the next snapshot; value 1: idle
				 * ones, too */
	REQUEST_FREEZE,		/* freeze the window. begin_ns 0: it ends at value_ns, a snapshot's
				 * time_ns, and new snapshots come only on request or with new
				 * names. Else it is begin_ns..value_ns regardless of
				 * REQUEST_WINDOW, and snapshots of that window, with the activity
				 * graph up to now, still come every second or few. value_ns 0:
				 * live again */
	REQUEST_BASELINE,	/* mark begin_ns..value_ns as the baseline ("A") that windows are
				 * compared with; value 1: all counted before and after it.
				 * value_ns 0: no baseline */
};

struct request {
	enum request_kind kind;
	uint32_t value;		/* enum window_kind, event index, or number of wishes */
	uint64_t begin_ns, value_ns;
	struct query query;
	struct source_wish wishes[SOURCE_WISHES_MAX];
};

#endif
