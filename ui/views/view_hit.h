/* view_hit.h - a page of text about one hit of a log: when and where, each value in full, the
 * stack. The page stays after the hit has left the log.
 * Thread: the ui's. */
#ifndef UI_VIEW_HIT_H
#define UI_VIEW_HIT_H

#include "ui/view.h"

extern const struct view_ops view_hit_ops;	/* for a struct pager */

#endif
