/* jit_map.h - worker side: /tmp/perf-PID.map -> names of JIT-compiled code.
 * Source: Linux, tools/perf/Documentation/jit-interface.txt: lines of "START SIZE name", hex. */
#ifndef ELF_JIT_MAP_H
#define ELF_JIT_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

#define JIT_MAP_BYTES_MAX (64u << 20)	/* a million functions; node writes 0.1 MB at its start */

/* Reads the complete lines of the file behind @fd from @offset on, and adds them to the previous
 * answer behind @before_fd (-1: none). *@bytes is malloc'd for the caller: see jit_rows_finish().
 * Runs only in a worker. Returns 0, -E2BIG, -EBADMSG, -ENOMEM or another -errno. */
int jit_map_compile(int fd, int before_fd, uint64_t offset, void **bytes, size_t *bytes_count,
		    struct diag *why);

#endif
