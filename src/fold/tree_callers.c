/* tree_callers.c - builds a callers tree: paths from the leaf outwards.
 *
 * Problem: chains that end alike share nothing in the trie. Walking all of them to their outermost
 * frame makes millions of paths, nearly all of them below what is shown.
 *
 * Idea: make no path before its weight is known. Samples wait at the path that they have reached,
 * with the caller chain that they continue with (a member). Breadth first, a path that reaches the
 * limit sends its members one frame outwards, which makes its children; a path below the limit is
 * not expanded.
 *
 *   members of f:  (main>a) 3   (main>b) 2   (main>c) 4       children:  a 3   b 2   c 4
 *
 * The members of a path are adjacent; going outwards sorts them by child in place. A member is
 * between two frames, or still inside a frame, at a function that was inlined there.
 */
#include <stdlib.h>
#include <string.h>

#include "fold/tree_fold.h"

static uint32_t symbol_of(struct tree_fold *fold, uint32_t node)
{
	const uint32_t symbol =
		symbol_names_of_frame(fold->names, fold->trie, fold->trie->nodes.frame[node]);

	if (symbol == ID_SET_NONE)
		fold->is_out_of_memory = true;
	return symbol;
}

/* Adds the sample of @stack to @from->path. Either all members of a path have a place, in a frame
 * of their own stack, as its function was inlined, or none has. */
static void add_member(struct tree_fold *fold, const struct tree_member *from, uint32_t stack,
		       const struct class_load *load)
{
	const bool has_place = from->place.frame != ID_SET_NONE;
	const uint64_t key = (uint64_t)from->path << 32 | (has_place ? stack : from->node);
	uint32_t id = id_map_get(&fold->by_member, key);

	if (id == ID_MAP_NONE) {
		if (fold->member_count == fold->member_capacity) {
			const uint32_t capacity =
				fold->member_capacity ? fold->member_capacity * 2 : 1024;
			struct tree_member *bigger =
				realloc(fold->members, capacity * sizeof(*bigger));

			if (!bigger) {
				fold->is_out_of_memory = true;
				return;
			}
			fold->members = bigger;
			fold->member_capacity = capacity;
		}
		id = fold->member_count;
		if (id_map_put(&fold->by_member, key, id)) {
			fold->is_out_of_memory = true;
			return;
		}
		fold->members[fold->member_count++] = *from;
	}
	class_load_add(&fold->members[id].load, load);
}

/* Finds the innermost frame that all parts hold for, its symbol and its caller chain. False: there
 * is none. */
static bool find_first(struct tree_fold *fold, const struct tree_class *class, uint32_t stack,
		       uint32_t *symbol, struct tree_member *out)
{
	const struct stack_nodes *nodes = &fold->trie->nodes;

	*out = (struct tree_member){
		.node = fold->trie->stacks.node[stack],
		.place = { .frame = fold->trie->stacks.frame[stack], .is_leaf = true },
	};
	while (fold->filter.all &&
	       !fold_filter_matches(&fold->filter, class->of_sample, *symbol)) {
		if (out->node == STACK_NODE_ROOT)
			return false;
		*symbol = symbol_of(fold, out->node);
		if (*symbol == ID_SET_NONE)
			return false;
		out->place.frame = nodes->frame[out->node];
		out->place.is_leaf = false;
		out->node = nodes->parent[out->node];
	}
	return true;
}

/* The next function of the frame at @place, which is not passed yet. */
static uint32_t step_outwards(struct tree_fold *fold, struct tree_place *place)
{
	const struct inline_chain *chain = tree_inlined_at(fold, place->frame, place->is_leaf);
	const uint32_t frame = place->frame;

	if (chain && place->level < chain->count)
		return tree_inlined_function(fold, chain, place->level++);
	place->frame = ID_SET_NONE;
	return symbol_pairs_of(fold->pairs,
			       symbol_names_of_frame(fold->names, fold->trie, frame));
}

static void add_stack(struct tree_fold *fold, const struct class_stack *from)
{
	const struct tree_class *class = &fold->classes[from->class];
	const struct class_load *load = &from->load;
	const uint32_t stack = from->stack;
	uint32_t path, symbol = symbol_names_of_frame(fold->names, fold->trie,
						      fold->trie->stacks.frame[stack]);
	struct tree_member first;
	struct tree_place leaf;

	if (!find_first(fold, class, stack, &symbol, &first))
		return;
	leaf = first.place;
	if (fold->is_rooted)
		first.place.level = UINT32_MAX;	/* at the symbol itself */
	path = first.path = tree_fold_path(fold, class->root, step_outwards(fold, &first.place));
	if (path == UINT32_MAX)
		return;
	tree_inlined_weigh(fold, stack, load->now.weight + load->base.weight);
	tree_sum_add_total(&fold->sums[TREE_FOLD_TOP], load);
	if (class->root != TREE_FOLD_TOP)
		tree_sum_add_total(&fold->sums[class->root], load);
	tree_sum_add_total(&fold->sums[path], load);
	if (leaf.is_leaf && fold->is_rooted && tree_inlined_at(fold, leaf.frame, true))
		fold->sums[path].inlined_weight += load->now.weight;
	else if (leaf.is_leaf)
		tree_sum_add_self(&fold->sums[path], load);
	add_member(fold, &first, stack, load);
}

