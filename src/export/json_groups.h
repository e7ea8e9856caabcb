/* json_groups.h - the "groups" of json_write()'s object: README, "JSON". Thread: any. */
#ifndef EXPORT_JSON_GROUPS_H
#define EXPORT_JSON_GROUPS_H

#include <stdio.h>

#include "fold/group_tree.h"

/* ,"groups":{...}; nothing if there are none. At most @max_rows groups. Compared ones with their
 * figures in the baseline: null, where it has not their event. Errors stay in @out (ferror(3)). */
void json_put_groups(FILE *out, const struct group_tree *tree, size_t max_rows);

#endif
