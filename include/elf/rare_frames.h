/* rare_frames.h - callers behind a rule that an unwind row can't express: what main asks a worker
 * for, what it does, and the check of what comes back.
 *
 * Use:    when the walker ends with WALKER_COMPLEX. The frames that it found say which objects are
 *         needed: the worker goes on with libunwind from the leaf (such rules need registers that
 *         the walker does not follow) until it is outside of them. Then the walker goes on from
 *         the last frame, by its tables: walker_resume(). Stacks of one process that need the same
 *         objects are one job: to fork a worker takes longer than to walk a stack.
 * Inputs: of a SANDBOX_RARE_FRAMES job: struct rare_request with its stacks, then the file of each
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
	struct build_id build_id;	/* that its file must have; count 0: any */
};

struct rare_request {
	uint64_t mapping_count;
	struct rare_mapping mappings[RARE_MAPPINGS_MAX];
	uint64_t stack_count;
};

struct rare_answer {	/* of one stack */
	const struct remote_frame *frames;	/* leaf first */
	size_t count;
};

/* A sealed memfd with @request and its @stacks, the caller's; or -errno. */
int rare_frames_request(const struct rare_request *request, const struct remote_stack *stacks,
			struct diag *why);

/* The worker's side. *@bytes are, for each stack, how many frames it has and struct remote_frame,
 * leaf first; malloc'd for the caller. 0, -EBADMSG a request that can't be, a damaged file; -ESTALE
 * another file, -ENOEXEC, -ENOMEM. */
int rare_frames_unwind(const int *inputs, size_t input_count, void **bytes, size_t *bytes_count,
		       struct diag *why);

/* Checks an answer: per stack 1 to RARE_FRAMES_MAX frames, leaf first as it has it, sp never
 * falling. 0 with @answers in @bytes, one per stack of @request, or -EBADMSG. */
int rare_frames_check(const struct rare_request *request, const struct remote_stack *stacks,
		      const void *bytes, size_t bytes_count, struct rare_answer *answers,
		      struct diag *why);

#endif
