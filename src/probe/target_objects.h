/* target_objects.h - loads functions and USDT probes of files for the finder.
 *
 * Trust:  files are opened as symbols/object_file.h does and read by a sandbox worker only.
 * Thread: any; BLOCKS for file systems and workers.
 */
#ifndef PROBE_TARGET_OBJECTS_H
#define PROBE_TARGET_OBJECTS_H

#include <stdatomic.h>
#include <sys/types.h>

#include "probe/probe_attach.h"
#include "proc/process_reader.h"
#include "sandbox/sandbox.h"
#include "target_index.h"

#define TARGET_OBJECTS_MAX 250	/* in all; drops those that the fewest processes map */

/* A file, seen through one process that maps it. */
struct target_object {
	pid_t pid;
	struct process_mapping mapping;	/* its `path` is owned */
	uint32_t processes;		/* number of processes that map the file */
};

struct target_objects {
	struct target_object *rows;	/* owned; sorted: those of the requested process first, then
					 * by processes */
	size_t count, room;
};

/* Lists the files that processes map, those of @pid first, even if it sees another file system; 0:
 * no process in particular. */
void target_objects_list(struct target_objects *out, pid_t pid, const atomic_bool *is_stopping);
void target_objects_finish(struct target_objects *objects);

/* Loads the names of one file into *@functions and *@marks, the caller's; NULL: there are none. 0
 * or -errno; -E2BIG: not all, but these are valid. */
int target_objects_load(const struct target_object *object, struct sandbox *sandbox,
			const struct probe_abilities *abilities, struct target_index **functions,
			struct target_index **marks, struct diag *why);
/* target_objects_load() for the file at @path in our own root. */
int target_objects_load_path(const char *path, struct sandbox *sandbox,
			     const struct probe_abilities *abilities,
			     struct target_index **functions, struct target_index **marks,
			     struct diag *why);

#endif
