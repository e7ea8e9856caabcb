/* probe_figures.h - the figures of one probe as lines that scroll: latencies over time, values.
 * Thread: the ui's. Pure. */
#ifndef UI_PROBE_FIGURES_H
#define UI_PROBE_FIGURES_H

#include "ingest/snapshot_probes.h"
#include "ui/canvas.h"

/* Where to draw; lines outside of it are left out. */
struct figure_page {
	struct canvas *canvas;
	int top, lines;		/* of the screen */
	int first;		/* line of the figure that is at the top */
	const char *until;	/* where the window ends: "now" */
};

/* Histogram and heat map share their lines: an octave each. Returns how many lines there are in
 * all. */
int probe_figures_latency(const struct snapshot_probe *probe, const struct snapshot_heat *heat,
			  const struct figure_page *page);
/* The same of the values of @probe, one below the other. */
int probe_figures_values(const struct snapshot_probe *probe, const struct figure_page *page);

#endif
