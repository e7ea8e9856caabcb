/* columns.h - the columns of the table: one array for drawing, sorting and help.
 * Thread: constant; any. */
#ifndef UI_COLUMNS_H
#define UI_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/snapshot.h"
#include "ui/canvas.h"

enum column_id {
	COL_SELF,
	COL_BAR,
	COL_TOTAL,
	COL_SAMPLES,
	COL_PID,
	COL_TID,
	COL_CPU,
	COL_COMMAND,
	COL_OBJECT,
	COL_SYMBOL,
	COL_COUNT
};

enum column_align { ALIGN_LEFT, ALIGN_RIGHT };

struct column {
	const char *title;
	int min_width, max_width;	/* cells; the filling column has no maximum */
	enum column_align align;
	int keep;		/* the smallest leaves first when the screen is narrow */
	unsigned int keys;	/* enum row_key bits: shown when rows have one; 0: always */
	void (*put)(struct canvas *canvas, struct canvas_area area, const struct snapshot *snapshot,
		    const struct snapshot_row *row);
	/* < 0: @a comes first in this column's natural order. NULL: not a column to sort by. */
	int (*compare)(const struct snapshot_row *a, const struct snapshot_row *b);
	const char *help;
};

extern const struct column columns[COL_COUNT];

/* Which columns there are at a width, and where. */
struct column_layout {
	size_t count;
	struct {
		enum column_id id;
		int x, width;
	} places[COL_COUNT];
};

/* What the filling column (SYMBOL, or OBJECT or COMMAND when rows are not keyed by symbol) gets at
 * least, before other columns leave. */
#define COLUMNS_FILL_CELLS 23

/* Fits the columns that rows keyed by @keys have into @width cells beginning at @x. */
void columns_fit(struct column_layout *out, int x, int width, unsigned int keys);

bool columns_has(const struct column_layout *layout, enum column_id id);

#endif
