/* view_groups.c - see view_groups.h.
 *
 *    SELF%           TOTAL%  SAMPLES comm > dso > symbol
 *    61.20 ████████   61.20    21.3k ▾ postgres
 *    41.65 █████▍     70.08    14.5k ├─ postgres
 *    41.65 █████▍     70.08    14.5k │  └─ [.] hash_search_with_hash_value
 *
 * Bars are scaled by the largest root, so that a group's part of it is visible; with several
 * events, whose weights can't be compared, by the node's own event.
 */
#include "view_groups.h"

#include <stdio.h>
#include <string.h>

#include "analyzer/request.h"
#include "command_line.h"
#include "fold/query.h"
#include "widgets/group_order.h"
#include "widgets/change.h"
#include "widgets/detail.h"
#include "widgets/empty.h"
#include "widgets/event_cells.h"
#include "widgets/format.h"
#include "widgets/group_panel.h"
#include "widgets/group_path.h"
#include "widgets/hit_weight.h"
#include "widgets/search.h"
#include "widgets/symbol_fold.h"
#include "widgets/tree_rows.h"

#define FIRST_X	       2
#define PCT_CELLS      6
#define COUNT_CELLS    7
#define BAR_WIDTH      60	/* a screen of so many cells has room for bars */
#define BAR_CELLS      8
#define WIDE_WIDTH     100	/* for longer ones */
#define WIDE_BAR_CELLS 16
#define COUNT_WIDTH    80	/* for SAMPLES */
#define NOTE_BYTES     96
#define BAR_BYTES      (3 * WIDE_BAR_CELLS + 1)

/* Where the columns are; a width of 0: it has no room. */
struct places {
	struct canvas_area self, bar, change, total, ratio, count, tree;
};

static struct places place_columns(int width, bool is_compared, bool has_ratio)
{
	const int wide = width >= WIDE_WIDTH ? WIDE_BAR_CELLS : width >= BAR_WIDTH ? BAR_CELLS : 0;
	const int bar = is_compared && width < WIDE_WIDTH ? 0 : wide;
	const int count = width >= COUNT_WIDTH ? COUNT_CELLS : 0;
	struct places out = { .self = { FIRST_X, 0, PCT_CELLS } };
	int x = FIRST_X + PCT_CELLS + 1;

	out.bar = (struct canvas_area){ x, 0, bar };
	x += bar ? bar + 1 : 0;
	out.change = (struct canvas_area){ x, 0, is_compared ? PCT_CELLS : 0 };
	x += is_compared ? PCT_CELLS + 1 : 0;
	out.total = (struct canvas_area){ x, 0, PCT_CELLS };
	x += PCT_CELLS + 1;
	out.ratio = (struct canvas_area){ x, 0, has_ratio ? EVENT_RATIO_CELLS : 0 };
	x += has_ratio ? EVENT_RATIO_CELLS + 1 : 0;
	out.count = (struct canvas_area){ x, 0, count };
	x += count ? count + 1 : 0;
	out.tree = (struct canvas_area){ x, 0, width - x - 1 };
	return out;
}

static struct canvas_area on_line(struct canvas_area area, int y)
{
	area.y = y;
	return area;
}

static bool is_other_order(const struct groups_view *groups, const struct group_tree *tree)
{
	return groups->level_count != tree->level_count ||
	       memcmp(groups->keys, tree->keys, tree->level_count * sizeof(tree->keys[0])) != 0;
}

static bool is_compared(const struct ui_state *state)
{
	return state->shown && state->shown->groups.is_compared;
}

/* Returns the ratio of the groups; NULL: none, or the groups are of one event each. */
static const struct event_ratio *ratio_of(const struct ui_state *state)
{
	const struct event_ratio *ratio = state_tree_ratio(state);

	return ratio && state->shown->groups.keys[0] != GROUP_EVENT ? ratio : NULL;
}

static bool has_id(const struct group_tree *tree, uint64_t id)
{
	for (uint32_t n = 0; n < tree->node_count; n++)
		if (tree->nodes[n].id == id)
			return true;
	return false;
}

/* In another order the same line is something else: the cursor is with its group, or on top. */
static void take_order(struct groups_view *groups, const struct group_tree *tree)
{
	if (!is_other_order(groups, tree))
		return;
	groups->level_count = tree->level_count;
	memcpy(groups->keys, tree->keys, sizeof(groups->keys));
	if (!has_id(tree, groups->lines.rows.place.cursor_id))
		groups->lines.rows.place = (struct table_place){ .cursor = 0 };
}

