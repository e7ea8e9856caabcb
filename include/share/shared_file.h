/* shared_file.h - a window as a new file, in one of the formats of share/shared_format.h.
 *
 * Use:    shared_file_start(), and shared_file_finish() once shared_file_fd() is readable. For the
 *         files that -o names, which are written when a run ends: shared_outputs_open() before it,
 *         then shared_output_start() and shared_output_finish() for each, then
 *         shared_outputs_close().
 * Thread: all calls come from one thread. The file is written in a thread of its own: a disk may be
 *         slow, and a window may have a hundred thousand stacks.
 */
#ifndef SHARE_SHARED_FILE_H
#define SHARE_SHARED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/snapshot.h"
#include "base/diag.h"
#include "base/privileges.h"
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

#define SHARED_OUTPUTS_MAX 8

/* A file that is written at the end: there is room for its name, and nobody sees it before. */
struct shared_output {
	const char *path;		/* BORROWED */
	enum shared_format format;
	struct new_file file;
	bool is_open;			/* `file` is, and is owned */
	bool is_ended;			/* written, or why not */
	uint64_t samples;		/* once written: of all events in it */
	char drawn[128];		/* once written: the only event of several that it has; "":
					 * it has all */
	struct diag why;		/* err 0: it is written, once it is_ended */
};

struct shared_outputs {
	struct shared_output list[SHARED_OUTPUTS_MAX];
	size_t count;
};

/* Opens a new file for each of @paths[@count], at most SHARED_OUTPUTS_MAX, which must outlive @out.
 * 0; or -errno with the reason, as from new_file_open(). shared_outputs_close() is due in both
 * cases. */
int shared_outputs_open(struct shared_outputs *out, const char *const *paths, size_t count,
			struct diag *why);
/* Removes what was not written. Zeroed ones are fine. */
void shared_outputs_close(struct shared_outputs *outputs);
/* Begins to write @snapshot, of which it takes ownership in every case, into @output. Returns NULL
 * if that fails, which ends @output. */
struct shared_file *shared_output_start(struct shared_output *output, struct snapshot *snapshot,
					const struct shared_options *options);
/* Waits for the end of writing, frees @file and ends @output. */
void shared_output_finish(struct shared_output *output, struct shared_file *file);
/* Ends @output, which is not written, for a reason that format and arguments say. */
void shared_output_fail(struct shared_output *output, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
