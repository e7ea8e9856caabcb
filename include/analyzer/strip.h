/* strip.h - the load of the last seconds, a point each: what struct snapshot calls strip.
 * Thread: the analyzer's. */
#ifndef ANALYZER_STRIP_H
#define ANALYZER_STRIP_H

#include "analyzer/busy.h"
#include "analyzer/snapshot.h"
#include "timeline/timeline.h"

struct strip {
	enum strip_kind kind;
	uint32_t count;
	double step_s;
	uint64_t end_ns;	/* of the newest point */
	bool has_heat;
	float heat_most;
	float heat[STRIP_POINTS * HEAT_ROWS];	/* as in struct snapshot */
	float points[STRIP_POINTS];	/* oldest first; below 0: not known */
};

/* Busy % of each second, which the first reading after it tells. Where there was none for several
 * seconds these share what the next one says. */
void strip_from_busy(struct strip *strip, const struct busy *busy);

struct strip_span {
	uint64_t begin_ns, end_ns;	/* what the timeline knows */
	uint32_t event;
	bool is_only_event;		/* no other has samples */
	bool is_whole;			/* all of it, whatever the step; else the last seconds */
};

/* Samples a second. A point is one whole second; with is_whole as many as make all of @span fit,
 * the first and the last point also for a part of them. */
void strip_from_timeline(struct strip *strip, const struct timeline *timeline,
			 const struct strip_span *span);

/* The heat map of a strip that was made, if its points are seconds. */
void strip_heat(struct strip *strip, const struct timeline *timeline,
		const struct strip_span *span);

#endif
