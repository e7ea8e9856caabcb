/* page_table.h - the table of functions on the page of a window.
 *
 * Errors: those of the stream stay in it (ferror(3)).
 * Thread: any. */
#ifndef SHARE_PAGE_TABLE_H
#define SHARE_PAGE_TABLE_H

#include <stdint.h>
#include <stdio.h>

#include "analyzer/snapshot.h"
#include "export/print.h"

/* Writes the table of an event: all rows that there is room for if the page has @parts of them, and
 * how many are left out. 0 or -ENOMEM: there is none. */
int page_table_write(FILE *out, const struct snapshot *snapshot,
		     const struct export_options *print, uint32_t parts);

/* Writes the rules of style that the bars and columns of the tables need: always the same for a
 * snapshot. */
void page_table_write_style(FILE *out, const struct snapshot *snapshot);

#endif
