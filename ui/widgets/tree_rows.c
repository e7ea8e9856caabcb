/* tree_rows.c - see tree_rows.h.
 *
 * The nodes are in preorder, so the lines come from one pass over them that skips the subtrees of
 * closed lines. The parent of a new row is found by walking up from the row made before.
 */
#include "tree_rows.h"

#include <stdlib.h>
#include <string.h>

#define OPEN_PCT     5.0	/* % of the tree's weight: such lines are open at first */
#define OPEN_GROUP_PCT 20.0	/* a group can have hundreds of children: only the few largest */
#define REMEMBER_MAX 200000	/* ids of lines; beyond them it is forgotten what was opened */

/* What nodes of call trees and of group trees have in common. */
struct spot {
	uint64_t id;
	uint32_t parent, size;
};

static struct spot spot_of(const struct tree_rows *rows, uint32_t node)
{
	if (rows->groups) {
		const struct group_node *group = &rows->groups->nodes[node];

		return (struct spot){ group->id, group->parent, group->size };
	}
	return (struct spot){ rows->tree->nodes[node].id, rows->tree->nodes[node].parent,
			      rows->tree->nodes[node].size };
}

static uint32_t node_count(const struct tree_rows *rows)
{
	if (rows->groups)
		return rows->groups->node_count;
	return rows->tree ? rows->tree->node_count : 0;
}

static double weight_of_roots(const struct group_tree *groups)
{
	double weight = 0;

	for (uint32_t n = 0; n < groups->node_count; n += groups->nodes[n].size)
		weight += groups->nodes[n].now.self.weight;
	return weight;
}

/* Judges a group by its self: by total the loader's code would be heavy, too, as it calls all. */
static bool is_heavy_group(const struct tree_rows *rows, uint32_t node)
{
	const struct group_node *nodes = rows->groups->nodes;
	double of = rows->group_weight;
	uint32_t root = node;

	while (nodes[root].parent != UINT32_MAX)
		root = nodes[root].parent;
	if (rows->groups->keys[0] == GROUP_EVENT)	/* their weights can't be compared */
		of = nodes[root].now.self.weight;
	return nodes[node].now.self.weight >= of * OPEN_GROUP_PCT / 100.0;
}

/* True if the node is heavy in the window or in the baseline. */
static bool is_heavy(const struct tree_rows *rows, uint32_t node)
{
	const struct call_tree *tree = rows->tree;

	if (rows->groups)
		return is_heavy_group(rows, node);
	return tree->nodes[node].now.total.weight >= tree->weight * OPEN_PCT / 100.0 ||
	       (tree->base_weight > 0 && tree->nodes[node].base.total.weight >=
						 tree->base_weight * OPEN_PCT / 100.0);
}

bool tree_rows_has_children(const struct tree_rows *rows, const struct tree_row *row)
{
	return spot_of(rows, row->last).size > 1;
}

void tree_rows_finish(struct tree_rows *rows)
{
	free(rows->rows);
	id_map_finish(&rows->open);
	id_map_finish(&rows->unchained);
	memset(rows, 0, sizeof(*rows));
}

bool tree_rows_is_same(const struct tree_node *a, const struct tree_node *b)
{
	return a->address == b->address && a->dso_id == b->dso_id && a->state == b->state &&
	       !strcmp(a->raw_symbol, b->raw_symbol);
}

/* True if all of the node goes on to one child. Among callers the function itself stands alone. */
static bool is_link(const struct tree_rows *rows, uint32_t node)
{
	const struct call_tree *tree = rows->tree;
	const struct tree_node *at;

	if (rows->groups)
		return false;
	at = &tree->nodes[node];
	if (at->size < 2 || at[1].size + 1 != at->size || at->is_command)
		return false;
	if (tree->direction == TREE_CALLERS && at->depth == 0)
		return false;
	return at[1].now.total.samples == at->now.total.samples &&
	       at[1].base.total.samples == at->base.total.samples && !(at->hidden_weight > 0);
}

static bool is_chained(const struct tree_rows *rows, uint32_t node)
{
	return is_link(rows, node) &&
	       id_map_get(&rows->unchained, rows->tree->nodes[node].id) != 1;
}

static void remember(struct id_map *map, uint64_t id, bool value)
{
	if (map->used > REMEMBER_MAX)
		id_map_clear(map);
	id_map_put(map, id, value);	/* without memory it is decided anew each time */
}

static bool is_open(struct tree_rows *rows, uint32_t last)
{
	const struct spot spot = spot_of(rows, last);
	uint32_t known;

	if (spot.size < 2)
		return false;
	known = id_map_get(&rows->open, spot.id);
	if (known == ID_MAP_NONE) {
		known = is_heavy(rows, last);
		remember(&rows->open, spot.id, known);
	}
	return known;
}

