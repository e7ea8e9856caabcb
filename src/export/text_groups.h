/* text_groups.h - the groups of a snapshot as plain text lines, indented. Thread: any. */
#ifndef EXPORT_TEXT_GROUPS_H
#define EXPORT_TEXT_GROUPS_H

#include <stdio.h>

#include "fold/group_tree.h"

/* Titles and at most @max_rows groups; what is left out is said. Compared ones with their shares
 * in the baseline: "-", where it has not their event. Errors stay in @out (ferror(3)). */
void text_put_groups(FILE *out, const struct group_tree *tree, size_t max_rows);

#endif
