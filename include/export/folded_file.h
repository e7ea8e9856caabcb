/* folded_file.h - writes folded stacks to a new file, in a thread of its own: a disk may be slow,
 * and a window may have a hundred thousand stacks.
 *
 * Thread: all calls from one. The snapshot goes to the writing thread; the result comes back once
 *         folded_file_fd() is readable.
 */
#ifndef EXPORT_FOLDED_FILE_H
#define EXPORT_FOLDED_FILE_H

#include <stdint.h>

#include "analyzer/snapshot.h"
#include "base/diag.h"

struct folded_file;

/* Begins to write the tree of @stacks, and takes ownership of @stacks in every case. The file must
 * not exist yet: it is created for its owner alone, by the rules of base/new_file.h. 0 or
 * -errno. */
int folded_file_start(struct folded_file **out, const char *path, struct snapshot *stacks,
		      struct diag *why);
/* Returns a descriptor that is readable when writing has ended. */
int folded_file_fd(const struct folded_file *file);
/* Waits for the end of writing and frees @file. 0 with the samples written in *@samples; -errno
 * with the reason: then there is no file, or somebody else's. */
int folded_file_finish(struct folded_file *file, uint64_t *samples, struct diag *why);

#endif