static bool reserve_row(struct tree_rows *rows)
{
	const size_t room = rows->room ? rows->room * 2 : 256;
	struct tree_row *bigger;

	if (rows->count < rows->room)
		return true;
	bigger = reallocarray(rows->rows, room, sizeof(*bigger));
	if (!bigger)
		return false;
	rows->rows = bigger;
	rows->room = room;
	return true;
}

/* Makes the line that begins with node @first below the row @parent. */
static struct tree_row make_row(struct tree_rows *rows, uint32_t first, uint32_t parent)
{
	struct tree_row row = { .first = first, .last = first, .parent = parent };
	uint32_t after;

	while (is_chained(rows, row.last))
		row.last++;
	row.is_open = is_open(rows, row.last);
	row.depth = parent == TREE_ROWS_NONE ? 0 : rows->rows[parent].depth + 1;
	after = first + spot_of(rows, first).size;
	row.is_last = after >= node_count(rows) ||
		      spot_of(rows, after).parent != spot_of(rows, first).parent;
	return row;
}

/* Returns the first node after the line and all beneath it. */
static uint32_t end_of(const struct tree_rows *rows, const struct tree_row *row)
{
	return row->last + spot_of(rows, row->last).size;
}

static void collect(struct tree_rows *rows)
{
	uint32_t parent = TREE_ROWS_NONE;

	rows->count = 0;
	for (uint32_t n = 0; n < node_count(rows);) {
		struct tree_row *row;

		while (parent != TREE_ROWS_NONE && n >= end_of(rows, &rows->rows[parent]))
			parent = rows->rows[parent].parent;
		if (!reserve_row(rows))
			return;
		row = &rows->rows[rows->count];
		*row = make_row(rows, n, parent);
		n = row->is_open ? row->last + 1 : end_of(rows, row);
		if (row->is_open)
			parent = (uint32_t)rows->count;
		rows->count++;
	}
}

const struct tree_row *tree_rows_cursor(const struct tree_rows *rows)
{
	return rows->place.cursor < rows->count ? &rows->rows[rows->place.cursor] : NULL;
}

static struct table_extent extent_of(const struct tree_rows *rows)
{
	return (struct table_extent){ .rows = rows->count, .page = rows->page };
}

static void note_cursor(struct tree_rows *rows)
{
	if (rows->count)
		rows->place.cursor_id = spot_of(rows, tree_rows_cursor(rows)->first).id;
}

static void set_cursor(struct tree_rows *rows, size_t cursor)
{
	table_place_set(&rows->place, extent_of(rows), cursor);
	note_cursor(rows);
}

/* Finds the row that has @node, or that @node lies beneath. */
static bool find_node(const struct tree_rows *rows, uint32_t node, size_t *out)
{
	size_t low = 0, high = rows->count;

	while (high - low > 1) {
		const size_t middle = (low + high) / 2;

		if (rows->rows[middle].first <= node)
			low = middle;
		else
			high = middle;
	}
	*out = low;
	return rows->count > 0;
}

static bool find_id(const struct tree_rows *rows, uint64_t id, size_t *out)
{
	for (uint32_t n = 0; n < node_count(rows); n++)
		if (spot_of(rows, n).id == id)
			return find_node(rows, n, out);
	return false;
}

static void collect_afresh(struct tree_rows *rows)
{
	const struct table_place *place = &rows->place;
	const uint64_t id = place->cursor_id;
	size_t cursor = place->cursor, found;

	collect(rows);
	if (find_id(rows, id, &found))
		cursor = table_place_follow(place, found);
	if (rows->count)
		set_cursor(rows, cursor);
}

void tree_rows_collect(struct tree_rows *rows, const struct call_tree *tree)
{
	rows->tree = tree;
	rows->groups = NULL;
	collect_afresh(rows);
}

void tree_rows_collect_groups(struct tree_rows *rows, const struct group_tree *groups)
{
	rows->tree = NULL;
	rows->groups = groups;
	rows->group_weight = groups ? weight_of_roots(groups) : 0;
	collect_afresh(rows);
}

/* Collects after lines were opened, closed or chained; the cursor goes to @node. */
static void collect_again(struct tree_rows *rows, uint32_t node)
{
	size_t found;

	collect(rows);
	rows->place.is_moved = true;
	if (find_node(rows, node, &found))
		set_cursor(rows, found);
}

void tree_rows_select_index(struct tree_rows *rows, size_t index)
{
	rows->place.is_moved = true;
	set_cursor(rows, index);
}

