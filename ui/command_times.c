/* command_times.c - which part of history the views show, and what it is compared with.
 *
 * From live or paused the first step selects a window as long as the one shown. Any command about
 * the newest samples (another window, zero, another source) goes back to live.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "command_list.h"
#include "widgets/counter_line.h"
#include "widgets/format.h"
#include "widgets/header.h"

#define FIRST_LENGTH_NS (10 * CLOCK_NS_PER_S)	/* for windows without a fixed length */
#define MIB		(1024 * 1024)

static bool is_past(const struct ui_state *state)
{
	return state->query.time.end_ns != 0;
}

static uint64_t shown_length_ns(const struct ui_state *state)
{
	return state->query.window == WINDOW_SECONDS && state->query.window_ns
		       ? state->query.window_ns
		       : FIRST_LENGTH_NS;
}

static struct time_bounds bounds_of(const struct ui_state *state)
{
	struct time_bounds bounds = state_time_bounds(state);

	if (state->query.is_paused)	/* then the newest is what is on the screen */
		bounds.newest_ns = state->shown->time_ns;
	return bounds;
}

static void say_begin(struct ui_state *state)
{
	const struct snapshot *shown = state->shown;
	const double seconds = (double)(shown->newest_ns - shown->known_ns) / 1e9;
	char text[FORMAT_BYTES];

	format_duration(text, seconds);
	if (shown->is_history_cut && state->display.history_bytes)
		state_say(state, "history begins here: %llu MiB hold %s (--history-memory)",
			  (unsigned long long)(state->display.history_bytes / MIB), text);
	else if (shown->is_replay)
		state_say(state, "the recording begins here");
	else
		state_say(state, "history begins here, %s ago", text);
}

static void say_live(struct ui_state *state)
{
	char name[HEADER_WINDOW_BYTES];

	if (state->shown && state->shown->is_replay)
		state_say(state, "all of the recording again");
	else
		state_say(state, "live again: %s",
			  header_window_name(name, state->query.window,
					     (double)state->query.window_ns / 1e9,
					     state->query.is_zeroed));
}

void command_go_live(struct ui_state *state)
{
	state_show_time(state, (struct time_range){ 0, 0 });
}

/* Sets *@out to the window to step from; false, with a message: history has none. For a recording
 * shorter than a whole second it is all of the recording. */
static bool find_start(struct ui_state *state, struct time_range *out)
{
	const struct time_bounds bounds = state->shown ? bounds_of(state)
						       : (struct time_bounds){ 0, 0 };

	*out = is_past(state) ? state->query.time
			      : time_range_newest(&bounds, shown_length_ns(state));
	if (!out->end_ns && state->shown && state->shown->is_replay)
		*out = time_range_clip((struct time_range){ bounds.known_ns, bounds.newest_ns },
				       &bounds);
	if (!out->end_ns)
		state_say(state, state->shown && state->shown->is_replay
					 ? "the recording has no time to choose"
					 : "there is no whole second of history yet");
	return out->end_ns;
}

static void step_earlier(struct ui_state *state, int steps)
{
	const bool was_past = is_past(state);
	struct time_bounds bounds;
	struct time_range range;
	enum time_move move;

	if (!find_start(state, &range))
		return;
	bounds = bounds_of(state);
	move = time_range_step(&range, &bounds, -steps);
	if (move == TIME_AT_BEGIN)
		say_begin(state);
	if (move == TIME_MOVED || !was_past)
		state_show_time(state, range);
}

static void step_later(struct ui_state *state, int steps)
{
	const struct time_bounds bounds = state->shown ? state_time_bounds(state)
						       : (struct time_bounds){ 0, 0 };
	struct time_range range = state->query.time;

	if (!is_past(state)) {
		state_say(state, state->query.is_paused
					 ? "paused: 0 goes back to live, [ back in time"
					 : "this is live: [ goes back in time");
	} else if (time_range_step(&range, &bounds, steps) == TIME_MOVED) {
		state_show_time(state, range);
	} else {
		command_go_live(state);
		say_live(state);
	}
}

void cmd_step_time(struct ui_state *state, int steps)
{
	if (steps < 0)
		step_earlier(state, -steps);
	else
		step_later(state, steps);
}

void cmd_live(struct ui_state *state)
{
	if (!is_past(state) && !state->query.is_paused) {
		state_say(state, "this is live");
		return;
	}
	command_go_live(state);
	say_live(state);
}

