/* command_flame.c - commands of the flame graph. */
#include "command_list.h"

void cmd_flame(struct ui_state *state)
{
	command_open_calls(state, VIEW_FLAME);
}

void cmd_whole_flame(struct ui_state *state)
{
	command_show_whole(state);
}

void cmd_zoom(struct ui_state *state)
{
	if (command_drop_filter(state))
		return;
	if (flame_view_zoom_in(&state->flame)) {
		if (flame_view_limit_pct(&state->flame) < state->shown->tree.limit_pct / 2)
			state_ask(state);	/* finer ones, while what is there is shown */
		return;
	}
	state_say(state, "too narrow for boxes of their own: zoom into their caller");
}

void cmd_box_left(struct ui_state *state)
{
	flame_view_move_sideways(&state->flame, -1);
}

void cmd_box_right(struct ui_state *state)
{
	flame_view_move_sideways(&state->flame, 1);
}

void cmd_colours(struct ui_state *state)
{
	static const char *const names[FLAME_FILL_COUNT] = {
		[FLAME_BY_KIND] = "kind of code", [FLAME_BY_SHARE] = "share of the window",
		[FLAME_BY_OBJECT] = "object", [FLAME_BY_CHANGE] = "change",
	};
	const bool is_compared = state_is_compared(state);

	flame_view_next_fill(&state->flame, is_compared);
	state_say(state, "coloured by %s", names[flame_view_fill(&state->flame, is_compared)]);
}

void cmd_flip(struct ui_state *state)
{
	struct flame_view *flame = &state->flame;

	flame->is_upright = !flame->is_upright;
	state_say(state, flame->is_upright ? "callers below" : "callers above");
}
