/* command_finds.c - search: moves the cursor, does not change the rows. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "command_list.h"
#include "widgets/search.h"

/* The whole number: 77 is not 4177. */
static bool is_id_of(const struct ui_state *state, const struct snapshot_row *row)
{
	char id[24];

	if (!(state->shown->keys & (KEY_PID | KEY_TID)))
		return false;
	snprintf(id, sizeof(id), "%" PRId64, snapshot_row_is_thread(row) ? row->tid : row->pid);
	return !strcmp(state->search, id);
}

static bool row_matches(const struct ui_state *state, const struct snapshot_row *row)
{
	return search_matches(state->search, row->symbol) ||
	       search_matches(state->search, row->raw_symbol) ||
	       search_matches(state->search, row->object) ||
	       search_matches(state->search, row->comm) ||
	       search_matches(state->search, row->command_line) ||
	       is_id_of(state, row);
}

static bool node_matches(const struct ui_state *state, size_t index)
{
	const struct tree_node *node;
	const struct group_node *group;

	if (state_is_groups(state)) {
		group = tree_rows_group(&state->groups_view.rows, (uint32_t)index);
		return search_matches(state->search, group->text) ||
		       search_matches(state->search, group->name);
	}
	node = tree_rows_node(&state->tree.rows, (uint32_t)index);
	return search_matches(state->search, node->symbol) ||
	       search_matches(state->search, node->raw_symbol) ||
	       search_matches(state->search, node->object);
}

/* Counts the nodes of the rows' tree; while compared it is sorted unlike the snapshot's. */
static size_t count_nodes(const struct ui_state *state)
{
	const struct group_tree *groups = state->groups_view.rows.groups;

	if (state_is_groups(state))
		return groups ? groups->node_count : 0;
	return state->shown ? state->shown->tree.node_count : 0;
}

/* Searches beneath closed lines, too, and opens them. */
static bool find_node(struct ui_state *state, size_t from, size_t step)
{
	const size_t count = count_nodes(state);

	for (size_t i = 0; i < count; i++) {
		const size_t at = (from + i * step) % count;

		if (node_matches(state, at)) {
			tree_rows_show_node(state_tree_rows(state), (uint32_t)at);
			return true;
		}
	}
	return false;
}

/* Moves the cursor to the next match, in steps of @step rows from index @from, wrapping around. */
static bool find_row(struct ui_state *state, size_t from, size_t step)
{
	const struct table_rows *rows = &state->table.rows;

	for (size_t i = 0; i < rows->count; i++) {
		const size_t at = (from + i * step) % rows->count;

		if (row_matches(state, rows->rows[at])) {
			table_rows_select_index(&state->table.rows, at);
			return true;
		}
	}
	return false;
}

static size_t count_matches(struct ui_state *state, size_t *of)
{
	size_t count = 0;

	*of = state->table.rows.count;
	if (state_tree_rows(state)) {
		*of = count_nodes(state);
		for (size_t i = 0; i < *of; i++)
			count += node_matches(state, i);
		return count;
	}
	for (size_t i = 0; i < state->table.rows.count; i++)
		count += row_matches(state, state->table.rows.rows[i]);
	return count;
}

static void note_matches(struct ui_state *state)
{
	char note[PROMPT_BYTES];
	size_t of;
	const size_t count = count_matches(state, &of);

	snprintf(note, sizeof(note), "%zu of %zu %s", count, of,
		 state_is_tree(state) ? "calls" : state_is_groups(state) ? "groups" : "rows");
	prompt_note(&state->prompt, note);
}

static size_t cursor_node(struct ui_state *state)
{
	const struct tree_row *row = tree_rows_cursor(state_tree_rows(state));

	return row ? row->first : 0;
}

/* Finds a frame of the flame graph. The view shows the matches' share above the boxes. */
static void find_frame(struct ui_state *state)
{
	flame_view_return(&state->flame);
	if (state->search[0] && !flame_view_find(&state->flame, state->search, 0))
		prompt_note(&state->prompt, "not here");
}

static bool is_of_probes(const struct ui_state *state)
{
	return state_is_probes(state) || state_is_probe(state);
}

/* Finds a probe in the list of probes, a hit in the log of one probe. */
static bool find_probe(struct ui_state *state, int step)
{
	if (state_is_probes(state))
		return probes_view_find(&state->probes, state->search, step);
	return probe_view_find(&state->probe, state->search, step);
}

