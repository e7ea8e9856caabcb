/* group_table.c - see group_table.h.
 *
 * Idea: what was asked for is kept longest on a narrow screen: the keys, the share of the weight
 * and its sum, then the aggregates. The lower half belongs to the histogram of the cursor's row,
 * or more where there are few rows, so that moving the cursor moves no line.
 */
#include "group_table.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "change.h"
#include "charts.h"
#include "format.h"
#include "group_spread.h"
#include "hit_weight.h"
#include "pieces.h"
#include "search.h"
#include "symbol_fold.h"

#define MARKER_CELLS   2
#define GAP_CELLS      1
#define BAR_CELLS      8
#define BAR_BYTES      64
#define SPARK_CELLS    10
#define SPARK_MOST     30
#define AGGREGATE_LEAST 8	/* "-12.4k" with a gap, or a short title */
#define AGGREGATE_MOST 14
#define KEY_LEAST      16	/* cells that the keys have in any case */
#define KEY_MOST       24	/* a key that is not the last */
#define STACK_LEAST    30	/* a stack is longer than other keys */
#define NAME_BYTES     512
#define SPREAD_LEAST   5	/* lines that a histogram is worth showing on */
#define LEAST_CHANGE   0.005	/* points; less is shown as none */
#define NUMBER_BYTES   (2 * FORMAT_BYTES)

struct layout {
	struct { int x, width; } places[GROUP_COL_COUNT];	/* width 0: not shown */
};

/* Rows and their order. */

static double weight_of(const struct snapshot_group *group, unsigned int weight)
{
	if (weight == HIT_WEIGHT_COUNT)
		return (double)group->count;
	if (weight == HIT_WEIGHT_LATENCY)
		return (double)group->latency_ns;
	return (double)group->sums[weight - HIT_WEIGHT_AGGREGATE].value;
}

static double base_weight_of(const struct snapshot_group_base *base, unsigned int weight)
{
	const double sum = weight == HIT_WEIGHT_COUNT ? (double)base->count
			   : weight == HIT_WEIGHT_LATENCY ? (double)base->latency_ns
			   : (double)base->sums[weight - HIT_WEIGHT_AGGREGATE];

	return sum > 0 ? sum : 0;
}

static double pct_of(double part, double whole)
{
	return whole > 0 && part > 0 ? 100 * part / whole : 0;
}

static double base_pct(const struct group_table *table, const struct snapshot_group *group)
{
	return pct_of(base_weight_of(&group->base, table->weight),
		      base_weight_of(&table->groups->base, table->weight));
}

/* Returns the change of the group's share since the baseline, in percentage points. */
static double change_of(const struct group_table *table, const struct snapshot_group *group)
{
	return pct_of(weight_of(group, table->weight), table->whole) - base_pct(table, group);
}

static double mean_ns(const struct snapshot_group *group)
{
	return group->count ? (double)group->latency_ns / (double)group->count : 0;
}

/* The number that aggregate @kind has in @sum; NAN: no hit had a value. */
static double number_of(const struct snapshot_sum *sum, enum probe_aggregate_kind kind)
{
	if (!sum->count)
		return NAN;
	return kind == AGGREGATE_AVG ? (double)sum->value / (double)sum->count
	       : kind == AGGREGATE_COUNT ? (double)sum->count : (double)sum->value;
}

/* Returns the number in a column of numbers. */
static double cell_of(const struct group_table *table, const struct snapshot_group *group,
		      enum group_table_column column)
{
	const int aggregate = (int)column - GROUP_COL_AGGREGATE;

	switch (column) {
	case GROUP_COL_CHANGE: return floor(fabs(change_of(table, group)) / LEAST_CHANGE);
	case GROUP_COL_BASE: return base_pct(table, group);
	case GROUP_COL_RATE: return group->per_s;
	case GROUP_COL_MEAN: return mean_ns(group);
	case GROUP_COL_P50:  return (double)group->p50_ns;
	case GROUP_COL_P99:  return (double)group->p99_ns;
	case GROUP_COL_MAX:  return (double)group->max_ns;
	default:
		break;
	}
	if (aggregate >= 0 && aggregate < PROBE_AGGREGATES_MAX)
		return number_of(&group->sums[aggregate],
				 table->groups->aggregates[aggregate].kind);
	return weight_of(group, table->weight);
}

