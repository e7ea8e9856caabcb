/* tree_callees.c - builds a callees tree: paths from the outermost frame inwards.
 *
 * Problem: a window has more caller chains than a tree shows paths by a factor of hundreds, and to
 * find the path of a chain costs a look-up for each of its frames.
 *
 * Idea: sum the chains first (fold/class_stacks.h), so that the load below a spot is known before
 * its path is. Breadth first, a path that reaches the limit sends its members one frame inwards,
 * which makes its children; a path below the limit is not expanded. A member is a spot, which
 * continues with all its callees, or a position inside a frame, at a function inlined there.
 *
 * Frames hidden by the filter stay at their caller's path, and so do, with a FILTER_SYMBOL, the
 * frames before it.
 */
#include <stdlib.h>
#include <string.h>

#include "fold/tree_fold.h"

/* A spot or leaf from which a path continues inwards. */
struct member {
	uint32_t next;		/* next member of the same path, + 1; 0: none */
	uint32_t id;		/* spot, or row of fold->stacks */
	bool is_leaf;		/* `id` is a row of fold->stacks */
	uint32_t levels;	/* functions inlined in its frame that still follow */
};

struct callees {
	struct tree_fold *fold;
	struct class_chains chains;	/* owned, like the arrays below */
	uint32_t *waiting;	/* spots still to be visited */
	uint32_t waiting_capacity;
	struct member *members;
	uint32_t member_count, member_capacity;
	uint32_t *first_member;	/* by path: its first member, + 1; 0: none */
	uint32_t path_capacity;
};

/* Room for one more of @bytes each. False: out of memory, noted. */
static bool reserve(struct tree_fold *fold, void **rows, uint32_t count, uint32_t *capacity,
		    size_t bytes)
{
	const uint32_t more = *capacity ? *capacity * 2 : 1024;
	void *bigger;

	if (count < *capacity)
		return true;
	bigger = realloc(*rows, more * bytes);
	if (!bigger) {
		fold->is_out_of_memory = true;
		return false;
	}
	*rows = bigger;
	*capacity = more;
	return true;
}

/* Puts @id behind @count others. False: out of memory, noted. */
static bool push(struct callees *callees, uint32_t count, uint32_t id)
{
	if (!reserve(callees->fold, (void **)&callees->waiting, count, &callees->waiting_capacity,
		     sizeof(*callees->waiting)))
		return false;
	callees->waiting[count] = id;
	return true;
}

/* ID_SET_NONE: out of memory, noted. */
static uint32_t symbol_of(struct tree_fold *fold, uint32_t frame)
{
	const uint32_t symbol = symbol_names_of_frame(fold->names, fold->trie, frame);

	fold->is_out_of_memory |= symbol == ID_SET_NONE;
	return symbol;
}

static bool is_shown(struct tree_fold *fold, uint32_t symbol)
{
	return !fold->filter.all || fold_filter_shows(&fold->filter, symbol);
}

static bool matches(struct tree_fold *fold, const struct tree_class *class, uint32_t symbol)
{
	return fold_filter_shows(&fold->filter, symbol) &&
	       fold_filter_matches(&fold->filter, class->of_sample, symbol);
}

/* Sets is_matched of the spots from @from on, which are new; parents come first. */
static void match_spots(struct callees *callees, const struct tree_class *class, uint32_t from)
{
	struct tree_fold *fold = callees->fold;

	for (uint32_t s = from; s < callees->chains.count; s++) {
		struct class_spot *spot = &callees->chains.spots[s];
		uint32_t symbol;

		spot->is_matched = callees->chains.spots[spot->parent].is_matched;
		if (spot->is_matched)
			continue;
		symbol = symbol_of(fold, fold->trie->nodes.frame[spot->node]);
		spot->is_matched = symbol != ID_SET_NONE && matches(fold, class, symbol);
	}
}

/* Adds a stack's load to its spot, if it passes the filter. */
static void add_stack(struct callees *callees, const struct tree_class *class, uint32_t row)
{
	struct tree_fold *fold = callees->fold;
	const struct class_stack *stack = &fold->stacks.rows[row];
	const uint32_t known = callees->chains.count;
	const uint32_t spot = class_chains_find(&callees->chains, row);
	const uint32_t symbol = symbol_of(fold, fold->trie->stacks.frame[stack->stack]);

	if (!spot || symbol == ID_SET_NONE) {
		fold->is_out_of_memory = true;
		return;
	}
	match_spots(callees, class, known);
	if (!callees->chains.spots[spot].is_matched && !matches(fold, class, symbol))
		return;
	tree_inlined_weigh(fold, stack->stack, stack->load.weight + stack->load.base_weight);
	class_chains_put(&callees->chains, spot, row);
}

/* Adds a member to @path. */
static void add_member(struct callees *callees, uint32_t path, struct member member)
{
	struct tree_fold *fold = callees->fold;
	const uint32_t known = callees->path_capacity;

	while (path >= callees->path_capacity) {
		if (!reserve(fold, (void **)&callees->first_member, callees->path_capacity,
			     &callees->path_capacity, sizeof(*callees->first_member)))
			return;
	}
	if (callees->path_capacity > known)
		memset(callees->first_member + known, 0,
		       (callees->path_capacity - known) * sizeof(*callees->first_member));
	if (!reserve(fold, (void **)&callees->members, callees->member_count,
		     &callees->member_capacity, sizeof(member)))
		return;
	member.next = callees->first_member[path];
	callees->members[callees->member_count] = member;
	callees->first_member[path] = ++callees->member_count;
}