static void search_edited(struct ui_state *state)
{
	struct table_rows *rows = &state->table.rows;

	snprintf(state->search, sizeof(state->search), "%s", state->prompt.text);
	state->searched = state->view;
	if (state_is_page(state)) {
		if (!pager_find((struct pager *)state->view, state->search, PAGER_FIND_HERE) &&
		    state->search[0])
			prompt_note(&state->prompt, "not here");
		return;
	}
	if (state_is_flame(state)) {
		find_frame(state);
		return;
	}
	if (is_of_probes(state)) {
		if (state->search[0] && !find_probe(state, 0))
			prompt_note(&state->prompt, "not here");
		return;
	}
	if (state_tree_rows(state)) {
		tree_rows_select_id(state_tree_rows(state), state->cursor_before);
		if (state->search[0] && find_node(state, cursor_node(state), 1))
			note_matches(state);
		else if (state->search[0])
			prompt_note(&state->prompt, "not here");
		return;
	}
	table_rows_select(rows, state->cursor_before);
	if (!state->search[0] || !rows->count)
		return;
	find_row(state, rows->place.cursor, 1);
	note_matches(state);
}

/* Searches again in new rows: the row may have come, or got its name, after the text was typed. */
static void search_refreshed(struct ui_state *state)
{
	const struct snapshot_row *row = table_rows_cursor(&state->table.rows);

	if (!state_is_table(state) || !state->search[0] || !row)
		return;
	if (row_matches(state, row))
		note_matches(state);
	else
		search_edited(state);
}

static void search_accepted(struct ui_state *state)
{
	if (state->search[0])
		state_say(state, "n next, N previous%s", state->view->opener ||
			  state->trail.count > 1 ? "" : ", Esc ends the search");
}

static void search_cancelled(struct ui_state *state)
{
	memcpy(state->search, state->search_before, sizeof(state->search));
	if (state_is_page(state))
		pager_return((struct pager *)state->view);
	else if (state_tree_rows(state))
		tree_rows_select_id(state_tree_rows(state), state->cursor_before);
	else if (state_is_flame(state))
		flame_view_return(&state->flame);
	else if (!is_of_probes(state))
		table_rows_select(&state->table.rows, state->cursor_before);
}

void cmd_search(struct ui_state *state)
{
	static const struct prompt_use use = {
		.label = "search:", .edited = search_edited, .accepted = search_accepted,
		.cancelled = search_cancelled, .refreshed = search_refreshed,
	};
	struct snapshot_row row;

	state->cursor_before = state_cursor_row(state, &row) ? row.id : 0;
	if (state_is_page(state))
		pager_mark((struct pager *)state->view);
	else if (state_is_flame(state))
		flame_view_mark(&state->flame);
	memcpy(state->search_before, state->search, sizeof(state->search));
	state_open_prompt(state, &use, "");
}

static void find_again(struct ui_state *state, bool is_forward)
{
	const struct table_rows *rows = &state->table.rows;
	const size_t last = rows->count ? rows->count - 1 : 0;
	const size_t nodes = count_nodes(state);
	const size_t node_step = is_forward || !nodes ? 1 : nodes - 1;
	bool is_found;

	if (!state->search[0]) {
		cmd_search(state);
		return;
	}
	if (state_tree_rows(state))
		is_found = find_node(state, cursor_node(state) + node_step, node_step);
	else if (state_is_table(state))
		is_found = find_row(state, rows->place.cursor + (is_forward ? 1 : last),
				    is_forward ? 1 : last);
	else if (state_is_flame(state))
		is_found = flame_view_find(&state->flame, state->search, is_forward ? 1 : -1);
	else if (is_of_probes(state))
		is_found = find_probe(state, is_forward ? 1 : -1);
	else
		is_found = pager_find((struct pager *)state->view, state->search,
				      is_forward ? PAGER_FIND_NEXT : PAGER_FIND_PREVIOUS);
	if (!is_found)
		state_say(state, "\"%s\" is not here", state->search);
}

void cmd_find_next(struct ui_state *state)
{
	find_again(state, true);
}

void cmd_find_previous(struct ui_state *state)
{
	find_again(state, false);
}
