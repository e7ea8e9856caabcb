/* search.h - finds and highlights the text searched with '/'. Smart case: case matters only if the
 * search has capitals.
 * Case:   by towlower(3) of the locale, so that it works for every alphabet.
 * Thread: any, no state. */
#ifndef UI_SEARCH_H
#define UI_SEARCH_H

#include <stdbool.h>

#include "term/canvas.h"

/* Returns a pointer to the first occurrence in @text, or NULL. "" never matches. */
const char *search_find(const char *search, const char *text);
bool search_matches(const char *search, const char *text);

/* Sets ROLE_MATCH on every occurrence within the cells of @area. */
void search_highlight(struct canvas *canvas, struct canvas_area area, const char *search);

#endif
