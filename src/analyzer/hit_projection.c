/* hit_projection.c - see hit_projection.h. */
#include "hit_projection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hit_group_fold.h"
#include "probe/probe_expression.h"

#define SLOWEST_PART 100	/* 1 % of the calls */

enum { NOT_WANTED, WANTED, WANTED_BY_STACK };

/* The sum that @weight means; HIT_SUMS: the probe has none. */
static unsigned int sum_of(const struct probe_spec *spec, unsigned int weight)
{
	const unsigned int index = weight - HIT_WEIGHT_AGGREGATE;

	if (weight == HIT_WEIGHT_COUNT)
		return HIT_SUM_HITS;
	if (weight == HIT_WEIGHT_LATENCY)
		return spec->edge == PROBE_LATENCY ? HIT_SUM_HITS : HIT_SUMS;
	if (index >= spec->aggregate_count || (spec->aggregates[index].kind != AGGREGATE_SUM &&
					       spec->aggregates[index].kind != AGGREGATE_AVG))
		return HIT_SUMS;
	return HIT_SUM_FIRST + index;
}

static unsigned int weight_of(const struct probe_spec *spec, const struct query *query)
{
	int index;

	if (!query->hit_weight_name[0])
		return query->hit_weight;
	if (!strcmp(query->hit_weight_name, "lat"))
		return HIT_WEIGHT_LATENCY;
	index = probe_aggregate_find(spec, query->hit_weight_name);
	return index < 0 ? HIT_WEIGHT_COUNT : HIT_WEIGHT_AGGREGATE + (unsigned int)index;
}

static bool has_sums(const struct probe_spec *spec)
{
	return spec->key_count || spec->aggregate_count || spec->edge == PROBE_LATENCY;
}

static int choose_tuples(struct hit_projection *projection, unsigned int sum)
{
	const struct hit_tuples *tuples = &projection->ingest->hits->tuples;
	const bool by_stack = projection->group && hit_group_has_stack(projection->row->spec);

	projection->tuple_count = tuples->count;
	projection->wanted = calloc(tuples->count + 1, 1);
	if (!projection->wanted)
		return -ENOMEM;
	for (uint32_t i = 0; i < tuples->count; i++) {
		const struct hit_tuple *tuple = &tuples->rows[i];

		if (tuple->probe != projection->row->id || tuple->sum != sum)
			continue;
		if (by_stack)
			projection->wanted[i] = WANTED_BY_STACK;
		else if (!projection->group ||
			 projection->group == hit_group_identity(projection->ingest,
								 projection->row, tuple,
								 ID_SET_NONE))
			projection->wanted[i] = WANTED;
	}
	return 0;
}

/* Notes which keys of `by` groups and filter of @query use. */
static void find_keys(struct hit_projection *projection, const struct query *query)
{
	const struct probe_spec *spec = projection->row->spec;
	unsigned int used = 0;

	for (uint32_t i = 0; i < query->group_count; i++)
		if (group_key_is_by(query->groups[i]) &&
		    query->groups[i] - GROUP_BY1 < spec->key_count)
			used |= 1u << (query->groups[i] - GROUP_BY1);
	projection->has_tuples = used;
	for (uint32_t i = 0; i < query->filter.count; i++) {
		const struct filter_part *part = &query->filter.parts[i];

		if (part->field != FILTER_BY || projection->by_count == FILTER_BY_PARTS)
			continue;
		projection->by[projection->by_count++] = *part;
		used |= 1u << part->number;
	}
	for (uint32_t i = 0; i < spec->key_count; i++)
		projection->is_by_stack |= used & 1u << i && spec->keys[i].kind >= PROBE_KEY_STACK;
}

/* Returns the bits of the parts for keys of `by` that @tuple satisfies, with @stack. */
static unsigned char parts_satisfied(const struct hit_projection *projection,
				     const struct hit_tuple *tuple, uint32_t stack)
{
	unsigned char mask = 0;

	for (uint32_t i = 0; i < projection->by_count; i++) {
		const struct filter_part *part = &projection->by[i];

		if (part->number < projection->row->spec->key_count &&
		    part->hash == hit_group_value(projection->ingest, projection->row, tuple,
						  stack, (uint32_t)part->number))
			mask |= (unsigned char)(1u << i);
	}
	return mask;
}

