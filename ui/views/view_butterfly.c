/* view_butterfly.c - the butterfly: a function, its callers above, its callees below.
 *
 *   callers    18.1    heapgetpage              each sample of the function has one direct caller,
 *               4.6    _bt_getbuf               the one of its innermost call, or none: together
 *   function   22.7  hash_search                they make the function's total
 *   callees    19.0      hash_initial_lookup    each sample calls on from its outermost call, or
 *                                               ends there
 *
 * Idea: the function is the filter's symbol, and the analyzer makes both trees of the same samples:
 * of callers and of callees. The lines are the children of their roots, so that a sample counts
 * once however often the function is on its stack. Without a symbol all that is shown takes the
 * function's place, and the outermost functions are its callees. Hits of a probe end in the probed
 * function: it has callers only.
 */
#include "view_butterfly.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/request.h"
#include "command_line.h"
#include "command_list.h"
#include "widgets/detail.h"
#include "widgets/empty.h"
#include "widgets/format.h"
#include "widgets/search.h"
#include "widgets/symbol_fold.h"

#define LIMIT_PCT    0.1	/* % of the function: smaller callers and callees share a line */
#define NUMBER_CELLS 6
#define SELF_X	     2
#define TOTAL_X	     (SELF_X + NUMBER_CELLS + 1)
#define NAME_X	     (TOTAL_X + NUMBER_CELLS + 1)
#define STEP_CELLS   3		/* that a callee is further right than its caller */
#define SHARE_CELLS  7		/* share of the function, after the names */
#define SHARE_WIDTH  70		/* a screen of so many cells has room for it */

/* Ids of lines that are no node; a node's id is a hash. */
enum { ID_MIDDLE = 1, ID_NO_CALLER, ID_SMALL_CALLERS, ID_SMALL_CALLEES };

enum side { CALLER, MIDDLE, CALLEE };

struct line {
	enum side side;
	uint64_t id;
	const struct tree_node *node;	/* BORROWED from the snapshot; NULL: there is a text */
	const char *text;
	double self, total;
};

struct butterfly {
	struct view view;
	struct line *lines;	/* owned */
	size_t count, room;
	struct table_place place;
	uint64_t marked;	/* id of the cursor's line when a search began */
	uint64_t hottest;	/* id of the line that J moved to last */
	size_t page;		/* lines on the screen at the last draw; 0: not drawn yet */
};

static struct butterfly *butterfly_of(struct view *view)
{
	return (struct butterfly *)view;
}

static bool has_function(const struct ui_state *state)
{
	const struct filter *filter = &state->query.breadcrumbs.filter;

	for (uint32_t i = 0; i < filter->count; i++)
		if (filter->parts[i].field == FILTER_SYMBOL && !filter->parts[i].is_negated)
			return true;
	return false;
}

static void add_line(struct butterfly *butterfly, struct line line)
{
	if (butterfly->count == butterfly->room) {
		const size_t room = butterfly->room ? 2 * butterfly->room : 64;
		struct line *lines = reallocarray(butterfly->lines, room, sizeof(*lines));

		if (!lines)
			return;
		butterfly->lines = lines;
		butterfly->room = room;
	}
	butterfly->lines[butterfly->count++] = line;
}

static void add_rest(struct butterfly *butterfly, enum side side, uint64_t id, const char *text,
		     double total)
{
	if (total > 0)
		add_line(butterfly, (struct line){ side, id, NULL, text, 0, total });
}

/* Adds the children of node @root, or the roots (UINT32_MAX). Returns the sum of their totals. */
static double add_children(struct butterfly *butterfly, const struct call_tree *tree,
			   enum side side, uint32_t root)
{
	const uint32_t begin = root == UINT32_MAX ? 0 : root + 1;
	const uint32_t end = root == UINT32_MAX ? tree->node_count : root + tree->nodes[root].size;
	double sum = 0;

