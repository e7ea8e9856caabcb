/* sandbox_protocol.h - the messages between main, zygote and worker (sandbox/sandbox.h).
 *
 *   main                         zygote                        worker
 *     |-- job {kind, deadline} ----->|                            |
 *     |   + inputs, reply socket     |-- fork: inputs, reply ---->|
 *     |                              |                            | parses
 *     |<------------------------------- reply {err, reason} -----|
 *     |                              |   + sealed memfd           | exits
 *     |<-- verdict {status, end} ----|<------ wait status --------|
 *
 * Each job has its own reply socket, so a worker can reply to its job and nothing else. Only the
 * zygote can send the verdict, and it sends it after the worker is gone: by then the reply is in
 * the socket or never will be. A job without descriptors cancels the running one if that one's
 * number is not larger; if it arrives too late it is ignored. Each user of the zygote has such a
 * socket and one job at a time.
 *
 * Trust: the reply comes from a process that a malicious file may control; job and verdict don't.
 * Thread: any.
 */
#ifndef SANDBOX_SANDBOX_PROTOCOL_H
#define SANDBOX_SANDBOX_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/* Whether this program runs with AddressSanitizer or ThreadSanitizer, whose run-time reserves
 * terabytes of addresses, makes system calls of its own and is slow: the limits allow for it. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZER_BUILD 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZER_BUILD 1
#endif
#endif

#ifndef SANITIZER_BUILD
#define SANITIZER_BUILD 0
#endif

#define SANDBOX_DEADLINE_MS 10000	/* 200 MB need 0.2 s; the rest is for overloaded machines */

#define SANDBOX_INPUTS_MAX 4
#define SANDBOX_JOB_FDS	   (SANDBOX_INPUTS_MAX + 1)
#define SANDBOX_USERS_MAX 10

enum sandbox_job_kind {
	SANDBOX_SYMBOLS,	/* DSO, its debug file if any -> struct flat_table:
				 * symtab_builder.h */
	SANDBOX_UNWIND,		/* DSO, its debug file if any -> struct unwind_table: elf_cfi.h */
	SANDBOX_LINES,		/* DSO, offsets, debug files per `argument` -> struct line_chains:
				 * elf/file_jobs.h */
	SANDBOX_LINE_RANGES,	/* DSO, query, debug files -> ranges with their lines:
				 * line_ranges.h */
	SANDBOX_JIT_MAP,	/* perf-PID.map from offset `argument` on, previous reply if any ->
				 * struct jit_reply: elf/file_jobs.h */
	SANDBOX_JITDUMP,	/* jit-PID.dump, otherwise like SANDBOX_JIT_MAP */
	SANDBOX_NAMES,		/* list of names -> list of demangled names: demangle.h */
	SANDBOX_MEMORY,		/* /proc/PID/mem -> its bytes at `argument`:
				 * elf/process_memory.h */
	SANDBOX_SLOW_FRAMES,	/* stacks, their DSOs -> frames: slow_frames.h */
	SANDBOX_POINTS,		/* DSO, query -> probe points: probe_points.h */
	SANDBOX_PROBE_NAMES,	/* DSO, its debug file if any -> functions by all their names,
				 * USDT probes: probe_names.h */
	SANDBOX_RECORDS,	/* recording, socket with a range of it -> its records, unpacked,
				 * into the socket; the reply is empty: packed_records.h */
	SANDBOX_SEGMENTS,	/* ELF file -> build-id and segments: code_files.h */
	SANDBOX_JIT_CODE,	/* jitdump, query -> code at a time: code_files.h */
	SANDBOX_CODE,		/* file, ranges of its code -> instructions: code_rows.h */
	SANDBOX_SOURCE,		/* query, directory -> text of a source file, read as the query's
				 * user: file_text.h */
	SANDBOX_TRACES,		/* formats and records of tracepoints -> a text per record:
				 * trace_texts.h */
	SANDBOX_JOB_KINDS
};

/* A job for a worker. All inputs are read-only regular files or sealed memfds, except the socket of
 * SANDBOX_RECORDS and the directory (O_PATH) of SANDBOX_SOURCE; they stay the caller's, and their
 * file offsets may move. */
struct sandbox_request {
	enum sandbox_job_kind kind;
	int inputs[SANDBOX_INPUTS_MAX];
	uint32_t input_count;
	uint64_t argument;	/* meaning depends on the kind */
	/* For sandbox_cancel_job(): does not decrease from job to job; 0: none. */
	uint64_t number;
};

/* Does @job in a confined worker, whose inputs are the descriptors in @job. Returns 0 with *@bytes
 * allocated by malloc(3), *@count of them and at least one, which the worker sends to main; or
 * -errno with the reason. */
typedef int sandbox_worker(const struct sandbox_request *job, void **bytes, size_t *count,
			   struct diag *why);

/* Sent with SANDBOX_JOB_FDS descriptors: the inputs, then the reply socket in all other slots. */
struct sandbox_job {
	uint32_t kind;		/* enum sandbox_job_kind */
	uint32_t deadline_ms;	/* since the fork */
	uint32_t input_count;
	uint32_t padding;
	uint64_t argument;	/* meaning depends on the kind */
	uint64_t number;	/* 0: it is never cancelled */
};

struct sandbox_reply {
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

/* Returns a sealed memfd of @bytes[@count], for a job or a reply, the caller's; or -errno. */
int sandbox_seal(const char *name, const void *bytes, size_t count);

/* Returns whether @fd, which another process has sent, is a memory file that nobody can change any
 * more: reading it neither blocks nor finds other bytes later. */
bool sandbox_is_sealed(int fd);

#endif