static bool is_key(enum group_table_column column)
{
	return column >= GROUP_COL_KEY;
}

/* Compares numbers by size, texts by characters. */
static int compare_texts(const char *a, const char *b)
{
	char *end_a, *end_b;
	const long double left = strtold(a, &end_a), right = strtold(b, &end_b);

	if (end_a == a || end_b == b || *end_a || *end_b)
		return strcmp(a, b);
	return (left > right) - (left < right);
}

/* Compares the keys from @first on; those before it are the least important. */
static int compare_keys(const struct group_table *table, uint32_t first,
			const struct snapshot_group *left, const struct snapshot_group *right)
{
	const uint32_t count = table->groups->key_count;
	int result = 0;

	for (uint32_t i = 0; i < count && !result; i++)
		result = compare_texts(left->keys[(first + i) % count],
				       right->keys[(first + i) % count]);
	return result;
}

static int compare_cells(const struct group_table *table, const struct snapshot_group *left,
			 const struct snapshot_group *right)
{
	double a, b;

	if (is_key(table->sort))
		return compare_keys(table, table->sort - GROUP_COL_KEY, left, right);
	a = cell_of(table, left, table->sort);
	b = cell_of(table, right, table->sort);
	if (table->sort == GROUP_COL_CHANGE && a <= b && b <= a) {
		a = weight_of(left, table->weight);
		b = weight_of(right, table->weight);
	}
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return (a < b) - (a > b);
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct group_table *table = context;
	const struct snapshot_group *left = &table->groups->list[*(const uint16_t *)a];
	const struct snapshot_group *right = &table->groups->list[*(const uint16_t *)b];
	int result;

	if (left->is_other != right->is_other)
		return left->is_other - right->is_other;
	result = compare_cells(table, left, right);
	if (result)
		return table->is_reversed ? -result : result;
	return (left->id > right->id) - (left->id < right->id);
}

static struct table_extent extent_of(const struct group_table *table)
{
	return (struct table_extent){ table->count, table->page };
}

static const struct snapshot_group *row_at(const struct group_table *table, size_t index)
{
	return &table->groups->list[table->order[index]];
}

static void keep_id(struct group_table *table)
{
	if (table->count)
		table->place.cursor_id = row_at(table, table->place.cursor)->id;
}

/* Sorts the rows; the cursor stays with its group. */
static void arrange(struct group_table *table)
{
	size_t cursor = table->place.cursor;

	qsort_r(table->order, table->count, sizeof(table->order[0]), compare_rows, table);
	for (size_t i = 0; i < table->count; i++)
		if (row_at(table, i)->id == table->place.cursor_id)
			cursor = table_place_follow(&table->place, i);
	if (!table->count)	/* an empty snapshot forgets nothing */
		return;
	table_place_set(&table->place, extent_of(table), cursor);
	keep_id(table);
}

bool group_table_has(const struct group_table *table, enum group_table_column column)
{
	const struct snapshot_groups *groups = table->groups;
	const unsigned int aggregate = (unsigned int)column - GROUP_COL_AGGREGATE;

	if (is_key(column))
		return column - GROUP_COL_KEY < groups->key_count;
	if (column == GROUP_COL_CHANGE || column == GROUP_COL_BASE)
		return groups->is_compared;
	if (column >= GROUP_COL_MEAN && column <= GROUP_COL_MAX)
		return groups->has_latency;
	if (column < GROUP_COL_AGGREGATE || column == GROUP_COL_SPARK)
		return true;
	if (aggregate >= groups->aggregate_count ||
	    aggregate + HIT_WEIGHT_AGGREGATE - table->weight == 0)
		return aggregate < groups->aggregate_count &&
		       groups->aggregates[aggregate].kind == AGGREGATE_AVG;
	return groups->aggregates[aggregate].kind < AGGREGATE_HIST;
}

static bool is_order(const struct group_table *table, enum group_table_column column)
{
	return column != GROUP_COL_BAR && column != GROUP_COL_SHARE && column != GROUP_COL_SPARK &&
	       group_table_has(table, column);
}

