/* counter_line.c - see counter_line.h. */
#include "counter_line.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "charts.h"
#include "format.h"

#define LEAST_HEIGHT 16		/* as for the activity graph */
#define VALUES_MOST  6
#define GAP_CELLS    2
#define SPARK_MOST   10
#define SPARK_LEAST  4
#define NUMBER_CELLS 5		/* a mark and four */
#define NAME_CELLS   24
#define RATE_CELLS   10
#define LATE_S	     1.5	/* seconds are whole: the last of a live window are to come */

/* What a count is divided by. */
enum divisor { BY_SECONDS, BY_EVENT, BY_CPU_TIME };

/* A value of the line: a count, or a count by another one. */
struct line_value {
	const char *before, *after;	/* texts around the number */
	uint32_t type;
	uint64_t config;
	enum divisor by;
	uint64_t by_config;		/* BY_EVENT: of the same type */
	double factor;
	int digits;			/* after the point; 0: a rate, with a prefix */
	bool is_of_task;		/* says something of tasks alone */
};

#define HARDWARE PERF_TYPE_HARDWARE
#define SOFTWARE PERF_TYPE_SOFTWARE
#define ENERGY	 UINT32_MAX	/* every event in joules, of any PMU */

/* In the order of the line. */
static const struct line_value line_values[] = {
	{ "", " CPUs", SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, BY_SECONDS, 0, 1e-9, 2, true },
	{ "IPC ", "", HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, BY_EVENT, PERF_COUNT_HW_CPU_CYCLES, 1,
	  2, false },
	{ "", " GHz", HARDWARE, PERF_COUNT_HW_CPU_CYCLES, BY_CPU_TIME, 0, 1, 2, false },
	{ "branch-miss ", " %", HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, BY_EVENT,
	  PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 100, 1, false },
	{ "cache-miss ", " %", HARDWARE, PERF_COUNT_HW_CACHE_MISSES, BY_EVENT,
	  PERF_COUNT_HW_CACHE_REFERENCES, 100, 1, false },
	{ "", " W", ENERGY, 0, BY_SECONDS, 0, 1, 1, false },
	{ "faults ", "/s", SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, BY_SECONDS, 0, 1, 0, false },
	{ "switches ", "/s", SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, BY_SECONDS, 0, 1, 0, false },
	{ "migrations ", "/s", SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, BY_SECONDS, 0, 1, 0, false },
	{ "major ", "/s", SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, BY_SECONDS, 0, 1, 0, false },
};
#define VALUE_COUNT (sizeof(line_values) / sizeof(line_values[0]))

static const struct line_value asked_value = { .by = BY_SECONDS, .factor = 1 };

/* A value that this machine has. */
struct shown_value {
	const struct line_value *value;
	int event, by;			/* indices of events; @by < 0: by seconds */
	char text[96];
	int width, spark;		/* cells of the text, and of the bars after it */
};

int counter_line_least_height(void)
{
	return LEAST_HEIGHT;
}

int counter_line_height(const struct ui_state *state, int height)
{
	return state->display.choice.counter_line && height >= LEAST_HEIGHT;
}

char *counter_line_format_number(char *out, double number, int digits)
{
	static const char units[] = " kMGTPE";
	int unit = 0, after;

	while (number >= 999.5 && units[unit + 1]) {
		number /= 1000;
		unit++;
	}
	if (!unit)	/* a count below a thousand has no digits to spare */
		after = number < 0.05 || number >= 9.95 ? 0 : 1;
	else if (digits > 2)
		after = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
	else
		after = number < 9.95 ? 1 : 0;
	snprintf(out, FORMAT_BYTES, "%.*f%.*s", after, number, unit > 0, units + unit);
	return out;
}

