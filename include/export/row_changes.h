/* row_changes.h - how much the rows of a compared snapshot have changed since its baseline.
 *
 * Units:  shares and rates, each relative to its own window, as the lengths may differ.
 * Thread: any, no state.
 */
#ifndef EXPORT_ROW_CHANGES_H
#define EXPORT_ROW_CHANGES_H

#include "analyzer/snapshot.h"

enum row_presence {
	ROW_IN_BOTH,
	ROW_NEW,		/* not in the baseline */
	ROW_GONE,		/* only in the baseline */
};

enum row_presence row_changes_presence(const struct snapshot_row *row);

/* Returns the share of @weight in the baseline, 0..100; 0 when that is empty. */
double row_changes_base_pct(const struct snapshot *snapshot, double weight);
/* Returns the change of the row's share of self, or with @of_total of total, in percentage
 * points. */
double row_changes_points(const struct snapshot *snapshot, const struct snapshot_row *row,
			  bool of_total);

/* Returns @samples / @window_s; 0 for an empty window. */
double row_changes_per_s(uint64_t samples, double window_s);

/* Returns the indices of all rows, sorted by the change of their share, largest first, up or down;
 * ties by the change of the other share (self or total), then in the order of the snapshot. Without
 * a comparison: all in that order. The caller must free() them; NULL: out of memory. */
size_t *row_changes_order(const struct snapshot *snapshot, bool of_total);

#endif
