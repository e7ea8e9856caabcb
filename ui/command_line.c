/* command_line.c - see ui/command_line.h.
 *
 * Idea: the source's words are those given, updated by changes on the screen; everything else comes
 * from the state, so that pressed keys count. What no option can express becomes a note: a command
 * line that silently shows something else would be worse than none.
 */
#include "ui/command_line.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/source_change.h"
#include "fold/group_keys.h"
#include "state.h"

static bool is_plain(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+=:,./@%";

	return word[0] && !word[strspn(word, plain)];
}

bool command_line_add_word(char *out, size_t room, const char *word)
{
	const size_t before = strlen(out);
	const bool is_quoted = !is_plain(word);
	size_t used = before, wanted = strlen(word) + (before > 0) + 2 * is_quoted;

	for (const char *at = word; *at; at++)
		wanted += *at == '\'' ? 3 : 0;
	if (before + wanted >= room)
		return false;
	if (before)
		out[used++] = ' ';
	if (is_quoted)
		out[used++] = '\'';
	for (const char *at = word; *at; at++) {
		if (*at == '\'') {
			memcpy(out + used, "'\\''", 4);
			used += 4;
		} else {
			out[used++] = *at;
		}
	}
	if (is_quoted)
		out[used++] = '\'';
	out[used] = '\0';
	return true;
}

void launch_add_word(struct launch *launch, enum launch_kind kind, const char *word)
{
	if (!command_line_add_word(launch->words[kind], LAUNCH_BYTES, word))
		launch->is_cut = true;
}

void launch_add(struct launch *launch, enum launch_kind kind, char letter, const char *name,
		const char *value)
{
	char option[48];

	if (letter)
		snprintf(option, sizeof(option), "-%c", letter);
	else
		snprintf(option, sizeof(option), "--%s", name ? name : "");
	launch_add_word(launch, kind, option);
	if (value)
		launch_add_word(launch, kind, value);
}

void command_line_change_source(struct launch *launch, const struct source_change *change)
{
	static const struct {
		enum launch_kind kind;
		char letter;
	} options[] = {
		[SOURCE_EVENT] = { LAUNCH_EVENTS, 'e' },
		[SOURCE_FREQUENCY] = { LAUNCH_RATE, 'F' },
		[SOURCE_ALL] = { LAUNCH_TARGET, 'a' },
		[SOURCE_PROCESSES] = { LAUNCH_TARGET, 'p' },
		[SOURCE_THREADS] = { LAUNCH_TARGET, 't' },
		[SOURCE_USER] = { LAUNCH_TARGET, 'u' },
		[SOURCE_CGROUP] = { LAUNCH_TARGET, 'G' },
		[SOURCE_CPUS] = { LAUNCH_CPUS, 'C' },
	};
	enum launch_kind kind;

	if ((size_t)change->kind >= sizeof(options) / sizeof(options[0]))
		return;
	kind = options[change->kind].kind;
	launch->words[kind][0] = '\0';
	if (kind == LAUNCH_TARGET)	/* the command is not the target any more */
		launch->words[LAUNCH_COMMAND][0] = '\0';
	if (kind == LAUNCH_EVENTS)
		launch->is_only_probes = false;
	if (change->text[0] || change->kind == SOURCE_ALL)
		launch_add(launch, kind, options[change->kind].letter, NULL,
			   change->text[0] ? change->text : NULL);
}

static void note(struct command_line *line, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void note(struct command_line *line, const char *format, ...)
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
	if (!command_line_add_word(line->text, sizeof(line->text), word))
		line->is_cut = true;
}

static void add_option(struct command_line *line, const char *option, const char *value)
{
	add(line, option);
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
			note(line, "The probes alone are sampled: add -e EVENT for other samples.");
		else
			add_option(line, "-e", state->shown->event);
	}
	if (state->shown && state->shown->event_count > 1)
		note(line, "There is a table for each of the %" PRIu32 " events; the screen shows "
		     "%s.", state->shown->event_count, state->shown->event);
}

static bool has_own_probes(const struct ui_state *state)
{
	return state->shown && state->shown->probes.count && !state->shown->is_replay;
}

static void add_probes(struct command_line *line, const struct ui_state *state)
{
	const struct snapshot_probes *probes = &state->shown->probes;

	for (uint32_t i = 0; i < probes->count; i++) {
		add_option(line, "--probe", probes->list[i].spec);
		if (probes->list[i].state == PROBE_IS_OFF)
			note(line, "%s is off here, and the line attaches it.",
			     probes->list[i].name);
	}
	if (state->launch.words[LAUNCH_CPUS][0])
		note(line, "--probe is refused together with -C.");
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
		add_option(line, "--match", text);
		return;
	case FILTER_KERNEL:
	case FILTER_USER:
		if (part->is_negated)
			add(line, part->field == FILTER_KERNEL ? "-K" : "-U");
		else
			add(line, part->field == FILTER_KERNEL ? "-U" : "-K");
		return;
	case FILTER_COMMAND:
	case FILTER_OBJECT:
	case FILTER_SYMBOL:
		/* A longer text is refused, and a name that was cut is no name. */
		if (!format_exact(part->text, part->is_negated, text, FILTER_TEXT_BYTES))
			break;
		add_option(line, "--match", text);
		note(line, "For \"%s\" stands --match: it finds symbols, objects and commands of "
		     "this name alike.", shown);
		return;
	default:
		break;
	}
	note(line, "No option says \"%s\": it is left out.", shown);
}

