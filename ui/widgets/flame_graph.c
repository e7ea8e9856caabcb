/* flame_graph.c - see flame_graph.h.
 *
 * Problem: a key may arrive after a snapshot but before it is drawn, and a selected frame may be
 * too narrow for a box, or have no sample in this window.
 *
 * Idea: the layout is made with every snapshot, not only when it is drawn, so that keys always act
 * on boxes of the present tree. The selection is a path of ids; it is shown by the frame's own box,
 * or by that of its nearest caller that has one.
 */
#include "flame_graph.h"

#include <string.h>


#define CALLERS_SHOWN 2		/* above the zoomed frame, of a deep stack */

void flame_graph_finish(struct flame_graph *flame)
{
	flame_layout_finish(&flame->layout);
	flame_path_finish(&flame->selected);
	flame_path_finish(&flame->zoom);
	flame_path_finish(&flame->marked);
}

enum flame_fill flame_graph_fill(const struct flame_graph *flame, bool is_compared)
{
	return is_compared ? flame->compared_fill : flame->fill;
}

void flame_graph_next_fill(struct flame_graph *flame, bool is_compared)
{
	if (is_compared)
		flame->compared_fill = (enum flame_fill)((flame->compared_fill + 1) %
							 FLAME_FILL_COUNT);
	else
		flame->fill = (enum flame_fill)((flame->fill + 1) % FLAME_BY_CHANGE);
}

uint32_t flame_graph_zoomed(const struct flame_graph *flame)
{
	return flame->tree ? flame_path_find(&flame->zoom, flame->tree) : FLAME_NONE;
}

static void lay_out(struct flame_graph *flame)
{
	const struct flame_shape shape = {
		.width = flame->is_ascii ? flame->width : 2 * flame->width,
		.least = flame->is_ascii ? 1 : 2,
		.zoom = flame_graph_zoomed(flame),
	};

	if (flame->tree)
		flame_layout_fill(&flame->layout, flame->tree, &shape);
	else
		flame->layout.count = flame->layout.lines = 0;
}

static bool is_filtered_alike(const struct filter *a, const struct filter *b)
{
	for (uint32_t i = 0; i < a->count; i++)
		if (filter_find(b, &a->parts[i]) < 0)
			return false;
	return a->count == b->count;
}

static void limit_top(struct flame_graph *flame)
{
	const int last = (int)flame->layout.lines - flame->page;

	if (flame->top > last)
		flame->top = last;
	if (flame->top < 0)
		flame->top = 0;
}

static void forget_places(struct flame_graph *flame)
{
	flame->selected.count = flame->zoom.count = flame->zoom_count = 0;
	flame->is_others = false;
	flame->top = 0;
}

void flame_graph_set(struct flame_graph *flame, const struct call_tree *tree,
		     const struct filter *filter)
{
	flame->tree = tree;
	if (tree && !is_filtered_alike(&flame->filter, filter)) {
		forget_places(flame);
		flame->filter = *filter;
	}
	lay_out(flame);
}

void flame_graph_fit(struct flame_graph *flame, const struct canvas *canvas, int page)
{
	flame->page = page;
	if (flame->width != canvas->width || flame->is_ascii != canvas->is_ascii) {
		flame->width = canvas->width;
		flame->is_ascii = canvas->is_ascii;
		lay_out(flame);
	}
	limit_top(flame);
}

uint32_t flame_graph_selected(const struct flame_graph *flame)
{
	uint32_t node, box = FLAME_NONE;

	if (!flame->layout.count)
		return FLAME_NONE;
	node = flame_path_find(&flame->selected, flame->tree);
	if (flame->is_others && flame_path_is(&flame->selected, flame->tree, node))
		box = flame_layout_others(&flame->layout, node);
	if (box == FLAME_NONE)
		box = flame_layout_find(&flame->layout, flame->tree, node);
	return box == FLAME_NONE ? 0 : box;
}

