/* probe_examiner.h - the thread that resolves specs to probe points: files, workers and DWARF may
 * take seconds, and the probe engine has to watch the attached probes meanwhile.
 *
 * Crossings: one SPSC queue of requests in, one of results out.
 * Thread:    all calls from the probe engine's.
 */
#ifndef PROBE_PROBE_EXAMINER_H
#define PROBE_PROBE_EXAMINER_H

#include "probe_cost.h"
#include "probe/engine_messages.h"

struct probe_examiner;

/* What was found for a request. */
struct examined_point {
	struct probe_request request;
	struct diag why;		/* err 0: the rest is valid */
	struct probe_point *points;	/* owned by the receiver: probe_point_free() */
	uint32_t point_count;
	uint32_t processes;		/* processes that map the file of points[0] */
	uint64_t process_ticks;		/* start time of choice.pid at the first look-up */
	uint32_t lookups;		/* look-ups by this examiner so far */
	struct probe_cost cost;		/* cost of hits on this machine */
};

struct probe_examiner_config {
	struct sandbox *sandbox;	/* BORROWED; used by nobody else */
	void (*found)(void *owner);	/* in the examiner's thread: a result is queued */
	void *owner;
};

int probe_examiner_create(struct probe_examiner **out, const struct probe_examiner_config *config,
			  struct diag *why);
/* False: its thread hangs in a file system and is left behind, with the sandbox. NULL is fine. */
bool probe_examiner_destroy(struct probe_examiner *examiner);

/* Queues @request to be looked up. @known (NULL: none) was examined before: if it is of the same
 * spec and process, its probe points are taken over, and are the result unless their file has
 * changed meanwhile, or the process to be probed runs without it. False: too many wait; @known is
 * unchanged. */
bool probe_examiner_ask(struct probe_examiner *examiner, const struct probe_request *request,
			struct examined_point *known);
/* Request @number need not be looked up any more: it may end with -ECANCELED. Only the latest call
 * counts. */
void probe_examiner_cancel(struct probe_examiner *examiner, uint64_t number);
bool probe_examiner_take(struct probe_examiner *examiner, struct examined_point *out);

#endif
