/* counter_series.c - see counter_series.h.
 *
 * Invariant: what is shown was counted. Where nothing was read there is no point, and no value.
 */
#include "counter_series.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define SECOND_NS    CLOCK_NS_PER_S
#define MINUTE_NS    (60 * SECOND_NS)
#define LATE_NS	     (2 * SECOND_NS)	/* by then a live second was read */
#define TOTALS_MOST  1440		/* 20 minutes of seconds and four hours of minutes */
#define ROWS_BYTES   ((size_t)1 << 20)	/* for the values by row; fewer seconds on large machines */
#define ROWS_LEAST   4

void counter_opening_finish(struct counter_opening *opening)
{
	free(opening->events);
	free(opening->rows);
	memset(opening, 0, sizeof(*opening));
}

/* Points. */

static void finish_points(struct counter_points *points)
{
	free(points->spans);
	free(points->values);
	memset(points, 0, sizeof(*points));
}

static struct counter_value *values_at(const struct counter_points *points, size_t index)
{
	return points->values + index * points->width;
}

static void add_values(struct counter_value *sums, const struct counter_value *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		sums[i].value += values[i].value;
		sums[i].enabled_ns += values[i].enabled_ns;
		sums[i].running_ns += values[i].running_ns;
	}
}

/* Joins points of the same minute that touch, and are older than the activity graph shows. */
static void join_minutes(struct counter_points *points, uint64_t now_ns)
{
	const uint64_t seconds_ns = (ACTIVITY_POINTS + 2) * SECOND_NS;
	size_t kept = 0;

	for (size_t i = 1; i < points->count; i++) {
		struct counter_span *last = &points->spans[kept], span = points->spans[i];

		if (now_ns - span.end_ns > seconds_ns && last->end_ns == span.begin_ns &&
		    last->begin_ns / MINUTE_NS == span.begin_ns / MINUTE_NS) {
			last->end_ns = span.end_ns;
			add_values(values_at(points, kept), values_at(points, i), points->width);
			continue;
		}
		points->spans[++kept] = span;
		memmove(values_at(points, kept), values_at(points, i),
			points->width * sizeof(*points->values));
	}
	points->count = points->count ? kept + 1 : 0;
}

static void drop_oldest(struct counter_points *points, size_t count)
{
	points->count -= count;
	memmove(points->spans, points->spans + count, points->count * sizeof(*points->spans));
	memmove(points->values, values_at(points, count),
		points->count * points->width * sizeof(*points->values));
}

/* Makes room for one more point. False: no memory. */
static bool reserve_point(struct counter_points *points, uint64_t now_ns)
{
	size_t room = points->room ? 2 * points->room : 16;
	struct counter_span *spans;
	struct counter_value *values;

	if (points->count == points->most)
		join_minutes(points, now_ns);
	if (points->count == points->most)
		drop_oldest(points, points->most / 8 + 1);
	if (points->count < points->room)
		return true;
	if (room > points->most)
		room = points->most;
	spans = realloc(points->spans, room * sizeof(*spans));
	if (spans)
		points->spans = spans;
	values = realloc(points->values, room * points->width * sizeof(*values));
	if (values)
		points->values = values;
	if (!spans || !values)
		return false;
	points->room = room;
	return true;
}

/* Appends a point and returns its values, zeroed; NULL: no memory, the stretch becomes a gap. */
static struct counter_value *append_point(struct counter_points *points,
					  struct counter_span span)
{
	struct counter_value *values;

	if (!points->width || !points->most || !reserve_point(points, span.end_ns))
		return NULL;
	points->spans[points->count] = span;
	values = values_at(points, points->count++);
	memset(values, 0, points->width * sizeof(*values));
	return values;
}

static uint64_t middle_of(struct counter_span span)
{
	return span.begin_ns + (span.end_ns - span.begin_ns) / 2;
}

static bool contains(struct counter_span span, uint64_t ns)
{
	return span.begin_ns <= ns && ns < span.end_ns;
}

/* Returns the index of the first point of the window and their number in *@count; 0: none. */
static size_t find_points(const struct counter_points *points, struct counter_span window,
			  size_t *count)
{
	size_t first = 0, end;

	while (first < points->count && middle_of(points->spans[first]) < window.begin_ns)
		first++;
	for (end = first; end < points->count && middle_of(points->spans[end]) < window.end_ns;)
		end++;
	*count = end - first;
	if (*count)
		return first;
	for (first = 0; first < points->count; first++) {
		*count = contains(points->spans[first], middle_of(window));
		if (*count)
			break;
	}
	return first;
}

/* Adds the points of the window to @sums[width]. Returns how many seconds they are. */
static double sum_points(const struct counter_points *points, struct counter_span window,
			 struct counter_value *sums)
{
	uint64_t counted_ns = 0;
	size_t count, first = find_points(points, window, &count);