	for (uint32_t i = begin; i < end; i += tree->nodes[i].size) {
		const struct tree_node *node = &tree->nodes[i];

		add_line(butterfly, (struct line){ side, node->id, node, "",
						   side == CALLEE ? node->now.self.weight : 0,
						   node->now.total.weight });
		sum += node->now.total.weight;
	}
	return sum;
}

/* The roots of @tree are symbols of the function's name, as a rule one. */
static void add_callers(struct butterfly *butterfly, const struct call_tree *tree)
{
	double none = 0, hidden = tree->hidden_weight;

	for (uint32_t i = 0; i < tree->node_count; i += tree->nodes[i].size) {
		const struct tree_node *root = &tree->nodes[i];

		none += root->now.total.weight - root->hidden_weight -
			add_children(butterfly, tree, CALLER, i);
		hidden += root->hidden_weight;
	}
	add_rest(butterfly, CALLER, ID_SMALL_CALLERS, "others, each below 0.1 %", hidden);
	if (none > tree->weight * 1e-9)
		add_rest(butterfly, CALLER, ID_NO_CALLER, "no caller: it is the outermost frame",
			 none);
}

static void add_function(struct butterfly *butterfly, const struct call_tree *callers)
{
	struct line line = { MIDDLE, ID_MIDDLE, callers->nodes, "all that is shown", 0,
			     callers->weight };

	for (uint32_t i = 0; i < callers->node_count; i += callers->nodes[i].size) {
		if (strcmp(callers->nodes[i].symbol, callers->nodes[0].symbol) != 0)
			line.node = NULL;	/* a probe's hits may end in several functions */
		line.self += callers->nodes[i].now.self.weight;
	}
	if (callers->node_count)
		add_line(butterfly, line);
}

static void add_callees(struct butterfly *butterfly, const struct call_tree *tree)
{
	double hidden = tree->hidden_weight;

	for (uint32_t i = 0; i < tree->node_count; i += tree->nodes[i].size) {
		add_children(butterfly, tree, CALLEE, i);
		hidden += tree->nodes[i].hidden_weight;
	}
	add_rest(butterfly, CALLEE, ID_SMALL_CALLEES, "others, each below 0.1 %", hidden);
}

static struct table_extent extent_of(const struct butterfly *butterfly)
{
	return (struct table_extent){ butterfly->count, butterfly->page };
}

static void set_cursor(struct butterfly *butterfly, size_t cursor)
{
	table_place_set(&butterfly->place, extent_of(butterfly), cursor);
	if (butterfly->place.cursor < butterfly->count)
		butterfly->place.cursor_id = butterfly->lines[butterfly->place.cursor].id;
}

/* Puts the cursor on the line with @id; false: there is none. */
static bool find_id(struct butterfly *butterfly, uint64_t id)
{
	for (size_t i = 0; i < butterfly->count; i++)
		if (butterfly->lines[i].id == id) {
			table_place_carry(&butterfly->place, extent_of(butterfly), i);
			butterfly->place.cursor_id = id;
			return true;
		}
	return false;
}

/* Keeps the cursor on its line; at first it is on the function, in the middle of the screen. */
static void find_cursor(struct butterfly *butterfly)
{
	const struct table_extent extent = extent_of(butterfly);

	if (!butterfly->count || find_id(butterfly, butterfly->place.cursor_id))
		return;
	if (!find_id(butterfly, ID_MIDDLE))
		set_cursor(butterfly, 0);
	butterfly->place.top = butterfly->place.cursor > extent.page / 2
				       ? butterfly->place.cursor - extent.page / 2 : 0;
	table_place_fit(&butterfly->place, extent);
}

static void refresh(struct view *view, const struct ui_state *state)
{
	struct butterfly *butterfly = butterfly_of(view);
	const struct snapshot *shown = state->shown;

	butterfly->count = 0;
	if (!shown)
		return;
	if (shown->tree.direction == TREE_CALLERS) {
		add_callers(butterfly, &shown->tree);
		add_function(butterfly, &shown->tree);
		add_callees(butterfly, &shown->callees);
	} else if (shown->tree.direction == TREE_CALLEES) {
		add_rest(butterfly, MIDDLE, ID_MIDDLE, "all that is shown", shown->tree.weight);
		add_children(butterfly, &shown->tree, CALLEE, UINT32_MAX);
		add_rest(butterfly, CALLEE, ID_SMALL_CALLEES, "others, each below 0.1 %",
			 shown->tree.hidden_weight);
	}
	find_cursor(butterfly);
}

