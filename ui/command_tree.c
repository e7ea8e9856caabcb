/* command_tree.c - opens the call tree and moves in it. */
#include <stdio.h>
#include <stdlib.h>

#include "command_list.h"

#define MAX_LIMIT_PCT 50.0	/* beyond it a tree is one path */

void command_open_calls(struct ui_state *state, enum view_kind kind)
{
	const bool was_page = state_is_page(state);
	struct cursor_way way = { .count = 0 };
	bool has_way = false;

	while (state_is_page(state))
		state_close_view(state);
	if (!was_page && command_open_hits(state, kind))
		return;
	if (!was_page && (state_kind(state) < VIEW_TABLES || state_is_groups(state)))
		has_way = state_cursor_way(state, &way);
	if (has_way) {
		state->search[0] = '\0';
		state_go_way(state, kind, &way);
		command_tell_left_out(state, way.left_out);
	} else if (way.left_out) {
		command_refuse_way(state, way.left_out);
	} else {
		state_show_kind(state, kind);
	}
}

void cmd_tree(struct ui_state *state)
{
	command_open_calls(state, VIEW_TREE);
}

void command_show_whole(struct ui_state *state)
{
	const enum view_kind kind = state_kind(state);

	if (state_go_back(state))
		state_show_kind(state, kind);
	else
		state_say(state, "this is the %s of all samples",
			  kind == VIEW_TREE ? "tree" : "flame graph");
}

void cmd_whole_tree(struct ui_state *state)
{
	command_show_whole(state);
}

void cmd_open_function(struct ui_state *state)
{
	const enum tree_direction direction = state_tree_direction(state);
	const size_t levels = state->trail.count;
	struct snapshot_row row;
	struct filter_part part;

	if (command_drop_filter(state) || !state_cursor_row(state, &row))
		return;
	if (!views_opening_part(VIEW_TREE, &row, &part)) {
		state_say(state, row.is_inlined
			  ? "it is inlined: open the function that it is in"
			  : "this line has no name to open it by");
		return;
	}
	state->search[0] = '\0';
	state_go(state, VIEW_TREE, &part);
	if (state->trail.count == levels)
		return;
	trail_here(&state->trail)->direction = direction;	/* the question stays the same */
	state_ask(state);
}

void cmd_open_line(struct ui_state *state)
{
	tree_rows_open(state_tree_rows(state));
}

void cmd_close_line(struct ui_state *state)
{
	if (!tree_rows_close(state_tree_rows(state)))
		state_say(state, "it is closed \u00b7 Esc leaves the tree");
}

void command_toggle_line(struct ui_state *state)
{
	const struct tree_row *row = tree_rows_cursor(state_tree_rows(state));

	if (row && row->is_open)
		cmd_close_line(state);
	else
		cmd_open_line(state);
}

void cmd_open_all(struct ui_state *state)
{
	tree_rows_open_all(state_tree_rows(state));
}

void cmd_close_all(struct ui_state *state)
{
	tree_rows_close_all(state_tree_rows(state));
}

void cmd_turn(struct ui_state *state)
{
	const bool is_callers = state_tree_direction(state) == TREE_CALLERS;

	trail_here(&state->trail)->direction = is_callers ? TREE_CALLEES : TREE_CALLERS;
	state_ask(state);
	state_say(state, is_callers ? "what it calls" : "who calls it");
}

void cmd_inlined(struct ui_state *state)
{
	state->choice.hidden[VIEW_SYMBOLS] ^= 1u << COL_SOURCE;
	state_ask(state);
	state_say(state, state_has_lines(state)
		  ? "source lines on: inlined functions come as their lines are found"
		  : "source lines off: functions without what was inlined into them");
}

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
	state->tree.limit_pct = limit;
	state_ask(state);
}

void cmd_tree_limit(struct ui_state *state)
{
	static const struct prompt_use use = {
		.label = "leave out below %:", .accepted = limit_accepted,
	};
	char text[32];

	snprintf(text, sizeof(text), "%.3g", state->tree.limit_pct);
	state_open_prompt(state, &use, text);
}
