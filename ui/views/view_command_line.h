/* view_command_line.h - the page of :command: the command line that prints the present view without
 * a screen, and notes about what no option can express. */
#ifndef UI_VIEW_COMMAND_LINE_H
#define UI_VIEW_COMMAND_LINE_H

#include "ui/view.h"

extern const struct view_ops view_command_line_ops;	/* for a struct pager */

#endif