static void put_number(struct canvas *canvas, int x, int y, const char *text, enum role role)
{
	canvas_put_right(canvas, (struct canvas_area){ x, y, NUMBER_CELLS }, canvas_clean(text),
			 role);
}

static enum role role_of(const struct tree_node *node)
{
	if (node->state != SYMBOL_NAMED || node->is_synthetic)
		return ROLE_UNRESOLVED;
	return row_role_of_code(node->mode, node->is_run_time);
}

static void put_name(const struct line *line, struct canvas *canvas, struct canvas_area area)
{
	const struct tree_node *node = line->node;
	char folded[SYMBOL_FOLD_BYTES], text[SYMBOL_FOLD_BYTES + 32];
	const char *name;

	if (!node) {
		canvas_put_text(canvas, area, canvas_clean(line->text),
				line->side == MIDDLE ? ROLE_NAME : ROLE_DIM);
		return;
	}
	name = node->state == SYMBOL_LOADING ? node->dso : node->symbol;
	if (node->state == SYMBOL_NAMED)
		name = symbol_fold(canvas, name, area.width - 4, folded);
	snprintf(text, sizeof(text), "[%c] %s%s", snapshot_level(node->mode), name,
		 node->is_inlined ? " (inlined)"
		 : node->state == SYMBOL_LOADING ? " (loading)"
		 : node->state != SYMBOL_NAMED && node->state != SYMBOL_NO_MAP ? " (no symbol)"
									       : "");
	canvas_put_text(canvas, area, canvas_clean(text), role_of(node));
}

static void put_share(double weight, double of, struct canvas *canvas, int y)
{
	const struct canvas_area area = { canvas->width - SHARE_CELLS - 1, y, SHARE_CELLS };
	char text[FORMAT_BYTES];

	snprintf(text, sizeof(text), "%.0f %%", of > 0 ? 100 * weight / of : 0);
	canvas_put_right(canvas, area, canvas_clean(text), ROLE_DIM);
}

static void draw_line(const struct ui_state *state, const struct butterfly *butterfly, size_t index,
		      struct canvas *canvas, int y)
{
	const struct line *line = &butterfly->lines[index];
	const bool has_share = canvas->width >= SHARE_WIDTH;
	const int x = NAME_X + STEP_CELLS * (int)line->side;
	const double self = snapshot_pct(state->shown, line->self);
	const double total = snapshot_pct(state->shown, line->total);
	const double whole = state->shown->tree.weight;
	char text[FORMAT_BYTES];

	if (line->self > 0)
		put_number(canvas, SELF_X, y, format_pct(text, self), row_role_of_share(self));
	put_number(canvas, TOTAL_X, y, format_pct(text, total), row_role_of_share(total));
	put_name(line, canvas, (struct canvas_area){
			 x, y, canvas->width - x - (has_share ? SHARE_CELLS + 2 : 1) });
	if (has_share && line->side != MIDDLE)
		put_share(line->total, whole, canvas, y);
	if (index == butterfly->place.cursor)
		canvas_select_line(canvas, y);
	search_highlight(canvas, (struct canvas_area){ 0, y, canvas->width }, state->search);
}

static void draw_titles(struct canvas *canvas, int y)
{
	const int room = canvas->width - NAME_X - 9;

	put_number(canvas, SELF_X, y, "SELF%", ROLE_HEADING);
	put_number(canvas, TOTAL_X, y, "TOTAL%", ROLE_HEADING);
	canvas_put_text(canvas, (struct canvas_area){ NAME_X, y, 7 }, SAFE_TEXT("SYMBOL"),
			ROLE_HEADING);
	canvas_put_right(canvas, (struct canvas_area){ NAME_X + 8, y, room },
			 SAFE_TEXT("callers above, callees below"), ROLE_DIM);
}

