/* object_file.h - opens the file behind a mapping without trusting its path.
 *
 * Source: proc(5) map_files; openat2(2); path_resolution(7).
 * Thread: any; may block on a slow file system (symbols/object_opener.h).
 */
#ifndef SYMBOLS_OBJECT_FILE_H
#define SYMBOLS_OBJECT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "symbols/object_opener.h"

enum object_file_source {
	OBJECT_FILE_MAP_FILES,	/* /proc/PID/map_files/START-END */
	OBJECT_FILE_IN_ROOT,	/* the path below /proc/PID/root */
	OBJECT_FILE_PATH,	/* the path as it is here */
	OBJECT_FILE_VDSO,	/* a copy of our own: the same in all 64-bit processes */
};

/* What a table can be kept under: the file with this content. A build-id is only a claim. */
struct object_file_version {
	uint64_t device, inode, ctime_ns, bytes;
};

struct object_file {
	int fd;			/* the caller's; a regular file, read only */
	bool is_certain;	/* it is the mapping's for sure; false: only if its build-id is */
	struct object_file_version version;
};

/* Where to look for @request, in order; returns how many. 0: there is no such file, and @why says
 * what the mapping is instead. */
size_t object_file_sources(const struct open_request *request,
			   enum object_file_source sources[3], struct diag *why);

/* 0, or -errno with the reason: -ESRCH the process is gone, -ENOENT, -EPERM, -EACCES, -EINVAL not a
 * regular file, -ESTALE another file, or nothing to tell it by. */
int object_file_open(struct object_file *out, const struct open_request *request,
		     enum object_file_source source, struct diag *why);

/* Whether the file behind @fd still is that version. */
bool object_file_is_unchanged(const struct object_file *file);

#endif
