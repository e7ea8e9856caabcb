/* view_tree.c - see view_tree.h.
 *
 * Problem: a chain of 256 calls is indented further than any screen is wide.
 *
 * Idea: chains without a branch are one line, and if the cursor's line begins right of the middle,
 * the whole tree is scrolled to the left. Lines that then begin left of the screen show an ellipsis
 * and their name.
 */
#include "view_tree.h"

#include <stdio.h>
#include <stdlib.h>

#include "analyzer/request.h"
#include "command_line.h"
#include "command_list.h"
#include "widgets/change.h"
#include "widgets/detail.h"
#include "widgets/empty.h"
#include "widgets/event_cells.h"
#include "widgets/format.h"
#include "widgets/hit_weight.h"
#include "widgets/search.h"
#include "widgets/symbol_fold.h"
#include "widgets/tree_rows.h"

#define NUMBER_CELLS 6
#define TIME_CELLS   8
#define FIRST_X	     2
#define NARROW	     60		/* compared, a screen of less does without SELF% */
#define PARENT_CELLS 7		/* share of the parent, after the names */
#define PARENT_WIDTH 70		/* a screen of so many cells has room for it */
#define LINK	     " \u00b7 "
#define NOTE_BYTES   64
#define MAX_LIMIT_PCT 50.0	/* beyond it a tree is one path */
#define NAME_CELLS   24	/* for names in any case */

/* Columns of the numbers (0: not shown) and of the tree after them. */
struct places {
	int self, total, time, change, ratio, tree;
};

static struct places places_of(const struct ui_state *state, int width)
{
	const bool is_compared = state_is_compared(state);
	struct places at = { .tree = FIRST_X };

	if (!is_compared || width >= NARROW) {
		at.self = at.tree;
		at.tree += NUMBER_CELLS + 1;
	}
	at.total = at.tree;
	at.tree += NUMBER_CELLS + 1;
	if (hit_weight_is_shown(state->shown) && width >= NARROW) {
		at.time = at.tree;
		at.tree += TIME_CELLS + 1;
	}
	if (is_compared) {
		at.change = at.tree;
		at.tree += NUMBER_CELLS + 1;
	}
	if (state_tree_ratio(state) && width >= NARROW) {
		at.ratio = at.tree;
		at.tree += EVENT_RATIO_CELLS + 1;
	}
	return at;
}

static enum role code_role(const struct tree_node *node)
{
	if (change_node_is_gone(node))
		return ROLE_DIM;
	if (node->is_command)
		return ROLE_NAME;
	if (node->state != SYMBOL_NAMED || node->is_synthetic)
		return ROLE_UNRESOLVED;
	return row_role_of_code(node->mode, node->is_run_time);
}

static void refresh_tree(struct view *view, const struct ui_state *state)
{
	struct tree_view *tree = (struct tree_view *)view;
	const bool has_tree = state->shown && state->shown->tree.direction != TREE_NONE;

	if (!has_tree)
		tree_rows_collect(&tree->lines.rows, NULL);
	else if (state->shown->is_compared)
		tree_rows_collect(&tree->lines.rows,
				  tree_order_by_change(&tree->lines.order, state->shown));
	else
		tree_rows_collect(&tree->lines.rows, &state->shown->tree);
}

/* A line of text from left to right. */
struct pen {
	struct canvas *canvas;
	struct canvas_area left;	/* the part still free */
};

static void put(struct pen *pen, const char *text, enum role role)
{
	const int used = canvas_put_text(pen->canvas, pen->left, canvas_clean(text), role);

	pen->left.x += used;
	pen->left.width -= used;
}

static void put_note(struct pen *pen, const char *note)
{
	if (canvas_text_width(pen->canvas, note) <= pen->left.width)
		put(pen, note, ROLE_DIM);
}

/* True if the level of code is shown: at a root, and where it differs from the parent's. */
static bool says_level(const struct tree_rows *rows, uint32_t node)
{
	const struct tree_node *at = tree_rows_node(rows, node), *parent;

	if (at->is_command || at->parent == UINT32_MAX)
		return !at->is_command;
	parent = tree_rows_node(rows, at->parent);
	return parent->is_command || parent->mode != at->mode;
}

