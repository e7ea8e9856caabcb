/* folded_file.h - writes folded stacks to a new file, in a thread of its own: a disk may be slow,
 * and a window may have a hundred thousand stacks.
 *
 * Thread: all calls from one. What crosses: the snapshot in, the result out, once fd() is readable.
 */
#ifndef EXPORT_FOLDED_FILE_H
#define EXPORT_FOLDED_FILE_H

#include <stdint.h>

#include "analyzer/snapshot.h"
#include "base/diag.h"

struct folded_file;

/* Begins to write the tree of @stacks, which it takes over in every case. The file must not exist
 * yet: it is created for its owner alone, and as base/new_file.h says. 0 or -errno. */
int folded_file_start(struct folded_file **out, const char *path, struct snapshot *stacks,
		      struct diag *why);
/* Readable when it is done. */
int folded_file_fd(const struct folded_file *file);
/* Waits until it is done, and frees it. 0 with the samples written in *@samples; -errno with the
 * reason: there is no file then, or it is another one's. */
int folded_file_finish(struct folded_file *file, uint64_t *samples, struct diag *why);

#endif
