/* process_reader.h - the thread that reads /proc/PID for processes that were there before us.
 *
 * Problem: /proc/PID/maps can block for long (mmap_lock, a hanging file system's path). The
 *          analyzer must not.
 * Crossings: SPSC of requests in, SPSC of replies out, an eventfd each.
 * Thread:  request and reply calls from one thread (the analyzer).
 */
#ifndef SYMBOLS_PROCESS_READER_H
#define SYMBOLS_PROCESS_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct process_request {
	uint32_t pid, tid;
	uint32_t parent_pid;	/* read this one's maps if @pid's are gone already; 0: none */
	bool wants_maps;	/* besides comm and uid */
};

struct process_mapping {	/* executable ones only */
	uint64_t start, end, file_offset;
	uint64_t inode;
	uint32_t dev_major, dev_minor;
	char *path;		/* raw, terminated; "" for anonymous memory */
};

struct process_reply {
	uint32_t pid, tid;
	bool wants_maps;	/* as requested */
	bool has_maps;		/* false also when the process is gone */
	bool has_comm, has_uid;
	uint64_t time_ns;	/* the maps are of this moment or a little later */
	uint32_t uid;
	char comm[16];		/* raw, terminated */
	struct process_mapping *rows;	/* owned: process_reply_finish() */
	uint32_t row_count;
	size_t text_bytes;
	char *text;		/* owned; what the paths point into */
};

struct process_reader;

int process_reader_create(struct process_reader **out, struct diag *why);
void process_reader_destroy(struct process_reader *reader);	/* NULL is fine */

/* Queues a request. False when 1024 are under way: take replies, ask again later. */
bool process_reader_request(struct process_reader *reader, const struct process_request *request);
/* Takes the next reply; the caller's to finish. False when there is none. */
bool process_reader_reply(struct process_reader *reader, struct process_reply *out);
int process_reader_fd(const struct process_reader *reader);	/* readable when replies wait */
void process_reply_finish(struct process_reply *reply);

/* The parser of /proc/PID/maps alone: takes over @text (malloc'd, @len bytes and a NUL), fills
 * rows. Source: proc(5). 0 or -ENOMEM; lines it can't read are left out. */
int process_reply_parse_maps(struct process_reply *reply, char *text, size_t len);

#endif
