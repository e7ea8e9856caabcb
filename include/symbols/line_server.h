/* line_server.h - a thread that has source lines found by workers of its own sandbox.
 *
 * Use:    line_server_request() one DSO's offsets when line_server_is_idle(), go on, take
 *         line_server_reply() when line_server_fd() is readable. One request is under way at a
 *         time: the next one is chosen when the previous one is done, so that no request waits in
 *         a queue until it is no longer needed.
 * Crossings: one SPSC queue of requests in, one of replies out, an eventfd each.
 * Thread: all calls but create and destroy from one thread (the analyzer).
 */
#ifndef SYMBOLS_LINE_SERVER_H
#define SYMBOLS_LINE_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/service.h"
#include "sandbox/lines.h"
#include "sandbox/sandbox.h"
#include "symbols/dso_table.h"

struct line_server;

struct line_request {
	uint32_t count;
	uint64_t offsets[LINE_ADDRESSES_MAX];	/* file offsets, as in flat tables; addresses in
						 * the kernel */
	char debug_link[FLAT_LINK_BYTES];	/* from the DSO's table; "": none */
	uint64_t memory_bytes;		/* debug information that needs more is refused */
	struct open_request dso;	/* is_kernel: `path` is the module, "" for the kernel */
	uint64_t number;		/* job number, set by the server */
};

struct line_reply {
	uint32_t dso, serial;		/* copied from the request */
	uint32_t count;
	uint64_t offsets[LINE_ADDRESSES_MAX];
	struct line_chains chains;	/* why.err 0: valid until line_reply_finish() */
	struct sandbox_bytes bytes;
	struct diag why;	/* -ENODATA, -E2BIG and the like are permanent for the DSO;
				 * -ECANCELED and -ENOMEM are not */
};

/* @sandbox stays the caller's, is used by nobody else, and must outlive the server. */
int line_server_create(struct line_server **out, struct sandbox *sandbox, struct diag *why);
/* Cancels the sandbox's job (for good) and waits for the thread, at most 2 s. False: it hangs in
 * a file system and is left with its memory and the sandbox, which must not be stopped then.
 * NULL is fine. */
bool line_server_destroy(struct line_server *server);

/* Returns whether no request is under way: the last reply has been taken. */
bool line_server_is_idle(const struct line_server *server);
/* Queues @request. Only when idle. */
void line_server_request(struct line_server *server, const struct line_request *request);
/* Cancels the request under way, if any: its reply comes sooner, with -ECANCELED unless it was
 * done already. */
void line_server_cancel(struct line_server *server);
/* Takes the reply, false when there is none yet. The caller frees it: line_reply_finish(). */
bool line_server_reply(struct line_server *server, struct line_reply *out);
void line_reply_finish(struct line_reply *reply);
/* Readable when a reply waits. */
int line_server_fd(const struct line_server *server);
/* Returns the server's thread, BORROWED, as a host for another service that opens files. */
struct service *line_server_thread(struct line_server *server);

#endif
