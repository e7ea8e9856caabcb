/* probe_log.h - the live log of single hits: those that pass a text filter, newest last.
 *
 * Place:  it follows the newest until one scrolls up; then it stays at its line, known by the
 *         hit's number, whatever comes and goes.
 * Thread: the ui's.
 */
#ifndef UI_PROBE_LOG_H
#define UI_PROBE_LOG_H

#include <stdbool.h>

#include "model/snapshot_probes.h"
#include "ui/prompt.h"
#include "ui/view.h"

struct probe_log {
	const struct snapshot_probes *of;	/* BORROWED until the next refresh; NULL: none */
	uint16_t shown[PROBE_LOG_LINES];	/* indices into its log that pass the filter */
	size_t count, page;
	size_t top;		/* line; where older hits were dropped the first one says so */
	uint64_t top_number;	/* of the hit at `top`; it stays there while is_away */
	bool is_away;
	uint64_t found;		/* number of the hit that the search has found; 0: none */
	uint64_t wall_offset_ns;	/* from the times of hits to those since 1970 */
	char filter[PROMPT_BYTES];	/* "": all pass */
};

#define PROBE_LOG_TEXT 1024	/* of a hit as one line; longer ones are cut */

/* The hit as it is shown and searched: local time, cpu, comm, pid, tid, latency, values. */
void probe_log_format(const struct probe_log *log, const struct snapshot_hit *hit,
		      char out[PROBE_LOG_TEXT]);
void probe_log_draw_titles(struct canvas *canvas, struct canvas_area area);

/* Another snapshot (NULL: none), or another filter. */
void probe_log_refresh(struct probe_log *log, const struct snapshot_probes *of);
void probe_log_set_filter(struct probe_log *log, const char *filter);
/* By so many lines; up leaves the newest, the last line comes back to it. */
void probe_log_scroll(struct probe_log *log, long lines);
/* As probe_view_find(). */
bool probe_log_find(struct probe_log *log, const char *search, int step);
void probe_log_draw(struct probe_log *log, const char *search, struct canvas *canvas, int top,
		    int lines);

#endif
