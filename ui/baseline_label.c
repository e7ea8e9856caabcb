/* baseline_label.c - see ui/baseline_label.h. */
#include "ui/baseline_label.h"

#include <stdio.h>

#include "base/clock.h"

/* What was marked is known before a snapshot tells it. */
static struct time_range time_of(const struct ui_state *state)
{
	const struct snapshot_baseline *baseline = &state->shown->baseline;

	if (state->compare.end_ns)
		return (struct time_range){ state->compare.begin_ns, state->compare.end_ns };
	return (struct time_range){ baseline->begin_ns, baseline->end_ns };
}

/* A window that is live ends anywhere: milliseconds would only be in the way. */
static struct time_range without_ms(struct time_range time)
{
	const uint64_t length_ns = time.end_ns - time.begin_ns;
	const uint64_t seconds = (length_ns + CLOCK_NS_PER_S / 2) / CLOCK_NS_PER_S;

	if (length_ns >= CLOCK_NS_PER_S)
		time.end_ns = time.begin_ns + seconds * CLOCK_NS_PER_S;
	return time;
}

char *baseline_label(const struct ui_state *state, char out[BASELINE_LABEL_BYTES])
{
	const char *label = state->shown->baseline.label;
	const struct time_range marked = time_of(state);
	const struct time_range time = state->compare.is_selected ? marked : without_ms(marked);
	const struct time_zero zero = state_time_zero(state);
	char text[TIME_TEXT_BYTES];

	if (!state->compare.end_ns && label && label[0])
		snprintf(out, BASELINE_LABEL_BYTES, "%s", label);
	else
		snprintf(out, BASELINE_LABEL_BYTES, "%s", time_text_range(text, &time, &zero));
	return out;
}
