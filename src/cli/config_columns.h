/* config_columns.h - parses and prints the columns of a view in the configuration: "symbols" and
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

/* Chooses the columns @names (separated by commas) of the view @view, besides the one that fills
 * the line; "": all. 0; -EINVAL with a near name: @choice is unchanged then. */
int config_columns_parse(const char *view, const char *names, struct column_choice *choice,
			 struct diag *why);

/* Prints the columns of a view in @choice as "symbols = self, bar, total" and a newline. */
void config_columns_print(FILE *out, enum view_kind kind, const struct column_choice *choice);

#endif
