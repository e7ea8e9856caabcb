/* rare_frames.h - the unwinder's slow path, for rules that an unwind row can't express: the request
 * to a worker, the worker's part, and the check of its reply.
 *
 * Use:    when the walker ends with WALKER_COMPLEX. Its frames tell which DSOs are needed. The
 *         worker unwinds with libunwind from the leaf (such rules need registers that the walker
 *         does not track) until it leaves these DSOs; from its last frame the walker continues with
 *         its tables: walker_resume(). Stacks of one process that need the same DSOs share a job:
 *         forking a worker takes longer than unwinding a stack.
 * Inputs: a SANDBOX_RARE_FRAMES job has struct rare_request with its stacks, then the file of each
 *         mapping.
 * Thread: any; rare_frames_unwind() only in a worker (and in tests).
 */
#ifndef ELF_RARE_FRAMES_H
#define ELF_RARE_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "elf/remote_unwind.h"
#include "sandbox/sandbox_protocol.h"

#define RARE_MAPPINGS_MAX (SANDBOX_INPUTS_MAX - 1)
#define RARE_STACK_BYTES_MAX 65536	/* the kernel's copies are smaller */
#define RARE_STACKS_MAX 32
#define RARE_FRAMES_MAX 512

struct rare_mapping {	/* executable; end is exclusive */
	uint64_t start, end, file_offset;
	struct build_id build_id;	/* the file must have this one; count 0: any */
};

struct rare_request {
	uint64_t mapping_count;
	struct rare_mapping mappings[RARE_MAPPINGS_MAX];
	uint64_t stack_count;
};

struct rare_answer {	/* for one stack */
	const struct remote_frame *frames;	/* leaf first */
	size_t count;
};

/* Returns a sealed memfd with @request and its @stacks, owned by the caller; or -errno. */
int rare_frames_request(const struct rare_request *request, const struct remote_stack *stacks,
			struct diag *why);

/* Worker side. *@bytes has, for each stack, a frame count and that many struct remote_frame, leaf
 * first; malloc'd for the caller. Returns 0; -EBADMSG: invalid request or damaged file; -ESTALE:
 * a file with another build-id; -ENOEXEC; -ENOMEM. */
int rare_frames_unwind(const int *inputs, size_t input_count, void **bytes, size_t *bytes_count,
		       struct diag *why);

/* Checks a reply: each stack has 1 to RARE_FRAMES_MAX frames, the first is the stack's own leaf, sp
 * never decreases. Returns 0 with one of @answers per stack, BORROWED from @bytes, or -EBADMSG. */
int rare_frames_check(const struct rare_request *request, const struct remote_stack *stacks,
		      const void *bytes, size_t bytes_count, struct rare_answer *answers,
		      struct diag *why);

#endif
