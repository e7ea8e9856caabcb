/* command_moves.c - moves the cursor, searches, opens rows and lines of trees, switches views. */
#include <stdio.h>
#include <string.h>

#include "command_list.h"
#include "fold/query.h"
#include "symbols/debuginfod.h"
#include "views/view_probes.h"
#include "widgets/tree_rows.h"

bool command_drop_filter(struct ui_state *state)
{
	const struct snapshot *shown = state->shown;
	struct filter *filter = &state->query.breadcrumbs.filter;
	char text[FILTER_PART_BYTES] = "hidden code";
	struct snapshot_row row;

	if (!shown || shown->samples <= shown->idle_samples || state_cursor_row(state, &row) ||
	    !(filter->count || state->query.hide_kernel || state->query.hide_user))
		return false;
	if (filter->count) {
		filter_format_part(&filter->parts[filter->count - 1], text);
		breadcrumbs_remove_part(&state->query.breadcrumbs, filter->count - 1);
	} else if (state->query.hide_user) {
		state->query.hide_user = false;
	} else {
		state->query.hide_kernel = false;
	}
	state_ask(state);
	state_say(state, "taken away: %s", text);
	return true;
}

/* "cgroup, parent", into @out[GROUP_ORDER_BYTES]. */
static char *format_keys(unsigned int keys, char *out)
{
	size_t used = 0;

	out[0] = '\0';
	for (int key = 0; key < GROUP_KEY_COUNT && used < GROUP_ORDER_BYTES; key++)
		if (keys & 1u << key)
			used += (size_t)snprintf(out + used, GROUP_ORDER_BYTES - used, "%s%s",
						 used ? ", " : "",
						 group_key_name((enum group_key)key));
	return out;
}

void command_tell_left_out(struct ui_state *state, unsigned int left_out)
{
	char keys[GROUP_ORDER_BYTES];

	if (left_out)
		state_say(state, "no filter tells its %s: of others, too",
			  format_keys(left_out, keys));
}

/* Shows a message that the group can't be opened, since no filter can express those keys. */
static void command_refuse_way(struct ui_state *state, unsigned int left_out)
{
	char keys[GROUP_ORDER_BYTES];

	state_say(state, "no filter tells this %s: Right opens the groups in it",
		  format_keys(left_out, keys));
}

void command_refuse_line(struct ui_state *state, const struct snapshot_row *row)
{
	state_say(state, row->is_inlined ? "it is inlined: open the function that it is in"
					 : "this line has no name to open it by");
}

void cmd_move(struct ui_state *state, int move)
{
	state->view->ops->move(state->view, (enum view_move)move);
}

void cmd_open(struct ui_state *state)
{
	const enum view_kind kind = state->shown_kind;
	struct snapshot_row row;
	struct cursor_way way;

	if (command_drop_filter(state) || !state_cursor_row(state, &row))
		return;
	if (state_cursor_way(state, &way)) {
		state->search[0] = '\0';
		state_go_way(state, state->specs[kind].opens, &way);
	} else if (state->specs[kind].ops->is_calls) {
		command_refuse_line(state, &row);
	} else {
		state_say(state, "this row is of several: nothing to open it by");
	}
}

void cmd_back(struct ui_state *state)
{
	if (debuginfod_cancel()) {
		state_say(state, "the transfer from debuginfod is stopped");
		return;
	}
	/* First what came last: opening a row ends a search, a page of text over it does not. */
	if (state->search[0] && (!state_is_page(state) || state->searched == state->view))
		state->search[0] = '\0';
	else if (state->view->opener)
		state_close_view(state);
	else if (state->view->ops->zoom_out && state->view->ops->zoom_out(state->view))
		return;
	else if (!state_show_table(state))
		state_go_back(state);
}

bool command_leads_back(const struct ui_state *state)
{
	return state->view->opener || state->search[0] ||
	       breadcrumbs_leads_back(&state->query.breadcrumbs) ||
	       (state->view->ops->is_zoomed && state->view->ops->is_zoomed(state->view));
}

