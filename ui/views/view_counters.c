/* view_counters.c - see view_counters.h.
 *
 * Events that are counted come first, in the order in which they were opened, then those that this
 * machine does not count, with the reason. Ratios are those of --stat (export/print.h).
 */
#include "view_counters.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_line.h"
#include "command_list.h"
#include "state.h"
#include "term/text_lines.h"
#include "widgets/counter_line.h"
#include "widgets/format.h"
#include "widgets/pieces.h"
#include "widgets/search.h"

#define DETAIL_HEIGHT 16	/* a screen of so many lines has room for one of detail */
#define MARKER_CELLS  2
#define WIDE_CELLS    96	/* from here on names and meanings are not cut */
#define MOST_CELLS    140	/* with more the numbers would be far from their names */
#define PLAIN_CELLS   70	/* below there are only names, rates and shares */
#define RATE_CELLS    10
#define SHARE_CELLS   8
#define RUNNING_CELLS 7
#define INDENT	      2
#define BAR_LEAST     8
#define LATE_S	      1.5
#define NO_ROW	      COUNTERS_NO_ROW

/* Where the columns are; width 0: not on this screen. */
struct columns_at {
	struct canvas_area name, rate, seconds, what, share, running;
};

static uint64_t id_of(struct counter_place place)
{
	return (uint64_t)place.row << 32 | (place.event + 1);
}

static struct table_extent extent_of(const struct counters_view *view)
{
	return (struct table_extent){ view->count, view->page };
}

static void keep_id(struct counters_view *view)
{
	if (view->place.cursor < view->count)
		view->place.cursor_id = id_of(view->lines[view->place.cursor]);
}

static void select_line(struct counters_view *view, size_t index)
{
	table_place_set(&view->place, extent_of(view), index);
	keep_id(view);
}

/* The clock of whole CPUs counts all of their time: only others are divided by it. */
static bool is_left_out(const struct counter_event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       event->attr.config == PERF_COUNT_SW_CPU_CLOCK;
}

/* All events of top-down level 1 of a PMU are one line: that of the first. */
static bool is_in_other_line(const struct snapshot_counters *counters, uint32_t event)
{
	bool is_later = false;

	if (!counter_is_topdown(&counters->events[event], NULL))
		return false;
	for (uint32_t i = 0; !is_later && i < event; i++)
		is_later = counter_is_topdown(&counters->events[i], &counters->events[event]);
	return is_later;
}

static bool reserve_lines(struct counters_view *view, size_t wanted)
{
	struct counter_place *lines;

	if (wanted <= view->room)
		return true;
	lines = realloc(view->lines, wanted * sizeof(*lines));
	if (!lines)
		return false;
	view->lines = lines;
	view->room = wanted;
	return true;
}

/* True for a row of a CPU whose package is counted by another one. */
static bool is_elsewhere(const struct snapshot_counters *counters, uint32_t event, uint32_t row)
{
	return counters->events[event].cpu_count &&
	       !counters->values[row * counters->event_count + event].enabled_ns;
}

static void list_event(struct counters_view *view, uint32_t event)
{
	const bool is_open = view->open & UINT64_C(1) << event &&
			     !view->counters->events[event].absent.err;

	view->lines[view->count++] = (struct counter_place){ event, NO_ROW };
	for (uint32_t row = 1; is_open && row <= view->counters->row_count; row++)
		if (!is_elsewhere(view->counters, event, row))
			view->lines[view->count++] = (struct counter_place){ event, row };
}

static void list_lines(struct counters_view *view)
{
	const struct snapshot_counters *counters = view->counters;

	view->count = 0;
	if (!counters || counters->state != COUNTERS_COUNTED ||
	    !reserve_lines(view, (size_t)counters->event_count * (counters->row_count + 1)))
		return;
	for (int absent = 0; absent < 2; absent++)
		for (uint32_t event = 0; event < counters->event_count; event++)
			if (!is_left_out(&counters->events[event]) &&
			    !is_in_other_line(counters, event) &&
			    (counters->events[event].absent.err != 0) == absent)
				list_event(view, event);
}

static bool find_line(const struct counters_view *view, uint64_t id, size_t *out)
{
	for (size_t i = 0; i < view->count; i++) {
		if (id_of(view->lines[i]) == id) {
			*out = i;
			return true;
		}
	}
	return false;
}

