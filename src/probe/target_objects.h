/* target_objects.h - functions and USDT marks of files, for the finder.
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

#define TARGET_OBJECTS_MAX 250	/* of a whole system; what fewer processes map is left out */

/* A file, by one process that maps it. */
struct target_object {
	pid_t pid;
	struct process_mapping mapping;	/* `path` owned */
	uint32_t processes;		/* that map it */
};

struct target_objects {
	struct target_object *rows;	/* owned; those of the process asked for first, then what
					 * most processes map */
	size_t count, room;
};

/* What processes run. With @pid first what that one maps, also if it sees another file system;
 * 0: of none in particular. */
void target_objects_list(struct target_objects *out, pid_t pid, const atomic_bool *is_stopping);
void target_objects_finish(struct target_objects *objects);

/* The names of one file: *@functions, *@marks, the caller's; NULL: there are none. 0 or -errno;
 * -E2BIG: not all, but those are there. */
int target_objects_load(const struct target_object *object, struct sandbox *sandbox,
			const struct probe_abilities *abilities, struct target_index **functions,
			struct target_index **marks, struct diag *why);
/* The same of the file at @path here. */
int target_objects_load_path(const char *path, struct sandbox *sandbox,
			     const struct probe_abilities *abilities,
			     struct target_index **functions, struct target_index **marks,
			     struct diag *why);

#endif
