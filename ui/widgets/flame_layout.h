/* flame_layout.h - where the boxes of a flame graph lie: a call tree, a width and a frame to zoom
 * into, and out come boxes on lines.
 *
 *   line 0   main
 *   line 1   parse          | draw      :        a box is as wide as its share of the samples, its
 *   line 2   read   | token | blit |             callees lie below it, largest first, and what is
 *            x = 0                               left at its end is its own time
 *
 * Units:  x and width are in units of the caller, half cells or cells. A frame that is narrower
 *         than `least` units gets no box: of one caller all such frames are one box of "others",
 *         if together they are wide enough.
 * Thread: any; a layout is its owner's.
 */
#ifndef UI_FLAME_LAYOUT_H
#define UI_FLAME_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/call_tree.h"

#define FLAME_NONE UINT32_MAX	/* of nodes and boxes: there is none */

struct flame_box {
	uint32_t node;		/* index into the tree; of others: of their caller, FLAME_NONE when
				 * they are outermost frames */
	uint32_t parent;	/* index of the caller's box, FLAME_NONE: outermost */
	uint32_t line;		/* 0: outermost */
	int x, width;
	uint32_t others;	/* > 0: a box of others. As many of the tree's nodes are in it, and
				 * 1 more for what the tree left out */
	double begin, weight;	/* begin: weight to the left of it, from the zoomed frame's on */
	bool is_ancestor;	/* of the zoomed frame: as wide as it */
	bool is_hottest;	/* on the path that goes on to the largest callee, until a frame's
				 * own time is more */
};

struct flame_layout {
	struct flame_box *boxes;	/* owned; line by line, each from left to right */
	size_t count, room;
	uint32_t lines;
	double weight;		/* that the whole width is */
};

struct flame_shape {
	int width;		/* in units */
	int least;		/* units of the narrowest box, at least 1 */
	uint32_t zoom;		/* node that gets the whole width, FLAME_NONE: all */
};

/* Lays @tree out anew; @layout is zeroed or one of before. Without memory it has the boxes that
 * there was room for. */
void flame_layout_fill(struct flame_layout *layout, const struct call_tree *tree,
		       const struct flame_shape *shape);
void flame_layout_finish(struct flame_layout *layout);

/* The box on that line that covers unit @x, or FLAME_NONE. */
uint32_t flame_layout_at(const struct flame_layout *layout, uint32_t line, int x);
/* The box of that node, or of its nearest caller that has one; FLAME_NONE: neither. */
uint32_t flame_layout_find(const struct flame_layout *layout, const struct call_tree *tree,
			   uint32_t node);
/* The box of others that @node (FLAME_NONE: the whole tree) calls, or FLAME_NONE. */
uint32_t flame_layout_others(const struct flame_layout *layout, uint32_t node);
/* The widest frame that @box calls, else others, else FLAME_NONE. */
uint32_t flame_layout_callee(const struct flame_layout *layout, uint32_t box);

#endif
