/* flame_fill.h - what the colours of a flame graph mean: the kind of code, the share, or the
 * object, or compared how it has changed; and the legend that says so.
 * Thread: the ui's. Pure. */
#ifndef UI_FLAME_FILL_H
#define UI_FLAME_FILL_H

#include "analyzer/snapshot.h"
#include "ui/canvas.h"

enum flame_fill {
	FLAME_BY_KIND,
	FLAME_BY_SHARE,
	FLAME_BY_OBJECT,
	FLAME_BY_CHANGE,	/* only of a snapshot that is compared */
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
/* "[k] " and the like, "" of user code. */
const char *flame_kind_mark(enum flame_kind kind);

/* The role of a box of @node of @snapshot, one of a pair: the stronger one is for the hottest path,
 * or for a large change. */
enum role flame_fill_role(enum flame_fill fill, const struct snapshot *snapshot,
			  const struct tree_node *node, bool is_hottest);
/* By change: "+ " of a box with more than before, "- " with less, "" with about the same. */
const char *flame_fill_sign(const struct snapshot *snapshot, const struct tree_node *node);

/* Right-aligned in @area what the colours mean, as much as fits: those of @zoom and what it calls,
 * FLAME_NONE: of all. */
void flame_fill_put_legend(struct canvas *canvas, struct canvas_area area, enum flame_fill fill,
			   const struct snapshot *snapshot, uint32_t zoom);

#endif
