/* view_hit.h - a page of text about one hit of a log: when and where, each value in full, the
 * stack. The page stays after the hit has left the log.
 * Thread: the ui's. */
#ifndef UI_VIEW_HIT_H
#define UI_VIEW_HIT_H

#include "state.h"

extern const struct view_ops view_hit_ops;

/* Opens the page of @hit. Copies what it needs. */
void view_hit_open(struct ui_state *state, const struct snapshot_hit *hit);

#endif
