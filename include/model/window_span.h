/* window_span.h - which slices a window of time holds, and from when to when.
 * Thread: the analyzer's. Pure. */
#ifndef MODEL_WINDOW_SPAN_H
#define MODEL_WINDOW_SPAN_H

#include "model/snapshot.h"
#include "model/timeline.h"

struct window_span {
	uint32_t first, end;	/* indices of slices: first <= index < end */
	uint64_t begin_ns, end_ns;
};

/* What is asked for. */
struct window_wish {
	enum window_kind kind;
	uint64_t length_ns;	/* WINDOW_SECONDS */
	uint64_t known_ns;	/* what was counted before is gone, or was zeroed */
	uint64_t newest_ns;	/* the end of what is counted */
	uint64_t frozen_ns;	/* where the window ends; 0: at newest_ns */
	uint64_t since_ns, since_seq;	/* WINDOW_INTERVAL: end of the window before, and the first
					 * slice that was not in it */
};

struct window_span window_span_choose(const struct timeline *timeline,
				      const struct window_wish *wish);

#endif
