/* view_command_line.c - see view_command_line.h. */
#include "view_command_line.h"

#include <string.h>

#include "state.h"
#include "ui/commands.h"

#define INDENT	   2
#define LINE_BYTES 400	/* a line of the page has room for it */

/* Cuts @text at blanks into lines of the page, which wrap by themselves. */
static void add_text(struct pager *pager, const char *text)
{
	while (*text) {
		size_t length = strlen(text);

		if (length > LINE_BYTES) {
			length = LINE_BYTES;
			while (length > 1 && text[length] != ' ')
				length--;
			if (length == 1)
				length = LINE_BYTES;
		}
		pager_add(pager, ROLE_TEXT, INDENT, "%.*s", (int)length, text);
		text += length;
		text += *text == ' ';
	}
}

static void refresh(struct view *view, const struct ui_state *state)
{
	struct pager *pager = (struct pager *)view;
	struct command_line line;
	char keys[KEYMAP_TEXT_BYTES];

	pager_clear(pager);
	if (!state->shown)
		return;
	command_line_make(state, &line);
	pager_add(pager, ROLE_NAME, 0, "This view without a screen");
	add_text(pager, line.text);
	pager_add(pager, ROLE_TEXT, 0, "%s", "");
	if (line.is_cut)
		pager_add(pager, ROLE_LOSS, INDENT, "The line is too long: words are missing.");
	for (size_t i = 0; i < line.note_count; i++)
		pager_add(pager, ROLE_TEXT, INDENT, "%s", line.notes[i]);
	keymap_format(state->keymap, commands_find("copy-line"), keys);
	pager_add(pager, ROLE_DIM, INDENT, "%s%s copies the line to the terminal's clipboard.",
		  keys[0] ? "" : ":", keys[0] ? keys : "copy-line");
}

const struct view_ops view_command_line_ops = {
	.place = IN_PAGER,
	.title = "Command line",
	.refresh = refresh,
	.draw = pager_draw,
	.move = pager_move,
};
