/* input.h - what comes in: keys, the mouse, snapshots, replies of the probe engine.
 * Thread: the ui's. */
#ifndef UI_INPUT_H
#define UI_INPUT_H

#include "state.h"
#include "term/keys.h"

/* Runs the command of @key in the present view. @mouse: the event of UI_KEY_MOUSE, else NULL. */
void input_press_key(struct ui_state *state, int key, const struct mouse *mouse);

/* Does what state_offer_snapshot() does, then presses the keys that waited for its rows. */
const struct snapshot *input_offer_snapshot(struct ui_state *state, const struct snapshot *fresh);

/* Handles a reply of the probe engine. */
void input_probe_replied(struct ui_state *state, const struct probe_reply *reply);

#endif
