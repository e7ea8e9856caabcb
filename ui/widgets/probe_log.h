/* probe_log.h - the live log of single hits, of one probe or of all: those that pass a text filter,
 * newest last.
 *
 * Cursor: it is on the newest hit until one moves it up; then it and what is on the screen stay at
 *         their hits, whatever comes and goes. On the newest it follows again.
 * Thread: the ui's.
 */
#ifndef UI_PROBE_LOG_H
#define UI_PROBE_LOG_H

#include <stdbool.h>

#include "ingest/snapshot_probes.h"
#include "ui/prompt.h"
#include "ui/view.h"

/* Which hit: rises in the order of the log. */
struct probe_log_place {
	uint64_t time_ns, number;
	uint32_t probe;
};

struct probe_log {
	const struct snapshot_probes *of;	/* BORROWED until the next refresh; NULL: none */
	uint16_t shown[PROBE_LOG_LINES];	/* indices into its log that pass the filter */
	size_t count, page;
	size_t top;		/* line; where older hits were dropped the first one says so */
	size_t cursor;		/* index in `shown` */
	struct probe_log_place at_top, at_cursor;	/* the hits there stay while is_away */
	bool is_away;
	uint64_t wall_offset_ns;	/* from the times of hits to those since 1970 */
	char filter[PROMPT_BYTES];	/* "": all pass */
	int name_cells;		/* for the names of probes; 0: the log is of one probe */
	bool is_narrow;		/* the names of probes take the place of CPU and TID */
};

#define PROBE_LOG_TEXT 1024	/* of a hit as one line; longer ones are cut */

/* The hit as it is shown and searched: local time, cpu, comm, pid, tid, latency, the probe's name
 * in the log of all probes, values. */
void probe_log_format(const struct probe_log *log, const struct snapshot_hit *hit,
		      char out[PROBE_LOG_TEXT]);
void probe_log_draw_titles(const struct probe_log *log, struct canvas *canvas,
			   struct canvas_area area);

/* Another snapshot (NULL: none), or another filter. */
void probe_log_refresh(struct probe_log *log, const struct snapshot_probes *of);
void probe_log_set_filter(struct probe_log *log, const char *filter);
/* Moves the cursor by so many lines; up leaves the newest, the last line comes back to it. */
void probe_log_scroll(struct probe_log *log, long lines);
/* The cursor to that line, counted as `top`. */
void probe_log_select(struct probe_log *log, size_t line);
/* Keeps the cursor at its hit until the cursor is moved, also on the newest. */
void probe_log_stay(struct probe_log *log);
/* The hit at the cursor, BORROWED until the next refresh; NULL: there is none. */
const struct snapshot_hit *probe_log_cursor(const struct probe_log *log);
/* As probe_view_find(). */
bool probe_log_find(struct probe_log *log, const char *search, int step);
void probe_log_draw(struct probe_log *log, const char *search, struct canvas *canvas, int top,
		    int lines);

#endif
