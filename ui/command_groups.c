/* command_groups.c - the tree of groups: into it, its order, out to the samples of a group. */
#include <stdio.h>

#include "model/group_keys.h"
#include "ui/command_list.h"

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

void cmd_open_group(struct ui_state *state)
{
	struct filter_part parts[GROUP_LEVELS];
	char keys[GROUP_ORDER_BYTES];
	unsigned int left_out;
	const size_t count = state_cursor_parts(state, parts, &left_out);

	if (!tree_rows_cursor(&state->groups_view.rows))
		return;
	if (!count) {
		state_say(state, "no filter tells this %s: Right opens the groups in it",
			  format_keys(left_out, keys));
		return;
	}
	state->search[0] = '\0';
	state_go_through(state, table_specs[VIEW_GROUPS].opens, parts, count);
	command_tell_left_out(state, left_out);
}
