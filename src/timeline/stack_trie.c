/* stack_trie.c - three interned row sets that refer to each other by number.
 *
 * Rows live in parallel arrays (a fold reads one column of a million rows), the id_sets find them.
 * Rejected: child lists per node (pointers cost more than the rows themselves).
 */
#include "timeline/stack_trie.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 1024

static uint64_t frame_hash(const void *owner, uint32_t id)
{
	const struct stack_frames *frames = owner;

	return id_set_mix(frames->address[id], frames->dso[id]);
}

static uint64_t node_hash(const void *owner, uint32_t id)
{
	const struct stack_nodes *nodes = owner;

	return id_set_mix_ids(nodes->parent[id], nodes->frame[id]);
}

static uint64_t stack_hash(const void *owner, uint32_t id)
{
	const struct stack_leaves *stacks = owner;

	return id_set_mix_ids(stacks->node[id], stacks->frame[id]);
}

static int grow_column(void *column, uint32_t capacity, size_t element_bytes)
{
	void **array = column;
	void *bigger = realloc(*array, capacity * element_bytes);

	if (!bigger)
		return -ENOMEM;
	*array = bigger;
	return 0;
}

static uint32_t next_capacity(uint32_t capacity)
{
	return capacity ? capacity * 2 : FIRST_CAPACITY;
}

static int grow_frames(struct stack_frames *frames)
{
	uint32_t capacity = next_capacity(frames->capacity);

	if (grow_column(&frames->address, capacity, sizeof(*frames->address)) ||
	    grow_column(&frames->dso, capacity, sizeof(*frames->dso)) ||
	    grow_column(&frames->symbol, capacity, sizeof(*frames->symbol)))
		return -ENOMEM;
	frames->capacity = capacity;
	return 0;
}

static int grow_nodes(struct stack_nodes *nodes)
{
	uint32_t capacity = next_capacity(nodes->capacity);

	if (grow_column(&nodes->parent, capacity, sizeof(*nodes->parent)) ||
	    grow_column(&nodes->frame, capacity, sizeof(*nodes->frame)))
		return -ENOMEM;
	nodes->capacity = capacity;
	return 0;
}

static int grow_stacks(struct stack_leaves *stacks)
{
	uint32_t capacity = next_capacity(stacks->capacity);

	if (grow_column(&stacks->node, capacity, sizeof(*stacks->node)) ||
	    grow_column(&stacks->frame, capacity, sizeof(*stacks->frame)))
		return -ENOMEM;
	stacks->capacity = capacity;
	return 0;
}

int stack_trie_init(struct stack_trie *trie)
{
	struct stack_nodes *nodes = &trie->nodes;

	memset(trie, 0, sizeof(*trie));
	if (grow_nodes(nodes) || id_set_reserve(&nodes->index, node_hash, nodes)) {
		stack_trie_finish(trie);
		return -ENOMEM;
	}
	nodes->parent[STACK_NODE_ROOT] = STACK_NODE_ROOT;
	nodes->frame[STACK_NODE_ROOT] = ID_SET_NONE;
	nodes->count = 1;
	id_set_add(&nodes->index, node_hash(nodes, STACK_NODE_ROOT), STACK_NODE_ROOT);
	return 0;
}

void stack_trie_finish(struct stack_trie *trie)
{
	free(trie->frames.address);
	free(trie->frames.dso);
	free(trie->frames.symbol);
	free(trie->nodes.parent);
	free(trie->nodes.frame);
	free(trie->stacks.node);
	free(trie->stacks.frame);
	id_set_finish(&trie->frames.index);
	id_set_finish(&trie->nodes.index);
	id_set_finish(&trie->stacks.index);
	memset(trie, 0, sizeof(*trie));
}

uint32_t stack_trie_frame(struct stack_trie *trie, uint32_t dso, uint64_t address)
{
	struct stack_frames *frames = &trie->frames;
	const uint64_t hash = id_set_mix(address, dso);
	uint32_t slot, id;

	if (id_set_reserve(&frames->index, frame_hash, frames) ||
	    (frames->count == frames->capacity && grow_frames(frames)))
		return ID_SET_NONE;
	for (slot = id_set_first(&frames->index, hash);
	     (id = id_set_at(&frames->index, &slot, hash)) != ID_SET_NONE;
	     slot = id_set_next(&frames->index, slot))
		if (frames->address[id] == address && frames->dso[id] == dso)
			return id;
	id = frames->count++;
	frames->address[id] = address;
	frames->dso[id] = dso;
	frames->symbol[id] = ID_SET_NONE;
	id_set_add(&frames->index, hash, id);
	return id;
}

uint32_t stack_trie_child(struct stack_trie *trie, uint32_t parent, uint32_t frame)
{
	struct stack_nodes *nodes = &trie->nodes;
	const uint64_t hash = id_set_mix_ids(parent, frame);
	uint32_t slot, id;

	if (id_set_reserve(&nodes->index, node_hash, nodes) ||
	    (nodes->count == nodes->capacity && grow_nodes(nodes)))
		return ID_SET_NONE;
	for (slot = id_set_first(&nodes->index, hash);
	     (id = id_set_at(&nodes->index, &slot, hash)) != ID_SET_NONE;
	     slot = id_set_next(&nodes->index, slot))
		if (nodes->parent[id] == parent && nodes->frame[id] == frame)
			return id;
	id = nodes->count++;
	nodes->parent[id] = parent;
	nodes->frame[id] = frame;
	id_set_add(&nodes->index, hash, id);
	return id;
}

