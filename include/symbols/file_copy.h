/* file_copy.h - a file of a file system whose server may be a stranger's, as a copy in memory.
 *
 * Problem: the kernel lets nothing end who waits for a request that a FUSE server took and does
 *          not answer, and sends one when a descriptor is closed, too. A thread that is in such a
 *          call keeps its process from ending.
 * Idea:    a child opens the file and copies it; we hold the copy, and nothing of the file. Who
 *          does not answer the child is not asked again for a minute, nor while a child hangs.
 * Source:  linux/fs/fuse/dev.c, request_wait_answer(); linux/fs/fuse/file.c, fuse_flush().
 * Thread:  any; file_copy_open() blocks until its deadline at most, and before that for half a
 *          second at most where a child that was just killed is in the way.
 */
#ifndef SYMBOLS_FILE_COPY_H
#define SYMBOLS_FILE_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/object_file.h"

#define FILE_COPY_DEADLINE_MS 10000
#define FILE_COPY_BYTES_MAX   ((uint64_t)64 << 20) /* of memory; most files are smaller */

/* Whether what @place (O_PATH) is lies on FUSE, on an overlay that may (of a @process in another
 * user namespace), or on a mount that @process (its /proc/PID, or -1: ours) does not have. Asks no
 * server. */
bool file_copy_is_needed(int place, int process);

struct file_copy_job {
	uint64_t system;	/* whom not to ask again: a device; 0: nobody knows */
	uint32_t user;		/* whose the process is: one user's children are few */
	uint32_t deadline_ms;	/* 0: FILE_COPY_DEADLINE_MS */
	const struct process_root *root;
	/* In the child, with no descriptor but those of @root. As object_file_open(). */
	int (*open)(const struct file_copy_job *job, struct object_file *out, struct diag *why);
	const void *owner;
};

/* What the job opens, as a sealed memfd with the version and the rest of the file. 0; -EBUSY its
 * file system does not answer, or hangs, or its user has too many copies made: later it may be had;
 * -EFBIG; -ECHILD the child died; -EMFILE, -EAGAIN there is none; or as the job. */
int file_copy_open(const struct file_copy_job *job, struct object_file *out, struct diag *why);

/* process_root_take() below @root (its root -1: here), with no server asked but by a child, when a
 * name is not in the kernel's memory. @system: as of a job. -EBUSY a file system on
 * the way does not answer; -EAGAIN the names are gone again. */
int file_copy_walk(const struct process_root *root, const char *path, uint64_t resolve,
		   uint64_t system);

#endif