static void put_name(struct pen *pen, const struct tree_rows *rows, uint32_t number)
{
	const struct tree_node *node = tree_rows_node(rows, number);
	const enum role role = code_role(node);
	char folded[SYMBOL_FOLD_BYTES], level[8];
	const char *name = node->symbol;

	if (says_level(rows, number)) {
		snprintf(level, sizeof(level), "[%c] ", snapshot_level(node->mode));
		put(pen, level, role);
	}
	if (node->state == SYMBOL_LOADING)
		name = node->dso;
	else if (node->state == SYMBOL_NAMED)
		name = symbol_fold(pen->canvas, name, pen->left.width, folded);
	put(pen, name, role);
	if (node->is_inlined)
		put_note(pen, " (inlined)");
	if (node->state == SYMBOL_LOADING)
		put_note(pen, " (loading)");
	else if (node->state != SYMBOL_NAMED && node->state != SYMBOL_NO_MAP)
		put_note(pen, " (no symbol)");
}

/* Formats what was inlined into a root, which its self lacks and the table's has; "": nothing. */
static void inlined_note(const struct ui_state *state, const struct tree_row *row,
			 char note[NOTE_BYTES])
{
	const struct tree_rows *rows = &tree_view_of(state)->lines.rows;
	const struct tree_node *node = tree_rows_node(rows, row->first);
	char self[FORMAT_BYTES], inlined[FORMAT_BYTES];

	note[0] = '\0';
	if (!(node->inlined_weight > 0) ||
	    (node->parent != UINT32_MAX && !tree_rows_node(rows, node->parent)->is_command))
		return;
	snprintf(note, NOTE_BYTES, " (%s + %s inlined)",
		 format_pct(self, snapshot_pct(state->shown, node->now.self.weight)),
		 format_pct(inlined, snapshot_pct(state->shown, node->inlined_weight)));
}

/* The nodes of a line, @first_note after the first; one after the other that are the same function
 * are one name. */
static void put_chain(struct pen *pen, const struct tree_rows *rows, const struct tree_row *row,
		      const char *first_note)
{
	const int note_cells = canvas_text_width(pen->canvas, first_note);
	const int kept = pen->left.width - note_cells >= NAME_CELLS ? note_cells : 0;

	for (uint32_t n = row->first; n <= row->last;) {
		uint32_t times = 1;
		char note[NOTE_BYTES];

		while (n + times <= row->last &&
		       tree_rows_is_same(tree_rows_node(rows, n), tree_rows_node(rows, n + times)))
			times++;
		if (n > row->first && pen->left.width < 5) {
			put(pen, "\u2026", ROLE_DIM);
			return;
		}
		if (n > row->first)
			put(pen, LINK, ROLE_DIM);
		pen->left.width -= n == row->first ? kept : 0;
		put_name(pen, rows, n);
		pen->left.width += n == row->first ? kept : 0;
		if (n == row->first)
			put_note(pen, first_note);
		snprintf(note, sizeof(note), " \u00d7%u", times);
		if (times > 1)
			put_note(pen, note);
		n += times;
	}
}

/* Formats how much of the line's children is not shown; "": all is. */
static void hidden_note(const struct ui_state *state, const struct tree_row *row,
			char note[NOTE_BYTES])
{
	const struct tree_node *last = tree_rows_node(&tree_view_of(state)->lines.rows, row->last);
	char pct[FORMAT_BYTES];

	note[0] = '\0';
	if (last->hidden_weight > 0 && (row->is_open || last->size <= 1))
		snprintf(note, NOTE_BYTES, "  +%s %% below the limit",
			 format_pct(pct, snapshot_pct(state->shown, last->hidden_weight)));
}

static double pct_of(double weight, double of)
{
	return of > 0 ? 100.0 * weight / of : 0;
}

static double parent_weight(const struct tree_rows *rows, const struct tree_row *row)
{
	if (row->parent == TREE_ROWS_NONE)
		return rows->tree->weight;
	return tree_rows_node(rows, rows->rows[row->parent].last)->now.total.weight;
}

