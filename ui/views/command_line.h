/* command_line.h - makes the flametop command line that prints the present view without a screen.
 *
 * Use:    the page of :command shows the line made from the words of the source (struct launch) and
 *         from the state of the screen.
 * Thread: the ui's.
 */
#ifndef UI_COMMAND_LINE_H
#define UI_COMMAND_LINE_H

#include "ui/launch.h"
#include "view.h"

#define COMMAND_LINE_NOTES 24
#define COMMAND_LINE_NOTE_BYTES 240

extern const struct view_ops view_command_line_ops;	/* for a struct pager */

struct command_line {
	char text[COMMAND_LINE_BYTES];
	bool is_cut;		/* there was no room: the line is not whole */
	size_t note_count;	/* sentences about what no option can express */
	char notes[COMMAND_LINE_NOTES][COMMAND_LINE_NOTE_BYTES];
};

/* Makes the command line for what @state shows. */
void command_line_make(const struct ui_state *state, struct command_line *out);

/* For the views: add an option, whose @value may be NULL; a note about what no option can express;
 * the order of the rows. */
void command_line_option(struct command_line *line, const char *option, const char *value);
void command_line_note(struct command_line *line, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void command_line_order(struct command_line *line, const struct ui_state *state);

#endif
