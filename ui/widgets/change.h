/* change.h - changes against the baseline "A", as the screen shows them: shares in percentage
 * points, counts per second. Exports use analyzer/snapshot.h, from the same sums.
 *
 * Units:  each window has its own 100 % and its own seconds, so that lengths may differ.
 * Thread: any, no state.
 */
#ifndef UI_CHANGE_H
#define UI_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/snapshot.h"
#include "ui/theme.h"

/* Changes of a share from SEEN on stand out, from LARGE on they count as large. */
#define CHANGE_SEEN_POINTS  0.5
#define CHANGE_LARGE_POINTS 5.0

/* Returns the change of share from @base_weight in the baseline to @weight in the window, in
 * percentage points: 12 % -> 10 % is -2. */
double change_points(const struct snapshot *snapshot, double weight, double base_weight);
/* Returns the change from @base_samples to @samples, in samples per second. */
double change_per_s(const struct snapshot *snapshot, uint64_t samples, uint64_t base_samples);
double change_per_s_of_row(const struct snapshot *snapshot, const struct snapshot_row *row);

/* New: only in the window. Gone: only in the baseline. False unless the snapshot is compared. */
bool change_row_is_new(const struct snapshot *snapshot, const struct snapshot_row *row);
bool change_row_is_gone(const struct snapshot_row *row);
bool change_node_is_new(const struct snapshot *snapshot, const struct tree_node *node);
bool change_node_is_gone(const struct tree_node *node);
bool change_group_is_new(const struct group_node *node);
bool change_group_is_gone(const struct group_node *node);

/* Return the change in points: of a row's self or total share (0 if idle), of a tree node's total
 * share. */
double change_of_row(const struct snapshot *snapshot, const struct snapshot_row *row);
double change_of_row_total(const struct snapshot *snapshot, const struct snapshot_row *row);
double change_of_node(const struct snapshot *snapshot, const struct tree_node *node);
/* Returns the change of a group's self share within its event; 0: not in the baseline. */
double change_of_group(const struct group_node *node);

/* "+14.30", "-9.80", "0.00": 6 cells at most. @out has FORMAT_BYTES in these three. */
char *change_format_points(char *out, double points);
/* "+143", "-78.9k", "0": 6 cells at most. */
char *change_format_per_s(char *out, double per_s);
/* "+1.20us", "-48.0ms", "0": 7 cells at most. */
char *change_format_ns(char *out, uint64_t ns, uint64_t base_ns);
/* Arrows, one for each 2 points begun, up to @cells. Needs 3 bytes per cell + 1 in @out[@cap]. */
char *change_format_bar(char *out, size_t cap, int cells, double points);

/* Returns the role of text that shows a change; dim below CHANGE_SEEN_POINTS. */
enum role change_role(double points);

/* change_role() for the self or total share of @row; dim, too, if chance explains the change. */
enum role change_role_of_row(const struct snapshot *snapshot, const struct snapshot_row *row,
			     bool of_total);

#define CHANGE_TEXT_BYTES 128

/* Format a change as "12.30 % -> 26.60 % (+14.30)" for the row's self or total share, as "123/s ->
 * 266/s (+143)" for samples (change_describe_rate), into @out[CHANGE_TEXT_BYTES]. */
char *change_describe_share(char *out, const struct snapshot *snapshot,
			    const struct snapshot_row *row, bool is_total);
/* Formats the change of a group's self or total share within its event. */
char *change_describe_group(char *out, const struct group_node *node, double weight,
			    double base_weight);
char *change_describe_rate(char *out, const struct snapshot *snapshot, uint64_t samples,
			   uint64_t base_samples);

#endif
