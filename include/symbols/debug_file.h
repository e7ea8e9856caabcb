/* debug_file.h - finds the file to which an object's symbols were moved (package -dbg, -dbgsym).
 *
 * Order:  by build-id, /usr/lib/debug/.build-id/xx/yy.debug; then by the name in .gnu_debuglink, in
 *         the object's directory, its .debug, and /usr/lib/debug/DIRECTORY.
 * Trust:  a worker compares build-id or CRC. Below our own root a debug file counts only if root or
 *         the user wrote it. Below the root of a process with a root of its own any file counts,
 *         but the table made from it may be used for such processes only.
 *         The object's directory is searched only where no other user can have mounted a server
 *         that never answers: below our own root for a trusted file of our own mounts; below
 *         another root as far as that root's own file system goes.
 * Source: gdb's manual, "Debugging Information in Separate Files".
 * Thread: any; may block on a slow file system.
 */
#ifndef SYMBOLS_DEBUG_FILE_H
#define SYMBOLS_DEBUG_FILE_H

#include "symbols/object_file.h"

struct debug_search {
	struct file_version object;	/* the object itself, never taken for its debug file */
	struct build_id build_id;	/* the object's; count 0: do not search by build-id */
	const char *link;		/* name in .gnu_debuglink, untrusted; "": do not use it */
	const char *object_path;	/* raw path in the process's root, for its directory */
	bool has_safe_path;		/* our own root: search the object's directory, see Trust */
};

/* Searches below our own root. 0 with the file, whose descriptor is the caller's; or -ENOENT. */
int debug_file_open(struct object_file *out, const struct debug_search *search);
/* Searches below @root, the root of a process. 0 with the file, or -ENOENT. */
int debug_file_open_below(struct object_file *out, const struct debug_search *search,
			  const struct process_root *root);

#endif
