/* object_file.h - opens the file behind a mapping without trusting its path.
 *
 * Source: proc(5) map_files; openat2(2); path_resolution(7).
 * Thread: any; may block on a slow file system (symbols/object_opener.h).
 */
#ifndef SYMBOLS_OBJECT_FILE_H
#define SYMBOLS_OBJECT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "proc/process_root.h"
#include "symbols/file_version.h"
#include "symbols/object_opener.h"

enum object_file_source {
	OBJECT_FILE_MAP_FILES,	/* /proc/PID/map_files/START-END; needs privileges */
	OBJECT_FILE_IN_ROOT,	/* the path below the process's root */
	OBJECT_FILE_EXE,	/* /proc/PID/exe: a deleted program, for its own user */
	OBJECT_FILE_PATH,	/* the path as it is here */
	OBJECT_FILE_PERF_CACHE,	/* of a recording: the copy that perf record kept of that build */
	OBJECT_FILE_VDSO,	/* a copy of our own: the same in all 64-bit processes */
};
#define OBJECT_FILE_SOURCES 4	/* at most, for one mapping */

struct object_file {
	int fd;			/* the caller's; a regular file, read only */
	bool is_certain;	/* it is the mapping's for sure; false: only if its build-id is */
	bool is_trusted;	/* file_is_trusted() */
	bool is_copy;		/* in memory, see symbols/file_copy.h; the version is the file's */
	struct file_version version;
};

/* Where to look for @request, in order; returns how many. 0: there is no such file, and @why says
 * what the mapping is instead. @root: of request->pid, here and below. */
size_t object_file_sources(const struct open_request *request, const struct process_root *root,
			   enum object_file_source sources[OBJECT_FILE_SOURCES],
			   struct diag *why);

/* 0, or -errno with the reason: -ESRCH the process is gone, -ENOENT, -EPERM, -EACCES, -EINVAL not a
 * regular file, -ESTALE another file, or nothing to tell it by. @sandbox reads the memory of
 * another process for OBJECT_FILE_VDSO; NULL for others. */
int object_file_open(struct object_file *out, const struct open_request *request,
		     const struct process_root *root, enum object_file_source source,
		     struct sandbox *sandbox, struct diag *why);
/* object_file_open() of the first source that has it, as above. */
int object_file_find(struct object_file *out, const struct open_request *request,
		     struct sandbox *sandbox, struct diag *why);
/* The regular file at @place (O_PATH, stays the caller's); is_certain is left false. */
int object_file_open_place(struct object_file *out, int place, struct diag *why);

/* The build-id that the kernel sees in the mapping, or in the record of it; count 0: none known. */
struct build_id object_file_mapped_build_id(const struct open_request *request,
					    const struct process_root *root);

/* Whether the file behind @fd still is that version. */
bool object_file_is_unchanged(const struct object_file *file);

#endif