static void put_number(struct canvas *canvas, int x, int y, const char *text, enum role role)
{
	if (x)
		canvas_put_right(canvas, (struct canvas_area){ x, y, NUMBER_CELLS },
				 canvas_clean(text), role);
}

static void put_change(const struct ui_state *state, const struct tree_node *node,
		       struct canvas *canvas, int x, int y)
{
	const double points = change_of_node(state->shown, node);
	char text[FORMAT_BYTES];

	if (change_node_is_new(state->shown, node))
		put_number(canvas, x, y, "new", change_role(points));
	else
		put_number(canvas, x, y, change_format_points(text, points), change_role(points));
}

static void put_numbers(const struct ui_state *state, const struct tree_row *row,
			struct canvas *canvas, const struct places *at, int y)
{
	const struct tree_rows *rows = &tree_view_of(state)->lines.rows;
	const struct tree_node *first = tree_rows_node(rows, row->first);
	const struct tree_node *last = tree_rows_node(rows, row->last);
	const double self_pct = snapshot_pct(state->shown, last->now.self.weight);
	double pct = snapshot_pct(state->shown, first->now.total.weight);
	char text[FORMAT_BYTES];

	if (tree_view_of(state)->lines.is_of_parent)
		pct = pct_of(first->now.total.weight, parent_weight(rows, row));
	if (last->now.self.samples)
		put_number(canvas, at->self, y, format_pct(text, self_pct),
			   row_role_of_share(self_pct));
	if (change_node_is_gone(first))
		put_number(canvas, at->total, y, "gone", ROLE_DIM);
	else
		put_number(canvas, at->total, y, format_pct(text, pct), row_role_of_share(pct));
	if (at->time)
		canvas_put_right(canvas, (struct canvas_area){ at->time, y, TIME_CELLS },
				 canvas_clean(hit_weight_of_row(text, state->shown,
								first->now.total.weight)),
				 ROLE_TEXT);
	put_change(state, first, canvas, at->change, y);
	if (at->ratio)
		event_cells_put_ratio(canvas,
				      (struct canvas_area){ at->ratio, y, EVENT_RATIO_CELLS },
				      state_tree_ratio(state), first->by_event, true);
}

/* Draws the share of its parent for a line that has siblings. */
static void put_parent_share(const struct ui_state *state, const struct tree_row *row,
			     struct canvas *canvas, int y)
{
	const struct canvas_area area = { canvas->width - PARENT_CELLS - 1, y, PARENT_CELLS };
	const struct tree_rows *rows = &tree_view_of(state)->lines.rows;
	const double pct = pct_of(tree_rows_node(rows, row->first)->now.total.weight,
				  parent_weight(rows, row));
	char text[FORMAT_BYTES];

	if (row->parent == TREE_ROWS_NONE || pct > 99.95 ||
	    change_node_is_gone(tree_rows_node(rows, row->first)))
		return;
	snprintf(text, sizeof(text), "%.0f %%", pct);
	canvas_put_right(canvas, area, canvas_clean(text), ROLE_DIM);
}

static void draw_row(const struct ui_state *state, size_t index, int shift, struct canvas *canvas,
		     int y)
{
	const struct tree_rows *rows = &tree_view_of(state)->lines.rows;
	const struct tree_row *row = &rows->rows[index];
	const struct places at = places_of(state, canvas->width);
	const bool has_share = canvas->width >= PARENT_WIDTH &&
			       !tree_view_of(state)->lines.is_of_parent;
	const int right = canvas->width - at.tree - (has_share ? PARENT_CELLS + 1 : 1);
	const int x = tree_guides_width(row) - shift;
	struct pen pen = { canvas, { at.tree + (x > 0 ? x : 0), y, right - (x > 0 ? x : 0) } };
	char note[NOTE_BYTES], of_root[NOTE_BYTES];
	int kept;	/* cells for a note that matters more than the end of a chain */

	put_numbers(state, row, canvas, &at, y);
	tree_guides_draw(rows, row, shift, canvas, (struct canvas_area){ at.tree, y, right });
	if (x < 0)
		put(&pen, "\u2026 ", ROLE_DIM);
	hidden_note(state, row, note);
	kept = canvas_text_width(canvas, note);
	if (pct_of(tree_rows_node(rows, row->last)->hidden_weight, rows->tree->weight) < 1 ||
	    pen.left.width - kept < NAME_CELLS)
		kept = 0;
	pen.left.width -= kept;
	inlined_note(state, row, of_root);
	put_chain(&pen, rows, row, of_root);
	pen.left.width += kept;
	put_note(&pen, note);
	if (has_share)
		put_parent_share(state, row, canvas, y);
	if (index == rows->place.cursor)
		canvas_select_line(canvas, y);
	search_highlight(canvas, (struct canvas_area){ 0, y, canvas->width }, state->search);
}

