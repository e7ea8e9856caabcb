/* table_columns.h - the columns of one run's tables, and what writes each kind of table.
 * Thread: any, one at a time. Errors stay in the stream of the cells (ferror(3)). */
#ifndef EXPORT_TABLE_COLUMNS_H
#define EXPORT_TABLE_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "cells.h"
#include "export/print.h"

struct column_names {
	char **list;		/* owned, each one too; sanitized */
	uint32_t count;
};

struct table_columns {
	struct table_options options;
	bool is_compared;	/* any snapshot of the chain has a baseline */
	bool has_waits;		/* any of its events counts waits */
	bool has_time, has_weight;	/* weights are ns, or mean more than numbers of samples */
	bool has_latency;	/* any probe measures one */
	unsigned int keys;	/* enum row_key */
	uint32_t ratio_count;
	char ratios[EVENT_RATIOS][EVENT_TITLE_BYTES];
	struct column_names keys_of_hits, aggregates;	/* each name once, for all probes */
};

/* Each writes one snapshot's table, with @cells at the beginning of a line. A snapshot of NULL
 * writes a line of titles or rules. Those that return an int return 0 or -ENOMEM. */
/* Counts the nodes that there was no room for in *@more. */
int tree_table_write(struct cells *cells, const struct table_columns *columns,
		     const struct snapshot *snapshot, size_t *more);
int listing_table_write(struct cells *cells, const struct table_columns *columns,
			const struct snapshot *snapshot);
void probe_table_write(struct cells *cells, const struct snapshot *snapshot);
void hit_group_table_write(struct cells *cells, const struct table_columns *columns,
			   const struct snapshot *snapshot);
void histogram_table_write(struct cells *cells, const struct table_columns *columns,
			   const struct snapshot *snapshot);

#endif
