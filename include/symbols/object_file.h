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
	OBJECT_FILE_PATH,	/* the path in our own root */
	OBJECT_FILE_PERF_CACHE,	/* recording: the copy of that build kept by perf record */
	OBJECT_FILE_VDSO,	/* a copy of our own vDSO: the same in all 64-bit processes */
};
#define OBJECT_FILE_SOURCES 4	/* most sources for one mapping */

struct object_file {
	int fd;			/* the caller's; a regular file, read only */
	bool is_certain;	/* surely the mapped file; false: only if its build-id matches */
	bool is_trusted;	/* file_is_trusted() */
	bool is_copy;		/* fd is a copy in memory (symbols/file_copy.h) */
	struct file_version version;	/* is_copy: the version of the original */
};

/* Writes the sources to try for @request, in order; returns how many. 0: there is no such file, and
 * @why says what the mapping is instead. @root: root of request->pid, in all functions here. */
size_t object_file_sources(const struct open_request *request, const struct process_root *root,
			   enum object_file_source sources[OBJECT_FILE_SOURCES],
			   struct diag *why);

/* Opens the file of @request from @source. 0, or -errno with the reason: -ESRCH the process is
 * gone, -ENOENT, -EPERM, -EACCES, -EINVAL not a regular file, -ESTALE another file, or nothing to
 * tell it by. @sandbox: reads another process's memory for OBJECT_FILE_VDSO; else NULL. */
int object_file_open(struct object_file *out, const struct open_request *request,
		     const struct process_root *root, enum object_file_source source,
		     struct sandbox *sandbox, struct diag *why);
/* Tries object_file_open() with each of object_file_sources() until one succeeds. */
int object_file_find(struct object_file *out, const struct open_request *request,
		     struct sandbox *sandbox, struct diag *why);
/* Opens the regular file at @place (O_PATH, stays the caller's); is_certain is left false. */
int object_file_open_place(struct object_file *out, int place, struct diag *why);

/* Returns the build-id from the mapping's record, else from the kernel; count 0: unknown. */
struct build_id object_file_mapped_build_id(const struct open_request *request,
					    const struct process_root *root);

/* Returns whether the file behind file->fd still has file->version. */
bool object_file_is_unchanged(const struct object_file *file);

#endif
