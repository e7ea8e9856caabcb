/* views.h - the kinds of views and their columns: the same window by different keys. One array
 * serves the line of views, drill-down, column menus and the configuration; another one has the
 * columns, for drawing, sorting and help.
 * Thread: constant; any. */
#ifndef UI_VIEWS_H
#define UI_VIEWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/snapshot.h"
#include "fold/filter.h"
#include "fold/tree.h"

struct canvas;
struct canvas_area;

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
	COL_DSO,
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
	COL_FROM,
	COL_MISPREDICTED,
	COL_TIME,		/* this one and those down to COL_WAKER: only of waits */
	COL_WAIT,
	COL_WAIT_STATE,
	COL_WAKER,
	COL_EVENT,		/* shown: rows are also keyed by event */
	COL_IPC,		/* this one and those down to COL_EVENT_4: of several events, see
				 * analyzer/snapshot.h */
	COL_RATIO_1, COL_RATIO_2, COL_RATIO_3, COL_RATIO_4, COL_RATIO_5,
	COL_EVENT_1, COL_EVENT_2, COL_EVENT_3, COL_EVENT_4,
	COL_CHANGE,		/* this one and those below: only while windows are compared */
	COL_CHANGE_BAR,
	COL_TOTAL_CHANGE,
	COL_RATE_CHANGE,
	COL_COUNT
};

#define COLUMN_BIT(id) ((uint64_t)1 << (id))	/* in sets of columns */

/* What a cell shows. */
struct column_row {
	const struct snapshot *snapshot;
	const struct snapshot_row *row;
	bool is_unfolded;	/* the rows of the row's group follow it */
	enum column_id id;
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
	 * column of changes or of several events: see columns_compare(). */
	int (*compare)(const struct snapshot_row *a, const struct snapshot_row *b);
	const char *help;
};

extern const struct column columns[COL_COUNT];

/* Returns the column's name in menus and the configuration, if need be instead of its title. */
const char *columns_name(enum column_id id);

/* Returns the column's title in tables of @snapshot (NULL: in any); "": it has none. BORROWED from
 * the snapshot. */
const char *columns_title(enum column_id id, const struct snapshot *snapshot);
#define COLUMN_HELP_BYTES 256
/* Returns what the column shows in tables of @snapshot (NULL: in any). BORROWED from the snapshot,
 * or written to @out[COLUMN_HELP_BYTES]. */
const char *columns_help(enum column_id id, const struct snapshot *snapshot, char *out);

/* True if rows can be sorted by the column. */
bool columns_is_order(enum column_id id);
/* The columns whose numbers can't be compared between rows of different events. */
#define COLUMN_WEIGHTS (COLUMN_BIT(COL_SELF) | COLUMN_BIT(COL_TOTAL) | COLUMN_BIT(COL_PERIOD) | \
			COLUMN_BIT(COL_TIME))
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
	uint64_t hidden;	/* COLUMN_BIT(): hidden by the user */
	unsigned int keys;	/* enum row_key bits of the rows; columns of other keys: left out */
	uint64_t asked;		/* COLUMN_BIT(): dropped last on a narrow screen */
};

/* True if the column is in @set and not hidden. */
bool columns_is_shown(const struct column_set *set, enum column_id id);

/* Fits the columns of @set into @width cells beginning at @x. */
void columns_fit(struct column_layout *out, int x, int width, const struct column_set *set);

bool columns_has(const struct column_layout *layout, enum column_id id);

/* The columns that exist only while windows are compared. */
#define COLUMN_CHANGES (COLUMN_BIT(COL_CHANGE) | COLUMN_BIT(COL_CHANGE_BAR) | \
			COLUMN_BIT(COL_TOTAL_CHANGE) | COLUMN_BIT(COL_RATE_CHANGE))

/* The columns that exist only while the event counts waits. */
#define COLUMNS_OF_WAITS (COLUMN_BIT(COL_TIME) | COLUMN_BIT(COL_WAIT) | \
			  COLUMN_BIT(COL_WAIT_STATE) | COLUMN_BIT(COL_WAKER))