static void draw(struct view *view, struct ui_state *state, struct canvas *canvas, int top,
		 int rows)
{
	struct butterfly *butterfly = butterfly_of(view);
	const int detail = detail_lines(state, canvas->height);
	const size_t page = rows - detail > 1 ? (size_t)(rows - detail - 1) : 0;

	if (page != butterfly->page) {
		butterfly->page = page;
		if (butterfly->place.cursor < butterfly->count && !butterfly->place.is_moved)
			butterfly->place.cursor_id = 0;	/* the function is in the middle again */
		find_cursor(butterfly);
	}
	draw_titles(canvas, top);
	if (!butterfly->count)
		empty_draw(state, canvas, top + 2, top + rows - detail);
	for (size_t i = 0; i < page && butterfly->place.top + i < butterfly->count; i++)
		draw_line(state, butterfly, butterfly->place.top + i, canvas, top + 1 + (int)i);
	hits_add(&state->display.hits, (struct hit){ HIT_ROWS, 0, top + 1, canvas->width, (int)page,
						     butterfly->place.top });
	detail_draw(state, canvas, top + rows - detail, detail,
		    &(struct detail_of){ .is_total = true });
}

static void fill_query(const struct view *view, const struct ui_state *state, struct query *out)
{
	(void)view;
	out->tree = has_function(state) ? TREE_BOTH
		    : state_probe_hits(state) ? TREE_CALLERS : TREE_CALLEES;
	out->tree_limit_pct = LIMIT_PCT;
}

static void add_options(const struct ui_state *state, struct command_line *line)
{
	(void)state;
	command_line_option(line, "--format", "folded");
	command_line_note(line, "It prints the stacks, a line for each; callers and callees are "
			  "counted from them.");
}

static void move(struct view *view, enum view_move move)
{
	struct butterfly *butterfly = butterfly_of(view);

	table_place_move(&butterfly->place, extent_of(butterfly), move);
	butterfly->place.is_moved = true;
	set_cursor(butterfly, butterfly->place.cursor);
}

static void scroll(struct view *view, int lines)
{
	struct butterfly *butterfly = butterfly_of(view);

	table_place_scroll(&butterfly->place, extent_of(butterfly), lines);
	set_cursor(butterfly, butterfly->place.cursor);
}

static bool select_line(struct view *view, const struct hit *hit, const struct mouse *mouse)
{
	struct butterfly *butterfly = butterfly_of(view);

	(void)mouse;
	if (hit->number >= butterfly->count)
		return false;
	butterfly->place.is_moved = true;
	set_cursor(butterfly, hit->number);
	return true;
}

static struct table_place *place_of(struct view *view)
{
	return &butterfly_of(view)->place;
}

static void restore(struct view *view, const struct table_place *place)
{
	struct butterfly *butterfly = butterfly_of(view);

	butterfly->place = *place;
	find_cursor(butterfly);
}

/* Returns the heaviest caller or callee; the next after @last unless that is NULL. NULL: none. */
static const struct line *find_hottest(const struct butterfly *butterfly, const struct line *last)
{
	const struct line *found = NULL;

	for (size_t i = 0; i < butterfly->count; i++) {
		const struct line *line = &butterfly->lines[i];
		const bool is_next = !last || line->total < last->total ||
				     (line > last && !(line->total > last->total));

		if (line->node && line->side != MIDDLE && is_next &&
		    (!found || line->total > found->total))
			found = line;
	}
	return found;
}

static void go_to_hottest(struct view *view, struct ui_state *state)
{
	struct butterfly *butterfly = butterfly_of(view);
	const size_t cursor = butterfly->place.cursor;
	const bool is_again = cursor < butterfly->count &&
			      butterfly->lines[cursor].id == butterfly->hottest;
	const struct line *found =
		find_hottest(butterfly, is_again ? &butterfly->lines[cursor] : NULL);

	(void)state;
	if (!found)
		found = find_hottest(butterfly, NULL);
	if (!found)
		return;
	butterfly->hottest = found->id;
	butterfly->place.is_moved = true;
	set_cursor(butterfly, (size_t)(found - butterfly->lines));
}

