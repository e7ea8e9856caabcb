/* flame_path.c - see flame_path.h. One id would be enough to find a frame, but not to find its
 * nearest caller once the frame is gone. */
#include "flame_path.h"

#include <stdlib.h>

#include "flame_layout.h"

void flame_path_finish(struct flame_path *path)
{
	free(path->ids);
	*path = (struct flame_path){ 0 };
}

void flame_path_set(struct flame_path *path, const struct call_tree *tree, uint32_t node)
{
	const size_t count = node == FLAME_NONE ? 0 : tree->nodes[node].depth + 1;

	if (count > path->room) {
		uint64_t *ids = reallocarray(path->ids, count, sizeof(*ids));

		if (!ids)
			return;
		path->ids = ids;
		path->room = count;
	}
	path->count = count;
	for (; node != FLAME_NONE; node = tree->nodes[node].parent)
		path->ids[tree->nodes[node].depth] = tree->nodes[node].id;
}

uint32_t flame_path_find(const struct flame_path *path, const struct call_tree *tree)
{
	uint32_t found = FLAME_NONE, at = 0, end = tree->node_count;

	for (size_t i = 0; i < path->count; i++) {
		while (at < end && tree->nodes[at].id != path->ids[i])
			at += tree->nodes[at].size;
		if (at >= end)
			break;
		found = at;
		end = at + tree->nodes[at].size;
		at++;
	}
	return found;
}

bool flame_path_is(const struct flame_path *path, const struct call_tree *tree, uint32_t node)
{
	if (node == FLAME_NONE)
		return path->count == 0;
	return path->count && path->count == tree->nodes[node].depth + 1 &&
	       path->ids[path->count - 1] == tree->nodes[node].id;
}
