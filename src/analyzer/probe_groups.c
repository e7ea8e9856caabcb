/* probe_groups.c - the groups of a probe's hits in a snapshot: see probe_parts.h.
 *
 *   cells of the fold -> groups, by their keys -> the first by the order asked for -> sums,
 *   histograms, text
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/snapshot.h"
#include "hit_group_fold.h"
#include "probe/probe_expression.h"
#include "probe_parts.h"

#define NO_GROUP UINT32_MAX
#define TOP_SHOWN 10	/* values of top() */

/* A group while it is summed. */
struct group {
	uint32_t keys[PROBE_KEYS_MAX];	/* ids of values, HIT_KEY_OTHER, or HIT_KEY_NONE */
	uint32_t stack;			/* one of those with its functions; ID_SET_NONE: no key */
	uint64_t identity;
	uint64_t count;
	uint32_t first_cell;		/* cells of a group are linked by cell_next */
	uint32_t shown;			/* place among the shown ones; NO_GROUP: it is left out */
	struct snapshot_group_base base;
	bool is_other;
	double size;			/* the order of groups is by it */
	uint32_t first_octave, octave_count;	/* rows of its histogram of latencies */
	uint32_t first_heat;		/* the first of its rows in probe_builder.group_heat */
};

struct grouping {
	const struct hit_group_fold *fold;
	struct ingest *ingest;
	const struct probe_row *row;
	struct group *groups;		/* owned, like all below */
	uint32_t count, capacity;
	struct id_map by_identity;
	uint32_t *cell_next, *cell_group;
};

static void finish(struct grouping *grouping)
{
	free(grouping->groups);
	free(grouping->cell_next);
	free(grouping->cell_group);
	id_map_finish(&grouping->by_identity);
}

/* Returns the group of a cell, a new one if there is none; NO_GROUP: out of memory. */
static uint32_t group_of(struct grouping *grouping, const struct hit_cell *cell)
{
	const struct hit_tuple *tuple = &grouping->fold->tuples->rows[cell->tuple];
	struct group group = { .stack = cell->stack, .first_cell = NO_GROUP, .shown = NO_GROUP };
	uint32_t found;

	for (uint32_t i = 0; i < PROBE_KEYS_MAX; i++)
		group.keys[i] = hit_group_key(grouping->ingest, tuple->keys[i]);
	group.is_other = group.keys[0] == HIT_KEY_OTHER;
	group.identity = hit_group_identity(grouping->ingest, grouping->row, tuple, cell->stack);
	found = id_map_get(&grouping->by_identity, group.identity);
	if (found != ID_MAP_NONE)
		return found;
	if (grouping->count == grouping->capacity) {
		const uint32_t capacity = grouping->capacity ? grouping->capacity * 2 : 64;
		struct group *bigger = realloc(grouping->groups, capacity * sizeof(*bigger));

		if (!bigger)
			return NO_GROUP;
		grouping->groups = bigger;
		grouping->capacity = capacity;
	}
	if (id_map_put(&grouping->by_identity, group.identity, grouping->count))
		return NO_GROUP;
	grouping->groups[grouping->count] = group;
	return grouping->count++;
}

/* Puts the cells of the probe in groups. 0 or -ENOMEM. */
static int group_cells(struct grouping *grouping)
{
	const struct hit_group_fold *fold = grouping->fold;

	grouping->cell_next = malloc((fold->count + 1) * sizeof(*grouping->cell_next));
	grouping->cell_group = malloc((fold->count + 1) * sizeof(*grouping->cell_group));
	if (!grouping->cell_next || !grouping->cell_group)
		return -ENOMEM;
	for (uint32_t i = 0; i < fold->count; i++) {
		const struct hit_cell *cell = &fold->cells[i];
		const struct hit_tuple *tuple = &fold->tuples->rows[cell->tuple];
		struct group *group;

		grouping->cell_group[i] = NO_GROUP;
		if (tuple->probe != grouping->row->id)
			continue;
		grouping->cell_group[i] = group_of(grouping, cell);
		if (grouping->cell_group[i] == NO_GROUP)
			return -ENOMEM;
		group = &grouping->groups[grouping->cell_group[i]];
		grouping->cell_next[i] = group->first_cell;
		group->first_cell = i;
		if (tuple->sum == HIT_SUM_HITS)
			group->count += cell->count;
	}
	return 0;
}

