/* command_times.c - back in time: which part of history the views show.
 *
 * From live or paused the first step selects a window as long as the one shown. Any command about
 * the newest samples (another window, zero, another source) goes back to live.
 */
#include <stdio.h>

#include "base/clock.h"
#include "command_list.h"
#include "widgets/format.h"
#include "widgets/header.h"

#define FIRST_LENGTH_NS (10 * CLOCK_NS_PER_S)	/* for windows without a fixed length */
#define MANY_STEPS	10
#define MIB		(1024 * 1024)

static bool is_past(const struct ui_state *state)
{
	return state->time.end_ns != 0;
}

static uint64_t shown_length_ns(const struct ui_state *state)
{
	return state->window == WINDOW_SECONDS && state->window_ns ? state->window_ns
								   : FIRST_LENGTH_NS;
}

static struct time_bounds bounds_of(const struct ui_state *state)
{
	struct time_bounds bounds = state_time_bounds(state);

	if (state->is_paused)	/* then the newest is what is on the screen */
		bounds.newest_ns = state->shown->time_ns;
	return bounds;
}

static void say_begin(struct ui_state *state)
{
	const struct snapshot *shown = state->shown;
	const double seconds = (double)(shown->newest_ns - shown->known_ns) / 1e9;
	char text[FORMAT_BYTES];

	format_duration(text, seconds);
	if (shown->is_history_cut && state->history_bytes)
		state_say(state, "history begins here: %llu MiB hold %s (--history-memory)",
			  (unsigned long long)(state->history_bytes / MIB), text);
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
			  header_window_name(name, state->window, (double)state->window_ns / 1e9,
					     state->is_zeroed));
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

	*out = is_past(state) ? state->time
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
	struct time_range range = state->time;

	if (!is_past(state)) {
		state_say(state, state->is_paused ? "paused: 0 goes back to live, [ back in time"
						  : "this is live: [ goes back in time");
	} else if (time_range_step(&range, &bounds, steps) == TIME_MOVED) {
		state_show_time(state, range);
	} else {
		command_go_live(state);
		say_live(state);
	}
}

void cmd_earlier(struct ui_state *state)
{
	step_earlier(state, 1);
}

void cmd_later(struct ui_state *state)
{
	step_later(state, 1);
}

void cmd_much_earlier(struct ui_state *state)
{
	step_earlier(state, MANY_STEPS);
}

void cmd_much_later(struct ui_state *state)
{
	step_later(state, MANY_STEPS);
}

void cmd_live(struct ui_state *state)
{
	if (!is_past(state) && !state->is_paused) {
		state_say(state, "this is live");
		return;
	}
	command_go_live(state);
	say_live(state);
}

static void resize(struct ui_state *state, bool is_longer)
{
	struct time_bounds bounds;
	struct time_range range;
	enum time_move move;
	char text[FORMAT_BYTES];

	if (!find_start(state, &range))
		return;
	bounds = bounds_of(state);
	move = time_range_resize(&range, &bounds, is_longer);
	if (move == TIME_AT_BEGIN) {	/* what was chosen has left */
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

void cmd_shorter(struct ui_state *state)
{
	resize(state, false);
}

void cmd_longer(struct ui_state *state)
{
	resize(state, true);
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

void cmd_heat_map(struct ui_state *state)
{
	if (!state->heat_room) {	/* nor is there one to take away */
		state_say(state, "no room: the heat map needs %d lines",
			  header_heat_height(state->screen_width));
		return;
	}
	state->wants_heat = !state->wants_heat;
	state->is_on_time = state->wants_heat || is_past(state);
	if (state->wants_heat)
		state_say(state, "J goes to the busiest moment, again to the next");
	state_ask(state);
}
