/* probe_log.h - the live log of the hits of one probe or of all probes that pass a text filter,
 * newest last.
 *
 * Cursor: on the newest hit until the user moves it up; then cursor and screen stay at their hits
 *         while others come and go. Back on the newest hit it follows again.
 * Thread: the ui's.
 */
#ifndef UI_PROBE_LOG_H
#define UI_PROBE_LOG_H

#include <stdbool.h>

#include "ingest/snapshot_probes.h"
#include "prompt.h"
#include "view.h"

/* Identifies a hit; increases in the order of the log. */
struct probe_log_place {
	uint64_t time_ns, number;
	uint32_t probe;
};

struct probe_log {
	const struct snapshot_probes *of;	/* BORROWED until the next refresh; NULL: none */
	uint16_t shown[PROBE_LOG_LINES];	/* indices of the hits that pass the filter */
	size_t count, page;
	size_t top;		/* first line shown; if older hits were dropped, line 0 says so */
	size_t cursor;		/* index into `shown` */
	struct probe_log_place at_top, at_cursor;	/* hits that stay put while is_away */
	bool is_away;		/* the cursor does not follow the newest hit */
	uint64_t wall_offset_ns;	/* added to a hit's time gives nanoseconds since 1970 */
	char filter[PROMPT_BYTES];	/* "": all pass */
	int name_cells;		/* width of the probe names; 0: the log is of one probe */
	bool is_narrow;		/* show probe names instead of CPU and TID */
};

#define PROBE_LOG_TEXT 1024	/* a hit as one line; longer ones are cut */

/* Formats a hit as it is shown and searched: local time, CPU, comm, PID, TID, latency, the probe's
 * name in the log of all probes, values. */
void probe_log_format(const struct probe_log *log, const struct snapshot_hit *hit,
		      char out[PROBE_LOG_TEXT]);
void probe_log_draw_titles(const struct probe_log *log, struct canvas *canvas,
			   struct canvas_area area);

/* Update the log from another snapshot (NULL: none); set another filter. */
void probe_log_refresh(struct probe_log *log, const struct snapshot_probes *of);
void probe_log_set_filter(struct probe_log *log, const char *filter);
/* Moves the cursor by @lines. Moving up stops following; reaching the last line resumes it. */
void probe_log_scroll(struct probe_log *log, long lines);
/* Moves the cursor to @line, counted like `top`. */
void probe_log_select(struct probe_log *log, size_t line);
/* Keeps the cursor at its hit until it is moved, even on the newest hit. */
void probe_log_stay(struct probe_log *log);
/* Returns the hit at the cursor, BORROWED until the next refresh, or NULL. */
const struct snapshot_hit *probe_log_cursor(const struct probe_log *log);
/* Moves the cursor to a match, like probe_view_find(). */
bool probe_log_find(struct probe_log *log, const char *search, int step);
void probe_log_draw(struct probe_log *log, const char *search, struct canvas *canvas, int top,
		    int lines);

#endif
