/* columns.h - the columns of the table: one array for drawing, sorting and help.
 * Thread: constant; any. */
#ifndef UI_COLUMNS_H
#define UI_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/snapshot.h"
#include "ui/canvas.h"

enum column_id {
	COL_SELF,
	COL_BAR,
	COL_TOTAL,
	COL_SAMPLES,
	COL_PERIOD,
	COL_PID,
	COL_TID,
	COL_CPU,
	COL_COMMAND,
	COL_OBJECT,
	COL_SYMBOL,
	COL_RATE,
	COL_CPU_PCT,
	COL_STATE,
	COL_THREADS,
	COL_BUSY,
	COL_COMMAND_LINE,
	COL_SOURCE,
	COL_PROBE,
	COL_CGROUP,
	COL_UNIT,
	COL_CONTAINER,
	COL_POD,
	COL_CHANGE,		/* this one and those below: only while windows are compared */
	COL_CHANGE_BAR,
	COL_TOTAL_CHANGE,
	COL_RATE_CHANGE,
	COL_COUNT
};

/* What a cell shows. */
struct column_row {
	const struct snapshot *snapshot;
	const struct snapshot_row *row;
	bool is_unfolded;	/* the rows of the row's group follow it */
};

enum column_align { ALIGN_LEFT, ALIGN_RIGHT };

struct column {
	const char *title;
	int min_width, max_width;	/* cells; the filling column has no maximum */
	enum column_align align;
	int keep;		/* on a narrow screen the smallest is dropped first */
	unsigned int keys;	/* enum row_key bits: shown if rows have one of them; 0: always */
	void (*put)(struct canvas *canvas, struct canvas_area area, const struct column_row *of);
	/* Returns < 0 if @a comes first in the column's natural order. NULL: not sortable, or a
	 * column of changes: see columns_compare(). */
	int (*compare)(const struct snapshot_row *a, const struct snapshot_row *b);
	const char *help;
};

extern const struct column columns[COL_COUNT];

/* Returns the column's name in menus and the configuration, if need be instead of its title. */
const char *columns_name(enum column_id id);

/* True if rows can be sorted by the column. */
bool columns_is_order(enum column_id id);
/* Returns < 0 if @a comes first in the natural order of column @id, which must be sortable. Both
 * are rows of @snapshot. */
int columns_compare(enum column_id id, const struct snapshot *snapshot,
		    const struct snapshot_row *a, const struct snapshot_row *b);

/* The columns that fit at a width, and where. */
struct column_layout {
	size_t count;
	struct {
		enum column_id id;
		int x, width;
	} places[COL_COUNT];
};

/* Cells kept for the filling column; other columns are dropped before it gets fewer. */
#define COLUMNS_FILL_CELLS 23

/* The columns that a table may show. */
struct column_set {
	const enum column_id *ids;	/* in their order on the screen; COL_COUNT ends them */
	enum column_id fill;	/* takes what the others leave; can't be hidden */
	unsigned int hidden;	/* a bit per enum column_id: hidden by the user */
	unsigned int keys;	/* enum row_key bits of the rows; columns of other keys: left out */
	unsigned int asked;	/* a bit per enum column_id: dropped last on a narrow screen */
};

/* True if the column is in @set and not hidden. */
bool columns_is_shown(const struct column_set *set, enum column_id id);

/* Fits the columns of @set into @width cells beginning at @x. */
void columns_fit(struct column_layout *out, int x, int width, const struct column_set *set);

bool columns_has(const struct column_layout *layout, enum column_id id);

#endif
