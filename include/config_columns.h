/* config_columns.h - the names that views and columns have in the configuration.
 * Thread: main. Pure. */
#ifndef CONFIG_COLUMNS_H
#define CONFIG_COLUMNS_H

#include <stdio.h>

#include "base/diag.h"
#include "ui/columns.h"

#define CONFIG_COLUMN_BYTES 24

/* The title in lower case, without "%": "self". Into @out[CONFIG_COLUMN_BYTES]; returns @out. */
char *config_columns_name(enum column_id id, char *out);

/* Are the @names ("self, bar, total") columns, and @view a view? 0 or -EINVAL with a near name. */
int config_columns_check(const char *view, const char *names, struct diag *why);

/* A commented line for each view, with the columns it shows by default. */
void config_columns_print(FILE *out);

#endif
