/* tree_callers.c - who calls it: paths from the inside out.
 *
 * Problem: chains that end alike share nothing in the trie. Walking all of them to their outermost
 * frame makes millions of paths, nearly all of them below what is shown.
 *
 * Idea: no path is looked for before it is known to be worth it. Samples wait at the path that they
 * have come to, each with the caller chain that it goes on from (a member). Breadth first, a path
 * that reaches the limit sends its members one frame outwards, which makes its children; of one
 * below the limit nothing more is asked.
 *
 *   members of f:  (main>a) 3   (main>b) 2   (main>c) 4       children:  a 3   b 2   c 4
 *
 * The members of a path lie side by side; going outwards sorts them by child in place.
 */
#include <stdlib.h>
#include <string.h>

#include "model/tree_fold.h"

static uint32_t symbol_of(struct tree_fold *fold, uint32_t node)
{
	const uint32_t symbol =
		symbol_names_of_frame(fold->names, fold->trie, fold->trie->nodes.frame[node]);

	if (symbol == ID_SET_NONE)
		fold->is_out_of_memory = true;
	return symbol;
}

/* Notes the sample at @path, to go on from the caller chain @node. */
static void add_member(struct tree_fold *fold, uint32_t path, uint32_t node,
		       const struct tree_sum *sample)
{
	const uint64_t key = (uint64_t)path << 32 | node;
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
		fold->members[fold->member_count++] =
			(struct tree_member){ .path = path, .node = node };
	}
	fold->members[id].samples += sample->total_samples;
	fold->members[id].weight += sample->total_weight;
}

/* The symbol of the innermost frame that all parts hold for, and the chain of its callers. False:
 * there is none. */
static bool find_first(struct tree_fold *fold, const struct tree_class *class, uint32_t stack,
		       uint32_t *symbol, uint32_t *node)
{
	const struct stack_nodes *nodes = &fold->trie->nodes;

	*node = fold->trie->stacks.node[stack];
	while (fold->filter.all &&
	       !fold_filter_matches(&fold->filter, class->of_sample, *symbol)) {
		if (*node == STACK_NODE_ROOT)
			return false;
		*symbol = symbol_of(fold, *node);
		if (*symbol == ID_SET_NONE)
			return false;
		*node = nodes->parent[*node];
	}
	return true;
}

static void add_total(struct tree_sum *sum, uint64_t samples, double weight)
{
	sum->total_samples += samples;
	sum->total_weight += weight;
}

void tree_callers_add(struct tree_fold *fold, const struct tree_class *class, uint32_t stack,
		      const struct tree_sum *sample)
{
	uint32_t symbol = sample->symbol, node, path;

	if (!find_first(fold, class, stack, &symbol, &node))
		return;
	path = tree_fold_path(fold, class->root, symbol);
	if (path == UINT32_MAX)
		return;
	add_total(&fold->sums[TREE_FOLD_TOP], sample->total_samples, sample->total_weight);
	if (class->root != TREE_FOLD_TOP)
		add_total(&fold->sums[class->root], sample->total_samples, sample->total_weight);
	add_total(&fold->sums[path], sample->total_samples, sample->total_weight);
	if (node == fold->trie->stacks.node[stack]) {	/* the leaf itself */
		fold->sums[path].self_samples += sample->total_samples;
		fold->sums[path].self_weight += sample->total_weight;
	}
	add_member(fold, path, node, sample);
}

/* Takes @member one shown frame outwards. Its symbol, or ID_SET_NONE: there is none. */
static uint32_t next_caller(struct tree_fold *fold, struct tree_member *member)
{
	while (member->node != STACK_NODE_ROOT && !fold->is_out_of_memory) {
		const uint32_t symbol = symbol_of(fold, member->node);

		member->node = fold->trie->nodes.parent[member->node];
		if (symbol != ID_SET_NONE &&
		    (!fold->filter.all || fold_filter_shows(&fold->filter, symbol)))
			return symbol;
	}
	return ID_SET_NONE;
}

/* Members by path: those of path p are members[first[p]] .. members[first[p] + count[p] - 1]. */
struct places {
	uint32_t *first, *count;
	uint32_t capacity;
	struct tree_member *sorted;	/* as many as there are members: room for sorting */
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

	for (uint32_t m = first; m < end && !fold->is_out_of_memory; m++) {
		struct tree_member *member = &fold->members[m];
		const uint32_t symbol = next_caller(fold, member);

		member->path = UINT32_MAX;
		if (symbol == ID_SET_NONE)
			continue;
		member->path = tree_fold_path(fold, path, symbol);
		if (member->path != UINT32_MAX)
			add_total(&fold->sums[member->path], member->samples, member->weight);
	}
	if (!fold->is_out_of_memory)
		sort_members(fold, places, first, end, from);
}

/* There are too many paths: what @path's children weigh, without making them. */
static void hide_callers(struct tree_fold *fold, const struct places *places, uint32_t path)
{
	const uint32_t first = places->first[path], end = first + places->count[path];

	for (uint32_t m = first; m < end; m++)
		if (next_caller(fold, &fold->members[m]) != ID_SET_NONE)
			fold->sums[path].hidden_weight += fold->members[m].weight;
}

void tree_callers_sum(struct tree_fold *fold)
{
	const double limit = tree_fold_limit(fold);
	struct places places = {
		.sorted = malloc((fold->member_count + 1) * sizeof(*places.sorted)),
	};
	uint32_t expanded = 0;

	if (!places.sorted)
		fold->is_out_of_memory = true;
	else
		sort_members(fold, &places, 0, fold->member_count, TREE_FOLD_TOP);
	for (uint32_t p = 1; p < fold->count && !fold->is_out_of_memory; p++) {
		if (fold->sums[p].total_weight < limit || !places.count[p])
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
