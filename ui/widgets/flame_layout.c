/* flame_layout.c - see flame_layout.h.
 *
 * Problem: shares are fractions, cells are not. Widths rounded one by one don't add up: callees
 * extend beyond their caller, or leave a gap that looks like its self time.
 *
 * Idea: positions are rounded, never widths. Each box has its exact begin, and both its edges are
 * rounded from there: frames adjacent in the tree are adjacent on the screen, and rounding keeps
 * order, so that callees stay within their caller.
 *
 * Invariant: the boxes of a line do not overlap, each lies within its caller's, none is narrower
 * than `least` (except the zoomed frame and its callers, which have the whole width).
 *
 * The array of boxes is the queue: laying out a box appends its callees, so it is line by line.
 */
#include "flame_layout.h"

#include <math.h>
#include <stdlib.h>

#include "search.h"

/* The frames whose callees are laid out: a node's, or the outermost. */
struct caller {
	uint32_t box;		/* FLAME_NONE: none, the callees are outermost frames */
	uint32_t first, end;	/* nodes */
	uint32_t line;		/* line of the callees */
	int x, end_x;
	double begin, self, hidden;
	bool is_hottest;
};

struct filling {
	struct flame_layout *layout;
	const struct call_tree *tree;
	const struct flame_shape *shape;
};

void flame_layout_finish(struct flame_layout *layout)
{
	free(layout->boxes);
	*layout = (struct flame_layout){ 0 };
}

static void add_box(struct flame_layout *layout, struct flame_box box)
{
	if (layout->count == layout->room) {
		const size_t room = layout->room ? 2 * layout->room : 256;
		struct flame_box *boxes = reallocarray(layout->boxes, room, sizeof(*boxes));

		if (!boxes)
			return;
		layout->boxes = boxes;
		layout->room = room;
	}
	layout->boxes[layout->count++] = box;
	if (layout->lines <= box.line)
		layout->lines = box.line + 1;
}

/* Returns the unit at which @weight, from the left edge of the whole, lies within @caller. */
static int position(const struct filling *filling, const struct caller *caller, double weight)
{
	const double whole = filling->layout->weight;
	const double x = whole > 0 ? round(weight * filling->shape->width / whole) : 0;

	if (x <= caller->x)
		return caller->x;
	return x < caller->end_x ? (int)x : caller->end_x;
}

/* Adds the box of a callee; false: it has no room. */
static bool add_callee(const struct filling *filling, const struct caller *caller,
		       struct flame_box box)
{
	const struct flame_shape *shape = filling->shape;
	const double exact = filling->layout->weight > 0
			     ? box.weight * shape->width / filling->layout->weight : 0;

	box.x = position(filling, caller, box.begin);
	box.width = position(filling, caller, box.begin + box.weight) - box.x;
	if (exact < shape->least || box.width < shape->least)	/* the second: sums of fractions */
		return false;
	box.parent = caller->box;
	box.line = caller->line;
	add_box(filling->layout, box);
	return true;
}

static void lay_out_callees(const struct filling *filling, const struct caller *caller)
{
	const struct tree_node *nodes = filling->tree->nodes;
	struct flame_box others = { .weight = caller->hidden, .others = caller->hidden > 0 };
	double begin = caller->begin;

	others.node = caller->box == FLAME_NONE ? FLAME_NONE
						: filling->layout->boxes[caller->box].node;
	for (uint32_t i = caller->first; i < caller->end; i += nodes[i].size) {
		const struct flame_box box = {
			.node = i, .begin = begin, .weight = nodes[i].now.total.weight,
			.is_hottest = caller->is_hottest && i == caller->first &&
				      nodes[i].now.total.weight >= caller->self,
		};

		if (!(box.weight > 0))	/* compared: it is gone */
			continue;
		if (add_callee(filling, caller, box)) {
			begin += box.weight;
		} else {
			others.weight += box.weight;
			others.others++;
		}
	}
	others.begin = begin;
	if (others.others)
		add_callee(filling, caller, others);
}

static void lay_out_box(const struct filling *filling, uint32_t index)
{
	const struct flame_box *box = &filling->layout->boxes[index];
	const struct tree_node *node;
	struct caller caller;

	if (box->is_ancestor || box->others)
		return;
	node = &filling->tree->nodes[box->node];
	caller = (struct caller){
		.box = index, .first = box->node + 1, .end = box->node + node->size,
		.line = box->line + 1, .x = box->x, .end_x = box->x + box->width,
		.begin = box->begin, .self = node->now.self.weight,
		.hidden = node->hidden_weight, .is_hottest = box->is_hottest,
	};
	lay_out_callees(filling, &caller);
}

static void lay_out_roots(const struct filling *filling)
{
	const struct call_tree *tree = filling->tree;
	const struct caller whole = { .box = FLAME_NONE, .end = tree->node_count,
				.end_x = filling->shape->width,
				.hidden = tree->hidden_weight, .is_hottest = true };

	lay_out_callees(filling, &whole);
}

