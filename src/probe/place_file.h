/* place_file.h - opens the file that a probe names: as the target process has it mapped, as its
 * path leads below that process's root, or by a name where the dynamic linker and the shell look.
 *
 * Source: proc(5), ld.so(8), ld.so.conf in ldconfig(8).
 * Thread: the probe engine's; may block on a slow file system.
 */
#ifndef PROBE_PLACE_FILE_H
#define PROBE_PLACE_FILE_H

#include <sys/types.h>

#include "probe/probe_places.h"
#include "symbols/object_file.h"

struct place_file {
	struct object_file file;	/* its fd is -1 once it was passed on */
	struct process_root root;
	char path[OPENER_PATH_BYTES];	/* raw path, as the process sees it */
};

/* Opens @wanted: a path, or a name such as libc.so.6, libc or bash; @pid 0: no process in
 * particular. 0 with *@out the caller's (place_file_close()), or -errno with a sentence: -ENOENT,
 * -EACCES, -ESRCH, -EINVAL not a regular file, -EOPNOTSUPP on FUSE, -EBUSY its file system does not
 * answer. */
int place_file_open(struct place_file *out, const char *wanted, pid_t pid, struct diag *why);
void place_file_close(struct place_file *file);

/* Sets `file`, `version`, `path` and `watch` of @places to copies. 0, -ENOMEM or -EMFILE with a
 * sentence; @places own what is set then, too. */
int place_file_put(const struct place_file *file, struct probe_places *places, struct diag *why);

#endif
