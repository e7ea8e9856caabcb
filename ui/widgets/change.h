/* change.h - how much has changed since the baseline "A", as the screen tells it: of a share in
 * points, of a count a second. Files tell it by export/row_changes.h, from the same sums.
 *
 * Units:  windows of different lengths are compared by their own 100 % and their own seconds.
 * Thread: any, no state.
 */
#ifndef UI_CHANGE_H
#define UI_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/snapshot.h"
#include "ui/theme.h"

/* From here on a change of a share stands out; from the second on it is a large one. */
#define CHANGE_SEEN_POINTS  0.5
#define CHANGE_LARGE_POINTS 5.0

/* From @base_weight in the baseline to @weight in the window, in points: 12 % -> 10 % is -2. */
double change_points(const struct snapshot *snapshot, double weight, double base_weight);
/* The same of so many samples, a second. */
double change_per_s(const struct snapshot *snapshot, uint64_t samples, uint64_t base_samples);

/* In one of the two windows there is none of it: only where snapshots are compared. */
bool change_row_is_new(const struct snapshot *snapshot, const struct snapshot_row *row);
bool change_row_is_gone(const struct snapshot_row *row);
bool change_node_is_new(const struct snapshot *snapshot, const struct tree_node *node);
bool change_node_is_gone(const struct tree_node *node);
bool change_group_is_new(const struct group_node *node);
bool change_group_is_gone(const struct group_node *node);

/* Points of a row's own share; an idle one has none: 0. Of a node of the tree: of its total. */
double change_of_row(const struct snapshot *snapshot, const struct snapshot_row *row);
double change_of_node(const struct snapshot *snapshot, const struct tree_node *node);
/* Of a group's self, each in its own event; 0 if the baseline has not that. */
double change_of_group(const struct group_node *node);

/* "+14.30", "-9.80", "0.00": 6 cells at most. @out[FORMAT_BYTES], as of the next two. */
char *change_format_points(char *out, double points);
/* "+143", "-78.9k", "0": 6 cells at most. */
char *change_format_per_s(char *out, double per_s);
/* "+1.20us", "-48.0ms", "0": 7 cells at most. */
char *change_format_ns(char *out, uint64_t ns, uint64_t base_ns);
/* Arrows, one for each 2 points begun, up to @cells. Needs 3 bytes per cell + 1 in @out[@cap]. */
char *change_format_bar(char *out, size_t cap, int cells, double points);

/* Of text that tells it; its sign tells the same. Dim: it does not stand out. */
enum role change_role(double points);

#define CHANGE_TEXT_BYTES 128

/* "12.30 % -> 26.60 % (+14.30)" of so much weight; and "123/s -> 266/s (+143)" of samples.
 * @out[CHANGE_TEXT_BYTES]. */
char *change_describe_share(char *out, const struct snapshot *snapshot, double weight,
			    double base_weight);
/* Of a group's self or total, in its own event. */
char *change_describe_group(char *out, const struct group_node *node, double weight,
			    double base_weight);
char *change_describe_rate(char *out, const struct snapshot *snapshot, uint64_t samples,
			   uint64_t base_samples);

#endif
