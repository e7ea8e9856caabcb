/* view_probes.h - the list of probes. The cursor follows a probe by its id.
 * Thread: the ui's. */
#ifndef UI_VIEW_PROBES_H
#define UI_VIEW_PROBES_H

#include "ingest/snapshot_probes.h"
#include "trail.h"
#include "ui/view.h"

struct probes_view {
	struct view view;
	const struct snapshot_probes *probes;	/* BORROWED until the next refresh; NULL: none */
	struct table_place place;	/* cursor and top are indices into probes->list */
	size_t page;			/* rows on the screen at the last draw */
};

void probes_view_init(struct probes_view *view);

/* Returns the probe under the cursor, or NULL. BORROWED until the next refresh. */
const struct snapshot_probe *probes_view_cursor(const struct probes_view *view);
/* Returns the probe with @id, or NULL. BORROWED until the next refresh. */
const struct snapshot_probe *probes_view_get(const struct probes_view *view, uint32_t id);
void probes_view_select(struct probes_view *view, size_t index);
/* Restores @place: the same probe on the same line, if it still exists. */
void probes_view_restore(struct probes_view *view, const struct table_place *place);
/* Scrolls; the cursor moves only where it would leave the screen. */
void probes_view_scroll(struct probes_view *view, int lines);

/* Moves the cursor to a probe with @search in its name, object, scope or spec: from the cursor on
 * (@step 0), the next (1) or the previous (-1), wrapping around. False: there is none. */
bool probes_view_find(struct probes_view *view, const char *search, int step);

#endif
