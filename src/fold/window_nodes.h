/* window_nodes.h - numbers the caller chains in the stacks of a window, for one fold.
 *
 * Problem: a trie has the nodes of the whole history, and a window of ten seconds uses few of them:
 * passes over all nodes would get slower as the history grows.
 *
 * Use:    window_nodes_init(), window_nodes_mark() for each stack's node, window_nodes_number(),
 *         then the lists; window_nodes_finish() in every case. The trie must not grow meanwhile.
 * Order:  as in the trie: a parent's number is smaller than its children's. The root has 0.
 * Cost:   each node is marked once, however many stacks go through it; a bit per node of the trie.
 * Thread: the analyzer's.
 */
#ifndef FOLD_WINDOW_NODES_H
#define FOLD_WINDOW_NODES_H

#include "timeline/stack_trie.h"

struct window_nodes {
	const struct stack_trie *trie;	/* borrowed */
	uint64_t *marks;	/* owned, like the arrays below; a bit per trie node */
	uint32_t *before;	/* by word of `marks`: number of bits set in earlier words */
	uint32_t *node;		/* number -> trie node */
	uint32_t *parent;	/* number -> number of the parent; the root is its own */
	uint32_t count;
};

/* 0 or -ENOMEM. */
int window_nodes_init(struct window_nodes *nodes, const struct stack_trie *trie);
void window_nodes_finish(struct window_nodes *nodes);

/* Marks @node and all its ancestors as being in the window. */
static inline void window_nodes_mark(struct window_nodes *nodes, uint32_t node)
{
	while (!(nodes->marks[node / 64] & 1ull << node % 64)) {
		nodes->marks[node / 64] |= 1ull << node % 64;
		node = nodes->trie->nodes.parent[node];
		nodes->count++;
	}
}

/* Fills the lists, after all nodes were marked. 0 or -ENOMEM. */
int window_nodes_number(struct window_nodes *nodes);

/* Returns the number of a marked node. */
static inline uint32_t window_nodes_find(const struct window_nodes *nodes, uint32_t node)
{
	const uint64_t smaller = nodes->marks[node / 64] & ((1ull << node % 64) - 1);

	return nodes->before[node / 64] + (uint32_t)__builtin_popcountll(smaller);
}

#endif
