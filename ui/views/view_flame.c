/* view_flame.c - see view_flame.h. The graph is in widgets/flame_graph.c.
 *
 * Boxes are drawn in half cells with an empty half cell between two, so that they differ without
 * colours. With ASCII only they are whole cells with a bar at their left.
 */
#include "view_flame.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/request.h"
#include "analyzer/snapshot.h"
#include "command_line.h"
#include "command_list.h"
#include "view_help.h"
#include "widgets/change.h"
#include "widgets/empty.h"
#include "widgets/flame_layout.h"
#include "widgets/format.h"
#include "widgets/hit_weight.h"
#include "widgets/pieces.h"
#include "widgets/symbol_fold.h"

#define TWO_DETAILS_ROWS 12	/* lower views have one line of detail: each line counts */
#define NOTES_ROWS	 5
#define LABEL_CELLS	 3	/* narrower boxes get no name */
#define NARROW		60	/* columns below which there is no room for the search text */
#define SHARE_GAP_CELLS	 2
#define GAP		 " \u00b7 "
#define SAME_SHARE	 0.995	/* part of the caller's share: not worth repeating */
#define OTHERS_BYTES	 32

/* How many lines each part of the flame graph gets in a view of some rows. */
struct flame_lines {
	int notes, boxes, detail;
};

static struct flame_lines share_lines(int rows)
{
	struct flame_lines lines = { .notes = rows >= NOTES_ROWS,
				     .detail = rows >= TWO_DETAILS_ROWS ? 2 : rows > 1 };

	lines.boxes = rows - lines.notes - lines.detail;
	return lines;
}

/* While names are being read all code of a DSO is one frame. */
static const char *frame_name(const struct tree_node *node)
{
	return node->symbol[0] && (node->state != SYMBOL_UNKNOWN || node->address) ? node->symbol
										   : node->dso;
}

/* What follows the first "::" outside of brackets, or NULL. */
static const char *skip_qualifier(const char *name)
{
	int brackets = 0;

	for (; *name; name++) {
		if (strchr("<([{", *name))
			brackets++;
		else if (strchr(">)]}", *name))
			brackets--;
		else if (!brackets && name[0] == ':' && name[1] == ':')
			return name + 2;
	}
	return NULL;
}

/* Shortens @name to @width cells: folds arguments, then templates, then drops its scopes. */
static int put_short_name(struct canvas *canvas, struct canvas_area area, const char *name,
			  enum role role)
{
	char folded[SYMBOL_FOLD_BYTES];
	const char *next = symbol_fold(canvas, name, area.width, folded);

	do {
		name = next;
		next = skip_qualifier(name);
	} while (next && canvas_text_width(canvas, name) > area.width);
	return canvas_put_text(canvas, area, canvas_clean(name), role);
}

static enum flame_kind kind_above(const struct call_tree *tree, const struct tree_node *node)
{
	return node->parent == FLAME_NONE || tree->nodes[node->parent].is_command
	       ? FLAME_USER : flame_kind_of(&tree->nodes[node->parent]);
}

static enum flame_fill fill_of(const struct ui_state *state)
{
	return flame_graph_fill(flame_of(state), state_is_compared(state));
}

/* The sign says without a colour what the colour says. The kind is said where it changes: the
 * frames below it are the same. */
static void put_name(const struct ui_state *state, struct canvas *canvas, struct canvas_area *area,
		     const struct tree_node *node, enum role role)
{
	const struct call_tree *tree = flame_of(state)->tree;
	const enum flame_kind kind = flame_kind_of(node);
	int used = 0;

	if (fill_of(state) == FLAME_BY_CHANGE)
		used = canvas_put_text(canvas, *area,
				       canvas_clean(flame_fill_sign(state->shown, node)), role);
	area->x += used;
	area->width -= used;
	used = 0;
	if (kind != kind_above(tree, node) && area->width > 2 * LABEL_CELLS)
		used = canvas_put_text(canvas, *area, canvas_clean(flame_kind_mark(kind)), role);
	area->x += used;
	area->width -= used;
	used = put_short_name(canvas, *area, frame_name(node), role);
	area->x += used;
	area->width -= used;
}

