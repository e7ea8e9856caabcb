/* source_wishes.h - requests the source lines of what the screen shows. Thread: the ui's. */
#ifndef UI_SOURCE_WISHES_H
#define UI_SOURCE_WISHES_H

struct ui_state;

/* Call after drawing a frame. Requests the source line of the row under the cursor and, if the
 * column SOURCE is drawn, of all rows on the screen, unless known or requested already. */
void source_wishes_update(struct ui_state *state);

#endif
