/* mouse.h - what a click means: the same as the key for what lies there.
 * Thread: the ui's. */
#ifndef UI_MOUSE_H
#define UI_MOUSE_H

#include "state.h"
#include "ui/keys.h"

/* Does what @mouse means on the picture that was drawn last. */
void mouse_act(struct ui_state *state, const struct mouse *mouse);

#endif