uint32_t flame_graph_selected_node(const struct flame_graph *flame)
{
	const uint32_t box = flame_graph_selected(flame);
	uint32_t node;

	if (box == FLAME_NONE || flame->layout.boxes[box].others)
		return FLAME_NONE;
	node = flame_path_find(&flame->selected, flame->tree);
	return node == FLAME_NONE ? flame->layout.boxes[box].node : node;
}

static void scroll_to_line(struct flame_graph *flame, int line)
{
	if (line < flame->top)
		flame->top = line;
	else if (line >= flame->top + flame->page)
		flame->top = line - flame->page + 1;
	limit_top(flame);
}

void flame_graph_select(struct flame_graph *flame, uint32_t index)
{
	const struct flame_box *box = &flame->layout.boxes[index];

	flame->is_others = box->others > 0;
	flame_path_set(&flame->selected, flame->tree, box->node);
	scroll_to_line(flame, (int)box->line);
}

static void select_node(struct flame_graph *flame, uint32_t node)
{
	const uint32_t box = flame_layout_find(&flame->layout, flame->tree, node);

	if (box != FLAME_NONE)
		flame_graph_select(flame, box);
	flame->is_others = false;
	flame_path_set(&flame->selected, flame->tree, node);
}

void flame_graph_move_sideways(struct flame_graph *flame, int boxes)
{
	const uint32_t from = flame_graph_selected(flame), to = from + (uint32_t)boxes;

	if (from != FLAME_NONE && to < flame->layout.count &&
	    flame->layout.boxes[to].line == flame->layout.boxes[from].line)
		flame_graph_select(flame, to);
}

/* Moves up to @lines calls inwards (< 0: outwards), along the widest boxes. */
static void move_along(struct flame_graph *flame, int lines)
{
	uint32_t box = flame_graph_selected(flame), next = box;

	for (; lines && next != FLAME_NONE; lines += lines < 0 ? 1 : -1) {
		box = next;
		next = lines < 0 ? flame->layout.boxes[box].parent
				 : flame_layout_callee(&flame->layout, box);
	}
	if (next != FLAME_NONE)
		box = next;
	if (box != FLAME_NONE)
		flame_graph_select(flame, box);
}

static uint64_t id_of(const struct flame_graph *flame, uint32_t box)
{
	return flame->tree->nodes[flame->layout.boxes[box].node].id;
}

/* Returns the box of the frame with @id, or FLAME_NONE. */
static uint32_t find_box(const struct flame_graph *flame, uint64_t id)
{
	for (uint32_t i = 0; i < flame->layout.count; i++)
		if (!flame->layout.boxes[i].others && id_of(flame, i) == id)
			return i;
	return FLAME_NONE;
}

/* Returns the end of the hottest path that begins with @box. */
static uint32_t hottest_end(const struct flame_graph *flame, uint32_t box)
{
	uint32_t next = box;

	while (next != FLAME_NONE && !flame->layout.boxes[next].others) {
		const uint32_t node = flame->layout.boxes[next].node;
		const double own = flame->tree->nodes[node].now.self.weight;

		box = next;
		next = flame_layout_callee(&flame->layout, box);
		if (next == FLAME_NONE || flame->layout.boxes[next].weight < own)
			break;
	}
	return box;
}

/* True if @box lies below @scope (FLAME_NONE: anywhere) and its caller has a wider callee. */
static bool is_branch(const struct flame_graph *flame, uint32_t box, uint32_t scope)
{
	const struct flame_box *boxes = flame->layout.boxes;
	uint32_t caller = boxes[box].parent;

	if (boxes[box].others ||
	    (caller != FLAME_NONE && flame_layout_callee(&flame->layout, caller) == box))
		return false;
	if (scope == FLAME_NONE)
		return true;
	while (caller != FLAME_NONE && caller != scope)
		caller = boxes[caller].parent;
	return caller == scope;
}

