/* dso_file.h - the files of DSOs: requests for their tables and the replies, opening the file of a
 * mapping, copies of files that could hang, and debug files.
 *
 * Thread: any; may block on a slow file system (symbols/dso_table.h), if not said otherwise.
 */
#ifndef SYMBOLS_DSO_FILE_H
#define SYMBOLS_DSO_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/build_id.h"
#include "base/diag.h"
#include "proc/process_stat.h"
#include "sandbox/lines.h"
#include "sandbox/sandbox.h"
#include "sandbox/unwind_table.h"

/* Identifies one content of a file: only the kernel sets ctime. All 0: no file.
 * Source: stat(2). */
struct file_version {
	uint64_t device, inode, ctime_ns, bytes;
	uint64_t mtime_ns;		/* preserved by packages, and by some copies */
};

struct file_version file_version_of(const struct stat *status);
bool file_version_is_equal(const struct file_version *a, const struct file_version *b);
uint64_t file_version_hash(const struct file_version *version);

/* Returns whether two trusted files with one build-id are copies of each other. The build-id does
 * not tell: ld's does not cover the symbols, and strip(1) does not change it. */
bool file_version_is_copy(const struct file_version *a, const struct file_version *b);
/* False if the mtime is one that a system (OSTree, Nix) gives all files: nothing is its copy. */
bool file_version_has_copies(const struct file_version *version);
uint64_t file_version_copy_hash(const struct file_version *version);

/* Returns whether only root or the effective user can have written the regular file behind
 * @fd. @status: fstat(2) of @fd. Source: statfs(2), acl(5). */
bool file_is_trusted(int fd, const struct stat *status);

/* The only user, besides root, who can have written a file. */
struct file_author {
	bool is_known;		/* false: several users could */
	uint32_t uid;
};

/* Returns the author of the regular file behind @fd. @status: fstat(2) of @fd. */
struct file_author file_author(int fd, const struct stat *status);

#define OPENER_PATH_BYTES 4096

/* Step of a request for names of run-time code, see src/symbols/jit_files.h. */
enum jit_step {
	JIT_LOOK,		/* read what was written since the last look */
	JIT_LAST_LOOK,		/* read the rest: the process is gone, its pid may be reused */
	JIT_FORGET,		/* free the table, which is no longer used */
};

/* What a request asks for. Tables that were sent are given back: struct table_set. */
enum open_purpose {
	OPEN_NAMES,
	OPEN_NAMES_AND_UNWIND,	/* two replies, the names first */
	OPEN_UNWIND,
	OPEN_RETURN_UNWIND,	/* gives an unwind table back; no DSO, and an empty reply */
	OPEN_RETURN_NAMES,	/* gives a symbol table back; no DSO, and an empty reply */
	OPEN_PROGRAM_NAME,	/* only checks whether `comm` leads to the program's file */
};

/* Why a request asks for names. Without a reason a file that is found by its device and inode gets
 * a table without names, which costs no process of the sandbox. */
enum symbol_use {
	SYMBOLS_SHOWN,
	SYMBOLS_FOR_BUILD_ID,	/* where the kernel does not tell the file's build-id */
	SYMBOLS_UNUSED,		/* the unwind table will tell the build-id */
};

/* Where the names of a recorded kernel are. */
struct recorded_names {
	uint32_t recording;	/* 1, 2: number of the recording; 0: the running kernel */
	int fd;			/* kallsyms_load_recorded(); BORROWED, outlives the opener */
};

struct open_request {
	enum open_purpose purpose;
	uint32_t dso;		/* the caller's id for the DSO, copied to the reply */
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
	enum symbol_use symbols;
	bool unwind_can_wait;	/* OPEN_NAMES_AND_UNWIND: without names no unwind table either, if
				 * the file can still be opened when its process has ended */
	bool is_again;		/* only checks whether a known file changed: no hurry to reply */
	uint64_t known_unwind;	/* OPEN_NAMES_AND_UNWIND: unwind_number of an earlier reply about
				 * this file; 0: none. See open_reply.is_unchanged */
	char comm[16];		/* OPEN_PROGRAM_NAME: comm of the process, terminated */
	char path[OPENER_PATH_BYTES];	/* raw, terminated */
};

static inline bool open_purpose_is_return(enum open_purpose purpose)
{
	return purpose == OPEN_RETURN_UNWIND || purpose == OPEN_RETURN_NAMES;
}

/* How many replies @request brings. */
static inline uint32_t open_request_replies(const struct open_request *request)
{
	return request->purpose == OPEN_NAMES_AND_UNWIND ? 2 : 1;
}

