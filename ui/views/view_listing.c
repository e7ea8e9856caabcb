/* view_listing.c - the view of a listing, see listing_view.h. listing_lines.c draws it,
 * listing_sites.c follows jumps and calls. */
#include "listing_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/request.h"
#include "base/id_map.h"
#include "command_line.h"
#include "command_list.h"
#include "probe/probe_spec.h"
#include "view_help.h"
#include "widgets/probe_columns.h"
#include "widgets/search.h"

#define NO_ROW UINT32_MAX

static struct listing_view *listing_of(struct view *view)
{
	return (struct listing_view *)view;
}

/* Returns what tells functions apart. */
static uint64_t function_id(const struct listing_function *function)
{
	return id_map_mix(function->sections[0].begin ^
			  id_map_mix((uint64_t)function->dso << 32 | function->serial));
}

/* Rows. */

static bool is_opened(const struct listing_view *listing, uint64_t function, uint64_t key)
{
	for (size_t i = 0; i < listing->opened_count; i++)
		if (listing->opened[i].function == function && listing->opened[i].key == key)
			return true;
	return false;
}

static void set_opened(struct listing_view *listing, uint64_t function, uint64_t key, bool is_open)
{
	size_t kept = 0;

	if (is_opened(listing, function, key) == is_open)
		return;
	if (!is_open) {
		for (size_t i = 0; i < listing->opened_count; i++)
			if (listing->opened[i].function != function ||
			    listing->opened[i].key != key)
				listing->opened[kept++] = listing->opened[i];
		listing->opened_count = kept;
		return;
	}
	if (listing->opened_count == listing->opened_room) {
		const size_t room = listing->opened_room ? 2 * listing->opened_room : 16;
		struct listing_opened *opened =
			reallocarray(listing->opened, room, sizeof(*opened));

		if (!opened)
			return;
		listing->opened = opened;
		listing->opened_room = room;
	}
	listing->opened[listing->opened_count++] = (struct listing_opened){ function, key };
}

