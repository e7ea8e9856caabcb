/* view_messages.c - see view_messages.h.
 *
 * The log: lines are added at the end and dropped at the beginning while the user reads between.
 * They are numbered, so only new ones are added; as many old ones are dropped, and the pager moves
 * its position along.
 */
#include "view_messages.h"

#include <string.h>
#include <time.h>

#include "base/diag.h"
#include "state.h"
#include "ui/keymap.h"
#include "view_losses.h"
#include "widgets/format.h"
#include "widgets/pager.h"

#define INDENT 2
#define TEXT_CELLS 11		/* a line of the log begins "14:02:11 ! " */

static void add_notices(struct pager *pager, const struct snapshot *snapshot)
{
	const char *notice = snapshot->notice, *absent = snapshot->absent_events;
	struct snapshot_absence absence;

	pager_add(pager, ROLE_NAME, 0, "Sampling");
	if (snapshot->end_err)
		pager_add(pager, ROLE_LOSS, INDENT, "%s", snapshot->end_reason);
	else if (!notice[0] && !snapshot_next_absence(&absent, &absence))
		pager_add(pager, ROLE_TEXT, INDENT, "Everything is as it was asked for.");
	while (*notice) {
		const size_t length = strcspn(notice, "\n");

		pager_add(pager, ROLE_TEXT, INDENT, "%.*s", (int)length, notice);
		notice += length + (notice[length] == '\n');
	}
	absent = snapshot->absent_events;
	while (snapshot_next_absence(&absent, &absence))
		pager_add(pager, ROLE_LOSS, INDENT, "%.*s <not supported>: %.*s",
			  absence.event_bytes, absence.event, absence.reason_bytes,
			  absence.reason);
	pager_add(pager, ROLE_TEXT, 0, "%s", "");
}

/* One line for a cause that lost something since start. Parts of another cause, what was left out
 * on purpose, and what is only known for the window are in the loss view alone. */
static void add_loss(struct pager *pager, const struct loss_counters *losses, enum loss_cause cause)
{
	const struct loss_description *text = &loss_descriptions[cause];
	const struct loss_count *count = &losses->counts[cause];
	char stat[LOSS_TEXT_BYTES], sentences[PAGER_LINE_BYTES];

	if (text->is_part || text->is_meant || !count->has_start || !count->since_start)
		return;
	view_losses_count(stat, cause, count->since_start);
	view_losses_describe(sentences, sizeof(sentences), losses, cause);
	pager_add(pager, text->is_missing ? ROLE_LOSS : ROLE_TEXT, INDENT, "%s %s: %s", stat,
		  text->title, sentences);
}

static void add_losses(struct pager *pager, const struct ui_state *state)
{
	const struct command *losses = keymap_command(state->keymap, "losses");
	const size_t before = pager->count + 1;
	char keys[KEYMAP_TEXT_BYTES];

	pager_add(pager, ROLE_NAME, 0, "Losses");
	for (int cause = 0; cause < LOSS_CAUSES; cause++)
		add_loss(pager, &state->shown->losses, (enum loss_cause)cause);
	if (pager->count == before)
		pager_add(pager, ROLE_TEXT, INDENT, "None.");
	keymap_format(state->keymap, losses, keys);
	pager_add(pager, ROLE_DIM, INDENT, "%s%s shows every cause, since start and in the window.",
		  keys[0] ? "" : ":", keys[0] ? keys : losses->name);
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
		  (unsigned long long)(state->display.history_bytes >> 20));
	pager_add(pager, ROLE_TEXT, 0, "%s", "");
}

static void refresh_messages(struct view *view, const struct ui_state *state)
{
	struct pager *pager = (struct pager *)view;

	pager_clear(pager);
	if (state->shown) {
		add_notices(pager, state->shown);
		add_losses(pager, state);
		add_history(pager, state);
	}
}

const struct view_ops view_messages_ops = {
	PAGER_OPS(struct pager),
	.title = "Messages",
	.refresh = refresh_messages,
	.draw = pager_draw,
};

/* The log. */

static void add_line(struct pager *pager, const struct log_line *line)
{
	const time_t wall = (time_t)line->wall_s;
	char at[16] = "";
	struct tm local;

	if (localtime_r(&wall, &local))
		strftime(at, sizeof(at), "%H:%M:%S", &local);
	pager_add(pager, line->is_warning ? ROLE_STATE : ROLE_TEXT, TEXT_CELLS, "%-8s %c %s", at,
		  line->is_warning ? '!' : ' ', line->text);
	pager->seen = line->number;
}

static void refresh_log(struct view *view, const struct ui_state *state)
{
	static struct log_line lines[LOG_LINES];	/* 128 KiB: too much for a stack */
	const size_t count = log_tail(lines, LOG_LINES);
	struct pager *pager = (struct pager *)view;

	(void)state;
	pager->follows_end = true;
	if (!pager->seen)
		pager_clear(pager);	/* removes the line that says the log is empty */
	for (size_t i = 0; i < count; i++)
		if (lines[i].number > pager->seen)
			add_line(pager, &lines[i]);
	if (pager->count > LOG_LINES)
		pager_drop(pager, pager->count - LOG_LINES);
	if (!pager->seen)
		pager_add(pager, ROLE_DIM, 0, "Nothing has been logged.");
}

const struct view_ops view_log_ops = {
	PAGER_OPS(struct pager),
	.title = "Log",
	.refresh = refresh_log,
	.draw = pager_draw,
};