/* While groups are compared those that have changed most come first, as in other tables. */
static void choose_order(struct group_table *table)
{
	const bool is_compared = table->groups->is_compared;

	if (!is_order(table, table->sort)) {
		table->sort = GROUP_COL_SUM;
		table->is_reversed = false;
	}
	if (is_compared && !table->is_compared && table->sort == GROUP_COL_SUM &&
	    !table->is_reversed)
		table->sort = GROUP_COL_CHANGE;
	table->is_compared = is_compared;
}

static double left_out_weight(const struct snapshot_groups *groups, unsigned int weight)
{
	if (weight == HIT_WEIGHT_COUNT)
		return (double)groups->left_out_hits;
	if (weight == HIT_WEIGHT_LATENCY)
		return (double)groups->left_out_latency_ns;
	return fmax((double)groups->left_out_sums[weight - HIT_WEIGHT_AGGREGATE], 0);
}

/* Returns 100 % of the shares: what all groups weigh. Fills *@most, the weight of one at most. */
static double whole_of(const struct snapshot_groups *groups, unsigned int weight, double *most)
{
	double whole = left_out_weight(groups, weight);

	*most = 0;
	for (uint32_t i = 0; i < groups->count; i++) {
		const double part = weight_of(&groups->list[i], weight);

		whole += part > 0 ? part : 0;
		*most = part > *most ? part : *most;
	}
	return whole;
}

void group_table_refresh(struct group_table *table, const struct snapshot_probes *of,
			 const struct snapshot_probe *probe, unsigned int weight)
{
	table->probe = probe;
	table->groups = NULL;
	table->count = 0;
	for (uint32_t i = 0; of && probe && i < of->group_count; i++)
		if (of->groups[i].probe == probe->id)
			table->groups = &of->groups[i];
	if (!table->groups)
		return;
	table->weight = hit_weight_of(probe, weight);
	choose_order(table);
	table->whole = whole_of(table->groups, table->weight, &table->most);
	while (table->count < table->groups->count && table->count < PROBE_GROUPS_SHOWN) {
		table->order[table->count] = (uint16_t)table->count;
		table->count++;
	}
	arrange(table);
}

const struct snapshot_group *group_table_cursor(const struct group_table *table)
{
	return table->place.cursor < table->count ? row_at(table, table->place.cursor) : NULL;
}

void group_table_move(struct group_table *table, enum view_move move)
{
	table_place_move(&table->place, extent_of(table), move);
	keep_id(table);
}

void group_table_scroll(struct group_table *table, int lines)
{
	table_place_scroll(&table->place, extent_of(table), lines);
	keep_id(table);
}

void group_table_select(struct group_table *table, size_t index)
{
	table->place.is_moved = true;
	table_place_set(&table->place, extent_of(table), index);
	keep_id(table);
}

bool group_table_find(struct group_table *table, const char *search, int step)
{
	char name[NAME_BYTES];
	size_t at = table->place.cursor;

	for (size_t i = 0; i <= table->count && table->count; i++) {
		at = i || step ? (at + (step < 0 ? table->count - 1 : 1)) % table->count : at;
		group_table_name(table->groups, row_at(table, at), name, sizeof(name));
		if (search_matches(search, name)) {
			group_table_select(table, at);
			return true;
		}
	}
	return false;
}

void group_table_sort_by(struct group_table *table, enum group_table_column column)
{
	if (!table->groups)
		return;
	if (column == GROUP_COL_SHARE || column == GROUP_COL_BAR)
		column = GROUP_COL_SUM;
	table->is_reversed = column == table->sort && !table->is_reversed;
	table->sort = column;
	arrange(table);
}

void group_table_sort_next(struct group_table *table)
{
	enum group_table_column column = table->sort;

	if (!table->groups)
		return;
	do
		column = (enum group_table_column)((column + 1) % GROUP_COL_COUNT);
	while (!is_order(table, column));
	if (column != table->sort)
		group_table_sort_by(table, column);
}

void group_table_reverse(struct group_table *table)
{
	if (table->groups)
		group_table_sort_by(table, table->sort);
}

/* Texts. */

/* A number alone says little: "fd=3". */
static bool is_number(const char *key)
{
	return isdigit((unsigned char)key[key[0] == '-']);
}

