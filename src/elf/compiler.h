/* compiler.h - child side of the symbol compiler: ELF bytes -> flat table. Runs only in a worker
 * of the zygote (and in tests and fuzzers).
 * Source: ELF gABI; see the headers symbols/elf_*.h for the parts. */
#ifndef ELF_COMPILER_H
#define ELF_COMPILER_H

#include <stddef.h>

#include "base/diag.h"

/* Names the functions of the file behind @fd, by its symbols or, where it has no .symtab, by those
 * of its debug file behind @debug_fd (-1: none), if that is really its own; header.has_symtab says
 * whether either had one. *@bytes is malloc'd for the caller.
 * Returns 0 (no names: a table of 0 rows), -ENOEXEC no ELF file, -EBADMSG damaged, -ENOMEM or
 * -E2BIG; then *@bytes is NULL. */
int compiler_compile(int fd, int debug_fd, void **bytes, size_t *bytes_count, struct diag *why);

#endif
