/* target_loader.h - the thread that brings the finder its names, source by source.
 *
 * Order:  presets, leftovers, tracepoints, the kernel, then file by file; a file that is named in a
 *         query comes before those that still wait.
 * Crossings: those of its service, see base/service.h.
 * Thread: all calls from one thread (the finder's).
 */
#ifndef PROBE_TARGET_LOADER_H
#define PROBE_TARGET_LOADER_H

#include "probe/target_finder.h"
#include "target_index.h"

/* What was loaded. */
struct target_loaded {
	struct target_index *index;	/* the taker's; NULL: none */
	char path[TARGET_QUERY_BYTES];	/* the file that was asked for; "": all there is */
	char failure[TARGET_NOTE_BYTES];	/* why there is no index, or not all of it; "" */
	bool is_end;		/* of what was asked for */
};

struct target_loader;

/* @config as of target_finder_create(). @wake is called, from another thread, when something can be
 * taken. */
int target_loader_create(struct target_loader **out, const struct target_finder_config *config,
			 void (*wake)(void *context), void *context, struct diag *why);
/* As target_finder_destroy(). */
bool target_loader_destroy(struct target_loader *loader);

/* Orders all there is (@path ""), or the file at @path. False: too much is ordered already. */
bool target_loader_order(struct target_loader *loader, const char *path);
/* Orders the leftovers anew; as above. */
bool target_loader_order_leftovers(struct target_loader *loader);
/* False: nothing is there now. */
bool target_loader_take(struct target_loader *loader, struct target_loaded *out);

#endif
