/* probe_engine.h - the thread that attaches, watches and removes probes.
 *
 *   ui, main --requests--> engine --events--> analyzer      records: probe_rings -> their queue
 *            <--replies--    |  points, links, governor, leases
 *
 * The ui never waits: it sends a request and goes on; the outcome comes in a reply (for the panel)
 * and in the snapshots (the analyzer gets the events). "Off" counts from the request's time: later
 * hits are not counted, whatever the kernel still sends.
 *
 * Thread: requests and replies from one thread (the ui's, or main's in batch); events from the
 *         analyzer's. All calls return at once.
 */
#ifndef PROBE_PROBE_ENGINE_H
#define PROBE_PROBE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/diag.h"
#include "base/thread.h"
#include "probe/engine_messages.h"

struct probe_engine;

#define PROBE_CAP_PCT	  5.0
#define PROBE_LEASE_NS	  (600ull * 1000000000)

int probe_engine_create(struct probe_engine **out, const struct probe_engine_config *config,
			struct diag *why);
/* Detaches everything; waits until nothing is left in the kernel, and nothing can be attached any
 * longer. NULL is fine. */
void probe_engine_end(struct probe_engine *engine);
/* Ends the engine if it has not ended, and frees it. False: the examiner's thread hangs in a file
 * system and is left behind, with the sandbox. NULL is fine. */
bool probe_engine_destroy(struct probe_engine *engine);

/* Returns why no probe can be attached at all; "": probes can be. Lives as long as the engine. */
const char *probe_engine_refusal(const struct probe_engine *engine);

/* Queues a copy of @request. False: too many requests wait, or the engine is unused. */
bool probe_engine_request(struct probe_engine *engine, const struct probe_request *request);
bool probe_engine_reply(struct probe_engine *engine, struct probe_reply *out);
/* Readable when a reply waits; -1: the engine is unused. */
int probe_engine_reply_fd(const struct probe_engine *engine);

/* For the analyzer: an event is queued before the records that need it (read events again when a
 * record has an unknown id). */
bool probe_engine_event(struct probe_engine *engine, struct engine_event *out);
struct spsc *probe_engine_queue(struct probe_engine *engine);
int probe_engine_fd(const struct probe_engine *engine);	/* readable: events or records wait */

/* Ways to attach, found by trying; `reason` names the remedy for one that is not possible. */
enum probe_ability {
	PROBE_CAN_TRACEFS_KPROBE, PROBE_CAN_TRACEFS_UPROBE, PROBE_CAN_TRACEPOINT,
	PROBE_CAN_KPROBE_PMU, PROBE_CAN_UPROBE_PMU,
	PROBE_ABILITIES
};

struct probe_abilities {
	struct { bool is_there; char reason[200]; } list[PROBE_ABILITIES];
};

/* Call before the first probe: makes and removes events of its own. Takes up to 100 ms. */
void probe_abilities_try(struct probe_abilities *out);

#endif
