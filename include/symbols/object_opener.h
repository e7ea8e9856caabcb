/* object_opener.h - the thread that opens profiled files and brings back their tables.
 *
 * Problem: a file lies on a file system that may hang, belongs to somebody else, or is gone in a
 *          millisecond. Nobody may wait for it, and nothing but a regular file may be opened.
 * Order:   /proc/PID/map_files/START-END, then openat2() of the path inside /proc/PID/root
 *          (RESOLVE_IN_ROOT), /proc/PID/exe, then the path itself, each only if dev and inode, or
 *          the build-id, are those of the mapping. O_NONBLOCK | O_NOCTTY | O_CLOEXEC, S_ISREG.
 * Crossings: one SPSC queue of requests in, one of replies out, an eventfd each; the kernel's
 *          names have a thread of their own, see symbols/kernel_reader.h, and come in any order
 *          with the others.
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

/* Of a request for names of run-time code, see symbols/jit_files.h. */
enum jit_step {
	JIT_LOOK,		/* what has been written since the last look */
	JIT_LAST_LOOK,		/* the same; the process is gone, its pid may be another's */
	JIT_FORGET,		/* the table is of no use any more */
};

/* What is wanted of an object besides its names, see symbols/table_set.h. */
enum open_wish {
	OPEN_NAMES,
	OPEN_NAMES_AND_UNWIND,	/* two replies, the names first */
	OPEN_UNWIND,
	OPEN_RETURN_UNWIND,	/* no object: gives an unwind table back. A reply without meaning */
	OPEN_RETURN_NAMES,	/* the same with a symbol table */
	OPEN_PROGRAM_NAME,	/* nothing but whether `comm` leads to the program's file */
};

/* Where a kernel's names are, if they are not those of the running one. */
struct recorded_names {
	uint32_t recording;	/* 1, 2: which one brought them; 0: the running kernel's */
	int fd;			/* kallsyms_load_recorded(); BORROWED, outlives the opener */
};

struct open_request {
	enum open_wish wish;
	uint32_t object;	/* the caller's name for it; comes back in the reply, */
	uint32_t serial;	/* and so does this */
	bool is_of_running_kernel;	/* a recording's "[vdso]" is our own */
	bool is_kernel;		/* load /proc/kallsyms; only `names` and `kernel_slide` count */
	struct recorded_names names;	/* is_kernel: the list to load in place of that */
	uint64_t kernel_slide;	/* added to every address (recordings from another boot) */
	bool is_fresh;		/* is_kernel: read it again; the table of the reply before stays
				 * valid until the next such request */
	uint32_t jit;		/* not 0: names of run-time code, and what the caller calls it. */
	enum jit_step jit_step;	/* The rest is the mapping of a jitdump, @path "": there is none */
	uint32_t pid;		/* 0: none to look at (a recording, another PID namespace): only
			 * @path, only with an inode or a build-id */
	uint64_t start, end;	/* of the mapping, for map_files */
	uint32_t dev_major, dev_minor;
	uint64_t inode;		/* 0: unknown */
	uint64_t unchanged_since_ns;	/* CLOCK_REALTIME: a file that was changed later is another
					 * one; 0: nothing is known of that */
	uint64_t inode_generation;	/* 0: unknown */
	struct build_id build_id;	/* count 0: unknown */
	uint64_t table_number;	/* OPEN_RETURN_...: of the table that goes; OPEN_UNWIND: of the one
				 * that had gone; 0: there was none */
	uint32_t table_received;	/* OPEN_RETURN_... */
	bool is_again;		/* the file is known, and nobody waits: has it changed? */
	uint64_t known_unwind;	/* OPEN_NAMES_AND_UNWIND: the unwind_number that a reply told of
				 * the same file before; 0: none. See open_reply.is_unchanged */
	char comm[16];		/* OPEN_PROGRAM_NAME: what the process is called, terminated */
	char path[OPENER_PATH_BYTES];	/* raw, terminated */
};

struct open_reply {
	uint32_t object, serial;
	struct build_id build_id;	/* of the file that was read; count 0: it has none */
	bool is_ready;		/* false: `why` says what the row shows */
	bool is_refused;	/* its file system does not answer: ask again later */
	bool is_shared;		/* the table is one that an earlier reply already brought */
	struct flat_table table;	/* valid until it is given back */
	uint32_t table_number;	/* the same for the same table; 0: it stays as long as the opener */
	uint64_t table_sum;	/* the same for the same names, 0: not known */
	bool is_unwind;			/* it brings no names but, if is_ready, these: */
	struct unwind_table unwind;	/* valid until it is given back */
	uint64_t unwind_number;		/* the same for the same table alone; 0: none */
	uint64_t unwind_asked;		/* is_unwind: table_number as requested */
	bool is_unchanged;		/* is_unwind: it is known_unwind still, and not brought,
					 * nor made where it was given back */
	uint64_t kernel_text_address;	/* is_kernel: see struct kallsyms */
	struct recorded_names names;	/* is_kernel: copied from the request */
	uint32_t jit;		/* copied from the request; not 0: has `table` and `unwind` */
	enum jit_step jit_step;	/* copied from the request */
	uint64_t unwind_base;	/* jit: the address that the rows of `unwind` count from */
	bool is_let_go;		/* jit: there was no room to keep its file for the last look */
	uint64_t took_ns;	/* jit: how long it took to read its files */
	bool is_program_name;	/* is_ready: `comm`, as requested, is a name of the file; err is
				 * -ESRCH: the process has gone */
	char comm[16];
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
