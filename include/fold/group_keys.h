/* group_keys.h - the keys of a tree of groups by their names, as users write them.
 * Thread: any. Pure. */
#ifndef FOLD_GROUP_KEYS_H
#define FOLD_GROUP_KEYS_H

#include "base/diag.h"
#include "fold/group_tree.h"

/* "dso": the one that is shown; group_keys_parse() knows others besides. */
const char *group_key_name(enum group_key key);

/* "comm,dso,symbol" -> @keys[GROUP_LEVELS], in that order; @as begins the sentence. 0 or -EINVAL:
 * what is no key, comes twice or can't stand there, with what may; @keys and *@count are as they
 * were then. */
int group_keys_parse(const char *text, const char *as, enum group_key *keys, uint32_t *count,
		     struct diag *why);

#endif
