/* json_groups.h - writes "groups" of json_write()'s object: README, "JSON". Thread: any. */
#ifndef EXPORT_JSON_GROUPS_H
#define EXPORT_JSON_GROUPS_H

#include <stdio.h>

#include "fold/group_tree.h"

/* Writes ,"groups":{...} with at most @max_rows groups; nothing if there are none. Compared groups
 * have their stats in the baseline, null if that lacks their event. Errors stay in @out
 * (ferror(3)). */
void json_put_groups(FILE *out, const struct group_tree *tree, size_t max_rows);

#endif