	for (size_t i = first; i < first + count; i++) {
		counted_ns += points->spans[i].end_ns - points->spans[i].begin_ns;
		add_values(sums, values_at(points, i), points->width);
	}
	return (double)counted_ns / (double)SECOND_NS;
}

/* A series. */

void counter_series_finish(struct counter_series *series)
{
	counter_opening_finish(&series->opening);
	finish_points(&series->totals);
	finish_points(&series->rows);
	free(series->last);
	memset(series, 0, sizeof(*series));
}

static bool has_same_events(const struct counter_opening *a, const struct counter_opening *b)
{
	if (a->event_count != b->event_count)
		return false;
	for (size_t i = 0; i < a->event_count; i++)
		if (strcmp(a->events[i].name, b->events[i].name))
			return false;
	return true;
}

static bool has_same_rows(const struct counter_opening *a, const struct counter_opening *b)
{
	if (a->row_count != b->row_count || a->rows_are != b->rows_are)
		return false;
	for (size_t i = 0; i < a->row_count; i++)
		if (a->rows[i].number != b->rows[i].number ||
		    (a->rows_are == COUNTER_PER_CGROUP && strcmp(a->rows[i].text, b->rows[i].text)))
			return false;
	return true;
}

static void shape_points(struct counter_points *points, size_t width, size_t most)
{
	if (points->width != width)
		finish_points(points);
	points->width = width;
	points->most = most;
}

void counter_series_open(struct counter_series *series, enum counters_of of, uint32_t id,
			  struct counter_opening *opening)
{
	const bool is_same = series->of == of && series->id == id;
	const size_t events = opening->event_count, row_values = events * opening->row_count;
	size_t row_points = row_values ? ROWS_BYTES / (row_values * sizeof(*series->last)) : 0;

	if (!is_same || (!opening->why.err && !has_same_events(&series->opening, opening)))
		finish_points(&series->totals);
	if (!is_same || (!opening->why.err && !has_same_rows(&series->opening, opening)))
		finish_points(&series->rows);
	if (opening->why.err && is_same && series->totals.count) {
		/* What was counted before stays, with its events. */
		series->opening.why = opening->why;
		counter_opening_finish(opening);
	} else {
		counter_opening_finish(&series->opening);
		series->opening = *opening;
	}
	memset(opening, 0, sizeof(*opening));
	series->of = of;
	series->id = id;
	series->is_opened = true;
	series->is_ended = false;
	series->last_ns = 0;
	free(series->last);
	series->last = row_values ? calloc(row_values, sizeof(*series->last)) : NULL;
	if (!events || series->opening.why.err)
		return;
	row_points = row_points < ROWS_LEAST ? ROWS_LEAST : row_points;
	shape_points(&series->totals, events, TOTALS_MOST);
	shape_points(&series->rows, row_values,
		     row_points < ACTIVITY_POINTS ? row_points : ACTIVITY_POINTS);
}

static void refuse_zeros(struct counter_series *series, const struct counter_value *values)
{
	const size_t events = series->opening.event_count;

	for (size_t event = 0; event < events; event++) {
		struct counter_value sum = { 0 };

		for (size_t row = 0; row < series->opening.row_count; row++)
			add_values(&sum, &values[row * events + event], 1);
		if (!series->opening.events[event].absent.err)
			counter_event_refuse_zero(&series->opening.events[event], &sum);
	}
}

void counter_series_add(struct counter_series *series, uint64_t time_ns,
			 const struct counter_value *values)
{
	const size_t events = series->opening.event_count, rows = series->opening.row_count;
	const struct counter_span span = { series->last_ns, time_ns };
	struct counter_value *row_values, *totals;

	if (!series->last || (series->last_ns && time_ns <= series->last_ns))
		return;
	row_values = series->last_ns ? append_point(&series->rows, span) : NULL;
	totals = row_values ? append_point(&series->totals, span) : NULL;
	if (row_values)
		counter_values_subtract(values, series->last, row_values, events * rows);
	for (size_t row = 0; totals && row < rows; row++)
		add_values(totals, row_values + row * events, events);
	refuse_zeros(series, values);
	memcpy(series->last, values, events * rows * sizeof(*values));
	series->last_ns = time_ns;
}

/* Returns where the newest second of a window ends: a live one that was not read yet is left out,
 * so that the right edge does not come and go. */
static uint64_t last_second_end(const struct counter_points *points, uint64_t end_ns)
{
	const uint64_t newest_ns = points->count ? points->spans[points->count - 1].end_ns : 0;

	if (newest_ns < end_ns && end_ns - newest_ns < LATE_NS)
		end_ns = newest_ns;
	return end_ns - end_ns % SECOND_NS;
}

