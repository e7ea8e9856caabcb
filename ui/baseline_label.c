/* baseline_label.c - see ui/baseline_label.h. */
#include "ui/baseline_label.h"

#include <stdio.h>

/* What was marked is known before a snapshot tells it. */
static struct time_range time_of(const struct ui_state *state)
{
	const struct snapshot_baseline *baseline = &state->shown->baseline;

	if (state->compare.end_ns)
		return (struct time_range){ state->compare.begin_ns, state->compare.end_ns };
	return (struct time_range){ baseline->begin_ns, baseline->end_ns };
}

char *baseline_label(const struct ui_state *state, char out[BASELINE_LABEL_BYTES])
{
	const char *label = state->shown->baseline.label;
	const struct time_range time = time_of(state);
	const struct time_zero zero = state_time_zero(state);
	char text[TIME_TEXT_BYTES];

	if (!state->compare.end_ns && label && label[0])
		snprintf(out, BASELINE_LABEL_BYTES, "%s", label);
	else
		snprintf(out, BASELINE_LABEL_BYTES, "%s", time_text_range(text, &time, &zero));
	return out;
}
