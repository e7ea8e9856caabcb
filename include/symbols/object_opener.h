/* object_opener.h - the thread that opens profiled files and brings back their tables.
 *
 * Problem: a file lies on a file system that may hang, belongs to another user, or is gone in a
 *          millisecond. No other thread may wait for it, and only a regular file may be opened.
 * Order:   /proc/PID/map_files/START-END, then openat2() of the path inside /proc/PID/root
 *          (RESOLVE_IN_ROOT), /proc/PID/exe, then the path itself, each only if dev and inode, or
 *          the build-id, are those of the mapping. O_NONBLOCK | O_NOCTTY | O_CLOEXEC, S_ISREG.
 * Crossings: one SPSC queue of requests in, one of replies out, an eventfd each. The kernel's
 *          names are read by a thread of their own (symbols/kernel_reader.h): their replies come
 *          in any order with the others.
 * Thread:  request and reply calls from one thread (the analyzer).
 */
#ifndef SYMBOLS_OBJECT_OPENER_H
#define SYMBOLS_OBJECT_OPENER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sandbox/sandbox.h"
#include "sandbox/unwind_table.h"
#include "symbols/kallsyms.h"
#include "symbols/table_cache.h"

#define OPENER_PATH_BYTES 4096

/* Step of a request for names of run-time code, see symbols/jit_files.h. */
enum jit_step {
	JIT_LOOK,		/* read what was written since the last look */
	JIT_LAST_LOOK,		/* read the rest: the process is gone, its pid may be reused */
	JIT_FORGET,		/* free the table, which is no longer used */
};

/* What a request asks for. Tables that were sent are given back: symbols/table_set.h. */
enum open_wish {
	OPEN_NAMES,
	OPEN_NAMES_AND_UNWIND,	/* two replies, the names first */
	OPEN_UNWIND,
	OPEN_RETURN_UNWIND,	/* gives an unwind table back; no object, and an empty reply */
	OPEN_RETURN_NAMES,	/* gives a symbol table back; no object, and an empty reply */
	OPEN_PROGRAM_NAME,	/* only checks whether `comm` leads to the program's file */
};

/* Where the names of a recorded kernel are. */
struct recorded_names {
	uint32_t recording;	/* 1, 2: number of the recording; 0: the running kernel */
	int fd;			/* kallsyms_load_recorded(); BORROWED, outlives the opener */
};

struct open_request {
	enum open_wish wish;
	uint32_t object;	/* the caller's id for the object, copied to the reply */
	uint32_t serial;	/* the caller's serial number, copied to the reply */
	bool is_of_running_kernel;	/* a recording's "[vdso]" is our own */
	bool is_kernel;		/* load kernel names, by the next three fields and build_id */
	struct recorded_names names;	/* is_kernel: list to load instead of /proc/kallsyms */
	uint64_t kernel_slide;	/* added to every address (recordings from another boot) */
	bool is_fresh;		/* is_kernel: read the list again; the previous reply's table stays
				 * valid until the next request with is_fresh */
	uint32_t jit;		/* not 0: asks for names of run-time code; the caller's id for it.
				 * The mapping is that of its jitdump, with path "" if none */
	enum jit_step jit_step;
	uint32_t pid;		/* 0: no process (recording, other PID namespace): only @path is
				 * tried, and only with an inode or a build-id */
	uint64_t start, end;	/* address range of the mapping, for map_files */
	uint32_t dev_major, dev_minor;
	uint64_t inode;		/* 0: unknown */
	uint64_t unchanged_since_ns;	/* CLOCK_REALTIME: a file changed later is another file;
					 * 0: unknown */
	uint64_t inode_generation;	/* 0: unknown */
	struct build_id build_id;	/* count 0: unknown */
	uint64_t table_number;	/* OPEN_RETURN_...: number of the table given back; OPEN_UNWIND:
				 * number of the dropped table that is needed again; 0: none */
	uint32_t table_received;	/* OPEN_RETURN_...: how often the caller received it */
	bool is_again;		/* only checks whether a known file changed: no hurry to reply */
	uint64_t known_unwind;	/* OPEN_NAMES_AND_UNWIND: unwind_number of an earlier reply about
				 * this file; 0: none. See open_reply.is_unchanged */
	char comm[16];		/* OPEN_PROGRAM_NAME: comm of the process, terminated */
	char path[OPENER_PATH_BYTES];	/* raw, terminated */
};

struct open_reply {
	uint32_t object, serial;	/* copied from the request */
	struct build_id build_id;	/* build-id of the file that was read; count 0: none */
	bool is_ready;		/* the request succeeded; false: `why` has the reason to show */
	bool is_refused;	/* its file system does not answer: ask again later */
	bool is_shared;		/* an earlier reply already brought this table */
	struct flat_table table;	/* valid until it is given back */
	uint32_t table_number;	/* number of `table`; 0: valid as long as the opener */
	uint64_t table_sum;	/* checksum of `table`, equal for equal names; 0: unknown */
	bool is_unwind;			/* brings no names but, if is_ready, `unwind` */
	struct unwind_table unwind;	/* valid until it is given back */
	uint64_t unwind_number;		/* number of `unwind`, never another table's; 0: none */
	uint64_t unwind_asked;		/* is_unwind: table_number of the request */
	bool is_unchanged;		/* is_unwind: still the table known_unwind, which is not
					 * sent again, nor rebuilt if it was given back */
	uint64_t kernel_text_address;	/* is_kernel: see struct kallsyms */
	struct recorded_names names;	/* is_kernel: copied from the request */
	uint32_t jit;		/* copied from the request; not 0: has `table` and `unwind` */
	enum jit_step jit_step;	/* copied from the request */
	uint64_t unwind_base;	/* jit: the address that the rows of `unwind` count from */
	bool is_let_go;		/* jit: no last look: too many files were open to keep this one */
	uint64_t took_ns;	/* jit: how long it took to read its files */
	bool is_program_name;	/* reply to OPEN_PROGRAM_NAME. is_ready: `comm` is a name of the
				 * file; why.err -ESRCH: the process has exited */
	char comm[16];		/* OPEN_PROGRAM_NAME: copied from the request */
	struct diag why;
};

struct object_opener;

/* @sandbox stays the caller's and must outlive the opener. @cache (NULL: none) is taken over, also
 * on failure. */
int object_opener_create(struct object_opener **out, struct sandbox *sandbox,
			 struct table_cache *cache, struct diag *why);
/* Cancels the sandbox's job (sandbox_cancel(): for good) and waits for the thread, at most 2 s.
 * False: it hangs in a file system and is left behind with its memory and the sandbox, which must
 * not be stopped then. NULL is fine. */
bool object_opener_destroy(struct object_opener *opener);

static inline bool open_wish_is_return(enum open_wish wish)
{
	return wish == OPEN_RETURN_UNWIND || wish == OPEN_RETURN_NAMES;
}

/* How many replies @request brings. */
static inline uint32_t open_request_replies(const struct open_request *request)
{
	return request->wish == OPEN_NAMES_AND_UNWIND ? 2 : 1;
}

/* Queues a request. False when 1024 replies are under way or the queue is full: take replies, ask
 * again later. */
bool object_opener_request(struct object_opener *opener, const struct open_request *request);
/* Takes the next reply, false when there is none. */
bool object_opener_reply(struct object_opener *opener, struct open_reply *out);
/* Readable when replies wait; then take replies until there is none: each take resets it. */
int object_opener_fd(const struct object_opener *opener);
/* Bytes of all tables, for the memory figure. Any thread. */
size_t object_opener_bytes(const struct object_opener *opener);

#endif
