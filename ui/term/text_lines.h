/* text_lines.h - a sentence on as many lines as it needs, wrapped at spaces; a word
 * that is wider than a line is broken.
 * Thread: any, no state. */
#ifndef UI_TEXT_LINES_H
#define UI_TEXT_LINES_H

#include "ui/canvas.h"

#define TEXT_LINES_BYTES 640	/* of a sentence, at most; the rest is cut */

/* How many lines of @width cells @text takes. */
int text_lines_count(const struct canvas *canvas, int width, const char *text);
/* Draws @text in the columns of @area, from its line on, what of it lies in the lines @begin to
 * @end (exclusive); returns the line below the last one used. */
int text_lines_put_part(struct canvas *canvas, struct canvas_area area, int begin, int end,
			const char *text, enum role role);
/* The same from its own line on. */
int text_lines_put(struct canvas *canvas, struct canvas_area area, int end, const char *text,
		   enum role role);
/* The same over the width of the canvas, from line @y on. */
int text_lines_draw(struct canvas *canvas, int y, int end, const char *text, enum role role);

#endif
