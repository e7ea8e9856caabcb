/* commands.c - the table of keys, and the few lines that each of them does. */
#include "ui/commands.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "ui/format.h"
#include "ui/header.h"
#include "ui/keys.h"
#include "ui/state.h"

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

static void move(struct ui_state *state, enum view_move move)
{
	state->view->ops->move(state->view, move);
}

static void cmd_up(struct ui_state *state)
{
	move(state, MOVE_UP);
}

static void cmd_down(struct ui_state *state)
{
	move(state, MOVE_DOWN);
}

static void cmd_page_up(struct ui_state *state)
{
	move(state, MOVE_PAGE_UP);
}

static void cmd_page_down(struct ui_state *state)
{
	move(state, MOVE_PAGE_DOWN);
}

static void cmd_first(struct ui_state *state)
{
	move(state, MOVE_FIRST);
}

static void cmd_last(struct ui_state *state)
{
	move(state, MOVE_LAST);
}

static void cmd_back(struct ui_state *state)
{
	if (state->view->opener) {
		state_close_view(state);
	} else if (state->filter.text[0]) {
		state->filter.text[0] = '\0';
		state_refresh_view(state);
	}
}

static void cmd_filter(struct ui_state *state)
{
	const struct snapshot_row *row = table_view_cursor(&state->table);

	state->filter_before = state->filter;
	state->cursor_before = row ? row->id : 0;
	prompt_open(&state->prompt, "filter:", state->filter.text);
}

static bool is_sortable(enum column_id id, unsigned int keys)
{
	return columns[id].compare && (!columns[id].keys || (columns[id].keys & keys));
}

static void cmd_sort(struct ui_state *state)
{
	const unsigned int keys = state->shown ? state->shown->keys : KEY_OBJECT | KEY_SYMBOL;

	do
		state->order.column = (enum column_id)((state->order.column + 1) % COL_COUNT);
	while (!is_sortable(state->order.column, keys));
	state->order.is_reversed = false;
	state_refresh_view(state);
	state_say(state, "sorted by %s \u00b7 s next column \u00b7 S reverse",
		  columns[state->order.column].title);
}

static void cmd_reverse(struct ui_state *state)
{
	state->order.is_reversed = !state->order.is_reversed;
	state_refresh_view(state);
}

static void cmd_pause(struct ui_state *state)
{
	state->is_paused = !state->is_paused;
	if (!state->is_paused)
		state_request(state, REQUEST_REFRESH, 0, 0);
}

/* What the analyzer will answer to is not seen before the screen goes on. */
static const char *later(const struct ui_state *state)
{
	return state->is_paused ? " (seen when the screen goes on: Space)" : "";
}

static void cmd_window(struct ui_state *state)
{
	size_t next = 0;

	for (size_t i = 0; i < WINDOW_COUNT; i++)
		if (windows[i].kind == state->window &&
		    (windows[i].kind != WINDOW_SECONDS || windows[i].ns == state->window_ns))
			next = (i + 1) % WINDOW_COUNT;
	state->window = windows[next].kind;
	state->window_ns = windows[next].ns;
	state_request(state, REQUEST_WINDOW, state->window, state->window_ns);
	state_say(state, "window: %s%s",
		  header_window_name(state->window, (double)state->window_ns / 1e9,
				     state->is_zeroed),
		  later(state));
}

static void set_interval(struct ui_state *state, uint64_t ms)
{
	char text[FORMAT_BYTES];

	state->interval_ns = ms * CLOCK_NS_PER_MS;
	state_request(state, REQUEST_INTERVAL, 0, state->interval_ns);
	state_say(state, "refresh every %s", format_duration(text, (double)ms / 1000));
}

static void cmd_slower(struct ui_state *state)
{
	size_t i = 0;

	while (i + 1 < INTERVAL_COUNT && intervals_ms[i] * CLOCK_NS_PER_MS <= state->interval_ns)
		i++;
	set_interval(state, intervals_ms[i]);
}

static void cmd_faster(struct ui_state *state)
{
	size_t i = INTERVAL_COUNT - 1;

	while (i > 0 && intervals_ms[i] * CLOCK_NS_PER_MS >= state->interval_ns)
		i--;
	set_interval(state, intervals_ms[i]);
}

static void cmd_zero(struct ui_state *state)
{
	state->is_zeroed = true;
	state_request(state, REQUEST_ZERO, 0, 0);
	state_say(state, "\"since start\" begins now%s", later(state));
}

static void cmd_idle(struct ui_state *state)
{
	state->filter.show_idle = !state->filter.show_idle;
	state_refresh_view(state);
}

static void cmd_hide_kernel(struct ui_state *state)
{
	state->filter.hide_kernel = !state->filter.hide_kernel;
	state_refresh_view(state);
}

static void cmd_hide_user(struct ui_state *state)
{
	state->filter.hide_user = !state->filter.hide_user;
	state_refresh_view(state);
}

