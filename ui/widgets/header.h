/* header.h - the lines above the view.
 *
 *   wide                                        narrow
 *   what is sampled ........ counter line       what is sampled
 *   activity graph ............... states       counter line
 *   views .................. breadcrumbs        activity graph, states
 *                                               view, breadcrumbs
 * Low screens leave out the activity graph. Counters that are zero are left out.
 *
 * Thread: the ui's.
 */
#ifndef UI_HEADER_H
#define UI_HEADER_H

#include "state.h"
#include "ui/canvas.h"

/* Returns the lines of the header. Only the screen's size counts, so that the table never jumps. */
int header_lines(int width, int height);
/* Returns the lines that the heat map adds; 0: there is no room for it above the table. */
int header_heat_lines(int width, int height);
/* Returns the lowest height of a screen of @width that has room for the heat map. */
int header_heat_height(int width);

void header_draw(struct ui_state *state, struct canvas *canvas);

#define HEADER_WINDOW_BYTES 48

/* Formats the name of a window: "last 10 s", "since start", ...; returns @out or a constant. */
const char *header_window_name(char out[HEADER_WINDOW_BYTES], enum window_kind window,
			       double seconds, bool is_zeroed);

#endif