static void refresh_groups(struct view *view, const struct ui_state *state)
{
	struct groups_view *groups = (struct groups_view *)view;
	const bool has_groups = state->shown && state->shown->groups.level_count;

	if (has_groups)
		take_order(groups, &state->shown->groups);
	if (!has_groups)
		tree_rows_collect_groups(&groups->lines.rows, NULL);
	else if (state->shown->groups.is_compared)
		tree_rows_collect_groups(&groups->lines.rows,
					 tree_order_groups_by_change(&groups->lines.order,
								     state->shown));
	else
		tree_rows_collect_groups(&groups->lines.rows, &state->shown->groups);
}

static double largest_root(const struct group_tree *tree)
{
	double largest = 0;

	for (uint32_t n = 0; n < tree->node_count; n += tree->nodes[n].size)
		if (tree->nodes[n].now.self.weight > largest)
			largest = tree->nodes[n].now.self.weight;
	return largest;
}

static double whole_bar(const struct group_tree *tree, const struct group_node *node)
{
	if (tree->keys[0] != GROUP_EVENT)
		return largest_root(tree);
	while (node->parent != UINT32_MAX)
		node = &tree->nodes[node->parent];
	return node->now.self.weight;
}

static void put_change(const struct group_node *node, struct canvas *canvas,
		       struct canvas_area area)
{
	const double points = change_of_group(node);
	char text[FORMAT_BYTES] = "-";	/* the baseline has not its event */

	if (!area.width)
		return;
	if (node->has_base)
		change_format_points(text, points);
	canvas_put_right(canvas, area, canvas_clean(change_group_is_new(node) ? "new" : text),
			 change_role(points));
}

/* Returns the self share of a group in % of its parent group. */
static double pct_of_parent(const struct tree_rows *rows, const struct group_node *node)
{
	double of;

	if (node->parent == UINT32_MAX)
		return group_node_pct(node, node->now.self.weight);
	of = tree_rows_group(rows, node->parent)->now.self.weight;
	return of > 0 ? 100.0 * node->now.self.weight / of : 0;
}

/* True: what samples weigh is shown in place of their number. In rows of several events only the
 * number can be. */
static bool has_sums(const struct ui_state *state)
{
	const struct group_tree *tree = groups_view_of(state)->lines.rows.groups;

	return tree && (tree->is_of_waits || (hit_weight_is_shown(state->shown) &&
					      !state->shown->is_of_waits));
}

static void put_numbers(const struct ui_state *state, const struct group_node *node,
			const struct places *places, struct canvas *canvas, int y)
{
	const struct groups_view *groups = groups_view_of(state);
	const double total = group_node_pct(node, node->now.total.weight);
	const double whole = whole_bar(groups->lines.rows.groups, node);
	double self = group_node_pct(node, node->now.self.weight);
	double fraction = whole > 0 ? node->now.self.weight / whole : 0;
	char text[BAR_BYTES];

	if (groups->lines.is_of_parent) {
		self = pct_of_parent(&groups->lines.rows, node);
		fraction = self / 100;
	}
	canvas_put_right(canvas, on_line(places->total, y), canvas_clean(format_pct(text, total)),
			 row_role_of_share(total));
	if (change_group_is_gone(node))
		canvas_put_right(canvas, on_line(places->self, y), SAFE_TEXT("gone"), ROLE_DIM);
	if (!node->now.self.samples)
		return;
	canvas_put_right(canvas, on_line(places->self, y), canvas_clean(format_pct(text, self)),
			 row_role_of_share(self));
	if (has_sums(state))
		hit_weight_of_row(text, state->shown, node->now.self.weight);
	else
		format_count(text, node->now.self.samples);
	canvas_put_right(canvas, on_line(places->count, y), canvas_clean(text), ROLE_DIM);
	format_bar(text, sizeof(text), places->bar.width, fraction, canvas->is_ascii);
	canvas_put_text(canvas, on_line(places->bar, y), canvas_clean(text),
			row_role_of_share(self));
}

static bool is_function(enum group_key key)
{
	return key == GROUP_SYMBOL || key == GROUP_PARENT;
}

static enum role role_of(const struct group_node *node, enum group_key key)
{
	if (node->is_unknown)
		return ROLE_UNRESOLVED;
	if (is_function(key) || key == GROUP_ADDRESS)
		return node->name[0] || key == GROUP_ADDRESS ? row_role_of_code(node->mode, false)
							    : ROLE_UNRESOLVED;
	return key == GROUP_COMM || key == GROUP_PID || group_key_is_by(key) ? ROLE_NAME
									     : ROLE_TEXT;
}

