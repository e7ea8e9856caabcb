/* stack_trie.h - stacks interned once, as (caller node, leaf frame).
 *
 *   samples   main > f > g @12          frames   0 main+4   1 f+8    2 g+12   3 g+16
 *             main > f > g @16          nodes    0 root     1 main (0)        2 f (1)
 *                                       stacks   0 (node 2, frame 2)          1 (node 2, frame 3)
 *
 * A frame is (DSO, address). A node is (parent node, frame) and stands for a caller chain. The
 * leaf stays outside the trie, so that it does not grow with every sampled instruction.
 *
 * Invariant: a parent's number is smaller than its children's, also after compaction: one
 *            descending pass over the nodes sums subtrees.
 * Thread:    the analyzer's.
 */
#ifndef TIMELINE_STACK_TRIE_H
#define TIMELINE_STACK_TRIE_H

#include "base/id_map.h"

#define STACK_NODE_ROOT 0u

struct stack_frames {
	uint64_t *address;
	uint32_t *dso;
	uint32_t *symbol;	/* cache of the names stage: symbol id, or ID_SET_NONE */
	uint32_t forgotten;	/* how often symbols were reset: look up kept symbol ids again */
	uint32_t named;		/* the names stage has looked up the frames before this one */
	uint32_t count, capacity;
	struct id_set index;
};

struct stack_nodes {
	uint32_t *parent;	/* the root is its own parent */
	uint32_t *frame;	/* ID_SET_NONE for the root */
	uint32_t count, capacity;
	struct id_set index;
};

struct stack_leaves {
	uint32_t *node;
	uint32_t *frame;
	uint32_t count, capacity;
	struct id_set index;
};

struct stack_trie {
	struct stack_frames frames;
	struct stack_nodes nodes;
	struct stack_leaves stacks;
	uint64_t compactions;	/* how often ids changed: look up kept ids again */
};

int stack_trie_init(struct stack_trie *trie);	/* 0 or -ENOMEM */
void stack_trie_finish(struct stack_trie *trie);

/* Each returns the id of the equal row, a new one if there was none, or ID_SET_NONE: no memory. */
uint32_t stack_trie_frame(struct stack_trie *trie, uint32_t dso, uint64_t address);
uint32_t stack_trie_child(struct stack_trie *trie, uint32_t parent, uint32_t frame);
uint32_t stack_trie_stack(struct stack_trie *trie, uint32_t node, uint32_t leaf_frame);

/* Forgets every stack s with !used[s], and the nodes and frames that only those needed.
 * @renumbered[old stack] = new stack, or ID_SET_NONE. Both arrays have stacks.count elements.
 * 0 or -ENOMEM, then nothing changed. */
int stack_trie_compact(struct stack_trie *trie, const unsigned char *used, uint32_t *renumbered);

size_t stack_trie_bytes(const struct stack_trie *trie);	/* rows in use and their indexes */

#endif
