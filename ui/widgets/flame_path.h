/* flame_path.h - identifies a frame across snapshots by the ids of its callers and its own.
 * Thread: the ui's. Pure. */
#ifndef UI_FLAME_PATH_H
#define UI_FLAME_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/call_tree.h"

/* All zero: no frame, the whole tree. */
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

#endif