void counter_line_format_rate(char *out, const struct counter_event *event, double per_s)
{
	const char *unit = event->unit.text;
	char number[FORMAT_BYTES];
	size_t digits;

	if (event->attr.type == PERF_TYPE_SOFTWARE &&
	    event->attr.config == PERF_COUNT_SW_TASK_CLOCK) {
		snprintf(out, FORMAT_BYTES, "%.2f CPUs", per_s / 1e9);
	} else if (!strcmp(unit, "Joules")) {
		snprintf(out, FORMAT_BYTES, "%.*f W", per_s < 999.95 ? 1 : 0, per_s);
	} else if (!strcmp(unit, "MiB")) {
		const double shown = per_s < 999.5 ? per_s : per_s / 1024;

		snprintf(out, FORMAT_BYTES, "%.*f %s/s", shown < 99.95 ? 1 : 0, shown,
			 per_s < 999.5 ? unit : "GiB");
	} else {
		counter_line_format_number(number, per_s, 3);
		digits = strspn(number, "0123456789.");
		snprintf(out, FORMAT_BYTES, "%.*s %s%s/s", (int)digits, number, number + digits,
			 unit);
	}
}

char *counter_line_scope_name(char *out, const struct snapshot_counters *counters)
{
	if (counters->of == COUNTERS_OF_ALL)
		snprintf(out, FORMAT_BYTES, "machine");
	else
		snprintf(out, FORMAT_BYTES, "%s %" PRIu32,
			 counters->of == COUNTERS_OF_THREAD ? "tid" : "pid", counters->id);
	return out;
}

const char *counter_line_trouble(const struct ui_state *state,
			     const struct snapshot_counters *counters)
{
	if (!state->source)
		return "a recording has no counters";
	if (!counters)
		return "opening the counters\u2026";
	switch (counters->state) {
	case COUNTERS_OPENING:	return "opening the counters\u2026";
	case COUNTERS_NOT_THEN: return "not counted at that time";
	case COUNTERS_ENDED:	return "it has ended, and was not counted at that time";
	case COUNTERS_REFUSED:	return counters->reason;
	case COUNTERS_COUNTED:	break;
	}
	return NULL;
}

void counter_line_cells_make(const struct snapshot_counters *counters, size_t row,
			 struct counter_cell *cells)
{
	const struct counter_value *values = counters->values + row * counters->event_count;
	bool has_run = false;

	for (uint32_t i = 0; i < counters->event_count; i++)
		has_run |= values[i].enabled_ns > 0;
	for (uint32_t i = 0; i < counters->event_count; i++) {
		cells[i] = counter_cell_of(&values[i], &counters->events[i], true);
		/* All are enabled at once: one without time could not be read. */
		if (has_run && !values[i].enabled_ns && cells[i].state == COUNTER_COUNTED)
			cells[i].state = COUNTER_NOT_COUNTED;
	}
}

/* Returns the index of the event, if it is counted; -1. A clock is that of tasks or of CPUs. */
static int find_event(const struct snapshot_counters *counters, uint32_t type, uint64_t config)
{
	for (uint32_t i = 0; i < counters->event_count; i++) {
		const struct counter_event *event = &counters->events[i];
		const bool is_same = type == ENERGY ? !strcmp(event->unit.text, "Joules")
						    : event->attr.type == type &&
						      event->attr.config == config;

		if (is_same && !event->absent.err)
			return (int)i;
	}
	if (type == SOFTWARE && config == PERF_COUNT_SW_CPU_CLOCK)
		return find_event(counters, type, PERF_COUNT_SW_TASK_CLOCK);
	return -1;
}

