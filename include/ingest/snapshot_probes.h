/* snapshot_probes.h - probes in a snapshot: a row each, and all details of the requested one.
 *
 * Owns:   part of the snapshot, immutable, freed with it. Text sanitized, never NULL.
 * Window: stats are of the snapshot's window, but for those that say "since".
 */
#ifndef INGEST_SNAPSHOT_PROBES_H
#define INGEST_SNAPSHOT_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/engine_messages.h"

#define LATENCY_OCTAVES	    64	/* counts[i]: 2^i <= ns < 2^(i+1) */
#define PROBE_SPARK_POINTS  60	/* seconds in snapshot_probe.spark */
#define PROBE_TOP_VALUES    20
#define PROBE_LOG_LINES	    1000
#define PROBE_SLOWEST	    20
#define PROBE_HEAT_SECONDS  300
#define PROBE_ALL	    UINT32_MAX	/* in place of a probe's id: the log of all of them */

struct snapshot_latency {
	uint64_t count;
	uint64_t p50_ns, p90_ns, p99_ns, max_ns;	/* percentiles: at most 9 % off */
	uint64_t octaves[LATENCY_OCTAVES];
};

/* Formats @number, as an int64_t if @is_signed: "-1", "18446744073709551615". Fills and returns
 * @out. */
#define SNAPSHOT_NUMBER_BYTES 24
const char *snapshot_number(bool is_signed, uint64_t number, char out[SNAPSHOT_NUMBER_BYTES]);

struct snapshot_top {
	const char *text;	/* the value as shown: "-1", "0x7f00", "/etc/hosts", "READ" */
	bool is_number;
	int64_t number;
	uint64_t count;
	bool is_named;		/* the text is the number's name: "READ", "ENOENT" */
};

struct snapshot_value {
	const char *name, *type, *origin;
	enum probe_value_kind kind;
	bool is_return;
	bool is_ns;			/* the time of a stage of the latency */
	uint64_t count, unknown;	/* unknown: hits whose value could not be read */
	uint64_t numbers;		/* hits whose value is a number; the others are texts */
	bool is_signed;			/* how to read min and max: as int64_t */
	uint64_t min, max;		/* the least and the greatest number */
	double mean;			/* mean of the numbers */
	uint64_t octaves[LATENCY_OCTAVES];	/* hits by magnitude; zero is in `zeros` */
	uint64_t zeros, negatives;
	uint32_t top_count;		/* most frequent first */
	struct snapshot_top top[PROBE_TOP_VALUES];
	uint64_t other;			/* hits whose value is not in `top` */
};

/* What a probe computes for each group of its hits. */
struct snapshot_aggregate {
	const char *name;	/* as typed: "sum(bytes)" */
	enum probe_aggregate_kind kind;
	bool is_ns;		/* its values are latencies */
};

struct snapshot_probe {
	uint32_t id, event;	/* event: for REQUEST_EVENT, its hits are samples */
	const char *spec, *name, *dso, *scope;
	const char *meaning;	/* demangled name of its function; "": the name is not mangled, or
				 * not demangled yet */
	enum probe_kind kind;
	enum probe_edge edge;
	bool with_stacks, is_in_bursts;
	enum probe_state state;
	const char *reason;
	uint64_t hits;		/* counted in the window */
	double hits_per_s;	/* hits per second attached, within the window; < 0: the window is
				 * too short for a rate, see snapshot_per_s() */
	double base_hits_per_s;	/* comparing: rate in the baseline; < 0: not in the baseline */
	struct snapshot_latency base_latency;
	uint64_t hits_since, lost_since, missed_since;	/* the kernel's counts since it was added */
	uint64_t unpaired;	/* in the window: returns without entry, entries without return */
	uint64_t filtered;	/* in the window: hits for which the condition was false */
	uint64_t in_flight;	/* now: entries whose return is still to come */
	double lease_s;		/* < 0: none */
	double cost_pct;	/* % of one CPU, now */
	uint32_t own_ns;	/* part of each latency that the probe itself causes; 0: unknown */
	uint32_t spark_count;
	float spark[PROBE_SPARK_POINTS];	/* hits of the last seconds, oldest first */
	bool has_latency;	/* its edge is PROBE_LATENCY */
	bool is_joined;		/* has_latency, and its ends are joined by fields: a call is of no
				 * thread, so no sample is inside it */
	struct snapshot_latency latency;
	uint32_t value_count;
	const struct snapshot_value *values;	/* set for the requested probe; in batch for all */
	uint32_t key_count, aggregate_count;	/* both 0: its hits are not grouped */
	const char *key_names[PROBE_KEYS_MAX];	/* as typed: "comm", "norm(query)" */
	struct snapshot_aggregate aggregates[PROBE_AGGREGATES_MAX];
};

struct snapshot_hit {		/* a line of the log, or one of the slowest */
	uint32_t probe;		/* its probe's id */
	uint64_t time_ns;	/* time of its end, CLOCK_MONOTONIC */
	uint64_t number;	/* identifies the line within its probe; increasing */
	uint32_t cpu;
	uint32_t pid, tid, parent_pid;	/* parent_pid 0: unknown, or it had ended */
	const char *comm;
	int64_t latency_ns;	/* < 0: none */
	const char *values;	/* "fd=3 count=4096 ret=-11" */
	const char *stack;	/* set for the slowest: "leaf\ncaller\n..."; "": none */
};