char *group_table_name(const struct snapshot_groups *groups, const struct snapshot_group *group,
		       char *out, size_t room)
{
	size_t used = 0;

	snprintf(out, room, "%s", group->is_other ? "(other)"
			    : groups->key_count ? "" : "all hits");
	for (uint32_t i = 0; i < groups->key_count && !group->is_other && used < room; i++)
		used += (size_t)snprintf(out + used, room - used, "%s%s%s%s", i ? ", " : "",
					 is_number(group->keys[i]) ? groups->key_names[i] : "",
					 is_number(group->keys[i]) ? "=" : "", group->keys[i]);
	return out;
}

/* Numbers below a thousand, such as means, with as many digits as they have room for. */
static char *format_number(char *out, bool is_ns, double number)
{
	if (isnan(number))
		snprintf(out, FORMAT_BYTES, "-");
	else if (is_ns && number >= 0)
		format_latency(out, (uint64_t)(number + 0.5));
	else if (!is_ns && fabs(number) < 1000 && number != floor(number))
		snprintf(out, FORMAT_BYTES, "%.*f", fabs(number) < 10 ? 2 : 1, number);
	else
		hit_weight_format(out, is_ns, number);
	return out;
}

/* A rare hit is not none. */
static char *format_rate(char *out, double per_s)
{
	if (per_s < 0)
		snprintf(out, FORMAT_BYTES, "-");
	else if (per_s > 0 && per_s < 9.95)
		snprintf(out, FORMAT_BYTES, "%.*f", per_s < 0.095 ? 2 : 1, per_s);
	else
		format_count(out, (uint64_t)(per_s + 0.5));
	return out;
}

static bool is_ns_weight(const struct group_table *table)
{
	return table->weight == HIT_WEIGHT_LATENCY ||
	       (table->weight >= HIT_WEIGHT_AGGREGATE &&
		table->groups->aggregates[table->weight - HIT_WEIGHT_AGGREGATE].is_ns);
}

static char *format_cell(const struct group_table *table, const struct snapshot_group *group,
			 enum group_table_column column, char *out)
{
	const double number = cell_of(table, group, column);
	const int aggregate = (int)column - GROUP_COL_AGGREGATE;

	if (column == GROUP_COL_SUM)
		return hit_weight_format(out, is_ns_weight(table), number);
	if (column == GROUP_COL_RATE)
		return format_rate(out, number);
	if (aggregate >= 0)
		return format_number(out, table->groups->aggregates[aggregate].is_ns, number);
	return format_number(out, true, number > 0 ? number : NAN);
}

static char *upper(char *text)
{
	for (char *at = text; *at; at++)
		*at = (char)toupper((unsigned char)*at);
	return text;
}

char *group_table_title(const struct group_table *table, enum group_table_column column, char *out)
{
	static const char *const titles[GROUP_COL_AGGREGATE] = {
		[GROUP_COL_BAR] = "", [GROUP_COL_CHANGE] = "\u0394%", [GROUP_COL_BASE] = "A%",
		[GROUP_COL_RATE] = "HITS/S", [GROUP_COL_MEAN] = "MEAN",
		[GROUP_COL_P50] = "P50", [GROUP_COL_P99] = "P99", [GROUP_COL_MAX] = "MAX",
	};
	const char *of = table->weight == HIT_WEIGHT_COUNT ? "HITS" : "SUM";

	if (column == GROUP_COL_SHARE || column == GROUP_COL_SUM)
		snprintf(out, GROUP_TITLE_BYTES, "%s%s", of,
			 column == GROUP_COL_SHARE ? "%" : "");
	else if (column < GROUP_COL_AGGREGATE || column == GROUP_COL_SPARK)
		snprintf(out, GROUP_TITLE_BYTES, "%s",
			 column == GROUP_COL_SPARK ? "" : titles[column]);
	else
		snprintf(out, GROUP_TITLE_BYTES, "%s",
			 is_key(column) ? table->groups->key_names[column - GROUP_COL_KEY]
			 : table->groups->aggregates[column - GROUP_COL_AGGREGATE].name);
	return upper(out);
}

