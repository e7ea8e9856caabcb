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
#define SPREADS	     (PROBE_AGGREGATES_MAX + 1)

struct spread_view {
	const struct snapshot_spread *spread;
	const char *name;
	bool is_ns, is_top;
};

static size_t list_spreads(const struct snapshot_groups *groups,
			   const struct snapshot_group *group, struct spread_view out[SPREADS])
{
	size_t count = 0;

	for (uint32_t i = 0; i < groups->aggregate_count; i++)
		if (groups->aggregates[i].kind >= AGGREGATE_HIST)
			out[count++] = (struct spread_view){
				&group->sums[i].spread, groups->aggregates[i].name,
				groups->aggregates[i].is_ns,
				groups->aggregates[i].kind == AGGREGATE_TOP,
			};
	if (groups->has_latency)
		out[count++] = (struct spread_view){ &group->latency, "latency", true, false };
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

static void draw_spread_rows(const struct spread_view *view, struct canvas *canvas,
			     struct canvas_area area, int end)
{
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
		area.y++;
	}
}

static void draw_spread(const struct spread_view *view, const char *group, struct canvas *canvas,
			struct canvas_area area, int end)
{
	struct pieces line = { .gap = " of " };

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
	area.y++;
	draw_spread_rows(view, canvas, area, end);
}

bool group_spread_is_any(const struct snapshot_groups *groups)
{
	struct spread_view spreads[SPREADS];

	return list_spreads(groups, &groups->list[0], spreads);
}

void group_spread_draw(const struct snapshot_groups *groups, const struct snapshot_group *group,
		       const char *name, struct canvas *canvas, struct canvas_area area, int end)
{
	struct spread_view spreads[SPREADS];
	const int width = area.width;
	size_t count = list_spreads(groups, group, spreads);

	while (count > 1 && width / (int)count < SPREAD_CELLS)
		count--;
	if (!count)
		return;
	area.width = width / (int)count - (count > 1 ? 2 : 0);
	if (area.width > SPREAD_MOST)
		area.width = SPREAD_MOST;
	for (size_t i = 0; i < count; i++, area.x += width / (int)count)
		draw_spread(&spreads[i], name, canvas, area, end);
}
