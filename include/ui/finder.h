/* finder.h - the box in which one types to find anything that can be probed.
 *
 *   ╭─ find what to probe ─────────────────────────────────────╮
 *   │  vfs re                              1234 found · loading│
 *   │▸ kernel  vfs_read                                  kernel│  what matched is marked
 *   │! kernel  vfs_readf    notrace: the kernel traces nothing │  can't be probed, and why
 *   │  lat:vfs_read                                            │  spec of the chosen line
 *   ╰─ Enter probe · Tab edit · Esc back ─────────────── 1/100 ╯
 *
 * Use:    while it is open it has the keyboard; it asks by its control and never waits. What is
 *         taken goes to the panel (ui/probe_panel.h). The refresh goes on underneath.
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

/* How the screen reaches the finder's thread, so that it needs none to be tested. */
struct finder_control {
	void *owner;
	/* @pid: the process that is looked at; 0: none in particular. */
	void (*ask)(void *owner, uint64_t number, const char *text, pid_t pid);
	/* As target_finder_reply(). */
	const struct target_reply *(*reply)(void *owner);
	void (*renew)(void *owner);	/* as target_finder_renew() */
	int fd;			/* readable when a reply waits */
};

struct finder {
	bool is_open;
	struct prompt input;
	const struct target_reply *reply;	/* BORROWED from the control; NULL: none yet */
	uint64_t asked;		/* number of the last question */
	size_t cursor, top;	/* in the reply's results */
	bool has_moved;		/* the cursor: it stays with its result when more are loaded */
	bool is_taking;		/* Enter was pressed for results that are on their way */
	char text[PROMPT_BYTES];	/* of the last time it was open */
	int x, y, width, height;	/* of the box at the last draw */
};

/* Opens it, with what was typed last selected: the next letter takes its place. Says so when there
 * is no finder. */
void finder_open(struct ui_state *state);
void finder_press(struct ui_state *state, int key);
void finder_click(struct ui_state *state, const struct mouse *mouse);
/* The control has a reply. */
void finder_replied(struct ui_state *state);
/* What dead instances left was removed. */
void finder_swept(struct ui_state *state);

/* Draws the box within the lines @top..@bottom (exclusive). */
void finder_draw(struct finder *finder, struct canvas *canvas, int top, int bottom);
/* Lines for results in the box. */
size_t finder_page(const struct finder *finder);

#endif
