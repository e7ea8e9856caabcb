/* view_messages.h - the '!' screen: fallbacks, losses with what helps against them. */
#ifndef UI_VIEW_MESSAGES_H
#define UI_VIEW_MESSAGES_H

#include "ui/view.h"

extern const struct view_ops view_messages_ops;	/* of a struct pager */

#endif