/* True: the sum of aggregate @index is a weight. */
static bool is_summed(const struct probe_spec *spec, uint32_t index)
{
	return index < spec->aggregate_count && (spec->aggregates[index].kind == AGGREGATE_SUM ||
						 spec->aggregates[index].kind == AGGREGATE_AVG);
}

static void add_base(const struct probe_spec *spec, const struct hit_tuple *tuple,
		     const struct hit_cell *cell, struct snapshot_group_base *out)
{
	const uint32_t index = tuple->sum - HIT_SUM_FIRST;

	if (tuple->sum == HIT_SUM_HITS) {
		out->count += cell->count;
		out->latency_ns += (uint64_t)cell->weight;
	} else if (is_summed(spec, index)) {
		out->sums[index] =
			(int64_t)((uint64_t)out->sums[index] + (uint64_t)cell->weight);
	}
}

/* Adds the groups of the baseline to those of the window; some are in one of them alone. 0 or
 * -ENOMEM. */
static int group_base(struct grouping *grouping, const struct hit_group_fold *fold,
		      struct snapshot_group_base *all)
{
	const struct probe_spec *spec = grouping->row->spec;

	for (uint32_t i = 0; i < fold->count; i++) {
		const struct hit_cell *cell = &fold->cells[i];
		const struct hit_tuple *tuple = &fold->tuples->rows[cell->tuple];
		uint32_t group;

		if (tuple->probe != grouping->row->id)
			continue;
		group = group_of(grouping, cell);
		if (group == NO_GROUP)
			return -ENOMEM;
		add_base(spec, tuple, cell, &grouping->groups[group].base);
		add_base(spec, tuple, cell, all);
	}
	return 0;
}

static int largest_first(const void *a, const void *b)
{
	const struct group *left = *(const struct group *const *)a;
	const struct group *right = *(const struct group *const *)b;

	if (left->is_other != right->is_other)	/* it is shown in any case */
		return left->is_other ? -1 : 1;
	if (left->size < right->size || left->size > right->size)
		return left->size > right->size ? -1 : 1;
	if (left->count != right->count)
		return left->count > right->count ? -1 : 1;
	return left->identity < right->identity ? -1 : left->identity > right->identity;
}

struct writing {
	struct probe_builder *builder;
	struct ingest *ingest;
	const char *at;
};

static void write_frame(void *context, const struct symbol *symbol)
{
	struct writing *writing = context;
	const struct strpool *strings = writing->ingest->strings;
	const char *name = strpool_get(strings,
				       symbol_names_shown(&writing->ingest->names, symbol));
	char text[24];

	if (!name[0]) {
		snprintf(text, sizeof(text), "0x%" PRIx64, symbol->address);
		name = text;
	}
	if (writing->at)
		probe_builder_append(writing->builder, " < ", 3);
	else
		writing->at = probe_builder_text(writing->builder, "", 0);
	probe_builder_append(writing->builder, name, strlen(name));
}

static const char *put_text(struct probe_builder *builder, const char *text)
{
	return probe_builder_text(builder, text, strlen(text));
}

/* "leaf < caller < caller" */
static const char *put_stack(struct probe_builder *builder, struct ingest *ingest, uint32_t stack,
			     enum probe_key_kind kind)
{
	struct writing writing = { builder, ingest, NULL };

	if (stack == ID_SET_NONE)
		return put_text(builder, "[unknown]");
	hit_group_walk(ingest, stack, kind, write_frame, &writing);
	return writing.at ? writing.at : put_text(builder, "[none]");
}

