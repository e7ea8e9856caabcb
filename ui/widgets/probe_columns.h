/* probe_columns.h - the columns of the list of probes: their layout and their cells.
 * Thread: the ui's. */
#ifndef UI_PROBE_COLUMNS_H
#define UI_PROBE_COLUMNS_H

#include <stddef.h>

#include "ingest/snapshot_probes.h"
#include "term/canvas.h"
#include "ui/views.h"

enum probe_column_id {
	PROBE_COL_STATE, PROBE_COL_KIND, PROBE_COL_NAME, PROBE_COL_DSO, PROBE_COL_SCOPE,
	PROBE_COL_HITS, PROBE_COL_RATE, PROBE_COL_RATE_CHANGE, PROBE_COL_SPARK, PROBE_COL_P50,
	PROBE_COL_P50_CHANGE, PROBE_COL_P90, PROBE_COL_P99, PROBE_COL_P99_CHANGE, PROBE_COL_MAX,
	PROBE_COL_LOST, PROBE_COL_MISSED, PROBE_COL_UNPAIRED, PROBE_COL_LEASE, PROBE_COL_COST,
	PROBE_COL_COUNT
};

struct probe_list_column {
	const char *title;
	int min_width, max_width;	/* cells */
	enum column_align align;
	int keep;		/* on a narrow screen the smallest is dropped first */
	void (*put)(struct canvas *canvas, struct canvas_area area,
		    const struct snapshot_probe *probe);
	const char *help;
};

extern const struct probe_list_column probe_list_columns[PROBE_COL_COUNT];

/* Where each column is; width 0: the column is not shown. */
struct probe_layout {
	struct { int x, width; } places[PROBE_COL_COUNT];
};

/* Fits the columns into @width cells from @x on. Columns of losses are kept longer once a probe of
 * @probes has losses; columns of changes are shown only if @is_compared. */
void probe_columns_fit(struct probe_layout *out, int x, int width,
		       const struct snapshot_probes *probes, bool is_compared);

/* Returns the word for a state: "on", "off", "capped". Colour alone never shows the state. */
const char *probe_state_word(enum probe_state state);
/* Returns one character for a state: filled or empty circle, '!', ... */
const char *probe_state_mark(enum probe_state state);
enum role probe_state_role(enum probe_state state);
/* Word and mark of a probe. They also tell a probe in bursts, whose stats are only a sample, and
 * one that is on but has a problem (a reason). */
const char *probe_word(const struct snapshot_probe *probe);
const char *probe_mark(const struct snapshot_probe *probe);
/* Returns the probe's name, demangled, without kind and DSO, which have columns of their own:
 * "lat:libc.so.6:malloc" gives malloc. BORROWED from @probe. */
const char *probe_plain_name(const struct snapshot_probe *probe);
/* True for refused and failed probes: show the reason instead of stats. */
bool probe_state_is_dead(enum probe_state state);

#endif
