/* view_help.c - see ui/view_help.h. */
#include "ui/view_help.h"

#include <stdio.h>

#include "ui/columns.h"
#include "ui/commands.h"
#include "ui/pager.h"
#include "ui/probe_columns.h"
#include "ui/state.h"

#define NAME_CELLS 25		/* "Esc, Backspace, Left, h" and a gap */

struct help_line {
	const char *name, *help;
};

static const struct help_line front_lines[] = {
	{ "In a menu", "type to narrow it, Up Down choose, Enter takes, Esc leaves" },
	{ "In a probe's panel", "Tab and arrows move, Space chooses, Enter attaches, Esc cancels" },
	{ "In a prompt", "Up Down recall, Ctrl-A Ctrl-E Ctrl-W Ctrl-U Ctrl-K as in a shell" },
};

static const struct help_line mouse_lines[] = {
	{ "click", "select a row; sort by a title, again: reverse; go to a view, to a step of the "
		   "way here, or do what the bottom line offers" },
	{ "double click", "open the row, zoom into the frame" },
	{ "right click", "what can be done with the row" },
	{ "wheel", "scroll" },
	{ "click on the strip", "show that second; drag: from there to here; on [live]: live "
				"again; in the heat map (H) the same of a line's milliseconds" },
};

static const struct help_line level_lines[] = {
	{ "[k]", "kernel" },
	{ "[.]", "user" },
	{ "[g] [u]", "guest kernel, guest user" },
	{ "[H]", "hypervisor" },
	{ "[?]", "unknown" },
};

static const struct help_line flame_lines[] = {
	{ "width", "the share of a frame; what it calls lies next to it, largest first, and what "
		   "is left of its width is its own time" },
	{ "colour", "kind of code, share or object; stronger on the hottest path" },
	{ "[k] [j] [i]", "where kernel, run-time (JIT) and inlined code begins" },
	{ "others", "frames that are narrower than a cell: zoom into their caller" },
};

static void add_line(struct pager *pager, const char *name, const char *help)
{
	pager_add(pager, ROLE_TEXT, NAME_CELLS, "%-*s %s", NAME_CELLS - 1, name, help);
}

static void add_section(struct pager *pager, const char *title)
{
	if (pager->count)
		pager_add(pager, ROLE_TEXT, 0, "%s", "");
	pager_add(pager, ROLE_NAME, 0, "%s", title);
}

static void add_lines(struct pager *pager, const char *title, const struct help_line *lines,
		      size_t count)
{
	add_section(pager, title);
	for (size_t i = 0; i < count; i++)
		add_line(pager, lines[i].name, lines[i].help);
}

static void add_keys(struct pager *pager, const struct keymap *keymap)
{
	char keys[KEYMAP_TEXT_BYTES], name[NAME_CELLS];

	add_section(pager, "Keys");
	for (size_t i = 0; i < command_count; i++) {
		keymap_format(keymap, &commands[i], keys);
		snprintf(name, sizeof(name), ":%s", commands[i].name);	/* in the palette */
		add_line(pager, keys[0] ? keys : name, commands[i].help);
	}
	for (size_t i = 0; i < sizeof(front_lines) / sizeof(front_lines[0]); i++)
		add_line(pager, front_lines[i].name, front_lines[i].help);
}

static void add_columns(struct pager *pager)
{
	add_section(pager, "Columns");
	for (size_t i = 0; i < COL_COUNT; i++)
		add_line(pager, columns[i].title[0] ? columns[i].title
						   : columns_name((enum column_id)i),
			 columns[i].help);
}

static void add_probe_columns(struct pager *pager)
{
	static const char *const names[PROBE_COL_COUNT] = {
		[PROBE_COL_STATE] = "first mark", [PROBE_COL_KIND] = "letters",
		[PROBE_COL_SPARK] = "bars",
	};

	add_section(pager, "Probes");
	for (size_t i = 0; i < PROBE_COL_COUNT; i++)
		add_line(pager, names[i] ? names[i] : probe_list_columns[i].title,
			 probe_list_columns[i].help);
}

static void refresh_help(struct view *view, const struct ui_state *state)
{
	struct pager *pager = (struct pager *)view;

	pager_clear(pager);
	add_keys(pager, state->keymap);
	add_lines(pager, "Mouse", mouse_lines, sizeof(mouse_lines) / sizeof(mouse_lines[0]));
	add_columns(pager);
	add_probe_columns(pager);
	add_lines(pager, "Levels", level_lines, sizeof(level_lines) / sizeof(level_lines[0]));
	add_lines(pager, "Flame graph", flame_lines, sizeof(flame_lines) / sizeof(flame_lines[0]));
}

const struct view_ops view_help_ops = {
	.place = IN_PAGER,
	.title = "Help",
	.refresh = refresh_help,
	.draw = pager_draw,
	.move = pager_move,
};
