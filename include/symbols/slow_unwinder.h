/* slow_unwinder.h - has stacks unwound by libunwind (elf/slow_frames.h), in workers of its own
 * sandbox, where unwind rows can't express a rule.
 *
 * Use:    slow_unwinder_request() a batch of stacks when slow_unwinder_is_idle(), go on, take
 *         slow_unwinder_reply() when slow_unwinder_fd() is readable. One batch is under way at a
 *         time: the next one collects the stacks that come meanwhile.
 * Crossings: a mailbox each way, an eventfd each.
 * Thread: all calls but create and destroy from one thread (the analyzer).
 */
#ifndef SYMBOLS_SLOW_UNWINDER_H
#define SYMBOLS_SLOW_UNWINDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/service.h"
#include "elf/slow_frames.h"
#include "sandbox/sandbox.h"
#include "symbols/dso_table.h"

struct slow_unwinder;

struct slow_batch {
	struct slow_request request;	/* the server fills in the build-ids */
	struct open_request dsos[SLOW_MAPPINGS_MAX];	/* files of request.mappings */
	struct remote_stack stacks[SLOW_STACKS_MAX];	/* own their bytes: malloc */
	uint64_t tickets[SLOW_STACKS_MAX];		/* the caller's ids for the stacks */

	/* The reply. */
	struct slow_reply replies[SLOW_STACKS_MAX];	/* one per stack, if why.err is 0 */
	struct sandbox_bytes bytes;	/* owned */
	uint64_t took_ns;
	struct diag why;
};

void slow_batch_destroy(struct slow_batch *batch);	/* NULL is fine */

/* @sandbox stays the caller's, is used by nobody else, and must outlive the server. @thread opens
 * the files: a service that outlives this one; NULL: a thread of its own. */
int slow_unwinder_create(struct slow_unwinder **out, struct sandbox *sandbox,
			 struct service *thread, struct diag *why);
/* Cancels the sandbox's job (for good) and waits for the thread, at most 2 s. False: it hangs in
 * a file system and is left with its memory and the sandbox, which must not be stopped then.
 * NULL is fine. */
bool slow_unwinder_destroy(struct slow_unwinder *server);

/* Returns whether no batch is under way: the last reply has been taken. */
bool slow_unwinder_is_idle(const struct slow_unwinder *server);
/* Queues @batch (calloc) and takes it over. Only when idle. */
void slow_unwinder_request(struct slow_unwinder *server, struct slow_batch *batch);
/* Returns the batch with its reply, NULL: none yet. The caller's: slow_batch_destroy(). */
struct slow_batch *slow_unwinder_reply(struct slow_unwinder *server);
/* Readable when a reply waits. */
int slow_unwinder_fd(const struct slow_unwinder *server);

#endif
