/* tree_stop.h - who may end a fold, of a tree or of rows, that takes long. */
#ifndef FOLD_TREE_STOP_H
#define FOLD_TREE_STOP_H

#include <stdbool.h>

/* Asked now and then by a fold that takes long: true ends it, and it is as one without memory. */
struct tree_stop {
	bool (*is_due)(void *owner);	/* NULL: never */
	void *owner;
};

#endif
