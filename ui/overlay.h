/* overlay.h - the interface of what lies over a view and has the keyboard: prompt, menu, finder,
 * panels.
 *
 * Use:    overlays are in the order of enum overlay_kind, those beneath first; overlays.h reaches
 *         the one in front.
 * Thread: the ui's.
 */
#ifndef UI_OVERLAY_H
#define UI_OVERLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/probe_engine.h"
#include "term/canvas.h"
#include "term/keys.h"

struct ui_state;

enum overlay_kind {
	OVERLAY_GROUP_PANEL,
	OVERLAY_PROBE_PANEL,
	OVERLAY_FINDER,
	OVERLAY_PROMPT,
	OVERLAY_MENU,
	OVERLAY_COUNT
};

/* A function that is NULL does nothing or returns false, if nothing else is said. */
struct overlay_ops {
	size_t bytes;		/* size of its struct, zeroed at first; 0: it has only functions */
	bool (*is_open)(const struct ui_state *state);	/* needed */
	void (*press)(struct ui_state *state, int key);	/* needed */
	/* Returns whether a double click after this event means nothing to what is beneath. */
	bool (*click)(struct ui_state *state, const struct mouse *mouse);
	/* True if pasted text is for it. NULL: it always is. */
	bool (*takes_text)(const struct ui_state *state);
	/* Called after new rows have come while it is open. */
	void (*refresh)(struct ui_state *state);
	/* Called with each reply of the probe engine, open or not. */
	void (*replied)(struct ui_state *state, const struct probe_reply *reply);
	/* Draws the box within the lines @top..@bottom (exclusive). */
	void (*draw)(struct ui_state *state, struct canvas *canvas, int top, int bottom);
	/* Draws the bottom line: its keys, unless there is a message. */
	void (*draw_keys)(struct ui_state *state, struct canvas *canvas, int y);
	bool hides_messages;	/* its line is drawn even if there is a message */
};

#endif
