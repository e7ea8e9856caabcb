/* flame_fill.h - the colours of a flame graph, by kind of code, by share, by DSO or by change
 * against the baseline, and their legend.
 * Thread: the ui's. Pure. */
#ifndef UI_FLAME_FILL_H
#define UI_FLAME_FILL_H

#include "analyzer/snapshot.h"
#include "term/canvas.h"

enum flame_fill {
	FLAME_BY_KIND,
	FLAME_BY_SHARE,
	FLAME_BY_DSO,
	FLAME_BY_CHANGE,	/* only when the snapshot is compared */
	FLAME_FILL_COUNT
};

enum flame_kind {
	FLAME_COMMAND,		/* no code: a root */
	FLAME_USER,
	FLAME_KERNEL,
	FLAME_JIT,
	FLAME_INLINED,
	FLAME_UNKNOWN,
	FLAME_KIND_COUNT
};

enum flame_kind flame_kind_of(const struct tree_node *node);
/* Returns the prefix of a kind, such as "[k] "; "" for user code. */
const char *flame_kind_mark(enum flame_kind kind);

/* Returns the role of the box of @node in @snapshot. Roles come in pairs; the stronger one is for
 * the hottest path or a large change. */
enum role flame_fill_role(enum flame_fill fill, const struct snapshot *snapshot,
			  const struct tree_node *node, bool is_hottest);
/* Returns the sign of FLAME_BY_CHANGE: "+ ": more than before, "- ": less, "": about the same. */
const char *flame_fill_sign(const struct snapshot *snapshot, const struct tree_node *node);

/* Draws the legend right-aligned in @area, as much as fits, for the colours in use by @zoom and its
 * callees (FLAME_NONE: by the whole tree). */
void flame_fill_put_legend(struct canvas *canvas, struct canvas_area area, enum flame_fill fill,
			   const struct snapshot *snapshot, uint32_t zoom);

#endif
