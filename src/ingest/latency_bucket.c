/* latency_bucket.c - see ingest/snapshot_probes.h. */
#include "ingest/snapshot_probes.h"

#include <math.h>
#include <string.h>

#define BUCKETS_PER_OCTAVE 4
#define LAST_BUCKET	   (LATENCY_BUCKETS - 1)

static unsigned int octave_of(uint64_t ns)
{
	return ns ? 63 - (unsigned int)__builtin_clzll(ns) : 0;
}

uint8_t latency_bucket(uint64_t ns)
{
	/* 2^63 times 2^(1/4), 2^(1/2), 2^(3/4), rounded up. */
	static const uint64_t quarters[] = {
		0x9837f0518db8a970, 0xb504f333f9de6485, 0xd744fccad69d6af5,
	};
	const unsigned int octave = octave_of(ns);
	const uint64_t mantissa = ns << (63 - octave);
	unsigned int bucket = 1 + octave * BUCKETS_PER_OCTAVE;

	for (int i = 0; i < 3; i++)
		bucket += mantissa >= quarters[i];
	return (uint8_t)(bucket < LAST_BUCKET ? bucket : LAST_BUCKET);
}

unsigned int latency_bucket_octave(uint8_t bucket)
{
	return (bucket - 1u) / BUCKETS_PER_OCTAVE;
}

uint64_t latency_bucket_middle(uint8_t bucket)
{
	return (uint64_t)(exp2((bucket - 1 + 0.5) / BUCKETS_PER_OCTAVE) + 0.5);
}

uint64_t latency_bucket_begin(uint8_t bucket)
{
	return bucket <= 1 ? 0 : (uint64_t)ceil(exp2((bucket - 1.0) / BUCKETS_PER_OCTAVE));
}

/* The bucket of the percentile: @share of all calls lie in it or in lower ones. */
static uint8_t bucket_at(const uint64_t *counts, uint64_t count, double share)
{
	const uint64_t rank = (uint64_t)ceil(share * (double)count);
	uint64_t sum = 0;

	for (unsigned int bucket = 1; bucket < LATENCY_BUCKETS; bucket++) {
		sum += counts[bucket];
		if (sum >= rank && sum)
			return (uint8_t)bucket;
	}
	return LAST_BUCKET;
}

static uint64_t percentile(const uint64_t *counts, const struct snapshot_latency *latency,
			   double share)
{
	const uint64_t middle_ns = latency_bucket_middle(bucket_at(counts, latency->count, share));

	return middle_ns < latency->max_ns ? middle_ns : latency->max_ns;
}

void latency_summarize(const uint64_t *counts, uint64_t peak_ns, struct snapshot_latency *out)
{
	uint8_t highest = 0;

	memset(out, 0, sizeof(*out));
	for (unsigned int bucket = 1; bucket < LATENCY_BUCKETS; bucket++) {
		out->count += counts[bucket];
		out->octaves[latency_bucket_octave((uint8_t)bucket)] += counts[bucket];
		if (counts[bucket])
			highest = (uint8_t)bucket;
	}
	if (!highest)
		return;
	if (latency_bucket(peak_ns) == highest)
		out->max_ns = peak_ns;
	else
		out->max_ns = highest < LAST_BUCKET
			      ? latency_bucket_begin((uint8_t)(highest + 1)) - 1 : UINT64_MAX;
	out->p50_ns = percentile(counts, out, 0.5);
	out->p90_ns = percentile(counts, out, 0.9);
	out->p99_ns = percentile(counts, out, 0.99);
}
