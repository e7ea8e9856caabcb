/* view_table.h - the table: titles, rows, cursor, and a sentence where there is no row.
 * Thread: the ui's. */
#ifndef UI_VIEW_TABLE_H
#define UI_VIEW_TABLE_H

#include "ui/view.h"
#include "widgets/table_rows.h"

struct table_view {
	struct view view;
	struct table_rows rows;
	unsigned int drawn;	/* 1u << enum column_id: the columns drawn last */
};

void table_view_init(struct table_view *table);
void table_view_finish(struct table_view *table);

#endif