static void put_number(struct canvas *canvas, struct canvas_area area, const char *text,
		       enum role role)
{
	if (area.width >= canvas_text_width(canvas, text) + SHARE_GAP_CELLS)
		canvas_put_right(canvas, area, canvas_clean(text), role);
}

static void put_share(const struct ui_state *state, struct canvas *canvas, struct canvas_area area,
		      double weight, enum role role)
{
	char pct[FORMAT_BYTES], text[FORMAT_BYTES + 3];

	snprintf(text, sizeof(text), "%s %%",
		 format_pct(pct, snapshot_pct(state->shown, weight)));
	put_number(canvas, area, text, role);
}

static void put_points(const struct ui_state *state, struct canvas *canvas,
		       struct canvas_area area, const struct tree_node *node, enum role role)
{
	char text[FORMAT_BYTES];

	if (change_node_is_new(state->shown, node))
		put_number(canvas, area, "new", role);
	else
		put_number(canvas, area,
			   change_format_points(text, change_of_node(state->shown, node)), role);
}

static enum role box_role(const struct ui_state *state, const struct flame_box *box)
{
	const struct flame_graph *flame = flame_of(state);
	const struct tree_node *node;

	if (box->others)
		return ROLE_FILL_QUIET;
	node = &flame->tree->nodes[box->node];
	if (state->search[0])
		return flame_match_is(node, state->search) ? ROLE_FILL_MATCH : ROLE_FILL_QUIET;
	return box->is_ancestor ? ROLE_FILL_QUIET
				: flame_fill_role(fill_of(state), state->shown, node,
						  box->is_hottest);
}

static bool has_callers_share(const struct flame_layout *layout, const struct flame_box *box)
{
	return box->parent != FLAME_NONE &&
	       box->weight > SAME_SHARE * layout->boxes[box->parent].weight;
}

/* @area: the whole cells of the box after its first. */
static void put_label(const struct ui_state *state, struct canvas *canvas, struct canvas_area area,
		      const struct flame_box *box, enum role role)
{
	char text[OTHERS_BYTES];

	if (area.width < LABEL_CELLS)
		return;
	if (box->others) {
		snprintf(text, sizeof(text), box->others > 1 ? "%" PRIu32 " others" : "others",
			 box->others);
		canvas_put_text(canvas, area, canvas_clean(text), role);
		return;
	}
	put_name(state, canvas, &area, &flame_of(state)->tree->nodes[box->node], role);
	area.width--;		/* as much room as at the left */
	if (has_callers_share(&flame_of(state)->layout, box))
		return;
	if (fill_of(state) == FLAME_BY_CHANGE)
		put_points(state, canvas, area, &flame_of(state)->tree->nodes[box->node], role);
	else
		put_share(state, canvas, area, box->weight, role);
}

static void draw_box(const struct ui_state *state, struct canvas *canvas, uint32_t index, int y)
{
	const struct flame_graph *flame = flame_of(state);
	const struct flame_box *box = &flame->layout.boxes[index];
	const bool is_selected = index == flame_graph_selected(flame);
	const enum role role = is_selected ? ROLE_FILL_SELECTED : box_role(state, box);
	const int halves = canvas->is_ascii ? 2 : 1, begin = box->x * halves;
	int end = (box->x + box->width) * halves, first = (begin + 1) / 2;

	if (!canvas->is_ascii && end < 2 * canvas->width)
		end--;		/* the gap */
	canvas_put_fill(canvas, begin, end, y, role);
	if (canvas->is_ascii)
		canvas_put_text(canvas, (struct canvas_area){ first, y, 1 }, SAFE_TEXT("\u2502"),
				role);
	if (is_selected && first < end / 2)
		canvas_put_text(canvas, (struct canvas_area){ first, y, 1 }, SAFE_TEXT("\u25b8"),
				role);
	if (!is_selected)
		first = begin / 2;
	put_label(state, canvas, (struct canvas_area){ first + 1, y, end / 2 - first - 1 }, box,
		  role);
}

static void draw_boxes(const struct ui_state *state, struct canvas *canvas, int top)
{
	const struct flame_graph *flame = flame_of(state);

	for (uint32_t i = 0; i < flame->layout.count; i++) {
		const int row = (int)flame->layout.boxes[i].line - flame->top;

		if (row >= 0 && row < flame->page)
			draw_box(state, canvas, i,
				 top + (flame->is_upright ? flame->page - 1 - row : row));
	}
}

