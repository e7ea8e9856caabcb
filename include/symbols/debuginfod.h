/* debuginfod.h - debug files and sources from debuginfod servers, by build-id; only with
 * --debuginfod.
 *
 * Use:    debuginfod_start() in main, before the first thread and before capabilities are dropped;
 *         without it all calls fail at once and nothing is sent to anybody. A service thread calls
 *         debuginfod_get_source() or debuginfod_get_debug_file(), which block as long as the
 *         transfer takes; meanwhile the screen shows debuginfod_status() and Esc calls
 *         debuginfod_cancel().
 * Trust:  what comes is a stranger's: a debug file goes to a worker, which compares its build-id.
 * Thread: any, if not said otherwise. A lock is held for look-ups only, never during a transfer.
 * Source: debuginfod(8), "WEBAPI".
 */
#ifndef SYMBOLS_DEBUGINFOD_H
#define SYMBOLS_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/build_id.h"
#include "base/diag.h"

/* Starts the network process for @urls, servers separated by spaces, BORROWED; NULL: those of the
 * variable DEBUGINFOD_URLS, which root's environment does not keep. Returns 0, or -errno with the
 * reason. Thread: main. */
int debuginfod_start(const char *urls, struct diag *why);
/* Ends the process. Thread: main, after all others. */
void debuginfod_stop(void);
/* Returns the PID of the network process; -1: there is none. */
pid_t debuginfod_pid(void);

/* Asks for the debug file of @id. BLOCKS. Returns a sealed memfd, the caller's; or -errno with the
 * reason: -ENOENT: no server has it, or one said so before; -EFBIG; -ECANCELED; -ETIMEDOUT; -EIO.
 * -ENOSYS: not started; then @why is left alone. Files are kept in memory for the next call, some
 * of them. */
int debuginfod_get_debug_file(const struct build_id *id, struct diag *why);
/* The same without a transfer: only a file that is kept. -ENOENT: none. Does not block. */
int debuginfod_find_debug_file(const struct build_id *id);
/* Asks for the source file @path, absolute, of the program @id. Not kept. */
int debuginfod_get_source(const struct build_id *id, const char *path, struct diag *why);

struct debuginfod_status {
	char file[128];		/* raw base name of the transferred file, or hex of the build-id */
	uint64_t bytes, of;	/* so far, and in all; 0: unknown */
};

/* Returns whether a transfer runs, and describes the oldest one. */
bool debuginfod_status(struct debuginfod_status *out);
/* Ends all transfers, which fail with -ECANCELED, and refuses others for some seconds. Returns
 * whether there was one. */
bool debuginfod_cancel(void);

/* Writes the address of a file: @kind is "debuginfo" or "source", whose @path is appended with
 * bytes escaped that an address may not have. Returns false if it is too long. Pure. */
bool debuginfod_format_url(char *out, size_t cap, const char *server, size_t server_bytes,
			   const struct build_id *id, const char *kind, const char *path);

#endif
