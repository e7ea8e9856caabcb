/* process_memory.h - both sides of a SANDBOX_MEMORY job: reads whole pages of a process's memory.
 *
 * Problem: by the time of the read the addresses may be a mapping of a file whose server never
 *          responds, and a read would block forever.
 * Idea:    a worker reads them, which is killed at its deadline.
 * Trust:   the process can have changed the bytes at any time.
 * Source:  proc(5), mem.
 * Thread:  any.
 */
#ifndef ELF_PROCESS_MEMORY_H
#define ELF_PROCESS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "sandbox/flat_table.h"
#include "sandbox/sandbox.h"

#define PROCESS_MEMORY_PAGE	 4096u
#define PROCESS_MEMORY_PAGES_MAX 384u

/* Reads the pages from @start to @end with @memory, /proc/PID/mem of the process, which stays the
 * caller's. BLOCKS for the worker. 0 with *@out, owned by the caller: sandbox_bytes_finish();
 * -E2BIG: not whole pages, or too many; -EIO: not all of them are there; or an error of
 * sandbox_run(). */
int process_memory_read(struct sandbox *sandbox, int memory, uint64_t start, uint64_t end,
			struct sandbox_bytes *out, struct diag *why);

/* Worker side: reads *@count bytes of @memory, malloc'd for the caller. @argument: a page's
 * address, with the number of pages in its low bits. 0, -EIO or -ENOMEM. */
int process_memory_copy(int memory, uint64_t argument, void **bytes, size_t *count,
			struct diag *why);

/* Code that the kernel maps into every process: the vdso, which must be read from a
 * process, and the vsyscall page, which is the same everywhere.
 *
 * Source: vdso(7); proc(5), mem; Linux, arch/x86/entry/vsyscall/vsyscall_emu_64.S.
 * Thread: any.
 */

/* Copies the memory of process @pid from @start to @end (whole pages), for a worker: it is
 * untrusted, the process can have changed it. *@digest is equal for equal bytes; outsiders can't
 * forge collisions. Returns a descriptor owned by the caller, or -errno: -ESRCH, -EACCES, -E2BIG,
 * -EIO, -ENOMEM, or an error of sandbox_run(). */
int vdso_image_copy(struct sandbox *sandbox, uint32_t pid, uint64_t start, uint64_t end,
		    uint64_t *digest, struct diag *why);

/* Returns whether @address is in x86-64's vsyscall page, where old programs call the kernel. */
bool vdso_image_is_vsyscall(uint64_t address);
/* Returns the table of the vsyscall page's three entries, by run-time address; valid forever. */
struct flat_table vdso_image_vsyscall_table(void);

#endif
