/* probe_tables.c - probes, groups of their hits and histograms as tables: see table_columns.h.
 *
 * Probes have different keys and aggregates, a table has the same columns in all its rows: so each
 * name has a column once, and it is empty for a probe that does not have it. The names are those of
 * the specs. Keys begin with "by ", since an argument may be named as another column is.
 */
#include "table_columns.h"

#include <inttypes.h>
#include <string.h>

#include "base/safe_print.h"

#define NAME_BYTES (PROBE_SPEC_BYTES + 4)
#define RATE_DIGITS 1		/* as in JSON */

static const struct snapshot_probe no_probe = { .spec = "", .name = "", .dso = "", .reason = "" };

static void put_probe(struct cells *cells, uint64_t time_ns, const struct snapshot_probe *probe)
{
	const struct snapshot_latency *latency = &probe->latency;
	const bool has_latency = probe->has_latency && latency->count;

	cells_count(cells, "time_ns", NULL, time_ns);
	cells_text(cells, "probe", "PROBE", probe->name);
	cells_text(cells, "spec", NULL, probe->spec);
	cells_text(cells, "dso", NULL, probe->dso);
	cells_word(cells, "state", "STATE", probe_state_name(probe->state));
	cells_count(cells, "hits", "HITS", probe->hits);
	cells_real(cells, "hits_per_s", "HITS/s", probe->hits_per_s >= 0, probe->hits_per_s,
		   RATE_DIGITS);
	cells_number(cells, "latency_count", NULL, probe->has_latency, (int64_t)latency->count);
	cells_time(cells, "p50_ns", "P50", has_latency, latency->p50_ns);
	cells_time(cells, "p90_ns", "P90", has_latency, latency->p90_ns);
	cells_time(cells, "p99_ns", "P99", has_latency, latency->p99_ns);
	cells_time(cells, "max_ns", "MAX", has_latency, latency->max_ns);
	cells_count(cells, "unpaired", NULL, probe->unpaired);
	cells_count(cells, "filtered", NULL, probe->filtered);
	cells_count(cells, "missed", NULL, probe->missed_since);
	cells_count(cells, "lost", "LOST", probe->lost_since);
	cells_real(cells, "cost_pct", NULL, true, probe->cost_pct, 3);
	cells_text(cells, "reason", "REASON", probe->reason);
	cells_end(cells);
}

void probe_table_write(struct cells *cells, const struct snapshot *snapshot)
{
	if (!snapshot)
		put_probe(cells, 0, &no_probe);
	for (uint32_t i = 0; snapshot && i < snapshot->probes.count; i++)
		put_probe(cells, snapshot->time_ns, &snapshot->probes.list[i]);
}

/* Writes a column for each name of a key; those that @groups lacks stay empty. */
static void put_keys(struct cells *cells, const struct table_columns *columns,
		     const struct snapshot_groups *groups, const char *const *keys)
{
	for (uint32_t i = 0; i < columns->keys_of_hits.count; i++) {
		const char *name = columns->keys_of_hits.list[i], *text = "";
		char title[NAME_BYTES];

		for (uint32_t k = 0; k < groups->key_count; k++)
			if (!strcmp(groups->key_names[k], name) && keys[k])
				text = keys[k];
		snprintf(title, sizeof(title), "by %s", name);
		cells_text(cells, title, title, text);
	}
}

static void put_sum(struct cells *cells, const char *name,
		    const struct snapshot_aggregate *aggregate, const struct snapshot_sum *sum)
{
	const bool is_known = sum->count;

	if (aggregate->kind == AGGREGATE_AVG)
		cells_real(cells, name, aggregate->is_ns ? NULL : name, is_known,
			   is_known ? (double)sum->value / (double)sum->count : 0, 3);
	else
		cells_number(cells, name, aggregate->is_ns ? NULL : name, is_known, sum->value);
	if (aggregate->is_ns)
		cells_time(cells, NULL, name, is_known,
			   is_known ? (uint64_t)sum->value /
				      (aggregate->kind == AGGREGATE_AVG ? sum->count : 1) : 0);
}