bool command_stop_reading(struct ui_state *state)
{
	if (!state->shown || !state->shown->is_reading)
		return false;
	state_request(state, REQUEST_STOP, 0, 0);
	state_say(state, "reading stops here: the header names the part of the recording that is "
		  "shown");
	return true;
}

void command_show_view(struct ui_state *state, enum view_kind kind)
{
	while (state_is_page(state))
		state_close_view(state);
	state_show_kind(state, kind);
}

void cmd_view(struct ui_state *state, int kind)
{
	command_show_view(state, (enum view_kind)kind);
}

void cmd_step_view(struct ui_state *state, int step)
{
	int kind = (int)state_kind(state);

	do
		kind = (kind + VIEW_COUNT + step) % VIEW_COUNT;
	while (state->specs[kind].is_unlisted);
	cmd_view(state, kind);
}

void cmd_page(struct ui_state *state, int page)
{
	if (page == PAGE_COMMAND_LINE && !state->shown)
		state_say(state, "nothing is shown yet");
	else
		state_open_view(state, state->pages[page]);
}

/* Trees. */

void command_open_hits(struct ui_state *state, const struct snapshot_probe *probe,
		       enum view_kind kind)
{
	if (state_probe_here(state) != probe->id)
		state_open_probe(state, probe);
	state_show_kind(state, kind);
}

bool command_copy_group(const struct ui_state *state, struct menu_group *out)
{
	const struct snapshot_groups *groups;
	const struct snapshot_group *group;

	if (!probe_view_has_panes(state))
		return false;
	groups = probe_view_of(state)->groups.groups;
	group = probe_view_group(probe_view_of(state));
	if (!group || !groups->key_count)
		return false;
	out->id = group->id;
	group_table_name(groups, group, out->name, sizeof(out->name));
	return true;
}

bool command_open_group(struct ui_state *state, enum view_kind kind)
{
	struct menu_group group;

	if (!command_copy_group(state, &group))
		return false;
	state_open_group(state, kind, &group);
	return true;
}