static void cmd_next_event(struct ui_state *state)
{
	if (!state->shown || state->shown->event_count < 2)
		state_say(state, "there is only one event");
	else
		state_request(state, REQUEST_EVENT,
			      (state->shown->event_index + 1) % state->shown->event_count, 0);
}

static void cmd_messages(struct ui_state *state)
{
	state_open_view(state, &state->messages.view);
}

static void cmd_help(struct ui_state *state)
{
	state_open_view(state, &state->help.view);
}

static void cmd_repaint(struct ui_state *state)
{
	state->wants_repaint = true;
}

static void cmd_quit(struct ui_state *state)
{
	state->wants_quit = true;
}

const struct command commands[] = {
	/* keys, name, where, run, help, label in the bottom line and its rank */
	{ { UI_KEY_UP, 'k' }, "up", IN_ALL, cmd_up, "One line up", NULL, 0 },
	{ { UI_KEY_DOWN, 'j' }, "down", IN_ALL, cmd_down, "One line down", NULL, 0 },
	{ { UI_KEY_PAGE_UP }, "page-up", IN_ALL, cmd_page_up, "One page up", NULL, 0 },
	{ { UI_KEY_PAGE_DOWN }, "page-down", IN_ALL, cmd_page_down, "One page down", NULL, 0 },
	{ { UI_KEY_HOME }, "first", IN_ALL, cmd_first, "To the top", NULL, 0 },
	{ { UI_KEY_END }, "last", IN_ALL, cmd_last, "To the bottom", NULL, 0 },
	{ { UI_KEY_ESCAPE, UI_KEY_BACKSPACE, UI_KEY_LEFT }, "back", IN_ALL, cmd_back,
	  "Back to where one came from; in the table: clear the filter", "back", 5 },
	{ { '\\' }, "filter", IN_TABLE, cmd_filter,
	  "Show only rows with this text in symbol, object or command; capitals count if typed",
	  "filter", 3 },
	{ { 's' }, "sort", IN_TABLE, cmd_sort, "Sort by the next column", "sort", 4 },
	{ { 'S' }, "reverse", IN_TABLE, cmd_reverse, "Reverse the order", NULL, 0 },
	{ { ' ' }, "pause", IN_TABLE, cmd_pause, "Freeze the screen, or go on; sampling goes on",
	  "pause", 2 },
	{ { 'w' }, "window", IN_TABLE, cmd_window,
	  "Time shown: 10 s, 60 s, since start, decay (halved every 5 s)", "window", 6 },
	{ { 'z' }, "zero", IN_TABLE, cmd_zero, "Zero: \"since start\" begins now", NULL, 0 },
	{ { '<' }, "slower", IN_TABLE, cmd_slower, "Refresh less often, down to every 10 s",
	  NULL, 0 },
	{ { '>' }, "faster", IN_TABLE, cmd_faster, "Refresh more often, up to every 100 ms",
	  NULL, 0 },
	{ { 'i' }, "idle", IN_TABLE, cmd_idle, "Show or leave out idle", NULL, 0 },
	{ { 'K' }, "hide-kernel", IN_TABLE, cmd_hide_kernel, "Hide or show kernel code", NULL, 0 },
	{ { 'U' }, "hide-user", IN_TABLE, cmd_hide_user, "Hide or show user code", NULL, 0 },
	{ { 'v' }, "next-event", IN_TABLE, cmd_next_event, "Show the next event", NULL, 0 },
	{ { '!' }, "messages", IN_ALL, cmd_messages,
	  "What fell back, what was lost and what helps; output of the command", "messages", 7 },
	{ { UI_KEY_CTRL('L') }, "repaint", IN_ALL, cmd_repaint, "Paint the whole screen again",
	  NULL, 0 },
	{ { '?', UI_KEY_F1 }, "help", IN_ALL, cmd_help, "This help", "help", 1 },
	{ { 'q', UI_KEY_CTRL('C') }, "quit", IN_ALL, cmd_quit, "Quit", "quit", 1 },
};
const size_t command_count = sizeof(commands) / sizeof(commands[0]);

const struct command *commands_find(int key, enum view_place place)
{
	for (size_t i = 0; i < command_count; i++)
		for (size_t k = 0; k < COMMAND_KEYS && commands[i].keys[k]; k++)
			if (commands[i].keys[k] == key && (commands[i].where & place))
				return &commands[i];
	return NULL;
}

char *commands_format_keys(const struct command *command, char *out)
{
	char name[KEYS_NAME_BYTES];
	size_t used = 0;

	out[0] = '\0';
	for (size_t k = 0; k < COMMAND_KEYS && command->keys[k]; k++)
		used += (size_t)snprintf(out + used, COMMANDS_KEY_BYTES - used, "%s%s",
					 k ? ", " : "", keys_format(command->keys[k], name));
	return out;
}
