/* open_times.h - how much of a wait is counted before it ends: a thread that goes on waiting has an
 * open record (WAIT_IS_OPEN) at the end of each slice, and the record of its wait counts the rest.
 *
 * Use:    open_times_extend() for an open record, open_times_close() for that of a wait that ended,
 *         open_times_remove() when a thread begins with the number of another.
 * Thread: the analyzer's.
 */
#ifndef INGEST_OPEN_TIMES_H
#define INGEST_OPEN_TIMES_H

#include <stdint.h>

#include "bpf/wait_record.h"

struct waits;	/* ingest/waits.h */

/* Returns how much of the wait of @from, an open record of the thread, is not counted yet; it is
 * from now on. */
uint64_t open_times_extend(struct waits *waits, uint32_t tid, const struct wait_record *from);
/* Returns how much of the weight of @from, of a wait that ended at @end_ns, is counted already.
 * Time of waits that the weight does not have stays counted: their records were dropped while the
 * event was disabled. */
uint64_t open_times_close(struct waits *waits, uint32_t tid, uint64_t end_ns,
			  const struct wait_record *from);
void open_times_remove(struct waits *waits, uint32_t tid);

#endif
