/* command_compare.c - compares the shown window with a marked one, the baseline. */
#include "command_list.h"
#include "widgets/baseline_label.h"

void cmd_mark_baseline(struct ui_state *state)
{
	const struct snapshot *shown = state->shown;
	char label[BASELINE_LABEL_BYTES];

	if (!shown || !shown->samples || shown->begin_ns >= shown->time_ns) {
		state_say(state, "no sample in this window: there is nothing to compare with");
		return;
	}
	if (shown->window == WINDOW_DECAY) {	/* what is marked is counted in full */
		state_say(state, "a decaying window can't be a baseline: w chooses another");
		return;
	}
	state->compare.has_baseline = state->compare.is_on = true;
	state->compare.is_rest = false;
	state->compare.marked = (struct time_range){ shown->begin_ns, shown->time_ns };
	state->compare.is_marked_selected = shown->is_selected;
	state_request(state, REQUEST_BASELINE, 0, shown->time_ns);
	state->outbox[state->outbox_count - 1].begin_ns = shown->begin_ns;
	state_ask(state);
	state_say(state, "baseline A: %s \u00b7 x with it or without \u00b7 X forgets it",
		  baseline_label_marked(state, label));
}

/* Compares the selected time with all that was counted before and after it. */
static void mark_rest(struct ui_state *state)
{
	const struct time_range time = state_shown_time(state);

	state->compare = (struct comparing){
		.has_baseline = true, .is_on = true, .is_rest = true, .marked = time,
		.is_marked_selected = true,
	};
	state_request(state, REQUEST_BASELINE, 1, time.end_ns);
	state->outbox[state->outbox_count - 1].begin_ns = time.begin_ns;
	state_ask(state);
}

void command_compare_rest(struct ui_state *state)
{
	if (state->compare.is_rest && state->compare.is_on && state->time.end_ns)
		mark_rest(state);
}

void cmd_compare(struct ui_state *state)
{
	char label[BASELINE_LABEL_BYTES];

	if (!state->compare.has_baseline && state->time.end_ns) {
		mark_rest(state);
		state_say(state, "compared with the rest of history \u00b7 x without it");
		return;
	}
	if (!state->compare.has_baseline) {
		state_say(state, "nothing to compare with: m marks a baseline; of a time in the "
			  "past ([) the rest of history is one");
		return;
	}
	if (state->compare.is_rest) {
		state_forget_baseline(state);
		state_ask(state);
		state_say(state, "not compared with the rest of history any more");
		return;
	}
	state->compare.is_on = !state->compare.is_on;
	state_ask(state);
	if (state->compare.is_on)
		state_say(state, "compared with A: %s", baseline_label(state, label));
	else
		state_say(state, "not compared: x compares with A again");
}

void cmd_forget_baseline(struct ui_state *state)
{
	if (!state->compare.has_baseline) {
		state_say(state, "there is no baseline: m marks one");
		return;
	}
	state_forget_baseline(state);
	state_ask(state);
	state_say(state, "the baseline is forgotten");
}
