/* config_file.h - reads and writes flametop's own files in the user's configuration directory, and
 * only where nobody else could have written them.
 *
 * Place:   as root always ~root/.config/flametop; else $XDG_CONFIG_HOME/flametop, or
 *          ~/.config/flametop by getpwuid(3). HOME is not looked at.
 * Checked: .config, flametop and the file belong to root or to the effective user, nobody else may
 *          write them, the file is a regular one and no link. Ownership and mode are those of the
 *          open descriptor, from which everything is read.
 * Thread:  main.
 */
#ifndef CLI_CONFIG_FILE_H
#define CLI_CONFIG_FILE_H

#include <limits.h>
#include <stddef.h>

#include "base/diag.h"

#define CONFIG_FILE_MAX_BYTES (64u * 1024)	/* of a file: far more than all there is to say */

struct config_file {
	char path[PATH_MAX];	/* for messages */
	char *text;		/* owned, NUL behind it; NULL: there is no such file */
	size_t size;
};

/* The file called @name in the user's directory. 0, also when it is not there; -EPERM: others could
 * have written it; -EACCES, -EFBIG, ...: with the remedy. config_file_finish() is needed in every
 * case. */
int config_file_read_own(struct config_file *out, const char *name, struct diag *why);
/* The file at @path, with the same checks on it and on the directory it is in. A missing one is
 * -ENOENT. */
int config_file_read(struct config_file *out, const char *path, struct diag *why);
void config_file_finish(struct config_file *file);

/* Replaces the file called @name in the user's directory by @text: a temporary file there is
 * renamed, and removed when that fails. Directories that are missing are made (0700). -EPERM: the
 * directory is not the effective user's own. */
int config_file_write_own(const char *name, const char *text, struct diag *why);

/* The directory that holds `flametop`, into @out[@cap]. -ENOENT: the user has none. */
int config_file_home(char *out, size_t cap, struct diag *why);

#endif