/* Returns how far the tree is scrolled left, so that the cursor's line has half of the room. */
static int choose_shift(const struct tree_rows *rows, int room)
{
	const struct tree_row *row = tree_rows_cursor(rows);
	const int most = room / 2 / TREE_GUIDES_CELLS;

	return row && (int)row->depth > most ? ((int)row->depth - most) * TREE_GUIDES_CELLS : 0;
}

static void draw_titles(const struct ui_state *state, struct canvas *canvas, int y)
{
	const struct tree_view *tree = tree_view_of(state);
	const struct call_tree *calls = tree->lines.rows.tree;
	const bool is_callers = calls && calls->direction == TREE_CALLERS;
	const struct places at = places_of(state, canvas->width);
	const int room = canvas->width - at.tree - 8;
	char text[NOTE_BYTES];

	put_number(canvas, at.self, y, "SELF%", ROLE_HEADING);
	put_number(canvas, at.total, y, tree->lines.is_of_parent ? "PARENT" : "TOTAL%",
		   ROLE_HEADING);
	if (at.time)
		canvas_put_right(canvas, (struct canvas_area){ at.time, y, TIME_CELLS },
				 canvas_clean(hit_weight_title(state->shown)), ROLE_HEADING);
	put_number(canvas, at.change, y, "\u0394TOTAL", ROLE_HEADING);
	if (at.ratio)
		canvas_put_right(canvas, (struct canvas_area){ at.ratio, y, EVENT_RATIO_CELLS },
				 canvas_clean(state_tree_ratio(state)->title), ROLE_HEADING);
	canvas_put_text(canvas, (struct canvas_area){ at.tree, y, 7 }, SAFE_TEXT("SYMBOL"),
			ROLE_HEADING);
	snprintf(text, sizeof(text), "%s \u00b7 %.3g %% and more",
		 is_callers ? "who calls it" : "what it calls",
		 calls ? calls->limit_pct : 0.0);
	if (canvas_text_width(canvas, text) > room)
		snprintf(text, sizeof(text), "%s", is_callers ? "callers" : "callees");
	canvas_put_right(canvas, (struct canvas_area){ at.tree + 7, y, room }, canvas_clean(text),
			 ROLE_DIM);
}

static void draw_tree(struct view *view, struct ui_state *state, struct canvas *canvas, int top,
		      int lines)
{
	struct tree_rows *rows = &((struct tree_view *)view)->lines.rows;
	const int detail = detail_lines(state, canvas->height);
	int shift;

	lines -= detail;
	tree_rows_set_page(rows, lines > 1 ? (size_t)(lines - 1) : 0);
	shift = choose_shift(rows, canvas->width - places_of(state, canvas->width).tree);
	draw_titles(state, canvas, top);
	if (!rows->count)
		empty_draw(state, canvas, top + 2, top + lines);
	for (size_t i = rows->place.top; i < rows->count && i < rows->place.top + rows->page; i++)
		draw_row(state, i, shift, canvas, top + 1 + (int)(i - rows->place.top));
	hits_add(&state->display.hits, (struct hit){ HIT_ROWS, 0, top + 1, canvas->width,
						     (int)rows->page, rows->place.top });
	detail_draw(state, canvas, top + lines, detail,
		    &(struct detail_of){ .is_total = true });
}

