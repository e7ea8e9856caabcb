/* views.h - the kinds of views: the same window by different keys and columns. One array serves the
 * line of views, drill-down, column menus and the configuration.
 * Thread: constant; any. */
#ifndef UI_VIEWS_H
#define UI_VIEWS_H

#include "analyzer/snapshot.h"
#include "fold/filter.h"
#include "ui/columns.h"

enum view_kind {
	VIEW_SYMBOLS,
	VIEW_OBJECTS,
	VIEW_COMMANDS,
	VIEW_TASKS,
	VIEW_CPUS,
	VIEW_TREE,
	VIEW_FLAME,
	VIEW_PROBES,
	VIEW_GROUPS,
	VIEW_COUNT
};
#define VIEW_TABLES VIEW_TREE	/* kinds below it are tables and have columns */

struct table_spec {
	const char *title;	/* in the line of views; in lower case the name in the config */
	const char *short_title;	/* used where the line of views has no room for titles */
	const char *shortest_title;	/* used where it has no room for short titles either */
	unsigned int keys;	/* enum row_key bits; 0: it has no table */
	const enum column_id *columns;	/* in their order on the screen; COL_COUNT ends them */
	enum column_id fill;	/* column that takes the cells left over; can't be hidden */
	enum column_id order;	/* column sorted by at first */
	enum view_kind opens;	/* view that Enter on a row opens */
};

extern const struct table_spec table_specs[VIEW_COUNT];

/* Columns the user has hidden: a bit per enum column_id, for each view. */
struct column_choice {
	unsigned int hidden[VIEW_COUNT];
	unsigned int asked;	/* columns named on the command line: dropped last */
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

#endif
