/* probe_builder.c - see probe_builder.h. The block: list | values | lines | heat | groups | their
 * lists | their spreads | their heat maps | text. */
#include "probe_builder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/snapshot.h"
#include "elf/demangle.h"
#include "probe/probe_expression.h"

#define WORD_MASK (sizeof(uint64_t) - 1)

static const char *put_string(struct probe_builder *builder, const char *text)
{
	return probe_builder_text(builder, text, strlen(text));
}

static double lease_s(const struct probe_status *status, uint64_t now_ns)
{
	if (status->lease_until_ns == UINT64_MAX)
		return -1;
	return status->lease_until_ns > now_ns ? (double)(status->lease_until_ns - now_ns) / 1e9
					       : 0;
}

static void fill_latency(const struct probe_row *row, const uint64_t *buckets,
			 const struct probe_builder_span *span, struct snapshot_latency *out)
{
	uint64_t peak_ns;

	latency_summarize(buckets, 0, out);	/* now max_ns is the highest bucket's end */
	peak_ns = probe_peaks_between(&row->peaks, span->begin_ns, span->end_ns, out->max_ns);
	latency_summarize(buckets, peak_ns, out);
}

/* Returns the rate over the part of the window in which the probe was attached. */
static double hits_per_s(uint64_t hits, const struct probe_row *row, uint64_t begin_ns,
			 uint64_t end_ns)
{
	const uint64_t attached_ns = probe_turns_between(&row->turns, begin_ns, end_ns);

	return snapshot_per_s(hits, (double)attached_ns / 1e9);
}

/* Returns the rate over the baseline's time, without the part left out of it. */
static double base_hits_per_s(uint64_t hits, const struct probe_row *row,
			      const struct baseline *baseline)
{
	const uint64_t attached_ns =
		probe_turns_between(&row->turns, baseline->begin_ns, baseline->end_ns) -
		probe_turns_between(&row->turns, baseline->without_begin_ns,
				    baseline->without_end_ns);

	return snapshot_per_s(hits, (double)attached_ns / 1e9);
}

/* A probe that was attached later, or never, was not there; nor was an event that the other
 * recording lacks. */
static void fill_base(const struct probe_row *row, uint32_t slot,
		      const struct probe_builder_span *span, struct snapshot_probe *out)
{
	const struct baseline *baseline = span->baseline;

	out->base_hits_per_s = -1;
	if (!span->base || !row->first_ns || row->first_ns >= baseline->end_ns ||
	    !baseline_has_event(baseline, row->event))
		return;
	out->base_hits_per_s = base_hits_per_s(probe_fold_hits(span->base, slot), row, baseline);
	if (out->has_latency)
		latency_summarize(span->base->buckets[slot], baseline->peak_ns[slot],
				  &out->base_latency);
}

/* The function of "lat:libx.so:_Z1fi" as it was written, once a sample of it was named. */
static const char *put_meaning(struct probe_builder *builder, const struct ingest *ingest,
			       const char *probe, const struct probe_builder_span *span)
{
	const struct symbol_names *names = &ingest->names;
	const char *colon = strrchr(probe, ':');
	const char *function = colon ? colon + 1 : probe;
	struct str_id id = { 0 };

	if (!span->raw_names && demangle_is_mangled(function))
		id = strpool_find(ingest->strings, function, strlen(function));
	for (uint32_t i = 0; id.v && i < names->count; i++) {
		const struct symbol *symbol = &names->symbols[i];

		if (symbol->name.v != id.v)
			continue;
		id = symbol_names_shown(names, symbol);
		return put_string(builder, id.v == symbol->name.v
					 ? "" : strpool_get(ingest->strings, id));
	}
	return put_string(builder, "");
}

static void fill_clauses(struct probe_builder *builder, const struct probe_spec *spec,
			    struct snapshot_probe *out)
{
	char text[PROBE_SPEC_BYTES];

	out->key_count = spec->key_count;
	out->aggregate_count = spec->aggregate_count;
	for (uint32_t i = 0; i < spec->key_count; i++) {
		probe_key_write(spec, &spec->keys[i], text, sizeof(text));
		out->key_names[i] = put_string(builder, text);
	}
	for (uint32_t i = 0; i < spec->aggregate_count; i++) {
		const struct probe_aggregate *aggregate = &spec->aggregates[i];

		probe_aggregate_write(spec, aggregate, text, sizeof(text));
		out->aggregates[i] = (struct snapshot_aggregate){
			.name = put_string(builder, text), .kind = aggregate->kind,
			.is_ns = probe_aggregate_is_ns(aggregate),
		};
	}
}

static void fill_row(struct probe_builder *builder, const struct ingest *ingest, uint32_t slot,
		     const struct probe_fold *fold, const struct probe_builder_span *span,
		     struct snapshot_probe *out)
{
	const struct probe_hits *hits = ingest->hits;
	const struct probe_row *row = &hits->rows[slot];
	const struct probe_status *status = &row->status;

