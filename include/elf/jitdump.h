/* jitdump.h - worker side: the records of jit-PID.dump -> names of JIT-compiled code.
 * Source: Linux, tools/perf/Documentation/jitdump-specification.txt, version 1. */
#ifndef ELF_JITDUMP_H
#define ELF_JITDUMP_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

#define JITDUMP_BYTES_MAX ((uint64_t)4 << 30)	/* includes the code itself, which is not read */

/* Reads the complete records of the file behind @fd from @offset on (0: the header first), and adds
 * them to the previous answer behind @before_fd (-1: none). *@bytes is malloc'd for the caller: see
 * jit_rows_finish(). Runs only in a worker. Returns 0; -ENOEXEC: no jitdump that can be read here;
 * -E2BIG, -EBADMSG, -ENOMEM or another -errno. */
int jitdump_compile(int fd, int before_fd, uint64_t offset, void **bytes, size_t *bytes_count,
		    struct diag *why);

#endif
