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
	COL_CHANGE,		/* the last four: only while windows are compared */
	COL_CHANGE_BAR,
	COL_TOTAL_CHANGE,
	COL_RATE_CHANGE,
	COL_COUNT
};

/* What a cell is of. */
struct column_row {
	const struct snapshot *snapshot;
	const struct snapshot_row *row;
	bool is_unfolded;	/* the rows of its group follow */
};

enum column_align { ALIGN_LEFT, ALIGN_RIGHT };

struct column {
	const char *title;
	int min_width, max_width;	/* cells; the filling column has no maximum */
	enum column_align align;
	int keep;		/* the smallest leaves first when the screen is narrow */
	unsigned int keys;	/* enum row_key bits: shown when rows have one; 0: always */
	void (*put)(struct canvas *canvas, struct canvas_area area, const struct column_row *of);
	/* < 0: @a comes first in this column's natural order. NULL: not a column to sort by, or
	 * one that orders by changes: see columns_compare(). */
	int (*compare)(const struct snapshot_row *a, const struct snapshot_row *b);
	const char *help;
};

extern const struct column columns[COL_COUNT];

/* What a column is called in menus and the configuration where its title is none. */
const char *columns_name(enum column_id id);

/* Can rows be sorted by it? */
bool columns_is_order(enum column_id id);
/* < 0: @a comes first in the natural order of column @id, which can be sorted by. Both are rows of
 * @snapshot. */
int columns_compare(enum column_id id, const struct snapshot *snapshot,
		    const struct snapshot_row *a, const struct snapshot_row *b);

/* Which columns there are at a width, and where. */
struct column_layout {
	size_t count;
	struct {
		enum column_id id;
		int x, width;
	} places[COL_COUNT];
};

/* What the filling column gets at least, before other columns leave. */
#define COLUMNS_FILL_CELLS 23

/* What may be shown. */
struct column_set {
	const enum column_id *ids;	/* in their order on the screen; COL_COUNT ends them */
	enum column_id fill;	/* takes what the others leave; can't be hidden */
	unsigned int hidden;	/* a bit per enum column_id: the user does without */
	unsigned int keys;	/* enum row_key of the rows: columns of other keys are left out */
	unsigned int asked;	/* a bit each: others leave a narrow screen before it */
};

/* Is the column one of the set that is not hidden? */
bool columns_is_shown(const struct column_set *set, enum column_id id);

/* Fits the columns of @set into @width cells beginning at @x. */
void columns_fit(struct column_layout *out, int x, int width, const struct column_set *set);

bool columns_has(const struct column_layout *layout, enum column_id id);

#endif