static bool cursor_row(const struct view *view, const struct ui_state *state,
		       struct snapshot_row *out)
{
	const struct butterfly *butterfly = (const struct butterfly *)view;
	const size_t cursor = butterfly->place.cursor;

	(void)state;
	if (cursor >= butterfly->count || !butterfly->lines[cursor].node)
		return false;
	views_node_row(butterfly->lines[cursor].node, out);
	return true;
}

static const struct tree_node *cursor_node(const struct view *view, const struct ui_state *state,
					   const struct call_tree **tree)
{
	const struct butterfly *butterfly = (const struct butterfly *)view;
	const size_t cursor = butterfly->place.cursor;

	if (cursor >= butterfly->count)
		return NULL;
	*tree = butterfly->lines[cursor].side == CALLEE &&
				state->shown->callees.direction != TREE_NONE
			? &state->shown->callees : &state->shown->tree;
	return butterfly->lines[cursor].node;
}

static void mark(struct view *view)
{
	butterfly_of(view)->marked = butterfly_of(view)->place.cursor_id;
}

static void unmark(struct view *view)
{
	find_id(butterfly_of(view), butterfly_of(view)->marked);
}

static bool is_match(const struct line *line, const char *text)
{
	return line->node ? search_matches(text, line->node->symbol) ||
			    search_matches(text, line->node->raw_symbol) ||
			    search_matches(text, line->node->dso)
			  : search_matches(text, line->text);
}

static bool find(struct view *view, const struct ui_state *state, const char *text, int step)
{
	struct butterfly *butterfly = butterfly_of(view);
	const size_t count = butterfly->count, each = step < 0 && count ? count - 1 : 1;
	size_t from;

	(void)state;
	if (!step)
		unmark(view);
	from = butterfly->place.cursor + (step ? each : 0);
	for (size_t i = 0; text[0] && i < count; i++) {
		const size_t at = (from + i * each) % count;

		if (!is_match(&butterfly->lines[at], text))
			continue;
		butterfly->place.is_moved = true;
		set_cursor(butterfly, at);
		return true;
	}
	return false;
}

static size_t count_matches(const struct view *view, const struct ui_state *state, const char *text,
			    size_t *of)
{
	const struct butterfly *butterfly = (const struct butterfly *)view;
	size_t count = 0;

	(void)state;
	*of = butterfly->count;
	for (size_t i = 0; i < butterfly->count; i++)
		count += is_match(&butterfly->lines[i], text);
	return count;
}

static void finish(struct view *view)
{
	free(butterfly_of(view)->lines);
}

const struct view_ops view_butterfly_ops = {
	.place = IN_BUTTERFLY,
	.menu = "row-menu",
	.open = "open",
	.found = "lines",
	.is_calls = true,
	.bytes = sizeof(struct butterfly),
	.finish = finish,
	.refresh = refresh,
	.draw = draw,
	.query = fill_query,
	.add_options = add_options,
	.move = move,
	.scroll = scroll,
	.select = select_line,
	.place_of = place_of,
	.restore = restore,
	.hottest = go_to_hottest,
	.cursor_row = cursor_row,
	.cursor_node = cursor_node,
	.mark = mark,
	.unmark = unmark,
	.find = find,
	.count = count_matches,
};

/* The row under the cursor becomes the middle. */
void cmd_butterfly(struct ui_state *state)
{
	struct snapshot_row row;
	struct filter_part part;

	if (state_is_page(state) || !state->specs[state_kind(state)].ops->is_calls ||
	    !state_cursor_row(state, &row)) {
		cmd_calls(state, VIEW_BUTTERFLY);
		return;
	}
	if (!views_row_part(FILTER_SYMBOL, &row, &part)) {
		command_refuse_line(state, &row);
		return;
	}
	state->search[0] = '\0';
	state_go(state, VIEW_BUTTERFLY, &part);
}
