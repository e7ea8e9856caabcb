/* finder.h - the search box for anything that can be probed.
 *
 *   ╭─ find what to probe ─────────────────────────────────────╮
 *   │  vfs re                              1234 found · loading│
 *   │▸ kernel  vfs_read                                  kernel│  what matched is marked
 *   │! kernel  vfs_readf    notrace: the kernel traces nothing │  can't be probed, and why
 *   │  lat:vfs_read                                            │  spec of the chosen line
 *   ╰─ Enter probe · Tab edit · Esc back ─────────────── 1/100 ╯
 *
 * Use:    while open it has the keyboard; it searches through its control and never waits. The
 *         chosen result goes to the probe panel (probe_panel.h). The refresh goes on underneath.
 * Thread: the ui's.
 */
#ifndef UI_FINDER_H
#define UI_FINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/target_finder.h"
#include "ui/canvas.h"
#include "ui/keys.h"
#include "ui/prompt.h"

struct ui_state;

/* How the screen reaches the finder's thread; tests pass a control without a thread. */
struct finder_control {
	void *owner;
	/* Sends a request. @pid: the process the user looks at; 0: none in particular. */
	void (*ask)(void *owner, uint64_t number, const char *text, pid_t pid);
	/* Works like target_finder_reply(). */
	const struct target_reply *(*reply)(void *owner);
	void (*renew)(void *owner);	/* works like target_finder_renew() */
	int fd;			/* readable when a reply waits */
};

struct finder {
	bool is_open;
	struct prompt input;
	const struct target_reply *reply;	/* BORROWED from the control; NULL: none yet */
	uint64_t asked;		/* number of the last request */
	size_t cursor, top;	/* indices into the reply's results */
	bool has_moved;		/* the user moved the cursor: it follows its result */
	bool is_taking;		/* Enter was pressed before the results arrived */
	char text[PROMPT_BYTES];	/* what was typed the last time the box was open */
	int x, y, width, height;	/* of the box at the last draw */
};

/* Opens the box with the last text selected, so that the next letter replaces it. Shows a message
 * if there is no finder. */
void finder_open(struct ui_state *state);
void finder_press(struct ui_state *state, int key);
void finder_click(struct ui_state *state, const struct mouse *mouse);
/* Call when the control has a reply. */
void finder_replied(struct ui_state *state);
/* Call when the probes left by dead instances were removed. */
void finder_swept(struct ui_state *state);

/* Draws the box within the lines @top..@bottom (exclusive). */
void finder_draw(struct finder *finder, struct canvas *canvas, int top, int bottom);
/* Returns how many lines the box has for results. */
size_t finder_page(const struct finder *finder);

#endif
