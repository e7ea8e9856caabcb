/* canvas.h - the picture: a grid of cells that views draw on and a terminal or a test reads.
 *
 * Cells:  one character with at most one combining mark (of several the first), and what it means
 *         (enum role). A wide character owns two cells, the second is CANVAS_TAIL. Characters that
 *         nobody sees or that move others (joiners, direction marks) are '?', however they came.
 * Clip:   every call takes an area and never draws outside of it or of the canvas; a wide character
 *         that would be cut in half becomes a space.
 * Locale: widths come from wcwidth(3), the same that curses asks, so that both agree: LC_CTYPE must
 *         be a UTF-8 one unless is_ascii. With is_ascii every cell is ASCII: our own marks have a
 *         stand-in, everything else is '?'.
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
	INK_FILL,		/* the background's, on the terminal's own: see theme_edge() */
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

/* One line's stretch of cells. */
struct canvas_area {
	int x, y, width;
};

/* Gives @canvas its size and clears it; is_ascii stays. 0 or -ENOMEM (then it is 0 x 0). A zeroed
 * struct is a canvas of size 0. */
int canvas_resize(struct canvas *canvas, int width, int height);
void canvas_finish(struct canvas *canvas);
void canvas_clear(struct canvas *canvas);

/* Cells that @text takes when nothing cuts it. */
int canvas_text_width(const struct canvas *canvas, const char *text);

/* Draws @text from the left edge of @area; text that does not fit ends in an ellipsis. Returns the
 * cells used. The rest of the area is left as it is. */
int canvas_put_text(struct canvas *canvas, struct canvas_area area, struct safe_text text,
		    enum role role);
/* The same at the right edge. */
int canvas_put_right(struct canvas *canvas, struct canvas_area area, struct safe_text text,
		     enum role role);

/* A line of names that passed the sanitizer and of our own words, to be drawn: @text as it is, or
 * its clean form (until the thread's next call) when its end was cut off inside a character. A mark
 * at its start, whose letter is scrolled out of sight, is left away. */
struct safe_text canvas_clean(const char *text);

/* A frame around @width x @height cells from @x, @y on; inside it is empty. Smaller than 2 x 2:
 * nothing. */
void canvas_put_box(struct canvas *canvas, int x, int y, int width, int height, enum role role);

/* Fills line @y from half cell @x to before half cell @end, of which two are in each cell, with
 * blanks of @role; half a cell at an end is a block of INK_FILL. With is_ascii only whole cells. */
void canvas_put_fill(struct canvas *canvas, int x, int end, int y, enum role role);

/* Gives all cells of @area that role; their characters stay. */
void canvas_set_role(struct canvas *canvas, struct canvas_area area, enum role role);

#endif
