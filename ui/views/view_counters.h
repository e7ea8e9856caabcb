/* view_counters.h - the counters, each with its rate, its seconds, and what it is a part of; Enter
 * opens a line for each CPU, cgroup or thread below it. The cursor follows an event and its row.
 * Thread: the ui's. */
#ifndef UI_VIEW_COUNTERS_H
#define UI_VIEW_COUNTERS_H

#include "state.h"
#include "view.h"

#define COUNTERS_NO_ROW 0	/* a line of the sum: rows are counted from 1, as in the snapshot */

struct counter_place {
	uint32_t event, row;		/* row COUNTERS_NO_ROW: the line of the event */
};

struct counters_view {
	struct view view;
	const struct snapshot_counters *counters;	/* BORROWED until the next refresh; NULL */
	struct counter_place *lines;	/* owned */
	size_t count, room;
	uint64_t open;			/* a bit per event whose rows are shown */
	bool by_cgroup;			/* rows of the machine are cgroups, not CPUs */
	struct table_place place;	/* cursor and top are indices into lines */
	size_t page;			/* lines on the screen at the last draw */
};

extern const struct view_ops view_counters_ops;

#endif