static void refresh_counters(struct view *view, const struct ui_state *state)
{
	struct counters_view *counters = (struct counters_view *)view;
	size_t found;

	counters->counters = state->shown ? state->shown->counters : NULL;
	list_lines(counters);
	if (!counters->count)
		return;		/* the line may come back */
	select_line(counters, find_line(counters, counters->place.cursor_id, &found)
				      ? found : counters->place.cursor);
}

static void restore_counters(struct view *view, const struct table_place *place)
{
	struct counters_view *counters = (struct counters_view *)view;
	size_t found;

	counters->place = *place;
	table_place_carry(&counters->place, extent_of(counters),
			  find_line(counters, place->cursor_id, &found) ? found : place->cursor);
	keep_id(counters);
}

static void move_counters(struct view *view, enum view_move move)
{
	struct counters_view *counters = (struct counters_view *)view;

	table_place_move(&counters->place, extent_of(counters), move);
	keep_id(counters);
}

static void scroll_counters(struct view *view, int lines)
{
	struct counters_view *counters = (struct counters_view *)view;

	table_place_scroll(&counters->place, extent_of(counters), lines);
	keep_id(counters);
}

/* Writes the name of a line into @out[@room]. */
static const char *name_of(const struct snapshot_counters *counters, struct counter_place place,
			   char *out, size_t room)
{
	const struct counter_row *row;

	if (place.row == NO_ROW && counter_is_topdown(&counters->events[place.event], NULL)) {
		const char *pmu = counters->events[place.event].name;

		snprintf(out, room, "top-down, %.*s", (int)strcspn(pmu, "/"), pmu);
		return out;
	}
	if (place.row == NO_ROW)
		return counters->events[place.event].name;
	row = &counters->rows[place.row - 1];
	if (counters->rows_are == COUNTER_PER_CPU)
		snprintf(out, room, "CPU %d", row->number);
	else if (counters->rows_are == COUNTER_PER_CGROUP)
		snprintf(out, room, "%s", row->text);
	else
		snprintf(out, room, "%s %d", row->text, row->number);
	return out;
}

static bool find_text(struct view *view, const struct ui_state *state, const char *text, int step)
{
	struct counters_view *counters = (struct counters_view *)view;
	const size_t count = text[0] ? counters->count : 0;
	const size_t each = step < 0 ? count - 1 : 1;
	size_t at = counters->place.cursor + (step < 0 ? count - 1 : (size_t)step);
	char name[sizeof(counters->counters->rows[0].text) + 16];

	(void)state;
	for (size_t i = 0; i < count; i++, at += each) {
		if (!search_matches(text, name_of(counters->counters, counters->lines[at % count],
						  name, sizeof(name))))
			continue;
		select_line(counters, at % count);
		return true;
	}
	return false;
}

static struct columns_at place_columns(const struct canvas *canvas)
{
	const int end = (canvas->width < MOST_CELLS ? canvas->width : MOST_CELLS) - 1;
	const int width = end - MARKER_CELLS;
	const bool is_wide = width >= WIDE_CELLS, is_plain = width < PLAIN_CELLS;
	const int share_x = end - SHARE_CELLS - (is_plain ? 0 : RUNNING_CELLS + 1);
	const int what = is_plain ? 0 : is_wide ? 28 : 19;
	const int name = is_plain ? width - RATE_CELLS - SHARE_CELLS - 2 : is_wide ? 25 : 18;
	const int rate_x = MARKER_CELLS + name + 1, seconds_x = rate_x + RATE_CELLS + 1;
	const int what_x = share_x - what - 1;

	return (struct columns_at){
		.name = { MARKER_CELLS, 0, name },
		.rate = { rate_x, 0, RATE_CELLS },
		.seconds = { seconds_x, 0, is_plain ? 0 : what_x - seconds_x - 1 },
		.what = { what_x, 0, what },
		.share = { share_x, 0, SHARE_CELLS },
		.running = { end - RUNNING_CELLS, 0, is_plain ? 0 : RUNNING_CELLS },
	};
}

static struct canvas_area at_line(struct canvas_area area, int y)
{
	area.y = y;
	return area;
}

static void draw_titles(const struct columns_at *at, struct canvas *canvas, int y)
{
	canvas_put_text(canvas, at_line(at->name, y), SAFE_TEXT("COUNTER"), ROLE_HEADING);
	canvas_put_right(canvas, at_line(at->rate, y), SAFE_TEXT("RATE"), ROLE_HEADING);
	canvas_put_right(canvas, at_line(at->share, y), SAFE_TEXT("SHARE"), ROLE_HEADING);
	if (!at->what.width)
		return;
	canvas_put_right(canvas, at_line(at->seconds, y), SAFE_TEXT("SECONDS"), ROLE_HEADING);
	canvas_put_text(canvas, at_line(at->what, y), SAFE_TEXT("OF WHAT"), ROLE_HEADING);
	canvas_put_right(canvas, at_line(at->running, y), SAFE_TEXT("RUNNING"), ROLE_HEADING);
}

