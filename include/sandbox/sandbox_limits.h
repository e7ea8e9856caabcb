/* sandbox_limits.h - how much each kind of job may use before it is ended. */
#ifndef SANDBOX_SANDBOX_LIMITS_H
#define SANDBOX_SANDBOX_LIMITS_H

#include <stdint.h>

#include "sandbox/syscall_filter.h"

struct sandbox_limits {
	uint32_t deadline_ms;	/* from the fork on, of the clock on the wall */
	uint32_t cpu_s;
	uint64_t memory_bytes;	/* of addresses; 0: not limited */
	uint64_t answer_bytes;
	enum syscall_list calls;
};

/* @kind: enum sandbox_job_kind, a known one. Borrowed, constant. */
const struct sandbox_limits *sandbox_limits(uint32_t kind);

#endif
