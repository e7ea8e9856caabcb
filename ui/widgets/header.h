/* header.h - the lines above the view.
 *
 *   wide                                        narrow
 *   what is sampled ............. how much      what is sampled
 *   load of the last seconds ...... states      how much
 *   views ............ how one got here         load, states
 *                                               view, how one got here
 * Low screens do without the load. Counters that are zero are not there.
 *
 * Thread: the ui's.
 */
#ifndef UI_HEADER_H
#define UI_HEADER_H

#include "state.h"
#include "ui/canvas.h"

/* Lines of the header, by the size alone, so that the table below never jumps. */
int header_lines(int width, int height);
/* Lines that the heat map adds to them, 0: it has no room beside the table. */
int header_heat_lines(int width, int height);
/* How high a screen of that width must be for it. */
int header_heat_height(int width);

void header_draw(struct ui_state *state, struct canvas *canvas);

#define HEADER_WINDOW_BYTES 48

/* "last 10 s", "since start", ...; returns @out or a constant. */
const char *header_window_name(char out[HEADER_WINDOW_BYTES], enum window_kind window,
			       double seconds, bool is_zeroed);

#endif
