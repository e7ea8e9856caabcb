/* view_log.h - the log. */
#ifndef UI_VIEW_LOG_H
#define UI_VIEW_LOG_H

#include "ui/view.h"

extern const struct view_ops view_log_ops;	/* of a struct pager */

#endif
