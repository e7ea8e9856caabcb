/* target_loader.h - the thread that loads names for the finder, source by source.
 *
 * Order:  presets, leftovers, tracepoints, the kernel, then file by file; a file that a query
 *         names, and events to be sampled, come before those that still wait.
 * Crossings: those of its service, see base/service.h.
 * Thread: all calls from one thread (the finder's).
 */
#ifndef FINDER_TARGET_LOADER_H
#define FINDER_TARGET_LOADER_H

#include "finder/targets.h"
#include "target_index.h"

/* One result of loading. */
struct target_loaded {
	struct target_index *index;	/* owned by the receiver; NULL: none */
	char path[TARGET_QUERY_BYTES];	/* the file that was requested; "": everything was */
	char failure[TARGET_NOTE_BYTES];	/* why the index is missing or partial; "" */
	bool is_end;		/* the last result for this request */
};

struct target_loader;

/* @wake is called from the loader's thread when a result is ready. */
int target_loader_create(struct target_loader **out, const struct target_config *config,
			 void (*wake)(void *context), void *context, struct diag *why);
/* False: its thread hangs in a file system and is left behind, with the sandbox. NULL is fine. */
bool target_loader_destroy(struct target_loader *loader);

/* Requests everything (@path ""), or the file at @path. False: too many requests wait. */
bool target_loader_request(struct target_loader *loader, const char *path);
/* Requests the events to be sampled: each is opened once. False: too many requests wait. */
bool target_loader_request_events(struct target_loader *loader);
/* Requests the leftovers again. False: too many requests wait. */
bool target_loader_request_leftovers(struct target_loader *loader);
/* Takes the next result. False: none is ready. */
bool target_loader_take(struct target_loader *loader, struct target_loaded *out);

#endif
