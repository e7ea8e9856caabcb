/* whole_wait.c - see whole_wait.h. */
#include "whole_wait.h"

#include "base/clock.h"

#define AGAIN_NS	(5 * CLOCK_NS_PER_S)	/* a large window takes seconds to sum up */
#define EARLY_NS	(60 * CLOCK_NS_PER_S)	/* for the end of what was live */
#define GIVE_UP_NS	(300 * CLOCK_NS_PER_S)	/* without a snapshot, or since the last one */
/* Source lines of a recording may be waited for 30 s. */
#define SIGNAL_EARLY_NS	  (5 * CLOCK_NS_PER_S)
#define SIGNAL_GIVE_UP_NS (40 * CLOCK_NS_PER_S)

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void whole_wait_begin(struct whole_wait *wait, uint64_t now_ns, bool is_live)
{
	*wait = (struct whole_wait){
		.again_ns = now_ns + AGAIN_NS, .give_up_ns = now_ns + GIVE_UP_NS,
		.early_ns = is_live ? now_ns + EARLY_NS : UINT64_MAX,
	};
}

void whole_wait_note_signal(struct whole_wait *wait, uint64_t now_ns)
{
	wait->early_ns = earlier(wait->early_ns, now_ns + SIGNAL_EARLY_NS);
	wait->give_up_ns = earlier(wait->give_up_ns, now_ns + SIGNAL_GIVE_UP_NS);
	wait->is_signalled = true;
}

void whole_wait_note_other(struct whole_wait *wait, uint64_t now_ns, bool is_last)
{
	/* The request may have come before the end. */
	if (is_last && !wait->has_end)
		wait->again_ns = now_ns;
	else if (!wait->has_end && !wait->is_signalled)	/* records are still being counted */
		wait->give_up_ns = now_ns + GIVE_UP_NS;
	wait->has_end |= is_last;
}

bool whole_wait_takes(const struct whole_wait *wait, uint64_t now_ns, bool is_last)
{
	return is_last || now_ns >= wait->early_ns;
}

enum whole_step whole_wait_next(struct whole_wait *wait, uint64_t now_ns)
{
	if (now_ns >= wait->give_up_ns)
		return WHOLE_GIVE_UP;
	if (now_ns < wait->again_ns)
		return WHOLE_WAIT;
	wait->again_ns = now_ns + AGAIN_NS;
	return WHOLE_REQUEST;
}

uint64_t whole_wait_due_ns(const struct whole_wait *wait)
{
	return earlier(wait->again_ns, wait->give_up_ns);
}