/* False: this machine does not have the value. */
static bool find_value(const struct snapshot_counters *counters, const struct line_value *value,
		       struct shown_value *out)
{
	*out = (struct shown_value){ .value = value, .by = -1 };
	out->event = find_event(counters, value->type, value->config);
	if (value->by == BY_EVENT)
		out->by = find_event(counters, value->type, value->by_config);
	else if (value->by == BY_CPU_TIME)
		out->by = find_event(counters, SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	return out->event >= 0 && (out->by >= 0 || value->by == BY_SECONDS) &&
	       !(value->is_of_task && counters->of == COUNTERS_OF_ALL);
}

/* Returns whether the two were counted, and the quotient in *@out. */
static bool divide(const struct shown_value *shown, const struct counter_cell *cells,
		   double counted_s, double *out)
{
	const struct counter_cell *cell = &cells[shown->event];
	const struct counter_cell *by = shown->by >= 0 ? &cells[shown->by] : NULL;

	if (cell->state != COUNTER_COUNTED || (by && by->state != COUNTER_COUNTED))
		return false;
	if (by ? by->value <= 0 : counted_s <= 0)
		return false;
	*out = shown->value->factor * cell->value / (by ? by->value : counted_s);
	return true;
}

/* True if one of the two was counted for a part of the time. */
static bool is_scaled(const struct shown_value *shown, const struct counter_cell *cells)
{
	return cells[shown->event].running_pct < 100 ||
	       (shown->by >= 0 && cells[shown->by].running_pct < 100);
}

static void format_value(struct shown_value *shown, const struct counter_cell *cells,
			 double counted_s)
{
	char number[FORMAT_BYTES], marked[FORMAT_BYTES + 1];
	double value;

	if (divide(shown, cells, counted_s, &value)) {
		if (shown->value->digits)
			snprintf(number, sizeof(number), "%.*f",
				 value < 9.995 ? shown->value->digits : value < 99.95 ? 1 : 0,
				 value);
		else
			counter_line_format_number(number, value, 2);
		snprintf(marked, sizeof(marked), "%s%s", is_scaled(shown, cells) ? "~" : "",
			 number);
	} else {
		snprintf(marked, sizeof(marked), "-");
	}
	snprintf(shown->text, sizeof(shown->text), "%s%*s%s", shown->value->before, NUMBER_CELLS,
		 marked, shown->value->after);
}

/* What was named with -e has its name before its rate. */
static void format_asked(struct shown_value *shown, const struct counter_event *event,
			 const struct counter_cell *cells, double counted_s)
{
	char rate[FORMAT_BYTES] = "-", marked[FORMAT_BYTES + 1];
	double value;

	if (divide(shown, cells, counted_s, &value))
		counter_line_format_rate(rate, event, value);
	snprintf(marked, sizeof(marked), "%s%s", is_scaled(shown, cells) ? "~" : "", rate);
	snprintf(shown->text, sizeof(shown->text), "%.*s %*s", NAME_CELLS, event->name, RATE_CELLS,
		 marked);
}

/* True for an event that was asked for, is counted, and is not the one that the line has as W. */
static bool is_shown_by_name(const struct snapshot_counters *counters, uint32_t event)
{
	return counters->events[event].is_asked && !counters->events[event].absent.err &&
	       (int)event != find_event(counters, ENERGY, 0);
}

void counter_line_draw_seconds(const float *rates, const float *of, struct canvas *canvas,
			   struct canvas_area area)
{
	const int seconds = SNAPSHOT_COUNTERS_SECONDS;
	const int count = area.width < seconds ? area.width : seconds;
	float values[SNAPSHOT_COUNTERS_SECONDS] = { 0 }, top = 0;

	for (int i = seconds - count; i < seconds; i++) {
		values[i] = rates[i];
		if (of)
			values[i] = rates[i] >= 0 && of[i] > 0 ? rates[i] / of[i] : -1;
		top = values[i] > top ? values[i] : top;
	}
	for (int i = seconds - count; i < seconds; i++)
		if (values[i] >= 0)
			sparkline_put_bar(canvas, area.x + area.width - (seconds - i), area.y,
					  top > 0 ? values[i] / top : 0, ROLE_ACTIVITY);
}

/* Returns the cells of the first @count values without bars. */
static int values_width(const struct shown_value *list, size_t count)
{
	int width = 0;

	for (size_t i = 0; i < count; i++)
		width += list[i].width + (i ? GAP_CELLS : 0);
	return width;
}

/* Gives what is left of @width cells to bars: to as many values as can have some, from the left. */
static void spread_bars(struct shown_value *list, size_t count, int width)
{
	const int left = width - values_width(list, count);

	for (size_t sharing = count; sharing > 0; sharing--) {
		const int each = left / (int)sharing - 1;

		if (each < SPARK_LEAST)
			continue;
		for (size_t i = 0; i < sharing; i++)
			list[i].spark = each < SPARK_MOST ? each : SPARK_MOST;
		return;
	}
}

/* Fills @list[VALUES_MOST] with what the machine has and @width cells have room for. */
static size_t choose_values(const struct snapshot_counters *counters, const struct canvas *canvas,
			    int width, struct shown_value *list)
{
	struct counter_cell cells[SNAPSHOT_COUNTERS_EVENTS];
	size_t count = 0;

	counter_line_cells_make(counters, 0, cells);
	for (uint32_t i = 0; i < counters->event_count && count < VALUES_MOST; i++) {
		if (!is_shown_by_name(counters, i))
			continue;
		list[count] = (struct shown_value){ .value = &asked_value, .event = (int)i,
						    .by = -1 };
		format_asked(&list[count], &counters->events[i], cells, counters->counted_s);
		list[count].width = canvas_text_width(canvas, list[count].text);
		count++;
	}
	for (size_t i = 0; i < VALUE_COUNT && count < VALUES_MOST; i++) {
		if (!find_value(counters, &line_values[i], &list[count]))
			continue;
		format_value(&list[count], cells, counters->counted_s);
		list[count].width = canvas_text_width(canvas, list[count].text);
		count++;
	}
	while (count > 1 && values_width(list, count) > width)
		count--;
	spread_bars(list, count, width);
	return count;
}

static void draw_values(const struct snapshot_counters *counters, struct canvas *canvas,
			struct canvas_area area)
{
	struct shown_value list[VALUES_MOST];
	const size_t count = choose_values(counters, canvas, area.width, list);
	const size_t seconds = SNAPSHOT_COUNTERS_SECONDS;
	const int end = area.x + area.width;

