/* analyzer.h - the thread between the record queue and the snapshots: time order, maps, stacks,
 * slices, folds.
 *
 * Crossings: record queues (in), requests (in), snapshot mailbox + eventfd (out), nothing else.
 * Thread:    create/start/stop/destroy from main; the rest as stated.
 */
#ifndef ANALYZER_ANALYZER_H
#define ANALYZER_ANALYZER_H

#include "analyzer/analyzer_config.h"
#include "analyzer/snapshot.h"

struct analyzer;

int analyzer_create(struct analyzer **out, const struct analyzer_config *config,
		    struct diag *why);
int analyzer_start(struct analyzer *analyzer, struct diag *why);
/* Ends the thread at once, without counting queued records. To count everything first stop the
 * source, wait for the snapshot with is_last, then call this. False: the thread hangs; it goes on
 * using the analyzer and all that its configuration lent it. NULL is fine. */
bool analyzer_destroy(struct analyzer *analyzer);

/* Screen side (one thread). */

/* Returns the newest snapshot not taken yet, or NULL. The caller owns it: snapshot_destroy(). */
struct snapshot *analyzer_take_snapshot(struct analyzer *analyzer);
/* Returns a descriptor that is readable when a snapshot waits; analyzer_take_snapshot() resets
 * it. */
int analyzer_fd(const struct analyzer *analyzer);
/* Queues a request; false when the queue is full, as the analyzer is too slow. */
bool analyzer_request(struct analyzer *analyzer, const struct request *request);

#endif
