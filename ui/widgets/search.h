/* search.h - the text looked for with '/', and where it is on the screen. Smart case: capitals
 * count if typed.
 * Use:    case is a matter of the locale's towlower(3), so that it is any alphabet's.
 * Thread: any, no state. */
#ifndef UI_SEARCH_H
#define UI_SEARCH_H

#include <stdbool.h>

#include "ui/canvas.h"

/* Its first occurrence in @text, into which it points; NULL: none. "" is nowhere. */
const char *search_find(const char *search, const char *text);
bool search_matches(const char *search, const char *text);

/* Gives every occurrence within the cells of @area ROLE_MATCH. */
void search_highlight(struct canvas *canvas, struct canvas_area area, const char *search);

#endif