	*out = (struct snapshot_probe){
		.id = row->id,
		.event = row->event,
		.spec = put_string(builder, row->spec->text),
		.name = put_string(builder, row->name),
		.meaning = put_meaning(builder, ingest, row->name, span),
		.dso = put_string(builder, row->dso),
		.scope = put_string(builder, row->scope),
		.kind = row->spec->kind,
		.edge = row->spec->edge,
		.with_stacks = row->with_stacks,
		.is_in_bursts = status->is_in_bursts,
		.state = status->state,
		.reason = put_string(builder, status->reason),
		.hits = probe_fold_hits(fold, slot),
		.hits_since = status->hits,
		.lost_since = status->lost,
		.missed_since = status->missed,
		.in_flight = probe_hits_in_flight(hits, slot),
		.lease_s = lease_s(status, span->now_ns),
		.cost_pct = status->cost_pct,
		.own_ns = status->own_ns,
		.has_latency = row->spec->edge == PROBE_LATENCY,
		.is_joined = row->spec->edge == PROBE_LATENCY && row->spec->on_count,
	};
	out->hits_per_s = hits_per_s(out->hits, row, span->begin_ns, span->end_ns);
	if (out->has_latency)
		fill_latency(row, fold->buckets[slot], span, &out->latency);
	fill_base(row, slot, span, out);
	fill_clauses(builder, row->spec, out);
}

/* Slots of the probes in the order of their ids, which rise. */
static uint32_t sort_slots(const struct probe_hits *hits, uint32_t *slots)
{
	uint32_t count = 0, at;

	for (uint32_t slot = 0; slot < PROBE_SLOTS; slot++) {
		if (!hits->rows[slot].id)
			continue;
		for (at = count++; at && hits->rows[slots[at - 1]].id > hits->rows[slot].id; at--)
			slots[at] = slots[at - 1];
		slots[at] = slot;
	}
	return count;
}

int probe_builder_fill(struct probe_builder *builder, struct ingest *ingest,
		       const struct probe_fold *fold, const struct probe_builder_span *span)
{
	uint32_t slots[PROBE_SLOTS];

	*builder = (struct probe_builder){ .head.count = sort_slots(ingest->hits, slots) };
	if (span->detail == PROBE_ALL)
		builder->head.detail = PROBE_ALL;
	put_string(builder, "");
	builder->head.hit = (struct snapshot_hit){ .latency_ns = -1 };
	builder->list = calloc(builder->head.count + 1, sizeof(*builder->list));
	if (!builder->list)
		return -ENOMEM;
	for (uint32_t i = 0; i < builder->head.count; i++) {
		fill_row(builder, ingest, slots[i], fold, span, &builder->list[i]);
		if (builder->list[i].id == span->detail)
			builder->head.detail = span->detail;
	}
	if (probe_builder_values(builder, ingest, fold, span) ||
	    probe_builder_times(builder, ingest, span) ||
	    probe_builder_lines(builder, ingest, span) ||
	    probe_builder_groups(builder, ingest, &fold->groups, span))
		return -ENOMEM;
	return builder->is_out_of_memory ? -ENOMEM : 0;
}

void probe_builder_finish(struct probe_builder *builder)
{
	free(builder->list);
	free(builder->values);
	free(builder->lines);
	free(builder->heat);
	free(builder->groups);
	free(builder->group_list);
	free(builder->spreads);
	free(builder->group_heat);
	free(builder->text);
	memset(builder, 0, sizeof(*builder));
}

/* Where the parts begin in the block. */
struct layout {
	size_t values, lines, heat, groups, group_list, spreads, group_heat, text, end;
};

static struct layout layout_of(const struct probe_builder *builder)
{
	const size_t line_count = builder->head.log_count + builder->head.slowest_count;
	struct layout layout;

	layout.values = builder->head.count * sizeof(*builder->list);
	layout.lines = layout.values + builder->value_count * sizeof(*builder->values);
	layout.heat = layout.lines + line_count * sizeof(*builder->lines);
	layout.groups = layout.heat + builder->head.heat.seconds * sizeof(*builder->heat);
	layout.group_list =
		layout.groups + builder->head.group_count * sizeof(*builder->groups);
	layout.spreads = layout.group_list + builder->listed_count * sizeof(*builder->group_list);
	layout.group_heat = layout.spreads + builder->spread_count * sizeof(*builder->spreads);
	layout.text = layout.group_heat + builder->heat_count * sizeof(*builder->group_heat);
	layout.end = (layout.text + builder->text_used + WORD_MASK) & ~WORD_MASK;
	return layout;
}

size_t probe_builder_bytes(const struct probe_builder *builder)
{
	return builder->head.count ? layout_of(builder).end : 0;
}

static const char *at_offset(const char *base, const char *offset)
{
	return base + (uintptr_t)offset;
}

static void join_list(const struct probe_builder *builder, struct snapshot_probe *list,
		      const struct snapshot_value *values, const char *text)
{
	for (uint32_t i = 0; i < builder->head.count; i++) {
		const struct snapshot_probe *from = &builder->list[i];

		list[i] = *from;
		list[i].spec = at_offset(text, from->spec);
		list[i].name = at_offset(text, from->name);
		list[i].meaning = at_offset(text, from->meaning);
		list[i].dso = at_offset(text, from->dso);
		list[i].scope = at_offset(text, from->scope);
		list[i].reason = at_offset(text, from->reason);
		list[i].values = values;
		values += from->value_count;
		for (uint32_t k = 0; k < from->key_count; k++)
			list[i].key_names[k] = at_offset(text, from->key_names[k]);
		for (uint32_t k = 0; k < from->aggregate_count; k++)
			list[i].aggregates[k].name = at_offset(text, from->aggregates[k].name);
	}
}