/* Heat map: a column per second, oldest first; the last second is not over yet. */
struct snapshot_heat {
	uint64_t end_ns;
	uint32_t seconds;
	uint32_t (*counts)[LATENCY_OCTAVES];	/* [seconds] */
};

/* Hits by group: the keys of `by`, and what the aggregates sum. */
#define PROBE_GROUPS_SHOWN 500 	/* the first by query.hit_order; the others are summed */

/* A bucket of a histogram, or one of the most frequent values. */
struct snapshot_spread_row {
	const char *text;	/* "[1K, 2K)", "/etc/hosts" */
	int64_t begin, end;	/* begin <= value < end; INT64_MIN, INT64_MAX: open. Not of top() */
	uint64_t count;
};

struct snapshot_spread {
	uint32_t count;
	const struct snapshot_spread_row *rows;	/* rising, without gaps; of top() the most frequent
						 * first */
};

/* One aggregate of one group. */
struct snapshot_sum {
	uint64_t count;		/* hits whose value is known */
	int64_t value;		/* SUM, AVG: the sum; MIN, MAX: the least or greatest */
	struct snapshot_spread spread;	/* HIST, LHIST, TOP */
};

/* The stats of a group, or of all groups, in the baseline. */
struct snapshot_group_base {
	uint64_t count, latency_ns;
	int64_t sums[PROBE_AGGREGATES_MAX];	/* set for SUM and AVG */
};

#define PROBE_GROUP_SECONDS 30	/* in the heat map of a group */

struct snapshot_group {
	uint64_t id;		/* equal in all snapshots */
	const char *keys[PROBE_KEYS_MAX];
	bool is_other;		/* hits for whose keys there was no room */
	uint64_t count;
	double per_s;		/* < 0: the window is too short */
	uint64_t latency_ns;	/* sum */
	uint64_t p50_ns, p99_ns, max_ns;	/* 0: no latency */
	struct snapshot_spread latency;		/* by octave, ns */
	const uint32_t (*heat)[PROBE_GROUP_SECONDS];	/* hits in each row of `latency`, second by
							 * second, the oldest first, without that
							 * which is not over yet */
	struct snapshot_sum sums[PROBE_AGGREGATES_MAX];
	struct snapshot_group_base base;
	float spark[PROBE_SPARK_POINTS];	/* hits of the last seconds, oldest first */
};

struct snapshot_groups {
	uint32_t probe;		/* id */
	bool has_latency;
	uint32_t key_count, aggregate_count, count, spark_count;
	const char *key_names[PROBE_KEYS_MAX];
	struct snapshot_aggregate aggregates[PROBE_AGGREGATES_MAX];
	const struct snapshot_group *list;	/* most hits first, or as query.hit_order asks; the
						 * one that is_other is always among them */
	bool is_compared;	/* `base` is filled; else the baseline has not the probe */
	struct snapshot_group_base base;	/* all groups */
	uint64_t left_out, left_out_hits;	/* groups that are not listed; their hits, */
	uint64_t left_out_latency_ns;		/* the sum of their latencies, */
	int64_t left_out_sums[PROBE_AGGREGATES_MAX];	/* and those of SUM and AVG */
};

/* "attached", "off", "capped", ... */
const char *probe_state_name(enum probe_state state);

struct snapshot_probes {
	uint32_t count;
	const struct snapshot_probe *list;	/* in the order they were added */
	/* Details of the probe that the query requests: */
	uint32_t detail;	/* its id; PROBE_ALL: the log alone, of all probes; 0: none */
	uint32_t log_count;
	const struct snapshot_hit *log;	/* newest last; PROBE_ALL: by time, probe and number */
	uint64_t log_dropped;	/* older lines that did not fit */
	uint32_t slowest_count;
	const struct snapshot_hit *slowest;	/* slowest first; since the probe was added */
	struct snapshot_heat heat;
	const struct snapshot_groups *groups;	/* only probes with keys or aggregates have
						 * some: the requested one, in batch all */
	uint32_t group_count;	/* number of elements of `groups` */
	/* The hit that the query requests: its values are "name=value\n" each, its stack is
	 * "leaf (DSO)\n" and so on. Number 0: none was requested, or it is no longer kept. */
	struct snapshot_hit hit;
};

/* Returns the probe with that id, BORROWED from @of; NULL: there is none, or @of is NULL. */
static inline const struct snapshot_probe *snapshot_probes_find(const struct snapshot_probes *of,
								uint32_t id)
{
	for (uint32_t i = 0; of && i < of->count; i++)
		if (of->list[i].id == id)
			return &of->list[i];
	return NULL;
}

/* Returns the groups of probe @id, BORROWED from @of; NULL: it has none, or @of is NULL. */
static inline const struct snapshot_groups *snapshot_groups_find(const struct snapshot_probes *of,
								 uint32_t id)
{
	for (uint32_t i = 0; of && i < of->group_count; i++)
		if (of->groups[i].probe == id)
			return &of->groups[i];
	return NULL;
}

/* The latency of a call in eight bits: the value bucket of its slice entry.
 *
 * Scale:  four buckets an octave, each 2^(1/4) times as wide as the one before: bucket 1 + 4o + q
 *         begins at 2^(o + q/4) ns. 0 ns lies in bucket 1. A bucket stands for its geometric
 *         middle, which is at most 2^(1/8) off: 9 %.
 * Thread: any, pure.
 */
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
