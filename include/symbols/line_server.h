/* line_server.h - the thread that has source lines found, by workers of its own sandbox.
 *
 * Use:    line_server_request() one object's offsets when line_server_is_idle(), go on, take
 *         line_server_reply() when line_server_fd() is readable. One request is under way at a
 *         time: what is wanted most is then decided when the one before is done, and nothing is
 *         queued that nobody wants any more.
 * Crossings: one SPSC queue of requests in, one of replies out, an eventfd each.
 * Thread: all calls but create and destroy from one thread (the analyzer).
 */
#ifndef SYMBOLS_LINE_SERVER_H
#define SYMBOLS_LINE_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "sandbox/line_chains.h"
#include "sandbox/sandbox.h"
#include "symbols/object_opener.h"

struct line_server;

struct line_request {
	uint32_t count;
	uint64_t offsets[LINE_ADDRESSES_MAX];	/* in the file, as flat tables have them */
	char debug_link[FLAT_LINK_BYTES];	/* of the object's table; "" none */
	uint64_t memory_bytes;		/* debug information that takes more is refused */
	struct open_request object;
	uint64_t number;		/* the server's own */
};

struct line_reply {
	uint32_t object, serial;	/* the caller's names for it, of the request */
	uint32_t count;
	uint64_t offsets[LINE_ADDRESSES_MAX];
	struct line_chains chains;	/* why.err 0: valid until line_reply_finish() */
	struct sandbox_bytes bytes;
	struct diag why;	/* -ENODATA, -E2BIG and the like are the object's, and last;
				 * -ECANCELED and -ENOMEM are not */
};

/* @sandbox stays the caller's, is used by nobody else, and must outlive the server. */
int line_server_create(struct line_server **out, struct sandbox *sandbox, struct diag *why);
/* Cancels the sandbox's job (for good) and waits for the thread, at most 2 s. False: it hangs in
 * a file system and is left behind with its memory and the sandbox, which must not be stopped then.
 * NULL is fine. */
bool line_server_destroy(struct line_server *server);

/* The last request has been answered, and the reply taken. */
bool line_server_is_idle(const struct line_server *server);
/* Only when idle. */
void line_server_request(struct line_server *server, const struct line_request *request);
/* Nobody waits for the request under way any more, if there is one: its reply comes sooner, and
 * says -ECANCELED unless it was done. */
void line_server_cancel(struct line_server *server);
/* Takes the reply, false when there is none yet. The caller's: line_reply_finish(). */
bool line_server_reply(struct line_server *server, struct line_reply *out);
void line_reply_finish(struct line_reply *reply);
/* Readable when a reply waits. */
int line_server_fd(const struct line_server *server);

#endif
