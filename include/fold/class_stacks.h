/* class_stacks.h - what the samples of a window weigh, by class and stack; and of a class each of
 * its caller chains with all that is beneath it.
 *
 * A class is what its owner tells samples apart by besides their stacks: numbers from 0 on. A spot
 * is a caller chain of one class: a copy of a node of the trie.
 *
 * Use:    class_stacks_get() for each entry, and add to its load. When all were added, for each
 *         class: class_chains_begin(); class_chains_find() and class_chains_put() for those of its
 *         stacks that count; class_chains_sum(). The trie must not grow meanwhile.
 * Errors: is_out_of_memory, and UINT32_MAX or 0 for a number: then something is missing.
 * Thread: the analyzer's.
 */
#ifndef FOLD_CLASS_STACKS_H
#define FOLD_CLASS_STACKS_H

#include <stdbool.h>

#include "timeline/stack_trie.h"

/* In the window, and in the baseline. */
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
	uint32_t next;		/* another of the class, + 1; 0: none */
	uint32_t sibling;	/* another leaf of the same spot, + 1; 0: none */
	struct class_load load;
};

struct class_stacks {
	const struct stack_trie *trie;	/* borrowed */
	struct class_stack *rows;	/* owned, as all */
	uint32_t count, capacity;
	uint32_t *place_of;		/* of each of the trie's stacks a row, + 1; 0: none */
	struct id_map others;		/* (class, stack) -> row, of a stack's further classes */
	uint32_t *first;		/* of each class a row, + 1; 0: none */
	uint32_t class_capacity;
	bool is_out_of_memory;
};

void class_stacks_init(struct class_stacks *stacks, const struct stack_trie *trie);
void class_stacks_finish(struct class_stacks *stacks);
/* The row of @stack in @class, new with no load. UINT32_MAX: out of memory. */
uint32_t class_stacks_get(struct class_stacks *stacks, uint32_t class, uint32_t stack);
/* A row of @class, + 1; 0: none. */
static inline uint32_t class_stacks_first(const struct class_stacks *stacks, uint32_t class)
{
	return class < stacks->class_capacity ? stacks->first[class] : 0;
}

/* Parents have smaller numbers than their children. */
struct class_spot {
	uint32_t node;		/* of the trie */
	uint32_t parent;	/* of a class's root: itself */
	uint32_t child, sibling;	/* other spots; 0: none */
	uint32_t leaf;		/* a row that ends here, + 1; 0: none */
	bool is_matched;	/* the owner's */
	struct class_load load;	/* after the sum with all beneath it */
};

struct class_chains {
	struct class_stacks *stacks;	/* borrowed */
	struct class_spot *spots;	/* owned, as all; [0] is none */
	uint32_t count, capacity;
	uint32_t root;			/* of the class in hand */
	uint32_t *spot_of;	/* of each node of the trie; before `root`: of another class */
	uint32_t *missing;	/* nodes on the way out to one that has a spot */
	uint32_t missing_capacity;
	bool is_out_of_memory;
};

void class_chains_init(struct class_chains *chains, struct class_stacks *stacks);
void class_chains_finish(struct class_chains *chains);
/* Begins a class. Its root, which has no frame; 0: out of memory. */
uint32_t class_chains_begin(struct class_chains *chains);
/* Where the callers of @row's stack are; makes the spots that are missing, the outermost first. 0:
 * out of memory. */
uint32_t class_chains_find(struct class_chains *chains, uint32_t row);
/* The row is a leaf of @spot, and counts there. */
void class_chains_put(struct class_chains *chains, uint32_t spot, uint32_t row);
/* All of the class were put. */
void class_chains_sum(struct class_chains *chains);

#endif
