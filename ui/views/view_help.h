/* view_help.h - the '?' screen, made from the tables of commands and columns. */
#ifndef UI_VIEW_HELP_H
#define UI_VIEW_HELP_H

#include "ui/view.h"

extern const struct view_ops view_help_ops;	/* for a struct pager */

#endif
