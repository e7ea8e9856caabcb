/* fetcher.h - the one process that speaks to the network, and only if the user asked for it: gets
 * files by HTTP for a service thread.
 *
 *   main                           fetcher                     transfer
 *     |-- request {url, limit} ----->|                            |
 *     |   + reply socket             |-- fork: reply socket ----->|
 *     |<---------------------------- progress {bytes, of} --------|  some times a second
 *     |<---------------------------- end {err, reason} + memfd ---|  exits
 *
 * Closing the reply socket ends the transfer. The content is sealed, and untrusted.
 * Rights: an unused user of its own, no capabilities, no execve(2), files read-only; libcurl is
 *         loaded there and nowhere else.
 * Thread: fetcher_start() in main before the first thread; fetcher_get() in any, also several at
 *         once, since packets are atomic.
 */
#ifndef SANDBOX_FETCHER_H
#define SANDBOX_FETCHER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/diag.h"

#define FETCH_URL_BYTES 8192

struct fetch_request {
	uint64_t bytes_max;		/* larger files are refused */
	char url[FETCH_URL_BYTES];	/* http: or https: */
};

struct fetch_message {
	int32_t err;		/* is_end: 0: the message carries a memfd */
	uint32_t is_end;
	uint64_t bytes, of;	/* so far, and in all; 0: unknown */
	char reason[200];	/* untrusted text */
};

struct fetcher {
	int socket;		/* owned; -1: none */
	pid_t pid;
};

/* Starts the process. Returns 0, or -errno with the reason. */
int fetcher_start(struct fetcher *out, struct diag *why);
/* Ends the process and its transfers. */
void fetcher_stop(struct fetcher *fetcher);

/* Begins a transfer. Returns the socket for fetcher_receive(), the caller's; or -errno. */
int fetcher_begin(const struct fetcher *fetcher, const struct fetch_request *request,
		  struct diag *why);
/* Blocks for the next message from @socket. Returns 0 with *@out; at the end of a successful
 * transfer *@memfd is the caller's, else -1. -EPIPE: the transfer has ended without a result, or
 * shutdown(2) was called for @socket. */
int fetcher_receive(int socket, struct fetch_message *out, int *memfd);

#endif
