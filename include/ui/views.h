/* views.h - the views of the table: the same window over other keys and columns. One array for the
 * line of view names, drilling, column menus and the configuration.
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
#define VIEW_TABLES VIEW_TREE	/* those before it are tables: they have columns */

struct table_spec {
	const char *title;	/* as in the line of views; in lower case the name in the config */
	const char *short_title;	/* where the line of views has no room for titles */
	const char *shortest_title;	/* where it has none for the short ones either */
	unsigned int keys;	/* enum row_key; 0: it has no table */
	const enum column_id *columns;	/* COL_COUNT ends them; in this order on the screen. The
					 * next two are theirs, too */
	enum column_id fill;	/* takes what the others leave; can't be hidden */
	enum column_id order;	/* sorted by at first */
	enum view_kind opens;	/* what Enter on a row leads to */
};

extern const struct table_spec table_specs[VIEW_COUNT];

/* Columns the user has hidden: a bit per enum column_id, for each view. */
struct column_choice {
	unsigned int hidden[VIEW_COUNT];
	unsigned int asked;	/* of the command line: they stay on a narrow screen */
};

extern const struct column_choice columns_at_first;

/* The part that keeps only what shares @field with @row; false: the row says nothing of it. */
bool views_row_part(enum filter_field field, const struct snapshot_row *row,
		    struct filter_part *out);

/* The part that opening @row of a view of @kind adds to the filter; false: the row says nothing to
 * filter by (a row of several tasks, ...). */
bool views_opening_part(enum view_kind kind, const struct snapshot_row *row,
			struct filter_part *out);

#endif