/* Returns the widest branch in @scope that comes after @before, or FLAME_NONE. */
static uint32_t next_branch(const struct flame_graph *flame, uint32_t scope, uint32_t before)
{
	const struct flame_box *boxes = flame->layout.boxes;
	uint32_t found = FLAME_NONE;

	for (uint32_t i = 0; i < flame->layout.count; i++) {
		const double last = before == scope ? boxes[i].weight + 1 : boxes[before].weight;

		if (i == before || boxes[i].weight > last ||
		    (!(boxes[i].weight < last) && i < before) || !is_branch(flame, i, scope))
			continue;
		if (found == FLAME_NONE || boxes[i].weight > boxes[found].weight)
			found = i;
	}
	return found;
}

/* Returns the first box of the next path if the selected box is the end of the last path;
 * FLAME_NONE: it is not, or there is no next path. */
static uint32_t continue_follow(const struct flame_graph *flame, uint32_t selected)
{
	uint32_t scope = FLAME_NONE, head;

	if (!flame->hottest_end || id_of(flame, selected) != flame->hottest_end)
		return FLAME_NONE;
	head = find_box(flame, flame->hottest_head);
	if (flame->hottest_scope)
		scope = find_box(flame, flame->hottest_scope);
	if (head == FLAME_NONE || (flame->hottest_scope && scope == FLAME_NONE))
		return FLAME_NONE;
	return next_branch(flame, scope, head);
}

/* Returns the id of the frame below which paths are followed; 0: the whole graph. */
static uint64_t begin_of_follow(const struct flame_graph *flame, uint32_t selected)
{
	if (!flame->selected.count ||
	    flame_layout_callee(&flame->layout, selected) == FLAME_NONE)
		return 0;
	return id_of(flame, selected);
}

void flame_graph_follow(struct flame_graph *flame)
{
	const uint32_t selected = flame_graph_selected(flame);
	uint32_t head, end;

	if (selected == FLAME_NONE || flame->layout.boxes[selected].others)
		return;
	head = continue_follow(flame, selected);
	if (head == FLAME_NONE) {
		if (id_of(flame, selected) != flame->hottest_end)
			flame->hottest_scope = begin_of_follow(flame, selected);
		head = flame->hottest_scope ? find_box(flame, flame->hottest_scope) : 0;
	}
	if (head == FLAME_NONE)		/* that frame has left the graph */
		head = 0;
	end = hottest_end(flame, head);
	flame->hottest_head = id_of(flame, head);
	flame->hottest_end = id_of(flame, end);
	flame_graph_select(flame, end);
}

void flame_graph_move(struct flame_graph *flame, enum view_move move)
{
	const int page = flame->page > 1 ? flame->page - 1 : 1;
	const int in = flame->is_upright ? -1 : 1;
	const int all = (int)flame->layout.lines;

	switch (move) {
	case MOVE_UP:	     move_along(flame, -in); break;
	case MOVE_DOWN:	     move_along(flame, in); break;
	case MOVE_PAGE_UP:   move_along(flame, -in * page); break;
	case MOVE_PAGE_DOWN: move_along(flame, in * page); break;
	case MOVE_HALF_UP:   move_along(flame, -in * (page + 1) / 2); break;
	case MOVE_HALF_DOWN: move_along(flame, in * (page + 1) / 2); break;
	case MOVE_FIRST:     move_along(flame, -all); break;
	case MOVE_LAST:	     move_along(flame, all); break;
	}
}

uint32_t flame_graph_at(const struct flame_graph *flame, int x, int y)
{
	const int row = flame->is_upright ? flame->page - 1 - y : y;
	const int line = flame->top + row;
	uint32_t box;

	if (row < 0 || row >= flame->page)
		return FLAME_NONE;
	if (flame->is_ascii)
		return flame_layout_at(&flame->layout, (uint32_t)line, x);
	box = flame_layout_at(&flame->layout, (uint32_t)line, 2 * x);
	return box != FLAME_NONE ? box
				 : flame_layout_at(&flame->layout, (uint32_t)line, 2 * x + 1);
}

void flame_graph_scroll(struct flame_graph *flame, int lines)
{
	flame->top += flame->is_upright ? -lines : lines;
	limit_top(flame);
}

