/* jit_files.h - the files in which a process says what code it made at run time, and the table of
 * them (parent side; elf/jit_rows.h says what is in it).
 *
 *   perf map  /tmp/perf-PID.map in the process's own root, with the pid that it has in its own
 *             namespace; a regular file of the process's user or of root, no link on the way
 *   jitdump   the file jit-PID.dump that the process has mapped executable
 *
 * Source: Linux, tools/perf/Documentation/jit-interface.txt; openat2(2); proc(5), NSpid.
 * Thread: the object opener's.
 */
#ifndef SYMBOLS_JIT_FILES_H
#define SYMBOLS_JIT_FILES_H

#include "base/errand.h"
#include "symbols/object_opener.h"

#define JIT_FILES_BYTES_MAX ((size_t)16 << 20)	/* of all processes: 5 MiB are a large one's */

struct jit_process;

struct jit_files {
	struct jit_process **rows;	/* owned; by the request's `jit`, NULL: none there */
	uint32_t capacity;
	uint32_t held;			/* files kept open */
	size_t bytes;			/* of all tables; JIT_FILES_BYTES_MAX at most */
	struct errands errands;		/* what may hang in a file system */
};

/* Answers a request with `jit` set: reads what @request's process has written since the last look.
 * `is_ready`: there is a table, `is_shared`: still the one of the reply before. It stays until the
 * next request for the same `jit` but one, so take each reply before asking again. `why`: a file
 * that was refused, -ENOENT when there is none. */
void jit_files_answer(struct jit_files *files, struct sandbox *sandbox,
		      const struct open_request *request, struct open_reply *reply);
void jit_files_finish(struct jit_files *files);

#endif