uint32_t stack_trie_stack(struct stack_trie *trie, uint32_t node, uint32_t leaf_frame)
{
	struct stack_leaves *stacks = &trie->stacks;
	const uint64_t hash = id_set_mix_ids(node, leaf_frame);
	uint32_t slot, id;

	if (id_set_reserve(&stacks->index, stack_hash, stacks) ||
	    (stacks->count == stacks->capacity && grow_stacks(stacks)))
		return ID_SET_NONE;
	for (slot = id_set_first(&stacks->index, hash);
	     (id = id_set_at(&stacks->index, &slot, hash)) != ID_SET_NONE;
	     slot = id_set_next(&stacks->index, slot))
		if (stacks->node[id] == node && stacks->frame[id] == leaf_frame)
			return id;
	id = stacks->count++;
	stacks->node[id] = node;
	stacks->frame[id] = leaf_frame;
	id_set_add(&stacks->index, hash, id);
	return id;
}

/* Where each old node and frame goes: first a mark (not ID_SET_NONE), then the new number. */
struct renumbering {
	uint32_t *node, *frame;
};

static void mark_used(const struct stack_trie *trie, const unsigned char *used,
		      struct renumbering *to)
{
	const struct stack_nodes *nodes = &trie->nodes;

	memset(to->node, 0xff, nodes->count * sizeof(*to->node));
	memset(to->frame, 0xff, trie->frames.count * sizeof(*to->frame));
	to->node[STACK_NODE_ROOT] = 0;
	for (uint32_t i = 0; i < trie->stacks.count; i++) {
		if (!used[i])
			continue;
		to->frame[trie->stacks.frame[i]] = 0;
		for (uint32_t n = trie->stacks.node[i]; to->node[n]; n = nodes->parent[n]) {
			to->node[n] = 0;
			to->frame[nodes->frame[n]] = 0;
		}
	}
}

static void move_rows(struct stack_trie *trie, const unsigned char *used,
		      const struct renumbering *to, uint32_t *renumbered)
{
	struct stack_frames *frames = &trie->frames;
	struct stack_nodes *nodes = &trie->nodes;
	struct stack_leaves *stacks = &trie->stacks;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < frames->count; i++) {
		if (to->frame[i] == ID_SET_NONE)
			continue;
		frames->address[kept] = frames->address[i];
		frames->dso[kept] = frames->dso[i];
		frames->symbol[kept] = frames->symbol[i];
		to->frame[i] = kept++;
	}
	frames->count = kept;
	frames->named = 0;
	kept = 1;
	for (uint32_t i = 1; i < nodes->count; i++) {	/* parents first: theirs is known already */
		if (to->node[i] == ID_SET_NONE)
			continue;
		nodes->parent[kept] = to->node[nodes->parent[i]];
		nodes->frame[kept] = to->frame[nodes->frame[i]];
		to->node[i] = kept++;
	}
	nodes->count = kept;
	kept = 0;
	for (uint32_t i = 0; i < stacks->count; i++) {
		renumbered[i] = ID_SET_NONE;
		if (!used[i])
			continue;
		stacks->node[kept] = to->node[stacks->node[i]];
		stacks->frame[kept] = to->frame[stacks->frame[i]];
		renumbered[i] = kept++;
	}
	stacks->count = kept;
}

int stack_trie_compact(struct stack_trie *trie, const unsigned char *used, uint32_t *renumbered)
{
	struct renumbering to = {
		.node = malloc(trie->nodes.count * sizeof(*to.node)),
		.frame = malloc((trie->frames.count + 1) * sizeof(*to.frame)),
	};
	int err = -ENOMEM;

	if (to.node && to.frame) {
		trie->compactions++;
		mark_used(trie, used, &to);
		move_rows(trie, used, &to, renumbered);
		err = id_set_rebuild(&trie->frames.index, trie->frames.count, frame_hash,
				     &trie->frames);
		if (!err)
			err = id_set_rebuild(&trie->nodes.index, trie->nodes.count, node_hash,
					     &trie->nodes);
		if (!err)
			err = id_set_rebuild(&trie->stacks.index, trie->stacks.count, stack_hash,
					     &trie->stacks);
	}
	free(to.node);
	free(to.frame);
	return err;
}

size_t stack_trie_bytes(const struct stack_trie *trie)
{
	return trie->frames.count * (sizeof(uint64_t) + 2 * sizeof(uint32_t)) +
	       trie->nodes.count * 2 * sizeof(uint32_t) +
	       trie->stacks.count * 2 * sizeof(uint32_t) + id_set_bytes(&trie->frames.index) +
	       id_set_bytes(&trie->nodes.index) + id_set_bytes(&trie->stacks.index);
}
