/* finder.h - the search box for anything that can be probed, and for what is to be sampled.
 *
 *   ╭─ find what to probe ─────────────────────────────────────╮
 *   │  vfs re                              1234 found · loading│
 *   │▸ kernel  vfs_read                                  kernel│  what matched is marked
 *   │! kernel  vfs_readf    notrace: the kernel traces nothing │  can't be probed, and why
 *   │  lat:vfs_read                                            │  spec of the chosen line
 *   ╰─ Enter probe · Tab edit · Esc back ─────────────── 1/100 ╯
 *
 * As the picker of events it finds nothing but these, and what is chosen is sampled from then on.
 * A probe of this run is an event, too: its hits are shown.
 * There Insert marks an event, or takes its mark away; Enter samples all marked ones at once.
 *
 * Use:    while open it has the keyboard; it searches through its control and never waits. The
 *         chosen result goes to the probe panel (probe_panel.h), an event to the source. The
 *         refresh goes on underneath.
 * Thread: the ui's.
 */
#ifndef UI_FINDER_H
#define UI_FINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "finder/targets.h"
#include "state.h"

#define FINDER_MARKS_MAX 16	/* names of 60 letters fill SOURCE_CHANGE_BYTES */

struct finder {
	bool is_open;
	struct prompt input;
	const struct target_reply *reply;	/* BORROWED from the control; NULL: none yet */
	/* Picker: this run's probes that match the text of the last reply; the first results. */
	struct target_result probes[PROBE_SLOTS];
	uint32_t probe_ids[PROBE_SLOTS];
	size_t probe_count;
	uint64_t asked;		/* number of the last request */
	size_t cursor, top;	/* indices into the results: the probes, then those of the reply */
	bool has_moved;		/* the user moved the cursor: it follows its result */
	bool is_taking;		/* Enter was pressed before the results arrived */
	bool is_marking;	/* Insert was pressed before the results arrived */
	bool is_picker;		/* it finds only events */
	char marked[FINDER_MARKS_MAX][TARGET_SPEC_BYTES];	/* specs, in the order of marking;
				 * another text typed leaves them */
	size_t marked_count;
	bool is_seeking;	/* the cursor goes to the event that is sampled, when it is found */
	char text[PROMPT_BYTES];	/* the text typed the last time the box was open */
	int x, y, width, height;	/* the box at the last draw */
};

extern const struct overlay_ops finder_ops;

static inline struct finder *finder_of(const struct ui_state *state)
{
	return state->overlays[OVERLAY_FINDER];
}

/* Opens the box with the last text selected, so that the next letter replaces it. Shows a message
 * if there is no finder. */
void finder_open(struct ui_state *state);
/* Opens the box with @text, selected. */
void finder_open_text(struct ui_state *state, const char *text);
/* Opens the box as the picker of events, with the cursor on the one that is sampled. */
void finder_open_events(struct ui_state *state);
/* Call when the control has a reply. */
void finder_replied(struct ui_state *state);

#endif
