/* hit_group_lines.c - see hit_group_lines.h. */
#include "hit_group_lines.h"

#include <inttypes.h>
#include <string.h>

#include "base/safe_print.h"
#include "base/sanitize.h"

#define GROUPS_SHOWN 20		/* in text: most hits first; JSON has all that a snapshot has */
#define BAR_CELLS    40
#define BOUND_BYTES  32
#define NAME_BYTES   256

static void format_number(char text[BOUND_BYTES], int64_t value, bool is_ns)
{
	static const struct { int64_t ns; const char *unit; } units[] = {
		{ 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" },
	};

	snprintf(text, BOUND_BYTES, is_ns ? "%" PRId64 "ns" : "%" PRId64, value);
	for (size_t i = 0; is_ns && i < sizeof(units) / sizeof(units[0]); i++) {
		if (value < units[i].ns)
			continue;
		snprintf(text, BOUND_BYTES, "%.1f%s", (double)value / (double)units[i].ns,
			 units[i].unit);
		return;
	}
}

static bool is_mean(const struct snapshot_aggregate *aggregate)
{
	return aggregate->kind == AGGREGATE_AVG;
}

static bool has_number(const struct snapshot_aggregate *aggregate)
{
	switch (aggregate->kind) {
	case AGGREGATE_SUM:
	case AGGREGATE_AVG:
	case AGGREGATE_MIN:
	case AGGREGATE_MAX:
		return true;
	default:
		return false;
	}
}

static int column_cells(const struct snapshot_aggregate *aggregate)
{
	const int cells = (int)strlen(aggregate->name);

	return cells > 9 ? cells : 9;
}

static void put_sum(FILE *out, const struct snapshot_aggregate *aggregate,
		    const struct snapshot_sum *sum)
{
	char text[BOUND_BYTES] = "-";

	if (sum->count && is_mean(aggregate) && !aggregate->is_ns)
		snprintf(text, sizeof(text), "%.1f", (double)sum->value / (double)sum->count);
	else if (sum->count)
		format_number(text, is_mean(aggregate) ? sum->value / (int64_t)sum->count
						       : sum->value, aggregate->is_ns);
	safe_print(out, "  %*s", column_cells(aggregate), sanitize_checked(text));
}

static void put_time(FILE *out, uint64_t ns)
{
	char text[BOUND_BYTES];

	format_number(text, (int64_t)ns, true);
	safe_print(out, "  %8s", sanitize_checked(text));
}

static void put_titles(FILE *out, const struct snapshot_groups *groups)
{
	safe_print(out, "      %9s  %9s", SAFE_TEXT("HITS"), SAFE_TEXT("HITS/s"));
	if (groups->has_latency)
		safe_print(out, "  %8s  %8s  %8s  %8s", SAFE_TEXT("MEAN"), SAFE_TEXT("P50"),
			   SAFE_TEXT("P99"), SAFE_TEXT("MAX"));
	for (uint32_t i = 0; i < groups->aggregate_count; i++)
		if (has_number(&groups->aggregates[i]))
			safe_print(out, "  %*s", column_cells(&groups->aggregates[i]),
				   sanitize_checked(groups->aggregates[i].name));
	for (uint32_t i = 0; i < groups->key_count; i++)
		safe_print(out, "  %s%s", i ? SAFE_TEXT("") : SAFE_TEXT("by "),
			   sanitize_checked(groups->key_names[i]));
	safe_put(out, "\n");
}

static void put_range(char *text, size_t room, const struct snapshot_spread_row *row, bool is_ns)
{
	char begin[BOUND_BYTES] = "", end[BOUND_BYTES] = "";

	if (row->text[0]) {
		/* A text without room is cut between two characters. */
		sanitize_text(text, room, row->text, strlen(row->text));
		return;
	}
	if (row->begin != INT64_MIN)
		format_number(begin, row->begin, is_ns);
	if (row->end != INT64_MAX)
		format_number(end, row->end, is_ns);
	if (row->begin != INT64_MIN && row->end - 1 == row->begin)
		snprintf(text, room, "%s", begin);
	else
		snprintf(text, room, "%s..%s", begin, end);
}

/* The histogram, or the most frequent values, of one aggregate of a group. */
static void put_spread(FILE *out, const struct snapshot_aggregate *aggregate,
		       const struct snapshot_spread *spread)
{
	uint64_t most = 1;

	if (!spread->count)
		return;
	safe_print(out, "        %s\n", sanitize_checked(aggregate->name));
	for (uint32_t i = 0; i < spread->count; i++)
		most = spread->rows[i].count > most ? spread->rows[i].count : most;
	for (uint32_t i = 0; i < spread->count; i++) {
		const struct snapshot_spread_row *row = &spread->rows[i];
		const size_t cells = (size_t)((double)row->count * BAR_CELLS / (double)most + 0.5);
		char bar[BAR_CELLS + 1], range[NAME_BYTES];

		memset(bar, ' ', BAR_CELLS);
		memset(bar, '#', cells);
		bar[BAR_CELLS] = '\0';
		put_range(range, sizeof(range), row, aggregate->is_ns);
		safe_print(out, "      %24s  %9" PRIu64 "  |%s|\n", sanitize_checked(range),
			   row->count, sanitize_checked(bar));
	}
}

static void put_group(FILE *out, const struct snapshot_groups *groups,
		      const struct snapshot_group *group)
{
	safe_print(out, "      %9" PRIu64, group->count);
	if (group->per_s < 0)
		safe_print(out, "  %9s", SAFE_TEXT("-"));
	else
		safe_print(out, "  %9.1f", group->per_s);
	if (groups->has_latency) {
		put_time(out, group->count ? group->latency_ns / group->count : 0);
		put_time(out, group->p50_ns);
		put_time(out, group->p99_ns);
		put_time(out, group->max_ns);
	}
	for (uint32_t i = 0; i < groups->aggregate_count; i++)
		if (has_number(&groups->aggregates[i]))
			put_sum(out, &groups->aggregates[i], &group->sums[i]);
	for (uint32_t i = 0; i < groups->key_count; i++)
		safe_print(out, "  %s", sanitize_checked(group->keys[i]));
	safe_put(out, "\n");
	for (uint32_t i = 0; i < groups->aggregate_count; i++)
		put_spread(out, &groups->aggregates[i], &group->sums[i].spread);
}

void text_put_hit_groups(FILE *out, const struct snapshot_groups *groups)
{
	uint64_t left_out = groups->left_out, hits = groups->left_out_hits;

	put_titles(out, groups);
	for (uint32_t i = 0; i < groups->count; i++) {
		if (i < GROUPS_SHOWN) {
			put_group(out, groups, &groups->list[i]);
			continue;
		}
		left_out++;
		hits += groups->list[i].count;
	}
	if (left_out)
		safe_print(out, "      %9" PRIu64 "  hits in %" PRIu64 " more groups\n", hits,
			   left_out);
}

/* Fills @name with what @aggregate is of: "bytes * 512" of "sum(bytes * 512)", "lat" of "hist(lat,
 * 1ms)". */
static void find_value_name(const struct snapshot_aggregate *aggregate, char name[NAME_BYTES])
{
	const char *open = strchr(aggregate->name, '(');
	const char *begin = open ? open + 1 : aggregate->name;
	size_t bytes = 0;
	int depth = 0;

	for (; begin[bytes]; bytes++) {
		depth += (begin[bytes] == '(') - (begin[bytes] == ')');
		if (depth < 0 || (!depth && begin[bytes] == ','))
			break;
	}
	snprintf(name, NAME_BYTES, "%.*s", (int)bytes, begin);
}

static void put_value_name(FILE *out, const struct snapshot_aggregate *aggregate)
{
	char name[NAME_BYTES];

	find_value_name(aggregate, name);
	safe_put_json(out, sanitize_checked(name));
}

/* Writes the key of aggregate @index among those of its kind: its value or, if several are of that
 * value, its whole text, as "hist(lat, 1ms)". */
static void put_key(FILE *out, const struct snapshot_groups *groups, uint32_t index)
{
	const struct snapshot_aggregate *aggregate = &groups->aggregates[index];
	char name[NAME_BYTES], other[NAME_BYTES];
	bool is_alone = true;

	find_value_name(aggregate, name);
	for (uint32_t i = 0; i < groups->aggregate_count; i++) {
		if (i == index || groups->aggregates[i].kind != aggregate->kind)
			continue;
		find_value_name(&groups->aggregates[i], other);
		is_alone &= strcmp(name, other) != 0;
	}
	safe_put_json(out, sanitize_checked(is_alone ? name : aggregate->name));
}

static void put_json_number(FILE *out, const struct snapshot_aggregate *aggregate,
			    const struct snapshot_sum *sum)
{
	if (!sum->count)
		safe_put(out, "null");
	else if (is_mean(aggregate))
		safe_print(out, "%.3f", (double)sum->value / (double)sum->count);
	else
		safe_print(out, "%" PRId64, sum->value);
}

static void put_json_bound(FILE *out, int64_t bound)
{
	if (bound == INT64_MIN || bound == INT64_MAX)
		safe_put(out, "null");
	else
		safe_print(out, "%" PRId64, bound);
}

/* [[begin, end, count], ...], of top() [[text, count], ...]. */
static void put_json_spread(FILE *out, const struct snapshot_spread *spread, bool is_top)
{
	safe_put(out, "[");
	for (uint32_t i = 0; i < spread->count; i++) {
		const struct snapshot_spread_row *row = &spread->rows[i];

		safe_put_text(out, i ? SAFE_TEXT(",[") : SAFE_TEXT("["));
		if (is_top) {
			safe_put_json(out, sanitize_checked(row->text));
		} else {
			put_json_bound(out, row->begin);
			safe_put(out, ",");
			put_json_bound(out, row->end);
		}
		safe_print(out, ",%" PRIu64 "]", row->count);
	}
	safe_put(out, "]");
}

/* Counts by octave, from 2^0 on; zero and negative numbers are not in it. */
static void put_json_octaves(FILE *out, const struct snapshot_spread *spread)
{
	int64_t next = 1;
	bool is_first = true;

	safe_put(out, "[");
	for (uint32_t i = 0; i < spread->count; i++) {
		const struct snapshot_spread_row *row = &spread->rows[i];

		if (row->end <= 1)
			continue;
		for (; next < row->begin; next *= 2, is_first = false)
			safe_put_text(out, is_first ? SAFE_TEXT("0") : SAFE_TEXT(",0"));
		safe_print(out, "%s%" PRIu64, is_first ? SAFE_TEXT("") : SAFE_TEXT(","),
			   row->count);
		is_first = false;
		next = row->end;
	}
	safe_put(out, "]");
}

static bool is_by_powers(const struct snapshot_aggregate *aggregate)
{
	return aggregate->kind == AGGREGATE_HIST && !strchr(aggregate->name, ',');
}

/* Writes ,"sum":{"bytes":4096,...} of the aggregates of @kind; nothing if there are none. */
static void put_json_kind(FILE *out, const struct snapshot_groups *groups,
			  const struct snapshot_group *group, enum probe_aggregate_kind kind,
			  const char *title)
{
	bool is_first = true;

	for (uint32_t i = 0; i < groups->aggregate_count; i++) {
		const struct snapshot_aggregate *aggregate = &groups->aggregates[i];

		if (aggregate->kind != kind)
			continue;
		if (is_first)
			safe_print(out, ",\"%s\":{", sanitize_checked(title));
		else
			safe_put(out, ",");
		put_key(out, groups, i);
		safe_put(out, ":");
		if (has_number(aggregate))
			put_json_number(out, aggregate, &group->sums[i]);
		else
			put_json_spread(out, &group->sums[i].spread, kind == AGGREGATE_TOP);
		is_first = false;
	}
	if (!is_first)
		safe_put(out, "}");
}

static void put_json_log2(FILE *out, const struct snapshot_groups *groups,
			  const struct snapshot_group *group)
{
	bool is_first = true;

	for (uint32_t i = 0; i < groups->aggregate_count; i++) {
		if (!is_by_powers(&groups->aggregates[i]))
			continue;
		safe_put_text(out, is_first ? SAFE_TEXT(",\"log2\":{") : SAFE_TEXT(","));
		put_value_name(out, &groups->aggregates[i]);
		safe_put(out, ":");
		put_json_octaves(out, &group->sums[i].spread);
		is_first = false;
	}
	if (!is_first)
		safe_put(out, "}");
}

static void put_json_group(FILE *out, const struct snapshot_groups *groups,
			   const struct snapshot_group *group)
{
	safe_put(out, "{\"keys\":{");
	for (uint32_t i = 0; i < groups->key_count; i++) {
		if (i)
			safe_put(out, ",");
		safe_put_json(out, sanitize_checked(groups->key_names[i]));
		safe_put(out, ":");
		safe_put_json(out, sanitize_checked(group->keys[i]));
	}
	safe_print(out, "},\"is_other\":%s,\"count\":%" PRIu64,
		   group->is_other ? SAFE_TEXT("true") : SAFE_TEXT("false"), group->count);
	if (groups->has_latency) {
		safe_print(out, ",\"latency_ns\":{\"sum\":%" PRIu64 ",\"p50\":%" PRIu64
			   ",\"p99\":%" PRIu64 ",\"max\":%" PRIu64 ",\"log2\":",
			   group->latency_ns, group->p50_ns, group->p99_ns, group->max_ns);
		put_json_octaves(out, &group->latency);
		safe_put(out, "}");
	}
	put_json_kind(out, groups, group, AGGREGATE_SUM, "sum");
	put_json_kind(out, groups, group, AGGREGATE_AVG, "avg");
	put_json_kind(out, groups, group, AGGREGATE_MIN, "min");
	put_json_kind(out, groups, group, AGGREGATE_MAX, "max");
	put_json_log2(out, groups, group);
	put_json_kind(out, groups, group, AGGREGATE_HIST, "hist");
	put_json_kind(out, groups, group, AGGREGATE_LHIST, "lhist");
	put_json_kind(out, groups, group, AGGREGATE_TOP, "top");
	safe_put(out, "}");
}

void json_put_hit_groups(FILE *out, const struct snapshot_groups *groups)
{
	safe_put(out, ",\"groups\":[");
	for (uint32_t i = 0; i < groups->count; i++) {
		if (i)
			safe_put(out, ",");
		put_json_group(out, groups, &groups->list[i]);
	}
	safe_print(out, "],\"groups_left_out\":%" PRIu64 ",\"groups_left_out_hits\":%" PRIu64,
		   groups->left_out, groups->left_out_hits);
}
