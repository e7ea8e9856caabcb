/* tree_callees.c - builds a callees tree: paths from the outermost frame inwards.
 *
 * Problem: a window has more caller chains than a tree shows paths by a factor of hundreds, and to
 * find the path of a chain costs a look-up for each of its frames.
 *
 * Idea: sum the chains of each class first, so that the load below a spot, one chain of a class, is
 * known before its path is. Breadth first, a path that reaches the limit sends its members one
 * frame inwards, which makes its children; a path below the limit is not expanded. A member is a
 * spot, which continues with all its callees, or a position inside a frame, at a function inlined
 * there.
 *
 * Frames hidden by the filter stay at their caller's path, and so do, with a FILTER_SYMBOL, the
 * frames before it.
 */
#include <stdlib.h>
#include <string.h>

#include "fold/tree_fold.h"

/* A caller chain of the current class: a copy of a trie node. Parents have smaller numbers than
 * their children. */
struct spot {
	uint32_t node;		/* trie node */
	uint32_t parent;	/* spot number; a class's root is its own parent */
	uint32_t child, sibling;	/* spot numbers; 0: none */
	uint32_t leaf;		/* first row whose callers are this chain, + 1; 0: none */
	bool is_matched;	/* a frame of the chain matches the filter */
	struct class_load load;	/* after sum_spots() with that of all descendants */
};

/* A spot or leaf from which a path continues inwards. */
struct member {
	uint32_t next;		/* next member of the same path, + 1; 0: none */
	uint32_t id;		/* spot, or row of fold->stacks */
	bool is_leaf;		/* `id` is a row of fold->stacks */
	uint32_t levels;	/* functions inlined in its frame that still follow */
};

