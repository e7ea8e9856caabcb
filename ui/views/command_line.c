/* command_line.c - see command_line.h.
 *
 * Idea: the source's words are those given, updated by changes on the screen; everything else comes
 * from the state, so that pressed keys count. What no option can express becomes a note: a command
 * line that silently shows something else would be worse than none.
 */
#include "command_line.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/request.h"
#include "command_list.h"
#include "state.h"
#include "widgets/pager.h"

void command_line_note(struct command_line *line, const char *format, ...)
{
	va_list args;

	if (line->note_count == COMMAND_LINE_NOTES)
		return;
	va_start(args, format);
	vsnprintf(line->notes[line->note_count++], COMMAND_LINE_NOTE_BYTES, format, args);
	va_end(args);
}

static void add(struct command_line *line, const char *word)
{
	if (!launch_append(line->text, sizeof(line->text), word))
		line->is_cut = true;
}

void command_line_option(struct command_line *line, const char *option, const char *value)
{
	add(line, option);
	if (value)
		add(line, value);
}

/* @words are quoted already. */
static void add_words(struct command_line *line, const char *words)
{
	const size_t used = strlen(line->text);

	if (used + strlen(words) + 2 > sizeof(line->text))
		line->is_cut = true;
	else if (words[0])
		snprintf(line->text + used, sizeof(line->text) - used, " %s", words);
}

/* Probes alone are what --probe without -e samples, so the event is named where probes were added
 * to samples. */
static void add_events(struct command_line *line, const struct ui_state *state, bool has_probes)
{
	const char *events = state->launch.words[LAUNCH_EVENTS];

	add_words(line, events);
	if (has_probes && !events[0] && !state->launch.is_only_probes) {
		if (state_probe_hits(state))
			command_line_note(line, "The probes alone are sampled: add -e EVENT for "
					  "other samples.");
		else
			command_line_option(line, "-e", state->shown->event);
	}
	if (state->shown && state->shown->event_count > 1)
		command_line_note(line, "There is a table for each of the %" PRIu32 " events; the "
				  "screen shows %s.", state->shown->event_count,
				  state->shown->event);
}

static bool has_own_probes(const struct ui_state *state)
{
	return state->shown && state->shown->probes.count && !state->shown->is_replay;
}

static void add_probes(struct command_line *line, const struct ui_state *state)
{
	const struct snapshot_probes *probes = &state->shown->probes;

	for (uint32_t i = 0; i < probes->count; i++) {
		command_line_option(line, "--probe", probes->list[i].spec);
		if (probes->list[i].state == PROBE_IS_OFF)
			command_line_note(line, "%s is off here, and the line attaches it.",
					  probes->list[i].name);
	}
	if (state->launch.words[LAUNCH_CPUS][0])
		command_line_note(line, "--probe is refused together with -C.");
}

/* An extended regular expression of exactly @text. False: no room. */
static bool format_exact(const char *text, bool is_negated, char *out, size_t room)
{
	size_t used = (size_t)snprintf(out, room, "%s~^", is_negated ? "!" : "");

	for (; *text; text++) {
		if (used + 4 > room)
			return false;
		if (strchr(".[]()*+?{}|^$\\", *text))
			out[used++] = '\\';
		out[used++] = *text;
	}
	memcpy(out + used, "$", 2);
	return true;
}

static void add_part(struct command_line *line, const struct filter_part *part)
{
	char text[FILTER_TEXT_BYTES + 8], shown[FILTER_PART_BYTES];

	filter_format_part(part, shown);
	switch (part->field) {
	case FILTER_TEXT:
		snprintf(text, sizeof(text), "%s%s", part->is_negated ? "!" : "", part->text);
		command_line_option(line, "--match", text);
		return;
	case FILTER_KERNEL:
	case FILTER_USER:
		if (part->is_negated)
			add(line, part->field == FILTER_KERNEL ? "-K" : "-U");
		else
			add(line, part->field == FILTER_KERNEL ? "-U" : "-K");
		return;
	case FILTER_COMMAND:
	case FILTER_DSO:
	case FILTER_SYMBOL:
		/* A longer text is refused, and a name that was cut is no name. */
		if (!format_exact(part->text, part->is_negated, text, FILTER_TEXT_BYTES))
			break;
		command_line_option(line, "--match", text);
		command_line_note(line, "For \"%s\" stands --match: it finds symbols, DSOs and "
				  "commands of this name alike.", shown);
		return;
	default:
		break;
	}
	command_line_note(line, "No option says \"%s\": it is left out.", shown);
}

