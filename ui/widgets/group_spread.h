/* group_spread.h - how the values of a group of a probe's hits are spread: its histograms, its most
 * frequent values, and its latency.
 * Thread: the ui's. */
#ifndef UI_GROUP_SPREAD_H
#define UI_GROUP_SPREAD_H

#include <stdbool.h>

#include "ingest/snapshot_probes.h"
#include "term/canvas.h"

/* True: each of @groups, of which there is at least one, has something to be drawn. */
bool group_spread_is_any(const struct snapshot_groups *groups);
/* Draws what @group, which is called @name, has: as many side by side as @area is wide enough for,
 * from its line to @end - 1; beside the latency its heat map, whose last second is @until. */
void group_spread_draw(const struct snapshot_groups *groups, const struct snapshot_group *group,
		       const char *name, const char *until, struct canvas *canvas,
		       struct canvas_area area, int end);

#endif
