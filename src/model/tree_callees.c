/* tree_callees.c - what it calls: paths from the outside in.
 *
 * Problem: a window has more caller chains than a tree shows paths by a factor of hundreds, and to
 * find the path of a chain costs a look-up for each of its frames.
 *
 * Idea: chains are summed as they are, each class's in a copy of the part of the trie that it has
 * (spots), where a descending pass adds callees to callers. So it is known what is beneath a spot
 * before anyone asks which path that is. Breadth first, a path that reaches the limit sends its
 * members one frame inwards, which makes its children; of one below the limit nothing more is
 * asked. A member is a spot, to go on to all that it calls; or a place inside of a frame, at a
 * function that was inlined there.
 *
 * Frames that the filter takes away stay at their caller's path, and so do, with a FILTER_SYMBOL,
 * those before it.
 */
#include <stdlib.h>
#include <string.h>

#include "model/tree_fold.h"

/* A caller chain of a class. Parents before their children. */
struct spot {
	uint32_t node;		/* of the trie */
	uint32_t parent;	/* of a class's first: itself */
	uint32_t child, sibling;	/* another spot; 0: none */
	uint32_t leaf;		/* the first stack that ends here, + 1; 0: none */
	bool is_matched;	/* the filter's parts hold for one of its frames */
	struct tree_load load;	/* with all beneath it */
};

/* What goes on from a path. */
struct member {
	uint32_t next;		/* of the same path, + 1; 0: none */
	uint32_t id;		/* of a spot, or of one of fold->stacks */
	bool is_leaf;		/* the latter */
	uint32_t levels;	/* functions inlined in its frame that are still to come */
};

struct callees {
	struct tree_fold *fold;
	struct spot *spots;	/* owned, as all; [0] is none */
	uint32_t spot_count, spot_capacity;
	uint32_t *spot_of;	/* of each trie node; before its first: of another class */
	uint32_t *waiting;	/* nodes or spots that are still to be looked at */
	uint32_t waiting_capacity;
	struct member *members;
	uint32_t member_count, member_capacity;
	uint32_t *first_member;	/* of each path, + 1; 0: none */
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

/* 0: out of memory, noted. */
static uint32_t append_spot(struct callees *callees, const struct tree_class *class,
			    uint32_t parent, uint32_t node)
{
	struct tree_fold *fold = callees->fold;
	const uint32_t id = callees->spot_count;
	struct spot *spot;

	if (!reserve(fold, (void **)&callees->spots, id, &callees->spot_capacity, sizeof(*spot)))
		return 0;
	spot = &callees->spots[id];
	*spot = (struct spot){ .node = node, .parent = parent ? parent : id,
			       .is_matched = !fold->filter.all };
	if (parent) {
		spot->sibling = callees->spots[parent].child;
		callees->spots[parent].child = id;
		spot->is_matched |= callees->spots[parent].is_matched;
	}
	if (!spot->is_matched && node != STACK_NODE_ROOT) {
		const uint32_t symbol = symbol_of(fold, fold->trie->nodes.frame[node]);

		if (symbol == ID_SET_NONE)
			return 0;
		spot->is_matched = matches(fold, class, symbol);
	}
	callees->spot_of[node] = id;
	return callees->spot_count++;
}

/* The spot of @node in the class whose spots begin at @first: makes those that are missing, the
 * outermost first. 0: out of memory, noted. */
static uint32_t find_spot(struct callees *callees, const struct tree_class *class, uint32_t first,
			  uint32_t node)
{
	const struct stack_nodes *nodes = &callees->fold->trie->nodes;
	uint32_t count = 0, spot;

	for (; callees->spot_of[node] < first; node = nodes->parent[node])
		if (!push(callees, count++, node))
			return 0;
	spot = callees->spot_of[node];
	while (count-- > 0 && spot)
		spot = append_spot(callees, class, spot, callees->waiting[count]);
	return spot;
}

/* Puts a stack's load to its spot, if the filter leaves it. */
static void add_stack(struct callees *callees, const struct tree_class *class, uint32_t first,
		      uint32_t number)
{
	struct tree_fold *fold = callees->fold;
	struct tree_stack *stack = &fold->stacks[number];
	const uint32_t spot = find_spot(callees, class, first,
					fold->trie->stacks.node[stack->stack]);

	if (!spot || (!callees->spots[spot].is_matched && !matches(fold, class, stack->symbol)))
		return;
	tree_inlined_weigh(fold, stack->stack, stack->load.weight + stack->load.base_weight);
	stack->sibling = callees->spots[spot].leaf;
	callees->spots[spot].leaf = number + 1;
	tree_load_add(&callees->spots[spot].load, &stack->load);
}

/* Notes what goes on from @path. */
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

/* The spots of a class, which begin at the returned one, at its root. */
static void start_class(struct callees *callees, const struct tree_class *class)
{
	struct tree_fold *fold = callees->fold;
	const uint32_t first = append_spot(callees, class, 0, STACK_NODE_ROOT);

	for (uint32_t at = class->first; first && at && tree_fold_goes_on(fold);
	     at = fold->stacks[at - 1].next)
		add_stack(callees, class, first, at - 1);
	if (!first || !tree_fold_goes_on(fold))
		return;
	for (uint32_t s = callees->spot_count - 1; s > first; s--)
		tree_load_add(&callees->spots[callees->spots[s].parent].load,
			      &callees->spots[s].load);
	tree_sum_add_total(&fold->sums[TREE_FOLD_TOP], &callees->spots[first].load);
	if (class->root != TREE_FOLD_TOP)
		tree_sum_add_total(&fold->sums[class->root], &callees->spots[first].load);
	add_member(callees, class->root, (struct member){ .id = first });
}

static const struct tree_load *load_of(const struct callees *callees, const struct member *member)
{
	return member->is_leaf ? &callees->fold->stacks[member->id].load
			       : &callees->spots[member->id].load;
}

/* @member goes from @path to its child @symbol. */
static void step(struct callees *callees, uint32_t path, uint32_t symbol, struct member member)
{
	struct tree_fold *fold = callees->fold;
	const struct tree_load *load = load_of(callees, &member);
	uint32_t child;

	if (!load->samples && !load->base_samples)	/* the filter left nothing of it */
		return;
	child = tree_fold_path(fold, path, symbol);
	if (child == UINT32_MAX)
		return;
	tree_sum_add_total(&fold->sums[child], load);
	if (member.is_leaf && !member.levels)
		tree_sum_add_self(&fold->sums[child], load);
	else
		add_member(callees, child, member);
}

static uint32_t frame_of(const struct callees *callees, const struct member *member)
{
	const struct stack_trie *trie = callees->fold->trie;

	return member->is_leaf ? trie->stacks.frame[callees->fold->stacks[member->id].stack]
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
	step(callees, path, symbol_twins_of(fold->twins, symbol), member);
	return true;
}

/* All that the spot calls; of what is not shown, what that calls. */
static void enter_callees(struct callees *callees, uint32_t path, uint32_t spot)
{
	struct tree_fold *fold = callees->fold;
	uint32_t count = 0;

	do {
		for (uint32_t at = callees->spots[spot].leaf; at; at = fold->stacks[at - 1].sibling)
			enter(callees, path, (struct member){ .id = at - 1, .is_leaf = true });
		for (uint32_t at = callees->spots[spot].child; at; at = callees->spots[at].sibling)
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
	fold->is_out_of_memory |= !callees.spot_of;
	for (uint32_t i = 0; i < fold->class_count && tree_fold_goes_on(fold); i++)
		start_class(&callees, &fold->classes[i]);
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
