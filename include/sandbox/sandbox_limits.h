/* sandbox_limits.h - resource limits of each kind of job; a worker that exceeds one is ended. */
#ifndef SANDBOX_SANDBOX_LIMITS_H
#define SANDBOX_SANDBOX_LIMITS_H

#include <stdint.h>

#include "sandbox/syscall_filter.h"

struct sandbox_limits {
	uint32_t deadline_ms;	/* wall-clock time since the fork */
	uint32_t cpu_s;
	uint64_t memory_bytes;	/* address space (RLIMIT_AS); 0: not limited */
	uint64_t answer_bytes;
	enum syscall_list calls;
};

/* Returns the limits of @kind, a valid enum sandbox_job_kind. BORROWED, valid forever. */
const struct sandbox_limits *sandbox_limits(uint32_t kind);

#endif