/* Finds the last box of the hottest path. */
static const struct flame_box *hottest_end(const struct flame_layout *layout)
{
	const struct flame_box *end = NULL;

	for (size_t i = 0; i < layout->count; i++)
		if (layout->boxes[i].is_hottest)
			end = &layout->boxes[i];
	return end;
}

static void add_found(const struct ui_state *state, struct pieces *pieces, bool is_narrow)
{
	const struct flame_graph *flame = flame_of(state);
	const struct flame_matches found = flame_match_sum(flame->tree, flame_graph_zoomed(flame),
							   state->search);
	const double whole = flame->layout.weight;
	char pct[FORMAT_BYTES];

	format_pct(pct, whole > 0 ? 100 * found.weight / whole : 0);
	if (is_narrow)
		pieces_add(pieces, 1, ROLE_STATE, "matched: %s %%", pct);
	else
		pieces_add(pieces, 1, ROLE_STATE, "matched \"%s\": %s %%%s", state->search, pct,
			   flame_graph_zoomed(flame) == FLAME_NONE ? "" : " of zoom");
	pieces_add(pieces, 4, ROLE_DIM, "%" PRIu32 " frames", found.count);
}

/* Returns how many of the nodes @begin..@end - 1 are gone. */
static uint32_t count_gone(const struct call_tree *tree, uint32_t begin, uint32_t end)
{
	uint32_t count = 0;

	for (uint32_t i = begin; i < end; i++)
		count += change_node_is_gone(&tree->nodes[i]);
	return count;
}

static void add_zoom(const struct ui_state *state, struct pieces *pieces)
{
	const struct flame_graph *flame = flame_of(state);
	const uint32_t zoom = flame_graph_zoomed(flame);
	const struct flame_box *hottest = hottest_end(&flame->layout);
	char pct[FORMAT_BYTES];

	if (zoom != FLAME_NONE) {
		pieces_add(pieces, 2, ROLE_STATE, "zoom: %s",
			   frame_name(&flame->tree->nodes[zoom]));
		format_pct(pct, snapshot_pct(state->shown, flame->layout.weight));
		pieces_add(pieces, 3, ROLE_TEXT, "%s %% of %s", pct,
			   state->shown->is_relative ? "what is shown" : "window");
	} else if (!state->search[0] && hottest) {
		format_pct(pct, snapshot_pct(state->shown, hottest->weight));
		pieces_add(pieces, 2, ROLE_DIM, "hottest path ends in %s %s %%",
			   frame_name(&flame->tree->nodes[hottest->node]), pct);
	}
}

/* Lines that have no room, above and below. */
static void add_hidden_lines(struct pieces *pieces, int above, int below)
{
	if (above > 0)
		pieces_add(pieces, 0, ROLE_STATE, "\u25b2 %d above", above);
	if (below > 0)
		pieces_add(pieces, 0, ROLE_STATE, "\u25bc %d below", below);
}

static void draw_notes(const struct ui_state *state, struct canvas *canvas, int y)
{
	const struct flame_graph *flame = flame_of(state);
	const int above = flame->top, below = (int)flame->layout.lines - flame->top - flame->page;
	struct pieces pieces = { .gap = GAP };
	struct canvas_area area = { 1, y, canvas->width - 2 };
	int used;

	add_hidden_lines(&pieces, flame->is_upright ? below : above,
			 flame->is_upright ? above : below);
	if (state->search[0])
		add_found(state, &pieces, canvas->width < NARROW);
	add_zoom(state, &pieces);
	if (count_gone(flame->tree, 0, flame->tree->node_count))
		pieces_add(&pieces, 4, ROLE_DIM, "%" PRIu32 " gone",
			   count_gone(flame->tree, 0, flame->tree->node_count));
	if (pieces.count) {
		pieces_fit(canvas, &pieces, area.width);
		used = pieces_put(canvas, area, &pieces) - area.x + SHARE_GAP_CELLS;
		area.x += used;
		area.width -= used;
	}
	flame_fill_put_legend(canvas, area, fill_of(state), state->shown,
			      flame_graph_zoomed(flame));
}