static int satisfy_parts(struct hit_projection *projection)
{
	const struct hit_tuples *tuples = &projection->ingest->hits->tuples;

	if (!projection->by_count)
		return 0;
	projection->satisfied = calloc(projection->tuple_count + 1, 1);
	if (!projection->satisfied)
		return -ENOMEM;
	for (uint32_t i = 0; !projection->is_by_stack && i < projection->tuple_count; i++)
		if (projection->wanted[i] != NOT_WANTED)
			projection->satisfied[i] =
				parts_satisfied(projection, &tuples->rows[i], ID_SET_NONE);
	return 0;
}

/* Returns the row of @probe, if it is a latency; 0: the first that is. NULL: there is none. */
static const struct probe_row *latency_of(const struct probe_hits *hits, uint32_t probe)
{
	const struct probe_row *first = NULL;

	for (uint32_t slot = 0; hits && slot < PROBE_SLOTS; slot++) {
		const struct probe_row *row = &hits->rows[slot];

		if (row->id && row->spec->edge == PROBE_LATENCY &&
		    (probe ? row->id == probe : !first || row->id < first->id))
			first = row;
	}
	return first;
}

/* The tuples of samples inside calls; their buckets are compared later. */
static int choose_inside(struct hit_projection *projection, const struct query *query,
			 const struct slice *base)
{
	const struct hit_tuples *tuples = &projection->ingest->hits->tuples;

	projection->is_on = projection->is_inside = true;
	projection->is_of_slowest = query->inside == INSIDE_SLOWEST;
	projection->weight = HIT_WEIGHT_LATENCY;	/* weights stay as they are */
	projection->tuple_count = tuples->count;
	projection->wanted = calloc(tuples->count + 1, 1);
	if (!projection->wanted)
		return -ENOMEM;
	for (uint32_t i = 0; i < tuples->count; i++)
		if (tuples->rows[i].probe == projection->row->id &&
		    tuples->rows[i].sum == HIT_SUM_INSIDE &&
		    tuples->rows[i].bucket >> 8 == projection->event)
			projection->wanted[i] = WANTED;
	hit_projection_choose(projection, base, 1);
	return hit_projection_apply(projection, base, &projection->base);
}

static int begin(struct hit_projection *projection, struct ingest *ingest,
		 const struct query *query, uint32_t event)
{
	const struct probe_row *row = probe_hits_of_event(ingest->hits, event);
	const struct slice base = { .entries = ingest->baseline.entries,
				    .count = ingest->baseline.count };
	unsigned int sum;

	*projection = (struct hit_projection){ .event = event, .ingest = ingest, .row = row };
	if (!row && query->inside != INSIDE_NONE) {
		projection->row = latency_of(ingest->hits, query->inside_probe);
		if (projection->row)
			return choose_inside(projection, query, &base);
	}
	if (!row || !has_sums(row->spec))
		return 0;
	projection->weight = weight_of(row->spec, query);
	sum = sum_of(row->spec, projection->weight);
	if (sum == HIT_SUMS) {
		projection->weight = HIT_WEIGHT_COUNT;
		sum = HIT_SUM_HITS;
	}
	projection->group = row->spec->key_count ? query->hit_group : 0;
	if (row->spec->key_count)
		find_keys(projection, query);
	projection->is_on = projection->weight != HIT_WEIGHT_COUNT || projection->group ||
			    projection->has_tuples || projection->by_count;
	if (!projection->is_on)
		return 0;
	if (choose_tuples(projection, sum) || satisfy_parts(projection))
		return -ENOMEM;
	return hit_projection_apply(projection, &base, &projection->base);
}

int hit_projection_begin(struct hit_projection *projection, struct ingest *ingest,
			 const struct query *query, uint32_t event)
{
	const int err = begin(projection, ingest, query, event);

	if (err)
		hit_projection_finish(projection);
	return err;
}

void hit_projection_free(struct slice *slice)
{
	free(slice->entries);
	free((uint32_t *)(uintptr_t)slice->tuples);
	slice->entries = NULL;
	slice->tuples = NULL;
}

void hit_projection_finish(struct hit_projection *projection)
{
	free(projection->wanted);
	free(projection->satisfied);
	hit_projection_free(&projection->base);
	memset(projection, 0, sizeof(*projection));
}

