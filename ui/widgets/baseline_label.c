/* baseline_label.c - see baseline_label.h. */
#include "baseline_label.h"

#include <stdio.h>

#include "base/clock.h"

/* A window that is live ends anywhere: milliseconds would only be in the way. */
static struct time_range without_ms(struct time_range time)
{
	const uint64_t length_ns = time.end_ns - time.begin_ns;
	const uint64_t seconds = (length_ns + CLOCK_NS_PER_S / 2) / CLOCK_NS_PER_S;

	if (length_ns >= CLOCK_NS_PER_S)
		time.end_ns = time.begin_ns + seconds * CLOCK_NS_PER_S;
	return time;
}

static char *name_time(const struct ui_state *state, struct time_range time, bool is_selected,
		       char out[BASELINE_LABEL_BYTES])
{
	const struct time_zero zero = state_time_zero(state);
	char text[TIME_TEXT_BYTES];

	if (!is_selected)
		time = without_ms(time);
	snprintf(out, BASELINE_LABEL_BYTES, "%s", time_text_range(text, &time, &zero));
	return out;
}

char *baseline_label_marked(const struct ui_state *state, char out[BASELINE_LABEL_BYTES])
{
	if (state->compare.is_rest)
		snprintf(out, BASELINE_LABEL_BYTES, "the rest of history");
	if (state->compare.is_rest)
		return out;
	return name_time(state, state->compare.marked, state->compare.is_marked_selected, out);
}

char *baseline_label(const struct ui_state *state, char out[BASELINE_LABEL_BYTES])
{
	const struct snapshot_baseline *baseline = &state->shown->baseline;
	const struct time_range time = { baseline->begin_ns, baseline->end_ns };

	if (!state->shown->has_baseline || state->compare.is_rest)
		return baseline_label_marked(state, out);
	if (!baseline->label || !baseline->label[0])
		return name_time(state, time, state->compare.is_selected, out);
	snprintf(out, BASELINE_LABEL_BYTES, "%s", baseline->label);
	return out;
}
