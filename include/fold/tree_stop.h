/* tree_stop.h - lets the caller end a long fold of rows or of a tree. */
#ifndef FOLD_TREE_STOP_H
#define FOLD_TREE_STOP_H

#include <stdbool.h>

/* Called now and then by a long fold: true ends it, and its result is unusable, as without
 * memory. */
struct tree_stop {
	bool (*is_due)(void *owner);	/* NULL: never */
	void *owner;
};

#endif
