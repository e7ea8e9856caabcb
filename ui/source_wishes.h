/* source_wishes.h - asks for the source lines of what the screen shows. Thread: the ui's. */
#ifndef UI_SOURCE_WISHES_H
#define UI_SOURCE_WISHES_H

struct ui_state;

/* After a picture was drawn: asks for the lines of the row under the cursor, with the column SOURCE
 * on the screen of all its rows, unless they are known or were asked for already. */
void source_wishes_update(struct ui_state *state);

#endif
