/* flame_graph.h - the flame graph: calls in the window as boxes, as wide as their share of time.
 *
 * Frames: the selected and the zoomed frame are remembered by ids, so that they survive new
 *         snapshots. While one has no sample, its nearest caller with samples takes its place.
 * Thread: the ui's.
 */
#ifndef UI_FLAME_GRAPH_H
#define UI_FLAME_GRAPH_H

#include "fold/filter.h"
#include "flame_fill.h"
#include "flame_layout.h"
#include "term/canvas.h"
#include "ui/views.h"

/* Queries merge frames below this share of the zoomed frame into "others". It is less than a tenth
 * of a cell on a wide screen, so that the next zoom finds its frames in the snapshot at hand. */
#define FLAME_LIMIT_PCT 0.02
#define FLAME_ZOOMS	16	/* zoom steps that can be undone */

struct flame_graph {
	const struct call_tree *tree;	/* BORROWED from the shown snapshot; NULL: it has none */
	struct flame_layout layout;	/* layout of `tree`, for the next draw */
	int width;		/* in cells, at the last draw */
	bool is_ascii;
	struct flame_path selected, zoom, marked;
	struct filter filter;	/* filter that `selected` and `zoom` are valid for */
	bool is_others;		/* the box of "others" called by `selected` is selected instead */
	bool is_marked_others;	/* is_others as flame_graph_mark() remembered it */
	size_t zooms[FLAME_ZOOMS];	/* lengths of the previously zoomed paths */
	size_t zoom_count;
	enum flame_fill fill;
	enum flame_fill compared_fill;	/* used while windows are compared */
	bool is_upright;	/* outermost frames at the bottom */
	int top, page;		/* first line, counted from the outermost; lines at the last draw */
	/* Node ids of the last path that flame_graph_follow() took: its first frame, its last
	 * frame, and the frame below which it searched (0: the whole graph). */
	uint64_t hottest_head, hottest_end, hottest_scope;
};

void flame_graph_finish(struct flame_graph *flame);	/* a zeroed one is fine */

/* Sets the tree (NULL: none), BORROWED until the next call. Of another @filter than before, the
 * selected and the zoomed frame are forgotten. */
void flame_graph_set(struct flame_graph *flame, const struct call_tree *tree,
		     const struct filter *filter);
/* Fits the boxes to the canvas and to @page lines, for the next draw. */
void flame_graph_fit(struct flame_graph *flame, const struct canvas *canvas, int page);
void flame_graph_move(struct flame_graph *flame, enum view_move move);

/* Returns what the colours mean now. */
enum flame_fill flame_graph_fill(const struct flame_graph *flame, bool is_compared);
/* Switches to the next meaning of the colours. */
void flame_graph_next_fill(struct flame_graph *flame, bool is_compared);

/* Returns the index of the selected box, or FLAME_NONE if there are no boxes. */
uint32_t flame_graph_selected(const struct flame_graph *flame);
/* Returns the selected node, which may be too narrow for a box of its own; FLAME_NONE: none, or
 * "others" is selected. */
uint32_t flame_graph_selected_node(const struct flame_graph *flame);
/* Returns the zoomed node; FLAME_NONE: the whole tree. */
uint32_t flame_graph_zoomed(const struct flame_graph *flame);

/* Selects box number @box, and scrolls to it. */
void flame_graph_select(struct flame_graph *flame, uint32_t box);
/* Returns the box drawn at a cell, or FLAME_NONE. @y counts from the first line of boxes. */
uint32_t flame_graph_at(const struct flame_graph *flame, int x, int y);
/* Selects the box @boxes to the right (< 0: left) on the same line, if there is one. */
void flame_graph_move_sideways(struct flame_graph *flame, int boxes);
/* Selects the end of the hottest path: from the selected frame along the widest callees, until a
 * frame's self time exceeds its widest callee. Starts at the root if no frame was selected or it
 * calls nothing. Called again at that end, follows the next widest branch. */
void flame_graph_follow(struct flame_graph *flame);
/* Scrolls without changing the selection, for the wheel. */
void flame_graph_scroll(struct flame_graph *flame, int lines);

/* Returns the limit for the query's tree, in % of all samples. */
double flame_graph_limit_pct(const struct flame_graph *flame);

/* Gives the selected frame the whole width. False: no frame, or "others", is selected. */
bool flame_graph_zoom_in(struct flame_graph *flame);
/* Undoes the last zoom step; false: nothing is zoomed. */
bool flame_graph_zoom_out(struct flame_graph *flame);

/* Remember the selected frame; select the remembered one. */
void flame_graph_mark(struct flame_graph *flame);
void flame_graph_return(struct flame_graph *flame);

/* Selects a frame that matches @search, among the zoomed frame and its callees: the largest (@step
 * 0), the next (+1) or the previous (-1), wrapping around. False: there is none. */
bool flame_graph_find(struct flame_graph *flame, const char *search, int step);

#endif
