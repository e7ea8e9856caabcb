/* elf_cfi.h - worker side: the unwind entries of an ELF file -> unwind table (unwind_table.h). Runs
 * only in a worker of the zygote (and in tests and fuzzers). */
#ifndef ELF_ELF_CFI_H
#define ELF_ELF_CFI_H

#include <stddef.h>

#include "base/diag.h"

/* Builds the rows of the file behind @fd from its entries and those of its debug file behind
 * @debug_fd (-1: none; ignored if it belongs to another file). *@bytes is malloc'd for the caller.
 * Returns 0 (no entries, 32 bits, another CPU: a table of 0 rows); -ENOEXEC: no ELF file; -EBADMSG:
 * damaged; -ENOMEM; or -E2BIG. After an error *@bytes is NULL. */
int elf_cfi_compile(int fd, int debug_fd, void **bytes, size_t *bytes_count, struct diag *why);

#endif