void tree_rows_select_id(struct tree_rows *rows, uint64_t id)
{
	size_t found;

	if (find_id(rows, id, &found))
		set_cursor(rows, found);
}

void tree_rows_restore(struct tree_rows *rows, const struct table_place *place)
{
	size_t found;

	rows->place = *place;
	if (find_id(rows, place->cursor_id, &found))
		table_place_carry(&rows->place, extent_of(rows),
				  table_place_follow(place, found));
	else
		table_place_set(&rows->place, extent_of(rows), place->cursor);
	note_cursor(rows);
}

void tree_rows_move(struct tree_rows *rows, enum view_move move)
{
	table_place_move(&rows->place, extent_of(rows), move);
	note_cursor(rows);
}

void tree_rows_scroll(struct tree_rows *rows, int lines)
{
	table_place_scroll(&rows->place, extent_of(rows), lines);
	note_cursor(rows);
}

void tree_rows_set_page(struct tree_rows *rows, size_t page)
{
	rows->page = page;
	table_place_fit(&rows->place, extent_of(rows));
}

void tree_rows_show_node(struct tree_rows *rows, uint32_t node)
{
	for (uint32_t at = spot_of(rows, node).parent; at != UINT32_MAX;
	     at = spot_of(rows, at).parent)
		remember(&rows->open, spot_of(rows, at).id, true);
	collect_again(rows, node);
}

static void set_chained(struct tree_rows *rows, uint32_t node, bool is_chained_)
{
	for (; is_link(rows, node); node++)
		remember(&rows->unchained, spot_of(rows, node).id, !is_chained_);
}

void tree_rows_open(struct tree_rows *rows)
{
	const struct tree_row *row = tree_rows_cursor(rows);
	const uint32_t first = row ? row->first : 0;

	if (!row)
		return;
	if (!row->is_open && tree_rows_has_children(rows, row)) {
		remember(&rows->open, spot_of(rows, row->last).id, true);
	} else if (row->first != row->last) {
		for (uint32_t n = row->first; n < row->last; n++)
			remember(&rows->open, spot_of(rows, n).id, true);
		set_chained(rows, row->first, false);
	} else {
		if (row->is_open)
			tree_rows_select_index(rows, rows->place.cursor + 1);
		return;
	}
	collect_again(rows, first);
}

/* Returns the first node of the chain that @node would be on if nothing was unchained. */
static uint32_t chain_begin(const struct tree_rows *rows, uint32_t node)
{
	while (spot_of(rows, node).parent != UINT32_MAX &&
	       is_link(rows, spot_of(rows, node).parent))
		node = spot_of(rows, node).parent;
	return node;
}

bool tree_rows_close(struct tree_rows *rows)
{
	const struct tree_row *row = tree_rows_cursor(rows);
	uint32_t first;

	if (!row)
		return false;
	first = row->first;
	if (row->first == row->last &&
	    (is_link(rows, first) || chain_begin(rows, first) != first)) {
		first = chain_begin(rows, first);
		set_chained(rows, first, true);
	} else if (row->is_open) {
		remember(&rows->open, spot_of(rows, row->last).id, false);
	} else if (row->parent != TREE_ROWS_NONE) {
		tree_rows_select_index(rows, row->parent);
		return true;
	} else {
		return false;
	}
	collect_again(rows, first);
	return true;
}

static void set_all(struct tree_rows *rows, bool is_open_)
{
	const struct tree_row *row = tree_rows_cursor(rows);

	if (!row)
		return;
	for (uint32_t n = 0; n < node_count(rows); n++)
		if (spot_of(rows, n).size > 1)
			remember(&rows->open, spot_of(rows, n).id, is_open_);
	collect_again(rows, row->first);
}

void tree_rows_open_all(struct tree_rows *rows)
{
	set_all(rows, true);
}

void tree_rows_close_all(struct tree_rows *rows)
{
	set_all(rows, false);
}

/* Returns the weight of a node, or in a tree sorted by change the size of its share's change. */
static double heat_of(const struct tree_rows *rows, uint32_t node)
{
	const struct call_tree *tree = rows->tree;
	double now, then;

	if (rows->groups)
		return rows->groups->nodes[node].now.self.weight;
	if (!(tree->base_weight > 0))
		return tree->nodes[node].now.total.weight;
	now = tree->weight > 0 ? tree->nodes[node].now.total.weight / tree->weight : 0;
	then = tree->nodes[node].base.total.weight / tree->base_weight;
	return now > then ? now - then : then - now;
}

/* True if the hottest path of the node's parent leads elsewhere. Siblings are sorted. */
static bool is_branch(const struct tree_rows *rows, uint32_t node)
{
	const uint32_t parent = spot_of(rows, node).parent;

	return parent == UINT32_MAX || node != parent + 1;
}

