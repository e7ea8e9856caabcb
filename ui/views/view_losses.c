/* view_losses.c - see view_losses.h.
 *
 * Every cause that any event can have has its line, even if nothing was lost: 0 is a reply. An
 * unknown count is "-" with the reason. On a wide screen meaning and remedy are beside the counts,
 * else below them.
 */
#include "view_losses.h"

#include <ctype.h>
#include <stdio.h>

#include "state.h"
#include "ui/keymap.h"
#include "widgets/format.h"
#include "widgets/header.h"
#include "widgets/pager.h"

#define COUNT_CELLS  8
#define STAT_CELLS (LOSS_TITLE_CELLS + 2 * (COUNT_CELLS + 1))
#define BESIDE_CELLS 72		/* from here on there is room for text beside the numbers */
#define GAP_CELLS    2
#define INDENT	     4

char *view_losses_count(char *out, enum loss_cause cause, uint64_t count)
{
	char text[FORMAT_BYTES];

	if (loss_descriptions[cause].is_time && count)
		format_duration(text, (double)count / 1e9);
	else
		format_count(text, count);
	snprintf(out, LOSS_TEXT_BYTES, "%s", text);
	return out;
}

static const char *number(char *out, enum loss_cause cause, bool is_known, uint64_t count)
{
	return is_known ? view_losses_count(out, cause, count) : "-";
}

/* Returns why a count is unknown. */
static const char *why_unknown(const struct loss_counters *losses, enum loss_cause cause)
{
	const bool has_start = losses->counts[cause].has_start;

	if (cause == LOSS_READ && losses->is_by_records && !has_start)
		return "Not known: Linux before 6.0 does not count. ";
	if (cause == LOSS_UNRESOLVED && !has_start)
		return "Known of a window alone: names come after counting. ";
	if (cause == LOSS_TICKS && !has_start && losses->counts[cause].has_window)
		return "Known of a window alone, from how busy the CPUs were. ";
	if (cause == LOSS_TICKS && !has_start)
		return "Known of cpu-clock alone, on whole CPUs or with -p, -t or a command. ";
	if (cause == LOSS_STOLEN && !has_start)
		return "Known of cpu-clock on whole CPUs alone. ";
	return "";		/* other reasons: see add_notes() */
}

static enum role role_of(const struct loss_counters *losses, enum loss_cause cause)
{
	const struct loss_count *count = &losses->counts[cause];

	if ((!count->since_start && !count->in_window) || loss_descriptions[cause].is_meant)
		return ROLE_DIM;
	return loss_descriptions[cause].is_missing ? ROLE_LOSS : ROLE_TEXT;
}

/* Formats where most losses happened: ", mostly in libx.so of prog (123)". */
static const char *place(char *out, size_t room, const struct loss_process *process)
{
	out[0] = '\0';
	if (process->pid)
		snprintf(out, room, ", mostly in %s%s%s (%u)", process->file,
			 process->file[0] ? " of " : "", process->program, process->pid);
	return out;
}

char *view_losses_describe(char *out, size_t room, const struct loss_counters *losses,
			   enum loss_cause cause)
{
	const struct loss_description *text = &loss_descriptions[cause];
	const struct loss_process *process = &losses->processes[cause];
	const char *remedy = process->remedy ? process->remedy : text->remedy;
	char where[2 * LOSS_PROGRAM_BYTES + 40];

	snprintf(out, room, "%s%s%s%s", text->meaning, place(where, sizeof(where), process),
		 remedy[0] ? ". Helps: " : "", remedy);
	return out;
}

/* What happened, and what helps, in one sentence or two. */
static void describe(char *out, size_t room, const struct loss_counters *losses,
		     enum loss_cause cause)
{
	char text[PAGER_LINE_BYTES];

	view_losses_describe(text, sizeof(text), losses, cause);
	snprintf(out, room, "%s%c%s.", why_unknown(losses, cause), toupper(text[0]), text + 1);
}

static void add_cause(struct pager *pager, const struct loss_counters *losses,
		      enum loss_cause cause, bool is_beside)
{
	const struct loss_count *count = &losses->counts[cause];
	const enum role role = role_of(losses, cause);
	char since[LOSS_TEXT_BYTES], within[LOSS_TEXT_BYTES], text[PAGER_LINE_BYTES];
	char stats[PAGER_LINE_BYTES];