static int compare_keys(const void *a, const void *b)
{
	const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

/* Returns the layer to show: source lines only if there is text to read; instructions until that is
 * known. */
static enum listing_layer layer_of(const struct listing_view *listing, const struct listing *of)
{
	const struct listing_document *document = of->document;
	const uint32_t file = listing_sites_file(of);

	if (listing->is_layer_chosen || !document->has_lines)
		return listing->layer;
	if (!document->sources && !document->is_final)
		return LISTING_ASM;
	return document->sources && file != UINT32_MAX && document->sources[file].file
		       ? LISTING_SOURCE : LISTING_MIXED;
}

/* Notes what the widths of columns and bars depend on: drawing need not go through all rows. */
static void measure(struct listing_view *listing)
{
	const struct listing_rows *rows = &listing->rows;

	listing->most = 0;
	listing->last_address = listing->last_line = 0;
	for (uint32_t i = 0; i < rows->count; i++) {
		const struct listing_row *row = &rows->rows[i];
		const double weight = listing_rows_now(rows, i, rows->listing->shown_event)->weight;

		if (row->is_sum && weight > listing->most)
			listing->most = weight;
		if (row->kind == LISTING_LINE && row->line > listing->last_line)
			listing->last_line = row->line;
		if (row->kind == LISTING_INSTRUCTION && row->address > listing->last_address)
			listing->last_address = row->address;
	}
}

/* Makes the rows of the snapshot's listing; without memory there are none. */
static void build_rows(struct listing_view *listing, const struct listing *of)
{
	const uint64_t function = function_id(&of->function);
	uint64_t *keys = calloc(listing->opened_count + 1, sizeof(*keys));
	struct listing_options options = {
		.layer = layer_of(listing, of), .event = of->shown_event, .opened = keys,
	};

	for (size_t i = 0; keys && i < listing->opened_count; i++)
		if (listing->opened[i].function == function)
			keys[options.opened_count++] = listing->opened[i].key;
	if (options.opened_count)
		qsort(keys, options.opened_count, sizeof(*keys), compare_keys);
	if (listing_rows_build(&listing->rows, of, &options) ||
	    listing_arrows_build(&listing->arrows, &listing->rows)) {
		listing_rows_finish(&listing->rows);
		listing_arrows_finish(&listing->arrows);
	}
	measure(listing);
	free(keys);
}

/* Forgets the steps of levels that were left. */
static void drop_steps(struct listing_view *listing)
{
	while (listing->step_count &&
	       listing->steps[listing->step_count - 1].level > listing->level)
		listing->step_count--;
}

static void refresh(struct view *view, const struct ui_state *state)
{
	struct listing_view *listing = listing_of(view);
	const struct listing *of = state->shown ? state->shown->listing : NULL;
	const enum listing_layer before = listing->rows.layer;
	const bool had_rows = listing->rows.count;

	listing_rows_finish(&listing->rows);
	listing_arrows_finish(&listing->arrows);
	if (!state_is_waiting(state)) {
		const struct breadcrumbs *breadcrumbs = &state->query.breadcrumbs;

		listing->level = breadcrumbs->count;
		listing->asked = breadcrumbs->levels[breadcrumbs->count - 1].listing.address;
		drop_steps(listing);
	}
	if (!of || of->state != LISTING_READY)
		return;
	build_rows(listing, of);
	listing->function = of->function;
	listing_sites_find_probes(listing, state->shown);
	listing_view_find_cursor(listing, had_rows && listing->rows.layer != before);
}

/* Builds the rows of the same listing anew after a choice of the user. */
static void rebuild(struct listing_view *listing, const struct ui_state *state)
{
	refresh(&listing->view, state);
}

static void draw(struct view *view, struct ui_state *state, struct canvas *canvas, int top,
		 int rows)
{
	listing_lines_draw(listing_of(view), state, canvas, top, rows);
}

static void fill_query(const struct view *view, const struct ui_state *state, struct query *out)
{
	const struct breadcrumbs *breadcrumbs = &state->query.breadcrumbs;
	const struct breadcrumbs_level *here = &breadcrumbs->levels[breadcrumbs->count - 1];

	(void)view;
	out->listing = here->listing;
	memcpy(out->listing_name, here->listed, sizeof(out->listing_name));
}

static void add_options(const struct ui_state *state, struct command_line *line)
{
	static const char *const layers[] = { "source", "mixed", "asm" };
	const struct listing_view *listing = listing_view_of(state);
	const struct listing *of = state->shown->listing;
	char text[BREADCRUMBS_NAME_BYTES + 64];

	if (!of || !of->symbol[0])
		return;
	snprintf(text, sizeof(text), "%.60s:%.90s", of->dso, of->symbol);
	command_line_option(line, "--annotate", text);
	command_line_option(line, "--layer",
			    layers[listing->rows.count ? listing->rows.layer : listing->layer]);
}

static void add_help(const struct ui_state *state, struct help_page *page)
{
	(void)state;
	view_help_heading(page, "Marks");
	view_help_line(page, "\u25cf \u25c6", "a line that can be probed, a probed one", true);
	view_help_line(page, "\u25b8 \u25be", "code was inlined there: closed, open", true);
}

/* Moves. */

static void move(struct view *view, enum view_move move)
{
	struct listing_view *listing = listing_of(view);

	table_place_move(&listing->place, listing_view_extent(listing), move);
	listing->place.is_moved = true;		/* the first row is a row like others */
	listing_view_set_cursor(listing, listing->place.cursor);
}

static void scroll(struct view *view, int lines)
{
	struct listing_view *listing = listing_of(view);

	table_place_scroll(&listing->place, listing_view_extent(listing), lines);
	listing_view_set_cursor(listing, listing->place.cursor);
}

static bool select_row(struct view *view, const struct hit *hit, const struct mouse *mouse)
{
	struct listing_view *listing = listing_of(view);

	(void)mouse;
	if (hit->number >= listing->rows.count)
		return false;
	listing_view_go(listing, (uint32_t)hit->number);
	return true;
}

/* Also remembers the address of the row, for a return after the layer has changed. */
static struct table_place *place_of(struct view *view)
{
	struct listing_view *listing = listing_of(view);

	if (listing->level && listing->level <= BREADCRUMBS_LEVELS && listing->rows.count)
		listing->left[listing->level - 1] = (struct listing_step){
			listing->level, listing->place.cursor_id, listing->address,
		};
	return &listing->place;
}

static void restore(struct view *view, const struct table_place *place)
{
	struct listing_view *listing = listing_of(view);
	const struct listing_step *left =
		&listing->left[listing->level ? listing->level - 1 : 0];

	listing->place = *place;
	listing->address = place->cursor_id && left->key == place->cursor_id ? left->address
									   : UINT64_MAX;
	listing_view_find_cursor(listing, false);
}

static void go_to_hottest(struct view *view, struct ui_state *state)
{
	struct listing_view *listing = listing_of(view);
	const uint32_t cursor = listing_view_cursor(listing);
	const bool is_again =
		cursor != NO_ROW && listing->rows.rows[cursor].key == listing->hottest;
	uint32_t found, rank = 1, all = 0;

	found = listing_view_find_hottest(listing, is_again ? cursor : NO_ROW);
	if (found == NO_ROW)
		found = listing_view_find_hottest(listing, NO_ROW);
	if (found == NO_ROW) {
		state_say(state, "no sample of the window is in this function");
		return;
	}
	for (uint32_t i = 0; i < listing->rows.count; i++) {
		const double weight = listing_view_weight(listing, i);

		if (!listing->rows.rows[i].is_sum || !(weight > 0))
			continue;
		all++;
		rank += weight > listing_view_weight(listing, found) ||
			(!(weight < listing_view_weight(listing, found)) && i < found);
	}
	listing->hottest = listing->rows.rows[found].key;
	listing_view_go(listing, found);
	state_say(state, "%s %s %u of %u \u00b7 J the next",
		  listing->rows.base ? "most changed" : "hottest",
		  listing->rows.layer == LISTING_SOURCE ? "line" : "instruction", rank, all);
}

static bool is_zoomed(const struct view *view)
{
	const struct listing_view *listing = (const struct listing_view *)view;

	return listing->rows.count && listing->step_count &&
	       listing->steps[listing->step_count - 1].level == listing->level;
}

/* Returns from a jump that was followed. */
static bool zoom_out(struct view *view)
{
	struct listing_view *listing = listing_of(view);
	const struct listing_step *step;
	uint32_t row;

	if (!is_zoomed(view))
		return false;
	step = &listing->steps[--listing->step_count];
	row = listing_rows_of_key(&listing->rows, step->key);
	if (row == NO_ROW && step->address != UINT64_MAX)
		row = listing_rows_of_address(&listing->rows, step->address);
	if (row != NO_ROW)
		listing_view_go(listing, row);
	return true;
}

/* The function of the listing as a row. */
static bool cursor_row(const struct view *view, const struct ui_state *state,
		       struct snapshot_row *out)
{
	const struct listing *of = state->shown ? state->shown->listing : NULL;

	(void)view;
	if (!of || !of->symbol[0])
		return false;
	*out = (struct snapshot_row){
		.id = function_id(&of->function), .symbol = of->symbol,
		.raw_symbol = of->raw_symbol, .dso = of->dso, .dso_path = of->dso_path,
		.build_id = "", .comm = "", .event = "", .reason = "", .source = "",
		.source_reason = "", .command_line = "", .cgroup = "", .unit = "",
		.container = "", .pod = "", .wait = "", .wait_state = "", .waker = "",
		.address = of->function.sections[0].begin,
		.dso_id = of->function.dso,
		.pid = -1, .tid = -1, .cpu = -1, .cpu_pct = -1, .busy_pct = -1,
		.mode = of->is_of_kernel ? MODE_KERNEL : MODE_USER, .state = SYMBOL_NAMED,
		.is_synthetic = of->is_synthetic,
	};
	out->now.self = of->now[of->shown_event];
	out->now.total = of->now[of->shown_event];
	return true;
}

/* Inlined code. */

static void open_row(struct listing_view *listing, const struct ui_state *state, uint32_t row,
		       bool is_open)
{
	set_opened(listing, function_id(&listing->function), listing->rows.rows[row].key, is_open);
	rebuild(listing, state);
}

/* Opens the row; of an open one goes to the first below it. */
static void open_line(struct view *view, struct ui_state *state)
{
	struct listing_view *listing = listing_of(view);
	const uint32_t cursor = listing_view_cursor(listing);

	if (cursor == NO_ROW)
		return;
	listing->place.is_moved = true;
	if (!listing->rows.rows[cursor].can_open)
		state_say(state, listing->rows.layer == LISTING_SOURCE
			  ? "no code was inlined on this line"
			  : "inlined code opens in the source layer: a");
	else if (listing->rows.rows[cursor].is_open)
		listing_view_go(listing, cursor + 1);
	else
		open_row(listing, state, cursor, true);
}

/* Closes the row, or goes to the row that it is below. */
static void close_line(struct view *view, struct ui_state *state)
{
	struct listing_view *listing = listing_of(view);
	const uint32_t cursor = listing_view_cursor(listing);
	const struct listing_row *row;

	if (cursor == NO_ROW)
		return;
	row = &listing->rows.rows[cursor];
	listing->place.is_moved = true;
	if (row->is_open)
		open_row(listing, state, cursor, false);
	else if (row->parent != NO_ROW)
		listing_view_go(listing, row->parent);
	else
		state_say(state, "it is closed \u00b7 Esc leaves the listing");
}

/* Opening a row makes rows that may open, too. */
static void open_lines(struct view *view, struct ui_state *state, bool is_open)
{
	struct listing_view *listing = listing_of(view);
	const uint64_t function = function_id(&listing->function);
	uint32_t before = NO_ROW;
	size_t kept = 0;

	while (is_open && listing->rows.count != before) {
		before = listing->rows.count;
		for (uint32_t i = 0; i < listing->rows.count; i++)
			if (listing->rows.rows[i].can_open)
				set_opened(listing, function, listing->rows.rows[i].key, true);
		rebuild(listing, state);
	}
	if (is_open)
		return;
	for (size_t i = 0; i < listing->opened_count; i++)
		if (listing->opened[i].function != function)
			listing->opened[kept++] = listing->opened[i];
	listing->opened_count = kept;
	rebuild(listing, state);
}

/* Search. */

static void mark(struct view *view)
{
	listing_of(view)->marked = listing_of(view)->place.cursor_id;
}

static void unmark(struct view *view)
{
	struct listing_view *listing = listing_of(view);
	const uint32_t row = listing_rows_of_key(&listing->rows, listing->marked);

	if (row != NO_ROW)
		listing_view_set_cursor(listing, row);
}

static bool is_match(const struct listing_view *listing, const struct ui_state *state, uint32_t row,
		     const char *text)
{
	char found[LISTING_TEXT_BYTES];

	listing_rows_text(&listing->rows, row, state->query.raw_names, found, sizeof(found));
	return search_matches(text, found);
}

static bool find(struct view *view, const struct ui_state *state, const char *text, int step)
{
	struct listing_view *listing = listing_of(view);
	const size_t count = listing->rows.count, each = step < 0 && count ? count - 1 : 1;
	size_t from;

	if (!step)
		unmark(view);
	from = listing->place.cursor + (step ? each : 0);
	for (size_t i = 0; text[0] && i < count; i++) {
		const size_t at = (from + i * each) % count;

		if (!is_match(listing, state, (uint32_t)at, text))
			continue;
		listing_view_go(listing, (uint32_t)at);
		return true;
	}
	return false;
}

static size_t count_matches(const struct view *view, const struct ui_state *state, const char *text,
			    size_t *of)
{
	const struct listing_view *listing = (const struct listing_view *)view;
	size_t count = 0;

	*of = listing->rows.count;
	for (uint32_t i = 0; i < listing->rows.count; i++)
		count += is_match(listing, state, i, text);
	return count;
}

static bool *of_function(struct view *view)
{
	return &listing_of(view)->of_function;
}

static void init(struct view *view)
{
	listing_of(view)->of_function = true;
	listing_of(view)->address = UINT64_MAX;
	listing_arrows_finish(&listing_of(view)->arrows);
}

static void finish(struct view *view)
{
	struct listing_view *listing = listing_of(view);

	listing_rows_finish(&listing->rows);
	listing_arrows_finish(&listing->arrows);
	free(listing->opened);
}

const struct view_ops view_listing_ops = {
	.place = IN_LISTING,
	.menu = "row-menu",
	.open = "follow",
	.found = "rows",
	.bytes = sizeof(struct listing_view),
	.init = init,
	.finish = finish,
	.refresh = refresh,
	.draw = draw,
	.query = fill_query,
	.add_options = add_options,
	.move = move,
	.scroll = scroll,
	.select = select_row,
	.place_of = place_of,
	.restore = restore,
	.hottest = go_to_hottest,
	.zoom_out = zoom_out,
	.is_zoomed = is_zoomed,
	.cursor_row = cursor_row,
	.mark = mark,
	.unmark = unmark,
	.find = find,
	.count = count_matches,
	.open_line = open_line,
	.close_line = close_line,
	.open_lines = open_lines,
	.probe = listing_sites_probe,
	.of_parent = of_function,
	.parent = "the function",
	.add_help = add_help,
};

/* Commands. */

/* Returns why the row has no listing, or NULL. */
static const char *refusal_of(const struct snapshot_row *row)
{
	switch (row->state) {
	case SYMBOL_LOADING:	return "its names are being read: try again in a moment";
	case SYMBOL_UNKNOWN:	return "no symbol covers this address: no function to list";
	case SYMBOL_UNREADABLE: return "its file could not be read, so its functions are unknown";
	case SYMBOL_NO_MAP:	return "no map says which functions this memory holds";
	case SYMBOL_NAMED:	break;
	}
	if (row->is_inlined)
		return "it is inlined, and no function is known that it is in";
	if (!row->symbol[0] || row->dso_id == UINT32_MAX)
		return "this row is no function: Enter leads to its functions, a lists one";
	if (row->mode != MODE_KERNEL && row->mode != MODE_USER)
		return "its code is in a guest: there are no bytes to list";
	return NULL;
}

/* Replaces an inlined function by the one that has its code: in a tree of callees one of its
 * callers, turned round the heaviest of its children. */
static void find_container(const struct ui_state *state, struct snapshot_row *row)
{
	const struct view_ops *ops = state->view->ops;
	const struct call_tree *tree = NULL;
	const struct tree_node *node =
		row->is_inlined && ops->cursor_node
			? ops->cursor_node(state->view, state, &tree) : NULL;
	const bool is_callees = tree && tree->direction == TREE_CALLEES;

	while (node && node->is_inlined)
		if (!is_callees)
			node = node->size > 1 ? node + 1 : NULL;
		else
			node = node->parent != UINT32_MAX ? &tree->nodes[node->parent] : NULL;
	if (node)
		views_node_row(node, row);
}

/* Lists the function that the probe is on. */
static void list_probed(struct ui_state *state, const struct snapshot_probe *probe)
{
	const struct source_request unknown = { .dso = 0 };
	struct probe_spec spec;
	char listed[QUERY_NAME_BYTES];
	struct diag why;

	if (probe_spec_parse(&spec, probe->spec, &why) || !spec.function[0] || spec.is_wildcard ||
	    (spec.kind != PROBE_KERNEL && spec.kind != PROBE_USER)) {
		state_say(state, "%s is on no function whose code could be listed",
			  probe_plain_name(probe));
		return;
	}
	if (spec.kind == PROBE_KERNEL)
		snprintf(listed, sizeof(listed), "[%.90s]:%s",
			 spec.file[0] ? spec.file : "kernel", spec.function);
	else
		snprintf(listed, sizeof(listed), "%s:%s", spec.file, spec.function);
	if (state_probe_here(state) == PROBE_ALL)
		state_leave_probe(state);	/* its log has no samples */
	state_open_listing(state, &unknown, listed, spec.function);
}

void cmd_listing(struct ui_state *state)
{
	struct snapshot_row row;
	struct source_request of;

	if (state_probe(state)) {
		list_probed(state, state_probe(state));
		return;
	}
	if (!state_cursor_row(state, &row))
		return;
	find_container(state, &row);
	if (refusal_of(&row)) {
		state_say(state, "%s", refusal_of(&row));
		return;
	}
	of = (struct source_request){ .address = row.address, .dso = row.dso_id };
	state_open_listing(state, &of, "", row.symbol);
}

void command_show_layer(struct ui_state *state, int layer)
{
	struct listing_view *listing = listing_view_of(state);

	if (state->view != &listing->view)
		return;
	listing->layer = (enum listing_layer)layer;
	listing->is_layer_chosen = true;
	rebuild(listing, state);
	if (listing->rows.count && listing->rows.layer != listing->layer)
		state_say(state, "instructions only: %s", listing->rows.why_not);
	state->is_changed = true;
}

/* Goes on from the layer that is shown: if the one asked for is not there, the one after that would
 * be the same again. */
void cmd_next_layer(struct ui_state *state)
{
	const struct listing_view *listing = listing_view_of(state);
	const enum listing_layer now =
		listing->rows.count ? listing->rows.layer : listing->layer;

	command_show_layer(state, ((int)now + 1) % LISTING_LAYERS);
}

void cmd_arrows(struct ui_state *state)
{
	struct listing_view *listing = listing_view_of(state);

	listing->has_all_arrows = !listing->has_all_arrows;
	if (!listing->arrows.has_jumps)
		state_say(state, listing->rows.layer == LISTING_SOURCE
			  ? "arrows are of instructions: a goes on to them"
			  : "no jump of this function leads to a row");
	else if (listing->has_all_arrows && listing->arrows.left_out)
		state_say(state, "all arrows, but for %u that find no room",
			  listing->arrows.left_out);
	else
		state_say(state, listing->has_all_arrows
			  ? "all arrows" : "arrows of the row and of the hottest loop");
}