void cmd_resize_time(struct ui_state *state, int is_longer)
{
	struct time_bounds bounds;
	struct time_range range;
	enum time_move move;
	char text[FORMAT_BYTES];

	if (!find_start(state, &range))
		return;
	bounds = bounds_of(state);
	move = time_range_resize(&range, &bounds, is_longer);
	if (move == TIME_AT_BEGIN) {	/* the chosen time has left */
		say_begin(state);
		return;
	}
	if (move != TIME_MOVED) {
		state_say(state, is_longer ? "this is as long as it gets"
					   : "this is as short as it gets: 50 ms");
		return;
	}
	state_show_time(state, range);
	state_say(state, "%s of history",
		  format_duration(text, (double)(range.end_ns - range.begin_ns) / 1e9));
}

void command_choose_time(struct ui_state *state, struct time_range range)
{
	const struct time_bounds bounds = state_time_bounds(state);

	range = time_range_clip(range, &bounds);
	if (range.end_ns)
		state_show_time(state, range);
	else
		state_say(state, "nothing was counted then: history does not reach so far");
}

void cmd_counter_line(struct ui_state *state)
{
	uint64_t *is_on = &state->display.choice.counter_line;

	if (!state->source) {
		state_say(state, "a recording has no counters");
		return;
	}
	*is_on = !*is_on;
	if (*is_on && !counter_line_height(state, state->display.height))
		state_say(state, "no room: the counter line needs %d lines",
			  counter_line_least_height());
	else
		state_say(state, *is_on ? "counter line on" : "counter line off");
	state_ask(state);
}

void cmd_heat_map(struct ui_state *state)
{
	if (!state->display.heat_room) {	/* nor is there one to take away */
		state_say(state, "no room: the heat map needs %d lines",
			  header_heat_height(state->display.width));
		return;
	}
	state->query.wants_heat = !state->query.wants_heat;
	state->is_on_time = state->query.wants_heat || is_past(state);
	if (state->query.wants_heat)
		state_say(state, "J goes to the busiest moment, again to the next");
	state_ask(state);
}

/* Comparing the shown window with a marked one, the baseline. */

void cmd_mark_baseline(struct ui_state *state)
{
	const struct snapshot *shown = state->shown;
	char label[BASELINE_TEXT_BYTES];

	if (!shown || !shown->samples || shown->begin_ns >= shown->time_ns) {
		state_say(state, "no sample in this window: there is nothing to compare with");
		return;
	}
	if (shown->window == WINDOW_DECAY) {	/* a marked time is counted in full */
		state_say(state, "a decaying window can't be a baseline: w chooses another");
		return;
	}
	state->query.compare.has_baseline = state->query.compare.is_on = true;
	state->query.compare.is_rest = false;
	state->query.compare.marked = (struct time_range){ shown->begin_ns, shown->time_ns };
	state->query.compare.is_marked_selected = shown->is_selected;
	state_request(state, REQUEST_BASELINE, 0, shown->time_ns);
	state->out.requests[state->out.count - 1].begin_ns = shown->begin_ns;
	state_ask(state);
	state_say(state, "baseline A: %s \u00b7 x with it or without \u00b7 X forgets it",
		  baseline_label_marked(state, label));
}

/* Compares the selected time with all that was counted before and after it. */
static void mark_rest(struct ui_state *state)
{
	const struct time_range time = state_shown_time(state);

	state->query.compare = (struct comparing){
		.has_baseline = true, .is_on = true, .is_rest = true, .marked = time,
		.is_marked_selected = true,
	};
	state_request(state, REQUEST_BASELINE, 1, time.end_ns);
	state->out.requests[state->out.count - 1].begin_ns = time.begin_ns;
	state_ask(state);
}

/* If a selected time is compared with the rest of history, compares the time selected now. */
static void command_compare_rest(struct ui_state *state)
{
	if (state->query.compare.is_rest && state->query.compare.is_on && state->query.time.end_ns)
		mark_rest(state);
}

void cmd_compare(struct ui_state *state)
{
	char label[BASELINE_TEXT_BYTES];

	if (!state->query.compare.has_baseline && state->query.time.end_ns) {
		mark_rest(state);
		state_say(state, "compared with the rest of history \u00b7 x without it");
		return;
	}
	if (!state->query.compare.has_baseline) {
		state_say(state, "nothing to compare with: m marks a baseline; of a time in the "
			  "past ([) the rest of history is one");
		return;
	}
	if (state->query.compare.is_rest) {
		state_forget_baseline(state);
		state_ask(state);
		state_say(state, "not compared with the rest of history any more");
		return;
	}
	state->query.compare.is_on = !state->query.compare.is_on;
	state_ask(state);
	if (state->query.compare.is_on)
		state_say(state, "compared with A: %s", baseline_label(state, label));
	else
		state_say(state, "not compared: x compares with A again");
}

void cmd_forget_baseline(struct ui_state *state)
{
	if (!state->query.compare.has_baseline) {
		state_say(state, "there is no baseline: m marks one");
		return;
	}
	state_forget_baseline(state);
	state_ask(state);
	state_say(state, "the baseline is forgotten");
}

