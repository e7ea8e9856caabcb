/* target_loader.h - the thread that loads names for the finder, source by source.
 *
 * Order:  presets, leftovers, tracepoints, the kernel, then file by file; a file that a query names
 *         comes before those that still wait.
 * Crossings: those of its service, see base/service.h.
 * Thread: all calls from one thread (the finder's).
 */
#ifndef PROBE_TARGET_LOADER_H
#define PROBE_TARGET_LOADER_H

#include "probe/target_finder.h"
#include "target_index.h"

/* One result of loading. */
struct target_loaded {
	struct target_index *index;	/* owned by the receiver; NULL: none */
	char path[TARGET_QUERY_BYTES];	/* the file that was ordered; "": everything was */
	char failure[TARGET_NOTE_BYTES];	/* why the index is missing or partial; "" */
	bool is_end;		/* the last result for this order */
};

struct target_loader;

/* @config: see target_finder_create(). @wake is called from the loader's thread when a result is
 * ready. */
int target_loader_create(struct target_loader **out, const struct target_finder_config *config,
			 void (*wake)(void *context), void *context, struct diag *why);
/* False: its thread hangs in a file system and is left behind, with the sandbox. NULL is fine. */
bool target_loader_destroy(struct target_loader *loader);

/* Orders everything (@path ""), or the file at @path. False: too many orders wait. */
bool target_loader_order(struct target_loader *loader, const char *path);
/* Orders the leftovers again. False: too many orders wait. */
bool target_loader_order_leftovers(struct target_loader *loader);
/* Takes the next result. False: none is ready. */
bool target_loader_take(struct target_loader *loader, struct target_loaded *out);

#endif
