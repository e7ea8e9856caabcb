/* group_path.h - a group node and the groups above it, combined into a row or into filter parts.
 *
 * Thread: any. Pure.
 */
#ifndef UI_GROUP_PATH_H
#define UI_GROUP_PATH_H

#include "analyzer/snapshot.h"
#include "fold/filter.h"
#include "fold/tree.h"

/* Returns @node as a row with everything known from its path: command, process, function... Its
 * texts are BORROWED from the tree. */
struct snapshot_row group_path_row(const struct group_tree *tree, uint32_t node);

/* Writes the filter parts that select the samples of @node, as far as filters can, to
 * @out[GROUP_LEVELS]; returns how many. *@left_out: a bit per enum group_key of the path that no
 * filter can express; never GROUP_EVENT. */
size_t group_path_parts(const struct group_tree *tree, uint32_t node, struct filter_part *out,
			unsigned int *left_out);
/* Returns the index of the event of @node's samples: @shown if the path has no GROUP_EVENT. */
uint32_t group_path_event(const struct group_tree *tree, uint32_t node, uint32_t shown);

#endif
