/* group_order.h - which keys the tree of groups has, in which order; and what each key is.
 *
 * Thread: the owner's. Pure.
 */
#ifndef UI_GROUP_ORDER_H
#define UI_GROUP_ORDER_H

#include <stddef.h>

#include "base/diag.h"
#include "fold/group_tree.h"

/* Short: a line of the panel has room for it. Names are group_key_name(). */
extern const char *const group_key_helps[GROUP_KEY_COUNT];

/* From the roots down; no key twice. GROUP_EVENT is the first or none: see fold/group_tree.h. */
struct group_order {
	uint32_t count;
	enum group_key keys[GROUP_LEVELS];
};

extern const struct group_order group_order_at_first;	/* comm > dso > symbol */

/* 1: of the roots; 0: the key is not one of them. */
uint32_t group_order_level(const struct group_order *order, enum group_key key);

/* Takes the key in, behind all others (GROUP_EVENT before them), or out. -ENOSPC: there are
 * GROUP_LEVELS already; -EINVAL: it is the last, and a tree has one. */
int group_order_toggle(struct group_order *order, enum group_key key, struct diag *why);
/* Makes it level number @level, or the last; takes it in if need be. -ENOSPC as above; -EINVAL:
 * GROUP_EVENT would not be the first. */
int group_order_place(struct group_order *order, enum group_key key, uint32_t level,
		      struct diag *why);

#define GROUP_ORDER_BYTES 160
/* "comm > dso > symbol", with the sign that leads on in the breadcrumb. Into
 * @out[GROUP_ORDER_BYTES]; returns @out. */
char *group_order_format(const enum group_key *keys, uint32_t count, char *out);

#endif
