/* flame_match.h - search in a call tree: which frames match, and the weight of their samples.
 * Thread: any, no state. */
#ifndef UI_FLAME_MATCH_H
#define UI_FLAME_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/call_tree.h"

struct flame_matches {
	uint32_t count;		/* frames that match */
	double weight;		/* of the samples that contain at least one match */
};

/* True if @node matches @search in its symbol or DSO (see search.h) and is not gone. */
bool flame_match_is(const struct tree_node *node, const char *search);

/* Sums the matches among @zoom and its callees (FLAME_NONE: in the whole tree). */
struct flame_matches flame_match_sum(const struct call_tree *tree, uint32_t zoom,
				     const char *search);

#endif
