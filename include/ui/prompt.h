/* prompt.h - one line of input at the bottom of the screen. Never waits: the refresh goes on.
 * Thread: the ui's. */
#ifndef UI_PROMPT_H
#define UI_PROMPT_H

#include <stdbool.h>

#include "ui/canvas.h"

#define PROMPT_BYTES 128	/* text, terminator included */

struct prompt {
	bool is_open;
	const char *label;
	char text[PROMPT_BYTES];
};

enum prompt_result {
	PROMPT_IGNORED,		/* not a key of the prompt */
	PROMPT_EDITED,
	PROMPT_ACCEPTED,	/* closed; text stands */
	PROMPT_CANCELLED,	/* closed; the caller restores what was before */
};

/* @label is borrowed while open; @text is what it starts with. */
void prompt_open(struct prompt *prompt, const char *label, const char *text);
enum prompt_result prompt_press(struct prompt *prompt, int key);
void prompt_draw(const struct prompt *prompt, struct canvas *canvas, int y);

#endif