/* The spots of a class, and its root as what its paths go on from. */
static void start_class(struct callees *callees, uint32_t number)
{
	struct tree_fold *fold = callees->fold;
	const struct tree_class *class = &fold->classes[number];
	const uint32_t root = class_chains_begin(&callees->chains);
	const struct class_load *load;

	if (!root) {
		fold->is_out_of_memory = true;
		return;
	}
	callees->chains.spots[root].is_matched = !fold->filter.all;
	for (uint32_t at = class_stacks_first(&fold->stacks, number); at && tree_fold_goes_on(fold);
	     at = fold->stacks.rows[at - 1].next)
		add_stack(callees, class, at - 1);
	if (!tree_fold_goes_on(fold))
		return;
	class_chains_sum(&callees->chains);
	load = &callees->chains.spots[root].load;
	tree_sum_add_total(&fold->sums[TREE_FOLD_TOP], load);
	if (class->root != TREE_FOLD_TOP)
		tree_sum_add_total(&fold->sums[class->root], load);
	add_member(callees, class->root, (struct member){ .id = root });
}

static const struct class_load *load_of(const struct callees *callees, const struct member *member)
{
	return member->is_leaf ? &callees->fold->stacks.rows[member->id].load
			       : &callees->chains.spots[member->id].load;
}

/* @member goes from @path to its child @symbol. */
static void step(struct callees *callees, uint32_t path, uint32_t symbol, struct member member)
{
	struct tree_fold *fold = callees->fold;
	const struct class_load *load = load_of(callees, &member);
	uint32_t child;

	if (!load->samples && !load->base_samples)	/* the filter left nothing of it */
		return;
	child = tree_fold_path(fold, path, symbol);
	if (child == UINT32_MAX)
		return;
	tree_sum_add_total(&fold->sums[child], load);
	if (member.is_leaf && member.levels && !tree_inlined_is(symbol))
		fold->sums[child].inlined_weight += load->weight;
	if (member.is_leaf && !member.levels)
		tree_sum_add_self(&fold->sums[child], load);
	else
		add_member(callees, child, member);
}

static uint32_t frame_of(const struct callees *callees, const struct member *member)
{
	const struct stack_trie *trie = callees->fold->trie;

	return member->is_leaf ? trie->stacks.frame[callees->fold->stacks.rows[member->id].stack]
			       : trie->nodes.frame[callees->chains.spots[member->id].node];
}

/* Goes on from @path to the function of @member's frame. False: that is not shown. */
static bool enter(struct callees *callees, uint32_t path, struct member member)
{
	struct tree_fold *fold = callees->fold;
	const uint32_t frame = frame_of(callees, &member), symbol = symbol_of(fold, frame);
	const struct inline_chain *chain;

	if (symbol == ID_SET_NONE || !is_shown(fold, symbol) ||
	    (fold->is_rooted && !member.is_leaf && !callees->chains.spots[member.id].is_matched))
		return false;
	chain = tree_inlined_at(fold, frame, member.is_leaf);
	member.levels = chain ? chain->count : 0;
	step(callees, path, symbol_twins_of(fold->twins, symbol), member);
	return true;
}

/* All that the spot calls; of what is not shown, what that calls. */
static void enter_callees(struct callees *callees, uint32_t path, uint32_t spot)
{
	const struct class_spot *spots = callees->chains.spots;
	struct tree_fold *fold = callees->fold;
	uint32_t count = 0;

	do {
		for (uint32_t at = spots[spot].leaf; at; at = fold->stacks.rows[at - 1].sibling)
			enter(callees, path, (struct member){ .id = at - 1, .is_leaf = true });
		for (uint32_t at = spots[spot].child; at; at = spots[at].sibling)
			if (!enter(callees, path, (struct member){ .id = at }) &&
			    !push(callees, count++, at))
				return;
		spot = count ? callees->waiting[--count] : 0;
	} while (spot && tree_fold_goes_on(fold));
}

static void expand(struct callees *callees, uint32_t path)
{
	struct tree_fold *fold = callees->fold;

	for (uint32_t at = callees->first_member[path]; at && tree_fold_goes_on(fold);
	     at = callees->members[at - 1].next) {
		struct member member = callees->members[at - 1];
		const struct inline_chain *chain;

		if (!member.levels) {
			enter_callees(callees, path, member.id);
			continue;
		}
		chain = tree_inlined_at(fold, frame_of(callees, &member), member.is_leaf);
		member.levels--;
		step(callees, path, tree_inlined_function(fold, chain, member.levels), member);
	}
}

void tree_callees_sum(struct tree_fold *fold)
{
	struct callees callees = { .fold = fold };
	double limit;

	class_chains_init(&callees.chains, &fold->stacks);
	for (uint32_t i = 0; i < fold->class_count && tree_fold_goes_on(fold); i++)
		start_class(&callees, i);
	limit = tree_fold_limit(fold);
	for (uint32_t p = TREE_FOLD_TOP; p < fold->count && p < callees.path_capacity &&
					 tree_fold_goes_on(fold); p++)
		if (p == TREE_FOLD_TOP || tree_fold_weight(fold, &fold->sums[p]) >= limit)
			expand(&callees, p);
	class_chains_finish(&callees.chains);
	free(callees.waiting);
	free(callees.members);
	free(callees.first_member);
}
