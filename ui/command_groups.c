/* command_groups.c - opens the group tree, changes its keys, opens the samples of a group. */
#include <stdio.h>

#include "command_list.h"
#include "fold/group_keys.h"

void cmd_groups(struct ui_state *state)
{
	command_show_view(state, VIEW_GROUPS);
}

void cmd_group_keys(struct ui_state *state)
{
	command_show_view(state, VIEW_GROUPS);
	group_panel_open(state);
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

void command_refuse_way(struct ui_state *state, unsigned int left_out)
{
	char keys[GROUP_ORDER_BYTES];

	state_say(state, "no filter tells this %s: Right opens the groups in it",
		  format_keys(left_out, keys));
}

void cmd_open_group(struct ui_state *state)
{
	struct cursor_way way;

	if (command_drop_filter(state))
		return;
	if (state_cursor_way(state, &way)) {
		state->search[0] = '\0';
		state_go_way(state, table_specs[VIEW_GROUPS].opens, &way);
		command_tell_left_out(state, way.left_out);
	} else if (way.left_out) {
		command_refuse_way(state, way.left_out);
	}
}
