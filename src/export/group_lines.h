/* group_lines.h - chooses which groups to print if there are too many. Thread: any. Pure. */
#ifndef EXPORT_GROUP_LINES_H
#define EXPORT_GROUP_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "fold/tree.h"

/* Chooses the @max groups with the largest self, then total, each with its ancestors. *@out has
 * node_count members, and the caller must free() it; NULL, also without memory: print all. Returns
 * how many groups are left out. */
size_t group_lines_choose(const struct group_tree *tree, size_t max, bool **out);

#endif
