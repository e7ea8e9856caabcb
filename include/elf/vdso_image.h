/* vdso_image.h - code that the kernel maps into every process: the vdso, which must be read from a
 * process, and the vsyscall page, which is the same everywhere.
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

/* Copies the memory of process @pid from @start to @end (whole pages), for a worker: it is
 * untrusted, the process can have changed it. *@digest is equal for equal bytes; outsiders can't
 * forge collisions. Returns a descriptor owned by the caller, or -errno: -ESRCH, -EACCES, -E2BIG,
 * -EIO, -ENOMEM, or an error of sandbox_run(). */
int vdso_image_copy(struct sandbox *sandbox, uint32_t pid, uint64_t start, uint64_t end,
		    uint64_t *digest, struct diag *why);
/* Worker side: reads *@count bytes of @memory (/proc/PID/mem), malloc'd for the caller. @argument:
 * a page's address, with the number of pages in its low bits. Returns 0, -EIO or -ENOMEM. */
int vdso_image_read(int memory, uint64_t argument, void **bytes, size_t *count, struct diag *why);

/* Returns whether @address is in x86-64's vsyscall page, where old programs call the kernel. */
bool vdso_image_is_vsyscall(uint64_t address);
/* Returns the table of the vsyscall page's three entries, by run-time address; valid forever. */
struct flat_table vdso_image_vsyscall_table(void);

#endif