static void put_name(const struct tree_rows *rows, const struct group_node *node,
		     struct canvas *canvas, struct canvas_area area)
{
	const enum group_key key = rows->groups->keys[node->depth];
	const enum role role = role_of(node, key);
	char folded[SYMBOL_FOLD_BYTES], level[8];
	const char *name = node->text;
	int used;

	if (is_function(key) && node->mode != MODE_UNKNOWN) {
		snprintf(level, sizeof(level), "[%c] ", snapshot_level(node->mode));
		used = canvas_put_text(canvas, area, canvas_clean(level), role);
		area.x += used;
		area.width -= used;
	}
	if (is_function(key))
		name = symbol_fold(canvas, name, area.width, folded);
	canvas_put_text(canvas, area, canvas_clean(name), role);
}

static void select_line(const struct places *places, struct canvas *canvas, int y)
{
	canvas_select_line(canvas, y);
	canvas_set_role(canvas, on_line(places->bar, y), ROLE_SELECTED_BAR);
}

static void draw_row(const struct ui_state *state, size_t index, const struct places *places,
		     struct canvas *canvas, int y)
{
	const struct groups_view *groups = groups_view_of(state);
	const struct tree_row *row = &groups->lines.rows.rows[index];
	const struct group_node *node = tree_rows_group(&groups->lines.rows, row->first);
	const int indent = tree_guides_width(row);
	struct canvas_area name = on_line(places->tree, y);

	put_numbers(state, node, places, canvas, y);
	put_change(node, canvas, on_line(places->change, y));
	if (places->ratio.width)
		event_cells_put_ratio(canvas, on_line(places->ratio, y), ratio_of(state),
				      node->by_event, false);
	tree_guides_draw(&groups->lines.rows, row, 0, canvas, name);
	name.x += indent;
	name.width -= indent;
	put_name(&groups->lines.rows, node, canvas, name);
	if (index == groups->lines.rows.place.cursor)
		select_line(places, canvas, y);
	search_highlight(canvas, (struct canvas_area){ 0, y, canvas->width }, state->search);
}

/* Draws how many groups the snapshot had no room for. */
static void put_hidden(const struct group_tree *tree, struct canvas *canvas,
		       struct canvas_area area)
{
	char count[FORMAT_BYTES], text[NOTE_BYTES];

	if (!tree->hidden_samples)
		return;
	snprintf(text, sizeof(text), "%s samples in smaller groups",
		 format_count(count, tree->hidden_samples));
	if (canvas_text_width(canvas, text) > area.width)
		snprintf(text, sizeof(text), "+%s", count);
	if (canvas_text_width(canvas, text) <= area.width)
		canvas_put_right(canvas, area, canvas_clean(text), ROLE_DIM);
}

static void draw_titles(const struct ui_state *state, const struct places *places,
			struct canvas *canvas, int y)
{
	const struct groups_view *groups = groups_view_of(state);
	const struct group_tree *tree = groups->lines.rows.groups;
	struct canvas_area area = on_line(places->tree, y);
	const struct snapshot_probe *probe = state_weighed_probe(state);
	const struct group_order asked = group_order_of(&state->query.groups, probe);
	char order[GROUP_ORDER_BYTES];
	int used;

	canvas_put_right(canvas, on_line(places->self, y),
			 canvas_clean(groups->lines.is_of_parent ? "PARENT" : "SELF%"),
			 ROLE_HEADING);
	if (places->change.width)
		canvas_put_right(canvas, on_line(places->change, y), SAFE_TEXT("\u0394%"),
				 ROLE_HEADING);
	canvas_put_right(canvas, on_line(places->total, y), SAFE_TEXT("TOTAL%"), ROLE_HEADING);
	if (places->ratio.width)
		canvas_put_right(canvas, on_line(places->ratio, y),
				 canvas_clean(ratio_of(state)->title), ROLE_HEADING);
	canvas_put_right(canvas, on_line(places->count, y),
			 canvas_clean(has_sums(state) ? hit_weight_title(state->shown)
						      : "SAMPLES"),
			 ROLE_HEADING);
	if (tree)
		group_order_format(tree->keys, tree->level_count, tree->by_names, order);
	else
		group_order_format(asked.keys, asked.count, probe ? probe->key_names : NULL,
				   order);
	used = canvas_put_text(canvas, area, canvas_clean(order), ROLE_HEADING);
	area.x += used + 2;
	area.width -= used + 2;
	if (tree)
		put_hidden(tree, canvas, area);
}