const char *group_table_help(enum group_table_column column)
{
	switch (column) {
	case GROUP_COL_SHARE: return "the group's share of what all hits weigh: W chooses it";
	case GROUP_COL_CHANGE:
		return "comparing: the change of its share, in percentage points";
	case GROUP_COL_BASE:  return "comparing: its share in the baseline A";
	case GROUP_COL_SUM:   return "what its hits weigh: their number, latency, or a sum";
	case GROUP_COL_RATE:  return "hits a second";
	case GROUP_COL_MEAN:  return "mean latency of its calls";
	case GROUP_COL_P50:   return "latency that half of them do not exceed";
	case GROUP_COL_P99:   return "and 99 % of them";
	case GROUP_COL_MAX:   return "the slowest";
	case GROUP_COL_KEY:   return "the keys; (other): hits for whose keys there was no room";
	default:
		return "";	/* aggregates have their names */
	}
}

void group_table_format(const struct group_table *table, const struct snapshot_group *group,
			char *out, size_t room)
{
	const struct snapshot_groups *groups = table->groups;
	char number[FORMAT_BYTES];
	size_t used = 0;

	out[0] = '\0';
	for (uint32_t i = 0; i < groups->key_count && used < room; i++)
		used += (size_t)snprintf(out + used, room - used, "%s=%s ", groups->key_names[i],
					 group->is_other ? "(other)" : group->keys[i]);
	if (used < room)
		used += (size_t)snprintf(out + used, room - used, "hits=%" PRIu64, group->count);
	if (groups->has_latency && used < room)
		used += (size_t)snprintf(out + used, room - used, " lat=%" PRIu64 "ns",
					 group->latency_ns);
	for (uint32_t i = 0; i < groups->aggregate_count && used < room; i++) {
		const struct snapshot_aggregate *aggregate = &groups->aggregates[i];

		if (aggregate->kind != AGGREGATE_COUNT && aggregate->kind < AGGREGATE_HIST)
			used += (size_t)snprintf(out + used, room - used, " %s=%s",
						 aggregate->name,
						 format_number(number, aggregate->is_ns,
							       number_of(&group->sums[i],
									 aggregate->kind)));
	}
}

enum hit_order group_table_hit_order(const struct group_table *table, unsigned int weight,
				     bool is_comparing, bool *is_reversed)
{
	const enum group_table_column sort = table->sort;
	const unsigned int aggregate = weight - HIT_WEIGHT_AGGREGATE;

	*is_reversed = table->is_reversed && !is_key(sort);
	if (is_comparing && (sort == GROUP_COL_CHANGE ||
			     (!table->is_compared && sort == GROUP_COL_SUM && !*is_reversed)))
		return HIT_ORDER_CHANGE;
	if (sort == GROUP_COL_SUM && weight >= HIT_WEIGHT_AGGREGATE)
		return (enum hit_order)(HIT_ORDER_SUM + aggregate);
	if (sort == GROUP_COL_SUM)
		return weight == HIT_WEIGHT_LATENCY ? HIT_ORDER_LATENCY : HIT_ORDER_HITS;
	if (sort >= GROUP_COL_MEAN && sort <= GROUP_COL_MAX)
		return (enum hit_order)(HIT_ORDER_MEAN + (sort - GROUP_COL_MEAN));
	if (sort >= GROUP_COL_AGGREGATE && sort < GROUP_COL_SPARK)
		return (enum hit_order)(HIT_ORDER_AGGREGATE + (sort - GROUP_COL_AGGREGATE));
	return HIT_ORDER_HITS;	/* keys are texts, which only groups with a row have */
}

/* Columns. */

static int natural_cells(const struct group_table *table, const struct canvas *canvas, uint32_t key)
{
	char title[GROUP_TITLE_BYTES];
	int cells = canvas_text_width(canvas, group_table_title(table, GROUP_COL_KEY + key, title));

	for (size_t i = 0; i < table->count; i++) {
		const int width = canvas_text_width(canvas, row_at(table, i)->keys[key]);

		cells = width > cells ? width : cells;
	}
	return cells + 1 < KEY_MOST ? cells + 1 : KEY_MOST;
}

static int column_cells(const struct group_table *table, const struct canvas *canvas,
			enum group_table_column column)
{
	char title[GROUP_TITLE_BYTES];
	int cells;

	switch (column) {
	case GROUP_COL_SHARE: return 6;
	case GROUP_COL_BAR:   return BAR_CELLS;
	case GROUP_COL_CHANGE:
	case GROUP_COL_BASE:  return 6;
	case GROUP_COL_SUM:
	case GROUP_COL_RATE:  return 7;
	case GROUP_COL_SPARK: return SPARK_CELLS;
	default:
		break;
	}
	if (column < GROUP_COL_AGGREGATE)
		return 6;
	cells = canvas_text_width(canvas, group_table_title(table, column, title)) + 1;
	return cells < AGGREGATE_LEAST ? AGGREGATE_LEAST
	       : cells > AGGREGATE_MOST ? AGGREGATE_MOST : cells;
}