/* Returns the rate of @event a second, in its unit. */
static float rate_of(const struct counter_event *event, const struct counter_value *value,
		     struct counter_span span)
{
	if (value->enabled_ns && !value->running_ns)
		return -1;
	return (float)(counter_value_scaled(value) * counter_event_scale(event) *
		       (double)SECOND_NS / (double)(span.end_ns - span.begin_ns));
}

static void fill_rates(const struct counter_series *series, uint64_t end_ns, float *rates)
{
	const struct counter_points *points = &series->totals;
	const size_t seconds = SNAPSHOT_COUNTERS_SECONDS;
	uint64_t at_ns = last_second_end(points, end_ns);
	size_t p = points->count;

	for (size_t i = 0; i < points->width * seconds; i++)
		rates[i] = -1;
	for (size_t second = seconds; second-- > 0 && at_ns >= SECOND_NS; at_ns -= SECOND_NS) {
		const uint64_t middle_ns = at_ns - SECOND_NS / 2;

		while (p && points->spans[p - 1].begin_ns > middle_ns)
			p--;
		if (!p || !contains(points->spans[p - 1], middle_ns))
			continue;
		for (size_t event = 0; event < points->width; event++)
			if (!series->opening.events[event].absent.err)
				rates[event * seconds + second] =
					rate_of(&series->opening.events[event],
						&values_at(points, p - 1)[event],
						points->spans[p - 1]);
	}
}

static enum counters_state state_of(const struct counter_series *series, double counted_s)
{
	if (counted_s > 0)
		return COUNTERS_COUNTED;
	if (series->opening.why.err)
		return COUNTERS_REFUSED;
	if (series->is_ended)
		return COUNTERS_ENDED;
	return series->totals.count ? COUNTERS_NOT_THEN : COUNTERS_OPENING;
}

/* Returns the opening that has the rows of @series; NULL: none yet. */
static const struct counter_opening *opening_of_rows(const struct counter_series *series,
						      const struct counter_series *rows_of)
{
	return rows_of && has_same_events(&series->opening, &rows_of->opening) &&
			       rows_of->rows.width
		       ? &rows_of->opening : NULL;
}

/* Writes what the user should know: of rows that are counted apart, that. */
static void write_notice(const struct counter_series *series, const struct counter_series *rows_of,
			 struct snapshot_counters *out)
{
	const struct counter_opening *opening = &series->opening;

	if (rows_of && rows_of != series &&
	    (rows_of->opening.why.err || rows_of->opening.notice[0]))
		opening = &rows_of->opening;
	snprintf(out->notice, sizeof(out->notice), "%s",
		 opening != &series->opening && opening->why.err ? opening->why.text
								 : opening->notice);
}

struct snapshot_counters *counter_series_make(const struct counter_series *series,
					       const struct counter_series *rows_of,
					       uint64_t begin_ns, uint64_t end_ns)
{
	const struct counter_opening *opening = &series->opening;
	const struct counter_opening *by_row = opening_of_rows(series, rows_of);
	const struct counter_span window = { begin_ns, end_ns };
	const size_t events = series->totals.width, rows = by_row ? by_row->row_count : 0;
	const size_t values_bytes = (1 + rows) * events * sizeof(struct counter_value);
	const size_t events_bytes = events * sizeof(struct counter_event);
	const size_t rates_bytes = events * SNAPSHOT_COUNTERS_SECONDS * sizeof(float);
	struct snapshot_counters *out = calloc(1, sizeof(*out) + values_bytes + events_bytes +
					       rates_bytes + rows * sizeof(struct counter_row));
	struct counter_value *values;
	char *at;

	if (!out)
		return NULL;
	at = (char *)(out + 1);
	values = (struct counter_value *)(void *)at;
	out->values = values;
	out->events = (const struct counter_event *)(void *)(at += values_bytes);
	out->rates = (const float *)(void *)(at + events_bytes);
	out->rows = (const struct counter_row *)(void *)(at + events_bytes + rates_bytes);
	out->of = series->of;
	out->id = series->id;
	out->has_nmi_watchdog = opening->has_nmi_watchdog;
	out->rows_are = by_row ? by_row->rows_are : opening->rows_are;
	snprintf(out->reason, sizeof(out->reason), "%s", opening->why.err ? opening->why.text : "");
	write_notice(series, rows_of, out);
	if (events) {
		memcpy(at, opening->events, events_bytes);
		if (rows)
			memcpy(at + events_bytes + rates_bytes, by_row->rows,
			       rows * sizeof(*by_row->rows));
		out->counted_s = sum_points(&series->totals, window, values);
		if (rows)
			out->rows_counted_s = sum_points(&rows_of->rows, window, values + events);
		fill_rates(series, end_ns, (float *)(void *)(at + events_bytes));
	}
	out->event_count = (uint32_t)events;
	out->row_count = (uint32_t)rows;
	out->state = state_of(series, out->counted_s);
	return out;
}