/* The zoomed frame and its callers, outermost first. */
static void lay_out_zoom(const struct filling *filling)
{
	const struct tree_node *nodes = filling->tree->nodes;
	const uint32_t zoom = filling->shape->zoom;
	const uint32_t depth = nodes[zoom].depth;

	for (uint32_t line = 0; line <= depth; line++) {
		uint32_t node = zoom;

		while (nodes[node].depth > line)
			node = nodes[node].parent;
		add_box(filling->layout, (struct flame_box){
			.node = node, .parent = line ? line - 1 : FLAME_NONE, .line = line,
			.width = filling->shape->width, .weight = nodes[node].now.total.weight,
			.is_ancestor = line < depth, .is_hottest = true });
	}
}

void flame_layout_fill(struct flame_layout *layout, const struct call_tree *tree,
		       const struct flame_shape *shape)
{
	const struct filling filling = { layout, tree, shape };

	layout->count = 0;
	layout->lines = 0;
	if (shape->zoom == FLAME_NONE) {
		layout->weight = tree->weight;
		lay_out_roots(&filling);
	} else {
		layout->weight = tree->nodes[shape->zoom].now.total.weight;
		lay_out_zoom(&filling);
	}
	for (uint32_t i = 0; i < layout->count; i++)
		lay_out_box(&filling, i);
}

uint32_t flame_layout_at(const struct flame_layout *layout, uint32_t line, int x)
{
	for (uint32_t i = 0; i < layout->count; i++) {
		const struct flame_box *box = &layout->boxes[i];

		if (box->line == line && x >= box->x && x < box->x + box->width)
			return i;
	}
	return FLAME_NONE;
}

uint32_t flame_layout_find(const struct flame_layout *layout, const struct call_tree *tree,
			   uint32_t node)
{
	for (; node != FLAME_NONE; node = tree->nodes[node].parent)
		for (uint32_t i = 0; i < layout->count; i++)
			if (layout->boxes[i].node == node && !layout->boxes[i].others)
				return i;
	return FLAME_NONE;
}

uint32_t flame_layout_others(const struct flame_layout *layout, uint32_t node)
{
	for (uint32_t i = 0; i < layout->count; i++)
		if (layout->boxes[i].node == node && layout->boxes[i].others)
			return i;
	return FLAME_NONE;
}

uint32_t flame_layout_callee(const struct flame_layout *layout, uint32_t box)
{
	uint32_t found = FLAME_NONE;

	for (uint32_t i = box + 1; i < layout->count; i++) {
		const struct flame_box *callee = &layout->boxes[i];

		if (callee->parent == box && (found == FLAME_NONE || layout->boxes[found].others ||
		    (!callee->others && callee->width > layout->boxes[found].width)))
			found = i;
	}
	return found;
}

/* A path has the ids of all callers: one id would be enough to find a frame, but not to find its
 * nearest caller once the frame is gone. */
void flame_path_finish(struct flame_path *path)
{
	free(path->ids);
	*path = (struct flame_path){ 0 };
}

void flame_path_set(struct flame_path *path, const struct call_tree *tree, uint32_t node)
{
	const size_t count = node == FLAME_NONE ? 0 : tree->nodes[node].depth + 1;

	if (count > path->room) {
		uint64_t *ids = reallocarray(path->ids, count, sizeof(*ids));

		if (!ids)
			return;
		path->ids = ids;
		path->room = count;
	}
	path->count = count;
	for (; node != FLAME_NONE; node = tree->nodes[node].parent)
		path->ids[tree->nodes[node].depth] = tree->nodes[node].id;
}

uint32_t flame_path_find(const struct flame_path *path, const struct call_tree *tree)
{
	uint32_t found = FLAME_NONE, at = 0, end = tree->node_count;

	for (size_t i = 0; i < path->count; i++) {
		while (at < end && tree->nodes[at].id != path->ids[i])
			at += tree->nodes[at].size;
		if (at >= end)
			break;
		found = at;
		end = at + tree->nodes[at].size;
		at++;
	}
	return found;
}

bool flame_path_is(const struct flame_path *path, const struct call_tree *tree, uint32_t node)
{
	if (node == FLAME_NONE)
		return path->count == 0;
	return path->count && path->count == tree->nodes[node].depth + 1 &&
	       path->ids[path->count - 1] == tree->nodes[node].id;
}

bool flame_match_is(const struct tree_node *node, const char *search)
{
	if (!(node->now.total.weight > 0))	/* compared: it is gone, and has no box */
		return false;
	return search_matches(search, node->symbol) ||
	       (node->raw_symbol != node->symbol && search_matches(search, node->raw_symbol)) ||
	       search_matches(search, node->dso);
}

/* A sample counts at its outermost match: that frame's total includes all it calls. */
struct flame_matches flame_match_sum(const struct call_tree *tree, uint32_t zoom,
				     const char *search)
{
	const uint32_t begin = zoom == FLAME_NONE ? 0 : zoom;
	const uint32_t end = zoom == FLAME_NONE ? tree->node_count
						: zoom + tree->nodes[zoom].size;
	struct flame_matches matches = { 0, 0 };
	uint32_t counted_end = begin;

	for (uint32_t i = begin; i < end; i++) {
		const struct tree_node *node = &tree->nodes[i];

		if (!flame_match_is(node, search))
			continue;
		matches.count++;
		if (i < counted_end)
			continue;
		matches.weight += node->now.total.weight;
		counted_end = i + node->size;
	}
	return matches;
}