static bool is_event(const struct counter_event *event, uint32_t type, uint64_t config)
{
	return event->attr.type == type && event->attr.config == config;
}

/* A ratio as the view shows it. */
struct shown_ratio {
	char value[FORMAT_BYTES];
	char of[64];
};

/* Returns the event of that type and config among the counted cells; -1. */
static int find_counted(const struct snapshot_counters *counters, const struct counter_cell *cells,
			uint32_t type, uint64_t config)
{
	for (uint32_t i = 0; i < counters->event_count; i++)
		if (is_event(&counters->events[i], type, config) &&
		    cells[i].state == COUNTER_COUNTED)
			return (int)i;
	return -1;
}

/* Formats the ratio that is usual for the event. False: there is none. */
static bool find_ratio(const struct snapshot_counters *counters, const struct counter_cell *cells,
		       uint32_t event, double seconds, struct shown_ratio *out)
{
	const struct counter_report report = {
		.events = counters->events, .event_count = counters->event_count,
		.cells = cells, .row_count = 1, .elapsed_s = seconds,
	};
	struct counter_ratio ratio;
	const int faults = find_counted(counters, cells, PERF_TYPE_SOFTWARE,
					PERF_COUNT_SW_PAGE_FAULTS);

	if (is_event(&counters->events[event], PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ)) {
		if (faults < 0 || cells[faults].value <= 0)
			return false;
		snprintf(out->value, sizeof(out->value), "%.2f %%",
			 100 * cells[event].value / cells[faults].value);
		snprintf(out->of, sizeof(out->of), "of all page faults");
		return true;
	}
	if (!counter_ratio_find(&report, 0, event, &ratio) || !strcmp(ratio.unit, "/sec") ||
	    !strcmp(ratio.unit, "W"))	/* that is the rate */
		return false;
	if (ratio.unit[0] == '%') {
		snprintf(out->value, sizeof(out->value), "%.*f %%", ratio.value < 9.995 ? 2 : 1,
			 ratio.value);
		snprintf(out->of, sizeof(out->of), "%s", ratio.unit + 2);
		return true;
	}
	snprintf(out->value, sizeof(out->value), "%.2f", ratio.value);
	snprintf(out->of, sizeof(out->of), "%s",
		 !strcmp(ratio.unit, "insn per cycle") ? "a cycle (IPC)" : ratio.unit);
	return true;
}

/* Says that an event was counted once for each package. */
static void name_packages(const struct counter_event *event, struct shown_ratio *out)
{
	if (event->package_count == 1)
		snprintf(out->of, sizeof(out->of), "the whole package");
	else if (event->package_count)
		snprintf(out->of, sizeof(out->of), "all %" PRIu32 " packages",
			 event->package_count);
}

/* What a row has of the sum of all, where no ratio is usual. Cgroups are in each other, and not all
 * tasks are in one: they are parts of the machine. */
static void find_part(const struct counters_view *view, struct counter_place place, double value,
		      struct shown_ratio *out)
{
	const struct snapshot_counters *counters = view->counters;
	const struct counter_event *event = &counters->events[place.event];
	double sum = 0;

	if (counters->rows_are == COUNTER_PER_CGROUP)
		sum = counter_value_scaled(&counters->values[place.event]);
	else
		for (uint32_t row = 1; row <= counters->row_count; row++)
			sum += counter_value_scaled(
				&counters->values[row * counters->event_count + place.event]);
	if (counters->rows_are == COUNTER_PER_CGROUP && counters->counted_s > 0)
		sum *= counters->rows_counted_s / counters->counted_s;
	sum *= counter_event_scale(event);
	if (sum <= 0)
		return;
	snprintf(out->value, sizeof(out->value), "%.1f %%", 100 * value / sum);
	snprintf(out->of, sizeof(out->of), "of %s",
		 event->package_count ? "all packages"
		 : counters->rows_are == COUNTER_PER_CGROUP ? "the machine"
		 : counters->rows_are == COUNTER_PER_CPU ? "all CPUs" : "all threads");
}