/* Puts the text of value @id. */
static const char *put_value(struct probe_builder *builder, struct ingest *ingest,
			     const struct probe_row *row, uint32_t id)
{
	const struct probe_reading *reading = row->generations[row->newest].reading;
	const struct probe_values *values = &ingest->hits->keys;
	const struct value_row *from = id < HIT_KEY_OTHER ? &values->rows[id] : NULL;
	char number[SNAPSHOT_NUMBER_BYTES];
	struct probe_value value;
	bool is_named;

	if (!from)
		return put_text(builder, id == HIT_KEY_OTHER ? "(other)" : "");
	if (from->form == VALUE_UNKNOWN)
		return put_text(builder, "[unknown]");
	value = (struct probe_value){
		.is_known = true, .is_text = from->form == VALUE_OF_TEXT,
		.is_signed = from->is_signed, .number = from->number,
		.text = values->text + from->text, .text_bytes = from->text_bytes,
		.dso = from->dso, .serial = from->serial,
	};
	if (reading && from->column < reading->column_count)
		return probe_builder_value(builder, ingest, row, from->column, &value, &is_named);
	if (value.is_text)
		return probe_builder_text(builder, value.text, value.text_bytes);
	return put_text(builder, snapshot_number(value.is_signed, value.number, number));
}

struct str_id probe_builder_key(struct ingest *ingest, const struct probe_row *row, uint32_t of,
				uint32_t index)
{
	const enum probe_key_kind kind = row->spec->keys[index].kind;
	struct probe_builder builder = { .list = NULL };
	struct str_id id = { 0 };
	const char *offset;

	put_text(&builder, "");
	offset = kind >= PROBE_KEY_STACK ? put_stack(&builder, ingest, of, kind)
					 : put_value(&builder, ingest, row, of);
	if (!builder.is_out_of_memory)
		id = strpool_intern_passing(ingest->strings, builder.text + (uintptr_t)offset,
					    strlen(builder.text + (uintptr_t)offset));
	free(builder.text);
	return id;
}

static void put_keys(struct probe_builder *builder, const struct grouping *grouping,
		     const struct group *from, struct snapshot_group *out)
{
	const struct probe_spec *spec = grouping->row->spec;

	out->is_other = from->is_other;
	for (uint32_t i = 0; i < spec->key_count; i++)
		out->keys[i] = spec->keys[i].kind >= PROBE_KEY_STACK && !out->is_other
			       ? put_stack(builder, grouping->ingest, from->stack,
					   spec->keys[i].kind)
			       : put_value(builder, grouping->ingest, grouping->row,
					   from->keys[i]);
	out->id = from->identity;
}

/* Appends a row of a histogram or of the most frequent values. */
static void put_spread_row(struct probe_builder *builder, struct snapshot_spread *spread,
			   const struct snapshot_spread_row *row)
{
	struct snapshot_spread_row *bigger;

	if (builder->spread_count == builder->spread_capacity) {
		const uint32_t capacity = builder->spread_capacity * 2 + 64;

		bigger = realloc(builder->spreads, capacity * sizeof(*bigger));
		if (!bigger) {
			builder->is_out_of_memory = true;
			return;
		}
		builder->spreads = bigger;
		builder->spread_capacity = capacity;
	}
	if (!spread->count)	/* the index for now: the array moves */
		spread->rows = (const struct snapshot_spread_row *)(uintptr_t)(
			builder->spread_count * sizeof(*row));
	builder->spreads[builder->spread_count++] = *row;
	spread->count++;
}

static void put_histogram(struct probe_builder *builder, const struct probe_aggregate *aggregate,
			  const uint64_t *counts, struct snapshot_spread *out)
{
	uint32_t first = 0, end = PROBE_BUCKETS_MAX;

	while (first < end && !counts[first])
		first++;
	while (end > first && !counts[end - 1])
		end--;
	for (uint32_t i = first; i < end; i++) {
		struct snapshot_spread_row row = { .text = put_text(builder, ""),
						   .count = counts[i] };

		probe_aggregate_range(aggregate, (uint16_t)i, &row.begin, &row.end);
		put_spread_row(builder, out, &row);
	}
}

