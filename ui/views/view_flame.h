/* view_flame.h - the view of the flame graph: boxes with their names, above them the zoomed frame
 * and the search matches, below them the stats of the selected frame.
 * Thread: the ui's. */
#ifndef UI_VIEW_FLAME_H
#define UI_VIEW_FLAME_H

#include "state.h"
#include "widgets/flame_graph.h"

struct flame_view {
	struct view view;
	struct flame_graph graph;
};

extern const struct view_ops view_flame_ops;

static inline struct flame_graph *flame_of(const struct ui_state *state)
{
	return &((struct flame_view *)state->views[VIEW_FLAME])->graph;
}

#endif
