/* group_path.h - what the groups above a node and itself say together: as a row, and as parts of a
 * filter.
 *
 * Thread: any. Pure.
 */
#ifndef UI_GROUP_PATH_H
#define UI_GROUP_PATH_H

#include "analyzer/snapshot.h"
#include "fold/filter.h"
#include "fold/group_tree.h"

/* @node with all that its path says: command, process, function... Texts are BORROWED from the
 * tree. */
struct snapshot_row group_path_row(const struct group_tree *tree, uint32_t node);

/* The parts that leave only the samples of @node, as far as filters can tell, into
 * @out[GROUP_LEVELS]; returns how many. *@left_out: a bit per enum group_key of the path that no
 * filter tells; never GROUP_EVENT. */
size_t group_path_parts(const struct group_tree *tree, uint32_t node, struct filter_part *out,
			unsigned int *left_out);
/* Index of the event that the samples of @node are of: @shown without GROUP_EVENT. */
uint32_t group_path_event(const struct group_tree *tree, uint32_t node, uint32_t shown);

#endif