/* Frames that are gone have no box: what the selected frame called of them is counted. */
static void add_gone(const struct call_tree *tree, struct pieces *pieces,
		     const struct tree_node *node)
{
	const uint32_t first = (uint32_t)(node - tree->nodes);
	const uint32_t count = count_gone(tree, first + 1, first + node->size);

	if (count)
		pieces_add(pieces, 1, ROLE_DIM, "%" PRIu32 " gone below", count);
}

static void add_change(const struct ui_state *state, struct pieces *pieces,
		       const struct tree_node *node)
{
	const double points = change_of_node(state->shown, node);
	char text[FORMAT_BYTES], before[FORMAT_BYTES];

	if (change_node_is_new(state->shown, node)) {
		pieces_add(pieces, 0, ROLE_MORE, "new");
	} else {
		format_pct(before, row_changes_base_pct(state->shown, node->base.total.weight));
		pieces_add(pieces, 0, change_role(points), "%s from %s %%",
			   change_format_points(text, points), before);
	}
	if (change_node_is_gone(node))
		pieces_add(pieces, 0, ROLE_DIM, "gone");
	add_gone(flame_of(state)->tree, pieces, node);
}

static void add_numbers(const struct ui_state *state, struct pieces *pieces,
			const struct tree_node *node)
{
	const struct flame_graph *flame = flame_of(state);
	const double whole = flame->layout.weight;
	char total[FORMAT_BYTES], self[FORMAT_BYTES], count[FORMAT_BYTES];

	format_pct(total, snapshot_pct(state->shown, node->now.total.weight));
	format_pct(self, snapshot_pct(state->shown, node->now.self.weight));
	pieces_add(pieces, 0, ROLE_TEXT, "total %5s %%", total);
	if (state_is_compared(state))
		add_change(state, pieces, node);
	pieces_add(pieces, 1, ROLE_TEXT, "self %5s %%", self);
	if (flame_graph_zoomed(flame) != FLAME_NONE && whole > 0)
		pieces_add(pieces, 2, ROLE_TEXT, "%5s %% of zoom",
			   format_pct(total, 100 * node->now.total.weight / whole));
	if (hit_weight_is_shown(state->shown))
		pieces_add(pieces, 1, ROLE_TEXT, "%7s",
			   hit_weight_of_row(count, state->shown, node->now.total.weight));
	pieces_add(pieces, 3, ROLE_DIM, "%s samples",
		   format_count(count, node->now.total.samples));
	pieces_add(pieces, 4, ROLE_DIM, "%s in itself",
		   format_count(count, node->now.self.samples));
}

static void add_others(const struct ui_state *state, struct pieces *pieces,
		       const struct flame_box *box)
{
	char pct[FORMAT_BYTES];

	format_pct(pct, snapshot_pct(state->shown, box->weight));
	pieces_add(pieces, 0, ROLE_TEXT, "total %5s %%", pct);
	pieces_add(pieces, 1, ROLE_DIM, "frames that are narrower than a cell");
}

static const char *kind_word(const struct tree_node *node)
{
	static const char *const words[FLAME_KIND_COUNT] = {
		[FLAME_COMMAND] = "command", [FLAME_USER] = "", [FLAME_KERNEL] = "kernel",
		[FLAME_JIT] = "JIT", [FLAME_INLINED] = "inlined", [FLAME_UNKNOWN] = "no symbol",
	};

	return words[flame_kind_of(node)];
}

/* Draws the frame's name and where it is from. */
static void put_title(struct canvas *canvas, struct canvas_area area, const struct tree_node *node)
{
	const char *kind = kind_word(node), *path = node->dso_path;
	const int used = put_short_name(canvas, area, frame_name(node), ROLE_TEXT);
	char from[512];

	snprintf(from, sizeof(from), "%s%s%s%s", path[0] ? GAP : "", path, kind[0] ? GAP : "",
		 kind);
	area.x += used;
	area.width -= used;
	if (area.width > 2 * LABEL_CELLS)
		canvas_put_text(canvas, area, canvas_clean(from), ROLE_DIM);
}

