/* file_copy.h - copies a file into memory if another user may run the server of its file system.
 *
 * Problem: a task that waits for a request which a FUSE server took and does not answer cannot be
 *          killed, and closing a descriptor sends a request, too. A thread in such a call keeps its
 *          process from ending.
 * Idea:    a child opens the file and copies it; we have only the copy open, never the file. A file
 *          system that does not answer is refused for a minute, and as long as a child hangs in it.
 * Source:  linux/fs/fuse/dev.c, request_wait_answer(); linux/fs/fuse/file.c, fuse_flush().
 * Thread:  any; file_copy_open() blocks for its deadline at most, and before that for up to half a
 *          second while a child that was just killed takes the room.
 */
#ifndef SYMBOLS_FILE_COPY_H
#define SYMBOLS_FILE_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/object_file.h"

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
	 * object_file_open(). */
	int (*open)(const struct file_copy_job *job, struct object_file *out, struct diag *why);
	const void *owner;	/* context for open() */
};

/* Runs job->open() in a child. 0 with a sealed memfd of the content and the other fields of the
 * original; -EBUSY its file system does not answer, or hangs, or its user has too many copies under
 * way: try later; -EFBIG; -ECHILD the child died; -EMFILE, -EAGAIN no socket, no child or the file
 * changed; or the error of job->open(). */
int file_copy_open(const struct file_copy_job *job, struct object_file *out, struct diag *why);

/* process_root_take() below @root (root->root -1: our own root). Names that are not in the kernel's
 * cache are first looked up by a child, so that no server can block the caller. @system: like
 * file_copy_job.system. -EBUSY a file system on the way does not answer; -EAGAIN the names have
 * left the cache again. */
int file_copy_walk(const struct process_root *root, const char *path, uint64_t resolve,
		   uint64_t system);

#endif
