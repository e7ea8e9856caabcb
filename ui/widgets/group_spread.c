/* group_spread.c - see group_spread.h. */
#include "group_spread.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "charts.h"
#include "format.h"
#include "pieces.h"

#define NAME_BYTES   512
#define NUMBER_BYTES (2 * FORMAT_BYTES)
#define SPREAD_CELLS 46	/* least width of a histogram */
#define SPREAD_MOST  70
#define HEAT_GAP     2
#define HEAT_LEAST   10		/* seconds that a heat map is worth showing of */
#define SPREADS	     (PROBE_AGGREGATES_MAX + 1)

struct spread_view {
	const struct snapshot_spread *spread;
	const char *name;
	bool is_ns, is_top;
	const uint32_t (*heat)[PROBE_GROUP_SECONDS];	/* by row of `spread`; NULL: none */
};

/* The aggregate with the buckets of the latency, which is shown without it, too. */
static const char latency_name[] = "hist(lat)";

static size_t list_spreads(const struct snapshot_groups *groups,
			   const struct snapshot_group *group, struct spread_view out[SPREADS])
{
	bool has_latency = false;
	size_t count = 0;

	for (uint32_t i = 0; i < groups->aggregate_count; i++) {
		const struct snapshot_aggregate *aggregate = &groups->aggregates[i];

		if (aggregate->kind < AGGREGATE_HIST)
			continue;
		out[count] = (struct spread_view){ &group->sums[i].spread, aggregate->name,
						   aggregate->is_ns,
						   aggregate->kind == AGGREGATE_TOP, NULL };
		if (groups->has_latency && !strcmp(aggregate->name, latency_name)) {
			out[count].spread = &group->latency;
			out[count].heat = group->heat;
			has_latency = true;
		}
		count++;
	}
	if (groups->has_latency && !has_latency)
		out[count++] = (struct spread_view){ &group->latency, "latency", true, false,
						     group->heat };
	return count;
}

static char *format_bound(char *out, int64_t bound, bool is_ns)
{
	const uint64_t size = bound < 0 ? 0 - (uint64_t)bound : (uint64_t)bound;
	char text[FORMAT_BYTES];

	if (bound == INT64_MIN || bound == INT64_MAX)
		return strcpy(out, "");
	if (is_ns)
		format_latency(text, size);
	else if (size >= 1024 && !(size & (size - 1)))
		histogram_bound(text, __builtin_ctzll(size), HISTOGRAM_NUMBER);
	else
		format_count(text, size);
	snprintf(out, NUMBER_BYTES, "%s%s", bound < 0 ? "-" : "", text);
	return out;
}

static void format_range(char *out, size_t room, const struct snapshot_spread_row *row, bool is_ns)
{
	char begin[NUMBER_BYTES], end[NUMBER_BYTES];

	format_bound(begin, row->begin, is_ns);
	format_bound(end, row->end, is_ns);
	if (!is_ns && row->begin + 1 == row->end)
		snprintf(out, room, "%s", begin);
	else
		snprintf(out, room, "%s..%s", begin, end);
}

struct spread_sums {
	uint64_t total, most;
};

static struct spread_sums sums_of(const struct snapshot_spread *spread)
{
	struct spread_sums sums = { 0, 0 };

	for (uint32_t i = 0; i < spread->count; i++) {
		sums.total += spread->rows[i].count;
		sums.most = spread->rows[i].count > sums.most ? spread->rows[i].count : sums.most;
	}
	return sums;
}

/* Cuts the ends of the spread, the rarer first, to @room rows. */
static void cut_ends(const struct snapshot_spread *spread, uint32_t room, uint32_t *first,
		     uint32_t *end)
{
	*first = 0;
	*end = spread->count;
	while (*end - *first > room) {
		if (spread->rows[*first].count < spread->rows[*end - 1].count)
			++*first;
		else
			--*end;
	}
}

static void draw_top(const struct snapshot_spread_row *row, uint64_t total, struct canvas *canvas,
		     struct canvas_area area)
{
	char number[FORMAT_BYTES], pct[FORMAT_BYTES], text[NAME_BYTES];

	snprintf(text, sizeof(text), "%6s %6s  %s", format_count(number, row->count),
		 format_pct(pct, total ? 100.0 * (double)row->count / (double)total : 0),
		 row->text);
	canvas_put_text(canvas, area, canvas_clean(text), ROLE_TEXT);
}

/* The newest second at the right edge of @area. */
static void draw_heat_row(const uint32_t heat[PROBE_GROUP_SECONDS], uint32_t most,
			  struct canvas *canvas, struct canvas_area area)
{
	const int width = area.width < PROBE_GROUP_SECONDS ? area.width : PROBE_GROUP_SECONDS;
	struct canvas_area cell = { area.x + area.width - width, area.y, 1 };