/* Makes room for the heat map of a group, which put_times() fills. */
static void add_heat(struct probe_builder *builder, struct group *group,
		     struct snapshot_group *out)
{
	uint32_t(*bigger)[PROBE_GROUP_SECONDS];

	if (builder->heat_count + group->octave_count > builder->heat_capacity) {
		const uint32_t capacity =
			builder->heat_capacity * 2 + 64 + group->octave_count;

		bigger = realloc(builder->group_heat, capacity * sizeof(*bigger));
		if (!bigger) {
			builder->is_out_of_memory = true;
			group->octave_count = 0;
			return;
		}
		builder->group_heat = bigger;
		builder->heat_capacity = capacity;
	}
	group->first_heat = builder->heat_count;
	out->heat = (const uint32_t(*)[PROBE_GROUP_SECONDS])(uintptr_t)(
		builder->heat_count * sizeof(*bigger));
	if (group->octave_count)
		memset(&builder->group_heat[builder->heat_count], 0,
		       group->octave_count * sizeof(*bigger));
	builder->heat_count += group->octave_count;
}

static void put_latency(struct probe_builder *builder, const uint64_t *buckets,
			uint64_t longest_ns, struct group *from, struct snapshot_group *out)
{
	struct snapshot_latency latency;
	uint32_t first = 0, end = LATENCY_OCTAVES - 1;	/* bounds above are no int64_t */

	latency_summarize(buckets, longest_ns, &latency);
	out->p50_ns = latency.p50_ns;
	out->p99_ns = latency.p99_ns;
	out->max_ns = latency.max_ns;
	while (first < end && !latency.octaves[first])
		first++;
	while (end > first && !latency.octaves[end - 1])
		end--;
	from->first_octave = first;
	from->octave_count = end - first;
	add_heat(builder, from, out);
	for (uint32_t i = first; i < end; i++)
		put_spread_row(builder, &out->latency, &(struct snapshot_spread_row){
			.text = put_text(builder, ""), .begin = i ? INT64_C(1) << i : 0,
			.end = i < 62 ? INT64_C(2) << i : INT64_MAX,
			.count = latency.octaves[i],
		});
}

/* Inserts a value, most frequent first, among the @count that are there. */
static uint32_t insert_top(const struct hit_cell **top, uint32_t count, const struct hit_cell *cell)
{
	uint32_t at = count;

	if (at == TOP_SHOWN) {
		if (top[at - 1]->count >= cell->count)
			return count;
		at--;
	}
	for (; at && top[at - 1]->count < cell->count; at--)
		top[at] = top[at - 1];
	top[at] = cell;
	return count < TOP_SHOWN ? count + 1 : count;
}

/* Fills the most frequent values of aggregate @index. */
static void put_top(struct probe_builder *builder, const struct grouping *grouping,
		    const struct group *from, uint32_t index, struct snapshot_sum *out)
{
	const struct hit_group_fold *fold = grouping->fold;
	const struct hit_cell *top[TOP_SHOWN];
	uint32_t count = 0;

	for (uint32_t i = from->first_cell; i != NO_GROUP; i = grouping->cell_next[i])
		if (fold->tuples->rows[fold->cells[i].tuple].sum == HIT_SUM_FIRST + index)
			count = insert_top(top, count, &fold->cells[i]);
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t id = fold->tuples->rows[top[i]->tuple].keys[PROBE_KEYS_MAX];

		put_spread_row(builder, &out->spread, &(struct snapshot_spread_row){
			.text = put_value(builder, grouping->ingest, grouping->row,
					  hit_group_key(grouping->ingest, id)),
			.count = top[i]->count,
		});
	}
}

