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
 * Each job has its own reply socket, so a worker can reply to its job and nothing else. Only the
 * zygote can send the verdict, and it sends it after the worker is gone: by then the answer is in
 * the socket or never will be. A job without descriptors, sent while another job runs, cancels that
 * job; if it arrives too late it is ignored.
 *
 * Trust: the answer comes from a process that a malicious file may control; job and verdict don't.
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

/* Sent with SANDBOX_JOB_FDS descriptors: the inputs, then the reply socket in all other slots. */
struct sandbox_job {
	uint32_t kind;		/* enum sandbox_job_kind */
	uint32_t deadline_ms;	/* since the fork */
	uint32_t input_count;
	uint32_t padding;
	uint64_t argument;	/* meaning depends on the kind */
};

struct sandbox_answer {
	int32_t err;		/* 0: the message carries one descriptor, the memfd */
	char reason[200];	/* set if err != 0; untrusted text */
};

enum sandbox_end {
	SANDBOX_BY_ITSELF,	/* exited, or was killed by a signal not from the zygote */
	SANDBOX_AT_DEADLINE,
	SANDBOX_CANCELLED
};

struct sandbox_verdict {
	int32_t status;		/* as in waitpid(2); < 0: -errno, no worker could be forked */
	uint32_t end;		/* enum sandbox_end */
};

/* Sends one packet with @fd_count descriptors, which stay the caller's. Returns 0 or -errno; -EPIPE
 * if the peer is gone, never SIGPIPE. */
int sandbox_protocol_send(int socket, const void *message, size_t bytes, const int *fds,
			  size_t fd_count);

/* Receives one packet of exactly @bytes with exactly 0 or @fd_count descriptors (close-on-exec,
 * owned by the caller; with 0, all @fds are -1). @flags as in recv(2). Returns 0; -EPIPE: end of
 * stream; -EBADMSG: a packet of another form; -EAGAIN; or another -errno. */
int sandbox_protocol_receive(int socket, void *message, size_t bytes, int *fds, size_t fd_count,
			     int flags);

#endif