	describe(text, sizeof(text) - STAT_CELLS - GAP_CELLS, losses, cause);
	snprintf(stats, sizeof(stats), "%-*s %*s %*s", LOSS_TITLE_CELLS,
		 loss_descriptions[cause].title, COUNT_CELLS,
		 number(since, cause, count->has_start, count->since_start), COUNT_CELLS,
		 number(within, cause, count->has_window, count->in_window));
	if (is_beside) {
		pager_add(pager, role, STAT_CELLS + GAP_CELLS, "%s%*s%s", stats, GAP_CELLS, "",
			  text);
		return;
	}
	pager_add(pager, role, 0, "%s", stats);
	pager_add(pager, ROLE_DIM, INDENT, "%*s%s", INDENT, "", text);
}

/* A part is where its whole is. */
static bool is_among_missing(int cause)
{
	while (loss_descriptions[cause].is_part)
		cause--;
	return loss_descriptions[cause].is_missing;
}

static bool is_listed(const struct loss_counters *losses, int cause)
{
	const struct loss_count *count = &losses->counts[cause];

	return !loss_descriptions[cause].is_rare || count->since_start || count->in_window;
}

static void add_section(struct pager *pager, const struct ui_state *state, const char *title,
			bool is_missing)
{
	const struct loss_counters *losses = &state->shown->losses;
	const bool is_beside = state->display.width >= BESIDE_CELLS;

	pager_add(pager, ROLE_NAME, 0, "%s", title);
	for (int cause = 0; cause < LOSS_CAUSES; cause++)
		if (is_among_missing(cause) == is_missing && is_listed(losses, cause))
			add_cause(pager, losses, (enum loss_cause)cause, is_beside);
	pager_add(pager, ROLE_TEXT, 0, "%s", "");
}

/* What is between the dash and a number, and which time is meant. */
static void add_notes(struct pager *pager, const struct ui_state *state)
{
	const struct loss_counters *losses = &state->shown->losses;
	char window[HEADER_WINDOW_BYTES];

	header_window_name(window, state->shown->window, state->shown->window_s,
			   state->query.is_zeroed);
	pager_add(pager, ROLE_DIM, 0,
		  "start: since it began. window: %s, to the second. -: not known, which is "
		  "not 0.",
		  state->query.time.end_ns ? "the time that was chosen" : window);
	if (state->shown->missing_ticks_pct >= 0)
		pager_add(pager, ROLE_DIM, 0,
			  "missing ticks: %.1f %% of the busy time of the window%s.",
			  state->shown->missing_ticks_pct,
			  state->shown->clock_cpus ? " at least" : "");
	if (!losses->counts[LOSS_RING_FULL].has_window)
		pager_add(pager, ROLE_STATE, 0,
			  "Of the time of this window it was not kept what was lost.");
	if (losses->is_by_records)
		pager_add(pager, ROLE_STATE, 0,
			  "This kernel does not count what it drops (Linux 6.0 does): "
			  "\"ring full\" is what its records tell, and what was lost last may be "
			  "missing.");
}

static void refresh_losses(struct view *view, const struct ui_state *state)
{
	struct pager *pager = (struct pager *)view;

	pager_clear(pager);
	if (!state->shown || !state->shown->losses.is_set) {
		pager_add(pager, ROLE_DIM, 0, "Losses: nothing has been counted yet.");
		return;
	}
	pager_add(pager, ROLE_DIM, 0, "%*s %*s", LOSS_TITLE_CELLS + 1 + COUNT_CELLS, "start",
		  COUNT_CELLS, "window");
	add_section(pager, state, "Missing from what is shown", true);
	add_section(pager, state, "Counted, but not whole", false);
	add_notes(pager, state);
}

/* The screen may have got another width. */
static void draw_losses(struct view *view, struct ui_state *state, struct canvas *canvas, int top,
			int rows)
{
	refresh_losses(view, state);
	pager_draw(view, state, canvas, top, rows);
}

const struct view_ops view_losses_ops = {
	PAGER_OPS(struct pager),
	.title = "Losses",
	.refresh = refresh_losses,
	.draw = draw_losses,
};
