/* command_shows.c - order, columns, time and looks. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "command_list.h"
#include "term/utf8.h"
#include "widgets/format.h"
#include "widgets/header.h"

/* What `w` goes through. */
static const struct {
	enum window_kind kind;
	uint64_t ns;
} windows[] = {
	{ WINDOW_SECONDS, 10 * CLOCK_NS_PER_S },
	{ WINDOW_SECONDS, 60 * CLOCK_NS_PER_S },
	{ WINDOW_ALL, 0 },
	{ WINDOW_DECAY, 0 },
};
#define WINDOW_COUNT (sizeof(windows) / sizeof(windows[0]))

/* What `<` and `>` go through. */
static const uint64_t intervals_ms[] = { 100, 200, 500, 1000, 2000, 5000, 10000 };
#define INTERVAL_COUNT (sizeof(intervals_ms) / sizeof(intervals_ms[0]))
#define MIN_INTERVAL_S 0.1
#define MAX_INTERVAL_S 10.0
#define MENU_TITLE_CELLS 12

static bool is_sortable(const struct ui_state *state, enum column_id id)
{
	const struct column_set set = state_columns(state);

	return columns_is_order(id) && columns_is_shown(&set, id);
}

/* Sets the order and scrolls to the first rows, as far as the cursor's row allows. */
static void set_order(struct ui_state *state, struct table_order order)
{
	state_set_order(state, order);
	state->table.rows.place.top = 0;
	state_refresh_view(state);
}

static void sort_by(struct ui_state *state, enum column_id id, bool is_reversed)
{
	set_order(state, (struct table_order){ id, is_reversed });
	state_say(state, "sorted by %s \u00b7 s next column \u00b7 S reverse",
		  columns[id].title[0] ? columns[id].title : columns_name(id));
}

void command_sort_by(struct ui_state *state, enum column_id id)
{
	const struct table_order *order = state_order(state);

	if (is_sortable(state, id))
		sort_by(state, id, id == order->column && !order->is_reversed);
}

/* True if the column was drawn last; before the first draw all count as drawn. */
static bool has_room(const struct ui_state *state, enum column_id id)
{
	return !state->table.drawn || (state->table.drawn & 1u << id);
}

void cmd_sort(struct ui_state *state)
{
	const enum column_id before = state_order(state)->column;
	enum column_id id = before;

	do
		id = (enum column_id)((id + 1) % COL_COUNT);
	while (id != before && !(is_sortable(state, id) && has_room(state, id)));
	sort_by(state, id, false);
}

void cmd_reverse(struct ui_state *state)
{
	struct table_order order = *state_order(state);

	order.is_reversed = !order.is_reversed;
	set_order(state, order);
}

/* Returns the width of a column title, in which each character is one cell wide. */
static int cells_of(const char *text)
{
	uint32_t code;
	size_t length;
	int cells = 0;

	while ((length = utf8_decode(text, &code))) {
		text += length;
		cells++;
	}
	return cells;
}

/* A line of a menu of columns. */
static void add_column(struct ui_state *state, enum column_id id, enum menu_mark mark)
{
	const char *title = columns[id].title[0] ? columns[id].title : columns_name(id);
	const int blanks = MENU_TITLE_CELLS - cells_of(title);
	char label[MENU_LABEL_BYTES];

	snprintf(label, sizeof(label), "%s%*s  %s", title, blanks > 0 ? blanks : 0, "",
		 columns[id].help);
	menu_add(&state->menu, (int)id, mark, label, "");
}

static void order_chosen(struct ui_state *state, const struct menu_item *item)
{
	sort_by(state, (enum column_id)item->id, false);
}

void cmd_order(struct ui_state *state)
{
	static const struct menu_use use = { order_chosen };

	state_open_menu(state, &use, "sort by", false);
	for (int id = 0; id < COL_COUNT; id++)
		if (is_sortable(state, (enum column_id)id))
			add_column(state, (enum column_id)id, MENU_PLAIN);
	menu_select(&state->menu, (int)state_order(state)->column);
}

static void column_chosen(struct ui_state *state, const struct menu_item *item)
{
	unsigned int *hidden = &state->choice.hidden[state->shown_kind];

	*hidden ^= 1u << item->id;
	menu_set_mark(&state->menu, *hidden & 1u << item->id ? MENU_OFF : MENU_ON);
}

void cmd_columns(struct ui_state *state)
{
	static const struct menu_use use = { column_chosen };
	const enum view_kind kind = state->shown_kind;
	struct column_set set = state_columns(state);

	set.hidden = state_unable_columns(state);
	state_open_menu(state, &use, "columns", false);
	for (const enum column_id *id = set.ids; *id != COL_COUNT; id++)
		if (*id != set.fill && columns_is_shown(&set, *id))
			add_column(state, *id,
				   state->choice.hidden[kind] & 1u << *id ? MENU_OFF : MENU_ON);
}

void cmd_pause(struct ui_state *state)
{
	if (!state->shown) {
		state_say(state, "nothing to freeze yet");
		return;
	}
	if (state->time.end_ns) {
		cmd_live(state);
		return;
	}
	state->is_paused = !state->is_paused;
	if (state->is_paused)
		state_request(state, REQUEST_FREEZE, 0, state->shown->time_ns);
	else
		state_request(state, REQUEST_FREEZE, 0, 0);
}