static bool is_first_latency(const struct snapshot_probes *probes, uint32_t id)
{
	for (uint32_t i = 0; i < probes->count; i++)
		if (probes->list[i].has_latency && probes->list[i].id < id)
			return false;
	return true;
}

static void add_inside(struct command_line *line, const struct ui_state *state,
		       const struct breadcrumbs_level *here)
{
	if (here->inside == INSIDE_NONE)
		return;
	command_line_option(line, "--inside", here->inside == INSIDE_ALL ? "all" : "slowest");
	if (!is_first_latency(&state->shown->probes, here->inside_probe))
		command_line_note(line, "--inside is of the first probe of a latency: put that one "
				  "first.");
}

/* What the hits weigh, of which group they are, and inside which calls samples are. */
static void add_hits(struct command_line *line, const struct ui_state *state)
{
	const struct breadcrumbs *breadcrumbs = &state->query.breadcrumbs;
	const struct breadcrumbs_level *here = &breadcrumbs->levels[breadcrumbs->count - 1];
	const struct snapshot *shown = state->shown;

	if (shown && shown->hit_weight && shown->hit_weight[0])
		command_line_option(line, "--weight", shown->hit_weight);
	if (here->group)
		command_line_note(line, "No option chooses the group \"%s\": the line has all "
				  "hits.", here->group_name);
	add_inside(line, state, here);
}

static void add_filters(struct command_line *line, const struct ui_state *state)
{
	const struct filter *filter = &state->query.breadcrumbs.filter;

	for (uint32_t i = 0; i < filter->count; i++)
		add_part(line, &filter->parts[i]);
	if (state->query.hide_kernel)
		add(line, "-K");
	if (state->query.hide_user)
		add(line, "-U");
	if (state->query.show_idle)
		add(line, "--idle");
}

/* Batch mode sorts by SELF%, or with --children by TOTAL%. */
void command_line_order(struct command_line *line, const struct ui_state *state)
{
	const enum view_kind kind = state_kind(state);
	const struct table_order *order = &state->display.orders[kind];

	if (order->column == COL_TOTAL)
		add(line, "--children");
	else if (order->column != COL_SELF)
		command_line_note(line, "The rows are sorted by SELF%%: no option sorts them by "
				  "%s.", columns_title(order->column, state->shown));
	if (order->is_reversed)
		command_line_note(line, "No option reverses the order.");
}

static void add_rows(struct command_line *line, const struct ui_state *state)
{
	const struct view_ops *ops = state->specs[state_kind(state)].ops;

	if (ops->add_options)
		ops->add_options(state, line);
}

static void add_seconds(struct command_line *line, const char *option, uint64_t ns)
{
	char text[32];

	snprintf(text, sizeof(text), "%g", (double)ns / 1e9);
	command_line_option(line, option, text);
}

/* The one refresh comes when the window is full. A recording has all of its time at its end. */
static void add_window(struct command_line *line, const struct ui_state *state)
{
	const bool is_replay = state->shown && state->shown->is_replay;

	if (state->query.window == WINDOW_SECONDS) {
		if (!is_replay)
			add_seconds(line, "-d", state->query.window_ns);
		add_seconds(line, "--window", state->query.window_ns);
	} else {
		if (!is_replay)
			add_seconds(line, "-d", state->query.interval_ns);
		command_line_option(line, "--window",
				    state->query.window == WINDOW_DECAY ? "decay" : "all");
	}
	if (state->query.time.end_ns || state->query.is_paused)
		command_line_note(line, "No option chooses a time in the past: the window ends "
				  "where the samples do.");
	else if (!is_replay)
		command_line_note(line, "It samples anew, from when it is started.");
	if (state->query.compare.is_on && !is_replay)
		command_line_note(line, "No option marks a baseline: the line does not compare.");
}

