/* counter_line.h - the line of counters below the activity graph, and how counters are formatted
 * there and in their view.
 *
 *   pid 4121  IPC  0.82 ▃▃▂▁▁▂  3.10 GHz  branch-miss  0.9 %  faults  1.2k/s  switches  8.4k/s
 *
 * Only what this machine counts, at most six values; a narrow screen has fewer, from the right.
 * "~": counted for a part of the time, and scaled. "-": not counted.
 *
 * Thread: the ui's.
 */
#ifndef UI_COUNTER_LINE_H
#define UI_COUNTER_LINE_H

#include "export/print.h"
#include "state.h"
#include "term/canvas.h"

/* Returns whether the line is chosen and a screen of that height has room for it: 1 or 0 lines. */
int counter_line_height(const struct ui_state *state, int height);
/* Returns the lowest height of a screen with room for it. */
int counter_line_least_height(void);

void counter_line_draw(const struct ui_state *state, struct canvas *canvas, int y);

/* Returns what is wrong with the counters of @counters (NULL: none have come), a sentence in lower
 * case; NULL: nothing. BORROWED until the next snapshot. */
const char *counter_line_trouble(const struct ui_state *state,
			     const struct snapshot_counters *counters);

/* Formats whose they are: "pid 4121", "tid 4122", "machine". Returns @out[FORMAT_BYTES]. */
char *counter_line_scope_name(char *out, const struct snapshot_counters *counters);

/* Makes the cells of @row, 0 for the sum: an event each, into @cells[event_count]. */
void counter_line_cells_make(const struct snapshot_counters *counters, size_t row,
			 struct counter_cell *cells);

/* Formats a number of two digits in at most four cells, or of three in five: "0.4", "61", "8.4k",
 * "25G"; "8.40k", "24.8G". Returns @out[FORMAT_BYTES]. */
char *counter_line_format_number(char *out, double number, int digits);
/* Writes the rate of @event into @out[FORMAT_BYTES]: "24.8 G/s"; of a clock, which counts ns,
 * "0.85 CPUs"; of energy "41.0 W"; of a bandwidth "512 MiB/s". */
void counter_line_format_rate(char *out, const struct counter_event *event, double per_s);

/* Draws the newest of @rates[SNAPSHOT_COUNTERS_SECONDS] at the right edge of @area, divided by
 * those of @of unless that is NULL; nothing for a second that was not counted. */
void counter_line_draw_seconds(const float *rates, const float *of, struct canvas *canvas,
			   struct canvas_area area);

#endif
