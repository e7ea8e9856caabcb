/* new_file.h - a file that has its name only once it is whole, and never takes another one's.
 *
 * Use:    new_file_open(), write to `fd`, then new_file_keep() or new_file_drop(). Who is killed
 *         before leaves nothing, where the file system can do that (O_TMPFILE); elsewhere a file
 *         called ".flametop-" and a random number.
 * Source: open(2) O_TMPFILE, linkat(2), rename(2) RENAME_NOREPLACE.
 * Thread: one per file.
 */
#ifndef BASE_NEW_FILE_H
#define BASE_NEW_FILE_H

#include <limits.h>
#include <stdbool.h>

#include "base/diag.h"

struct new_file {
	int directory;
	int fd;				/* to write to; its owner's alone */
	bool is_named;			/* `temporary` is its name; false: it has none */
	char temporary[32];
	char name[NAME_MAX + 1];	/* that it is to have */
};

/* Creates what is to be @path. 0, or -errno with the reason: -EEXIST (what is there may be a link,
 * which is not followed), -ENOENT, -EPERM a place that new_file_place() refuses. */
int new_file_open(struct new_file *out, const char *path, struct diag *why);
/* Gives it its name and ends it. 0 or -errno; then there is no such file of ours. */
int new_file_keep(struct new_file *file);
/* Ends it without a trace. */
void new_file_drop(struct new_file *file);

/* The directory of @path (O_PATH, the caller's), or -errno with the reason. *@name points to the
 * rest of @path. root writes only where nobody can put something else under that name: not into a
 * directory that another user owns, or may write without S_ISVTX; but into those of the user who
 * called sudo(8). */
int new_file_place(const char *path, const char **name, struct diag *why);

#endif
