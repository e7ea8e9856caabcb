/* activity.h - the points of the activity graph and of the heat map: `activity` and `heat` of
 * struct snapshot.
 * Thread: the analyzer's. */
#ifndef ANALYZER_ACTIVITY_H
#define ANALYZER_ACTIVITY_H

#include "analyzer/snapshot.h"
#include "busy.h"
#include "timeline/timeline.h"

struct activity {
	enum activity_kind kind;
	uint32_t count;
	double step_s;
	uint64_t end_ns;	/* end of the newest point */
	bool has_heat;
	float heat_most;
	float heat[ACTIVITY_POINTS * HEAT_ROWS];	/* layout: see struct snapshot */
	float points[ACTIVITY_POINTS];	/* oldest first; < 0: unknown */
};

/* Fills @activity with the busy % of each second, from the first reading after it. Seconds without
 * a reading share the average up to the next one. */
void activity_from_busy(struct activity *activity, const struct busy *busy);

struct activity_span {
	uint64_t begin_ns, end_ns;	/* time that the timeline covers */
	uint32_t event;
	bool is_only_event;		/* no other event has samples */
	bool is_whole;			/* show all of it, with longer steps if needed; else only
					 * the last seconds */
};

/* Fills @activity with samples a second. A point is one whole second; with is_whole as many seconds
 * as make @span fit, and then the first and the last point may be for a part of that. */
void activity_from_timeline(struct activity *activity, const struct timeline *timeline,
			    const struct activity_span *span);

/* Adds the heat map to a filled @activity, if its points are seconds. */
void activity_heat(struct activity *activity, const struct timeline *timeline,
		   const struct activity_span *span);

#endif
