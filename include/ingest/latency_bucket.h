/* latency_bucket.h - the latency of a call in eight bits: the value bucket of its slice entry.
 *
 * Scale:  four buckets an octave, each 2^(1/4) times as wide as the one before: bucket 1 + 4o + q
 *         begins at 2^(o + q/4) ns. 0 ns lies in bucket 1. A bucket stands for its geometric
 *         middle, which is at most 2^(1/8) off: 9 %.
 * Thread: any, pure.
 */
#ifndef INGEST_LATENCY_BUCKET_H
#define INGEST_LATENCY_BUCKET_H

#include "ingest/snapshot_probes.h"

#define LATENCY_BUCKETS 256	/* 0: no latency; the last octave's last two quarters share one */

uint8_t latency_bucket(uint64_t ns);
/* The nanoseconds that a bucket stands for; the lowest that lie in it. */
uint64_t latency_bucket_middle(uint8_t bucket);
uint64_t latency_bucket_begin(uint8_t bucket);
/* Index into snapshot_latency.octaves. */
unsigned int latency_bucket_octave(uint8_t bucket);

/* Computes count, percentiles and octaves of @counts[LATENCY_BUCKETS]. @peak_ns: the longest known
 * call, used as the maximum if it lies in the highest bucket with counts; else that bucket's end
 * is the maximum. */
void latency_summarize(const uint64_t *counts, uint64_t peak_ns, struct snapshot_latency *out);

#endif
