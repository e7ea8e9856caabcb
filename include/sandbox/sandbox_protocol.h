/* sandbox_protocol.h - the messages between main, zygote and worker (sandbox/sandbox.h).
 *
 *   main                         zygote                        worker
 *     |-- job {kind, deadline} ----->|                            |
 *     |   + inputs, reply socket     |-- fork: inputs, reply ---->|
 *     |                              |                            | parses
 *     |<------------------------------- answer {err, reason} -----|
 *     |                              |   + sealed memfd           | exits
 *     |<-- verdict {status, end} ----|<------ wait status --------|
 *
 * Each job has a reply socket of its own, so a worker can answer its job and nothing else, and the
 * verdict, which only the zygote can send, comes when the worker is gone: then the answer is in the
 * socket or will never be. A job without descriptors, sent while another one is done, ends that
 * one; when it comes too late it means nothing.
 *
 * Trust: the answer comes from a process that a stranger's file may own. Job and verdict don't.
 * Thread: any.
 */
#ifndef SANDBOX_SANDBOX_PROTOCOL_H
#define SANDBOX_SANDBOX_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

#define SANDBOX_INPUTS_MAX 4
#define SANDBOX_JOB_FDS	   (SANDBOX_INPUTS_MAX + 1)

/* Comes with its inputs and, last, the reply socket; what is no input is that socket once more. */
struct sandbox_job {
	uint32_t kind;		/* enum sandbox_job_kind */
	uint32_t deadline_ms;	/* from the fork on */
	uint32_t input_count;
	uint32_t padding;
	uint64_t argument;	/* the kind's own */
};

struct sandbox_answer {
	int32_t err;		/* 0: one descriptor comes along, the memfd */
	char reason[200];	/* err != 0; foreign text */
};

enum sandbox_end {
	SANDBOX_BY_ITSELF,	/* or by a signal that the zygote did not send */
	SANDBOX_AT_DEADLINE,
	SANDBOX_CANCELLED
};

struct sandbox_verdict {
	int32_t status;		/* as waitpid(2); < 0: -errno, no worker could be made */
	uint32_t end;		/* enum sandbox_end */
};

/* Sends one packet with @fd_count descriptors, which stay the caller's. 0 or -errno; a peer that
 * is gone is -EPIPE, never a signal. */
int sandbox_protocol_send(int socket, const void *message, size_t bytes, const int *fds,
			  size_t fd_count);

/* Takes one packet of exactly @bytes with exactly 0 or @fd_count descriptors (then the caller's,
 * close-on-exec; -1 each when there are none). @flags as recv(2). 0, -EPIPE at the end, -EBADMSG
 * another form, -EAGAIN, or -errno. */
int sandbox_protocol_receive(int socket, void *message, size_t bytes, int *fds, size_t fd_count,
			     int flags);

#endif
