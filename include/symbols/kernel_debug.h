/* kernel_debug.h - finds the debug information of the running kernel and of its modules.
 *
 * Order:  the files of --vmlinux; /usr/lib/debug/.build-id/xx/yy.debug; then, of release R, for the
 *         kernel /usr/lib/debug/boot/vmlinux-R, /usr/lib/debug/lib/modules/R/vmlinux,
 *         /lib/modules/R/build/vmlinux, /lib/modules/R/vmlinux, /boot/vmlinux-R; for a module
 *         MODULE.ko or MODULE.ko.debug anywhere below /usr/lib/debug/lib/modules/R and
 *         /lib/modules/R.
 * Trust:  only files that nobody but root and the user can have written, and those of --vmlinux. A
 *         worker compares the build-id, and says -ESTALE for another build; main parses nothing.
 * Use:    kernel_layout_read(), then a job with each file of kernel_debug_next() until one of them
 *         is accepted.
 * Thread: any; may block on a slow file system. kernel_debug_set_files() once, before threads.
 */
#ifndef SYMBOLS_KERNEL_DEBUG_H
#define SYMBOLS_KERNEL_DEBUG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "sandbox/kernel_layout.h"
#include "symbols/dso_file.h"

#define KERNEL_DEBUG_FILES_MAX 16
#define KERNEL_DEBUG_PATH_BYTES 1024

/* Sets the files that are tried first; the array and its texts are BORROWED for ever. */
void kernel_debug_set_files(const char *const *paths, uint32_t count);

/* Finds out which kernel, or which build of @module ("": the kernel), runs, and where. 0; -ENOENT:
 * no such module is loaded; -EPERM: the kernel hides its addresses; or another -errno. */
int kernel_layout_read(struct kernel_layout *out, const char *module, struct diag *why);

/* Goes through the files. Start with a zeroed one whose layout is set. */
struct kernel_debug_search {
	const struct kernel_layout *layout;	/* BORROWED */
	uint32_t step, match;			/* where the search goes on */
	char path[KERNEL_DEBUG_PATH_BYTES];	/* the file that was opened last */
	struct file_author author;		/* that file's */
	struct diag stale;	/* why the first file was refused that is of another build */
};

/* Opens the next file that exists. Returns its descriptor, the caller's; -ENOENT: there is none
 * left, and @why says what to install, or which file was of another build. */
int kernel_debug_next(struct kernel_debug_search *search, struct diag *why);

/* Returns whether @err, with which a worker refused the file, means that another may do; keeps the
 * reason of the first one that is of another build. */
bool kernel_debug_refused(struct kernel_debug_search *search, int err, const struct diag *reason);

#endif
