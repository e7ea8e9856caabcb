/* probe_stats.h - the stats of one probe as lines that scroll: latencies over time, values.
 * Thread: the ui's. Pure. */
#ifndef UI_PROBE_STATS_H
#define UI_PROBE_STATS_H

#include "ingest/snapshot_probes.h"
#include "term/canvas.h"

/* Where to draw; lines outside are left out. */
struct stat_page {
	struct canvas *canvas;
	int top, lines;		/* first line on the screen, number of lines */
	int first;		/* line of the content that is drawn at `top` */
	const char *until;	/* label of the window's end, such as "now" */
};

/* Draws histogram and heat map side by side, a line per octave. Returns how many lines there are
 * in all. */
int probe_stats_latency(const struct snapshot_probe *probe, const struct snapshot_heat *heat,
			const struct stat_page *page);
/* Draws the values of @probe, one below the other. Returns how many lines there are in all. */
int probe_stats_values(const struct snapshot_probe *probe, const struct stat_page *page);

#endif
