/* class_stacks.h - sums the samples of a window by class and stack, and then, one class at a time,
 * by caller chain, each chain including the chains it calls.
 *
 * A class, numbered from 0, is a set of samples that the owner treats alike apart from their
 * stacks. A spot is one caller chain within a class: a copy of a trie node.
 *
 * Use:    class_stacks_get() for each entry, and add to its load. When all were added, for each
 *         class: class_chains_begin(); class_chains_find() and class_chains_put() for each of its
 *         stacks that counts; class_chains_sum(). The trie must not grow meanwhile.
 * Errors: sets is_out_of_memory and returns UINT32_MAX or 0; the sums are then incomplete.
 * Thread: the analyzer's.
 */
#ifndef FOLD_CLASS_STACKS_H
#define FOLD_CLASS_STACKS_H

#include <stdbool.h>

#include "timeline/stack_trie.h"

/* Sample counts and weights, in the window and in the baseline. */
struct class_load {
	uint64_t samples, base_samples;
	double weight, base_weight;
};

static inline void class_load_add(struct class_load *into, const struct class_load *from)
{
	into->samples += from->samples;
	into->weight += from->weight;
	into->base_samples += from->base_samples;
	into->base_weight += from->base_weight;
}

struct class_stack {
	uint32_t stack, class;
	uint32_t next;		/* index of the class's next row, + 1; 0: none */
	uint32_t sibling;	/* index of the spot's next leaf, + 1; 0: none */
	struct class_load load;
};

struct class_stacks {
	const struct stack_trie *trie;	/* borrowed */
	struct class_stack *rows;	/* owned, like the arrays and the map below */
	uint32_t count, capacity;
	uint32_t *place_of;		/* by trie stack: its first row, + 1; 0: none */
	struct id_map others;		/* (class, stack) -> row, for a stack's other classes */
	uint32_t *first;		/* by class: its newest row, + 1; 0: none */
	uint32_t class_capacity;
	bool is_out_of_memory;
};

void class_stacks_init(struct class_stacks *stacks, const struct stack_trie *trie);
void class_stacks_finish(struct class_stacks *stacks);
/* Returns the row of @stack in @class, appending an empty one if needed. UINT32_MAX: no memory. */
uint32_t class_stacks_get(struct class_stacks *stacks, uint32_t class, uint32_t stack);
/* Returns the head of the list of @class's rows (see `next`), as index + 1; 0: none. */
static inline uint32_t class_stacks_first(const struct class_stacks *stacks, uint32_t class)
{
	return class < stacks->class_capacity ? stacks->first[class] : 0;
}

/* A caller chain of the current class. Parents have smaller numbers than their children. */
struct class_spot {
	uint32_t node;		/* trie node */
	uint32_t parent;	/* spot number; a class's root is its own parent */
	uint32_t child, sibling;	/* spot numbers; 0: none */
	uint32_t leaf;		/* first row whose callers are this chain, + 1; 0: none */
	bool is_matched;	/* for the owner's use */
	struct class_load load;	/* after class_chains_sum() includes all descendants */
};

struct class_chains {
	struct class_stacks *stacks;	/* borrowed */
	struct class_spot *spots;	/* owned, like the arrays below; [0] is unused */
	uint32_t count, capacity;
	uint32_t root;			/* root spot of the current class */
	uint32_t *spot_of;	/* by trie node; below `root`: a spot of an earlier class */
	uint32_t *missing;	/* scratch: nodes between a leaf and the first with a spot */
	uint32_t missing_capacity;
	bool is_out_of_memory;
};

void class_chains_init(struct class_chains *chains, struct class_stacks *stacks);
void class_chains_finish(struct class_chains *chains);
/* Begins a class and returns its root spot, which has no frame. 0: out of memory. */
uint32_t class_chains_begin(struct class_chains *chains);
/* Returns the spot of the callers of @row's stack, creating missing spots from the outermost in.
 * 0: out of memory. */
uint32_t class_chains_find(struct class_chains *chains, uint32_t row);
/* Attaches @row to @spot as a leaf and adds its load to the spot's. */
void class_chains_put(struct class_chains *chains, uint32_t spot, uint32_t row);
/* Adds each spot's load to its ancestors', after class_chains_put() for all rows of the class. */
void class_chains_sum(struct class_chains *chains);

#endif
