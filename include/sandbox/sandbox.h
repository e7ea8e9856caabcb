/* sandbox.h - parent side of the workers: untrusted files are parsed in a process of their own.
 *
 *   main --socketpair--> zygote (forked before the first thread, no exec)
 *                          '--fork--> one worker per job: confined (sandbox/confine.h), parses,
 *                                     replies, exits
 *
 * The request carries the file's open descriptor (SCM_RIGHTS), the reply a sealed memfd with the
 * result (for symbols: a flat table), or a reason.
 *
 * Thread: sandbox_start() and sandbox_stop() from main while no other thread runs;
 *         sandbox_run() and sandbox_compile() on one sandbox from a single thread. Several
 *         sandboxes may exist, for jobs that must not wait for one another.
 */
#ifndef SANDBOX_SANDBOX_H
#define SANDBOX_SANDBOX_H

#include <stdint.h>
#include <sys/types.h>

#include "sandbox/flat_table.h"
#include "sandbox/sandbox_protocol.h"

#define SANDBOX_DEADLINE_MS 10000	/* 200 MB need 0.2 s; the rest is for overloaded machines */

struct sandbox;

int sandbox_start(struct sandbox **out, struct diag *why);
void sandbox_stop(struct sandbox *sandbox);	/* ends the zygote and its worker; NULL is fine */
/* Returns the zygote's PID, for the guardian; -1 when the zygote has ended. */
pid_t sandbox_pid(const struct sandbox *sandbox);

enum sandbox_job_kind {
	SANDBOX_SYMBOLS,	/* DSO, its debug file if any -> struct flat_table: compiler.h */
	SANDBOX_UNWIND,		/* DSO, its debug file if any -> struct unwind_table: elf_cfi.h */
	SANDBOX_LINES,		/* DSO, offsets, debug files per `argument` -> struct line_chains:
				 * line_job.h */
	SANDBOX_JIT_MAP,	/* perf-PID.map from offset `argument` on, previous reply if any ->
				 * struct jit_answer: jit_map.h */
	SANDBOX_JITDUMP,	/* jit-PID.dump, otherwise like SANDBOX_JIT_MAP: jitdump.h */
	SANDBOX_NAMES,		/* list of names -> list of demangled names: demangle.h */
	SANDBOX_MEMORY,		/* /proc/PID/mem -> its bytes at `argument`: vdso_image.h */
	SANDBOX_RARE_FRAMES,	/* stacks, their DSOs -> frames: rare_frames.h */
	SANDBOX_POINTS,		/* DSO, query -> probe points: probe_points.h */
	SANDBOX_PROBE_NAMES,	/* DSO, its debug file if any -> functions by all their names,
				 * USDT probes: probe_names.h */
	SANDBOX_RECORDS,	/* recording, socket with a range of it -> its records, unpacked,
				 * into the socket; the reply is empty: packed_records.h */
	SANDBOX_JOB_KINDS
};

/* A job for a worker. All inputs are read-only regular files or sealed memfds, except the socket of
 * SANDBOX_RECORDS; they stay the caller's, and their file offsets may move. */
struct sandbox_request {
	enum sandbox_job_kind kind;
	int inputs[SANDBOX_INPUTS_MAX];
	uint32_t input_count;
	uint64_t argument;	/* meaning depends on the kind */
	uint64_t number;	/* for sandbox_cancel_job(), increases from job to job; 0: none */
};

/* A worker's reply: sealed, mapped read-only, NOT checked. */
struct sandbox_bytes {
	const void *bytes;
	size_t count;
};

/* Runs the job in a worker. BLOCKS for the worker's lifetime, bounded by the kind's deadline
 * (sandbox/sandbox_limits.h). Returns 0 with *@out owned by the caller (sandbox_bytes_finish()), or
 * -errno with the sanitized reason: the job's own error (-ENOEXEC, -EBADMSG, -E2BIG...);
 * -ETIMEDOUT; -EPIPE: the worker died (the reason names the signal) or the zygote is gone; -EINVAL:
 * an input is not a regular file; -ECANCELED. */
int sandbox_run(struct sandbox *sandbox, const struct sandbox_request *request,
		struct sandbox_bytes *out, struct diag *why);
void sandbox_bytes_finish(struct sandbox_bytes *bytes);

/* A checked table and the reply it points into. */
struct sandbox_table {
	struct flat_table table;
	struct sandbox_bytes bytes;
};

/* Builds and checks the symbol table of the ELF file behind @fd and its debug file behind @debug_fd
 * (-1: none). Blocks and fails like sandbox_run(), also -ENOEXEC: not ELF; -EBADMSG: damaged;
 * -E2BIG: over a limit. *@out is the caller's: sandbox_table_finish(). */
int sandbox_compile(struct sandbox *sandbox, int fd, int debug_fd, struct sandbox_table *out,
		    struct diag *why);
void sandbox_table_finish(struct sandbox_table *table);

/* Replaces the kinds' own deadlines for all later jobs. Thread: that of sandbox_run(). */
void sandbox_set_deadline(struct sandbox *sandbox, uint32_t deadline_ms);
/* Makes the jobs numbered 1 to @number, running or future, fail with -ECANCELED soon; jobs with
 * higher numbers are not affected. A job that ends at the same moment may succeed. Any thread. */
void sandbox_cancel_job(struct sandbox *sandbox, uint64_t number);
/* Makes the running and every later sandbox_run() fail with -ECANCELED soon. Any thread. */
void sandbox_cancel(struct sandbox *sandbox);

#endif
