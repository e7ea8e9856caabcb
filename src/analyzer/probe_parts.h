/* probe_parts.h - the parts of a probe's snapshot that probe_builder.h puts together: text, values,
 * single hits, and hits over time.
 * Thread: the analyzer's. */
#ifndef ANALYZER_PROBE_PARTS_H
#define ANALYZER_PROBE_PARTS_H

#include "ingest/ingest.h"
#include "hit_group_fold.h"
#include "window_fold.h"

struct probe_builder_span {
	uint64_t begin_ns, end_ns;	/* the window */
	uint64_t known_ns;	/* begin of the timeline's history */
	bool is_chosen;		/* the log covers the window, instead of all up to its end */
	uint64_t now_ns;	/* CLOCK_MONOTONIC, for leases */
	uint32_t detail;	/* id of the probe whose log and heat map to add; PROBE_ALL: the log
				 * of all probes; 0: none */
	uint32_t hit_probe;	/* id of the probe of the hit to add */
	uint64_t hit;		/* number of that hit; 0: none */
	bool wants_values;	/* add the values of all probes */
	bool raw_names;		/* query.raw_names */
	unsigned int hit_order, hit_weight;	/* query.hit_order, query.hit_weight */
	bool is_hit_order_reversed;		/* query.is_hit_order_reversed */
	const struct probe_fold *base;	/* fold of the baseline; NULL: not compared */
	const struct baseline *baseline;	/* set if `base` is */
};

struct probe_builder {
	struct snapshot_probes head;	/* only counts are set, no pointers */
	struct snapshot_probe *list;	/* owned, like all below */
	struct snapshot_value *values;
	struct snapshot_hit *lines;	/* the log, then the slowest */
	uint32_t (*heat)[LATENCY_OCTAVES];
	struct snapshot_groups *groups;		/* head.group_count; `list` is not set */
	struct snapshot_group *group_list;	/* those of all `groups`, one after the other */
	struct snapshot_spread_row *spreads;	/* `rows` are offsets in it */
	uint32_t (*group_heat)[PROBE_GROUP_SECONDS];	/* `heat` of a group: offset in it */
	uint32_t listed_count, spread_count, spread_capacity, heat_count, heat_capacity;
	uint32_t value_count;
	char *text;
	size_t text_used, text_capacity;
	bool is_out_of_memory;
};

/* Adds a sanitized copy of @text; returns its offset, cast to a pointer. */
const char *probe_builder_text(struct probe_builder *builder, const char *text, size_t bytes);
/* Appends a sanitized copy of @text to the text added last. */
void probe_builder_append(struct probe_builder *builder, const char *text, size_t bytes);
/* Adds the text of a value in column @column of @row; returns its offset, cast to a pointer.
 * *@is_named: it is a number that has a name. */
const char *probe_builder_value(struct probe_builder *builder, struct ingest *ingest,
				const struct probe_row *row, uint32_t column,
				const struct probe_value *value, bool *is_named);
/* Each fills its part of @builder, after `list`. 0 or -ENOMEM. */
int probe_builder_values(struct probe_builder *builder, struct ingest *ingest,
			 const struct probe_fold *fold, const struct probe_builder_span *span);
int probe_builder_lines(struct probe_builder *builder, struct ingest *ingest,
			const struct probe_builder_span *span);
int probe_builder_groups(struct probe_builder *builder, struct ingest *ingest,
			 const struct hit_group_fold *fold, const struct probe_builder_span *span);
/* Returns the text of a value of key @index of `by`: that with id @of, or stack @of if the key is
 * the stack. */
struct str_id probe_builder_key(struct ingest *ingest, const struct probe_row *row, uint32_t of,
				uint32_t index);
int probe_builder_times(struct probe_builder *builder, const struct ingest *ingest,
			const struct probe_builder_span *span);

#endif
