/* sandbox.h - parent side of the symbol compiler: foreign files are parsed in another process.
 *
 *   main --socketpair--> zygote (forked before the first thread, no exec)
 *                          '--fork--> one worker per job: confined (sandbox/confine.h), parses,
 *                                     answers, exits
 *
 * The request carries the object's open descriptor (SCM_RIGHTS), the answer a sealed memfd with a
 * flat table, or a reason.
 *
 * Thread: sandbox_start() and sandbox_stop() from main while no other thread runs;
 *         sandbox_run() and sandbox_compile() from one thread each. There may be several
 *         sandboxes, for jobs that must not wait for one another.
 */
#ifndef SANDBOX_SANDBOX_H
#define SANDBOX_SANDBOX_H

#include <stdint.h>
#include <sys/types.h>

#include "sandbox/flat_table.h"
#include "sandbox/sandbox_protocol.h"

#define SANDBOX_DEADLINE_MS 10000	/* 200 MB need 0.2 s; times an overloaded machine */

struct sandbox;

int sandbox_start(struct sandbox **out, struct diag *why);
void sandbox_stop(struct sandbox *sandbox);	/* ends the zygote and its worker; NULL is fine */
/* The zygote, for the guardian; -1 when it has ended. */
pid_t sandbox_pid(const struct sandbox *sandbox);

enum sandbox_job_kind {
	SANDBOX_SYMBOLS,	/* object, its debug file if any -> struct flat_table: compiler.h */
	SANDBOX_UNWIND,		/* the same -> struct unwind_table: elf_cfi.h */
	SANDBOX_LINES,		/* object, offsets, then as its argument says -> struct
				 * line_chains: line_job.h */
	SANDBOX_JIT_MAP,	/* file, answer before if any -> more from @argument: jit_map.h */
	SANDBOX_JITDUMP,	/* the same: jitdump.h */
	SANDBOX_NAMES,		/* list of names -> list of what they mean: demangle.h */
	SANDBOX_MEMORY,		/* /proc/PID/mem -> its bytes where @argument says: vdso_image.h */
	SANDBOX_RARE_FRAMES,	/* stack, its objects -> frames: rare_frames.h */
	SANDBOX_POINTS,		/* object, question -> places for probes: probe_points.h */
	SANDBOX_PROBE_NAMES,	/* object, its debug file if any -> functions by all their names,
				 * USDT marks: probe_names.h */
	SANDBOX_RECORDS,	/* recording, socket with a range of it -> its records, unpacked,
				 * into the socket; the answer says nothing: packed_records.h */
	SANDBOX_JOB_KINDS
};

/* What a worker is given. All inputs are regular files or sealed memfds, read only, but for the
 * second of SANDBOX_RECORDS; they stay the caller's, and their offsets may move. */
struct sandbox_request {
	enum sandbox_job_kind kind;
	int inputs[SANDBOX_INPUTS_MAX];
	uint32_t input_count;
	uint64_t argument;	/* the kind's own */
	uint64_t number;	/* rises from job to job: sandbox_cancel_job(); 0: has none */
};

/* What a worker answered: sealed, mapped read-only, NOT checked. */
struct sandbox_bytes {
	const void *bytes;
	size_t count;
};

/* Has the job done. BLOCKS for the worker's lifetime, bounded by the kind's deadline
 * (sandbox/sandbox_limits.h). Returns 0 with *@out
 * the caller's (sandbox_bytes_finish()), or -errno with the reason, sanitized: the job's own
 * (-ENOEXEC, -EBADMSG, -E2BIG...), -ETIMEDOUT, -EPIPE the worker died (the reason names the signal)
 * or the zygote is gone, -EINVAL an input is not a regular file, -ECANCELED. */
int sandbox_run(struct sandbox *sandbox, const struct sandbox_request *request,
		struct sandbox_bytes *out, struct diag *why);
void sandbox_bytes_finish(struct sandbox_bytes *bytes);

/* A table as it arrived, checked. */
struct sandbox_table {
	struct flat_table table;
	struct sandbox_bytes bytes;
};

/* Compiles the symbols of the ELF file behind @fd and its debug file (-1: none), as above;
 * -ENOEXEC not ELF, -EBADMSG damaged, -E2BIG over a cap. *@out is the caller's:
 * sandbox_table_finish(). */
int sandbox_compile(struct sandbox *sandbox, int fd, int debug_fd, struct sandbox_table *out,
		    struct diag *why);
void sandbox_table_finish(struct sandbox_table *table);

/* Of the jobs from now on, instead of the kind's own. The thread of sandbox_run(). */
void sandbox_set_deadline(struct sandbox *sandbox, uint32_t deadline_ms);
/* Makes the jobs numbered 1 to @number fail with -ECANCELED soon, the running one and those to
 * come; later ones are done as ever. A job that ends at the same moment may succeed. Any thread. */
void sandbox_cancel_job(struct sandbox *sandbox, uint64_t number);
/* Makes the running and every later sandbox_run() fail with -ECANCELED soon. Any thread. */
void sandbox_cancel(struct sandbox *sandbox);

#endif