/* Sums aggregate @index, and its hits by bucket in @counts. */
static void sum_cells(const struct grouping *grouping, const struct group *from, uint32_t index,
		      uint64_t counts[PROBE_BUCKETS_MAX], struct snapshot_sum *out)
{
	const enum probe_aggregate_kind kind = grouping->row->spec->aggregates[index].kind;
	const struct hit_group_fold *fold = grouping->fold;

	if (kind == AGGREGATE_COUNT)
		out->count = from->count;
	for (uint32_t i = from->first_cell; i != NO_GROUP; i = grouping->cell_next[i]) {
		const struct hit_cell *cell = &fold->cells[i];
		const struct hit_tuple *tuple = &fold->tuples->rows[cell->tuple];

		if (tuple->sum != HIT_SUM_FIRST + index)
			continue;
		counts[tuple->bucket < PROBE_BUCKETS_MAX ? tuple->bucket : 0] += cell->count;
		if (kind != AGGREGATE_MIN && kind != AGGREGATE_MAX)
			out->value = (int64_t)((uint64_t)out->value + (uint64_t)cell->weight);
		else if (!out->count || (kind == AGGREGATE_MIN ? cell->weight < out->value
							       : cell->weight > out->value))
			out->value = cell->weight;
		out->count += cell->count;
	}
}

/* Fills aggregate @index. */
static void put_sum(struct probe_builder *builder, const struct grouping *grouping,
		    const struct group *from, uint32_t index, struct snapshot_sum *out)
{
	const struct probe_aggregate *aggregate = &grouping->row->spec->aggregates[index];
	uint64_t counts[PROBE_BUCKETS_MAX] = { 0 };

	sum_cells(grouping, from, index, counts, out);
	if (aggregate->kind == AGGREGATE_TOP)
		put_top(builder, grouping, from, index, out);
	else if (aggregate->kind == AGGREGATE_HIST || aggregate->kind == AGGREGATE_LHIST)
		put_histogram(builder, aggregate, counts, &out->spread);
}

/* Sums the latencies of a group by bucket; returns their sum, and the longest in *@longest_ns. */
static uint64_t sum_latencies(const struct grouping *grouping, const struct group *from,
			      uint64_t buckets[LATENCY_BUCKETS], uint64_t *longest_ns)
{
	const struct hit_group_fold *fold = grouping->fold;
	uint64_t sum_ns = 0;

	*longest_ns = 0;
	for (uint32_t i = from->first_cell; i != NO_GROUP; i = grouping->cell_next[i]) {
		const struct hit_cell *cell = &fold->cells[i];
		const struct hit_tuple *tuple = &fold->tuples->rows[cell->tuple];

		if (tuple->sum == HIT_SUM_LONGEST && cell->weight > (int64_t)*longest_ns)
			*longest_ns = (uint64_t)cell->weight;
		if (tuple->sum != HIT_SUM_HITS)
			continue;
		buckets[tuple->bucket % LATENCY_BUCKETS] += cell->count;
		sum_ns += (uint64_t)cell->weight;
	}
	return sum_ns;
}

static void put_group(struct probe_builder *builder, const struct grouping *grouping,
		      struct group *from, double attached_s, struct snapshot_group *out)
{
	uint64_t buckets[LATENCY_BUCKETS] = { 0 }, longest_ns;

	put_keys(builder, grouping, from, out);
	out->count = from->count;
	out->base = from->base;
	out->per_s = snapshot_per_s(from->count, attached_s);
	out->latency_ns = sum_latencies(grouping, from, buckets, &longest_ns);
	if (grouping->row->spec->edge == PROBE_LATENCY)
		put_latency(builder, buckets, longest_ns, from, out);
	for (uint32_t i = 0; i < grouping->row->spec->aggregate_count; i++)
		put_sum(builder, grouping, from, i, &out->sums[i]);
}

/* Which groups have a row. */