	for (int second = PROBE_GROUP_SECONDS - width; second < PROBE_GROUP_SECONDS;
	     second++, cell.x++)
		heat_map_put_level(canvas, cell, heat_map_level(heat[second], most));
}

static uint32_t most_heat(const struct spread_view *view)
{
	uint32_t most = 0;

	for (uint32_t i = 0; view->heat && i < view->spread->count; i++)
		for (int second = 0; second < PROBE_GROUP_SECONDS; second++)
			most = view->heat[i][second] > most ? view->heat[i][second] : most;
	return most;
}

static void draw_spread_rows(const struct spread_view *view, struct canvas *canvas,
			     struct canvas_area area, struct canvas_area heat, int end)
{
	const uint32_t most = most_heat(view);

	const struct snapshot_spread *spread = view->spread;
	const struct spread_sums sums = sums_of(spread);
	uint32_t first, last;
	uint64_t below = 0;
	char range[2 * NUMBER_BYTES];

	cut_ends(spread, (uint32_t)(end - area.y), &first, &last);
	if (view->is_top)
		first = 0;
	for (uint32_t i = 0; i < spread->count; i++) {
		const struct snapshot_spread_row *row = &spread->rows[i];
		const double pct = sums.total ? 100.0 * (double)(below += row->count) /
						(double)sums.total : 0;

		if (i < first || i >= last || area.y >= end)
			continue;
		format_range(range, sizeof(range), row, view->is_ns);
		if (view->is_top)
			draw_top(row, sums.total, canvas, area);
		else
			histogram_draw_count(range, row->count, pct, sums.most, canvas, area);
		heat.y = area.y;
		if (view->heat && heat.width > 0)
			draw_heat_row(view->heat[i], most, canvas, heat);
		area.y++;
	}
}

static void draw_spread(const struct spread_view *view, const char *group, const char *until,
			struct canvas *canvas, struct canvas_area area, struct canvas_area heat,
			int end)
{
	struct pieces line = { .gap = " of " };
	char text[NUMBER_BYTES];

	pieces_add(&line, 0, ROLE_TEXT, "%s", view->name);
	pieces_add(&line, 0, ROLE_NAME, "%s", group);
	pieces_put(canvas, area, &line);
	area.y++;
	if (!view->spread->count) {
		canvas_put_text(canvas, area, SAFE_TEXT("no hit had a value"), ROLE_DIM);
		return;
	}
	if (view->is_top)
		canvas_put_text(canvas, area, SAFE_TEXT(" COUNT      %  VALUE"), ROLE_HEADING);
	else
		histogram_draw_titles(canvas, area);
	heat.y = area.y++;
	snprintf(text, sizeof(text), "%d s to %s", heat.width, until);
	if (heat.width > 0)
		canvas_put_right(canvas, heat, canvas_clean(text), ROLE_HEADING);
	draw_spread_rows(view, canvas, area, heat, end);
}

bool group_spread_is_any(const struct snapshot_groups *groups)
{
	struct spread_view spreads[SPREADS];

	return list_spreads(groups, &groups->list[0], spreads);
}

/* Returns how many cells the heat map gets beside @count histograms; 0: there is no room or
 * none. */
static int heat_cells(const struct spread_view *spreads, size_t count, int width)
{
	const int room = width - (int)count * SPREAD_CELLS - HEAT_GAP;
	bool has_heat = false;

	for (size_t i = 0; i < count; i++)
		has_heat |= spreads[i].heat != NULL;
	return !has_heat || room < HEAT_LEAST ? 0
	       : room < PROBE_GROUP_SECONDS ? room : PROBE_GROUP_SECONDS;
}

void group_spread_draw(const struct snapshot_groups *groups, const struct snapshot_group *group,
		       const char *name, const char *until, struct canvas *canvas,
		       struct canvas_area area, int end)
{
	struct spread_view spreads[SPREADS];
	size_t count = list_spreads(groups, group, spreads);
	int step, heat;

	while (count > 1 && area.width / (int)count < SPREAD_CELLS)
		count--;
	if (!count)
		return;
	heat = heat_cells(spreads, count, area.width);
	step = (area.width - (heat ? heat + HEAT_GAP : 0)) / (int)count;
	area.width = step - (count > 1 ? 2 : 0);
	if (area.width > SPREAD_MOST)
		area.width = SPREAD_MOST;
	for (size_t i = 0; i < count; i++, area.x += step) {
		const struct canvas_area map = { area.x + area.width + HEAT_GAP, area.y,
						 spreads[i].heat ? heat : 0 };

		draw_spread(&spreads[i], name, until, canvas, area, map, end);
		area.x += map.width ? map.width + HEAT_GAP : 0;
	}
}
