/* view_help.h - the '?' screen, made from the tables of commands and columns. */
#ifndef UI_VIEW_HELP_H
#define UI_VIEW_HELP_H

#include <stdbool.h>

#include "view.h"

extern const struct view_ops view_help_ops;	/* for a struct pager */

/* For view_ops.add_help: adds a heading; a line about @name. @is_cut: what does not fit on it ends
 * at its first colon or semicolon. */
void view_help_heading(struct help_page *page, const char *title);
void view_help_line(struct help_page *page, const char *name, const char *help, bool is_cut);

#endif
