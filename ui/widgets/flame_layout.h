/* flame_layout.h - computes where the boxes of a flame graph lie, from a call tree, a width and the
 * zoomed frame.
 *
 *   line 0   main
 *   line 1   parse          | draw      :        a box is as wide as its share of the samples, its
 *   line 2   read   | token | blit |             callees lie below it, largest first, and the rest
 *            x = 0                               at its right end is its self time
 *
 * Units:  x and width are in the caller's units, half cells or cells. A frame narrower than `least`
 *         units gets no box: all such frames of one caller share one box of "others", if together
 *         they are wide enough.
 * Thread: any; a layout is its owner's.
 */
#ifndef UI_FLAME_LAYOUT_H
#define UI_FLAME_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/tree.h"

#define FLAME_NONE UINT32_MAX	/* index of a node or box: there is none */

struct flame_box {
	uint32_t node;		/* index into the tree; for a box of others the index of their
				 * caller, FLAME_NONE if they are outermost frames */
	uint32_t parent;	/* index of the caller's box, FLAME_NONE: outermost */
	uint32_t line;		/* 0: outermost */
	int x, width;
	uint32_t others;	/* > 0: a box of others with that many of the tree's nodes, plus 1
				 * if the tree itself left frames out */
	double begin, weight;	/* begin: weight left of the box, from the zoomed frame's start */
	bool is_ancestor;	/* a caller of the zoomed frame, drawn as wide as that frame */
	bool is_hottest;	/* on the path along the largest callees, which ends where a frame's
				 * self time is larger */
};

struct flame_layout {
	struct flame_box *boxes;	/* owned; line by line, each from left to right */
	size_t count, room;
	uint32_t lines;
	double weight;		/* weight that the whole width stands for */
};

struct flame_shape {
	int width;		/* in units */
	int least;		/* units of the narrowest box, 1 or more */
	uint32_t zoom;		/* node that gets the whole width; FLAME_NONE: the whole tree */
};

/* Lays out @tree; @layout is zeroed or an earlier layout, which is replaced. Out of memory: boxes
 * without room are left out. */
void flame_layout_fill(struct flame_layout *layout, const struct call_tree *tree,
		       const struct flame_shape *shape);
void flame_layout_finish(struct flame_layout *layout);

/* Returns the box on @line that covers unit @x, or FLAME_NONE. */
uint32_t flame_layout_at(const struct flame_layout *layout, uint32_t line, int x);
/* Returns the box of @node, or of its nearest caller that has one; FLAME_NONE: neither. */
uint32_t flame_layout_find(const struct flame_layout *layout, const struct call_tree *tree,
			   uint32_t node);
/* Returns the box of others called by @node (FLAME_NONE: outermost frames), or FLAME_NONE. */
uint32_t flame_layout_others(const struct flame_layout *layout, uint32_t node);
/* Returns the box of the widest callee of @box, else its box of others, else FLAME_NONE. */
uint32_t flame_layout_callee(const struct flame_layout *layout, uint32_t box);

/* Identifies a frame across snapshots by the ids of its callers and its own.
 * All zero: no frame, the whole tree. */
struct flame_path {
	uint64_t *ids;		/* owned; outermost first */
	size_t count, room;
};

/* Sets @path to @node of @tree (FLAME_NONE: the whole tree). Out of memory: @path is unchanged. */
void flame_path_set(struct flame_path *path, const struct call_tree *tree, uint32_t node);
void flame_path_finish(struct flame_path *path);

/* Returns the frame's node in @tree, or that of its nearest caller in it; FLAME_NONE: neither. */
uint32_t flame_path_find(const struct flame_path *path, const struct call_tree *tree);
/* True if @node is the frame itself, not a caller in its place. */
bool flame_path_is(const struct flame_path *path, const struct call_tree *tree, uint32_t node);

/* A search in the tree. */
struct flame_matches {
	uint32_t count;		/* frames that match */
	double weight;		/* weight of the samples with at least one match */
};

/* True if @node matches @search in its symbol or DSO (see search.h) and is not gone. */
bool flame_match_is(const struct tree_node *node, const char *search);

/* Sums the matches among @zoom and its callees (FLAME_NONE: in the whole tree). */
struct flame_matches flame_match_sum(const struct call_tree *tree, uint32_t zoom,
				     const char *search);

#endif
