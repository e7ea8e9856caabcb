/* row_changes.h - how much the rows of a compared snapshot have changed since its baseline.
 *
 * Units:  windows of different lengths are compared by their own 100 % and their own seconds.
 * Thread: any, no state.
 */
#ifndef EXPORT_ROW_CHANGES_H
#define EXPORT_ROW_CHANGES_H

#include "analyzer/snapshot.h"

enum row_presence {
	ROW_IN_BOTH,
	ROW_NEW,		/* none of it in the baseline */
	ROW_GONE,		/* only there */
};

enum row_presence row_changes_presence(const struct snapshot_row *row);

/* Share of @weight in the baseline, 0..100; 0 when that is empty. */
double row_changes_base_pct(const struct snapshot *snapshot, double weight);
/* Points of its share, of self or, @of_total, of total. */
double row_changes_points(const struct snapshot *snapshot, const struct snapshot_row *row,
			  bool of_total);

/* @samples a second in @window_s; 0 when nothing passed. */
double row_changes_per_s(uint64_t samples, double window_s);

/* Indices of all rows: those first whose share has changed most, up or down; of equal changes as
 * they stand in the snapshot. Where it is not compared, all as they stand. malloc'd, the caller's;
 * NULL: out of memory. */
size_t *row_changes_order(const struct snapshot *snapshot, bool of_total);

#endif
