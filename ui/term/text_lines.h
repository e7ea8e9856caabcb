/* text_lines.h - draws text on as many lines as it needs, wrapped at spaces; a word that is wider
 * than a line is broken.
 * Thread: any, no state. */
#ifndef UI_TEXT_LINES_H
#define UI_TEXT_LINES_H

#include "canvas.h"

#define TEXT_LINES_BYTES 640	/* longest text; the rest is cut */

/* Returns how many lines of @width cells @text takes. */
int text_lines_count(const struct canvas *canvas, int width, const char *text);
/* Draws @text in the columns of @area, beginning on its line, clipped to the lines @begin to @end
 * (exclusive); returns the line below the last one used. */
int text_lines_put_part(struct canvas *canvas, struct canvas_area area, int begin, int end,
			const char *text, enum role role);
/* Draws @text from the line of @area to @end (exclusive). Returns like text_lines_put_part(). */
int text_lines_put(struct canvas *canvas, struct canvas_area area, int end, const char *text,
		   enum role role);
/* Draws @text over the width of the canvas, from line @y to @end (exclusive). */
int text_lines_draw(struct canvas *canvas, int y, int end, const char *text, enum role role);

#endif
