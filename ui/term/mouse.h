/* mouse.h - mouse events: a click does what a key would do to the thing under it.
 * Thread: the ui's. */
#ifndef UI_MOUSE_H
#define UI_MOUSE_H

#include "state.h"
#include "ui/keys.h"

/* Runs the action of @mouse, by what the last frame shows at its cell. */
void mouse_act(struct ui_state *state, const struct mouse *mouse);

#endif
