/* process_reader.h - the thread that reads /proc/PID: maps of processes that are older than
 * flametop, cgroups of all sampled processes, and statistics of those that are shown.
 *
 * Problem: reading /proc/PID/maps can block for long (mmap_lock, a path on a hung file system). The
 *          analyzer must not block.
 * Order:   requests for maps, for which samples wait, are served before those for statistics.
 * Crossings: SPSC of requests in, SPSC of replies out, an eventfd each.
 * Thread:  request and reply calls from one thread (the analyzer).
 */
#ifndef PROC_PROCESS_READER_H
#define PROC_PROCESS_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "proc/process_stat.h"

struct process_request {
	uint32_t pid, tid;
	uint32_t parent_pid;	/* process to read instead if @pid is gone already; 0: none */
	bool wants_maps, wants_cgroup;	/* read these in addition to comm and uid */
	bool has_names;		/* the requester knows comm and uid: don't read them */
};

struct process_mapping {	/* executable ones only */
	uint64_t start, end, file_offset;
	uint64_t inode;
	uint32_t dev_major, dev_minor;
	char *path;		/* raw, NUL-terminated, in process_reply.text; "": anonymous */
};

struct process_reply {
	uint32_t pid, tid;
	uint32_t parent_pid;	/* copied from the request, like the flags in the next line */
	bool wants_maps, wants_cgroup, has_names;
	bool has_maps;		/* `rows` is valid; false also when the process is gone */
	bool has_comm, has_uid;
	uint64_t time_ns;	/* when reading began, CLOCK_MONOTONIC */
	uint32_t uid;		/* effective */
	uint32_t found_parent;	/* pid of the parent, read with the uid; 0: unknown */
	char comm[16];		/* comm of thread `tid`: raw, NUL-terminated */
	char process_comm[16];	/* comm of the first thread, raw, if maps were wanted for another
				 * thread; else "" */
	struct process_mapping *rows;	/* owned: process_reply_finish() */
	uint32_t row_count;
	size_t text_bytes;
	char *text;		/* owned; the paths of `rows` point into it */
	char *cgroup;		/* owned; path, raw, NUL-terminated; NULL: gone, or not wanted */
	bool is_parents_cgroup;	/* the process was gone: `cgroup` was read from parent_pid */
};

struct process_stat_request {
	uint32_t pid, tid;	/* tid 0: the whole process */
	bool wants_command_line;
};

struct process_stat_reply {
	uint32_t pid, tid;	/* copied from the request */
	int err;		/* result of process_stat_read() */
	uint64_t time_ns;	/* when it was read */
	struct process_stat stat;
	char *command_line;	/* from process_stat_read_command_line(); NULL also when not wanted
				 * or a zombie. Owned: free() */
};

struct process_reader;

int process_reader_create(struct process_reader **out, struct diag *why);
void process_reader_destroy(struct process_reader *reader);	/* NULL is fine */

/* Queues a request. Returns false when 1024 are outstanding: take replies, then try again. A
 * request for a cgroup alone is not urgent and does not wake the thread: it is served with the next
 * other request, or after process_reader_reply() has found no reply. */
bool process_reader_request(struct process_reader *reader, const struct process_request *request);
/* Takes the next reply, which the caller owns and finishes. Returns false when there is none. */
bool process_reader_reply(struct process_reader *reader, struct process_reply *out);
int process_reader_fd(const struct process_reader *reader);	/* readable when replies wait */
void process_reply_finish(struct process_reply *reply);

/* Queue a request for statistics, up to 512 outstanding, and take a reply. These replies do not
 * make process_reader_fd() readable: look for them when they are needed. */
bool process_reader_request_stat(struct process_reader *reader,
				 const struct process_stat_request *request);
bool process_reader_stat_reply(struct process_reader *reader, struct process_stat_reply *out);

/* Parses /proc/PID/maps into rows. Takes ownership of @text (malloc'd, @len bytes and a NUL).
 * Source: proc(5). Returns 0 or -ENOMEM; skips lines that it can't parse. */
int process_reply_parse_maps(struct process_reply *reply, char *text, size_t len);

/* The executable mappings of one process: address -> (DSO, file offset).
 *
 *   file offset = ip - start + file_offset		(what flat tables are sorted by)
 *   absolute    = ip				(anonymous memory: JIT code, [heap], ...)
 *
 * Idea:   a sorted array, shared by reference after fork until one side changes it.
 * Rules:  a new mapping cuts what it overlaps, as mmap(2) with MAP_FIXED does; munmap is not
 *         reported by the kernel, so an old mapping stays until a new one overlaps it.
 * Thread: the analyzer's.
 */

#define PROCESS_MAPS_MAX_ROWS 65536	/* vm.max_map_count is 65530 */

struct mapping {
	uint64_t start, end;		/* end is exclusive */
	uint64_t file_offset;		/* file offset of `start` */
	uint64_t since_ns;		/* when it was mapped; 0: before flametop looked */
	uint32_t dso;
	bool is_absolute;		/* frame addresses are the ip itself */
};

struct process_maps {
	struct mapping *rows;		/* owned; sorted, not overlapping */
	uint32_t count, capacity;
	uint32_t refs;
	uint64_t number, space;		/* set by users to identify the content; reset to 0 by
					 * every change */
};

struct process_maps *process_maps_create(void);	/* empty, one reference; NULL: no memory */
struct process_maps *process_maps_share(struct process_maps *map);	/* adds a reference */
void process_maps_release(struct process_maps *map);		/* NULL is fine */

/* Adds @row to *@map, replacing *@map by a copy first if it is shared (copy on write).
 * Returns 0, -EINVAL (empty or wrapping range), -E2BIG or -ENOMEM. */
int process_maps_insert(struct process_maps **map, const struct mapping *row);

/* Returns the mapping that contains @ip, or NULL. BORROWED until the next insert. */
const struct mapping *process_maps_find(const struct process_maps *map, uint64_t ip);

static inline uint64_t mapping_frame_address(const struct mapping *row, uint64_t ip)
{
	return row->is_absolute ? ip : ip - row->start + row->file_offset;
}

#endif
