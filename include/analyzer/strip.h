/* strip.h - the points of the activity graph and its heat map (struct snapshot: strip, heat).
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
	uint64_t end_ns;	/* end of the newest point */
	bool has_heat;
	float heat_most;
	float heat[STRIP_POINTS * HEAT_ROWS];	/* layout: see struct snapshot */
	float points[STRIP_POINTS];	/* oldest first; < 0: unknown */
};

/* Fills @strip with the busy % of each second, from the first reading after it. Seconds without a
 * reading share the average up to the next one. */
void strip_from_busy(struct strip *strip, const struct busy *busy);

struct strip_span {
	uint64_t begin_ns, end_ns;	/* time that the timeline covers */
	uint32_t event;
	bool is_only_event;		/* no other event has samples */
	bool is_whole;			/* show all of it, with longer steps if needed; else only
					 * the last seconds */
};

/* Fills @strip with samples a second. A point is one whole second; with is_whole as many seconds as
 * make @span fit, and then the first and the last point may be for a part of that. */
void strip_from_timeline(struct strip *strip, const struct timeline *timeline,
			 const struct strip_span *span);

/* Adds the heat map to a filled @strip, if its points are seconds. */
void strip_heat(struct strip *strip, const struct timeline *timeline,
		const struct strip_span *span);

#endif