/* J: to the hottest row, path or frame, or the busiest time.
 *
 * What it goes to depends on the last key: after a key of time ([ ] { } ( ) H, a click on the
 * activity graph) to a time, until a key acts on rows again.
 * Again: pressed where it led to, it goes on to the next; after the last it starts over.
 */

/* Equal parts of the activity graph's time, oldest first: its points, or parts of them. */
struct slices {
	const struct snapshot *snapshot;
	size_t parts;		/* slices per point */
	bool is_heat;		/* values are those of the heat map's cells */
};

static struct slices slices_of(const struct ui_state *state)
{
	const bool is_heat =
		state->query.wants_heat && state->shown->heat && state->display.heat.width > 0;

	return (struct slices){
		.snapshot = state->shown, .is_heat = is_heat,
		.parts = is_heat ? (size_t)state->display.heat.height : 1,
	};
}

/* Returns the load of a slice; < 0: unknown. */
static double value_of(const struct slices *slices, size_t index)
{
	const size_t point = index / slices->parts, ticks = HEAT_ROWS / slices->parts;
	double sum = -1;

	if (!slices->is_heat)
		return (double)slices->snapshot->activity[point];
	for (size_t i = 0; i < ticks; i++) {
		const float value = slices->snapshot->heat[point * HEAT_ROWS +
							   index % slices->parts * ticks + i];

		if (value >= 0)
			sum = (sum < 0 ? 0 : sum) + (double)value;
	}
	return sum;
}

static struct time_range range_of(const struct slices *slices, size_t index)
{
	const struct snapshot *shown = slices->snapshot;
	const uint64_t step_ns = (uint64_t)(shown->activity_step_s * 1e9 + 0.5);
	const uint64_t length_ns = step_ns / slices->parts;
	const uint64_t back_ns = step_ns * shown->activity_count - length_ns * index;

	if (back_ns > shown->activity_end_ns)
		return (struct time_range){ 0, 0 };
	return (struct time_range){ shown->activity_end_ns - back_ns,
				    shown->activity_end_ns - back_ns + length_ns };
}

static bool is_visited(const struct ui_state *state, struct time_range range)
{
	for (size_t i = 0; i < state->visited_count; i++)
		if (range.begin_ns < state->visited[i].end_ns &&
		    state->visited[i].begin_ns < range.end_ns)
			return true;
	return false;
}

/* Finds the busiest slice not visited, of equal ones the latest. False: there is none. */
static bool find_slice(const struct ui_state *state, const struct slices *slices, size_t *out)
{
	const struct time_bounds bounds = state_time_bounds(state);
	double most = 0;

	for (size_t i = 0; i < slices->snapshot->activity_count * slices->parts; i++) {
		const double value = value_of(slices, i);
		const struct time_range range = range_of(slices, i);

		if (value <= 0 || value < most || range.begin_ns < bounds.known_ns ||
		    range.end_ns > bounds.newest_ns || is_visited(state, range))
			continue;
		most = value;
		*out = i;
	}
	return most > 0;
}

static void visit(struct ui_state *state, struct time_range range)
{
	if (state->visited_count == STATE_VISITED)
		memmove(state->visited, state->visited + 1,
			--state->visited_count * sizeof(state->visited[0]));
	state->visited[state->visited_count++] = range;
}

static void say_slice(struct ui_state *state, const struct slices *slices, size_t index)
{
	const double value = value_of(slices, index);
	const struct time_range range = range_of(slices, index);
	const double length_s = (double)(range.end_ns - range.begin_ns) / 1e9;
	char length[FORMAT_BYTES], count[FORMAT_BYTES], text[64];

	format_count(count, (uint64_t)(value + 0.5));
	if (slices->is_heat)
		snprintf(text, sizeof(text), "%s busy samples", count);
	else if (slices->snapshot->activity_kind == ACTIVITY_BUSY)
		snprintf(text, sizeof(text), "%.0f %% busy", value);
	else
		snprintf(text, sizeof(text), "%s samples a second", count);
	state_say(state, "%s in %s \u00b7 J the next busiest \u00b7 x compares with the rest",
		  text, format_duration(length, length_s));
}

static void go_to_slice(struct ui_state *state)
{
	const struct slices slices = slices_of(state);
	bool is_found;
	size_t index;

	is_found = find_slice(state, &slices, &index);
	if (!is_found && state->visited_count) {
		state->visited_count = 0;	/* all were visited: start over at the busiest */
		is_found = find_slice(state, &slices, &index);
	}
	if (!is_found) {
		state_say(state, "there is no whole second of history yet");
		return;
	}
	visit(state, range_of(&slices, index));
	command_choose_time(state, range_of(&slices, index));
	command_compare_rest(state);
	say_slice(state, &slices, index);
}