static void draw_groups(struct view *view, struct ui_state *state, struct canvas *canvas, int top,
			int lines)
{
	struct tree_rows *rows = &((struct groups_view *)view)->lines.rows;
	const int width = canvas->width - group_panel_cells(state, canvas->width);
	const struct places places = place_columns(width, is_compared(state),
						   width >= BAR_WIDTH && ratio_of(state));
	const int detail = detail_lines(state, canvas->height);
	const struct tree_row *line = tree_rows_cursor(rows);
	const struct detail_of subject = {
		.groups = rows->groups, .group = line ? tree_rows_group(rows, line->first) : NULL,
	};

	lines -= detail;
	tree_rows_set_page(rows, lines > 1 ? (size_t)(lines - 1) : 0);
	draw_titles(state, &places, canvas, top);
	if (!rows->count)
		empty_draw(state, canvas, top + 2, top + lines);
	for (size_t i = rows->place.top; i < rows->count && i < rows->place.top + rows->page; i++)
		draw_row(state, i, &places, canvas, top + 1 + (int)(i - rows->place.top));
	hits_add(&state->display.hits, (struct hit){ HIT_ROWS, 0, top + 1, canvas->width,
						     (int)rows->page, rows->place.top });
	detail_draw(state, canvas, top + lines, detail, &subject);
}

static void fill_query(const struct view *view, const struct ui_state *state, struct query *out)
{
	const struct group_order order =
		group_order_of(&state->query.groups, state_weighed_probe(state));

	(void)view;
	out->group_count = order.count;
	memcpy(out->groups, order.keys, sizeof(order.keys));
}

static void add_options(const struct ui_state *state, struct command_line *line)
{
	const struct group_order groups =
		group_order_of(&state->query.groups, state_weighed_probe(state));
	char text[GROUP_ORDER_BYTES] = "";
	size_t used = 0;

	for (uint32_t i = 0; i < groups.count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? "," : "",
					 group_key_name(groups.keys[i]));
	command_line_option(line, "--group", text);
}

static bool cursor_row(const struct view *view, const struct ui_state *state,
		       struct snapshot_row *out)
{
	const struct tree_rows *rows = &((const struct groups_view *)view)->lines.rows;
	const struct tree_row *line = tree_rows_cursor(rows);

	(void)state;
	if (line)
		*out = group_path_row(rows->groups, line->first);
	return line;
}

static bool cursor_way(const struct view *view, const struct ui_state *state,
		       struct cursor_way *out)
{
	const struct tree_rows *rows = &((const struct groups_view *)view)->lines.rows;
	const struct tree_row *line = tree_rows_cursor(rows);

	if (!line)
		return false;
	out->count = group_path_parts(rows->groups, line->first, out->parts, &out->left_out);
	out->event = group_path_event(rows->groups, line->first, state->query.sample_event);
	return out->count || !out->left_out;
}

static const char *cursor_title(const struct view *view)
{
	const struct tree_rows *rows = &((const struct groups_view *)view)->lines.rows;

	return tree_rows_group(rows, tree_rows_cursor(rows)->first)->text;
}

static bool group_matches(const struct tree_rows *rows, uint32_t number, const char *text)
{
	const struct group_node *group = tree_rows_group(rows, number);

	return search_matches(text, group->text) || search_matches(text, group->name);
}

static size_t node_count(const struct view *view)
{
	const struct group_tree *groups = ((const struct groups_view *)view)->lines.rows.groups;

	return groups ? groups->node_count : 0;
}

static bool find_node(struct view *view, const struct ui_state *state, const char *text, int step)
{
	(void)state;
	return tree_lines_find(view, node_count(view), group_matches, text, step);
}

static size_t count_nodes(const struct view *view, const struct ui_state *state, const char *text,
			  size_t *of)
{
	(void)state;
	*of = node_count(view);
	return tree_lines_count(view, *of, group_matches, text);
}

const struct view_ops view_groups_ops = {
	.place = IN_GROUPS,
	.menu = "row-menu",
	.found = "groups",
	.bytes = sizeof(struct groups_view),
	.finish = tree_lines_finish,
	.refresh = refresh_groups,
	.draw = draw_groups,
	.query = fill_query,
	.add_options = add_options,
	.move = tree_lines_move,
	.scroll = tree_lines_scroll,
	.select = tree_lines_select,
	.place_of = tree_lines_place,
	.restore = tree_lines_restore,
	.hottest = tree_lines_hottest,
	.cursor_row = cursor_row,
	.cursor_way = cursor_way,
	.cursor_title = cursor_title,
	.mark = tree_lines_mark,
	.unmark = tree_lines_unmark,
	.find = find_node,
	.count = count_nodes,
	.tree_rows = tree_lines_rows,
	.of_parent = tree_lines_of_parent,
};