static void fill_query(const struct view *view, const struct ui_state *state, struct query *out)
{
	out->tree = state_tree_direction(state);
	out->tree_limit_pct = ((const struct tree_view *)view)->limit_pct;
}

static void add_options(const struct ui_state *state, struct command_line *line)
{
	(void)state;
	command_line_option(line, "--format", "folded");
	command_line_note(line, "It prints the stacks, a line for each; the tree is drawn from "
			  "them.");
}

static bool cursor_row(const struct view *view, const struct ui_state *state,
		       struct snapshot_row *out)
{
	const struct tree_rows *rows = &((const struct tree_view *)view)->lines.rows;
	const struct tree_row *line = tree_rows_cursor(rows);

	(void)state;
	if (line)
		views_node_row(tree_rows_node(rows, line->first), out);
	return line;
}

static const struct tree_node *cursor_node(const struct view *view, const struct ui_state *state,
					   const struct call_tree **tree)
{
	const struct tree_rows *rows = &((const struct tree_view *)view)->lines.rows;
	const struct tree_row *line = tree_rows_cursor(rows);

	(void)state;
	*tree = rows->tree;
	return line ? tree_rows_node(rows, line->first) : NULL;
}

static bool node_matches(const struct tree_rows *rows, uint32_t number, const char *text)
{
	const struct tree_node *node = tree_rows_node(rows, number);

	return search_matches(text, node->symbol) || search_matches(text, node->raw_symbol) ||
	       search_matches(text, node->dso);
}

/* The rows' tree; while compared it is sorted unlike the snapshot's. */
static size_t node_count(const struct ui_state *state)
{
	return state->shown ? state->shown->tree.node_count : 0;
}

static bool find_node(struct view *view, const struct ui_state *state, const char *text, int step)
{
	return tree_lines_find(view, node_count(state), node_matches, text, step);
}

static size_t count_nodes(const struct view *view, const struct ui_state *state, const char *text,
			  size_t *of)
{
	*of = node_count(state);
	return tree_lines_count(view, *of, node_matches, text);
}

static void init_tree(struct view *view)
{
	((struct tree_view *)view)->limit_pct = VIEW_TREE_LIMIT_PCT;
}

const struct view_ops view_tree_ops = {
	.place = IN_TREE,
	.menu = "row-menu",
	.found = "calls",
	.is_calls = true,
	.bytes = sizeof(struct tree_view),
	.init = init_tree,
	.finish = tree_lines_finish,
	.refresh = refresh_tree,
	.draw = draw_tree,
	.query = fill_query,
	.add_options = add_options,
	.move = tree_lines_move,
	.scroll = tree_lines_scroll,
	.select = tree_lines_select,
	.place_of = tree_lines_place,
	.restore = tree_lines_restore,
	.hottest = tree_lines_hottest,
	.cursor_row = cursor_row,
	.cursor_node = cursor_node,
	.mark = tree_lines_mark,
	.unmark = tree_lines_unmark,
	.find = find_node,
	.count = count_nodes,
	.tree_rows = tree_lines_rows,
	.of_parent = tree_lines_of_parent,
};

/* The command that changes what is left out. */

/* Returns the limit in %; < 0: @text is not one. */
static double parse_limit(const char *text)
{
	char *end;
	const double value = strtod(text, &end);

	while (*end == ' ' || *end == '%')
		end++;
	return end != text && !*end && value >= 0 && value <= MAX_LIMIT_PCT ? value : -1;
}

static void limit_accepted(struct ui_state *state)
{
	const double limit = parse_limit(state->prompt.text);

	if (limit < 0) {
		state_say(state, "a limit is 0 to %.0f percent, like 0.5", MAX_LIMIT_PCT);
		return;
	}
	tree_view_of(state)->limit_pct = limit;
	state_ask(state);
}

void cmd_tree_limit(struct ui_state *state)
{
	static const struct prompt_use use = {
		.label = "leave out below %:", .accepted = limit_accepted,
	};
	char text[32];

	snprintf(text, sizeof(text), "%.3g", tree_view_of(state)->limit_pct);
	state_open_prompt(state, &use, text);
}
