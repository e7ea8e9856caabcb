/* baseline_label.c - see ui/baseline_label.h. */
#include "ui/baseline_label.h"

#include <stdio.h>
#include <time.h>

#include "base/clock.h"

#define TIME_BYTES 16

static void format_wall_time(uint64_t ns, char out[TIME_BYTES])
{
	const time_t seconds = (time_t)(ns / CLOCK_NS_PER_S);
	struct tm local;

	localtime_r(&seconds, &local);
	strftime(out, TIME_BYTES, "%H:%M:%S", &local);
}

/* What was marked is known before a snapshot tells it. */
static void find_times(const struct ui_state *state, uint64_t *begin_ns, uint64_t *end_ns)
{
	*begin_ns = state->compare.begin_ns;
	*end_ns = state->compare.end_ns;
	if (!*end_ns && state->shown) {
		*begin_ns = state->shown->baseline.begin_ns;
		*end_ns = state->shown->baseline.end_ns;
	}
}

static double seconds_since(uint64_t ns, uint64_t begin_ns)
{
	return ns > begin_ns ? (double)(ns - begin_ns) / 1e9 : 0;
}

char *baseline_label(const struct ui_state *state, char out[BASELINE_LABEL_BYTES])
{
	const struct snapshot *shown = state->shown;
	char begin[TIME_BYTES], end[TIME_BYTES];
	uint64_t begin_ns, end_ns;

	find_times(state, &begin_ns, &end_ns);
	if (!state->compare.end_ns && shown && shown->baseline.label && shown->baseline.label[0]) {
		snprintf(out, BASELINE_LABEL_BYTES, "%s", shown->baseline.label);
		return out;
	}
	if (shown && shown->is_replay) {
		snprintf(out, BASELINE_LABEL_BYTES, "%.1f\u2013%.1f s",
			 seconds_since(begin_ns, shown->known_ns),
			 seconds_since(end_ns, shown->known_ns));
		return out;
	}
	format_wall_time(begin_ns + state->wall_offset_ns, begin);
	format_wall_time(end_ns + state->wall_offset_ns, end);
	snprintf(out, BASELINE_LABEL_BYTES, "%s\u2013%s", begin, end);
	return out;
}