static double latency_size(const struct grouping *grouping, const struct group *group,
			   unsigned int order)
{
	uint64_t buckets[LATENCY_BUCKETS] = { 0 }, longest_ns;
	struct snapshot_latency latency;
	const double sum_ns = (double)sum_latencies(grouping, group, buckets, &longest_ns);

	if (order == HIT_ORDER_LATENCY)
		return sum_ns;
	if (order == HIT_ORDER_MEAN)
		return group->count ? sum_ns / (double)group->count : 0;
	latency_summarize(buckets, longest_ns, &latency);
	return (double)(order == HIT_ORDER_P50 ? latency.p50_ns
			: order == HIT_ORDER_P99 ? latency.p99_ns : latency.max_ns);
}

static double sum_size(const struct grouping *grouping, const struct group *group, uint32_t index,
		       bool is_average)
{
	uint64_t counts[PROBE_BUCKETS_MAX] = { 0 };
	struct snapshot_sum sum = { .count = 0 };

	sum_cells(grouping, group, index, counts, &sum);
	if (!sum.count)
		return -INFINITY;
	return is_average ? (double)sum.value / (double)sum.count : (double)sum.value;
}

/* What the group weighs in the window. */
static double weight_size(const struct grouping *grouping, const struct group *group,
			  unsigned int weight)
{
	const unsigned int index = weight - HIT_WEIGHT_AGGREGATE;
	const double size = weight == HIT_WEIGHT_LATENCY
			    ? latency_size(grouping, group, HIT_ORDER_LATENCY)
			    : weight != HIT_WEIGHT_COUNT && is_summed(grouping->row->spec, index)
			    ? sum_size(grouping, group, index, false) : (double)group->count;

	return size > 0 ? size : 0;
}

static double base_size(const struct probe_spec *spec, const struct snapshot_group_base *base,
			unsigned int weight)
{
	const unsigned int index = weight - HIT_WEIGHT_AGGREGATE;

	if (weight == HIT_WEIGHT_LATENCY)
		return (double)base->latency_ns;
	return weight != HIT_WEIGHT_COUNT && is_summed(spec, index) ? (double)base->sums[index]
								    : (double)base->count;
}

static double size_of(const struct grouping *grouping, const struct group *group,
		      unsigned int order)
{
	const struct probe_spec *spec = grouping->row->spec;
	const uint32_t index = order >= HIT_ORDER_SUM ? order - HIT_ORDER_SUM
						      : order - HIT_ORDER_AGGREGATE;

	if (order >= HIT_ORDER_LATENCY && order <= HIT_ORDER_MAX)
		return latency_size(grouping, group, order);
	if (order < HIT_ORDER_AGGREGATE || index >= spec->aggregate_count ||
	    spec->aggregates[index].kind == AGGREGATE_COUNT ||
	    spec->aggregates[index].kind >= AGGREGATE_HIST)
		return (double)group->count;
	return sum_size(grouping, group, index,
			spec->aggregates[index].kind == AGGREGATE_AVG && order < HIT_ORDER_SUM);
}

static void size_by_change(struct grouping *grouping, unsigned int weight,
			   const struct snapshot_group_base *all)
{
	const struct probe_spec *spec = grouping->row->spec;
	const double base_whole = base_size(spec, all, weight);
	double whole = 0;

	for (uint32_t i = 0; i < grouping->count; i++) {
		grouping->groups[i].size = weight_size(grouping, &grouping->groups[i], weight);
		whole += grouping->groups[i].size;
	}
	for (uint32_t i = 0; i < grouping->count; i++) {
		struct group *group = &grouping->groups[i];
		const double base = base_size(spec, &group->base, weight);

		group->size = fabs((whole > 0 ? group->size / whole : 0) -
				   (base_whole > 0 ? base / base_whole : 0));
	}
}