static void draw_detail(const struct ui_state *state, struct canvas *canvas, int y, int lines)
{
	const struct flame_graph *flame = flame_of(state);
	const uint32_t index = flame_graph_selected(flame);
	const uint32_t node = flame_graph_selected_node(flame);
	struct pieces pieces = { .gap = GAP };
	struct canvas_area area = { 1, y, canvas->width - 2 };
	int used;

	if (index == FLAME_NONE || !lines)
		return;
	if (flame->layout.boxes[index].others)
		add_others(state, &pieces, &flame->layout.boxes[index]);
	else
		add_numbers(state, &pieces, &flame->tree->nodes[node]);
	if (lines == 1) {
		pieces_fit(canvas, &pieces, area.width / 2);
		used = pieces_width(canvas, &pieces);
		area.x += area.width - used;
		area.width = used;
		pieces_put(canvas, area, &pieces);
		area = (struct canvas_area){ 1, y, canvas->width - 2 - used - SHARE_GAP_CELLS };
	} else {
		pieces_fit(canvas, &pieces, area.width - 2);
		pieces_put(canvas, (struct canvas_area){ 3, y + 1, area.width - 2 }, &pieces);
	}
	used = canvas_put_text(canvas, area, SAFE_TEXT("\u25b8 "), ROLE_DIM);
	area.x += used;
	area.width -= used;
	if (flame->layout.boxes[index].others)
		canvas_put_text(canvas, area, SAFE_TEXT("others"), ROLE_TEXT);
	else
		put_title(canvas, area, &flame->tree->nodes[node]);
}

static void draw_view(struct view *view, struct ui_state *state, struct canvas *canvas, int top,
		      int rows)
{
	struct flame_graph *flame = &((struct flame_view *)view)->graph;
	const struct flame_lines lines = share_lines(rows);

	flame_graph_fit(flame, canvas, lines.boxes);
	if (!flame->layout.count) {
		empty_draw(state, canvas, top + 1, top + rows);
		return;
	}
	hits_add(&state->display.hits, (struct hit){ HIT_BOXES, 0, top + lines.notes, canvas->width,
					     lines.boxes, 0 });
	if (lines.notes)
		draw_notes(state, canvas, top);
	draw_boxes(state, canvas, top + lines.notes);
	draw_detail(state, canvas, top + lines.notes + lines.boxes, lines.detail);
}

static void refresh_view(struct view *view, const struct ui_state *state)
{
	const bool is_there = state->shown && state->views[state->shown_kind] == view &&
			      state->shown->tree.direction == TREE_CALLEES;

	flame_graph_set(&((struct flame_view *)view)->graph,
			is_there ? &state->shown->tree : NULL, &state->query.breadcrumbs.filter);
}

static void fill_query(const struct view *view, const struct ui_state *state, struct query *out)
{
	(void)state;
	out->tree = TREE_CALLEES;
	out->tree_commands = true;
	out->tree_limit_pct = flame_graph_limit_pct(&((const struct flame_view *)view)->graph);
}

static void add_options(const struct ui_state *state, struct command_line *line)
{
	(void)state;
	command_line_option(line, "--format", "folded");
	command_line_note(line, "It prints the stacks, a line for each; the flame graph is drawn "
			  "from them.");
}

static void move_view(struct view *view, enum view_move move)
{
	flame_graph_move(&((struct flame_view *)view)->graph, move);
}

static void scroll_view(struct view *view, int lines)
{
	flame_graph_scroll(&((struct flame_view *)view)->graph, lines);
}

static bool select_box(struct view *view, const struct hit *hit, const struct mouse *mouse)
{
	struct flame_graph *flame = &((struct flame_view *)view)->graph;
	const uint32_t box = flame_graph_at(flame, mouse->x, mouse->y - hit->y);

	if (box != FLAME_NONE)
		flame_graph_select(flame, box);
	return box != FLAME_NONE;
}

static void follow_hottest(struct view *view, struct ui_state *state)
{
	(void)state;
	flame_graph_follow(&((struct flame_view *)view)->graph);
}

static bool zoom_out(struct view *view)
{
	return flame_graph_zoom_out(&((struct flame_view *)view)->graph);
}

static bool is_zoomed(const struct view *view)
{
	return ((const struct flame_view *)view)->graph.zoom.count;
}

static bool cursor_row(const struct view *view, const struct ui_state *state,
		       struct snapshot_row *out)
{
	const struct flame_graph *flame = &((const struct flame_view *)view)->graph;
	const uint32_t node = flame_graph_selected_node(flame);