void cmd_window(struct ui_state *state)
{
	char name[HEADER_WINDOW_BYTES];
	size_t next = 0;

	for (size_t i = 0; i < WINDOW_COUNT; i++)
		if (windows[i].kind == state->window &&
		    (windows[i].kind != WINDOW_SECONDS || windows[i].ns == state->window_ns))
			next = (i + 1) % WINDOW_COUNT;
	if (state->time.end_ns)
		command_go_live(state);
	state->window = windows[next].kind;
	state->window_ns = windows[next].ns;
	state_request(state, REQUEST_WINDOW, state->window, state->window_ns);
	state_say(state, "window: %s",
		  header_window_name(name, state->window, (double)state->window_ns / 1e9,
				     state->is_zeroed));
}

void cmd_zero(struct ui_state *state)
{
	if (!state->shown) {
		state_say(state, "nothing is shown yet");
		return;
	}
	if (state->time.end_ns)
		command_go_live(state);
	state->is_zeroed = true;
	state->is_paused = false;
	state_request(state, REQUEST_ZERO, 0, 0);
	state_say(state, "\"since start\" begins now");
}

static void set_interval(struct ui_state *state, uint64_t ms)
{
	char text[FORMAT_BYTES];

	state->interval_ns = ms * CLOCK_NS_PER_MS;
	state_request(state, REQUEST_INTERVAL, 0, state->interval_ns);
	state_say(state, "refresh every %s", format_duration(text, (double)ms / 1000));
}

void cmd_slower(struct ui_state *state)
{
	size_t i = 0;

	while (i + 1 < INTERVAL_COUNT && intervals_ms[i] * CLOCK_NS_PER_MS <= state->interval_ns)
		i++;
	set_interval(state, intervals_ms[i]);
}

void cmd_faster(struct ui_state *state)
{
	size_t i = INTERVAL_COUNT - 1;

	while (i > 0 && intervals_ms[i] * CLOCK_NS_PER_MS >= state->interval_ns)
		i--;
	set_interval(state, intervals_ms[i]);
}

static void interval_accepted(struct ui_state *state)
{
	char *end;
	const double seconds = strtod(state->prompt.text, &end);

	if (*end || end == state->prompt.text || !(seconds >= MIN_INTERVAL_S) ||
	    seconds > MAX_INTERVAL_S)
		state_say(state, "\"%s\": seconds from %g to %g are needed", state->prompt.text,
			  MIN_INTERVAL_S, MAX_INTERVAL_S);
	else
		set_interval(state, (uint64_t)(seconds * 1000 + 0.5));
}

void cmd_interval(struct ui_state *state)
{
	static const struct prompt_use use = {
		.label = "refresh every (s):", .accepted = interval_accepted,
	};
	char text[FORMAT_BYTES];

	snprintf(text, sizeof(text), "%g", (double)state->interval_ns / 1e9);
	state_open_prompt(state, &use, text);
}

/* Returns the "% of the parent" choice of the tree or the groups; NULL: the view has none. */
static bool *of_parent(struct ui_state *state)
{
	if (state_is_groups(state))
		return &state->groups_view.is_of_parent;
	return state_is_tree(state) ? &state->tree.is_of_parent : NULL;
}

static bool is_filtered(const struct ui_state *state)
{
	return state->trail.filter.count || state->hide_kernel || state->hide_user;
}

static void set_percent_of(struct ui_state *state, bool is_relative, bool is_of_parent)
{
	if (of_parent(state))
		*of_parent(state) = is_of_parent;
	if (state->is_relative != is_relative) {
		state->is_relative = is_relative;
		state_ask(state);
	}
	state_say(state, is_of_parent ? "percent of the line that each belongs to"
			 : is_relative ? "percent of what is shown" : "percent of all");
}

/* Cycles what 100 % is: all, what breadcrumbs and filters leave, the parent; skips equal ones. */
void cmd_percent_of(struct ui_state *state)
{
	const bool was_of_parent = of_parent(state) && *of_parent(state);

	if (!was_of_parent && !state->is_relative && is_filtered(state))
		set_percent_of(state, true, false);
	else if (!was_of_parent && of_parent(state))
		set_percent_of(state, false, true);
	else if (was_of_parent || state->is_relative)
		set_percent_of(state, false, false);
	else
		state_say(state, "all is shown: percent of all \u00b7 Enter or \\ leaves a part, "
			  "which %% then makes 100");
}

void cmd_raw_names(struct ui_state *state)
{
	state->raw_names = !state->raw_names;
	state_ask(state);
	state_say(state, state->raw_names ? "names as the files have them" : "names demangled");
}

void cmd_theme(struct ui_state *state)
{
	const size_t now = (size_t)(state->theme - themes);

	state->theme = &themes[(now + 1) % theme_count];
	state_say(state, "theme: %s", state->theme->name);
}

void cmd_mouse(struct ui_state *state)
{
	state->is_mouse_off = !state->is_mouse_off;
	state_say(state, state->is_mouse_off ? "the mouse is the terminal's: select text"
					     : "the mouse is flametop's");
}

void cmd_repaint(struct ui_state *state)
{
	state->wants_repaint = true;
}
