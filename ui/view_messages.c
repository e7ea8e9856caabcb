/* view_messages.c - see ui/view_messages.h. */
#include "ui/view_messages.h"

#include <string.h>

#include "ui/format.h"
#include "ui/state.h"

#define INDENT 2

static void add_notices(struct pager *pager, const struct snapshot *snapshot)
{
	const char *notice = snapshot->notice;

	pager_add(pager, ROLE_NAME, 0, "Sampling");
	if (snapshot->end_err)
		pager_add(pager, ROLE_LOSS, INDENT, "%s", snapshot->end_reason);
	else if (notice[0] == '\0')
		pager_add(pager, ROLE_TEXT, INDENT, "Everything is as it was asked for.");
	while (*notice) {
		const size_t length = strcspn(notice, "\n");

		pager_add(pager, ROLE_TEXT, INDENT, "%.*s", (int)length, notice);
		notice += length + (notice[length] == '\n');
	}
	pager_add(pager, ROLE_TEXT, 0, "%s", "");
}

static void add_loss(struct pager *pager, uint64_t count, const char *remedy)
{
	char text[FORMAT_BYTES];

	if (count)
		pager_add(pager, ROLE_LOSS, INDENT, "%s %s", format_count(text, count), remedy);
}

static void add_losses(struct pager *pager, const struct snapshot *snapshot)
{
	const size_t before = pager->count + 1;
	char text[FORMAT_BYTES];

	pager_add(pager, ROLE_NAME, 0, "Losses");
	add_loss(pager, snapshot->lost_kernel,
		 "records dropped by the kernel, its ring was full: larger rings (-m), a lower "
		 "rate (-F)");
	add_loss(pager, snapshot->lost_malformed,
		 "records that could not be read: please report it, with the kernel's version");
	add_loss(pager, snapshot->lost_late, "records that came too late to be put in order");
	add_loss(pager, snapshot->unattributed,
		 "samples whose process ended before its name or mappings were read: counted as "
		 "unknown");
	add_loss(pager, snapshot->filtered_unknown_uid,
		 "samples left out because their user could not be read (-u)");
	add_loss(pager, snapshot->evicted_samples,
		 "samples older than the memory budget holds: not in \"since start\"");
	add_loss(pager, snapshot->truncated_stacks,
		 "stacks deeper than the kernel copies: callers at the top are missing");
	add_loss(pager, snapshot->stalled_rounds,
		 "rounds in which the analysis was behind and records stayed in the kernel: a "
		 "lower rate (-F) helps");
	if (snapshot->throttled_ns)
		pager_add(pager, ROLE_LOSS, INDENT,
			  "Throttled for %s: the kernel stopped sampling to protect itself; lower "
			  "the rate (-F) or raise kernel.perf_event_max_sample_rate",
			  format_duration(text, (double)snapshot->throttled_ns / 1e9));
	if (pager->count == before)
		pager_add(pager, ROLE_TEXT, INDENT, "None.");
	pager_add(pager, ROLE_TEXT, 0, "%s", "");
}

/* How far back one can go. */
static void add_history(struct pager *pager, const struct ui_state *state)
{
	const struct snapshot *snapshot = state->shown;
	char text[FORMAT_BYTES];

	if (!snapshot->is_history_cut)
		return;
	pager_add(pager, ROLE_NAME, 0, "History");
	pager_add(pager, ROLE_TEXT, INDENT,
		  "It reaches back %s: what was older has left, %llu MiB are full. More memory for "
		  "it (--history-memory) or a lower rate (-F) makes it longer.",
		  format_duration(text, (double)(snapshot->newest_ns - snapshot->known_ns) / 1e9),
		  (unsigned long long)(state->history_bytes >> 20));
	pager_add(pager, ROLE_TEXT, 0, "%s", "");
}

static void refresh_messages(struct view *view, const struct ui_state *state)
{
	struct pager *pager = (struct pager *)view;

	pager_clear(pager);
	if (state->shown) {
		add_notices(pager, state->shown);
		add_losses(pager, state->shown);
		add_history(pager, state);
	}
}

const struct view_ops view_messages_ops = {
	.place = IN_PAGER,
	.title = "Messages",
	.refresh = refresh_messages,
	.draw = pager_draw,
	.move = pager_move,
};
