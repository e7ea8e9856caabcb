/* prompt.h - one line of input at the bottom of the screen, and above it the words that may end it.
 * Never waits: the refresh goes on.
 *
 * Keys:   as in readline: Left Right Home End Ctrl-A Ctrl-E move, Backspace Delete Ctrl-W Ctrl-U
 *         Ctrl-K erase, Up Down recall texts accepted under the same label, Enter accepts, Esc
 *         cancels. If the text is selected, the next letter replaces all of it.
 * Text:   only what base/sanitize.h accepts; anything else typed or pasted is dropped, so that the
 *         text can be compared with names, which are sanitized, too.
 * Thread: the ui's.
 */
#ifndef UI_PROMPT_H
#define UI_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

#include "term/canvas.h"

#define PROMPT_BYTES   384	/* text, terminator included: a one-liner for the finder */
#define PROMPT_HISTORY 32	/* accepted texts kept, for all labels together */
#define PROMPT_CHOICES 12

struct prompt_entry {
	const char *label;
	char text[PROMPT_BYTES];
};

struct prompt {
	bool is_open;
	const char *label;
	char text[PROMPT_BYTES];
	size_t cursor;		/* byte offset into text, at a character */
	bool is_selected;	/* all of text is selected: the next edit replaces it */
	struct prompt_entry history[PROMPT_HISTORY];	/* newest last */
	size_t history_count, recalled;	/* recalled: how far back Up has gone; 0: not */
	char typed[PROMPT_BYTES];	/* the text before Up, restored by Down */
	char note[PROMPT_BYTES];	/* shown at the right edge instead of the keys; "": none */
	char hint[PROMPT_BYTES];	/* shown instead of the keys where the text leaves room */
	const char *choices[PROMPT_CHOICES];	/* BORROWED: constants */
	size_t choice_count, chosen;	/* chosen >= choice_count: none */
	const char *left_out;	/* constant after the choices: why one is missing; NULL: none is */
};

enum prompt_result {
	PROMPT_IGNORED,		/* not a key of the prompt */
	PROMPT_MOVED,		/* the prompt must be drawn; its text is unchanged */
	PROMPT_EDITED,
	PROMPT_ACCEPTED,	/* closed; text is the result */
	PROMPT_CANCELLED,	/* closed; the caller restores the former state */
};

/* Opens the prompt. @label: a constant, also the name of its history; @text: initial text, cut if
 * too long. */
void prompt_open(struct prompt *prompt, const char *label, const char *text);
/* Replaces the text, cut if too long; the cursor goes to its end. */
void prompt_replace(struct prompt *prompt, const char *text);
/* Selects the text, if there is any, until a key moves the cursor or changes the text. */
void prompt_select(struct prompt *prompt);
enum prompt_result prompt_press(struct prompt *prompt, int key);
/* Shows @note until the next key; cut if too long. */
void prompt_note(struct prompt *prompt, const char *note);
/* Shows @hint, dim, until the next one or the prompt is closed. */
void prompt_hint(struct prompt *prompt, const char *hint);
/* Adds a word, a constant, to those that may end the text; without room nothing happens. */
void prompt_add_choice(struct prompt *prompt, const char *word);
/* Draws those words in line @y, the chosen one as selected; nothing if there are none. */
void prompt_draw_choices(const struct prompt *prompt, struct canvas *canvas, int y);
/* Draws only text and cursor in @area, for a line of input elsewhere. Returns the cells used,
 * without that of a cursor after the text. */
int prompt_draw_text(const struct prompt *prompt, struct canvas *canvas, struct canvas_area area);
void prompt_draw(const struct prompt *prompt, struct canvas *canvas, int y);

#endif
