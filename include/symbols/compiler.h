/* compiler.h - child side of the symbol compiler: ELF bytes -> flat table. Runs only in a worker
 * of the zygote (and in tests and fuzzers).
 * Source: ELF gABI; libelf (elf_begin with ELF_C_READ: reads, never maps, no SIGBUS). */
#ifndef SYMBOLS_COMPILER_H
#define SYMBOLS_COMPILER_H

#include <stddef.h>

#include "base/diag.h"

/* Reads .symtab, else .dynsym, of the file behind @fd; *@bytes is malloc'd for the caller. @debug_fd:
 * its debug file, or -1: not read yet. Returns 0 (no symbols: a table of 0 rows), -ENOEXEC, -EBADMSG, -ENOMEM or -E2BIG. */
int compiler_compile(int fd, int debug_fd, void **bytes, size_t *bytes_count, struct diag *why);

#endif
