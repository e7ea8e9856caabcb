/* jit_files.h - reads the files in which a process names its run-time code, and keeps one table per
 * process (parent side; elf/file_jobs.h describes the table).
 *
 *   perf map  /tmp/perf-PID.map in the process's own root, with the pid that it has in its own
 *             namespace; a regular file of the process's user or of root, no link on the way
 *   jitdump   the file jit-PID.dump that the process has mapped executable
 *
 * Source: Linux, tools/perf/Documentation/jit-interface.txt; openat2(2); proc(5), NSpid.
 * Thread: the DSO opener's.
 */
#ifndef SYMBOLS_JIT_FILES_H
#define SYMBOLS_JIT_FILES_H

#include "base/service.h"
#include "symbols/dso_file.h"

struct jit_process;

struct jit_files {
	struct jit_process **rows;	/* owned; index: open_request.jit; NULL: no process */
	uint32_t capacity;
	uint32_t held;			/* files kept open */
	size_t bytes;			/* size of all tables, JIT_FILES_BYTES_MAX at most */
	struct blocking_calls *blocking_calls;	/* borrowed; for what may hang in a file system */
};

/* Replies to a request with `jit` set: reads what @request's process has written since the last
 * look. Sets in @reply is_ready: there is a table; is_shared: it is that of the previous reply;
 * why: a file was refused, or -ENOENT: there is none. The table stays valid until the next request
 * but one for the same `jit`, so take each reply before asking again. */
void jit_files_reply(struct jit_files *files, struct sandbox *sandbox,
		     const struct open_request *request, struct open_reply *reply);
void jit_files_finish(struct jit_files *files);

#endif