/* Sets what the groups are ordered by. If all have a row, that is the number of hits. */
static void size_groups(struct grouping *grouping, const struct probe_builder_span *span,
			const struct snapshot_groups *out)
{
	const unsigned int order = grouping->count > PROBE_GROUPS_SHOWN ? span->hit_order
									: HIT_ORDER_HITS;

	if (order == HIT_ORDER_CHANGE && out->is_compared) {
		size_by_change(grouping, span->hit_weight, &out->base);
	} else {
		for (uint32_t i = 0; i < grouping->count; i++)
			grouping->groups[i].size = size_of(grouping, &grouping->groups[i], order);
	}
	for (uint32_t i = 0; order != HIT_ORDER_HITS && span->is_hit_order_reversed &&
			     i < grouping->count; i++)
		grouping->groups[i].size = -grouping->groups[i].size;
}

/* Counts hits of @age seconds ago. */
static void add_hits(struct probe_builder *builder, const struct group *group,
		     const struct hit_tuple *tuple, uint64_t age, uint32_t count,
		     struct snapshot_group *out, uint32_t points)
{
	const uint32_t octave = latency_bucket_octave((uint8_t)tuple->bucket);

	out->spark[points - age] += (float)count;
	if (age <= PROBE_GROUP_SECONDS && tuple->bucket && octave >= group->first_octave &&
	    octave - group->first_octave < group->octave_count)
		builder->group_heat[group->first_heat + octave - group->first_octave]
				   [PROBE_GROUP_SECONDS - age] += count;
}

/* Counts the hits of the last seconds; the last second is not over yet, and left out. */
static void put_times(struct probe_builder *builder, const struct grouping *grouping,
		      struct snapshot_group *list, const struct probe_builder_span *span,
		      uint32_t points)
{
	const struct timeline *timeline = &grouping->ingest->timeline;
	const struct hit_group_fold *fold = grouping->fold;
	const uint64_t now = span->end_ns / SLICE_NS;

	for (uint32_t s = timeline->count; s-- > 0;) {
		const struct slice *slice = &timeline->slices[s];
		const uint64_t age = now - slice->start_ns / SLICE_NS;

		if (slice->start_ns > span->end_ns || !age)
			continue;
		if (age > points)
			break;
		for (uint32_t i = 0; i < slice->count; i++) {
			const struct slice_entry *entry = &slice->entries[i];
			const uint32_t tuple = slice_entry_tuple(entry);
			uint64_t place = (uint64_t)tuple << 32 | ID_SET_NONE;
			uint32_t cell, group;

			if (entry->event != EVENT_OF_SUMS || tuple >= fold->tuple_count ||
			    fold->tuples->rows[tuple].sum != HIT_SUM_HITS)
				continue;
			cell = id_map_get(&fold->by_place, place);
			if (cell == ID_MAP_NONE)	/* the stack is a key */
				cell = id_map_get(&fold->by_place,
						  (uint64_t)tuple << 32 | entry->stack);
			group = cell == ID_MAP_NONE ? NO_GROUP : grouping->cell_group[cell];
			if (group != NO_GROUP && grouping->groups[group].shown != NO_GROUP)
				add_hits(builder, &grouping->groups[group],
					 &fold->tuples->rows[tuple], age, entry->count,
					 &list[grouping->groups[group].shown], points);
		}
	}
}

static void describe(const struct snapshot_probe *probe, struct snapshot_groups *out)
{
	out->probe = probe->id;
	out->has_latency = probe->has_latency;
	out->key_count = probe->key_count;
	out->aggregate_count = probe->aggregate_count;
	memcpy(out->key_names, probe->key_names, sizeof(out->key_names));
	memcpy(out->aggregates, probe->aggregates, sizeof(out->aggregates));
}

/* Appends room for @count groups. NULL: out of memory. */
static struct snapshot_group *add_list(struct probe_builder *builder, uint32_t count)
{
	struct snapshot_group *bigger = realloc(builder->group_list,
						(builder->listed_count + count + 1) *
						sizeof(*bigger));