/* The nodes first <= node < end, in which hottest paths are searched. */
struct scope {
	uint32_t first, end;
};

/* Returns the hottest branch in @scope that comes after @before, the first of equally hot ones;
 * @before UINT32_MAX: the beginning of the scope, which counts as the first branch. UINT32_MAX:
 * there is none. */
static uint32_t next_branch(const struct tree_rows *rows, struct scope scope, uint32_t before)
{
	uint32_t found = UINT32_MAX;

	if (before == UINT32_MAX)
		return scope.first;
	for (uint32_t n = scope.first + 1; n < scope.end; n++) {
		const double heat = heat_of(rows, n);
		const double last = before == scope.first ? heat + 1 : heat_of(rows, before);

		if (!is_branch(rows, n) || n == before || heat > last ||
		    (!(heat < last) && n < before))
			continue;
		if (found == UINT32_MAX || heat > heat_of(rows, found))
			found = n;
	}
	return found;
}

static bool find_number(const struct tree_rows *rows, uint64_t id, uint32_t *out)
{
	for (*out = 0; *out < node_count(rows); ++*out)
		if (spot_of(rows, *out).id == id)
			return true;
	return false;
}

static struct scope scope_of(const struct tree_rows *rows, uint32_t node)
{
	return (struct scope){ node, node + spot_of(rows, node).size };
}

/* True if the cursor is on the end of the path opened last; sets *@head and *@scope to its. */
static bool is_at_end(const struct tree_rows *rows, struct scope *scope, uint32_t *head)
{
	const struct tree_row *row = tree_rows_cursor(rows);
	uint32_t end, top;

	if (!rows->hottest_end || !find_number(rows, rows->hottest_end, &end) ||
	    end < row->first || end > row->last || !find_number(rows, rows->hottest_head, head))
		return false;
	if (!rows->hottest_scope)
		return true;
	if (!find_number(rows, rows->hottest_scope, &top))
		return false;
	*scope = scope_of(rows, top);
	return true;
}

void tree_rows_open_hottest(struct tree_rows *rows)
{
	const struct tree_row *row = tree_rows_cursor(rows);
	struct scope scope = { 0, node_count(rows) };
	uint32_t head = UINT32_MAX, node;

	if (!row)
		return;
	if (!is_at_end(rows, &scope, &head)) {
		rows->hottest_scope = 0;
		if (rows->place.is_moved && tree_rows_has_children(rows, row)) {
			scope = scope_of(rows, row->last);
			rows->hottest_scope = spot_of(rows, row->last).id;
		}
	}
	head = next_branch(rows, scope, head);
	if (head == UINT32_MAX)	/* after the last path comes the first again */
		head = scope.first;
	for (node = spot_of(rows, head).parent; node != UINT32_MAX;
	     node = spot_of(rows, node).parent)
		remember(&rows->open, spot_of(rows, node).id, true);
	for (node = head; spot_of(rows, node).size > 1; node++)
		remember(&rows->open, spot_of(rows, node).id, true);
	rows->hottest_head = spot_of(rows, head).id;
	rows->hottest_end = spot_of(rows, node).id;
	collect_again(rows, node);
}

#define ROOT_CELLS 2		/* its mark and a space */

int tree_guides_width(const struct tree_row *row)
{
	return row->depth ? (int)row->depth * TREE_GUIDES_CELLS : ROOT_CELLS;
}

void tree_guides_draw(const struct tree_rows *rows, const struct tree_row *row, int shift,
		      struct canvas *canvas, struct canvas_area area)
{
	const bool is_closed = !row->is_open && tree_rows_has_children(rows, row);
	const struct tree_row *at = row;

	for (int depth = (int)row->depth; depth > 0; depth--, at = &rows->rows[at->parent]) {
		const int x = (depth - 1) * TREE_GUIDES_CELLS - shift;
		struct canvas_area cell = { area.x + x, area.y, area.width - x };

		if (x < 0 || x >= area.width)
			continue;
		if (at != row) {
			if (!at->is_last)
				canvas_put_text(canvas, cell, SAFE_TEXT("\u2502"), ROLE_DIM);
			continue;
		}
		cell.x += canvas_put_text(
			canvas, cell, canvas_clean(row->is_last ? "\u2514" : "\u251c"), ROLE_DIM);
		cell.width--;
		canvas_put_text(canvas, cell, canvas_clean(is_closed ? "\u25b8" : "\u2500"),
				ROLE_DIM);
	}
	if (!row->depth && !shift && tree_rows_has_children(rows, row))
		canvas_put_text(canvas, area, canvas_clean(is_closed ? "\u25b8" : "\u25be"),
				ROLE_DIM);
}
