/* rare_server.h - a thread that has stacks unwound by libunwind (elf/rare_frames.h), in workers of
 * its own sandbox, where unwind rows can't express a rule.
 *
 * Use:    rare_server_request() a batch of stacks when rare_server_is_idle(), go on, take
 *         rare_server_reply() when rare_server_fd() is readable. One batch is under way at a time:
 *         the next one collects the stacks that come meanwhile.
 * Crossings: a mailbox each way, an eventfd each.
 * Thread: all calls but create and destroy from one thread (the analyzer).
 */
#ifndef SYMBOLS_RARE_SERVER_H
#define SYMBOLS_RARE_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/rare_frames.h"
#include "sandbox/sandbox.h"
#include "symbols/object_opener.h"

struct rare_server;

struct rare_batch {
	struct rare_request request;	/* the server fills in the build-ids */
	struct open_request objects[RARE_MAPPINGS_MAX];	/* files of request.mappings */
	struct remote_stack stacks[RARE_STACKS_MAX];	/* own their bytes: malloc */
	uint64_t tickets[RARE_STACKS_MAX];		/* the caller's ids for the stacks */

	/* The reply. */
	struct rare_answer answers[RARE_STACKS_MAX];	/* one per stack, if why.err is 0 */
	struct sandbox_bytes bytes;	/* owned */
	uint64_t took_ns;
	struct diag why;
};

void rare_batch_destroy(struct rare_batch *batch);	/* NULL is fine */

/* @sandbox stays the caller's, is used by nobody else, and must outlive the server. */
int rare_server_create(struct rare_server **out, struct sandbox *sandbox, struct diag *why);
/* Cancels the sandbox's job (for good) and waits for the thread, at most 2 s. False: it hangs in
 * a file system and is left behind with its memory and the sandbox, which must not be stopped then.
 * NULL is fine. */
bool rare_server_destroy(struct rare_server *server);

/* Returns whether no batch is under way: the last reply has been taken. */
bool rare_server_is_idle(const struct rare_server *server);
/* Queues @batch (calloc) and takes it over. Only when idle. */
void rare_server_request(struct rare_server *server, struct rare_batch *batch);
/* Returns the batch with its reply, NULL: none yet. The caller's: rare_batch_destroy(). */
struct rare_batch *rare_server_reply(struct rare_server *server);
/* Readable when a reply waits. */
int rare_server_fd(const struct rare_server *server);

#endif
