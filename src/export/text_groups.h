/* text_groups.h - writes the groups of a snapshot as indented plain text. Thread: any. */
#ifndef EXPORT_TEXT_GROUPS_H
#define EXPORT_TEXT_GROUPS_H

#include <stdio.h>

#include "fold/group_tree.h"

/* Writes titles, at most @max_rows groups, and how many were left out. Compared groups have their
 * shares in the baseline, "-" if that lacks their event. Errors stay in @out (ferror(3)). */
void text_put_groups(FILE *out, const struct group_tree *tree, size_t max_rows);

#endif
