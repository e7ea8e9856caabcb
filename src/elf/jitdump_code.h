/* jitdump_code.h - worker side of a SANDBOX_JIT_CODE job, see sandbox/code_files.h. */
#ifndef ELF_JITDUMP_CODE_H
#define ELF_JITDUMP_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/* Reads from the dump behind @fd the code that the query behind @query_fd asks for. *@bytes is
 * malloc'd for the caller, for jit_code_check(). 0; -ENODATA: the dump has no code there; -ENOEXEC:
 * no jitdump that can be read here; -EINVAL: a bad query; -EBADMSG, -E2BIG, -ENOMEM, -EIO. */
int jitdump_code_read(int fd, int query_fd, void **bytes, size_t *count, struct diag *why);

#endif
