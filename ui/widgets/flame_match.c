/* flame_match.c - see flame_match.h. A sample counts at its outermost match: that frame's total
 * includes all it calls. */
#include "flame_match.h"

#include "flame_layout.h"
#include "search.h"

bool flame_match_is(const struct tree_node *node, const char *search)
{
	if (!(node->total_weight > 0))	/* compared: it is gone, and has no box */
		return false;
	return search_matches(search, node->symbol) ||
	       (node->raw_symbol != node->symbol && search_matches(search, node->raw_symbol)) ||
	       search_matches(search, node->object);
}

struct flame_matches flame_match_sum(const struct call_tree *tree, uint32_t zoom,
				     const char *search)
{
	const uint32_t begin = zoom == FLAME_NONE ? 0 : zoom;
	const uint32_t end = zoom == FLAME_NONE ? tree->node_count
						: zoom + tree->nodes[zoom].size;
	struct flame_matches matches = { 0, 0 };
	uint32_t counted_end = begin;

	for (uint32_t i = begin; i < end; i++) {
		const struct tree_node *node = &tree->nodes[i];

		if (!flame_match_is(node, search))
			continue;
		matches.count++;
		if (i < counted_end)
			continue;
		matches.weight += node->total_weight;
		counted_end = i + node->size;
	}
	return matches;
}