/* Moves @member one shown function outwards and returns its symbol; ID_SET_NONE: there is none. */
static uint32_t next_caller(struct tree_fold *fold, struct tree_member *member)
{
	const struct stack_nodes *nodes = &fold->trie->nodes;

	while (member->place.frame == ID_SET_NONE) {
		uint32_t symbol;

		if (member->node == STACK_NODE_ROOT || fold->is_out_of_memory)
			return ID_SET_NONE;
		symbol = symbol_of(fold, member->node);
		if (symbol != ID_SET_NONE &&
		    (!fold->filter.all || fold_filter_shows(&fold->filter, symbol)))
			member->place = (struct tree_place){ .frame = nodes->frame[member->node] };
		member->node = nodes->parent[member->node];
	}
	return step_outwards(fold, &member->place);
}

/* Members by path: those of path p are members[first[p]] .. members[first[p] + count[p] - 1]. */
struct places {
	uint32_t *first, *count;
	uint32_t capacity;
	struct tree_member *sorted;	/* scratch for sorting, as many as there are members */
};

static bool reserve_places(struct tree_fold *fold, struct places *places)
{
	uint32_t *first, *count;

	if (fold->count <= places->capacity)
		return true;
	first = realloc(places->first, fold->capacity * sizeof(*first));
	if (first)
		places->first = first;
	count = realloc(places->count, fold->capacity * sizeof(*count));
	if (count)
		places->count = count;
	if (!first || !count) {
		fold->is_out_of_memory = true;
		return false;
	}
	memset(count + places->capacity, 0,
	       (fold->capacity - places->capacity) * sizeof(*count));
	places->capacity = fold->capacity;
	return true;
}

/* Sorts members [@first, @end) by path, those of none (UINT32_MAX) last; all others are paths from
 * @from on. */
static void sort_members(struct tree_fold *fold, struct places *places, uint32_t first,
			 uint32_t end, uint32_t from)
{
	uint32_t at = first;

	if (!reserve_places(fold, places))
		return;
	for (uint32_t m = first; m < end; m++)
		if (fold->members[m].path != UINT32_MAX)
			places->count[fold->members[m].path]++;
	for (uint32_t p = from; p < fold->count; p++) {
		places->first[p] = at;
		at += places->count[p];
		places->count[p] = 0;
	}
	for (uint32_t m = first; m < end; m++) {
		const uint32_t path = fold->members[m].path;

		if (path != UINT32_MAX)
			places->sorted[places->first[path] + places->count[path]++] =
				fold->members[m];
	}
	if (at > first)
		memcpy(&fold->members[first], &places->sorted[first],
		       (at - first) * sizeof(*fold->members));
}

/* Makes the children of @path. */
static void expand(struct tree_fold *fold, struct places *places, uint32_t path)
{
	const uint32_t first = places->first[path], end = first + places->count[path];
	const uint32_t from = fold->count;

	for (uint32_t m = first; m < end && tree_fold_goes_on(fold); m++) {
		struct tree_member *member = &fold->members[m];
		const uint32_t symbol = next_caller(fold, member);

		member->path = UINT32_MAX;
		if (symbol == ID_SET_NONE)
			continue;
		member->path = tree_fold_path(fold, path, symbol);
		if (member->path != UINT32_MAX)
			tree_sum_add_total(&fold->sums[member->path], &member->load);
	}
	if (!fold->is_out_of_memory && !fold->is_stopped)
		sort_members(fold, places, first, end, from);
}

/* There are too many paths: adds the weight of @path's children without making them. */
static void hide_callers(struct tree_fold *fold, const struct places *places, uint32_t path)
{
	const uint32_t first = places->first[path], end = first + places->count[path];

	for (uint32_t m = first; m < end && tree_fold_goes_on(fold); m++)
		if (next_caller(fold, &fold->members[m]) != ID_SET_NONE)
			fold->sums[path].hidden_weight += fold->members[m].load.now.weight;
}

void tree_callers_sum(struct tree_fold *fold)
{
	struct places places = { .sorted = NULL };
	uint32_t expanded = 0;
	double limit;

	for (uint32_t i = 0; i < fold->stacks.count && tree_fold_goes_on(fold); i++)
		add_stack(fold, &fold->stacks.rows[i]);
	limit = tree_fold_limit(fold);
	places.sorted = malloc((fold->member_count + 1) * sizeof(*places.sorted));
	if (!places.sorted)
		fold->is_out_of_memory = true;
	else
		sort_members(fold, &places, 0, fold->member_count, TREE_FOLD_TOP);
	for (uint32_t p = 1; p < fold->count && tree_fold_goes_on(fold); p++) {
		if (tree_fold_weight(fold, &fold->sums[p]) < limit || !places.count[p])
			continue;
		if (limit < 0 || expanded++ < TREE_FOLD_PATHS)
			expand(fold, &places, p);
		else
			hide_callers(fold, &places, p);
	}
	free(places.first);
	free(places.count);
	free(places.sorted);
}