/* Draws the four shares as a bar and as numbers. False: one of them was not counted. */
static bool draw_topdown(const struct snapshot_counters *counters, const struct counter_cell *cells,
			 const struct columns_at *at, uint32_t event, struct canvas *canvas, int y)
{
	static const struct {
		const char *block, *ascii;
		enum role role;
	} parts[TOPDOWN_SHARES] = {
		[TOPDOWN_RETIRING] = { "\u2588", "@", ROLE_TEXT },
		[TOPDOWN_BAD_SPECULATION] = { "\u2591", ":",
					      ROLE_HOT },
		[TOPDOWN_FRONTEND] = { "\u2592", "+", ROLE_WARM },
		[TOPDOWN_BACKEND] = { "\u2593", "#", ROLE_COOL },
	};
	const struct counter_report report = {
		.events = counters->events, .event_count = counters->event_count,
		.cells = cells, .row_count = 1,
	};
	const int end = at->share.x + at->share.width;
	struct canvas_area area = { at->rate.x, y, end - at->rate.x };
	double shares[TOPDOWN_SHARES], up_to = 0;
	char text[80];
	int cell = 0, width;

	if (!counter_topdown_find(&report, 0, event, shares))
		return false;
	snprintf(text, sizeof(text),
		 "retire %.0f \u00b7 bad %.0f \u00b7 front %.0f \u00b7 back %.0f %%",
		 shares[TOPDOWN_RETIRING], shares[TOPDOWN_BAD_SPECULATION],
		 shares[TOPDOWN_FRONTEND], shares[TOPDOWN_BACKEND]);
	canvas_put_right(canvas, area, canvas_clean(text), ROLE_TEXT);
	width = area.width - canvas_text_width(canvas, text) - 1;
	for (int part = 0; part < TOPDOWN_SHARES && width >= BAR_LEAST; part++) {
		up_to += shares[part];
		for (; cell < (int)(up_to * width / 100 + 0.5); cell++)
			canvas_put_text(canvas, (struct canvas_area){ area.x + cell, y, 1 },
					canvas_clean(canvas->is_ascii ? parts[part].ascii
								      : parts[part].block),
					parts[part].role);
	}
	return true;
}

/* Returns why an event that was opened has no value. */
static const char *why_not_run(const struct snapshot_counters *counters,
			       const struct counter_event *event)
{
	if (event->attr.type == PERF_TYPE_SOFTWARE)
		return "could not be read";
	return counters->has_nmi_watchdog ? "never ran: the NMI watchdog holds a counter"
					  : "never ran: others hold the counters";
}

/* Draws a line without values: a reason takes their place. */
static void draw_reason(const struct columns_at *at, const char *reason, struct canvas *canvas,
			int y)
{
	struct canvas_area area = at->rate;

	canvas_put_right(canvas, at_line(area, y), SAFE_TEXT("-"), ROLE_DIM);
	area.x += area.width + 1;
	area.y = y;
	area.width = canvas->width - 1 - area.x;
	canvas_put_text(canvas, area, canvas_clean(reason), ROLE_DIM);
}

static void draw_running(const struct columns_at *at, const struct counter_cell *cell,
			 struct canvas *canvas, int y)
{
	char text[FORMAT_BYTES];

	if (cell->running_pct >= 100)
		return;
	snprintf(text, sizeof(text), "~ %.0f %%", cell->running_pct);
	canvas_put_right(canvas, at_line(at->running, y), canvas_clean(text), ROLE_STATE);
}

static void draw_values(const struct counters_view *view, const struct columns_at *at,
			struct counter_place place, struct canvas *canvas, int y)
{
	const struct snapshot_counters *counters = view->counters;
	const struct counter_event *event = &counters->events[place.event];
	const double seconds = place.row == NO_ROW ? counters->counted_s
						   : counters->rows_counted_s;
	struct counter_cell cells[SNAPSHOT_COUNTERS_EVENTS];
	const struct counter_cell *cell = &cells[place.event];
	struct shown_ratio ratio = { .value = "" };
	char text[FORMAT_BYTES];