/* The name of an aggregate begins with its kind, and only some have one number. */
static bool is_number(const char *name)
{
	return !strncmp(name, "sum(", 4) || !strncmp(name, "avg(", 4) ||
	       !strncmp(name, "min(", 4) || !strncmp(name, "max(", 4);
}

static void put_sums(struct cells *cells, const struct table_columns *columns,
		     const struct snapshot_groups *groups, const struct snapshot_sum *sums)
{
	static const struct snapshot_aggregate none;
	static const struct snapshot_sum nothing;

	for (uint32_t i = 0; i < columns->aggregates.count; i++) {
		const char *name = columns->aggregates.list[i];
		uint32_t at = 0;

		if (!is_number(name))
			continue;
		while (at < groups->aggregate_count && strcmp(groups->aggregates[at].name, name))
			at++;
		if (at < groups->aggregate_count)
			put_sum(cells, name, &groups->aggregates[at], &sums[at]);
		else
			put_sum(cells, name, &none, &nothing);
	}
}

static void put_hit_group(struct cells *cells, const struct table_columns *columns,
			  uint64_t time_ns, const struct snapshot_probe *probe,
			  const struct snapshot_groups *groups,
			  const struct snapshot_group *group, uint64_t count)
{
	const bool has_rest = count != 1, has_latency = groups->has_latency && group->count;

	cells_count(cells, "time_ns", NULL, time_ns);
	cells_text(cells, "probe", "PROBE", probe->name);
	cells_count(cells, "groups", "GROUPS", count);
	put_keys(cells, columns, groups, group->keys);
	cells_word(cells, "is_other", NULL, group->is_other ? "true" : "false");
	cells_count(cells, "count", "HITS", group->count);
	cells_real(cells, "hits_per_s", "HITS/s", group->per_s >= 0, group->per_s, RATE_DIGITS);
	if (columns->has_latency) {
		cells_time(cells, "latency_sum_ns", "SUM", has_latency, group->latency_ns);
		cells_time(cells, "latency_mean_ns", "MEAN", has_latency,
			   has_latency ? group->latency_ns / group->count : 0);
		cells_time(cells, "p50_ns", "P50", has_latency && !has_rest, group->p50_ns);
		cells_time(cells, "p99_ns", "P99", has_latency && !has_rest, group->p99_ns);
		cells_time(cells, "max_ns", "MAX", has_latency && !has_rest, group->max_ns);
	}
	put_sums(cells, columns, groups, group->sums);
	cells_end(cells);
}

/* The groups without room are one row, so that the counts of all rows add up to the hits. */
static void put_rest(struct cells *cells, const struct table_columns *columns, uint64_t time_ns,
		     const struct snapshot_probe *probe, const struct snapshot_groups *groups)
{
	struct snapshot_group rest = {
		.is_other = true, .count = groups->left_out_hits, .per_s = -1,
		.latency_ns = groups->left_out_latency_ns,
	};

	for (uint32_t i = 0; i < groups->aggregate_count; i++)
		if (groups->aggregates[i].kind == AGGREGATE_SUM)
			rest.sums[i] = (struct snapshot_sum){ .count = rest.count,
							      .value = groups->left_out_sums[i] };
	if (groups->left_out)
		put_hit_group(cells, columns, time_ns, probe, groups, &rest, groups->left_out);
}

void hit_group_table_write(struct cells *cells, const struct table_columns *columns,
			   const struct snapshot *snapshot)
{
	static const struct snapshot_groups no_groups;
	static const struct snapshot_group no_group;

	if (!snapshot) {
		put_hit_group(cells, columns, 0, &no_probe, &no_groups, &no_group, 1);
		return;
	}
	for (uint32_t i = 0; i < snapshot->probes.count; i++) {
		const struct snapshot_probe *probe = &snapshot->probes.list[i];
		const struct snapshot_groups *groups =
			snapshot_groups_find(&snapshot->probes, probe->id);

		for (uint32_t g = 0; groups && g < groups->count; g++)
			put_hit_group(cells, columns, snapshot->time_ns, probe, groups,
				      &groups->list[g], 1);
		if (groups)
			put_rest(cells, columns, snapshot->time_ns, probe, groups);
	}
}

