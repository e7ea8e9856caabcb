/* slow_frames.h - the unwinder's slow path, for rules that an unwind row can't express: the request
 * to a worker, the worker's part, and the check of its reply.
 *
 * Use:    when the walker ends with WALKER_COMPLEX. Its frames tell which DSOs are needed. The
 *         worker unwinds with libunwind from the leaf (such rules need registers that the walker
 *         does not track) until it leaves these DSOs; from its last frame the walker continues with
 *         its tables: walker_resume(). Stacks of one process that need the same DSOs share a job:
 *         forking a worker takes longer than unwinding a stack.
 * Inputs: a SANDBOX_SLOW_FRAMES job has struct slow_request with its stacks, then the file of each
 *         mapping.
 * Thread: any; slow_frames_unwind() only in a worker (and in tests).
 */
#ifndef ELF_SLOW_FRAMES_H
#define ELF_SLOW_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/build_id.h"
#include "base/diag.h"
#include "sandbox/sandbox_protocol.h"

/* Runs libunwind on a copy of a process's registers and stack: for the rules
 * that an unwind row can't express, and as the reference that tests compare the walker with.
 *
 * Use:    create once per set of DSOs, then remote_unwind_frames() per stack.
 * Source: libunwind(3), unw_create_addr_space(3); LSB 5.0 core generic, 10.6.2 (.eh_frame_hdr);
 *         System V ABI AMD64, 3.6.2, and DWARF for AArch64, 4.1 (register numbers).
 * Trust:  registers, stack and files are untrusted; libunwind parses them, so use it only in a
 *         worker (and in tests). It can read no other memory: other addresses are errors to it.
 * Scope:  rules of .eh_frame, found through .eh_frame_hdr; without that, libunwind guesses by the
 *         frame pointer.
 * Thread: the owner's.
 */

/* Registers are indexed by DWARF number; the last is the instruction pointer. */
#define REMOTE_REGISTER_BX 3
#define REMOTE_REGISTER_DI 5
#ifdef __aarch64__
#define REMOTE_REGISTERS   33
#define REMOTE_REGISTER_BP 29
#define REMOTE_REGISTER_LR 30
#define REMOTE_REGISTER_SP 31
#define REMOTE_REGISTER_IP 32
#else
#define REMOTE_REGISTERS   17
#define REMOTE_REGISTER_BP 6
#define REMOTE_REGISTER_SP 7
#define REMOTE_REGISTER_IP 16
#endif

struct elf_file;

struct remote_dso {
	struct elf_file *file;	/* BORROWED; its segments were read */
	uint64_t start, end;	/* an executable mapping of the file; end is exclusive */
	uint64_t bias;		/* run-time address - vaddr */
};

struct remote_stack {
	uint64_t registers[REMOTE_REGISTERS];
	uint64_t start;			/* address of the first copied byte */
	const unsigned char *bytes;	/* BORROWED */
	size_t count;
};

struct remote_frame {
	uint64_t ip, sp, bp;
	uint64_t is_exact;	/* 1: interrupted at ip; 0: ip is a return address */
	uint64_t lr;		/* aarch64, is_exact: x30; 0: unknown */
};

struct remote_unwind;

/* @dsos are BORROWED until remote_unwind_destroy(). Returns NULL if out of memory. */
struct remote_unwind *remote_unwind_create(const struct remote_dso *dsos, size_t count);
void remote_unwind_destroy(struct remote_unwind *unwind);	/* NULL is fine */

/* Writes up to @room (> 0) frames of @stack, leaf first; returns their number, at least 1. */
size_t remote_unwind_frames(struct remote_unwind *unwind, const struct remote_stack *stack,
			    struct remote_frame *frames, size_t room);

#define SLOW_MAPPINGS_MAX (SANDBOX_INPUTS_MAX - 1)
#define SLOW_STACK_BYTES_MAX 65536	/* the kernel's copies are smaller */
#define SLOW_STACKS_MAX 32
#define SLOW_FRAMES_MAX 512

struct slow_mapping {	/* executable; end is exclusive */
	uint64_t start, end, file_offset;
	struct build_id build_id;	/* the file must have this one; count 0: any */
};

struct slow_request {
	uint64_t mapping_count;
	struct slow_mapping mappings[SLOW_MAPPINGS_MAX];
	uint64_t stack_count;
};

struct slow_reply {	/* for one stack */
	const struct remote_frame *frames;	/* leaf first */
	size_t count;
};

/* Returns a sealed memfd with @request and its @stacks, owned by the caller; or -errno. */
int slow_frames_request(const struct slow_request *request, const struct remote_stack *stacks,
			struct diag *why);

/* Worker side. *@bytes has, for each stack, a frame count and that many struct remote_frame, leaf
 * first; malloc'd for the caller. Returns 0; -EBADMSG: invalid request or damaged file; -ESTALE:
 * a file with another build-id; -ENOEXEC; -ENOMEM. */
int slow_frames_unwind(const int *inputs, size_t input_count, void **bytes, size_t *bytes_count,
		       struct diag *why);

/* Checks a reply: each stack has 1 to SLOW_FRAMES_MAX frames, the first is the stack's own leaf, sp
 * never decreases. Returns 0 with one of @replies per stack, BORROWED from @bytes, or -EBADMSG. */
int slow_frames_check(const struct slow_request *request, const struct remote_stack *stacks,
		      const void *bytes, size_t bytes_count, struct slow_reply *replies,
		      struct diag *why);

#endif
