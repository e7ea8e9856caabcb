/* command_moves.c - moves the cursor and switches views. */
#include <stdio.h>

#include "command_list.h"

static void move(struct ui_state *state, enum view_move move)
{
	state->view->ops->move(state->view, move);
}

void cmd_up(struct ui_state *state)
{
	move(state, MOVE_UP);
}

void cmd_down(struct ui_state *state)
{
	move(state, MOVE_DOWN);
}

void cmd_page_up(struct ui_state *state)
{
	move(state, MOVE_PAGE_UP);
}

void cmd_page_down(struct ui_state *state)
{
	move(state, MOVE_PAGE_DOWN);
}

void cmd_half_up(struct ui_state *state)
{
	move(state, MOVE_HALF_UP);
}

void cmd_half_down(struct ui_state *state)
{
	move(state, MOVE_HALF_DOWN);
}

void cmd_first(struct ui_state *state)
{
	move(state, MOVE_FIRST);
}

void cmd_last(struct ui_state *state)
{
	move(state, MOVE_LAST);
}

void cmd_open(struct ui_state *state)
{
	const struct snapshot_row *row = table_rows_cursor(&state->table.rows);
	const enum view_kind kind = state->shown_kind;
	struct filter_part part;

	if (command_drop_filter(state) || !row)
		return;
	if (views_opening_part(kind, row, &part)) {
		state->search[0] = '\0';
		state_go(state, table_specs[kind].opens, &part);
	} else {
		state_say(state, "this row is of several: nothing to open it by");
	}
}

void cmd_back(struct ui_state *state)
{
	/* First what came last: opening a row ends a search, a page of text over it does not. */
	if (state->search[0] && (!state_is_page(state) || state->searched == state->view))
		state->search[0] = '\0';
	else if (state->view->opener)
		state_close_view(state);
	else if (state_is_flame(state) && flame_view_zoom_out(&state->flame))
		return;
	else if (!state_show_table(state))
		state_go_back(state);
}

static void set_unfolded(struct ui_state *state, bool is_unfolded)
{
	struct table_rows *rows = &state->table.rows;
	const struct snapshot_row *row = table_rows_cursor(rows);
	uint64_t process;

	if (!row)
		return;
	process = row->group_id ? row->group_id : row->id;
	if (!(state->shown->keys & KEY_GROUP)) {
		state_say(state, "threads fold out in the view of tasks");
		return;
	}
	if (is_unfolded && row->threads == 1 && row->tasks == 1) {
		state_say(state, "it has one thread");
		return;
	}
	table_rows_set_unfolded(rows, process, is_unfolded);
	if (!is_unfolded)
		table_rows_select(rows, process);
	state_refresh_view(state);
}

void cmd_unfold(struct ui_state *state)
{
	set_unfolded(state, true);
}

void cmd_fold(struct ui_state *state)
{
	set_unfolded(state, false);
}

void command_show_view(struct ui_state *state, enum view_kind kind)
{
	while (state_is_page(state))
		state_close_view(state);
	state_show_kind(state, kind);
}

void cmd_symbols(struct ui_state *state)
{
	command_show_view(state, VIEW_SYMBOLS);
}

void cmd_objects(struct ui_state *state)
{
	command_show_view(state, VIEW_OBJECTS);
}

void cmd_commands(struct ui_state *state)
{
	command_show_view(state, VIEW_COMMANDS);
}

void cmd_tasks(struct ui_state *state)
{
	command_show_view(state, VIEW_TASKS);
}

void cmd_cpus(struct ui_state *state)
{
	command_show_view(state, VIEW_CPUS);
}

void cmd_next_view(struct ui_state *state)
{
	command_show_view(state, (enum view_kind)((state_kind(state) + 1) % VIEW_COUNT));
}

void cmd_previous_view(struct ui_state *state)
{
	const unsigned int before = (unsigned int)state_kind(state) + VIEW_COUNT - 1;

	command_show_view(state, (enum view_kind)(before % VIEW_COUNT));
}

void cmd_messages(struct ui_state *state)
{
	state_open_view(state, &state->messages.view);
}

void cmd_losses(struct ui_state *state)
{
	state_open_view(state, &state->losses.view);
}

void cmd_log(struct ui_state *state)
{
	state_open_view(state, &state->log.view);
}

void cmd_command(struct ui_state *state)
{
	if (state->shown)
		state_open_view(state, &state->line_page.view);
	else
		state_say(state, "nothing is shown yet");
}

void cmd_copy_line(struct ui_state *state)
{
	struct command_line line;

	if (state->view != &state->line_page.view) {
		state_say(state, "y copies the line of the page that :command opens");
		return;
	}
	command_line_make(state, &line);
	if (line.is_cut) {
		state_say(state, "the line is too long to be copied");
		return;
	}
	snprintf(state->clipboard, sizeof(state->clipboard), "%s", line.text);
	state->wants_clipboard = true;
}

void cmd_help(struct ui_state *state)
{
	state_open_view(state, &state->help.view);
}
