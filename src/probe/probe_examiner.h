/* probe_examiner.h - the thread that resolves specs to places: files, workers and DWARF may take
 * seconds, and the probe engine has to watch the attached probes meanwhile.
 *
 * Crossings: one SPSC queue of orders in, one of findings out.
 * Thread:    all calls from the probe engine's.
 */
#ifndef PROBE_PROBE_EXAMINER_H
#define PROBE_PROBE_EXAMINER_H

#include "probe/probe_cost.h"
#include "probe/probe_engine.h"

struct probe_examiner;

struct probe_finding {
	struct probe_order order;
	struct diag why;		/* err 0: the rest is valid */
	struct probe_places *places;	/* owned by the receiver: probe_places_free() */
	uint32_t place_count;
	uint32_t processes;		/* processes that map the file of places[0] */
	struct probe_cost cost;		/* cost of hits on this machine */
};

struct probe_examiner_config {
	struct sandbox *sandbox;	/* BORROWED; used by nobody else */
	void (*found)(void *owner);	/* in the examiner's thread: a finding is queued */
	void *owner;
};

int probe_examiner_create(struct probe_examiner **out, const struct probe_examiner_config *config,
			  struct diag *why);
/* False: its thread hangs in a file system and is left behind, with the sandbox. NULL is fine. */
bool probe_examiner_destroy(struct probe_examiner *examiner);

/* Queues @order to be looked up. False: too many wait. */
bool probe_examiner_ask(struct probe_examiner *examiner, const struct probe_order *order);
/* Order @number need not be looked up any more: it may end with -ECANCELED. Only the latest call
 * counts. */
void probe_examiner_cancel(struct probe_examiner *examiner, uint64_t number);
bool probe_examiner_take(struct probe_examiner *examiner, struct probe_finding *out);

#endif
