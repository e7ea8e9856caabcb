/* symtab_builder.h - worker side of a SANDBOX_SYMBOLS job: ELF bytes -> flat table. Runs only in a
 * worker of the zygote (and in tests and fuzzers).
 * Source: ELF gABI; the parts are in elf_*.h. */
#ifndef ELF_SYMTAB_BUILDER_H
#define ELF_SYMTAB_BUILDER_H

#include <stddef.h>

#include "base/diag.h"

/* Names the functions of the file behind @fd from its symbols or, if it has no .symtab, from those
 * of its debug file behind @debug_fd (-1: none; ignored if it belongs to another file).
 * header.has_symtab tells whether either had one. *@bytes is malloc'd for the caller.
 * Returns 0 (no names: a table of 0 rows); -ENOEXEC: no ELF file; -EBADMSG: damaged; -ENOMEM; or
 * -E2BIG. After an error *@bytes is NULL. */
int symtab_builder_build(int fd, int debug_fd, void **bytes, size_t *bytes_count, struct diag *why);

#endif
