/* config_columns.h - the columns of each view, as text of the configuration: "symbols" and
 * "self, bar, total".
 *
 * Names:  titles in lower case, without "%"; a blank is "-".
 * Thread: main. Pure.
 */
#ifndef CLI_CONFIG_COLUMNS_H
#define CLI_CONFIG_COLUMNS_H

#include <stdio.h>

#include "base/diag.h"
#include "ui/views.h"

/* Of the view called @view only the columns called @names (a comma between) are shown from now on,
 * and the one that fills; "": all. 0; -EINVAL with a near name, @choice is unchanged then. */
int config_columns_parse(const char *view, const char *names, struct column_choice *choice,
			 struct diag *why);

/* "symbols = self, bar, total" and a newline: what @choice shows of the view. */
void config_columns_print(FILE *out, enum view_kind kind, const struct column_choice *choice);

#endif
