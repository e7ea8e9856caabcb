/* class_stacks.c - see fold/class_stacks.h.
 *
 * Most stacks are in one class only: an array finds their row, and a map those in other classes.
 */
#include "fold/class_stacks.h"

#include <stdlib.h>
#include <string.h>

void class_stacks_init(struct class_stacks *stacks, const struct stack_trie *trie)
{
	*stacks = (struct class_stacks){ .trie = trie };
	stacks->place_of = calloc(trie->stacks.count + 1, sizeof(*stacks->place_of));
	stacks->is_out_of_memory = !stacks->place_of;
}

void class_stacks_finish(struct class_stacks *stacks)
{
	free(stacks->rows);
	free(stacks->place_of);
	id_map_finish(&stacks->others);
	free(stacks->first);
	memset(stacks, 0, sizeof(*stacks));
}

/* Room for row @index of @bytes each. False: out of memory. */
static bool reserve(void **rows, uint32_t index, uint32_t *capacity, size_t bytes)
{
	uint32_t more = *capacity ? *capacity : 512;
	void *bigger;

	if (index < *capacity)
		return true;
	while (more <= index)
		more *= 2;
	bigger = realloc(*rows, more * bytes);
	if (!bigger)
		return false;
	*rows = bigger;
	*capacity = more;
	return true;
}

static bool reserve_class(struct class_stacks *stacks, uint32_t class)
{
	const uint32_t known = stacks->class_capacity;

	if (!reserve((void **)&stacks->first, class, &stacks->class_capacity,
		     sizeof(*stacks->first)))
		return false;
	if (stacks->class_capacity > known)
		memset(stacks->first + known, 0,
		       (stacks->class_capacity - known) * sizeof(*stacks->first));
	return true;
}

static uint64_t key_of(uint64_t class, uint32_t stack)
{
	return class << 32 | stack;
}

static uint32_t append(struct class_stacks *stacks, uint32_t class, uint32_t stack)
{

	if (!reserve_class(stacks, class) ||
	    !reserve((void **)&stacks->rows, stacks->count, &stacks->capacity,
		     sizeof(*stacks->rows)) ||
	    (stacks->place_of[stack] && id_map_put(&stacks->others, key_of(class, stack),
						     stacks->count))) {
		stacks->is_out_of_memory = true;
		return UINT32_MAX;
	}
	stacks->rows[stacks->count] = (struct class_stack){
		.stack = stack, .class = class, .next = stacks->first[class],
	};
	stacks->first[class] = ++stacks->count;
	if (!stacks->place_of[stack])
		stacks->place_of[stack] = stacks->count;
	return stacks->count - 1;
}

uint32_t class_stacks_get(struct class_stacks *stacks, uint32_t class, uint32_t stack)
{
	const uint32_t place = stacks->place_of[stack];
	uint32_t row;

	if (!place)
		return append(stacks, class, stack);
	if (stacks->rows[place - 1].class == class)
		return place - 1;
	row = id_map_get(&stacks->others, key_of(class, stack));
	return row == ID_MAP_NONE ? append(stacks, class, stack) : row;
}

void class_chains_init(struct class_chains *chains, struct class_stacks *stacks)
{
	*chains = (struct class_chains){ .stacks = stacks, .count = 1 };
	chains->spot_of = calloc(stacks->trie->nodes.count, sizeof(*chains->spot_of));
	chains->is_out_of_memory = !chains->spot_of;
}

void class_chains_finish(struct class_chains *chains)
{
	free(chains->spots);
	free(chains->spot_of);
	free(chains->missing);
	memset(chains, 0, sizeof(*chains));
}

/* @parent 0: a root. */
static uint32_t append_spot(struct class_chains *chains, uint32_t parent, uint32_t node)
{
	const uint32_t id = chains->count;
	struct class_spot *spot;

	if (!reserve((void **)&chains->spots, id, &chains->capacity, sizeof(*chains->spots))) {
		chains->is_out_of_memory = true;
		return 0;
	}
	spot = &chains->spots[id];
	*spot = (struct class_spot){ .node = node, .parent = parent ? parent : id };
	if (parent) {
		spot->sibling = chains->spots[parent].child;
		chains->spots[parent].child = id;
	}
	chains->spot_of[node] = id;
	return chains->count++;
}

uint32_t class_chains_begin(struct class_chains *chains)
{
	chains->root = chains->is_out_of_memory ? 0 : append_spot(chains, 0, STACK_NODE_ROOT);
	return chains->root;
}

uint32_t class_chains_find(struct class_chains *chains, uint32_t row)
{
	const struct stack_trie *trie = chains->stacks->trie;
	uint32_t node = trie->stacks.node[chains->stacks->rows[row].stack], count = 0, spot;

	for (; chains->spot_of[node] < chains->root; node = trie->nodes.parent[node]) {
		if (!reserve((void **)&chains->missing, count, &chains->missing_capacity,
			     sizeof(*chains->missing))) {
			chains->is_out_of_memory = true;
			return 0;
		}
		chains->missing[count++] = node;
	}
	spot = chains->spot_of[node];
	while (count-- > 0 && spot)
		spot = append_spot(chains, spot, chains->missing[count]);
	return spot;
}

void class_chains_put(struct class_chains *chains, uint32_t spot, uint32_t row)
{
	struct class_stack *stack = &chains->stacks->rows[row];

	stack->sibling = chains->spots[spot].leaf;
	chains->spots[spot].leaf = row + 1;
	class_load_add(&chains->spots[spot].load, &stack->load);
}

void class_chains_sum(struct class_chains *chains)
{
	for (uint32_t s = chains->count - 1; s > chains->root; s--)
		class_load_add(&chains->spots[chains->spots[s].parent].load,
			       &chains->spots[s].load);
}
