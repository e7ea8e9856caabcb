/* sample_hold.h - a snapshot with samples by task and stack, which waits for the source lines of
 * its frames: a file is written once.
 *
 * Use:    sample_hold_fill(), sample_hold_put(); when sample_hold_due_ns() has come,
 *         sample_hold_must_wait(); once that is false, sample_hold_release() returns it.
 * Thread: the analyzer's.
 */
#ifndef ANALYZER_SAMPLE_HOLD_H
#define ANALYZER_SAMPLE_HOLD_H

#include "analyzer/snapshot.h"
#include "fold/sample_fold.h"
#include "fold/source_lines.h"
#include "ingest/ingest.h"

struct sample_hold {
	struct snapshot *snapshot;	/* owned, with the chain after it; NULL: none */
	uint64_t until_ns;		/* when it is released anyway */
	struct source_lines *lines;	/* borrowed */
};

/* Adds the samples of @fold, of @event, to @snapshot; if that is compared, with those of @base, the
 * entries of the baseline as they are shown. Returns it; NULL: no memory, and it is destroyed. Any
 * of the two may be NULL: then there is nothing to do. */
struct snapshot *sample_hold_fill(struct snapshot *snapshot, struct sample_fold *fold,
				  struct slice base, const struct ingest *ingest, uint32_t event);

/* Takes ownership of @snapshot, which has stack_samples, and requests lines. Drops an older one. */
void sample_hold_put(struct sample_hold *hold, struct snapshot *snapshot, uint64_t now_ns);
void sample_hold_drop(struct sample_hold *hold);

/* Returns when sample_hold_must_wait() should be called, besides when lines came; UINT64_MAX:
 * never. */
uint64_t sample_hold_due_ns(const struct sample_hold *hold);
/* Returns whether lines may still come. Requests the next ones if those requested have come. */
bool sample_hold_must_wait(struct sample_hold *hold, uint64_t now_ns);
/* Returns the snapshot, the caller's again, with its lines; NULL: not yet, none, or no memory. */
struct snapshot *sample_hold_release(struct sample_hold *hold, uint64_t now_ns);

#endif
