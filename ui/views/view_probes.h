/* view_probes.h - the list of probes. The cursor belongs to a probe's id.
 * Thread: the ui's. */
#ifndef UI_VIEW_PROBES_H
#define UI_VIEW_PROBES_H

#include "ingest/snapshot_probes.h"
#include "trail.h"
#include "ui/view.h"

struct probes_view {
	struct view view;
	const struct snapshot_probes *probes;	/* BORROWED until the next refresh; NULL: none */
	struct table_place place;	/* cursor and top are indices into its list */
	size_t page;			/* rows on the screen at the last draw */
};

void probes_view_init(struct probes_view *view);

/* The probe under the cursor, or NULL. BORROWED until the next refresh. */
const struct snapshot_probe *probes_view_cursor(const struct probes_view *view);
/* The probe with that id, or NULL. BORROWED as above. */
const struct snapshot_probe *probes_view_get(const struct probes_view *view, uint32_t id);
void probes_view_select(struct probes_view *view, size_t index);
/* Back to @place: the same probe on the same line, where it still is. */
void probes_view_restore(struct probes_view *view, const struct table_place *place);
/* The wheel: moves the picture, and the cursor only where it would leave it. */
void probes_view_scroll(struct probes_view *view, int lines);

/* The cursor goes to the probe at it (@step 0), the next (1) or the one before (-1) that has
 * @search in its name, object, scope or spec, round the end. False: none has. */
bool probes_view_find(struct probes_view *view, const char *search, int step);

#endif
