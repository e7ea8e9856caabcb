/* overlays.h - what lies over a view: the overlay in front gets the keys; the prompt and the menu.
 * Thread: the ui's. */
#ifndef UI_OVERLAYS_H
#define UI_OVERLAYS_H

#include "state.h"

extern const struct overlay_ops prompt_overlay_ops, menu_overlay_ops;

/* Gives a key or the event of @mouse (else NULL) to the overlay in front. Keys that quit or repaint
 * are not for it. False: the key is for the view. */
bool overlays_press(struct ui_state *state, int key, const struct mouse *mouse);
/* True if pasted text is for the overlay in front; false: there is none, or it has no line. */
bool overlays_take_text(const struct ui_state *state);
void overlays_replied(struct ui_state *state, const struct probe_reply *reply);

void overlays_draw(struct ui_state *state, struct canvas *canvas, int top, int bottom);
/* Draws the line that an overlay has instead of the view's keys; false: none has one, or there is
 * a message in its place. */
bool overlays_draw_keys(struct ui_state *state, struct canvas *canvas, int y);

#endif
