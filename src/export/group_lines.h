/* group_lines.h - which groups are printed when not all of them are. Thread: any. Pure. */
#ifndef EXPORT_GROUP_LINES_H
#define EXPORT_GROUP_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "fold/group_tree.h"

/* The @max groups with the largest self, then total, each with those above it. *@out: [node_count],
 * malloc'd, the caller's; NULL: all are printed. Returns how many are not. Without memory all are
 * printed. */
size_t group_lines_choose(const struct group_tree *tree, size_t max, bool **out);

#endif