/* The columns that exist only while a few events are sampled. */
#define COLUMNS_OF_EVENTS (COLUMN_BIT(COL_CHANGE) - COLUMN_BIT(COL_IPC))
#define COLUMN_EVENT_IDS COL_IPC, COL_RATIO_1, COL_RATIO_2, COL_RATIO_3, COL_RATIO_4, COL_RATIO_5, \
			 COL_EVENT_1, COL_EVENT_2, COL_EVENT_3, COL_EVENT_4
/* Returns those of COLUMNS_OF_EVENTS that @snapshot (may be NULL) has nothing for. */
uint64_t columns_of_absent_events(const struct snapshot *snapshot);

/* Keys from the roots down, no key twice. GROUP_EVENT only comes first: see fold/tree.h. */
struct group_order {
	uint32_t count;
	enum group_key keys[GROUP_LEVELS];
};

enum view_kind {
	VIEW_SYMBOLS,
	VIEW_DSOS,
	VIEW_COMMANDS,
	VIEW_TASKS,
	VIEW_CPUS,
	VIEW_TREE,
	VIEW_FLAME,
	VIEW_PROBES,
	VIEW_GROUPS,
	VIEW_BUTTERFLY,
	VIEW_LISTING,
	VIEW_COUNTERS,
	VIEW_THREADS,
	VIEW_COUNT
};
#define VIEW_TABLES VIEW_TREE	/* kinds below it are tables and have columns */

enum view_move {
	MOVE_UP,
	MOVE_DOWN,
	MOVE_PAGE_UP,
	MOVE_PAGE_DOWN,
	MOVE_HALF_UP,		/* half a page */
	MOVE_HALF_DOWN,
	MOVE_FIRST,
	MOVE_LAST,
};

/* Pages of text, which cover a view. */
enum page_kind {
	PAGE_HELP,
	PAGE_MESSAGES,
	PAGE_LOSSES,
	PAGE_LOG,
	PAGE_HIT,		/* one hit of a probe */
	PAGE_STACK,		/* the stack of threads */
	PAGE_COMMAND_LINE,
	PAGE_COUNT
};

struct overlay_ops;
struct view_ops;

struct view_spec {
	const char *title;	/* in the line of views; in lower case the name in the config */
	const char *short_title;	/* used where the line of views has no room for titles */
	const char *shortest_title;	/* used where it has no room for short titles either */
	const struct view_ops *ops;	/* kinds with the same ones share a view */
	unsigned int keys;	/* enum row_key bits; 0: it has no table */
	const enum column_id *columns;	/* in their order on the screen; COL_COUNT ends them */
	enum column_id fill;	/* column that takes the cells left over; can't be hidden */
	enum column_id order;	/* column sorted by at first */
	enum view_kind opens;	/* view that Enter on a row opens */
	bool has_detail;	/* lines of detail about the row, even if nothing is compared */
	bool is_unlisted;	/* in the line of views only while it is shown: it has no number */
};

/* In ui/view_list.c: the screen gets them as parameters. */
extern const struct view_spec view_specs[VIEW_COUNT];
extern const struct view_ops *const page_ops[PAGE_COUNT];
extern const struct overlay_ops *const overlay_ops[];	/* by enum overlay_kind */

/* What the user has chosen to see, which is remembered. */
struct column_choice {
	uint64_t hidden[VIEW_COUNT];	/* COLUMN_BIT() of each that is not shown */
	uint64_t events_hidden;	/* those of COLUMNS_OF_EVENTS that no view shows */
	uint64_t asked;		/* columns named on the command line: dropped last */
	uint64_t counter_line;	/* 1: there is one; no bool, as choices are compared by
				 * memcmp(3) */
};

extern const struct column_choice columns_at_first;

/* Sets *@out to the filter part that keeps only what shares @field with @row; false: @row has no
 * value for it. */
bool views_row_part(enum filter_field field, const struct snapshot_row *row,
		    struct filter_part *out);

/* Sets *@out to the filter part that opening @row in a view of @kind adds; false: @row has nothing
 * to filter by (a row of several tasks, ...). */
bool views_opening_part(enum view_kind kind, const struct snapshot_row *row,
			struct filter_part *out);

/* Sets *@out to a row without tasks that says what the node does; its texts are the node's. */
void views_node_row(const struct tree_node *node, struct snapshot_row *out);

#endif