static bool is_wanted(const struct hit_projection *projection, const struct slice_entry *entry)
{
	const uint32_t number = slice_entry_tuple(entry);
	const struct hit_tuple *tuple;

	if (entry->event != EVENT_OF_SUMS || number >= projection->tuple_count)
		return false;
	tuple = &projection->ingest->hits->tuples.rows[number];
	if (projection->is_inside && (tuple->bucket & 0xff) < projection->least)
		return false;
	if (projection->wanted[number] != WANTED_BY_STACK)
		return projection->wanted[number] == WANTED;
	return projection->group == hit_group_identity(projection->ingest, projection->row, tuple,
						       entry->stack);
}

void hit_projection_choose(struct hit_projection *projection, const struct slice *slices,
			   uint32_t count)
{
	uint64_t buckets[LATENCY_BUCKETS] = { 0 }, calls = 0, slowest = 0;
	uint32_t least = LATENCY_BUCKETS;

	projection->least = 0;
	if (!projection->is_of_slowest)
		return;
	for (uint32_t s = 0; s < count; s++)
		for (uint32_t i = 0; i < slices[s].count; i++)
			if (slices[s].entries[i].event == projection->row->event) {
				buckets[slices[s].entries[i].bucket] += slices[s].entries[i].count;
				calls += slices[s].entries[i].count;
			}
	while (least && (!slowest || slowest + buckets[least - 1] <= calls / SLOWEST_PART))
		slowest += buckets[--least];
	projection->least = (uint8_t)least;
}

/* Makes an entry of a sum one of the probe's event. */
static struct slice_entry project(const struct hit_projection *projection,
				  const struct slice_entry *from)
{
	const uint32_t tuple = slice_entry_tuple(from);
	struct slice_entry entry = *from;

	slice_entry_set_event(&entry, projection->event);
	slice_entry_set_cpu(&entry, false, 0);
	entry.bucket = 0;
	if (projection->by_count)
		entry.bucket = projection->is_by_stack
			       ? parts_satisfied(projection,
						 &projection->ingest->hits->tuples.rows[tuple],
						 from->stack)
			       : projection->satisfied[tuple];
	if (projection->weight == HIT_WEIGHT_COUNT)
		entry.weight = entry.count;
	else if ((int64_t)entry.weight < 0)	/* a share can't be negative */
		entry.weight = 0;
	return entry;
}

int hit_projection_apply(const struct hit_projection *projection, const struct slice *from,
			 struct slice *out)
{
	uint32_t *tuples = NULL;

	*out = *from;
	out->ticks = NULL;
	out->tuples = NULL;
	out->count = 0;
	out->entries = malloc((from->count + 1) * sizeof(*out->entries));
	if (!out->entries)
		return -ENOMEM;
	if (projection->has_tuples) {
		out->tuples = tuples = malloc((from->count + 1) * sizeof(*tuples));
		if (!tuples) {
			hit_projection_free(out);
			return -ENOMEM;
		}
	}
	for (uint32_t i = 0; i < from->count; i++) {
		const struct slice_entry *entry = &from->entries[i];
		const bool is_projected = is_wanted(projection, entry);

		/* Other sums count in no view: the groups of probes are folded as they are. */
		if (!is_projected && (entry->event == projection->event ||
				      !slice_entry_is_sample(entry)))
			continue;
		if (tuples)
			tuples[out->count] = is_projected ? slice_entry_tuple(entry)
							  : SLICE_TUPLE_NONE;
		out->entries[out->count] = is_projected ? project(projection, entry) : *entry;
		if (!is_projected && projection->by_count && entry->event >= PROBE_EVENT_FIRST &&
		    slice_entry_is_sample(entry))
			out->entries[out->count].bucket = 0;	/* no part of this probe's */
		out->count++;
	}
	return 0;
}

void hit_projection_describe(struct hit_projection *projection, struct snapshot *head)
{
	const struct probe_spec *spec = projection->is_on ? projection->row->spec : NULL;
	const unsigned int index = projection->weight - HIT_WEIGHT_AGGREGATE;

	head->hit_weight = projection->name;
	head->hit_group = projection->is_on ? projection->group : 0;
	if (projection->is_inside) {
		head->inside = projection->row->id;
		head->inside_from_ns = latency_bucket_begin(projection->least);
		return;
	}
	if (!spec || projection->weight == HIT_WEIGHT_COUNT)
		return;
	if (projection->weight == HIT_WEIGHT_LATENCY) {
		strcpy(projection->name, "lat");
		head->is_hit_time = true;
		return;
	}
	probe_aggregate_write(spec, &spec->aggregates[index], projection->name,
			      sizeof(projection->name));
	head->is_hit_time = probe_aggregate_is_ns(&spec->aggregates[index]);
}
