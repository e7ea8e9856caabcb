/* view_help.c - see ui/view_help.h. */
#include "ui/view_help.h"

#include <stdio.h>

#include "ui/columns.h"
#include "ui/commands.h"
#include "ui/pager.h"
#include "ui/state.h"

#define KEYS_CELLS 22		/* "Esc, Backspace, Left" and a gap */

static void refresh_help(struct view *view, const struct ui_state *state)
{
	struct pager *pager = (struct pager *)view;
	char keys[KEYMAP_TEXT_BYTES], name[KEYS_CELLS];

	pager_clear(pager);
	pager_add(pager, ROLE_NAME, 0, "Keys");
	for (size_t i = 0; i < command_count; i++) {
		keymap_format(state->keymap, &commands[i], keys);
		snprintf(name, sizeof(name), ":%s", commands[i].name);	/* in the palette */
		pager_add(pager, ROLE_TEXT, KEYS_CELLS, "%-*s %s", KEYS_CELLS - 1,
			  keys[0] ? keys : name, commands[i].help);
	}
	pager_add(pager, ROLE_TEXT, 0, "%s", "");
	pager_add(pager, ROLE_NAME, 0, "Columns");
	for (size_t i = 0; i < COL_COUNT; i++)
		pager_add(pager, ROLE_TEXT, KEYS_CELLS, "%-*s%s", KEYS_CELLS,
			  columns[i].title[0] ? columns[i].title : "bar", columns[i].help);
	pager_add(pager, ROLE_TEXT, 0, "%s", "");
	pager_add(pager, ROLE_NAME, 0, "Levels");
	pager_add(pager, ROLE_TEXT, KEYS_CELLS, "%-*skernel", KEYS_CELLS, "[k]");
	pager_add(pager, ROLE_TEXT, KEYS_CELLS, "%-*suser", KEYS_CELLS, "[.]");
	pager_add(pager, ROLE_TEXT, KEYS_CELLS, "%-*sguest kernel, guest user", KEYS_CELLS,
		  "[g] [u]");
	pager_add(pager, ROLE_TEXT, KEYS_CELLS, "%-*shypervisor", KEYS_CELLS, "[H]");
	pager_add(pager, ROLE_TEXT, KEYS_CELLS, "%-*sunknown", KEYS_CELLS, "[?]");
}

const struct view_ops view_help_ops = {
	.place = IN_PAGER,
	.title = "Help",
	.refresh = refresh_help,
	.draw = pager_draw,
	.move = pager_move,
};
