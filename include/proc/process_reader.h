/* process_reader.h - the thread that reads /proc/PID: maps of processes that were there before us,
 * cgroups of all that are sampled, and statistics of those that are shown.
 *
 * Problem: /proc/PID/maps can block for long (mmap_lock, a hanging file system's path). The
 *          analyzer must not.
 * Order:   samples wait for maps, nobody for statistics: maps come first.
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
	uint32_t parent_pid;	/* read this one's if @pid's are gone already; 0: none */
	bool wants_maps, wants_cgroup;	/* besides comm and uid */
	bool has_names;		/* without these two */
};

struct process_mapping {	/* executable ones only */
	uint64_t start, end, file_offset;
	uint64_t inode;
	uint32_t dev_major, dev_minor;
	char *path;		/* raw, terminated; "" for anonymous memory */
};

struct process_reply {
	uint32_t pid, tid;
	uint32_t parent_pid;	/* as requested, as the next */
	bool wants_maps, wants_cgroup, has_names;
	bool has_maps;		/* false also when the process is gone */
	bool has_comm, has_uid;
	uint64_t time_ns;	/* all this is of this moment or a little later */
	uint32_t uid;
	uint32_t found_parent;	/* its parent's pid, read with the uid; 0: not known */
	char comm[16];		/* raw, terminated */
	char process_comm[16];	/* likewise: of its first thread, with the maps of another's; "" */
	struct process_mapping *rows;	/* owned: process_reply_finish() */
	uint32_t row_count;
	size_t text_bytes;
	char *text;		/* owned; what the paths point into */
	char *cgroup;		/* owned; its path, raw, terminated; NULL: gone, or not wanted */
	bool is_parents_cgroup;
};

struct process_stat_request {
	uint32_t pid, tid;	/* tid 0: the whole process */
	bool wants_command_line;
};

struct process_stat_reply {
	uint32_t pid, tid;	/* as requested */
	int err;		/* 0, or as of process_stat_read() */
	uint64_t time_ns;	/* when it was read */
	struct process_stat stat;
	char *command_line;	/* as of process_stat_read_command_line(); NULL: not wanted, too.
				 * Owned: free() */
};

struct process_reader;

int process_reader_create(struct process_reader **out, struct diag *why);
void process_reader_destroy(struct process_reader *reader);	/* NULL is fine */

/* Queues a request. False when 1024 are under way: take replies, ask again later. One for a cgroup
 * alone, for which nobody waits, is begun with the next other one, or when process_reader_reply()
 * finds none. */
bool process_reader_request(struct process_reader *reader, const struct process_request *request);
/* Takes the next reply; the caller's to finish. False when there is none. */
bool process_reader_reply(struct process_reader *reader, struct process_reply *out);
int process_reader_fd(const struct process_reader *reader);	/* readable when replies wait */
void process_reply_finish(struct process_reply *reply);

/* The same for statistics; 512 may be under way. Their replies wake nobody: look for them when they
 * are of use. */
bool process_reader_request_stat(struct process_reader *reader,
				 const struct process_stat_request *request);
bool process_reader_stat_reply(struct process_reader *reader, struct process_stat_reply *out);

/* The parser of /proc/PID/maps alone: takes over @text (malloc'd, @len bytes and a NUL), fills
 * rows. Source: proc(5). 0 or -ENOMEM; lines it can't read are left out. */
int process_reply_parse_maps(struct process_reply *reply, char *text, size_t len);

#endif
