/* config_file.h - reads and writes flametop's own files in the user's configuration directory, only
 * if no other user could have written them.
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

#define CONFIG_FILE_MAX_BYTES (64u * 1024)	/* far more than all settings take */

struct config_file {
	char path[PATH_MAX];	/* for messages */
	char *text;		/* owned, NUL-terminated; NULL: there is no such file */
	size_t size;
};

/* Reads the file @name in the user's directory. 0, also if it is missing; -EPERM: others could have
 * written it; -EACCES, -EFBIG, ...: with the remedy. config_file_finish() is needed in every
 * case. */
int config_file_read_own(struct config_file *out, const char *name, struct diag *why);
/* Reads the file at @path, with these checks on the file and on its directory. Errors as for
 * config_file_read_own(), and -ENOENT: it is missing. */
int config_file_read(struct config_file *out, const char *path, struct diag *why);
void config_file_finish(struct config_file *file);

/* Replaces the file @name in the user's directory by @text: writes a temporary file there and
 * renames it, or removes it on failure. Creates missing directories (0700). -EPERM: the directory
 * does not belong to the effective user. */
int config_file_write_own(const char *name, const char *text, struct diag *why);

/* Writes the path of the directory above `flametop` to @out[@cap]. -ENOENT: the user has none. */
int config_file_home(char *out, size_t cap, struct diag *why);

#endif
