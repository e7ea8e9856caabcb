/* probe_expression.h - computes what a spec says of the values of a hit: arithmetic, buckets of
 * histograms.
 *
 * Thread: any; pure, allocates nothing.
 */
#ifndef PROBE_PROBE_EXPRESSION_H
#define PROBE_PROBE_EXPRESSION_H

#include "probe/probe_spec.h"

/* Fills *@out with the value of argument @argument (its index in the spec) of the hit @context.
 * False: it is unknown, or a text. */
typedef bool probe_argument_value(const void *context, uint32_t argument, int64_t *out);

/* Computes @expression. @latency_ns < 0: the hit has no latency. Overflow wraps around. False: a
 * value is unknown, or it divides by zero. */
bool probe_expression_value(const struct probe_expression *expression,
			    probe_argument_value *look_up, const void *context,
			    int64_t latency_ns, int64_t *out);

/* True: it is the latency itself or the time of a stage, in ns. */
bool probe_expression_is_time(const struct probe_expression *expression);

/* The buckets of a histogram rise with their values:
 *   powers of two  64 + 1 + i: 2^i <= value < 2^(i+1); 64: zero; 64 - 1 - i: -2^(i+1) < value <=
 *                  -2^i
 *   own limits     0: below the first; i: from limit i - 1 to below limit i; the last is open
 *   linear         0: below from; 1 + i: from + i * step to below the next; the last, which is at
 *                  most PROBE_BUCKETS_MAX - 1: to and above */
#define PROBE_BUCKETS_MAX  1024

/* True: the values of @aggregate are latencies, or times of a stage of one. */
static inline bool probe_aggregate_is_ns(const struct probe_aggregate *aggregate)
{
	const enum probe_term_kind kind = aggregate->value.terms[0].kind;

	return aggregate->value.count == 1 && (kind == TERM_LATENCY || kind == TERM_STAGE);
}

/* Returns the index of the aggregate that probe_aggregate_write() writes as @name; -1: none is. */
int probe_aggregate_find(const struct probe_spec *spec, const char *name);

/* Returns the bucket of @value in the histogram @aggregate, AGGREGATE_HIST or _LHIST. */
uint16_t probe_aggregate_bucket(const struct probe_aggregate *aggregate, int64_t value);
/* Returns the range of a bucket, *@begin <= value < *@end; INT64_MIN or INT64_MAX: it is open. */
void probe_aggregate_range(const struct probe_aggregate *aggregate, uint16_t bucket,
			   int64_t *begin, int64_t *end);
/* Writes the range of a bucket: "1ms..5ms", without its end, "below 1ms", "20ms and more", "0".
 * Returns the length as snprintf(). */
size_t probe_aggregate_range_write(const struct probe_aggregate *aggregate, uint16_t bucket,
				   char *out, size_t room);

#endif
