/* on_cpu_times.h - time that threads were on a CPU without a sample, for the event wall where the
 * kernel's code is not sampled.
 *
 * Use:    on_cpu_times_sampled() for each sample of wall's clock, on_cpu_times_take() for each
 *         record with WAIT_IS_ON_CPU, on_cpu_times_remove() when a thread begins with the number of
 *         another.
 * Thread: the analyzer's.
 */
#ifndef INGEST_ON_CPU_TIMES_H
#define INGEST_ON_CPU_TIMES_H

#include <stdint.h>

struct waits;	/* ingest/waits.h */

void on_cpu_times_sampled(struct waits *waits, uint32_t tid, uint64_t ns);
/* Returns the part of @on_ns, which the thread was on a CPU since the last call, that its samples
 * since then do not have. What they have too much, as they are samples, is of the next call. */
uint64_t on_cpu_times_take(struct waits *waits, uint32_t tid, uint64_t on_ns);
void on_cpu_times_remove(struct waits *waits, uint32_t tid);

#endif