/* What the buckets of one row have in common. */
struct spread_owner {
	uint64_t time_ns;
	const struct snapshot_probe *probe;
	const struct snapshot_groups *groups;
	const char *const *keys;
	const char *aggregate;
	bool has_texts;		/* buckets are values, not ranges */
};

static void put_bucket(struct cells *cells, const struct table_columns *columns,
		       const struct spread_owner *owner, const struct snapshot_spread_row *row)
{
	const bool has_range = !owner->has_texts;

	cells_count(cells, "time_ns", NULL, owner->time_ns);
	cells_text(cells, "probe", "PROBE", owner->probe->name);
	put_keys(cells, columns, owner->groups, owner->keys);
	cells_text(cells, "aggregate", "AGGREGATE", owner->aggregate);
	cells_text(cells, "value", "VALUE", row->text);
	cells_number(cells, "begin", "BEGIN", has_range && row->begin != INT64_MIN, row->begin);
	cells_number(cells, "end", "END", has_range && row->end != INT64_MAX, row->end);
	cells_count(cells, "count", "HITS", row->count);
	cells_end(cells);
}

static void put_spread(struct cells *cells, const struct table_columns *columns,
		       const struct spread_owner *owner, const struct snapshot_spread *spread)
{
	for (uint32_t i = 0; i < spread->count; i++)
		if (spread->rows[i].count)
			put_bucket(cells, columns, owner, &spread->rows[i]);
}

static void put_octaves(struct cells *cells, const struct table_columns *columns,
			const struct spread_owner *owner, const uint64_t *octaves)
{
	for (int i = 0; i < LATENCY_OCTAVES; i++) {
		const struct snapshot_spread_row row = {
			.text = "", .begin = i ? INT64_C(1) << (i < 63 ? i : 62) : 0,
			.end = i < 62 ? INT64_C(1) << (i + 1) : INT64_MAX, .count = octaves[i],
		};

		if (row.count)
			put_bucket(cells, columns, owner, &row);
	}
}

static void put_histograms(struct cells *cells, const struct table_columns *columns,
			   struct spread_owner *owner)
{
	for (uint32_t g = 0; g < owner->groups->count; g++) {
		const struct snapshot_group *group = &owner->groups->list[g];

		owner->keys = group->keys;
		owner->aggregate = "lat";
		owner->has_texts = false;
		put_spread(cells, columns, owner, &group->latency);
		for (uint32_t i = 0; i < owner->groups->aggregate_count; i++) {
			owner->aggregate = owner->groups->aggregates[i].name;
			owner->has_texts = owner->groups->aggregates[i].kind == AGGREGATE_TOP;
			put_spread(cells, columns, owner, &group->sums[i].spread);
		}
	}
}

void histogram_table_write(struct cells *cells, const struct table_columns *columns,
			   const struct snapshot *snapshot)
{
	static const struct snapshot_groups no_groups;
	static const struct snapshot_spread_row no_row = { .text = "" };
	struct spread_owner owner = { .probe = &no_probe, .groups = &no_groups,
				      .aggregate = "lat" };

	if (!snapshot)
		put_bucket(cells, columns, &owner, &no_row);
	for (uint32_t i = 0; snapshot && i < snapshot->probes.count; i++) {
		const struct snapshot_groups *groups =
			snapshot_groups_find(&snapshot->probes, snapshot->probes.list[i].id);

		owner.time_ns = snapshot->time_ns;
		owner.aggregate = "lat";
		owner.has_texts = false;
		owner.probe = &snapshot->probes.list[i];
		owner.groups = groups ? groups : &no_groups;
		if (groups)
			put_histograms(cells, columns, &owner);
		else if (owner.probe->has_latency)
			put_octaves(cells, columns, &owner, owner.probe->latency.octaves);
	}
}
