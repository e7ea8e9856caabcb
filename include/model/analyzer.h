/* analyzer.h - the thread between the record queue and the snapshots: time order, maps, stacks,
 * slices, folds.
 *
 * Crossings: record queue (in), requests (in), snapshot mailbox + eventfd (out), nothing else.
 * Thread:    create/start/stop/destroy from main; the rest as stated.
 */
#ifndef MODEL_ANALYZER_H
#define MODEL_ANALYZER_H

#include "base/diag.h"
#include "base/spsc.h"
#include "model/request.h"
#include "model/snapshot.h"

struct analyzer;

/* Screen side (one thread). */

/* The newest snapshot that was not taken yet, or NULL. The caller's: snapshot_destroy(). */
struct snapshot *analyzer_take_snapshot(struct analyzer *analyzer);
/* Readable when a snapshot waits; analyzer_take_snapshot() resets it. */
int analyzer_fd(const struct analyzer *analyzer);
/* Queues a request; false when the queue is full (the analyzer is that far behind). */
bool analyzer_request(struct analyzer *analyzer, const struct request *request);

#endif
