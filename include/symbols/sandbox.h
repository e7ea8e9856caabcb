/* sandbox.h - parent side of the symbol compiler: foreign files are parsed in another process.
 *
 *   main --socketpair--> zygote (forked before the first thread, no exec)
 *                          '--fork--> one worker per object: unused uid, no capabilities,
 *                                     no_new_privs, not dumpable, rlimits; parses, answers, exits
 *
 * The request carries the object's open descriptor (SCM_RIGHTS), the answer a sealed memfd with a
 * flat table, or a reason.
 *
 * Thread: sandbox_start() and sandbox_stop() from main while no other thread runs;
 *         sandbox_compile() from the object opener thread only.
 */
#ifndef SYMBOLS_SANDBOX_H
#define SYMBOLS_SANDBOX_H

#include <stdint.h>
#include <sys/types.h>

#include "symbols/flat_table.h"

#define SANDBOX_DEADLINE_MS 10000	/* 200 MB need 0.2 s; times an overloaded machine */

struct sandbox;

int sandbox_start(struct sandbox **out, struct diag *why);
void sandbox_stop(struct sandbox *sandbox);	/* ends the zygote and its worker; NULL is fine */
/* The zygote, for the guardian; -1 when it has ended. */
pid_t sandbox_pid(const struct sandbox *sandbox);

/* A table as it arrived: mapped read-only, checked. */
struct sandbox_table {
	struct flat_table table;
	const void *mapping;
	size_t mapping_bytes;
};

/* Compiles the symbols of the ELF file behind @fd (read only, stays the caller's; its offset may
 * move). BLOCKS for the worker's lifetime, bounded by the deadline. Returns 0 with *@out the
 * caller's (sandbox_table_finish()), or -errno with the reason: -ENOEXEC not ELF, -EBADMSG damaged
 * table, -ETIMEDOUT, -EPIPE the worker died (the reason names the signal) or the
 * zygote is gone, -E2BIG over a cap, -EINVAL @fd is not a regular file, -ECANCELED. The reason is
 * sanitized. */
int sandbox_compile(struct sandbox *sandbox, int fd, struct sandbox_table *out, struct diag *why);
void sandbox_table_finish(struct sandbox_table *table);

/* Of the jobs from now on, instead of SANDBOX_DEADLINE_MS. The thread of sandbox_compile(). */
void sandbox_set_deadline(struct sandbox *sandbox, uint32_t deadline_ms);
/* Makes the running and every later sandbox_compile() fail with -ECANCELED soon. Any thread. */
void sandbox_cancel(struct sandbox *sandbox);

#endif