	(void)state;
	if (node != FLAME_NONE)
		views_node_row(&flame->tree->nodes[node], out);
	return node != FLAME_NONE;
}

static const struct tree_node *cursor_node(const struct view *view, const struct ui_state *state,
					   const struct call_tree **tree)
{
	const struct flame_graph *flame = &((const struct flame_view *)view)->graph;
	const uint32_t node = flame_graph_selected_node(flame);

	(void)state;
	*tree = flame->tree;
	return node != FLAME_NONE ? &flame->tree->nodes[node] : NULL;
}

static void mark_frame(struct view *view)
{
	flame_graph_mark(&((struct flame_view *)view)->graph);
}

static void unmark_frame(struct view *view)
{
	flame_graph_return(&((struct flame_view *)view)->graph);
}

/* The matches' share is drawn above the boxes. */
static bool find_frame(struct view *view, const struct ui_state *state, const char *text, int step)
{
	struct flame_graph *flame = &((struct flame_view *)view)->graph;

	(void)state;
	if (!step)
		flame_graph_return(flame);
	return text[0] && flame_graph_find(flame, text, step);
}

static void add_help(const struct ui_state *state, struct help_page *page)
{
	static const struct {
		const char *name, *help;
	} lines[] = {
		{ "width", "the share of a frame; what it calls lies next to it, largest first, "
			   "and what is left of its width is its own time" },
		{ "colour", "kind of code, share or DSO; stronger on the hottest path" },
		{ "[k] [j] [i]", "where kernel, run-time (JIT) and inlined code begins" },
		{ "others", "frames that are narrower than a cell: zoom into their caller" },
	};

	(void)state;
	view_help_heading(page, "Flame graph");
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		view_help_line(page, lines[i].name, lines[i].help, false);
}

static void init_flame(struct view *view)
{
	((struct flame_view *)view)->graph.compared_fill = FLAME_BY_CHANGE;
}

static void finish_flame(struct view *view)
{
	flame_graph_finish(&((struct flame_view *)view)->graph);
}

const struct view_ops view_flame_ops = {
	.place = IN_FLAME,
	.open = "zoom",
	.menu = "row-menu",
	.is_calls = true,
	.bytes = sizeof(struct flame_view),
	.init = init_flame,
	.finish = finish_flame,
	.refresh = refresh_view,
	.draw = draw_view,
	.query = fill_query,
	.add_options = add_options,
	.move = move_view,
	.scroll = scroll_view,
	.select = select_box,
	.hottest = follow_hottest,
	.zoom_out = zoom_out,
	.is_zoomed = is_zoomed,
	.cursor_row = cursor_row,
	.cursor_node = cursor_node,
	.mark = mark_frame,
	.unmark = unmark_frame,
	.find = find_frame,
	.add_help = add_help,
};

/* Its commands. */

void cmd_zoom(struct ui_state *state)
{
	if (command_drop_filter(state))
		return;
	if (flame_graph_zoom_in(flame_of(state))) {
		if (flame_graph_limit_pct(flame_of(state)) < state->shown->tree.limit_pct / 2)
			state_ask(state);	/* finer ones, while what is there is shown */
		return;
	}
	state_say(state, "too narrow for boxes of their own: zoom into their caller");
}

void cmd_box(struct ui_state *state, int boxes)
{
	flame_graph_move_sideways(flame_of(state), boxes);
}

void cmd_colours(struct ui_state *state)
{
	static const char *const names[FLAME_FILL_COUNT] = {
		[FLAME_BY_KIND] = "kind of code", [FLAME_BY_SHARE] = "share of the window",
		[FLAME_BY_DSO] = "DSO", [FLAME_BY_CHANGE] = "change",
	};
	const bool is_compared = state_is_compared(state);

	flame_graph_next_fill(flame_of(state), is_compared);
	state_say(state, "coloured by %s", names[flame_graph_fill(flame_of(state), is_compared)]);
}

void cmd_flip(struct ui_state *state)
{
	struct flame_graph *flame = flame_of(state);

	flame->is_upright = !flame->is_upright;
	state_say(state, flame->is_upright ? "callers below" : "callers above");
}
