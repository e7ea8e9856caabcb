/* prompt.h - one line of input at the bottom of the screen. Never waits: the refresh goes on.
 *
 * Keys:   as readline's: Left Right Home End Ctrl-A Ctrl-E move, Backspace Delete Ctrl-W Ctrl-U
 *         Ctrl-K erase, Up Down recall what was accepted under the same label, Enter accepts, Esc
 *         cancels. In a selected text the next letter takes the place of all of it.
 * Text:   what base/sanitize.h lets through, all else that is typed or pasted is left out: so it
 *         can be compared with names, which are clean, too.
 * Thread: the ui's.
 */
#ifndef UI_PROMPT_H
#define UI_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

#include "ui/canvas.h"

#define PROMPT_BYTES   128	/* text, terminator included */
#define PROMPT_HISTORY 32	/* accepted texts that are kept, of all labels together */

struct prompt_entry {
	const char *label;
	char text[PROMPT_BYTES];
};

struct prompt {
	bool is_open;
	const char *label;
	char text[PROMPT_BYTES];
	size_t cursor;		/* byte offset into text, at a character */
	bool is_selected;	/* all of text: what is typed or erased next takes its place */
	struct prompt_entry history[PROMPT_HISTORY];	/* newest last */
	size_t history_count, recalled;	/* recalled: how far back Up has gone; 0: not */
	char typed[PROMPT_BYTES];	/* what Down comes back to */
	char note[PROMPT_BYTES];	/* at the right edge, not the keys: an error, a count */
};

enum prompt_result {
	PROMPT_IGNORED,		/* not a key of the prompt */
	PROMPT_MOVED,		/* the picture changed, the text did not */
	PROMPT_EDITED,
	PROMPT_ACCEPTED,	/* closed; text stands */
	PROMPT_CANCELLED,	/* closed; the caller restores what was before */
};

/* @label: a constant, also the name of its history; @text is what it starts with, cut when
 * longer. */
void prompt_open(struct prompt *prompt, const char *label, const char *text);
/* Selects the text, if there is one, until a key moves the cursor or changes it. */
void prompt_select(struct prompt *prompt);
enum prompt_result prompt_press(struct prompt *prompt, int key);
/* Shown until the next key; cut when longer. */
void prompt_note(struct prompt *prompt, const char *note);
/* Its text with the cursor alone, in @area; for a line of input elsewhere. Returns the cells used,
 * those of a cursor behind the text not included. */
int prompt_draw_text(const struct prompt *prompt, struct canvas *canvas, struct canvas_area area);
void prompt_draw(const struct prompt *prompt, struct canvas *canvas, int y);

#endif
