/* debug_file.h - finds the file to which an object's symbols were moved (package -dbg, -dbgsym).
 *
 * Order:  by build-id, /usr/lib/debug/.build-id/xx/yy.debug; then by the name in .gnu_debuglink, in
 *         the object's directory, its .debug, and /usr/lib/debug/DIRECTORY.
 * Trust:  a worker compares build-id or CRC. Below our own root a debug file counts only if root or
 *         the user wrote it; below the root of a process that has another one it is that process's
 *         own affair, and so must be the table that is made of it.
 *         The object's directory is asked for names only where no stranger can have mounted a
 *         server that never answers: that of a trusted file of our own mounts; below another root,
 *         what lies on the root's own file system.
 * Source: gdb's manual, "Debugging Information in Separate Files".
 * Thread: any; may block on a slow file system.
 */
#ifndef SYMBOLS_DEBUG_FILE_H
#define SYMBOLS_DEBUG_FILE_H

#include "symbols/object_file.h"

struct debug_search {
	struct file_version object;	/* is not its own debug file */
	struct build_id build_id;	/* of the object; count 0: not that way */
	const char *link;		/* foreign; "": not that way */
	const char *object_path;	/* raw, as the process has it; its directory is looked in */
	bool has_safe_path;		/* below our own root: it is, see Trust */
};

/* Below our own root. 0 with the file, whose descriptor is the caller's; -ENOENT. */
int debug_file_open(struct object_file *out, const struct debug_search *search);
/* Below that of a process, which has one. */
int debug_file_open_below(struct object_file *out, const struct debug_search *search,
			  const struct process_root *root);

#endif