void cmd_calls(struct ui_state *state, int argument)
{
	const enum view_kind kind = (enum view_kind)argument;
	const bool was_page = state_is_page(state);
	struct cursor_way way = { .count = 0 };
	bool has_way = false;

	while (state_is_page(state))
		state_close_view(state);
	if (!was_page && state_probe(state)) {
		if (!command_open_group(state, kind))
			command_open_hits(state, state_probe(state), kind);
		return;
	}
	if (!was_page && !state->specs[state_kind(state)].ops->is_calls)
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

void cmd_whole_calls(struct ui_state *state)
{
	const enum view_kind kind = state_kind(state);

	if (state_go_back(state))
		state_show_kind(state, kind);
	else
		state_say(state, "this is the %s of all samples",
			  keymap_place_name(state->specs[kind].ops->place));
}

void cmd_open_function(struct ui_state *state)
{
	const enum tree_direction direction = state_tree_direction(state);
	const size_t levels = state->query.breadcrumbs.count;
	struct snapshot_row row;
	struct filter_part part;

	if (command_drop_filter(state) || !state_cursor_row(state, &row))
		return;
	if (!views_opening_part(VIEW_TREE, &row, &part)) {
		command_refuse_line(state, &row);
		return;
	}
	state->search[0] = '\0';
	state_go(state, VIEW_TREE, &part);
	if (state->query.breadcrumbs.count == levels)
		return;
	/* The question stays the same. */
	breadcrumbs_here(&state->query.breadcrumbs)->direction = direction;
	state_ask(state);
}

void cmd_open_line(struct ui_state *state)
{
	const struct view_ops *ops = state->view->ops;

	if (ops->open_line)
		ops->open_line(state->view, state);
	else
		tree_rows_open(state_tree_rows(state));
}

void cmd_close_line(struct ui_state *state)
{
	const struct view_ops *ops = state->view->ops;

	if (ops->close_line)
		ops->close_line(state->view, state);
	else if (!tree_rows_close(state_tree_rows(state)))
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

void cmd_open_lines(struct ui_state *state, int is_open)
{
	const struct view_ops *ops = state->view->ops;

	if (ops->open_lines)
		ops->open_lines(state->view, state, is_open);
	else if (is_open)
		tree_rows_open_all(state_tree_rows(state));
	else
		tree_rows_close_all(state_tree_rows(state));
}

void cmd_turn(struct ui_state *state)
{
	const bool is_callers = state_tree_direction(state) == TREE_CALLERS;

	breadcrumbs_here(&state->query.breadcrumbs)->direction =
		is_callers ? TREE_CALLEES : TREE_CALLERS;
	state_ask(state);
	state_say(state, is_callers ? "what it calls" : "who calls it");
}

void cmd_inlined(struct ui_state *state)
{
	state->display.choice.hidden[VIEW_SYMBOLS] ^= COLUMN_BIT(COL_SOURCE);
	state_ask(state);
	state_say(state, state_has_lines(state)
		  ? "source lines on: inlined functions come as their lines are found"
		  : "source lines off: functions without what was inlined into them");
}

void cmd_open_group(struct ui_state *state)
{
	struct cursor_way way;

	if (command_drop_filter(state))
		return;
	if (state_cursor_way(state, &way)) {
		state->search[0] = '\0';
		state_go_way(state, state->specs[state->shown_kind].opens, &way);
		command_tell_left_out(state, way.left_out);
	} else if (way.left_out) {
		command_refuse_way(state, way.left_out);
	}
}

/* Search: moves the cursor, does not change the rows. */

static void note_matches(struct ui_state *state)
{
	const struct view_ops *ops = state->view->ops;
	char note[PROMPT_BYTES];
	size_t of, count;

	if (!ops->count)
		return;
	count = ops->count(state->view, state, state->search, &of);
	if (!of)
		return;
	snprintf(note, sizeof(note), "%zu of %zu %s", count, of, ops->found);
	prompt_note(&state->prompt, note);
}

static void search_edited(struct ui_state *state)
{
	bool is_found;

	snprintf(state->search, sizeof(state->search), "%s", state->prompt.text);
	state->searched = state->view;
	is_found = state->view->ops->find(state->view, state, state->search, 0);
	if (state->search[0] && is_found)
		note_matches(state);
	else if (state->search[0])
		prompt_note(&state->prompt, "not here");
}

/* Searches again in new rows: the row may have come, or got its name, after the text was typed. */
static void search_refreshed(struct ui_state *state)
{
	const struct view_ops *ops = state->view->ops;

	if (!ops->is_at_match || !state->search[0])
		return;
	if (ops->is_at_match(state->view, state, state->search))
		note_matches(state);
	else
		search_edited(state);
}

static void search_accepted(struct ui_state *state)
{
	if (state->search[0])
		state_say(state, "n next, N previous%s", state->view->opener ||
			  state->query.breadcrumbs.count > 1 ? "" : ", Esc ends the search");
}

static void search_cancelled(struct ui_state *state)
{
	memcpy(state->search, state->search_before, sizeof(state->search));
	if (state->view->ops->unmark)
		state->view->ops->unmark(state->view);
}

void cmd_search(struct ui_state *state)
{
	static const struct prompt_use use = {
		.label = "search:", .edited = search_edited, .accepted = search_accepted,
		.cancelled = search_cancelled, .refreshed = search_refreshed,
	};

	if (state->view->ops->mark)
		state->view->ops->mark(state->view);
	memcpy(state->search_before, state->search, sizeof(state->search));
	state_open_prompt(state, &use, "");
}

void cmd_find_again(struct ui_state *state, int step)
{
	if (!state->search[0])
		cmd_search(state);
	else if (!state->view->ops->find(state->view, state, state->search, step))
		state_say(state, "\"%s\" is not here", state->search);
}
