/* view_messages.h - the '!' screen: fallbacks and losses, each with its remedy. */
#ifndef UI_VIEW_MESSAGES_H
#define UI_VIEW_MESSAGES_H

#include "ui/view.h"

extern const struct view_ops view_messages_ops;	/* for a struct pager */

#endif