	for (size_t i = 0; i < count && area.x < end; i++) {
		const float *of = list[i].by >= 0
				  ? counters->rates + (size_t)list[i].by * seconds : NULL;

		area.width = end - area.x;
		canvas_put_text(canvas, area, canvas_clean(list[i].text), ROLE_TEXT);
		area.x += list[i].width + 1;
		if (list[i].spark)
			counter_line_draw_seconds(
				counters->rates + (size_t)list[i].event * seconds, of, canvas,
				(struct canvas_area){ area.x, area.y, list[i].spark });
		area.x += list[i].spark - !list[i].spark + GAP_CELLS;
	}
}

/* Says whose the counters are where that is not what the header and the breadcrumbs say. */
static bool needs_scope(const struct ui_state *state, const struct snapshot_counters *counters)
{
	if (counters->of == COUNTERS_OF_ALL)
		return counters->is_of_more || state->query.breadcrumbs.filter.count;
	return state->shown->target_pid != counters->id;
}

/* Draws how much of the window was counted, at the right edge, if that is not all of it. Returns
 * the cells used. */
static int draw_part(const struct ui_state *state, const struct snapshot_counters *counters,
		     struct canvas *canvas, struct canvas_area area)
{
	char text[2 * FORMAT_BYTES + 16], part[FORMAT_BYTES], all[FORMAT_BYTES];
	const double window_s = state->shown->window_s;
	int width;

	if (state->shown->window == WINDOW_DECAY || counters->counted_s + LATE_S >= window_s)
		return 0;
	format_duration(part, counters->counted_s);
	snprintf(text, sizeof(text), "%s of %s", part, format_duration(all, window_s));
	width = canvas_text_width(canvas, text);
	canvas_put_right(canvas, area, canvas_clean(text), ROLE_DIM);
	return width + GAP_CELLS;
}

void counter_line_draw(const struct ui_state *state, struct canvas *canvas, int y)
{
	const struct snapshot_counters *counters = state->shown ? state->shown->counters : NULL;
	const char *trouble = counter_line_trouble(state, counters);
	struct canvas_area area = { 1, y, canvas->width - 2 };
	char text[sizeof(counters->reason) + 16], scope[FORMAT_BYTES];
	int used;

	if (!state->shown)
		return;
	if (counters && needs_scope(state, counters)) {
		counter_line_scope_name(scope, counters);
		used = canvas_put_text(canvas, area, canvas_clean(scope), ROLE_STATE) + GAP_CELLS;
		area.x += used;
		area.width -= used;
	}
	if (trouble) {
		snprintf(text, sizeof(text), "%s%s", counters &&
			 counters->state == COUNTERS_REFUSED ? "no counters: " : "", trouble);
		canvas_put_text(canvas, area, canvas_clean(text), ROLE_DIM);
		return;
	}
	area.width -= draw_part(state, counters, canvas, area);
	draw_values(counters, canvas, area);
}
