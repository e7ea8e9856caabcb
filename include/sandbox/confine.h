/* confine.h - gives up, for good, what a process that reads foreign bytes must not have. */
#ifndef SANDBOX_CONFINE_H
#define SANDBOX_CONFINE_H

#include <sys/types.h>

#include "base/diag.h"
#include "sandbox/sandbox_limits.h"
#include "sandbox/syscall_filter.h"

/* What the zygote has made ready for its workers. */
struct confinement {
	struct syscall_filter filters[SYSCALL_LISTS];
	struct diag why;	/* err not 0: it failed, and no worker may read anything */
};

/* The zygote, once: no path, no network, no capability but those that change a worker's user and
 * end it; makes the filters. */
void confine_zygote(struct confinement *out);

/* The worker, before it reads the first foreign byte: unused user, no capability, @limits, the
 * filter. @zygote must be its parent still. 0, or -errno and the reason: nothing may be read. */
int confine_worker(const struct confinement *confinement, const struct sandbox_limits *limits,
		   pid_t zygote, struct diag *why);

#endif