	if (!bigger)
		return NULL;
	builder->group_list = bigger;
	bigger += builder->listed_count;
	memset(bigger, 0, count * sizeof(*bigger));
	builder->listed_count += count;
	return bigger;
}

/* Adds a group that has no row to the sums of those. */
static void leave_out(const struct grouping *grouping, const struct group *from,
		      struct snapshot_groups *out)
{
	const struct hit_group_fold *fold = grouping->fold;

	out->left_out++;
	out->left_out_hits += from->count;
	for (uint32_t i = from->first_cell; i != NO_GROUP; i = grouping->cell_next[i]) {
		const struct hit_cell *cell = &fold->cells[i];
		const uint32_t sum = fold->tuples->rows[cell->tuple].sum;
		const uint32_t index = sum - HIT_SUM_FIRST;

		if (sum == HIT_SUM_HITS)
			out->left_out_latency_ns += (uint64_t)cell->weight;
		else if (is_summed(grouping->row->spec, index))
			out->left_out_sums[index] =
				(int64_t)((uint64_t)out->left_out_sums[index] +
					  (uint64_t)cell->weight);
	}
}

/* Fills the groups of one probe. 0 or -ENOMEM. */
static int put_groups(struct probe_builder *builder, struct grouping *grouping,
		      const struct snapshot_probe *probe, const struct probe_builder_span *span,
		      struct snapshot_groups *out)
{
	const struct probe_row *row = grouping->row;
	const uint64_t attached_ns = probe_turns_between(&row->turns, span->begin_ns,
							 span->end_ns);
	struct group **sorted;
	struct snapshot_group *list;

	*out = (struct snapshot_groups){ .spark_count = PROBE_SPARK_POINTS };
	describe(probe, out);
	out->is_compared = span->base && probe->base_hits_per_s >= 0;
	if (group_cells(grouping) ||
	    (out->is_compared && group_base(grouping, &span->base->groups, &out->base)))
		return -ENOMEM;
	size_groups(grouping, span, out);
	sorted = malloc((grouping->count + 1) * sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	for (uint32_t i = 0; i < grouping->count; i++)
		sorted[i] = &grouping->groups[i];
	qsort(sorted, grouping->count, sizeof(struct group *), largest_first);
	out->count = grouping->count < PROBE_GROUPS_SHOWN ? grouping->count : PROBE_GROUPS_SHOWN;
	list = add_list(builder, out->count);
	for (uint32_t i = 0; list && i < grouping->count; i++) {
		if (i < out->count) {
			sorted[i]->shown = i;
			put_group(builder, grouping, sorted[i], (double)attached_ns / 1e9,
				  &list[i]);
		} else {
			leave_out(grouping, sorted[i], out);
		}
	}
	if (list)
		put_times(builder, grouping, list, span, out->spark_count);
	free(sorted);
	return list ? 0 : -ENOMEM;
}

static bool has_groups(const struct probe_row *row, const struct probe_builder_span *span)
{
	return row->id && (span->wants_values || span->detail == row->id) &&
	       (row->spec->key_count || row->spec->aggregate_count);
}

int probe_builder_groups(struct probe_builder *builder, struct ingest *ingest,
			 const struct hit_group_fold *fold, const struct probe_builder_span *span)
{
	int err = 0;

	if (!fold->tuples)
		return 0;
	builder->groups = calloc(PROBE_SLOTS, sizeof(*builder->groups));
	if (!builder->groups)
		return -ENOMEM;
	for (uint32_t i = 0; i < builder->head.count && !err; i++) {
		struct grouping grouping = { .fold = fold, .ingest = ingest };

		grouping.row = probe_hits_of_event(ingest->hits, builder->list[i].event);
		if (!grouping.row || !has_groups(grouping.row, span))
			continue;
		err = put_groups(builder, &grouping, &builder->list[i], span,
				 &builder->groups[builder->head.group_count++]);
		finish(&grouping);
	}
	return err;
}