/* Narrows the keys to @room, the last of them first; gives the last what is left. */
static void fit_keys(const struct group_table *table, const struct canvas *canvas,
		     struct layout *out, int room)
{
	const uint32_t count = table->groups->key_count ? table->groups->key_count : 1;

	for (uint32_t i = 0; i < count; i++) {
		const int left = (int)(count - 1 - i) * (KEY_LEAST / 2 + GAP_CELLS);
		int cells = i + 1 < count ? natural_cells(table, canvas, i) : room;

		if (cells > room - left)
			cells = room - left;
		out->places[GROUP_COL_KEY + i].width = cells > 0 ? cells : 0;
		room -= cells + GAP_CELLS;
	}
}

/* The names of keys that are stacks end in the word. */
static bool is_stack(const char *name)
{
	static const char word[] = "stack";
	const size_t length = strlen(name);

	return length >= strlen(word) && !strcmp(name + length - strlen(word), word);
}

static int least_of_keys(const struct snapshot_groups *groups)
{
	const uint32_t count = groups->key_count;
	int least = KEY_LEAST + (count > 1 ? (int)(count - 1) * (KEY_LEAST / 2) : 0);

	for (uint32_t i = 0; i < count; i++)
		least += is_stack(groups->key_names[i]) ? STACK_LEAST - KEY_LEAST : 0;
	return least;
}

static void fit(const struct group_table *table, const struct canvas *canvas, struct layout *out)
{
	/* The first is dropped first; the aggregates, the last first, follow GROUP_COL_P50. */
	static const enum group_table_column dropped[] = {
		GROUP_COL_SPARK, GROUP_COL_P50, GROUP_COL_MEAN, GROUP_COL_MAX,
		GROUP_COL_AGGREGATE + 7, GROUP_COL_AGGREGATE + 6, GROUP_COL_AGGREGATE + 5,
		GROUP_COL_AGGREGATE + 4, GROUP_COL_AGGREGATE + 3, GROUP_COL_AGGREGATE + 2,
		GROUP_COL_BASE, GROUP_COL_BAR, GROUP_COL_RATE,
		GROUP_COL_AGGREGATE + 1, GROUP_COL_P99,
		GROUP_COL_AGGREGATE, GROUP_COL_SUM,
	};
	const int least = least_of_keys(table->groups);
	int room = canvas->width - MARKER_CELLS - 1, x = MARKER_CELLS;
	int *spark;

	memset(out, 0, sizeof(*out));
	spark = &out->places[GROUP_COL_SPARK].width;
	for (int id = 0; id < GROUP_COL_KEY; id++) {
		if (!group_table_has(table, (enum group_table_column)id))
			continue;
		out->places[id].width = column_cells(table, canvas, (enum group_table_column)id);
		room -= out->places[id].width + GAP_CELLS;
	}
	for (size_t i = 0; i < sizeof(dropped) / sizeof(dropped[0]) && room < least; i++) {
		int *width = &out->places[dropped[i]].width;

		room += *width ? *width + GAP_CELLS : 0;
		*width = 0;
	}
	while (*spark && *spark < SPARK_MOST && room > least + KEY_MOST) {
		++*spark;
		room--;
	}
	fit_keys(table, canvas, out, room);
	for (int id = 0; id < GROUP_COL_COUNT; id++) {
		out->places[id].x = x;
		x += out->places[id].width ? out->places[id].width + GAP_CELLS : 0;
	}
}

static struct canvas_area place_of(const struct layout *layout, int id, int y)
{
	return (struct canvas_area){ layout->places[id].x, y, layout->places[id].width };
}

static void draw_titles(const struct group_table *table, const struct layout *layout,
			struct canvas *canvas, int y, struct hits *hits)
{
	const char *arrow = table->is_reversed ? "\u25b2" : "\u25bc";
	char title[GROUP_TITLE_BYTES], text[GROUP_TITLE_BYTES + 4];

