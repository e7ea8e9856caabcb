/* vdso_image.h - code that the kernel puts into every process: what has to be read from another
 * process, and what is the same everywhere.
 *
 * Source: vdso(7); proc(5), mem; Linux, arch/x86/entry/vsyscall/vsyscall_emu_64.S.
 * Thread: any.
 */
#ifndef ELF_VDSO_IMAGE_H
#define ELF_VDSO_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "sandbox/flat_table.h"
#include "sandbox/sandbox.h"

/* A copy of the process's memory from @start to @end (whole pages), for a worker: the process can
 * have changed it. *@digest is equal for equal bytes, and nobody outside can make it so for others.
 * Returns a descriptor, the caller's, or -errno: -ESRCH, -EACCES, -E2BIG, -EIO, -ENOMEM, or of
 * sandbox_run(). */
int vdso_image_copy(struct sandbox *sandbox, uint32_t pid, uint64_t start, uint64_t end,
		    uint64_t *digest, struct diag *why);
/* The worker's part: *@count bytes of @memory, malloc'd. @argument: their address, a page's, and in
 * its low bits how many pages. 0, -EIO, -ENOMEM. */
int vdso_image_read(int memory, uint64_t argument, void **bytes, size_t *count, struct diag *why);

/* The page of x86-64 that old programs call the kernel by. */
bool vdso_image_is_vsyscall(uint64_t address);
/* Its three entries, by run-time address; valid for ever. */
struct flat_table vdso_image_vsyscall_table(void);

#endif