void cmd_hottest(struct ui_state *state)
{
	const struct view_ops *ops = state->view->ops;

	if (state->is_on_time && state->shown)
		go_to_slice(state);
	else if (ops->hottest)
		ops->hottest(state->view, state);
}

/* How long the window is, how often it is refreshed. */

/* What `w` goes through. */
static const struct {
	enum window_kind kind;
	uint64_t ns;
} windows[] = {
	{ WINDOW_SECONDS, 10 * CLOCK_NS_PER_S },
	{ WINDOW_SECONDS, 60 * CLOCK_NS_PER_S },
	{ WINDOW_ALL, 0 },
	{ WINDOW_DECAY, 0 },
};
#define WINDOW_COUNT (sizeof(windows) / sizeof(windows[0]))

/* What `<` and `>` go through. */
static const uint64_t intervals_ms[] = { 100, 200, 500, 1000, 2000, 5000, 10000 };
#define INTERVAL_COUNT (sizeof(intervals_ms) / sizeof(intervals_ms[0]))
#define MIN_INTERVAL_S 0.1
#define MAX_INTERVAL_S 10.0

void cmd_pause(struct ui_state *state)
{
	if (!state->shown) {
		state_say(state, "nothing to freeze yet");
		return;
	}
	if (state->query.time.end_ns) {
		cmd_live(state);
		return;
	}
	state->query.is_paused = !state->query.is_paused;
	if (state->query.is_paused)
		state_request(state, REQUEST_FREEZE, 0, state->shown->time_ns);
	else
		state_request(state, REQUEST_FREEZE, 0, 0);
}

void cmd_window(struct ui_state *state)
{
	char name[HEADER_WINDOW_BYTES];
	size_t next = 0;

	for (size_t i = 0; i < WINDOW_COUNT; i++)
		if (windows[i].kind == state->query.window &&
		    (windows[i].kind != WINDOW_SECONDS || windows[i].ns == state->query.window_ns))
			next = (i + 1) % WINDOW_COUNT;
	if (state->query.time.end_ns)
		command_go_live(state);
	state->query.window = windows[next].kind;
	state->query.window_ns = windows[next].ns;
	state_request(state, REQUEST_WINDOW, state->query.window, state->query.window_ns);
	state_say(state, "window: %s",
		  header_window_name(name, state->query.window,
				     (double)state->query.window_ns / 1e9, state->query.is_zeroed));
}

void cmd_zero(struct ui_state *state)
{
	if (!state->shown) {
		state_say(state, "nothing is shown yet");
		return;
	}
	if (state->query.time.end_ns)
		command_go_live(state);
	state->query.is_zeroed = true;
	state->query.is_paused = false;
	state_request(state, REQUEST_ZERO, 0, 0);
	state_say(state, "\"since start\" begins now");
}

static void set_interval(struct ui_state *state, uint64_t ms)
{
	char text[FORMAT_BYTES];

	state->query.interval_ns = ms * CLOCK_NS_PER_MS;
	state_request(state, REQUEST_INTERVAL, 0, state->query.interval_ns);
	state_say(state, "refresh every %s", format_duration(text, (double)ms / 1000));
}

void cmd_slower(struct ui_state *state)
{
	size_t i = 0;

	while (i + 1 < INTERVAL_COUNT &&
	       intervals_ms[i] * CLOCK_NS_PER_MS <= state->query.interval_ns)
		i++;
	set_interval(state, intervals_ms[i]);
}

void cmd_faster(struct ui_state *state)
{
	size_t i = INTERVAL_COUNT - 1;

	while (i > 0 && intervals_ms[i] * CLOCK_NS_PER_MS >= state->query.interval_ns)
		i--;
	set_interval(state, intervals_ms[i]);
}

static void interval_accepted(struct ui_state *state)
{
	char *end;
	const double seconds = strtod(state->prompt.text, &end);

	if (*end || end == state->prompt.text || !(seconds >= MIN_INTERVAL_S) ||
	    seconds > MAX_INTERVAL_S)
		state_say(state, "\"%s\": seconds from %g to %g are needed", state->prompt.text,
			  MIN_INTERVAL_S, MAX_INTERVAL_S);
	else
		set_interval(state, (uint64_t)(seconds * 1000 + 0.5));
}

void cmd_interval(struct ui_state *state)
{
	static const struct prompt_use use = {
		.label = "refresh every (s):", .accepted = interval_accepted,
	};
	char text[FORMAT_BYTES];

	snprintf(text, sizeof(text), "%g", (double)state->query.interval_ns / 1e9);
	state_open_prompt(state, &use, text);
}

