/* view_probe.h - all about one probe: pages of one screen, of the trail's last level. The log of
 * all probes is the same screen with one page.
 * Thread: the ui's. */
#ifndef UI_VIEW_PROBE_H
#define UI_VIEW_PROBE_H

#include "analyzer/snapshot.h"
#include "ui/view.h"
#include "widgets/probe_log.h"

enum probe_pane {
	PANE_LATENCY,		/* histogram and heat map */
	PANE_VALUES,		/* arguments and return values */
	PANE_SLOWEST,		/* calls, with their stacks */
	PANE_LOG,		/* single hits as they come */
	PANE_COUNT
};

struct probe_view {
	struct view view;
	uint32_t id;		/* PROBE_ALL: the log of all; 0: none yet */
	const struct snapshot *snapshot;	/* BORROWED until the next refresh; NULL: it says
						 * nothing of the probe yet */
	const struct snapshot_probe *probe;	/* BORROWED likewise; NULL also in the log of all */
	enum probe_pane pane;
	enum probe_pane wanted;	/* that was chosen last, of this probe or of one before */
	bool is_chosen;		/* of this one; else it opens on a page that has something to show,
				 * `wanted` if that does */
	int top[PANE_COUNT];	/* first line shown */
	int page, height;	/* of the pane, at the last draw: lines shown, lines in all */
	size_t slow_cursor;	/* in the slowest */
	uint64_t slow_number;	/* of the hit at it, once it was shown: the cursor goes with it */
	struct probe_log log;
};

extern const char *const probe_pane_names[PANE_COUNT];

void probe_view_init(struct probe_view *view);

/* The level that was shown last is the log of all probes. */
bool probe_view_is_of_all(const struct probe_view *view);

void probe_view_show_pane(struct probe_view *view, enum probe_pane pane);
/* The wheel: of the slowest and of the log it moves the cursor. */
void probe_view_scroll(struct probe_view *view, int lines);
/* A click on line @index of the slowest calls, or of the log. */
void probe_view_select(struct probe_view *view, size_t index);
/* The hit at the cursor, on the pages of slowest calls and of the log; NULL: there is none.
 * BORROWED until the next refresh. */
const struct snapshot_hit *probe_view_hit(const struct probe_view *view);
/* Shows the hit of the log, at @step 0 from here on, 1 the next, -1 the one before, that has
 * @search. False: there is none, or another page is shown. */
bool probe_view_find(struct probe_view *view, const char *search, int step);

#endif
