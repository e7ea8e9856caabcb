/* view_probes.h - the list of probes. The cursor follows a probe by its id.
 * Thread: the ui's. */
#ifndef UI_VIEW_PROBES_H
#define UI_VIEW_PROBES_H

#include "ingest/snapshot_probes.h"
#include "state.h"
#include "view_probe.h"

struct probes_view {
	struct view view;
	const struct snapshot_probes *probes;	/* BORROWED until the next refresh; NULL: none */
	struct table_place place;	/* cursor and top are indices into probes->list */
	size_t page;			/* rows on the screen at the last draw */
	struct probe_view probe;	/* the page of one probe, or the log of all */
};

extern const struct view_ops view_probes_ops;

static inline struct probes_view *probes_view_of(const struct ui_state *state)
{
	return (struct probes_view *)state->views[VIEW_PROBES];
}
static inline struct probe_view *probe_view_of(const struct ui_state *state)
{
	return &probes_view_of(state)->probe;
}

/* True on the page of one probe; the list and the log of all probes have no panes. */
static inline bool probe_view_has_panes(const struct ui_state *state)
{
	return state_kind(state) == VIEW_PROBES && state_probe_here(state) &&
	       state_probe_here(state) != PROBE_ALL;
}

/* Returns the probe with @id, or NULL. BORROWED until the next refresh. */
const struct snapshot_probe *probes_view_get(const struct probes_view *view, uint32_t id);

#endif
