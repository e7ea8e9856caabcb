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
	struct object_file file;	/* its fd is -1 once it is given away */
	struct process_root root;
	char path[OPENER_PATH_BYTES];	/* raw; as the process has it */
};

/* @wanted: a path, or a name such as libc.so.6, libc or bash; @pid 0: no process in particular.
 * 0 with *@out the caller's (place_file_close()), or -errno with a sentence: -ENOENT, -EACCES,
 * -ESRCH, -EINVAL not a regular file, -EOPNOTSUPP on FUSE, -EBUSY its file system does not
 * answer. */
int place_file_open(struct place_file *out, const char *wanted, pid_t pid, struct diag *why);
void place_file_close(struct place_file *file);

/* Fills in what @places say of their file, with copies: `file`, `version`, `path`, `watch`.
 * 0, -ENOMEM or -EMFILE with a sentence; what is filled in is theirs then, too. */
int place_file_put(const struct place_file *file, struct probe_places *places, struct diag *why);

#endif
