/* empty.c - see empty.h. Shows the first reason that applies. */
#include "empty.h"

#include <inttypes.h>
#include <stdio.h>

#include "format.h"
#include "header.h"
#include "probe_columns.h"
#include "term/text_lines.h"

#define SENTENCE_BYTES 400

struct reason {
	char why[SENTENCE_BYTES];
	char remedy[SENTENCE_BYTES];	/* "": there is none */
};

static void say_filtered(const struct ui_state *state, struct reason *out)
{
	const struct filter *filter = &state->query.breadcrumbs.filter;
	char samples[FORMAT_BYTES], part[FILTER_PART_BYTES];
	const char *hidden = state->query.hide_kernel && state->query.hide_user
				     ? "Kernel and user code are"
			     : state->query.hide_kernel ? "Kernel code is"
			     : state->query.hide_user	? "User code is"
							: NULL;

	format_count(samples, state->shown->samples - state->shown->idle_samples);
	if (filter->count) {
		filter_format_part(&filter->parts[filter->count - 1], part);
		snprintf(out->why, SENTENCE_BYTES,
			 "None of %s samples passes the filter (last: %s).", samples, part);
		snprintf(out->remedy, SENTENCE_BYTES,
			 "Enter takes it away, Esc goes back, F lists all%s.",
			 hidden ? ", K and U show what is hidden" : "");
	} else {
		snprintf(out->why, SENTENCE_BYTES, "%s hidden, and %s samples are nothing else.",
			 hidden ? hidden : "Everything is", samples);
		snprintf(out->remedy, SENTENCE_BYTES, "%s.",
			 state->query.hide_kernel && state->query.hide_user
				 ? "K and U show it, Enter user code"
			 : state->query.hide_kernel ? "K or Enter shows it"
						    : "U or Enter shows it");
	}
}

static void say_past(const struct ui_state *state, struct reason *out)
{
	const struct time_range time = state_shown_time(state);
	const struct time_zero zero = state_time_zero(state);
	char text[TIME_TEXT_BYTES], number[FORMAT_BYTES];

	time_text_range(text, &time, &zero);
	if (state->shown->idle_samples)
		snprintf(out->why, SENTENCE_BYTES, "All %s samples of %s were idle.",
			 format_count(number, state->shown->idle_samples), text);
	else if (state->query.time.end_ns <= state->shown->known_ns)
		snprintf(out->why, SENTENCE_BYTES, "History does not reach back to %s any more.",
			 text);
	else
		snprintf(out->why, SENTENCE_BYTES, "No sample in %s.", text);
	snprintf(out->remedy, SENTENCE_BYTES,
		 "[ and ] go on through history, ) takes more of it, 0 leads back to %s.",
		 state->shown->is_replay ? "all" : "live");
}

/* Returns "in the last 10 s" in @out[@room]. */
static const char *format_window(const struct ui_state *state, char *out, size_t room)
{
	const struct snapshot *shown = state->shown;
	const struct time_range time = state_shown_time(state);
	char text[TIME_TEXT_BYTES];
	struct time_zero zero;

	if (state->query.time.end_ns) {
		zero = state_time_zero(state);
		time_text_range(text, &time, &zero);
		snprintf(out, room, "in %s", text);
	} else if (shown->window == WINDOW_SECONDS && !shown->is_frozen) {
		header_window_name(text, shown->window, shown->window_s, false);
		snprintf(out, room, "in the %s", text);
	} else {
		snprintf(out, room, "in the window");
	}
	return out;
}

/* Nothing is inside the calls of @probe. */
static void say_outside(const struct ui_state *state, const struct snapshot_probe *probe,
			struct reason *out)
{
	char window[TIME_TEXT_BYTES + 8], number[FORMAT_BYTES];

	format_window(state, window, sizeof(window));
	if (!probe->latency.count) {
		snprintf(out->why, SENTENCE_BYTES, "No call of %s ended %s.",
			 probe_plain_name(probe), window);
		snprintf(out->remedy, SENTENCE_BYTES, "w takes a longer window, Esc goes back.");
		return;
	}
	snprintf(out->why, SENTENCE_BYTES, "No sample of %s is inside the %s calls of %s that "
		 "ended %s.", state->shown->event, format_count(number, probe->latency.count),
		 probe_plain_name(probe), window);
	snprintf(out->remedy, SENTENCE_BYTES, "v shows another event, as off-cpu, w a longer "
		 "window%s; Esc goes back.", state->source ? "; f samples more often" : "");
}

static void find_reason(const struct ui_state *state, struct reason *out)
{
	const struct snapshot *snapshot = state->shown;
	char number[FORMAT_BYTES], window[HEADER_WINDOW_BYTES];

	out->remedy[0] = '\0';
	if (!snapshot) {
		snprintf(out->why, SENTENCE_BYTES,
			 "Collecting samples\u2026");
	} else if (state_is_waiting(state)) {
		snprintf(out->why, SENTENCE_BYTES, "Counting\u2026");
	} else if (snapshot->samples > snapshot->idle_samples) {
		say_filtered(state, out);
	} else if (state_inside_probe(state) && !snapshot->samples) {
		say_outside(state, state_inside_probe(state), out);
	} else if (state->query.time.end_ns) {
		say_past(state, out);
	} else if (snapshot->is_target_gone && state->query.is_zeroed) {
		snprintf(out->why, SENTENCE_BYTES,
			 "The target ended, and no sample hit it since zero.");
		snprintf(out->remedy, SENTENCE_BYTES,
			 "[ goes back to what it did before, t takes another target, q quits.");
	} else if (snapshot->is_target_gone) {
		snprintf(out->why, SENTENCE_BYTES, "The target ended before a sample hit it.");
		snprintf(out->remedy, SENTENCE_BYTES, "t takes another target, q quits.");
	} else if (snapshot->idle_samples) {
		snprintf(out->why, SENTENCE_BYTES, "Nothing is hot: all %s samples were idle.",
			 format_count(number, snapshot->idle_samples));
		if (state->specs[state_kind(state)].columns)
			snprintf(out->remedy, SENTENCE_BYTES, "i shows them.");
	} else if (snapshot->window_s <= 0 && !snapshot->is_replay) {
		snprintf(out->why, SENTENCE_BYTES,
			 "Collecting: counting began anew, the next refresh has the first rows.");
	} else {
		snprintf(out->why, SENTENCE_BYTES, "%s no sample, %s.",
			 snapshot->is_replay ? "The recording has" : "Nothing is hot:",
			 header_window_name(window, snapshot->window, snapshot->window_s,
					    state->query.is_zeroed));
		if (snapshot->target_children && state->source)
			snprintf(out->remedy, SENTENCE_BYTES, "It has %" PRIu32 " child%s: t, "
				 "Enter samples %s, too.", snapshot->target_children,
				 snapshot->target_children == 1 ? "" : "ren",
				 snapshot->target_children == 1 ? "it" : "them");
		else
			snprintf(out->remedy, SENTENCE_BYTES, "w takes a longer window%s.",
				 state->source ? ", t another target, e another event" : "");
	}
}

void empty_draw(const struct ui_state *state, struct canvas *canvas, int y, int end)
{
	struct reason reason;

	find_reason(state, &reason);
	y = text_lines_draw(canvas, y, end, reason.why, ROLE_TEXT);
	text_lines_draw(canvas, y, end, reason.remedy, ROLE_DIM);
}
