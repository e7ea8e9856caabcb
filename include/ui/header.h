/* header.h - the line of truth at the top: what is sampled, which time, how much, what was lost,
 * what flametop itself costs. Counters that are zero are not there.
 * Thread: the ui's. */
#ifndef UI_HEADER_H
#define UI_HEADER_H

#include "ui/canvas.h"
#include "ui/state.h"

/* Lines of the header, by width alone, so that the table below never jumps. */
int header_lines(int width);

void header_draw(const struct ui_state *state, struct canvas *canvas);

/* "last 10 s", "since start", ...; a constant or a static buffer, valid until the next call. */
const char *header_window_name(enum window_kind window, double seconds, bool is_zeroed);

#endif
