/* file_watch.h - tells what has happened to the file that a probe is in.
 *
 * Problem: breakpoints belong to an inode. Once a build or an update puts another file at its path,
 *          new processes run without the probe, and it just seems that nobody calls the function.
 *          Writing into the file itself moves its functions away from under the breakpoints.
 * Source:  stat(2), unlink(2), rename(2).
 * Thread:  the probe engine's; a look waits for a dead file system as long as its blocking calls
 *          do.
 */
#ifndef PROBE_FILE_WATCH_H
#define PROBE_FILE_WATCH_H

#include "base/service.h"
#include "symbols/dso_file.h"

enum file_fate {
	FILE_IS_SAME,
	FILE_IS_REPLACED,	/* its path leads to another file */
	FILE_IS_DELETED,	/* it has no path any more */
	FILE_IS_MOVED,		/* it has a path, but not this one any more */
	FILE_IS_REWRITTEN,	/* it was written to: offsets may be inside of instructions */
};

struct file_watch;

/* @file: its descriptor is BORROWED and must outlive the watch. @path: raw; below @root, which is
 * duplicated, or (-1) in our own root. *@out is the caller's: file_watch_destroy(). 0, -ENOMEM,
 * -EMFILE. */
int file_watch_create(struct file_watch **out, const struct dso_file *file, int root,
		      const char *path);
void file_watch_destroy(struct file_watch *watch);	/* NULL is fine */

/* Finds the fate of the file. 0; -errno if it is unknown: an error of blocking_calls_run(), or of
 * looking at the path. */
int file_watch_look(const struct file_watch *watch, struct blocking_calls *blocking_calls,
		    enum file_fate *out);

/* Returns a sentence for the row of the probe; "" for FILE_IS_SAME. */
const char *file_fate_text(enum file_fate fate);

#endif
