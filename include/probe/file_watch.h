/* file_watch.h - what became of the file that a probe is in.
 *
 * Problem: breakpoints belong to an inode. Once a build or an update puts another file at its path,
 *          new processes run without the probe, and it just seems that nobody calls the function.
 *          Who writes into the file itself moves its functions away from under the breakpoints.
 * Source:  stat(2), unlink(2), rename(2).
 * Thread:  the probe engine's; a look waits for a dead file system as long as its errands do.
 */
#ifndef PROBE_FILE_WATCH_H
#define PROBE_FILE_WATCH_H

#include "base/errand.h"
#include "symbols/object_file.h"

enum file_fate {
	FILE_IS_SAME,
	FILE_IS_REPLACED,	/* its path leads to another file */
	FILE_IS_DELETED,	/* it has no path any more */
	FILE_IS_MOVED,		/* it has one, but not this */
	FILE_IS_REWRITTEN,	/* other bytes: offsets may be inside of instructions */
};

struct file_watch;

/* @file: its descriptor stays the caller's and must outlive the watch. @path: raw; below @root, of
 * which a copy is made, or (-1) as we see it. *@out is the caller's: file_watch_destroy().
 * 0, -ENOMEM, -EMFILE. */
int file_watch_create(struct file_watch **out, const struct object_file *file, int root,
		      const char *path);
void file_watch_destroy(struct file_watch *watch);	/* NULL is fine */

/* 0; or -errno and nobody knows: as of errands_run(), or of what the path may not be looked at. */
int file_watch_look(const struct file_watch *watch, struct errands *errands, enum file_fate *out);

/* A sentence for the row of the probe; "" of FILE_IS_SAME. */
const char *file_fate_text(enum file_fate fate);

#endif