static void join_values(const struct probe_builder *builder, struct snapshot_value *values,
			const char *text)
{
	for (uint32_t i = 0; i < builder->value_count; i++) {
		const struct snapshot_value *from = &builder->values[i];

		values[i] = *from;
		values[i].name = at_offset(text, from->name);
		values[i].type = at_offset(text, from->type);
		values[i].origin = at_offset(text, from->origin);
		for (uint32_t top = 0; top < from->top_count; top++)
			values[i].top[top].text = at_offset(text, from->top[top].text);
	}
}

static void join_hit(struct snapshot_hit *hit, const char *text)
{
	hit->comm = at_offset(text, hit->comm);
	hit->values = at_offset(text, hit->values);
	hit->stack = at_offset(text, hit->stack);
}

static void join_lines(const struct probe_builder *builder, struct snapshot_hit *lines,
		       const char *text)
{
	for (uint32_t i = 0; i < builder->head.log_count + builder->head.slowest_count; i++) {
		lines[i] = builder->lines[i];
		join_hit(&lines[i], text);
	}
}

static void join_spread(struct snapshot_spread *spread, const char *spreads)
{
	if (spread->count)
		spread->rows = (const struct snapshot_spread_row *)(const void *)(
			spreads + (uintptr_t)spread->rows);
}

static void join_group(struct snapshot_group *group, const struct snapshot_groups *of,
		       const char *spreads, const char *heat, const char *text)
{
	for (uint32_t i = 0; i < of->key_count; i++)
		group->keys[i] = at_offset(text, group->keys[i]);
	join_spread(&group->latency, spreads);
	group->heat = group->latency.count
		      ? (const uint32_t(*)[PROBE_GROUP_SECONDS])(const void *)(
				heat + (uintptr_t)group->heat) : NULL;
	for (uint32_t i = 0; i < of->aggregate_count; i++)
		join_spread(&group->sums[i].spread, spreads);
}

static void join_groups(const struct probe_builder *builder, char *base,
			const struct layout *layout, struct snapshot_probes *out)
{
	struct snapshot_groups *groups =
		(struct snapshot_groups *)(void *)(base + layout->groups);
	struct snapshot_group *list =
		(struct snapshot_group *)(void *)(base + layout->group_list);
	struct snapshot_spread_row *rows =
		(struct snapshot_spread_row *)(void *)(base + layout->spreads);
	const char *text = base + layout->text;

	out->groups = groups;
	for (uint32_t i = 0; i < builder->spread_count; i++) {
		rows[i] = builder->spreads[i];
		rows[i].text = at_offset(text, rows[i].text);
	}
	if (builder->heat_count)
		memcpy(base + layout->group_heat, builder->group_heat,
		       builder->heat_count * sizeof(*builder->group_heat));
	memcpy(list, builder->group_list, builder->listed_count * sizeof(*list));
	for (uint32_t g = 0; g < builder->head.group_count; g++) {
		groups[g] = builder->groups[g];
		groups[g].list = list;
		for (uint32_t i = 0; i < groups[g].key_count; i++)
			groups[g].key_names[i] = at_offset(text, groups[g].key_names[i]);
		for (uint32_t i = 0; i < groups[g].aggregate_count; i++)
			groups[g].aggregates[i].name =
				at_offset(text, groups[g].aggregates[i].name);
		for (uint32_t i = 0; i < groups[g].count; i++)
			join_group(&list[i], &groups[g], base + layout->spreads,
				   base + layout->group_heat, text);
		list += groups[g].count;
	}
}

void probe_builder_join(const struct probe_builder *builder, void *at, struct snapshot_probes *out)
{
	const struct layout layout = layout_of(builder);
	char *base = at, *text = base + layout.text;
	struct snapshot_probe *list = at;
	struct snapshot_value *values = (struct snapshot_value *)(void *)(base + layout.values);
	struct snapshot_hit *lines = (struct snapshot_hit *)(void *)(base + layout.lines);

	*out = builder->head;
	if (!builder->head.count)
		return;
	memcpy(text, builder->text, builder->text_used);
	join_list(builder, list, values, text);
	join_values(builder, values, text);
	join_lines(builder, lines, text);
	join_hit(&out->hit, text);
	if (builder->head.group_count)
		join_groups(builder, base, &layout, out);
	out->list = list;
	out->log = lines;
	out->slowest = lines + builder->head.log_count;
	if (!builder->head.heat.seconds)
		return;
	out->heat.counts = (uint32_t(*)[LATENCY_OCTAVES])(void *)(base + layout.heat);
	memcpy(out->heat.counts, builder->heat,
	       builder->head.heat.seconds * sizeof(*builder->heat));
}
