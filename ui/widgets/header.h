/* header.h - the lines above the view.
 *
 *   wide                                        narrow
 *   what is sampled .......... quantities       what is sampled
 *   activity graph ............... states       quantities
 *   (counter line)                              activity graph, states
 *   views .................. breadcrumbs        (counter line)
 *                                               view, breadcrumbs
 * Low screens leave out the activity graph. Quantities that are zero are left out.
 *
 * Thread: the ui's.
 */
#ifndef UI_HEADER_H
#define UI_HEADER_H

#include "state.h"
#include "term/canvas.h"

/* Returns the lines of the header without those that a key adds, the heat map and the counter line.
 * Only the screen's size counts, so that the table never jumps. */
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

#define BASELINE_TEXT_BYTES 96

/* Formats the label: "13:58:00-13:58:10"; in a recording "0:12-0:22" counted from its start; for
 * another recording its name. A snapshot must have arrived. Returns @out. */
char *baseline_label(const struct ui_state *state, char out[BASELINE_TEXT_BYTES]);
/* Formats the label of a baseline that was marked and is in no snapshot yet. Returns @out. */
char *baseline_label_marked(const struct ui_state *state, char out[BASELINE_TEXT_BYTES]);

#endif