	for (int id = 0; id < GROUP_COL_COUNT; id++) {
		const struct canvas_area area = place_of(layout, id, y);
		const bool is_sorted = id == (int)table->sort;

		if (!area.width || !group_table_has(table, (enum group_table_column)id))
			continue;
		group_table_title(table, (enum group_table_column)id, title);
		if (is_key((enum group_table_column)id)) {
			snprintf(text, sizeof(text), "%s%s", title, is_sorted ? arrow : "");
			canvas_put_text(canvas, area, canvas_clean(text), ROLE_HEADING);
		} else {
			snprintf(text, sizeof(text), "%s%s", is_sorted ? arrow : "", title);
			canvas_put_right(canvas, area, canvas_clean(text), ROLE_HEADING);
		}
		if (id != GROUP_COL_SPARK)
			hits_add(hits, (struct hit){ HIT_GROUP_TITLE, area.x, y, area.width, 1,
						     (size_t)id });
	}
}

static bool is_gone(const struct snapshot_group *group)
{
	return !group->count && group->base.count;
}

static void draw_share(const struct group_table *table, const struct layout *layout,
		       const struct snapshot_group *group, struct canvas *canvas, int y)
{
	const struct canvas_area bar = place_of(layout, GROUP_COL_BAR, y);
	const double weight = weight_of(group, table->weight);
	const double pct = pct_of(weight, table->whole);
	const enum role role = is_gone(group) ? ROLE_DIM : row_role_of_share(pct);
	char text[BAR_BYTES];

	if (is_gone(group))
		snprintf(text, sizeof(text), "gone");
	else
		format_pct(text, pct);
	canvas_put_right(canvas, place_of(layout, GROUP_COL_SHARE, y), canvas_clean(text), role);
	if (!bar.width || table->most <= 0)
		return;
	format_bar(text, sizeof(text), bar.width, weight > 0 ? weight / table->most : 0,
		   canvas->is_ascii);
	canvas_put_text(canvas, bar, canvas_clean(text), role);
}

/* Draws the share's change, and what it was. */
static void draw_change(const struct group_table *table, const struct layout *layout,
			const struct snapshot_group *group, struct canvas *canvas, int y)
{
	const struct canvas_area change = place_of(layout, GROUP_COL_CHANGE, y);
	const struct canvas_area base = place_of(layout, GROUP_COL_BASE, y);
	const double points = change_of(table, group);
	char text[FORMAT_BYTES] = "new";

	if (change.width && group->base.count)
		change_format_points(text, points);
	if (change.width)
		canvas_put_right(canvas, change, canvas_clean(text), change_role(points));
	if (base.width && group->base.count)
		canvas_put_right(canvas, base,
				 canvas_clean(format_pct(text, base_pct(table, group))),
				 ROLE_DIM);
}

static void draw_keys(const struct group_table *table, const struct layout *layout,
		      const struct snapshot_group *group, struct canvas *canvas, int y)
{
	const struct canvas_area first = place_of(layout, GROUP_COL_KEY, y);
	const uint32_t count = table->groups->key_count;
	char name[NAME_BYTES];

	if (group->is_other || !count)
		canvas_put_text(canvas, first,
				canvas_clean(group_table_name(table->groups, group, name,
							      sizeof(name))), ROLE_DIM);
	for (uint32_t i = 0; i < count && !group->is_other; i++)
		canvas_put_text(canvas, place_of(layout, GROUP_COL_KEY + (int)i, y),
				canvas_clean(group->keys[i]), ROLE_NAME);
}

static void draw_row(const struct group_table *table, const struct layout *layout,
		     const struct snapshot_group *group, struct canvas *canvas, int y)
{
	char text[FORMAT_BYTES];

	draw_share(table, layout, group, canvas, y);
	draw_change(table, layout, group, canvas, y);
	for (int id = GROUP_COL_SUM; id < GROUP_COL_SPARK; id++)
		if (layout->places[id].width)
			canvas_put_right(canvas, place_of(layout, id, y),
					 canvas_clean(format_cell(table, group,
								  (enum group_table_column)id,
								  text)),
					 id == GROUP_COL_RATE ? ROLE_DIM : ROLE_TEXT);
	if (layout->places[GROUP_COL_SPARK].width)
		sparkline_draw_counts(group->spark, table->groups->spark_count, canvas,
				      place_of(layout, GROUP_COL_SPARK, y));
	draw_keys(table, layout, group, canvas, y);
}

