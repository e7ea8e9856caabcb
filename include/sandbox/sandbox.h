/* sandbox.h - parent side of the workers: untrusted files are parsed in a process of their own.
 *
 *   sandbox --socketpair--> zygote (forked before the first thread, no exec)
 *   sandbox --socketpair-->   '--fork--> one worker per job: confined (confine.h), parses, replies,
 *                                        exits
 *
 * The request carries the file's open descriptor (SCM_RIGHTS), the reply a sealed memfd with the
 * result (for symbols: a flat table), or a reason.
 *
 * Use:    A sandbox runs one job at a time, and one zygote serves several sandboxes, whose jobs do
 *         not wait for one another. sandbox_submit() a job, go on, and sandbox_take() its result
 *         when sandbox_fd() is readable; or wait for it in sandbox_run().
 * Thread: sandbox_start(), sandbox_start_all() and sandbox_stop() from main; sandbox_submit(),
 *         _take(), _run() and _compile() on one sandbox from a single thread.
 */
#ifndef SANDBOX_SANDBOX_H
#define SANDBOX_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sandbox/flat_table.h"
#include "sandbox/sandbox_protocol.h"

struct sandbox;

/* Returns whether the kernel lets workers be denied the file system by Landlock, too. */
bool sandbox_has_landlock(void);

/* Starts a zygote whose workers run @run, before there are threads, and @count sandboxes on it, at
 * most SANDBOX_USERS_MAX; sandbox_start(): one. Returns 0, or -errno: then all @out are NULL. */
int sandbox_start_all(struct sandbox **out, size_t count, sandbox_worker *run, struct diag *why);
int sandbox_start(struct sandbox **out, sandbox_worker *run, struct diag *why);
/* Ends the sandbox and its worker; the zygote ends with its last sandbox. NULL is fine. */
void sandbox_stop(struct sandbox *sandbox);
/* Returns the zygote's PID, for the guardian; -1 when the zygote has ended. */
pid_t sandbox_pid(const struct sandbox *sandbox);

/* A worker's reply: sealed, mapped read-only, NOT checked. */
struct sandbox_bytes {
	const void *bytes;
	size_t count;
};

/* Begins the job. The inputs may be closed afterwards. Returns 0: sandbox_take() returns its
 * result; or -errno as sandbox_run() does: it has not begun. */
int sandbox_submit(struct sandbox *sandbox, const struct sandbox_request *request,
		   struct diag *why);
/* Returns a descriptor, BORROWED, that is readable when sandbox_take() has something. */
int sandbox_fd(const struct sandbox *sandbox);
/* Returns whether the submitted job is done; then *@err, *@out and @why are as sandbox_run() sets
 * them. At the latest that is some seconds after the deadline, whatever worker and zygote do. */
bool sandbox_take(struct sandbox *sandbox, struct sandbox_bytes *out, int *err, struct diag *why);

/* Runs the job in a worker. BLOCKS for the worker's lifetime, bounded by the kind's deadline
 * (confine.c). Returns 0 with *@out owned by the caller (sandbox_bytes_finish()), or
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

/* Builds and checks the symbol table of the ELF file behind @fd and its debug file behind
 * @debug_fd (-1: none). Blocks and fails like sandbox_run(), also -ENOEXEC: not ELF; -EBADMSG:
 * damaged; -E2BIG: over a limit. *@out is the caller's: sandbox_table_finish(). */
int sandbox_compile(struct sandbox *sandbox, int fd, int debug_fd, struct sandbox_table *out,
		    struct diag *why);
void sandbox_table_finish(struct sandbox_table *table);

/* Replaces the kinds' own deadlines for all later jobs. Thread: that of sandbox_submit(). */
void sandbox_set_deadline(struct sandbox *sandbox, uint32_t deadline_ms);
/* Makes the jobs numbered 1 to @number, running or future, fail with -ECANCELED soon; jobs with
 * higher numbers are not affected. A job that ends at the same moment may succeed. Any thread. */
void sandbox_cancel_job(struct sandbox *sandbox, uint64_t number);
/* Makes the running and every later job fail with -ECANCELED soon. Any thread. */
void sandbox_cancel(struct sandbox *sandbox);

#endif
