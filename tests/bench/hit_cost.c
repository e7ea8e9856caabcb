/* What a hit of a probe costs in the analyzer, without a stack: from the queue's item to its
 * counts.
 *
 * usage: hit_cost      prints ns of CPU for an entry, for an entry with its return, and for a hit
 *			of each of two places that a field joins, with values
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "../unit/hit_fixture.h"

#define ROUNDS	     300
#define ROUND_HITS   2000	/* 40,000 hits/s by rounds of 50 ms */
#define ROUND_NS     UINT64_C(50000000)
#define PID	     100
#define GOAL_NS	     1000

static struct ingest_fixture feed;

static uint64_t cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Returns when it began. The writing of the records is not its matter. */
static uint64_t run_round(struct record_bytes *records, size_t count, uint64_t end_ns)
{
	const uint64_t begin = cpu_ns();

	for (size_t i = 0; i < count; i++)
		probe_records_push(&feed.ingest, records[i].words, records[i].count * 8, 0);
	hit_fixture_round(&feed.ingest, end_ns);
	feed_round(&feed, end_ns);
	return cpu_ns() - begin;
}

static double measure(enum probe_edge edge, bool is_pair)
{
	static struct record_bytes records[2 * ROUND_HITS];
	const struct ingest_config config = { .is_replay = true };
	uint64_t sum_ns = 0, now_ns = 1;

	feed_init(&feed, &config, NULL);
	feed_comm(&feed, 0, PID, PID, "prog", true);
	feed_mmap(&feed, 0, PID, 0x400000, 0x1000, 0, "/bin/prog");
	if (is_pair)
		hit_fixture_keys("size", NULL);
	hit_fixture_add(&feed.ingest, 1, is_pair ? PROBE_TRACEPOINT : PROBE_USER, edge, "", 0);
	for (uint64_t round = 1; round <= ROUNDS; round++) {
		size_t count = 0;

		for (uint64_t i = 0; i < ROUND_HITS; i++) {
			struct hit_record hit = {
				.time_ns = now_ns += 10, .pid = PID, .tid = PID, .sp = 0x7f0000,
				.number = (int64_t)(i % 100), .text = i % 2 ? "even" : "odd",
			};

			hit_fixture_write(&records[count++], 101, false, &hit);
			if (edge != PROBE_LATENCY)
				continue;
			hit.time_ns = now_ns += 1000 + i;
			hit.sp += 8;
			hit_fixture_write(&records[count++], 102, true, &hit);
		}
		sum_ns += run_round(records, count, now_ns);
		now_ns = round * ROUND_NS;
	}
	feed_finish(&feed);
	return (double)sum_ns / (ROUNDS * ROUND_HITS);
}

int main(void)
{
	const double entry_ns = measure(PROBE_ENTRY, false);
	const double pair_ns = measure(PROBE_LATENCY, false);
	const double joined_ns = measure(PROBE_LATENCY, true);

	printf("entry %.0f ns, entry and return %.0f ns, two places that a field joins %.0f ns "
	       "(goal: %d)\n", entry_ns, pair_ns, joined_ns, GOAL_NS);
	return entry_ns > GOAL_NS;
}
