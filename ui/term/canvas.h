/* canvas.h - a grid of cells that views draw a frame on and a terminal or a test reads.
 *
 * Cells:  one character with at most one combining mark (the first of several), and its meaning
 *         (enum role). A wide character owns two cells, the second is CANVAS_TAIL. Characters that
 *         are invisible or move others (joiners, direction marks) become '?', wherever they occur.
 * Clip:   every call takes an area and never draws outside of it or of the canvas; a wide character
 *         that would be cut in half becomes a space.
 * Locale: widths come from wcwidth(3), as in curses, so that both agree: LC_CTYPE must be UTF-8
 *         unless is_ascii. With is_ascii every cell is ASCII: flametop's own marks have an ASCII
 *         substitute, everything else becomes '?'.
 * Thread: the owner's.
 */
#ifndef UI_CANVAS_H
#define UI_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sanitize.h"
#include "ui/theme.h"

#define CANVAS_TAIL 0u

/* Which of its role's colours a character is drawn in. */
enum canvas_ink {
	INK_TEXT,
	INK_FILL,		/* the role's background colour as foreground: see theme_edge() */
};

struct canvas_cell {
	uint32_t code;		/* code point; CANVAS_TAIL: second half of the cell to the left */
	uint32_t mark;		/* combining mark, 0: none */
	enum role role;
	enum canvas_ink ink;
};

struct canvas {
	int width, height;
	bool is_ascii;
	struct canvas_cell *cells;	/* owned; width * height, row by row */
};

/* A range of cells on one line. */
struct canvas_area {
	int x, y, width;
};

/* Sets the size of @canvas and clears it; is_ascii stays. Returns 0 or -ENOMEM (then it is 0 x 0).
 * A zeroed struct is a canvas of size 0. */
int canvas_resize(struct canvas *canvas, int width, int height);
void canvas_finish(struct canvas *canvas);
void canvas_clear(struct canvas *canvas);

/* Returns the cells that @text takes uncut. */
int canvas_text_width(const struct canvas *canvas, const char *text);

/* Draws @text from the left edge of @area; text that does not fit ends in an ellipsis. Returns the
 * cells used. The rest of the area is left as it is. */
int canvas_put_text(struct canvas *canvas, struct canvas_area area, struct safe_text text,
		    enum role role);
/* Draws @text at the right edge of @area, like canvas_put_text(). */
int canvas_put_right(struct canvas *canvas, struct canvas_area area, struct safe_text text,
		     enum role role);

/* Marks sanitized names and flametop's own words as safe to draw. Returns @text itself, or a clean
 * copy (valid until the thread's next call) if it was cut inside a character. A combining mark at
 * its start, whose letter is scrolled out of sight, is dropped. */
struct safe_text canvas_clean(const char *text);

/* Draws a frame of @width x @height cells at @x, @y and clears its inside; nothing if smaller than
 * 2 x 2. */
void canvas_put_box(struct canvas *canvas, int x, int y, int width, int height, enum role role);

/* Fills line @y with blanks of @role from half cell @x to before half cell @end (two per cell). A
 * half cell at an end is a block of INK_FILL; with is_ascii only whole cells are filled. */
void canvas_put_fill(struct canvas *canvas, int x, int end, int y, enum role role);

/* Sets the role of all cells of @area; their characters stay. */
void canvas_set_role(struct canvas *canvas, struct canvas_area area, enum role role);
/* Shows line @y as the one under the cursor: by its role, and by a mark in its first cell. */
void canvas_select_line(struct canvas *canvas, int y);

#endif
