/* shared_file.h - a window as a new file, in one of the formats of share/shared_format.h.
 *
 * Use:    shared_file_start(), and shared_file_finish() once shared_file_fd() is readable.
 * Thread: all calls come from one thread. The file is written in a thread of its own: a disk may be
 *         slow, and a window may have a hundred thousand stacks.
 */
#ifndef SHARE_SHARED_FILE_H
#define SHARE_SHARED_FILE_H

#include <stdint.h>

#include "analyzer/snapshot.h"
#include "base/diag.h"
#include "share/shared_format.h"

struct shared_file;

/* Begins to write @snapshot and takes ownership of it in every case. The file must not exist yet:
 * it is created for its owner alone, by the rules of base/privileges.h. 0 or -errno. */
int shared_file_start(struct shared_file **out, const char *path, struct snapshot *snapshot,
		      const struct shared_options *options, struct diag *why);
/* Returns a descriptor that is readable when writing has ended. */
int shared_file_fd(const struct shared_file *file);
/* Waits for the end of writing and frees @file. 0 with the samples of its tree in *@samples; -errno
 * with the reason: then there is no file, or somebody else's. */
int shared_file_finish(struct shared_file *file, uint64_t *samples, struct diag *why);

#endif
