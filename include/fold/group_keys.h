/* group_keys.h - the keys of a tree of groups by their names, as users write them.
 * Thread: any. Pure. */
#ifndef FOLD_GROUP_KEYS_H
#define FOLD_GROUP_KEYS_H

#include "base/diag.h"
#include "fold/group_tree.h"

/* Returns the name that is shown for @key, such as "dso"; group_keys_parse() also knows aliases. */
const char *group_key_name(enum group_key key);

/* Parses "comm,dso,symbol" into @keys[GROUP_LEVELS], in that order. 0, or -EINVAL for a key that is
 * unknown, repeated or misplaced: the reason begins with @as and says what is valid; @keys and
 * *@count are unchanged then. */
int group_keys_parse(const char *text, const char *as, enum group_key *keys, uint32_t *count,
		     struct diag *why);

#endif
