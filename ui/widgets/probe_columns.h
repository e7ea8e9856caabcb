/* probe_columns.h - the columns of the list of probes: which fit, and what they write.
 * Thread: the ui's. */
#ifndef UI_PROBE_COLUMNS_H
#define UI_PROBE_COLUMNS_H

#include <stddef.h>

#include "ingest/snapshot_probes.h"
#include "ui/canvas.h"
#include "ui/columns.h"

enum probe_column_id {
	PROBE_COL_STATE, PROBE_COL_KIND, PROBE_COL_NAME, PROBE_COL_OBJECT, PROBE_COL_SCOPE,
	PROBE_COL_HITS, PROBE_COL_RATE, PROBE_COL_RATE_CHANGE, PROBE_COL_SPARK, PROBE_COL_P50,
	PROBE_COL_P50_CHANGE, PROBE_COL_P90, PROBE_COL_P99, PROBE_COL_P99_CHANGE, PROBE_COL_MAX,
	PROBE_COL_LOST, PROBE_COL_MISSED, PROBE_COL_UNPAIRED, PROBE_COL_LEASE, PROBE_COL_COST,
	PROBE_COL_COUNT
};

struct probe_list_column {
	const char *title;
	int min_width, max_width;	/* cells */
	enum column_align align;
	int keep;		/* the smallest leaves first when the screen is narrow */
	void (*put)(struct canvas *canvas, struct canvas_area area,
		    const struct snapshot_probe *probe);
	const char *help;
};

extern const struct probe_list_column probe_list_columns[PROBE_COL_COUNT];

/* Where each column is; width 0: it has no room. */
struct probe_layout {
	struct { int x, width; } places[PROBE_COL_COUNT];
};

/* Fits them into @width cells from @x on. What tells of losses stays longer once a probe of
 * @probes has any; what tells of changes is there while they are compared. */
void probe_columns_fit(struct probe_layout *out, int x, int width,
		       const struct snapshot_probes *probes, bool is_compared);

/* "on", "off", "capped": never colour alone. */
const char *probe_state_word(enum probe_state state);
/* The same as one character: filled, empty, '!'. */
const char *probe_state_mark(enum probe_state state);
enum role probe_state_role(enum probe_state state);
/* Both of a probe: one in bursts is marked all the time, for its figures are a sample; one that is
 * on with a reason is marked as what is wrong. */
const char *probe_word(const struct snapshot_probe *probe);
const char *probe_mark(const struct snapshot_probe *probe);
/* k, u, t, U, and r behind it of returns. */
const char *probe_kind_letters(const struct snapshot_probe *probe);
/* Its name without kind and object, for which there are columns, and demangled:
 * "lat:libc.so.6:malloc" is malloc.
 * BORROWED from @probe. */
const char *probe_plain_name(const struct snapshot_probe *probe);
/* It is not there: its reason is what there is to say. */
bool probe_state_is_dead(enum probe_state state);

#endif