	counter_line_cells_make(counters, place.row, cells);
	if (event->absent.err || cell->state != COUNTER_COUNTED || seconds <= 0) {
		draw_reason(at, event->absent.err ? event->absent.text
			    : seconds <= 0 ? "by row it is not known so far back"
			    : why_not_run(counters, event), canvas, y);
		return;
	}
	if (counter_is_topdown(event, NULL)) {
		if (!draw_topdown(counters, cells, at, place.event, canvas, y))
			draw_reason(at, why_not_run(counters, event), canvas, y);
		else if (at->running.width)
			draw_running(at, cell, canvas, y);
		return;
	}
	counter_line_format_rate(text, event, cell->value / seconds);
	canvas_put_right(canvas, at_line(at->rate, y), canvas_clean(text), ROLE_TEXT);
	if (!find_ratio(counters, cells, place.event, seconds, &ratio)) {
		if (place.row == NO_ROW)
			name_packages(event, &ratio);
		else
			find_part(view, place, cell->value, &ratio);
	}
	canvas_put_right(canvas, at_line(at->share, y), canvas_clean(ratio.value), ROLE_TEXT);
	if (!at->what.width)
		return;
	if (place.row == NO_ROW)
		counter_line_draw_seconds(counters->rates +
				      (size_t)place.event * SNAPSHOT_COUNTERS_SECONDS, NULL, canvas,
				      at_line(at->seconds, y));
	canvas_put_text(canvas, at_line(at->what, y), canvas_clean(ratio.of), ROLE_DIM);
	draw_running(at, cell, canvas, y);
}

static void draw_line(const struct counters_view *view, const struct columns_at *at,
		      struct counter_place place, struct canvas *canvas, int y)
{
	const struct snapshot_counters *counters = view->counters;
	const int indent = place.row == NO_ROW ? 0 : INDENT;
	struct canvas_area area = at_line(at->name, y);
	char name[sizeof(counters->rows[0].text) + 16];

	area.x += indent;
	area.width -= indent;
	canvas_put_text(canvas, area, canvas_clean(name_of(counters, place, name, sizeof(name))),
			counters->events[place.event].absent.err ? ROLE_DIM : ROLE_TEXT);
	draw_values(view, at, place, canvas, y);
}

static bool has_scaled(const struct snapshot_counters *counters)
{
	struct counter_cell cells[SNAPSHOT_COUNTERS_EVENTS];

	counter_line_cells_make(counters, 0, cells);
	for (uint32_t i = 0; i < counters->event_count; i++)
		if (cells[i].state == COUNTER_COUNTED && cells[i].running_pct < 100)
			return true;
	return false;
}

/* What is special about these numbers comes first. */
static void draw_detail(const struct ui_state *state, const struct snapshot_counters *counters,
			struct canvas *canvas, int y)
{
	struct pieces line = { .gap = " \u00b7 " };
	char part[FORMAT_BYTES], all[FORMAT_BYTES], scope[FORMAT_BYTES];
	const double window_s = state->shown->window_s;

	pieces_add(&line, 1, ROLE_STATE, "%s", counter_line_scope_name(scope, counters));
	if (counters->is_of_more)
		pieces_add(&line, 1, ROLE_STATE, "less is sampled");
	if (state->shown->window != WINDOW_DECAY && counters->counted_s + LATE_S < window_s)
		pieces_add(&line, 1, ROLE_STATE, "counted %s of %s",
			   format_duration(part, counters->counted_s),
			   format_duration(all, window_s));
	if (has_scaled(counters))
		pieces_add(&line, 2, ROLE_DIM, "~ ran only part of the time, scaled");
	if (counters->notice[0])
		pieces_add(&line, 3, ROLE_TEXT, "%s", counters->notice);
	pieces_add(&line, 4, ROLE_DIM, "counted, not sampled: no stacks");
	pieces_fit(canvas, &line, canvas->width - 4);
	canvas_put_text(canvas, (struct canvas_area){ 1, y, 1 }, SAFE_TEXT("\u25b8"), ROLE_DIM);
	pieces_put(canvas, (struct canvas_area){ 3, y, canvas->width - 4 }, &line);
}

/* Says why there are no values, and what helps. */
static void draw_trouble(const struct ui_state *state, const char *trouble,
			 const struct snapshot_counters *counters, struct canvas *canvas, int y,
			 int end)
{
	const char *remedy = "";

	if (!state->source)
		remedy = "Counters are of what runs: start flametop without -i.";
	else if (counters && counters->state == COUNTERS_REFUSED && counters->of == COUNTERS_OF_ALL)
		remedy = "A process of your own can be counted: 4, then Enter on it, then V.";
	else if (counters && counters->state == COUNTERS_NOT_THEN)
		remedy = "They are counted since they were first shown; 0 goes back to live.";
	y = text_lines_draw(canvas, y, end, trouble, ROLE_TEXT);
	text_lines_draw(canvas, y, end, remedy, ROLE_DIM);
}

