/* group_order.h - the keys of the group tree and their order; help for each key.
 *
 * Thread: the owner's. Pure.
 */
#ifndef UI_GROUP_ORDER_H
#define UI_GROUP_ORDER_H

#include <stddef.h>

#include "base/diag.h"
#include "fold/tree.h"
#include "ingest/snapshot_probes.h"
#include "ui/views.h"

/* Help texts, short enough for a line of the panel. */
extern const char *const group_key_helps[GROUP_KEY_COUNT];

extern const struct group_order group_order_at_first;	/* comm > dso > symbol */

/* Returns the level of @key, 1 for the roots; 0: the key is not in use. */
uint32_t group_order_level(const struct group_order *order, enum group_key key);

/* Adds the key after all others (GROUP_EVENT before them), or removes it. Returns 0; -ENOSPC: there
 * are GROUP_LEVELS already; -EINVAL: it is the only one, and a tree needs one. */
int group_order_toggle(struct group_order *order, enum group_key key, struct diag *why);
/* Makes the key level @level, or the last; adds it if need be. Returns 0; -ENOSPC: there are
 * GROUP_LEVELS already; -EINVAL: GROUP_EVENT would not be the first. */
int group_order_place(struct group_order *order, enum group_key key, uint32_t level,
		      struct diag *why);

#define GROUP_ORDER_BYTES 160
/* Formats "comm > dso > symbol", with the separator of the breadcrumbs, into
 * @out[GROUP_ORDER_BYTES]; returns @out. @by_names: as for group_order_name(). */
char *group_order_format(const enum group_key *keys, uint32_t count, const char *const *by_names,
			 char *out);

/* Returns the name of @key. @by_names[GROUP_BY_KEYS]: those of the keys of `by`, NULL for one that
 * there is not; itself NULL: there are none. */
const char *group_order_name(enum group_key key, const char *const *by_names);
/* Returns how many keys of `by` @probe has, whose hits are grouped; NULL: none. */
uint32_t group_order_by_count(const struct snapshot_probe *probe);
/* Returns @order without the keys of `by` that @probe (NULL: none) has not; the order at first if
 * nothing is left. */
struct group_order group_order_of(const struct group_order *order,
				  const struct snapshot_probe *probe);
/* Returns the keys of `by` that @probe has, then the function. */
struct group_order group_order_by(const struct snapshot_probe *probe);

#endif
