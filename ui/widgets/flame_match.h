/* flame_match.h - search in a call tree: which frames match, and how much of the time they have.
 * Thread: any, no state. */
#ifndef UI_FLAME_MATCH_H
#define UI_FLAME_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/call_tree.h"

struct flame_matches {
	uint32_t count;		/* frames that match */
	double weight;		/* of the samples that have one or more of them */
};

/* Has @node @search in its symbol or object (see ui/search.h)? One that is gone does not count. */
bool flame_match_is(const struct tree_node *node, const char *search);

/* Those of @zoom and what it calls, FLAME_NONE: of all. */
struct flame_matches flame_match_sum(const struct call_tree *tree, uint32_t zoom,
				     const char *search);

#endif
