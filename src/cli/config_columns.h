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
 * the line, or those of several events (@view "events"); "none":
 * none of these; "": those shown at first. 0;
 * -EINVAL with a near name: @choice is unchanged then. */
int config_columns_parse(const char *view, const char *names, struct column_choice *choice,
			 struct diag *why);

/* The lists: one for each view with a table, by enum view_kind, and "events" for COLUMNS_OF_EVENTS
 * in all views. */
#define CONFIG_COLUMN_LISTS (VIEW_TABLES + 1u)

/* Prints a list in @choice as "symbols = self, bar, total" and a newline. */
void config_columns_print(FILE *out, unsigned int list, const struct column_choice *choice);
/* Returns COLUMN_BIT() of each column of the list that @choice hides. */
uint64_t config_columns_hidden(unsigned int list, const struct column_choice *choice);

#endif
