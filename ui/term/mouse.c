/* mouse.c - see mouse.h. */
#include "mouse.h"

#include "command_list.h"
#include "ui/commands.h"

#define WHEEL_LINES 3

static void scroll(struct ui_state *state, int lines)
{
	if (state_is_table(state)) {
		table_rows_scroll(&state->table.rows, lines);
	} else if (state_tree_rows(state)) {
		tree_rows_scroll(state_tree_rows(state), lines);
	} else if (state_is_flame(state)) {
		flame_view_scroll(&state->flame, lines);
	} else if (state_is_probes(state)) {
		probes_view_scroll(&state->probes, lines);
	} else if (state_is_probe(state)) {
		probe_view_scroll(&state->probe, lines);
	} else {
		const enum view_move move = lines < 0 ? MOVE_UP : MOVE_DOWN;

		for (int i = 0; i < WHEEL_LINES; i++)
			state->view->ops->move(state->view, move);
	}
	state->is_changed = true;
}

static void go_to_parts(struct ui_state *state, size_t parts)
{
	while (state->trail.filter.count > parts && state_go_back(state))
		;
}

/* Moves the cursor to a row; false: there is no row on that line. */
static bool select_row(struct ui_state *state, size_t index)
{
	struct tree_rows *tree = state_tree_rows(state);

	if (state_is_waiting(state) || index >= (tree ? tree->count : state->table.rows.count))
		return false;
	if (tree)
		tree_rows_select_index(tree, index);
	else
		table_rows_select_index(&state->table.rows, index);
	state->is_changed = true;
	return true;
}

static void press_probe(struct ui_state *state, size_t index, enum mouse_action action)
{
	if (state_is_waiting(state))
		return;
	if (state_is_probe(state)) {
		probe_view_select(&state->probe, index);
		if (action == MOUSE_DOUBLE)
			cmd_probe_open(state);
		else if (action == MOUSE_MENU && probe_view_is_of_all(&state->probe))
			cmd_probe_menu(state);
		return;
	}
	if (!state->probes.probes || index >= state->probes.probes->count)
		return;
	probes_view_select(&state->probes, index);
	if (action == MOUSE_DOUBLE)
		cmd_probe_open(state);
	else if (action == MOUSE_MENU)
		cmd_probe_menu(state);
}

static void press_row(struct ui_state *state, size_t index, enum mouse_action action)
{
	if (!select_row(state, index))
		return;
	if (action == MOUSE_DOUBLE && state_tree_rows(state))
		command_toggle_line(state);
	else if (action == MOUSE_DOUBLE)
		cmd_open(state);
	else if (action == MOUSE_MENU)
		cmd_row_menu(state);
}

/* Goes back to the page of the probe whose hits are shown. */
static void leave_hits(struct ui_state *state)
{
	while (state_probe_hits(state) && state_go_back(state))
		;
}

static void press_box(struct ui_state *state, const struct hit *hit, const struct mouse *mouse)
{
	const uint32_t box = flame_view_at(&state->flame, mouse->x, mouse->y - hit->y);

	if (state_is_waiting(state) || box == FLAME_NONE)
		return;
	flame_view_select(&state->flame, box);
	if (mouse->action == MOUSE_DOUBLE)
		cmd_zoom(state);
	else if (mouse->action == MOUSE_MENU)
		cmd_row_menu(state);
}

/* Returns the time of the cell nearest to the mouse, in the graph where the drag began. */
static struct time_range time_at(const struct ui_state *state, const struct mouse *mouse)
{
	return time_scale_cell(state->drag.is_in_heat ? &state->heat : &state->strip, mouse->x,
			       mouse->y);
}

/* The second press of a double click chooses again, or begins a drag. */
static void press_time(struct ui_state *state, const struct hit *hit, const struct mouse *mouse)
{
	if (mouse->action == MOUSE_MENU)
		return;
	state->drag = (struct time_drag){ .is_on = true, .is_in_heat = hit->kind == HIT_HEAT };
	state->drag.from = state->drag.range = time_at(state, mouse);
}

static void drag_time(struct ui_state *state, const struct mouse *mouse)
{
	if (!state->drag.is_on)
		return;
	if (state->drag.is_in_heat ? state->heat.width > 0 : state->strip.width > 0)
		state->drag.range = time_range_join(state->drag.from, time_at(state, mouse));
	state->is_changed = true;
}

/* Selects the range that was marked, even if the graph has scrolled since. */
static void release_time(struct ui_state *state)
{
	if (!state->drag.is_on)
		return;
	state->drag.is_on = false;
	state->is_changed = true;
	command_choose_time(state, state->drag.range);
}

static void press(struct ui_state *state, const struct hit *hit, const struct mouse *mouse)
{
	const enum mouse_action action = mouse->action;

	switch (hit->kind) {
	case HIT_ROWS:
		if (state_is_probes(state) || state_is_probe(state))
			press_probe(state, hit->number, action);
		else
			press_row(state, hit->number, action);
		break;
	case HIT_BOXES:
		press_box(state, hit, mouse);
		break;
	case HIT_TITLE:
		command_sort_by(state, (enum column_id)hit->number);
		break;
	case HIT_TAB:
		command_show_view(state, (enum view_kind)hit->number);
		break;
	case HIT_CRUMB:
		go_to_parts(state, hit->number);
		break;
	case HIT_PROBE:
		leave_hits(state);
		break;
	case HIT_PANE:
		command_show_pane(state, (enum probe_pane)hit->number);
		break;
	case HIT_STRIP:
	case HIT_HEAT:
		press_time(state, hit, mouse);
		break;
	case HIT_LIVE:
		if (action == MOUSE_PRESS)
			cmd_live(state);
		break;
	case HIT_COMMAND:
		state_press_key(state, keymap_key(state->keymap, &commands[hit->number]), NULL);
		break;
	case HIT_NOTHING:
		break;
	}
	state->is_changed = true;
}

void mouse_act(struct ui_state *state, const struct mouse *mouse)
{
	const struct hit hit = hits_find(&state->hits, mouse->x, mouse->y);

	if (mouse->action != MOUSE_DRAG && mouse->action != MOUSE_RELEASE)
		state->drag.is_on = false;	/* its release was lost */
	switch (mouse->action) {
	case MOUSE_WHEEL_UP:
		scroll(state, -WHEEL_LINES);
		break;
	case MOUSE_WHEEL_DOWN:
		scroll(state, WHEEL_LINES);
		break;
	case MOUSE_PRESS:
	case MOUSE_DOUBLE:
	case MOUSE_MENU:
		press(state, &hit, mouse);
		break;
	case MOUSE_DRAG:
		drag_time(state, mouse);
		break;
	case MOUSE_RELEASE:
		release_time(state);
		break;
	}
}
