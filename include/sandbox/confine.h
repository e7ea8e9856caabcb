/* confine.h - irrevocably drops what a process that parses untrusted bytes must not have. */
#ifndef SANDBOX_CONFINE_H
#define SANDBOX_CONFINE_H

#include <sys/types.h>

#include "base/diag.h"
#include "sandbox/sandbox_limits.h"
#include "sandbox/syscall_filter.h"

/* Prepared once by the zygote for all its workers. */
struct confinement {
	struct syscall_filter filters[SYSCALL_LISTS];
	struct diag why;	/* err != 0: confinement failed, no worker may read anything */
};

/* Called once, by the zygote: denies it all paths and the network, drops all capabilities except
 * those that change a worker's user and kill it, and builds the filters. */
void confine_zygote(struct confinement *out);

/* Called by a worker before it reads the first untrusted byte: switches to an unused user, drops
 * all capabilities, sets @limits, installs the filter. @zygote must still be its parent. Returns 0,
 * or -errno with the reason: then the worker may read nothing. */
int confine_worker(const struct confinement *confinement, const struct sandbox_limits *limits,
		   pid_t zygote, struct diag *why);

#endif