double flame_graph_limit_pct(const struct flame_graph *flame)
{
	if (flame_graph_zoomed(flame) == FLAME_NONE || flame->tree->weight <= 0)
		return FLAME_LIMIT_PCT;
	return FLAME_LIMIT_PCT * flame->layout.weight / flame->tree->weight;
}

/* Scrolls the zoomed frame to the top, below a few of its callers. */
static void show_zoom(struct flame_graph *flame)
{
	lay_out(flame);
	flame->top = (int)flame->zoom.count - 1 - CALLERS_SHOWN;
	limit_top(flame);
}

bool flame_graph_zoom_in(struct flame_graph *flame)
{
	const uint32_t node = flame_graph_selected_node(flame);

	if (node == FLAME_NONE)
		return false;
	if (flame_path_is(&flame->zoom, flame->tree, node))
		return true;
	if (flame->zoom_count == FLAME_ZOOMS)	/* the oldest step is forgotten */
		memmove(flame->zooms, flame->zooms + 1,
			--flame->zoom_count * sizeof(flame->zooms[0]));
	flame->zooms[flame->zoom_count++] = flame->zoom.count;
	flame_path_set(&flame->zoom, flame->tree, node);
	/* After zooming a caller of a zoomed frame, undoing must lead outwards, never inwards. */
	while (flame->zoom_count && flame->zooms[flame->zoom_count - 1] >= flame->zoom.count)
		flame->zoom_count--;
	show_zoom(flame);
	return true;
}

bool flame_graph_zoom_out(struct flame_graph *flame)
{
	if (!flame->zoom.count)
		return false;
	flame->zoom.count = flame->zoom_count ? flame->zooms[--flame->zoom_count] : 0;
	show_zoom(flame);
	return true;
}

void flame_graph_mark(struct flame_graph *flame)
{
	if (!flame->tree)
		return;
	flame_path_set(&flame->marked, flame->tree,
		       flame_path_find(&flame->selected, flame->tree));
	flame->is_marked_others = flame->is_others;
}

void flame_graph_return(struct flame_graph *flame)
{
	if (!flame->tree)
		return;
	select_node(flame, flame_path_find(&flame->marked, flame->tree));
	flame->is_others = flame->is_marked_others;
}

/* Returns the largest match among the nodes @begin..@end - 1, or FLAME_NONE. */
static uint32_t largest_match(const struct call_tree *tree, uint32_t begin, uint32_t end,
			      const char *search)
{
	uint32_t found = FLAME_NONE;

	for (uint32_t i = begin; i < end; i++)
		if ((found == FLAME_NONE ||
		     tree->nodes[i].now.total.weight > tree->nodes[found].now.total.weight) &&
		    flame_match_is(&tree->nodes[i], search))
			found = i;
	return found;
}

/* Returns the match after (@step 1) or before (-1) node @from, or FLAME_NONE. */
static uint32_t next_match(const struct call_tree *tree, uint32_t begin, uint32_t end,
			   uint32_t from, const char *search, int step)
{
	const uint32_t count = end - begin;

	for (uint32_t i = 0; i < count; i++) {
		from = begin + (from - begin + (step < 0 ? count - 1 : 1)) % count;
		if (flame_match_is(&tree->nodes[from], search))
			return from;
	}
	return FLAME_NONE;
}

bool flame_graph_find(struct flame_graph *flame, const char *search, int step)
{
	const uint32_t zoom = flame_graph_zoomed(flame);
	const uint32_t begin = zoom == FLAME_NONE ? 0 : zoom;
	uint32_t from = flame_graph_selected_node(flame), end, found;

	if (!flame->layout.count)
		return false;
	end = zoom == FLAME_NONE ? flame->tree->node_count : zoom + flame->tree->nodes[zoom].size;
	if (from < begin || from >= end)
		from = begin;
	found = step ? next_match(flame->tree, begin, end, from, search, step)
		     : largest_match(flame->tree, begin, end, search);
	if (found != FLAME_NONE)
		select_node(flame, found);
	return found != FLAME_NONE;
}
