/* term.h - the terminal: takes it over, paints a canvas, reads bytes, restores it.
 *
 * Promise: the terminal is restored on every way out: term_leave(), a fatal signal (a handler here
 *          restores it, then re-raises the signal), SIGKILL (the guardian).
 * Once:    one terminal per program.
 * Thread:  the ui's.
 */
#ifndef UI_TERM_H
#define UI_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/diag.h"
#include "proc/guardian.h"
#include "canvas.h"
#include "ui/theme.h"

struct term_config {
	enum color_mode color;
	bool no_unicode;
	bool mouse;		/* see term_set_mouse() */
	const struct theme *theme;
	struct guardian *guardian;	/* notified when the screen is taken or left; NULL: none */
};

struct terminal;

/* Takes over the terminal on stdin and stdout. Returns 0, -ENOTTY (none, or of an unknown kind; the
 * remedy is in @why) or -ENOMEM. */
int term_enter(struct terminal **out, const struct term_config *config, struct diag *why);
void term_leave(struct terminal *term);	/* NULL is fine */

/* Restore the terminal while the program is stopped; take it over again. */
void term_suspend(struct terminal *term);
void term_resume(struct terminal *term);

bool term_is_ascii(const struct terminal *term);

/* Switches mouse reports on, if the terminal has them, or off, so that the terminal's own text
 * selection works. */
void term_set_mouse(struct terminal *term, bool is_on);
/* The next term_paint() shows everything in @theme. */
void term_set_theme(struct terminal *term, const struct theme *theme);

/* Gets the terminal's size from the kernel; true if it changed. */
bool term_update_size(struct terminal *term, int *width, int *height);

/* Shows @canvas, sending only the differences from what is shown. */
void term_paint(struct terminal *term, const struct canvas *canvas);
/* The next term_paint() sends everything. */
void term_forget(struct terminal *term);

#define TERM_COPY_BYTES 4096
/* Copies @text, at most TERM_COPY_BYTES, to the terminal's clipboard by OSC 52 (xterm, "Operating
 * System Commands"); whether the terminal allows it is unknown. False: no clipboard, or @text is
 * longer. */
bool term_copy(struct terminal *term, const char *text);
void term_ring(struct terminal *term);	/* rings the terminal's bell */

int term_input_fd(const struct terminal *term);
/* Works like read(2), retried after signals; 0: the terminal is gone. */
ssize_t term_read(const struct terminal *term, unsigned char *out, size_t cap);

#endif
