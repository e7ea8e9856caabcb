/* view_probe.h - the pages about the probe of the last level of the breadcrumbs. The log of all
 * probes is the same screen with one page.
 * Thread: the ui's. */
#ifndef UI_VIEW_PROBE_H
#define UI_VIEW_PROBE_H

#include "analyzer/snapshot.h"
#include "view.h"
#include "widgets/group_table.h"
#include "widgets/probe_log.h"

enum probe_pane {
	PANE_LATENCY,		/* histogram and heat map */
	PANE_VALUES,		/* arguments and return values */
	PANE_SLOWEST,		/* slowest calls, with their stacks */
	PANE_GROUPS,		/* hits by keys: only of a probe that has keys or aggregates */
	PANE_LOG,		/* single hits as they come */
	PANE_COUNT
};

struct probe_view {
	struct view view;
	uint32_t id;		/* probe id; PROBE_ALL: the log of all probes; 0: none yet */
	const struct snapshot *snapshot;	/* BORROWED until the next refresh; NULL: no
						 * snapshot has the probe yet */
	const struct snapshot_probe *probe;	/* BORROWED from snapshot; NULL in the log of all */
	enum probe_pane pane;
	enum probe_pane wanted;	/* the pane that the user chose last, for any probe */
	bool is_chosen;		/* the user chose `pane` for this probe; else it is the groups, if
				 * there are any, or `wanted`, or a pane with content if that one
				 * stays empty */
	int top[PANE_COUNT];	/* first line shown */
	int page, height;	/* the pane at the last draw: lines shown, lines in all */
	size_t slow_cursor;	/* index into the slowest calls */
	uint64_t slow_number;	/* number of the hit that the cursor follows; 0: none yet */
	struct group_table groups;
	struct probe_log log;
};

extern const char *const probe_pane_names[PANE_COUNT];

void probe_view_init(struct probe_view *view);

void probe_view_show_pane(struct probe_view *view, enum probe_pane pane);
/* Returns the pane @step (1, -1) panes after the present one, of those that the probe has. */
enum probe_pane probe_view_next_pane(const struct probe_view *view, int step);
/* Returns the group at the cursor of the groups, or NULL. BORROWED until the next refresh. */
const struct snapshot_group *probe_view_group(const struct probe_view *view);
/* Formats the row at the cursor, or what the page is of, to be copied. */
void probe_view_format_row(const struct probe_view *view, char *out, size_t room);
/* Returns the hit at the cursor of the slowest calls or the log, or NULL. BORROWED until the next
 * refresh. */
const struct snapshot_hit *probe_view_hit(const struct probe_view *view);

/* The help on the columns of the list, for the page as well. */
void probe_view_add_help(const struct ui_state *state, struct help_page *page);

#endif