static void draw_rows(struct group_table *table, const struct layout *layout, const char *search,
		      struct canvas *canvas, int y)
{
	const size_t end = table->place.top + table->page;

	for (size_t i = table->place.top; i < table->count && i < end; i++, y++) {
		draw_row(table, layout, row_at(table, i), canvas, y);
		if (i == table->place.cursor)
			canvas_select_line(canvas, y);
		search_highlight(canvas, (struct canvas_area){ 0, y, canvas->width }, search);
	}
}

/* The line about the hits that have no row of their own. */

static char *format_exact(char *out, uint64_t number)
{
	char digits[FORMAT_BYTES];
	const int length = snprintf(digits, sizeof(digits), "%" PRIu64, number);
	size_t used = 0;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			out[used++] = ',';
		out[used++] = digits[i];
	}
	out[used] = '\0';
	return out;
}

static bool has_others(const struct group_table *table)
{
	return table->groups->left_out ||
	       (table->count && row_at(table, table->count - 1)->is_other);
}

/* True: the groups without a row have fewer hits than the others. */
static bool is_by_hits(const struct group_table *table)
{
	bool is_reversed;

	return group_table_hit_order(table, table->weight, table->is_compared, &is_reversed) ==
	       HIT_ORDER_HITS && !is_reversed;
}

static void draw_sum(const struct group_table *table, struct canvas *canvas, int y)
{
	const struct snapshot_groups *groups = table->groups;
	const bool has_other = table->count && row_at(table, table->count - 1)->is_other;
	const uint64_t other = has_other ? row_at(table, table->count - 1)->count : 0;
	struct pieces line = { .gap = " + " };
	char all[NUMBER_BYTES], rows[NUMBER_BYTES], text[NUMBER_BYTES];
	uint64_t sum = 0;

	for (size_t i = 0; i < table->count; i++)
		sum += row_at(table, i)->count;
	pieces_add(&line, 0, ROLE_DIM, "%s hits = %s in rows",
		   format_exact(all, sum + groups->left_out_hits),
		   format_exact(rows, sum - other));
	if (has_other)
		pieces_add(&line, 0, ROLE_DIM, "%s other: no room for their keys",
			   format_exact(text, other));
	if (groups->left_out)
		pieces_add(&line, 0, ROLE_DIM, "%s in %s %s groups",
			   format_exact(text, groups->left_out_hits),
			   format_exact(all, groups->left_out),
			   is_by_hits(table) ? "rarer" : "more");
	pieces_put(canvas, (struct canvas_area){ MARKER_CELLS, y, canvas->width - 3 }, &line);
}

static void draw_spread(const struct group_table *table, struct canvas *canvas, int y, int end)
{
	const struct snapshot_group *group = group_table_cursor(table);
	char name[NAME_BYTES];

	group_table_name(table->groups, group, name, sizeof(name));
	group_spread_draw(table->groups, group, name, table->until, canvas,
			  (struct canvas_area){ MARKER_CELLS, y,
						canvas->width - MARKER_CELLS - 1 }, end);
}

void group_table_draw(struct group_table *table, const char *search, struct canvas *canvas,
		      int top, int end, struct hits *hits)
{
	const int bottom = end - has_others(table);
	const int lines = bottom - top - 1;	/* without the titles */
	int rows = lines, spread;
	struct layout layout;

	if (!table->count || lines < 1)
		return;
	if (group_spread_is_any(table->groups) && lines / 2 > SPREAD_LEAST)
		rows = lines - lines / 2;
	if ((size_t)rows > table->count)
		rows = (int)table->count;
	table->page = (size_t)rows;
	table_place_fit(&table->place, extent_of(table));
	fit(table, canvas, &layout);
	draw_titles(table, &layout, canvas, top, hits);
	draw_rows(table, &layout, search, canvas, top + 1);
	hits_add(hits, (struct hit){ HIT_ROWS, 0, top + 1, canvas->width, rows,
				     table->place.top });
	spread = top + 1 + rows + 1;
	if (group_spread_is_any(table->groups) && bottom - spread >= SPREAD_LEAST)
		draw_spread(table, canvas, spread, bottom - has_others(table));
	if (has_others(table))
		draw_sum(table, canvas, bottom);
}
