/* request.h - what the screen asks of the analyzer, over an SPSC queue; a snapshot answers. */
#ifndef ANALYZER_REQUEST_H
#define ANALYZER_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/query.h"

enum request_kind {
	REQUEST_REFRESH,	/* a new snapshot now */
	REQUEST_BEGIN,		/* begins the first interval at value_ns, when begins_on_request is
				 * set in analyzer_config; no snapshot answers */
	REQUEST_WINDOW,		/* window = value, length value_ns for WINDOW_SECONDS */
	REQUEST_INTERVAL,	/* refresh every value_ns */
	REQUEST_ZERO,		/* "since start" begins now */
	REQUEST_QUERY,		/* other rows: `query` */
	REQUEST_EVENT,		/* show event number value */
	REQUEST_SOURCES,	/* source lines of `wishes` are shown, instead of all wished for
				 * before. A snapshot comes when some were found */
	REQUEST_STACKS,		/* the next snapshot brings all stacks of its window along; value 1:
				 * with idle ones */
	REQUEST_FREEZE,		/* the window stands still from now on. begin_ns 0: it ends at
				 * value_ns, a snapshot's time_ns, and no snapshot comes unasked
				 * but for names. Else it is begin_ns..value_ns, whatever
				 * REQUEST_WINDOW said, and the snapshots that come every second
				 * or some are of the same window, with the strip up to now.
				 * value_ns 0: live again */
	REQUEST_BASELINE,	/* what windows are compared with from now on ("A") is what was
				 * counted in begin_ns..value_ns; value_ns 0: nothing. value 1:
				 * what was counted before and after that time */
};

struct request {
	enum request_kind kind;
	uint32_t value;		/* enum window_kind, event index, or how many wishes */
	uint64_t begin_ns, value_ns;
	struct query query;
	struct source_wish wishes[SOURCE_WISHES_MAX];
};

#endif
