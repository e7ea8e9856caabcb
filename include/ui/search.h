/* search.h - the text looked for with '/', and where it is on the screen. Smart case: capitals
 * count if typed.
 * Thread: any, no state. */
#ifndef UI_SEARCH_H
#define UI_SEARCH_H

#include <stdbool.h>

#include "ui/canvas.h"

/* Is it in @text? "" is nowhere. */
bool search_matches(const char *search, const char *text);

/* Gives every occurrence within the cells of @area ROLE_MATCH. */
void search_highlight(struct canvas *canvas, struct canvas_area area, const char *search);

#endif
