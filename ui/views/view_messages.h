/* view_messages.h - the '!' screen: fallbacks and losses, each with its remedy. And the log: what
 * flametop noticed and what the command wrote, with the time of day, the newest at the bottom; it
 * follows the end until the user scrolls up. */
#ifndef UI_VIEW_MESSAGES_H
#define UI_VIEW_MESSAGES_H

#include "view.h"

/* Both are for a struct pager. */
extern const struct view_ops view_messages_ops;
extern const struct view_ops view_log_ops;

#endif
