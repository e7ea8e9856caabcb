/* confine.h - irrevocably drops what a process that parses untrusted bytes must not have. */
#ifndef SANDBOX_CONFINE_H
#define SANDBOX_CONFINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/diag.h"
#include "syscall_filter.h"

/* Resource limits of each kind of job; a worker that exceeds one is ended. */
struct sandbox_limits {
	uint32_t deadline_ms;	/* wall-clock time since the fork */
	uint32_t cpu_s;
	uint64_t memory_bytes;	/* address space (RLIMIT_AS); 0: not limited */
	uint64_t reply_bytes;
	enum syscall_list calls;	/* SYSCALLS_OF_SOURCES: may read files by path, too */
};

/* Returns the limits of @kind, a valid enum sandbox_job_kind. BORROWED, valid forever. */
const struct sandbox_limits *sandbox_limits(uint32_t kind);

/* Returns the kernel's Landlock ABI version, 1 or more; 0: Landlock is missing or disabled. */
int landlock_version(void);

/* Prepared once by the zygote for all its workers. */
struct confinement {
	struct syscall_filter filters[SYSCALL_LISTS];
	struct diag why;	/* err != 0: confinement failed, no worker may read anything */
};

/* Called once, by the zygote: denies it the network and all use of paths but opening files to read
 * them, drops all capabilities except those that change a worker's user and kill it, and builds the
 * filters. */
void confine_zygote(struct confinement *out);

/* Who a worker becomes instead of the unused user. */
struct worker_user {
	uid_t uid;
	gid_t gid;
	size_t group_count;
	const gid_t *groups;	/* BORROWED */
};

/* Called by a worker before it reads the first untrusted byte: switches to an unused user, or to
 * @user unless that is NULL, drops all capabilities, sets @limits, installs the filter. @zygote
 * must still be its parent. Returns 0, or -errno with the reason: then the worker may read
 * nothing. */
int confine_worker(const struct confinement *confinement, const struct sandbox_limits *limits,
		   const struct worker_user *user, pid_t zygote, struct diag *why);

/* Called once, by the process that speaks to the network: switches to an unused user of its own,
 * drops all capabilities, denies it to write files and to execute, bounds memory. Returns 0, or
 * -errno with the reason: then it may do nothing. */
int confine_fetcher(struct diag *why);

/* Moves @from to @to, and closes all descriptors after it; those before it lead to /dev/null. */
bool confine_keep_descriptor(int from, int to);

#endif
