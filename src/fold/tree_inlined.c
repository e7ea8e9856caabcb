/* tree_inlined.c - splits a tree's frames into the functions inlined at their addresses.
 *
 * Problem: one address stands for several functions, which are known only if its source lines were
 * requested. A window has more addresses than can be requested at once.
 *
 * Idea: a frame stays whole until its chain is known. Each fold sums the weight by frame, and the
 * heaviest are requested first; so the tree fills in from what is worth seeing.
 *
 * A caller's address is after its call, or in the call's last byte: one less is within the call,
 * which has two bytes at least. A signal frame has neither, so the start of a function is kept.
 */
#include <stdlib.h>
#include <string.h>

#include "fold/tree_fold.h"

void tree_fold_inline(struct tree_fold *fold, const struct inline_chains *chains)
{
	fold->chains = chains;
	fold->leaf_weight = calloc(fold->trie->frames.count + 1, sizeof(*fold->leaf_weight));
	fold->caller_weight = calloc(fold->trie->nodes.count, sizeof(*fold->caller_weight));
	if (!fold->leaf_weight || !fold->caller_weight)
		fold->is_out_of_memory = true;
}

/* Returns the address whose source lines show what was inlined at the frame. */
static struct source_wish wish_of(const struct tree_fold *fold, uint32_t frame, bool is_leaf)
{
	const uint32_t id = symbol_names_of_frame(fold->names, fold->trie, frame);
	uint64_t address = fold->trie->frames.address[frame];
	const struct symbol *symbol;

	if (id == ID_SET_NONE)		/* no memory: no object either */
		return (struct source_wish){ address, UINT32_MAX };
	symbol = &fold->names->symbols[id];
	if (!is_leaf && address > symbol->address)
		address--;
	return (struct source_wish){ address, symbol->object };
}

const struct inline_chain *tree_inlined_at(const struct tree_fold *fold, uint32_t frame,
					   bool is_leaf)
{
	const struct inline_chain *chain;
	struct source_wish of;

	if (!fold->chains)
		return NULL;
	of = wish_of(fold, frame, is_leaf);
	chain = inline_chains_find(fold->chains, of.object, of.address);
	return chain && chain->count ? chain : NULL;
}

static uint32_t append_function(struct tree_fold *fold, uint32_t object, struct str_id name)
{
	if (fold->inlined_count == fold->inlined_capacity) {
		const uint32_t capacity = fold->inlined_capacity ? 2 * fold->inlined_capacity : 64;
		struct tree_inlined *bigger = realloc(fold->inlined, capacity * sizeof(*bigger));

		if (!bigger)
			return ID_SET_NONE;
		fold->inlined = bigger;
		fold->inlined_capacity = capacity;
	}
	fold->inlined[fold->inlined_count] = (struct tree_inlined){ object, name };
	return fold->inlined_count++;
}

uint32_t tree_inlined_function(struct tree_fold *fold, const struct inline_chain *chain,
			       uint32_t level)
{
	const struct str_id name = fold->chains->functions[chain->first + level];
	const uint32_t object = symbol_twins_object(fold->twins, chain->object);
	const uint64_t key = (uint64_t)object << 32 | name.v;
	uint32_t number = id_map_get(&fold->by_inlined, key);

	if (number != ID_MAP_NONE)
		return TREE_FOLD_INLINED | number;
	number = append_function(fold, object, name);
	if (number == ID_SET_NONE || id_map_put(&fold->by_inlined, key, number)) {
		fold->is_out_of_memory = true;
		return ID_SET_NONE;
	}
	return TREE_FOLD_INLINED | number;
}

void tree_inlined_weigh(struct tree_fold *fold, uint32_t stack, double weight)
{
	if (!fold->chains)
		return;
	fold->leaf_weight[fold->trie->stacks.frame[stack]] += weight;
	fold->caller_weight[fold->trie->stacks.node[stack]] += weight;
}

/* The heaviest so far, heaviest first. */
struct candidates {
	const struct source_lines *lines;
	struct source_wish *wishes;
	double weights[SOURCE_WISHES_MAX];
	uint32_t count;
};

static void consider(const struct tree_fold *fold, struct candidates *list, uint32_t frame,
		     bool is_leaf, double weight)
{
	struct source_wish of;
	uint32_t at, moved;

	if (!(weight > 0) || (list->count == SOURCE_WISHES_MAX &&
			      weight <= list->weights[SOURCE_WISHES_MAX - 1]))
		return;
	of = wish_of(fold, frame, is_leaf);
	if (inline_chains_find(fold->chains, of.object, of.address) ||
	    !source_lines_can_be_wished(list->lines, &of))
		return;
	at = list->count < SOURCE_WISHES_MAX ? list->count++ : SOURCE_WISHES_MAX - 1;
	moved = at;
	while (at > 0 && list->weights[at - 1] < weight)
		at--;
	memmove(&list->weights[at + 1], &list->weights[at], (moved - at) * sizeof(double));
	memmove(&list->wishes[at + 1], &list->wishes[at], (moved - at) * sizeof(of));
	list->weights[at] = weight;
	list->wishes[at] = of;
}

/* Sums each frame's weight as a caller, over its nodes with all their descendants. NULL: out of
 * memory. The caller must free() it. */
static double *sum_callers(struct tree_fold *fold)
{
	const struct stack_nodes *nodes = &fold->trie->nodes;
	double *weights = calloc(fold->trie->frames.count + 1, sizeof(*weights));

	for (uint32_t n = nodes->count - 1; weights && n > STACK_NODE_ROOT; n--) {
		weights[nodes->frame[n]] += fold->caller_weight[n];
		fold->caller_weight[nodes->parent[n]] += fold->caller_weight[n];
	}
	return weights;
}

uint32_t tree_fold_wishes(struct tree_fold *fold, const struct source_lines *lines,
			  struct source_wish out[SOURCE_WISHES_MAX])
{
	struct candidates list = { .lines = lines, .wishes = out };
	double *as_callers;

	if (fold->is_out_of_memory || fold->is_stopped || inline_chains_are_full(fold->chains))
		return 0;
	as_callers = sum_callers(fold);
	for (uint32_t i = 0; as_callers && i < fold->trie->frames.count; i++) {
		consider(fold, &list, i, true, fold->leaf_weight[i]);
		consider(fold, &list, i, false, as_callers[i]);
	}
	free(as_callers);
	return list.count;
}
