/* copy_size.h - how large the copies of user stacks should be, judged by how many were too small.
 *
 * Use:    copy_size_begin() with each source, copy_size_observe() with what was counted since the
 *         last call; what it returns is to be asked of the source.
 * Thread: any one.
 */
#ifndef MODEL_COPY_SIZE_H
#define MODEL_COPY_SIZE_H

#include <stdint.h>

#include "model/timeline.h"

struct copy_size {
	uint32_t bytes;		/* in force; 0: nothing to adapt */
	uint32_t first_bytes;	/* it is never less than at first */
	uint32_t tried_bytes;	/* what was lowered to last */
	uint64_t stacks, outgrown;	/* as of struct stack_counts; since judged_ns */
	uint64_t judged_ns;
	uint64_t calm_since_ns;	/* hardly any were outgrown since */
	uint64_t calm_ns;	/* so long must it be calm before less is tried */
	uint64_t quiet_until_ns;	/* asked: the answer is another source, or none */
	uint64_t quiet_ns;
};

/* A source samples with copies of @bytes from now on; 0: they can't be, or must not be changed. */
void copy_size_begin(struct copy_size *size, uint32_t bytes, uint64_t now_ns);

/* Returns the size that is wished for, 0: the present one. */
uint32_t copy_size_observe(struct copy_size *size, const struct stack_counts *counts,
			   uint64_t now_ns);

#endif