static void add_filters(struct command_line *line, const struct ui_state *state)
{
	const struct filter *filter = &state->trail.filter;

	for (uint32_t i = 0; i < filter->count; i++)
		add_part(line, &filter->parts[i]);
	if (state->hide_kernel)
		add(line, "-K");
	if (state->hide_user)
		add(line, "-U");
	if (state->show_idle)
		add(line, "--idle");
}

static const struct {
	unsigned int key;
	const char *name;
} row_keys[] = {
	{ KEY_PID, "pid" }, { KEY_TID, "tid" }, { KEY_COMM, "comm" }, { KEY_OBJECT, "dso" },
	{ KEY_SYMBOL, "symbol" }, { KEY_CPU, "cpu" }, { KEY_ADDRESS, "address" },
};

static void add_row_keys(struct command_line *line, unsigned int keys)
{
	char text[80] = "";
	size_t used = 0;

	for (size_t i = 0; i < sizeof(row_keys) / sizeof(row_keys[0]); i++)
		if (keys & row_keys[i].key)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
						 used ? "," : "", row_keys[i].name);
	add_option(line, "-s", text);
}

static void add_groups(struct command_line *line, const struct group_order *groups)
{
	char text[GROUP_ORDER_BYTES] = "";
	size_t used = 0;

	for (uint32_t i = 0; i < groups->count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? "," : "",
					 group_key_name(groups->keys[i]));
	add_option(line, "--group", text);
}

/* Batch mode sorts by SELF%, or with --children by TOTAL%. */
static void add_order(struct command_line *line, const struct ui_state *state,
		      enum view_kind kind)
{
	const struct table_order *order = &state->orders[kind];

	if (order->column == COL_TOTAL)
		add(line, "--children");
	else if (order->column != COL_SELF && kind < VIEW_TABLES)
		note(line, "The rows are sorted by SELF%%: no option sorts them by %s.",
		     columns[order->column].title);
	if (order->is_reversed)
		note(line, "No option reverses the order.");
}

static void add_rows(struct command_line *line, const struct ui_state *state)
{
	const enum view_kind kind = state_kind(state);

	switch (kind) {
	case VIEW_TREE:
	case VIEW_FLAME:
		add_option(line, "--format", "folded");
		note(line, "It prints the stacks, a line for each; the %s is drawn from them.",
		     kind == VIEW_TREE ? "tree" : "flame graph");
		return;
	case VIEW_GROUPS:
		add_groups(line, &state->groups);
		break;
	case VIEW_PROBES:
		note(line, "The probes follow the rows.");
		break;
	case VIEW_TASKS:
		add_row_keys(line, KEY_PID);
		note(line, "There is a row for each process, also of ended ones of one name.");
		add_order(line, state, kind);
		break;
	case VIEW_SYMBOLS:
		add_row_keys(line, state->symbol_keys);
		add_order(line, state, kind);
		break;
	default:
		add_row_keys(line, table_specs[kind].keys);
		add_order(line, state, kind);
		break;
	}
	if (kind == VIEW_SYMBOLS && state_has_lines(state))
		add(line, "--source");
	if (kind < VIEW_TABLES && !(state->choice.hidden[kind] & 1u << COL_PERIOD))
		add(line, "--show-total-period");
}

static void add_seconds(struct command_line *line, const char *option, uint64_t ns)
{
	char text[32];

	snprintf(text, sizeof(text), "%g", (double)ns / 1e9);
	add_option(line, option, text);
}

/* The one refresh comes when the window is full. A recording has all of its time at its end. */
static void add_window(struct command_line *line, const struct ui_state *state)
{
	const bool is_replay = state->shown && state->shown->is_replay;

	if (state->window == WINDOW_SECONDS) {
		if (!is_replay)
			add_seconds(line, "-d", state->window_ns);
		add_seconds(line, "--window", state->window_ns);
	} else {
		if (!is_replay)
			add_seconds(line, "-d", state->interval_ns);
		add_option(line, "--window", state->window == WINDOW_DECAY ? "decay" : "all");
	}
	if (state->time.end_ns || state->is_paused)
		note(line, "No option chooses a time in the past: the window ends where the "
		     "samples do.");
	else if (!is_replay)
		note(line, "It samples anew, from when it is started.");
	if (state->compare.is_on && !is_replay)
		note(line, "No option marks a baseline: the line does not compare.");
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
	add_filters(out, state);
	add_rows(out, state);
	add_window(out, state);
	if (state->is_relative)
		add_option(out, "--percentage", "relative");
	if (state->raw_names)
		add(out, "--no-demangle");
	add(out, "--batch=1");
	if (launch->words[LAUNCH_COMMAND][0]) {
		add(out, "--");
		add_words(out, launch->words[LAUNCH_COMMAND]);
	}
}