void command_line_make(const struct ui_state *state, struct command_line *out)
{
	const struct launch *launch = &state->launch;
	const bool has_probes = has_own_probes(state);

	out->text[0] = '\0';
	out->note_count = 0;
	out->is_cut = launch->is_cut;
	add(out, "flametop");
	add_words(out, launch->words[LAUNCH_TARGET]);
	add_words(out, launch->words[LAUNCH_CPUS]);
	add_events(out, state, has_probes);
	add_words(out, launch->words[LAUNCH_RATE]);
	add_words(out, launch->words[LAUNCH_SOURCE]);
	if (has_probes)
		add_probes(out, state);
	add_hits(out, state);
	add_filters(out, state);
	add_rows(out, state);
	add_window(out, state);
	if (state->query.is_relative)
		command_line_option(out, "--percentage", "relative");
	if (state->query.raw_names)
		add(out, "--no-demangle");
	add(out, "--batch=1");
	if (launch->words[LAUNCH_COMMAND][0]) {
		add(out, "--");
		add_words(out, launch->words[LAUNCH_COMMAND]);
	}
}

/* The page. */

#define INDENT	   2
#define LINE_BYTES 400	/* a line of the page has room for it */

/* Cuts @text at blanks into lines of the page, which wrap by themselves. */
static void add_text(struct pager *pager, const char *text)
{
	while (*text) {
		size_t length = strlen(text);

		if (length > LINE_BYTES) {
			length = LINE_BYTES;
			while (length > 1 && text[length] != ' ')
				length--;
			if (length == 1)
				length = LINE_BYTES;
		}
		pager_add(pager, ROLE_TEXT, INDENT, "%.*s", (int)length, text);
		text += length;
		text += *text == ' ';
	}
}

static void refresh(struct view *view, const struct ui_state *state)
{
	struct pager *pager = (struct pager *)view;
	struct command_line line;
	char keys[KEYMAP_TEXT_BYTES];

	pager_clear(pager);
	if (!state->shown)
		return;
	command_line_make(state, &line);
	pager_add(pager, ROLE_NAME, 0, "This view without a screen");
	add_text(pager, line.text);
	pager_add(pager, ROLE_TEXT, 0, "%s", "");
	if (line.is_cut)
		pager_add(pager, ROLE_LOSS, INDENT, "The line is too long: words are missing.");
	for (size_t i = 0; i < line.note_count; i++)
		pager_add(pager, ROLE_TEXT, INDENT, "%s", line.notes[i]);
	keymap_format(state->keymap, keymap_command(state->keymap, "copy-line"), keys);
	pager_add(pager, ROLE_DIM, INDENT, "%s%s copies the line to the terminal's clipboard.",
		  keys[0] ? "" : ":", keys[0] ? keys : "copy-line");
}

const struct view_ops view_command_line_ops = {
	PAGER_OPS(struct pager),
	.title = "Command line",
	.refresh = refresh,
	.draw = pager_draw,
};

void cmd_copy_line(struct ui_state *state)
{
	struct command_line line;

	if (state->view != state->pages[PAGE_COMMAND_LINE]) {
		state_say(state, "y copies the line of the page that :command opens");
		return;
	}
	command_line_make(state, &line);
	if (line.is_cut) {
		state_say(state, "the line is too long to be copied");
		return;
	}
	snprintf(state->out.clipboard, sizeof(state->out.clipboard), "%s", line.text);
	state->out.wants_clipboard = true;
}
