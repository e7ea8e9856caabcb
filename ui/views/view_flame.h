/* view_flame.h - the flame graph: the calls of the window as boxes, as wide as their time.
 *
 * Frames: the selected one and the zoomed one are remembered by their ids, so that they stay while
 *         snapshots come. Where one has no sample for a while its nearest caller stands in.
 * Thread: the ui's.
 */
#ifndef UI_VIEW_FLAME_H
#define UI_VIEW_FLAME_H

#include "fold/filter.h"
#include "ui/view.h"
#include "widgets/flame_fill.h"
#include "widgets/flame_layout.h"
#include "widgets/flame_path.h"

/* Frames with less of the zoomed one's samples are asked for only as part of "others": less than a
 * tenth of a cell of a wide screen, so that the next zoom has its frames at once. */
#define FLAME_LIMIT_PCT 0.02
#define FLAME_ZOOMS	16	/* steps that lead back */

struct flame_view {
	struct view view;
	const struct call_tree *tree;	/* of the shown snapshot; NULL: it has none */
	struct flame_layout layout;	/* of it, as it is drawn next */
	int width;		/* in cells, at the last draw */
	bool is_ascii;
	struct flame_path selected, zoom, marked;
	struct filter filter;	/* that both are of: under another they mean nothing */
	bool is_others;		/* selected is the box of others that `selected` calls */
	bool is_marked_others;
	size_t zooms[FLAME_ZOOMS];	/* lengths of the paths that were zoomed before */
	size_t zoom_count;
	enum flame_fill fill;
	enum flame_fill compared_fill;	/* the same while it is compared */
	bool is_upright;	/* outermost frames at the bottom */
	int top, page;		/* first line, counted from the outermost; lines at the last draw */
	/* Ids of nodes, of the hottest path shown last: where it begins, where it ends, and below
	 * which frame it was looked for; 0: in the whole graph. */
	uint64_t hottest_head, hottest_end, hottest_scope;
};

void flame_view_init(struct flame_view *flame);
void flame_view_finish(struct flame_view *flame);

/* What the colours mean now. */
enum flame_fill flame_view_fill(const struct flame_view *flame, bool is_compared);
/* The next of what they can mean. */
void flame_view_next_fill(struct flame_view *flame, bool is_compared);

/* The selected box, or FLAME_NONE when there is none at all. */
uint32_t flame_view_selected(const struct flame_view *flame);
/* Its frame, which may be in a narrower box's place; FLAME_NONE: none, or others. */
uint32_t flame_view_selected_node(const struct flame_view *flame);
/* The zoomed node, FLAME_NONE: the whole tree. */
uint32_t flame_view_zoomed(const struct flame_view *flame);

/* Selects box number @box, and scrolls to it. */
void flame_view_select(struct flame_view *flame, uint32_t box);
/* The box that was drawn at that cell of the view, FLAME_NONE: none. @y: from the first line of
 * boxes on. */
uint32_t flame_view_at(const struct flame_view *flame, int x, int y);
/* To the box at the left or right on the same line. */
void flame_view_move_sideways(struct flame_view *flame, int boxes);
/* Along the widest boxes, until a frame's own time is more. As long as no frame was selected, or
 * from one that calls nothing, of the whole graph. Called again from there, to the end of the next
 * path: that of the widest box that leads elsewhere. */
void flame_view_follow(struct flame_view *flame);
/* The wheel: moves the picture alone. */
void flame_view_scroll(struct flame_view *flame, int lines);

/* What is to be asked for, in % of all. */
double flame_view_limit_pct(const struct flame_view *flame);

/* Gives the selected frame the whole width; of others nothing can be shown: false. */
bool flame_view_zoom_in(struct flame_view *flame);
/* Back to what was zoomed before; false: nothing was. */
bool flame_view_zoom_out(struct flame_view *flame);

/* Remembers the selected frame, and goes back to it. */
void flame_view_mark(struct flame_view *flame);
void flame_view_return(struct flame_view *flame);

/* Selects a frame that has @search, of the zoomed one and what it calls: the largest (@step 0), the
 * next (+1) or the one before (-1), round the end. False: there is none. */
bool flame_view_find(struct flame_view *flame, const char *search, int step);

#endif
