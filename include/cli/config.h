/* config.h - the configuration file: the user's default options, keys and columns.
 *
 *   [options]  name = value         long options, flags true or false
 *   [keys]     command = key, key   see ui/keymap.h; an empty value removes the keys
 *   [columns]  view = column, ...   columns that the view shows
 *   [screen]   counter-line = true  the line of counters is shown
 *
 * Grammar: inih's: "name = value" or "name: value"; lines that begin with # or ;, and text after
 *          " ;" in a line, are comments.
 * Place:   see config_file.h. Beside it is `state`, a file of the same form with what was chosen on
 *          the screen; it wins over [columns] and [screen].
 * Thread:  main.
 */
#ifndef CLI_CONFIG_H
#define CLI_CONFIG_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/diag.h"
#include "cli/options.h"
#include "ui/keymap.h"
#include "ui/views.h"

#define CONFIG_PROBLEMS_SHOWN 10

struct config {
	struct option_setting *settings;	/* owned, and their texts, too; checked */
	size_t setting_count;
	struct keymap keymap;
	struct column_choice file_columns;	/* choices in the configuration file */
	struct column_choice columns;	/* file_columns with the choices in `state` */
	bool keeps_state;	/* false: a file other than the user's own was requested */
	char path[PATH_MAX];	/* file that was read; "": none */
	char *problems;		/* owned; errors in the file, a line each; NULL: none */
};

/* Reads the configuration at @path; NULL: the user's own, which may be missing; "none": no file.
 * 0; -EINVAL: `problems` has its errors; other -errno: it can't be read or trusted, with the remedy
 * in @why. After a failure @out is the default except for `problems` and `keeps_state`.
 * config_finish() is needed in every case. */
int config_read(struct config *out, const char *path, struct diag *why);
void config_finish(struct config *config);

/* Applies the choices in `state` to `columns`, if `keeps_state`. Errors as for config_read(); a
 * file with errors changes nothing. */
int config_load_state(struct config *config, struct diag *why);
/* Writes @choice to `state` if the user has changed it: only views that differ from the
 * configuration. Does nothing unless `keeps_state`. */
int config_save_state(const struct config *config, const struct column_choice *choice,
		      struct diag *why);

/* Prints a configuration with all settings and their defaults, commented out: a line has an effect
 * only once it was edited. */
void config_print_sample(FILE *out);

#endif
