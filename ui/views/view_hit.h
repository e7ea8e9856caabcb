/* view_hit.h - a page of text about one hit of a log: when and where, each value in full, the
 * stack. It stays when the hit leaves the log.
 * Thread: the ui's. */
#ifndef UI_VIEW_HIT_H
#define UI_VIEW_HIT_H

#include "ui/view.h"

extern const struct view_ops view_hit_ops;	/* of a struct pager */

#endif
