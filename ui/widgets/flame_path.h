/* flame_path.h - a frame as one remembers it while trees come and go: the ids of its callers and
 * its own.
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

/* Remembers @node of @tree, FLAME_NONE: the whole. Without memory it stays what it was. */
void flame_path_set(struct flame_path *path, const struct call_tree *tree, uint32_t node);
void flame_path_finish(struct flame_path *path);

/* Its node in @tree, or that of the nearest caller that is there; FLAME_NONE: not even one. */
uint32_t flame_path_find(const struct flame_path *path, const struct call_tree *tree);
/* Is @node the frame itself? */
bool flame_path_is(const struct flame_path *path, const struct call_tree *tree, uint32_t node);

#endif
