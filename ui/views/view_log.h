/* view_log.h - the log: what flametop noticed and what the command wrote, with the time of day, the
 * newest at the bottom. It follows the end until the user scrolls up. */
#ifndef UI_VIEW_LOG_H
#define UI_VIEW_LOG_H

#include "ui/view.h"

extern const struct view_ops view_log_ops;	/* for a struct pager */

#endif
