/* config.h - the configuration file: defaults of options, keys and columns that the user chose.
 *
 *   [options]  name = value         as on the command line, flags true or false
 *   [keys]     command = key, key   see ui/keymap.h; an empty value takes the keys away
 *   [columns]  view = column, ...   what the view shows
 *
 * Grammar: inih's: "name = value" or "name: value"; lines that begin with # or ; and what follows
 *          " ;" in a line are comments.
 * Place:   see config_file.h. Beside it is `state`, a file of the same form with the columns that
 *          were chosen on the screen; it wins over [columns].
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
	struct option_setting *settings;	/* owned, their texts too; checked */
	size_t setting_count;
	struct keymap keymap;
	struct column_choice file_columns;	/* as the file says */
	struct column_choice columns;	/* with what was remembered */
	bool keeps_state;	/* false: another file than the user's own was asked for */
	char path[PATH_MAX];	/* what was read; "": no file */
	char *problems;		/* owned; what is wrong in the file, a line each; NULL: nothing */
};

/* Reads the configuration at @path; NULL: the user's own, which may be missing; "none": no file.
 * 0; -EINVAL: `problems` say what is wrong in it; else it can't be read or trusted, with the remedy
 * in @why. After a failure @out is the default but for `problems` and `keeps_state`.
 * config_finish() is needed in every case. */
int config_read(struct config *out, const char *path, struct diag *why);
void config_finish(struct config *config);

/* Puts what was remembered over `columns` (nothing unless `keeps_state`). As config_read(); a file
 * that is not right changes nothing. */
int config_load_state(struct config *config, struct diag *why);
/* Remembers @choice if the user has changed it; only the views in which it is not what the
 * configuration says. Does nothing unless `keeps_state`. */
int config_save_state(const struct config *config, const struct column_choice *choice,
		      struct diag *why);

/* A configuration of all that can be said, commented out, with the defaults. */
void config_print_sample(FILE *out);

#endif