static void draw_counters(struct view *view, struct ui_state *state, struct canvas *canvas, int top,
			  int lines)
{
	struct counters_view *counters = (struct counters_view *)view;
	const char *trouble = counter_line_trouble(state, counters->counters);
	const int detail = canvas->height >= DETAIL_HEIGHT;
	const struct columns_at at = place_columns(canvas);

	counters->page = lines - detail > 1 ? (size_t)(lines - detail - 1) : 1;
	if (trouble || !counters->count) {
		draw_trouble(state, trouble ? trouble : "opening the counters\u2026",
			     counters->counters, canvas, top + 1, top + lines);
		return;
	}
	table_place_fit(&counters->place, extent_of(counters));
	draw_titles(&at, canvas, top);
	for (size_t i = counters->place.top;
	     i < counters->count && i < counters->place.top + counters->page; i++) {
		const int y = top + 1 + (int)(i - counters->place.top);

		draw_line(counters, &at, counters->lines[i], canvas, y);
		if (i == counters->place.cursor)
			canvas_select_line(canvas, y);
		search_highlight(canvas, (struct canvas_area){ 0, y, canvas->width },
				 state->search);
	}
	hits_add(&state->display.hits, (struct hit){ HIT_ROWS, 0, top + 1, canvas->width,
						     (int)counters->page, counters->place.top });
	if (detail)
		draw_detail(state, counters->counters, canvas, top + lines - 1);
}

static void query_counters(const struct view *view, const struct ui_state *state, struct query *out)
{
	(void)state;
	out->counter_rows = true;
	out->counters_by_cgroup = ((const struct counters_view *)view)->by_cgroup;
}

static void add_options(const struct ui_state *state, struct command_line *line)
{
	(void)state;
	command_line_note(line, "flametop --stat counts without a screen; this line samples.");
}

static bool select_hit(struct view *view, const struct hit *hit, const struct mouse *mouse)
{
	struct counters_view *counters = (struct counters_view *)view;

	(void)mouse;
	if (hit->number >= counters->count)
		return false;
	select_line(counters, hit->number);
	return true;
}

static struct table_place *place_of_counters(struct view *view)
{
	return &((struct counters_view *)view)->place;
}

static void finish_counters(struct view *view)
{
	free(((struct counters_view *)view)->lines);
}

/* Opens or closes the rows of the cursor's event; the cursor goes to its line. */
static void open_rows(struct counters_view *view, bool is_open)
{
	struct counter_place place;
	size_t found;

	if (view->place.cursor >= view->count)
		return;
	place = view->lines[view->place.cursor];
	if (is_open)
		view->open |= UINT64_C(1) << place.event;
	else
		view->open &= ~(UINT64_C(1) << place.event);
	list_lines(view);
	place.row = NO_ROW;
	if (find_line(view, id_of(place), &found))
		select_line(view, found);
}

static void open_line(struct view *view, struct ui_state *state)
{
	struct counters_view *counters = (struct counters_view *)view;
	const size_t cursor = counters->place.cursor;

	(void)state;
	if (cursor < counters->count &&
	    counters->open & UINT64_C(1) << counters->lines[cursor].event)
		open_rows(counters, false);
	else
		open_rows(counters, true);
}

static void close_line(struct view *view, struct ui_state *state)
{
	(void)state;
	open_rows((struct counters_view *)view, false);
}

void cmd_counter_rows(struct ui_state *state)
{
	struct counters_view *view = (struct counters_view *)state->view;

	if (view->counters && view->counters->of != COUNTERS_OF_ALL) {
		state_say(state, "the counters of a process are by thread");
		return;
	}
	view->by_cgroup = !view->by_cgroup;
	state_say(state, view->by_cgroup ? "Enter opens a counter by cgroup"
					 : "Enter opens a counter by CPU");
	state_ask(state);
}

const struct view_ops view_counters_ops = {
	.place = IN_COUNTERS,
	.open = "open-rows",
	.menu = "open-rows",
	.bytes = sizeof(struct counters_view),
	.finish = finish_counters,
	.refresh = refresh_counters,
	.draw = draw_counters,
	.query = query_counters,
	.add_options = add_options,
	.move = move_counters,
	.scroll = scroll_counters,
	.select = select_hit,
	.place_of = place_of_counters,
	.restore = restore_counters,
	.find = find_text,
	.open_line = open_line,
	.close_line = close_line,
};
