/* event_cells.h - cells of the columns that show several events side by side: ratios of two, and
 * each one's share (analyzer/snapshot.h).
 * Thread: any, no state. */
#ifndef UI_EVENT_CELLS_H
#define UI_EVENT_CELLS_H

#include "ui/views.h"

#define EVENT_RATIO_CELLS 8	/* a title, or a number with "~" */

/* Draws the ratio or share of column @of->id, one of COLUMNS_OF_EVENTS. */
void event_cells_put(struct canvas *canvas, struct canvas_area area, const struct column_row *of);

/* Returns < 0 if @a has more of it; rows without the ratio come last. @id: one of
 * COLUMNS_OF_EVENTS. */
int event_cells_compare(enum column_id id, const struct snapshot *snapshot,
			const struct snapshot_row *a, const struct snapshot_row *b);

/* Draws a row's or node's @by_event (may be NULL) as @ratio: of its total loads, or of its self
 * ones. */
void event_cells_put_ratio(struct canvas *canvas, struct canvas_area area,
			   const struct event_ratio *ratio, const struct stats *by_event,
			   bool is_total);

/* Returns the ratio of column @id in @snapshot, which may be NULL; NULL: it has none. BORROWED from
 * the snapshot. */
const struct event_ratio *event_cells_ratio(enum column_id id, const struct snapshot *snapshot);
/* Returns the event whose share column @id is, in @snapshot, which may be NULL; NULL: there is
 * none, or SELF% shows it. BORROWED from the snapshot. */
const struct event_column *event_cells_event(enum column_id id, const struct snapshot *snapshot);

#endif
