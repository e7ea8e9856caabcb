/* code_job.h - worker side of SANDBOX_CODE: ranges of a file -> struct code_rows. Runs only in a
 * worker of the zygote (and in tests and fuzzers). */
#ifndef ELF_CODE_JOB_H
#define ELF_CODE_JOB_H

#include <stddef.h>

#include "base/diag.h"
#include "sandbox/code_rows.h"

/* Does a SANDBOX_CODE job; @inputs[@input_count] as in sandbox/code_rows.h. *@bytes is malloc'd for
 * the caller. Returns 0; -EINVAL: no query; -ENOEXEC, -EBADMSG: not ELF, damaged, or a range that
 * is not in the file; -ENOTSUP: code of another CPU; or -ENOMEM. After an error *@bytes is NULL. */
int code_job_run(const int *inputs, uint32_t input_count, void **bytes, size_t *bytes_count,
		 struct diag *why);

/* Lists the segments of the ELF file behind @fd; @layout_fd: the kernel_layout, -1: none. *@bytes,
 * a struct elf_segments, is malloc'd for the caller. 0; -ENOEXEC: no ELF file; -EBADMSG: damaged;
 * -ESTALE: not of this build; -EINVAL: no layout; -ENOMEM. */
int elf_segments_list(int fd, int layout_fd, void **bytes, size_t *count, struct diag *why);

#endif
