/* syscall_filter.h - the system calls that a worker may make; any other one ends it.
 * Source: seccomp(2), libseccomp. */
#ifndef SANDBOX_SYSCALL_FILTER_H
#define SANDBOX_SYSCALL_FILTER_H

#include <linux/filter.h>

#include "base/diag.h"

/* By what a worker's code calls. */
enum syscall_list {
	SYSCALLS_OF_PARSERS,
	SYSCALLS_OF_LIBDW,	/* besides, it asks for paths: it is told that there is none, and
				 * lives */
	SYSCALLS_OF_LIBUNWIND,	/* besides, it blocks signals and looks at its own memory */
	SYSCALL_LISTS
};

struct syscall_filter {
	struct sock_fprog program;	/* owned */
};

/* Makes the program, once for many workers. 0 or -errno with the reason. @out is the caller's:
 * syscall_filter_finish(), after a failure too. */
int syscall_filter_build(struct syscall_filter *out, enum syscall_list list, struct diag *why);
void syscall_filter_finish(struct syscall_filter *filter);

/* Binds the calling process for good, with PR_SET_NO_NEW_PRIVS set before. 0, -EINVAL where the
 * kernel has no filters, or -errno. */
int syscall_filter_install(const struct syscall_filter *filter);

#endif
