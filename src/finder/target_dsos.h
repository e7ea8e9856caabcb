/* target_dsos.h - loads functions and USDT probes of files for the finder.
 *
 * Trust:  files are opened as symbols/dso_file.h does and read by a sandbox worker only.
 * Thread: any; BLOCKS for file systems and workers.
 */
#ifndef FINDER_TARGET_DSOS_H
#define FINDER_TARGET_DSOS_H

#include <stdatomic.h>
#include <sys/types.h>

#include "probe/probe_engine.h"
#include "proc/process_reader.h"
#include "sandbox/sandbox.h"
#include "target_index.h"

#define TARGET_DSOS_MAX 250	/* in all; drops those that the fewest processes map */

/* A file, seen through one process that maps it. */
struct target_dso {
	pid_t pid;
	struct process_mapping mapping;	/* its `path` is owned */
	uint32_t processes;		/* number of processes that map the file */
};

struct target_dsos {
	struct target_dso *rows;	/* owned; sorted: those of the requested process first, then
					 * by processes */
	size_t count, room;
};

/* Lists the files that processes map, those of @pid first, even if it sees another file system; 0:
 * no process in particular. */
void target_dsos_list(struct target_dsos *out, pid_t pid, const atomic_bool *is_stopping);
void target_dsos_finish(struct target_dsos *dsos);

/* Loads the names of one file into *@functions and *@usdt_probes, the caller's; NULL: there are
 * none. 0 or -errno; -E2BIG: not all, but these are valid. */
int target_dsos_load(const struct target_dso *dso, struct sandbox *sandbox,
		     const struct probe_abilities *abilities, struct target_index **functions,
		     struct target_index **usdt_probes, struct diag *why);
/* target_dsos_load() for the file at @path in our own root. */
int target_dsos_load_path(const char *path, struct sandbox *sandbox,
			  const struct probe_abilities *abilities, struct target_index **functions,
			  struct target_index **usdt_probes, struct diag *why);

#endif
