/* point_file.h - opens the file that a probe names: as the target process has it mapped, as its
 * path leads below that process's root, or by a name where the dynamic linker and the shell look.
 *
 * Source: proc(5), ld.so(8), ld.so.conf in ldconfig(8).
 * Thread: the probe engine's; may block on a slow file system.
 */
#ifndef PROBE_POINT_FILE_H
#define PROBE_POINT_FILE_H

#include <sys/types.h>

#include "probe/probe_point.h"
#include "symbols/dso_file.h"

struct point_file {
	struct dso_file file;		/* its fd is -1 once it was passed on */
	struct process_root root;
	char path[OPENER_PATH_BYTES];	/* raw path, as the process sees it */
};

/* Opens @wanted: a path, or a name such as libc.so.6, libc or bash; @pid 0: no process in
 * particular. 0 with *@out the caller's (point_file_close()), or -errno with a sentence: -ENOENT,
 * -EACCES, -ESRCH, -EINVAL not a regular file, -EOPNOTSUPP on FUSE, -EBUSY its file system does not
 * reply. */
int point_file_open(struct point_file *out, const char *wanted, pid_t pid, struct diag *why);
void point_file_close(struct point_file *file);

/* Sets `file`, `version`, `path` and `watch` of @points to copies. 0, -ENOMEM or -EMFILE with a
 * sentence; @points own what is set then, too. */
int point_file_put(const struct point_file *file, struct probe_point *points, struct diag *why);

#endif
