/* hits.h - what lies where on the screen, so that a click finds it: filled while drawing, read by
 * the mouse.
 * Thread: the ui's. */
#ifndef UI_HITS_H
#define UI_HITS_H

#include <stddef.h>

#define HITS_MAX 96		/* more than there are columns, views, crumbs and labels together */

enum hit_kind {
	HIT_NOTHING,
	HIT_ROWS,		/* number: index of the first row, one line each */
	HIT_BOXES,		/* boxes of the flame graph */
	HIT_TITLE,		/* enum column_id */
	HIT_TAB,		/* enum view_kind */
	HIT_CRUMB,		/* number: filter parts up to this breadcrumb */
	HIT_PROBE,		/* the probe whose hits are shown */
	HIT_PANE,		/* enum probe_pane */
	HIT_GROUP_TITLE,	/* enum group_table_column: of the groups of a probe */
	HIT_LAYER,		/* enum listing_layer */
	HIT_ACTIVITY,		/* activity graph; a cell's time: see struct time_scale */
	HIT_HEAT,		/* heat map; a cell's time: see struct time_scale */
	HIT_LIVE,
	HIT_MESSAGES,		/* opens the page of messages */
	HIT_LOSSES,		/* opens the page of losses */
	HIT_COMMAND,		/* index into the keymap's commands */
};

struct hit {
	enum hit_kind kind;
	int x, y, width, height;
	size_t number;
};

struct hits {
	struct hit list[HITS_MAX];
	size_t count;
};

static inline void hits_add(struct hits *hits, struct hit hit)
{
	if (hits->count < HITS_MAX)
		hits->list[hits->count++] = hit;
}

/* Returns what is at cell @x, @y; for HIT_ROWS `number` is the index of the row there. */
static inline struct hit hits_find(const struct hits *hits, int x, int y)
{
	for (size_t i = hits->count; i-- > 0;) {	/* the area drawn last lies on top */
		struct hit hit = hits->list[i];

		if (x < hit.x || x >= hit.x + hit.width || y < hit.y || y >= hit.y + hit.height)
			continue;
		if (hit.kind == HIT_ROWS)
			hit.number += (size_t)(y - hit.y);
		return hit;
	}
	return (struct hit){ .kind = HIT_NOTHING };
}

#endif