struct callees {
	struct tree_fold *fold;
	struct spot *spots;	/* owned, like the arrays below; [0] is unused */
	uint32_t spot_count, spot_capacity;
	uint32_t *spot_of;	/* by trie node; below the class's root: a spot of an earlier one */
	uint32_t *waiting;	/* spots still to be visited, or nodes that still lack a spot */
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

/* Puts @id after @count others. False: out of memory, noted. */
static bool push(struct callees *callees, uint32_t count, uint32_t id)
{
	if (!reserve(callees->fold, (void **)&callees->waiting, count, &callees->waiting_capacity,
		     sizeof(*callees->waiting)))
		return false;
	callees->waiting[count] = id;
	return true;
}

/* Appends a spot, a class's root if @parent is 0, and returns it. 0: out of memory, noted. */
static uint32_t append_spot(struct callees *callees, uint32_t parent, uint32_t node)
{
	const uint32_t id = callees->spot_count;
	struct spot *spot;

	if (!reserve(callees->fold, (void **)&callees->spots, id, &callees->spot_capacity,
		     sizeof(*callees->spots)))
		return 0;
	spot = &callees->spots[id];
	*spot = (struct spot){ .node = node, .parent = parent ? parent : id };
	if (parent) {
		spot->sibling = callees->spots[parent].child;
		callees->spots[parent].child = id;
	}
	callees->spot_of[node] = id;
	return callees->spot_count++;
}

/* Returns the spot below @root of the callers of @row's stack, creating missing spots from the
 * outermost in. 0: out of memory, noted. */
static uint32_t find_spot(struct callees *callees, uint32_t root, uint32_t row)
{
	const struct stack_trie *trie = callees->fold->trie;
	uint32_t node = trie->stacks.node[callees->fold->stacks.rows[row].stack], count = 0, spot;

	for (; callees->spot_of[node] < root; node = trie->nodes.parent[node])
		if (!push(callees, count++, node))
			return 0;
	spot = callees->spot_of[node];
	while (count-- > 0 && spot)
		spot = append_spot(callees, spot, callees->waiting[count]);
	return spot;
}

/* Adds the load of each spot of the class to its ancestors'. */
static void sum_spots(struct callees *callees, uint32_t root)
{
	for (uint32_t s = callees->spot_count - 1; s > root; s--)
		class_load_add(&callees->spots[callees->spots[s].parent].load,
			       &callees->spots[s].load);
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

	for (uint32_t s = from; s < callees->spot_count; s++) {
		struct spot *spot = &callees->spots[s];
		uint32_t symbol;

		spot->is_matched = callees->spots[spot->parent].is_matched;
		if (spot->is_matched)
			continue;
		symbol = symbol_of(fold, fold->trie->nodes.frame[spot->node]);
		spot->is_matched = symbol != ID_SET_NONE && matches(fold, class, symbol);
	}
}

/* Adds a stack's load to its spot below @root, if it passes the filter. */
static void add_stack(struct callees *callees, const struct tree_class *class, uint32_t root,
		      uint32_t row)
{
	struct tree_fold *fold = callees->fold;
	struct class_stack *stack = &fold->stacks.rows[row];
	const uint32_t known = callees->spot_count;
	const uint32_t id = find_spot(callees, root, row);
	const uint32_t symbol = symbol_of(fold, fold->trie->stacks.frame[stack->stack]);
	struct spot *spot = &callees->spots[id];

	if (!id || symbol == ID_SET_NONE)
		return;
	match_spots(callees, class, known);
	if (!spot->is_matched && !matches(fold, class, symbol))
		return;
	tree_inlined_weigh(fold, stack->stack, stack->load.now.weight + stack->load.base.weight);
	stack->sibling = spot->leaf;
	spot->leaf = row + 1;
	class_load_add(&spot->load, &stack->load);
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

/* Makes the spots of a class, and its root what its paths go on from. */
static void start_class(struct callees *callees, uint32_t number)
{
	struct tree_fold *fold = callees->fold;
	const struct tree_class *class = &fold->classes[number];
	const uint32_t root = append_spot(callees, 0, STACK_NODE_ROOT);
	const struct class_load *load;

	if (!root)
		return;
	callees->spots[root].is_matched = !fold->filter.all;
	for (uint32_t at = fold->stacks.first[number]; at && tree_fold_goes_on(fold);
	     at = fold->stacks.rows[at - 1].next)
		add_stack(callees, class, root, at - 1);
	if (!tree_fold_goes_on(fold))
		return;
	sum_spots(callees, root);
	load = &callees->spots[root].load;
	tree_sum_add_total(&fold->sums[TREE_FOLD_TOP], load);
	if (class->root != TREE_FOLD_TOP)
		tree_sum_add_total(&fold->sums[class->root], load);
	add_member(callees, class->root, (struct member){ .id = root });
}

static const struct class_load *load_of(const struct callees *callees, const struct member *member)
{
	return member->is_leaf ? &callees->fold->stacks.rows[member->id].load
			       : &callees->spots[member->id].load;
}

/* @member goes from @path to its child @symbol. */
static void step(struct callees *callees, uint32_t path, uint32_t symbol, struct member member)
{
	struct tree_fold *fold = callees->fold;
	const struct class_load *load = load_of(callees, &member);
	uint32_t child;

	if (!load->now.samples && !load->base.samples)	/* the filter left nothing of it */
		return;
	child = tree_fold_path(fold, path, symbol);
	if (child == UINT32_MAX)
		return;
	tree_sum_add_total(&fold->sums[child], load);
	if (member.is_leaf && member.levels && !tree_inlined_is(symbol))
		fold->sums[child].inlined_weight += load->now.weight;
	if (member.is_leaf && !member.levels)
		tree_sum_add_self(&fold->sums[child], load);
	else
		add_member(callees, child, member);
}

static uint32_t frame_of(const struct callees *callees, const struct member *member)
{
	const struct stack_trie *trie = callees->fold->trie;

	return member->is_leaf ? trie->stacks.frame[callees->fold->stacks.rows[member->id].stack]
			       : trie->nodes.frame[callees->spots[member->id].node];
}

/* Goes on from @path to the function of @member's frame. False: that is not shown. */
static bool enter(struct callees *callees, uint32_t path, struct member member)
{
	struct tree_fold *fold = callees->fold;
	const uint32_t frame = frame_of(callees, &member), symbol = symbol_of(fold, frame);
	const struct inline_chain *chain;

	if (symbol == ID_SET_NONE || !is_shown(fold, symbol) ||
	    (fold->is_rooted && !member.is_leaf && !callees->spots[member.id].is_matched))
		return false;
	chain = tree_inlined_at(fold, frame, member.is_leaf);
	member.levels = chain ? chain->count : 0;
	step(callees, path, symbol_pairs_of(fold->pairs, symbol), member);
	return true;
}

/* All that the spot calls; of what is not shown, what that calls. */
static void enter_callees(struct callees *callees, uint32_t path, uint32_t spot)
{
	const struct spot *spots = callees->spots;
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
	struct callees callees = { .fold = fold, .spot_count = 1 };
	double limit;

	callees.spot_of = calloc(fold->trie->nodes.count, sizeof(*callees.spot_of));
	if (!callees.spot_of) {
		fold->is_out_of_memory = true;
		return;
	}
	for (uint32_t i = 0; i < fold->class_count && tree_fold_goes_on(fold); i++)
		start_class(&callees, i);
	limit = tree_fold_limit(fold);
	for (uint32_t p = TREE_FOLD_TOP; p < fold->count && p < callees.path_capacity &&
					 tree_fold_goes_on(fold); p++)
		if (p == TREE_FOLD_TOP || tree_fold_weight(fold, &fold->sums[p]) >= limit)
			expand(&callees, p);
	free(callees.spots);
	free(callees.spot_of);
	free(callees.waiting);
	free(callees.members);
	free(callees.first_member);
}