struct open_reply {
	uint32_t dso, serial;		/* copied from the request */
	struct build_id build_id;	/* build-id of the file that was read; count 0: none */
	bool is_ready;		/* the request succeeded; false: `why` has the reason to show */
	bool is_refused;	/* its file system does not reply: ask again later */
	bool is_shared;		/* an earlier reply already brought this table */
	struct flat_table table;	/* valid until it is given back */
	uint32_t table_number;	/* number of `table`; 0: valid as long as the opener */
	uint64_t table_sum;	/* checksum of `table`, equal for equal names; 0: unknown */
	bool is_postponed;		/* is_unwind: no table yet, see unwind_can_wait */
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

#define JIT_FILES_BYTES_MAX ((size_t)16 << 20)	/* names of run-time code of all processes; a
						 * large one needs 5 MiB */

/* Where to open the file of a mapping, whose path is not trusted.
 * Source: proc(5) map_files; openat2(2); path_resolution(7). */
enum dso_file_source {
	DSO_FILE_MAP_FILES,	/* /proc/PID/map_files/START-END; needs privileges */
	DSO_FILE_IN_ROOT,	/* the path below the process's root */
	DSO_FILE_EXE,		/* /proc/PID/exe: a deleted program, for its own user */
	DSO_FILE_PATH,		/* the path in our own root */
	DSO_FILE_PERF_CACHE,	/* recording: the copy of that build kept by perf record */
	DSO_FILE_VDSO,		/* a copy of our own vDSO: the same in all 64-bit processes */
};
#define DSO_FILE_SOURCES 4	/* most sources for one mapping */

struct dso_file {
	int fd;			/* the caller's; a regular file, read only */
	bool is_certain;	/* surely the mapped file; false: only if its build-id matches */
	bool is_trusted;	/* file_is_trusted() */
	struct file_author author;
	bool is_copy;		/* fd is a copy in memory: file_copy_open() */
	struct file_version version;	/* is_copy: the version of the original */
};

/* Writes the sources to try for @request, in order; returns how many. 0: there is no such file, and
 * @why says what the mapping is instead. @root: root of request->pid, in all functions here. */
size_t dso_file_sources(const struct open_request *request, const struct process_root *root,
			enum dso_file_source sources[DSO_FILE_SOURCES],
			struct diag *why);

/* Opens the file of @request from @source. 0, or -errno with the reason: -ESRCH the process is
 * gone, -ENOENT, -EPERM, -EACCES, -EINVAL not a regular file, -ESTALE another file, or nothing to
 * tell it by. @sandbox: reads another process's memory for DSO_FILE_VDSO; else NULL. */
int dso_file_open(struct dso_file *out, const struct open_request *request,
		  const struct process_root *root, enum dso_file_source source,
		  struct sandbox *sandbox, struct diag *why);
/* Tries dso_file_open() with each of dso_file_sources() until one succeeds. */
int dso_file_find(struct dso_file *out, const struct open_request *request,
		  struct sandbox *sandbox, struct diag *why);
/* Opens the regular file at @place (O_PATH, stays the caller's); is_certain is left false. */
int dso_file_open_place(struct dso_file *out, int place, struct diag *why);

/* Returns the build-id from the mapping's record, else from the kernel; count 0: unknown. */
struct build_id dso_file_mapped_build_id(const struct open_request *request,
					 const struct process_root *root);

/* Returns whether the file behind file->fd still has file->version. */
bool dso_file_is_unchanged(const struct dso_file *file);

/* Copies a file into memory if another user may run the server of its file system.
 *
 * Problem: a task that waits for a request which a FUSE server took and does not reply to cannot be
 *          killed, and closing a descriptor sends a request, too. A thread in such a call keeps its
 *          process from ending.
 * Idea:    a child opens the file and copies it; we have only the copy open, never the file. A file
 *          system that does not reply is refused for a minute, and as long as a child hangs in it.
 * Source:  linux/fs/fuse/dev.c, request_wait_reply(); linux/fs/fuse/file.c, fuse_flush().
 * Thread:  any; file_copy_open() blocks for its deadline at most, and before that for up to half a
 *          second while a child that was just killed takes the room.
 */

#define FILE_COPY_DEADLINE_MS 10000
#define FILE_COPY_BYTES_MAX   ((uint64_t)64 << 20) /* memory for a copy; most files are smaller */

/* Returns whether the file at @place (O_PATH) lies on FUSE, on an overlay that may lie on FUSE (if
 * @process is in another user namespace), or on a mount that @process (O_PATH of its /proc/PID; -1:
 * ours) does not have. Sends no request to a server. */
bool file_copy_is_needed(int place, int process);

struct file_copy_job {
	uint64_t system;	/* key to refuse after a timeout, such as a device; 0: unknown */
	uint32_t user;		/* uid of the process: each user may have few children */
	uint32_t deadline_ms;	/* 0: FILE_COPY_DEADLINE_MS */
	const struct process_root *root;
	/* Runs in the child, which has no descriptors but those of @root. Returns 0 or -errno, like
	 * dso_file_open(). */
	int (*open)(const struct file_copy_job *job, struct dso_file *out, struct diag *why);
	const void *owner;	/* context for open() */
};

/* Runs job->open() in a child. 0 with a sealed memfd of the content and the other fields of the
 * original; -EBUSY its file system does not reply, or hangs, or its user has too many copies under
 * way: try later; -EFBIG; -ECHILD the child died; -EMFILE, -EAGAIN no socket, no child or the file
 * changed; or the error of job->open(). */
int file_copy_open(const struct file_copy_job *job, struct dso_file *out, struct diag *why);

/* process_root_take() below @root (root->root -1: our own root). Names that are not in the kernel's
 * cache are first looked up by a child, so that no server can block the caller. @system: like
 * file_copy_job.system. -EBUSY a file system on the way does not reply; -EAGAIN the names have
 * left the cache again. */
int file_copy_walk(const struct process_root *root, const char *path, uint64_t resolve,
		   uint64_t system);

/* Finds the file to which a DSO's symbols were moved (package -dbg, -dbgsym).
 *
 * Order:  by build-id, /usr/lib/debug/.build-id/xx/yy.debug; then by the name in .gnu_debuglink, in
 *         the DSO's directory, its .debug, and /usr/lib/debug/DIRECTORY.
 * Trust:  a worker compares build-id or CRC. Below our own root a debug file counts only if root or
 *         the user wrote it. Below the root of a process with a root of its own any file counts,
 *         but the table made from it may be used for such processes only.
 *         The DSO's directory is searched only where no other user can have mounted a server
 *         that never replies: below our own root for a trusted file of our own mounts; below
 *         another root as far as that root's own file system goes.
 * Source: gdb's manual, "Debugging Information in Separate Files".
 */

struct debug_search {
	struct file_version dso;	/* the DSO itself, never taken for its debug file */
	struct build_id build_id;	/* the DSO's; count 0: do not search by build-id */
	const char *link;		/* name in .gnu_debuglink, untrusted; "": do not use it */
	const char *dso_path;		/* raw path in the process's root, for its directory */
	bool has_safe_path;		/* our own root: search the DSO's directory, see Trust */
};

/* Searches below our own root. 0 with the file, whose descriptor is the caller's; or -ENOENT. */
int debug_file_open(struct dso_file *out, const struct debug_search *search);
/* Searches below @root, the root of a process. 0 with the file, or -ENOENT. */
int debug_file_open_below(struct dso_file *out, const struct debug_search *search,
			  const struct process_root *root);

/* The files that a SANDBOX_LINES job reads: the DSO, its debug file, and the file that dwz made for
 * several debug files, which is searched in /usr/lib/debug only, whatever a DSO says. The worker
 * checks that they belong to the DSO. */
struct line_files {
	int dso;		/* owned; -1: none */
	int debug, alternate;	/* owned; -1: none */
	bool is_certain;	/* surely the mapped DSO; false: only if its build-id matches */
	struct file_author author;	/* the DSO's */
	uint64_t mtime_ns;	/* the DSO's */
};

#define LINE_FILES_NONE ((struct line_files){ .dso = -1, .debug = -1, .alternate = -1 })

/* Opens the DSO and its debug file; leaves `alternate` at -1. @request names the DSO, as for
 * the opener; @debug_link is from the DSO's table, "": none; @sandbox: see dso_file_open().
 * 0 or -errno with the reason. */
int line_files_open(struct line_files *files, const struct open_request *request,
		    const char *debug_link, struct sandbox *sandbox, struct diag *why);
/* Asks debuginfod servers for the debug file of a DSO that has none here, if --debuginfod allows
 * that. Returns 0, or as debuginfod_get_debug_file(). BLOCKS for a transfer. */
int line_files_fetch_debug(struct line_files *files, const struct build_id *id, struct diag *why);
/* Opens dwz's file by the @id and @name that the worker returned (line_chains.h). */
void line_files_open_alternate(struct line_files *files, const struct build_id *id,
			       const char *name);
void line_files_close(struct line_files *files);

/* Source lines of code, of a function or of a source file, as a worker read them. */
struct lines_read {
	struct line_ranges lines;	/* checked; points into `bytes` */
	struct sandbox_bytes bytes;
};

/* Has a worker read what @query (zeroed, then the code that is meant and memory_bytes) asks for.
 * Sets query->has_debug, has_alternate and no_alternate by @files, and opens files->alternate when
 * it is needed; @files stay the caller's. @number: for sandbox_cancel_job(); 0: none. BLOCKS as
 * sandbox_run() does, twice if the debug information refers to a file that dwz made. Returns 0 with
 * *@out the caller's, with a named_file if the query has a function's name; or -errno with the
 * reason and nothing to finish: -ENODATA: no debug information; -E2BIG: over the memory limit, or
 * more lines than a reply holds; -ENOENT: no such function or source file; or an error of
 * sandbox_run(). Compare header->build_id with the build-id of the mapping, unless
 * files->is_certain. */
int line_files_read(struct lines_read *out, struct sandbox *sandbox, struct line_files *files,
		    struct line_query *query, uint64_t number, struct diag *why);
void lines_read_finish(struct lines_read *read);	/* a zeroed one is fine */

#endif
