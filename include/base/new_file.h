/* new_file.h - creates a file that gets its name only when complete, and never replaces another.
 *
 * Use:    new_file_open(), write to `fd`, then new_file_keep() or new_file_drop(). A process that
 *         is killed before leaves nothing where the file system supports O_TMPFILE, elsewhere a
 *         file named ".flametop-" and a random number.
 * Source: open(2) O_TMPFILE, linkat(2), rename(2) RENAME_NOREPLACE.
 * Thread: one per file.
 */
#ifndef BASE_NEW_FILE_H
#define BASE_NEW_FILE_H

#include <limits.h>
#include <stdbool.h>

#include "base/diag.h"

struct new_file {
	int directory;			/* O_PATH descriptor, owned */
	int fd;				/* for writing, owned; mode 0600 */
	bool is_named;			/* `temporary` exists; false: the file has no name yet */
	char temporary[32];
	char name[NAME_MAX + 1];	/* final name in `directory` */
};

/* Creates the file that will become @path. Returns 0, or -errno with the reason: -EEXIST (also for
 * a symbolic link, which is not followed), -ENOENT, -EPERM: new_file_place() refuses the place. */
int new_file_open(struct new_file *out, const char *path, struct diag *why);
/* Gives the file its name and closes it. Returns 0, or -errno after removing the file. */
int new_file_keep(struct new_file *file);
/* Closes the file and removes it. */
void new_file_drop(struct new_file *file);

/* Opens the directory of @path. Returns an O_PATH descriptor, owned by the caller, or -errno with
 * the reason; *@name points to the rest of @path. root is refused where another user could replace
 * the file: in a directory that another user owns, or may write without S_ISVTX. Directories of the
 * user who called sudo(8) are allowed. */
int new_file_place(const char *path, const char **name, struct diag *why);

#endif
