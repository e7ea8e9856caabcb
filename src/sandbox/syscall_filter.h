/* syscall_filter.h - the system calls that a worker may make; any other one kills it.
 * Source: seccomp(2), libseccomp. */
#ifndef SANDBOX_SYSCALL_FILTER_H
#define SANDBOX_SYSCALL_FILTER_H

#include <linux/filter.h>

#include "base/diag.h"

/* Which system calls are allowed, by the libraries that the job uses. */
enum syscall_list {
	SYSCALLS_OF_PARSERS,
	SYSCALLS_OF_LIBDW,	/* like parsers, but open() and readlink() fail with ENOENT instead
				 * of killing the worker: libdw tries paths */
	SYSCALLS_OF_LIBUNWIND,	/* parsers, blocking signals, mincore() on its own memory */
	SYSCALLS_OF_SOURCES,	/* parsers, opening paths below a passed directory */
	SYSCALL_LISTS
};

struct syscall_filter {
	struct sock_fprog program;	/* owned; never freed: the zygote needs it to its end */
};

/* Builds the BPF program, once for many workers. Returns 0, or -errno with the reason. */
int syscall_filter_build(struct syscall_filter *out, enum syscall_list list, struct diag *why);

/* Applies the filter to the calling process, irrevocably; set PR_SET_NO_NEW_PRIVS before. Returns
 * 0; -EINVAL: the kernel has no seccomp filters; or -errno. */
int syscall_filter_install(const struct syscall_filter *filter);

#endif
