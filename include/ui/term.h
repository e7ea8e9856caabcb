/* term.h - the terminal: takes it, paints a canvas on it, reads its bytes, gives it back.
 *
 * Promise: the terminal is as it was before on every way out: term_leave(), a fatal signal (a
 *          handler here restores it, then lets the signal do its work), SIGKILL (the guardian).
 * Once:    one terminal per program.
 * Thread:  the ui's.
 */
#ifndef UI_TERM_H
#define UI_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/diag.h"
#include "probe/guardian.h"
#include "ui/canvas.h"
#include "ui/theme.h"

enum color_mode {
	COLOR_AUTO,		/* as terminfo says, none when NO_COLOR is set */
	COLOR_ALWAYS,		/* as terminfo says */
	COLOR_NEVER,
};

struct term_config {
	enum color_mode color;
	bool no_unicode;
	bool mouse;		/* see term_set_mouse() */
	const struct theme *theme;
	struct guardian *guardian;	/* told when the screen is taken and left; NULL: none */
};

struct terminal;

/* Takes the terminal on stdin and stdout. -ENOTTY (none, or of an unknown kind) with the
 * remedy, or -ENOMEM. */
int term_enter(struct terminal **out, const struct term_config *config, struct diag *why);
void term_leave(struct terminal *term);	/* NULL is fine */

/* Gives the terminal back for as long as the program is stopped, and takes it again. */
void term_suspend(struct terminal *term);
void term_resume(struct terminal *term);

bool term_is_ascii(const struct terminal *term);

/* Reports of the mouse from now on where the terminal has them, or none: then its own selecting
 * works as in other programs. */
void term_set_mouse(struct terminal *term, bool is_on);
/* The next term_paint() shows everything in @theme. */
void term_set_theme(struct terminal *term, const struct theme *theme);

/* Asks the kernel how large the terminal is now; true when that is news. */
bool term_update_size(struct terminal *term, int *width, int *height);

/* Shows @canvas, sending only what differs from what is shown. */
void term_paint(struct terminal *term, const struct canvas *canvas);
/* The next term_paint() sends everything. */
void term_forget(struct terminal *term);

#define TERM_COPY_BYTES 4096
/* Puts @text, at most TERM_COPY_BYTES, into the terminal's clipboard by OSC 52 (xterm, "Operating
 * System Commands"); nothing tells whether the terminal allows it. False: it has none, or @text is
 * longer. */
bool term_copy(struct terminal *term, const char *text);

int term_input_fd(const struct terminal *term);
/* As read(2), retried after signals; 0: the terminal is gone. */
ssize_t term_read(const struct terminal *term, unsigned char *out, size_t cap);

#endif
