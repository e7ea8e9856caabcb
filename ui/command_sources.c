/* command_sources.c - what is sampled, and saving it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "command_list.h"
#include "views/view_table.h"
#include "widgets/finder.h"

void cmd_next_event(struct ui_state *state)
{
	if (state_probe_hits(state)) {
		state_say(state, "these are the hits of a probe: Esc leads back to it");
	} else if (!state->shown || state->shown->event_count < 2) {
		state_say(state, "there is only one event");
	} else {
		const uint32_t next = (state->shown->event_index + 1) % state->shown->event_count;

		state->query.sample_event = state->shown->next_shown;
		if (state->query.sample_event != next)
			state_say(state, "events without samples are passed over");
		state->query.asked_event = state->query.sample_event;
		state_request(state, REQUEST_EVENT, state->query.asked_event, 0);
	}
}

static bool can_change(struct ui_state *state)
{
	if (!state->source)
		state_say(state, "a recording stays what was recorded");
	return state->source;
}

/* Called for prompts whose id is an enum source_change_kind. */
static void source_accepted(struct ui_state *state)
{
	state_change_source(state, (enum source_change_kind)state->prompt_use->id,
			    state->prompt.text);
}

void cmd_event(struct ui_state *state)
{
	if (can_change(state))
		finder_open_events(state);
}

void cmd_frequency(struct ui_state *state)
{
	static const struct prompt_use use = {
		.label = "samples a second and CPU:", .id = SOURCE_FREQUENCY,
		.accepted = source_accepted,
	};
	char text[32] = "";

	if (!can_change(state))
		return;
	if (state->shown && state->shown->freq_hz)
		snprintf(text, sizeof(text), "%" PRIu64, state->shown->freq_hz);
	state_open_prompt(state, &use, text);
}

/* The target: a menu, whose lines may ask for more. */
static const struct target_line {
	const char *label, *option;
	struct prompt_use use;	/* id: enum source_change_kind; without a label nothing is asked */
} target_lines[] = {
	{ "everything", "-a", { .id = SOURCE_ALL } },
	{ "processes\u2026", "-p",
	  { "processes (id, name, PID+):", SOURCE_PROCESSES, .accepted = source_accepted } },
	{ "threads\u2026", "-t",
	  { "thread ids:", SOURCE_THREADS, .accepted = source_accepted } },
	{ "a user's processes\u2026", "-u",
	  { "user:", SOURCE_USER, .accepted = source_accepted } },
	{ "a cgroup\u2026", "-G",
	  { "cgroup (path, unit, container):", SOURCE_CGROUP, .accepted = source_accepted } },
	{ "some CPUs\u2026", "-C",
	  { "CPUs (0-3,8):", SOURCE_CPUS, .accepted = source_accepted } },
	{ "all CPUs", "", { .id = SOURCE_CPUS } },
};
#define TARGET_LINES  (sizeof(target_lines) / sizeof(target_lines[0]))
#define LINE_ROW      ((int)TARGET_LINES)	/* the process of the row under the cursor */
#define LINE_CHILDREN (LINE_ROW + 1)	/* the target, with what it has started */

static void target_chosen(struct ui_state *state, const struct menu_item *item)
{
	const struct prompt_use *use;
	char pid[32];

	if (item->id == LINE_ROW) {
		snprintf(pid, sizeof(pid), "%" PRIu64, state->menu_parts[0].number);
		state_change_source(state, SOURCE_PROCESSES, pid);
		return;
	}
	if (item->id == LINE_CHILDREN) {
		snprintf(pid, sizeof(pid), "%" PRIu32 "+", state->shown->target_pid);
		state_change_source(state, SOURCE_PROCESSES, pid);
		return;
	}
	use = &target_lines[item->id].use;
	if (use->label)
		state_open_prompt(state, use, "");
	else
		state_change_source(state, (enum source_change_kind)use->id, "");
}

void cmd_target(struct ui_state *state)
{
	static const struct menu_use use = { target_chosen };
	const struct snapshot_row *row = table_rows_cursor(&table_view_of(state)->rows);
	char label[MENU_LABEL_BYTES], part[FILTER_PART_BYTES];

	if (!can_change(state))
		return;
	state_open_menu(state, &use, "sample", false);
	if (state->shown && state->shown->target_children) {
		snprintf(label, sizeof(label), "pid %" PRIu32 " with its descendants",
			 state->shown->target_pid);
		menu_add(&state->menu, LINE_CHILDREN, MENU_PLAIN, label, "-p PID+");
	}
	if (row && row->pid > 0 && views_row_part(FILTER_PID, row, &state->menu_parts[0])) {
		snprintf(label, sizeof(label), "this row's process: %s",
			 filter_format_part(&state->menu_parts[0], part));
		menu_add(&state->menu, LINE_ROW, MENU_PLAIN, label, "");
	}
	for (size_t i = 0; i < TARGET_LINES; i++)
		menu_add(&state->menu, (int)i, MENU_PLAIN, target_lines[i].label,
			 target_lines[i].option);
}

/* Recording all that is counted, from now on; ui/screen.c begins and ends it. */

static void begin_recording(struct ui_state *state, const char *path)
{
	snprintf(state->out.record_path, sizeof(state->out.record_path), "%s", path);
	state->out.wants_record = true;
}

static void record_accepted(struct ui_state *state)
{
	if (state->prompt.text[0])
		begin_recording(state, state->prompt.text);
}

void cmd_record(struct ui_state *state)
{
	static const struct prompt_use use = {
		.label = "record into:", .accepted = record_accepted,
	};
	const time_t now = time(NULL);
	char path[64];
	struct tm local;

	if (!state->recording.can_record) {
		state_say(state, "there is nothing to record");
	} else if (state->recording.is_there && state->argument[0]) {
		state_say(state, "a recording goes on: O ends it");
	} else if (state->recording.is_there) {
		state->out.wants_record_end = true;
	} else if (state->shown && state->shown->is_replay && !state->shown->is_reading) {
		state_say(state, "this recording is read to its end: -i and -o together copy it");
	} else if (state->argument[0]) {
		begin_recording(state, state->argument);
	} else {
		localtime_r(&now, &local);
		strftime(path, sizeof(path), "flametop-%Y%m%d-%H%M%S.data", &local);
		state_open_prompt(state, &use, path);
	}
}

void cmd_quit(struct ui_state *state)
{
	state->out.wants_quit = true;
}

/* Saving the window as a file. The analyzer makes what it has, because the screen has neither all
 * paths nor their commands; ui/screen.c has it written. */

static bool ends_with(const char *name, const char *end)
{
	const size_t length = strlen(name), bytes = strlen(end);

	return length > bytes && !strcmp(name + length - bytes, end);
}

#define RECORDING_END ".data"

/* Returns the ends of names that say a format, one for each index; NULL: there are no more. */
static const char *end_at(size_t index)
{
	size_t count = 0;

	while (count < index && shared_format_end(count))
		count++;
	if (count < index)
		return NULL;
	return shared_format_end(count) ? shared_format_end(count) : RECORDING_END;
}

/* Returns the index of the end of @path; SIZE_MAX: it says no format. */
static size_t find_end(const char *path)
{
	for (size_t i = 0; end_at(i); i++)
		if (ends_with(path, end_at(i)))
			return i;
	return SIZE_MAX;
}

/* Saves the records of the last seconds. */
static void save_recording(struct ui_state *state, const char *path)
{
	const struct keep_control *keep = state->keep_control;

	if (state->shown && state->shown->is_replay)
		state_say(state, "this is a recording already: other ends of the name are other "
			  "formats");
	else if (!keep || !keep->save)
		state_say(state, "O records from now on; what was before needs a start with "
			  "--keep-last 60s");
	else if (keep->save(keep->owner, path))
		state_say(state, "writing %s\u2026", path);
	else
		state_say(state, "no memory to save %s", path);
}

static void save_accepted(struct ui_state *state)
{
	const char *path = state->prompt.text;
	struct outbox *out = &state->out;
	const size_t end = find_end(path);
	bool is_known;

	if (!path[0])
		return;
	if (end != SIZE_MAX)
		out->save_end = end_at(end);
	if (ends_with(path, RECORDING_END)) {
		save_recording(state, path);
		return;
	}
	snprintf(out->save_path, sizeof(out->save_path), "%s", path);
	out->save_format = shared_format_find(path, &is_known);
	out->wants_stacks = true;
	state_request_stacks(state);
	state_say(state, is_known ? "writing %s\u2026" : "writing folded stacks to %s: its end "
		  "names no format\u2026", out->save_path);
}

/* Shows what ends of names there are. */
static void hint_ends(struct ui_state *state)
{
	char hint[PROMPT_BYTES] = "";

	for (size_t i = 0; end_at(i); i++)
		snprintf(hint + strlen(hint), sizeof(hint) - strlen(hint), "%s%s", i ? " " : "",
			 end_at(i));
	prompt_hint(&state->prompt, hint);
}

/* Gives the name the next end. */
static void save_tab(struct ui_state *state)
{
	const char *text = state->prompt.text;
	const size_t end = find_end(text);
	const char *next = end_at(end == SIZE_MAX ? 0 : end + 1);
	char name[PROMPT_BYTES];
	size_t length = strlen(text) - (end == SIZE_MAX ? 0 : strlen(end_at(end)));

	if (!next)
		next = end_at(0);
	snprintf(name, sizeof(name), "%.*s%s", (int)length, text, next);
	prompt_replace(&state->prompt, name);
}

void cmd_save_stacks(struct ui_state *state)
{
	static const struct prompt_use use = {
		.label = "save as (Tab: format):", .accepted = save_accepted, .tab = save_tab,
	};
	static const struct prompt_use compared_use = {
		.label = "save with A as (Tab: format):", .accepted = save_accepted,
		.tab = save_tab,
	};
	const time_t now = time(NULL);
	char path[64], stem[48];
	struct tm local;

	if (!state->shown) {
		state_say(state, "nothing to write yet");
		return;
	}
	localtime_r(&now, &local);
	strftime(stem, sizeof(stem), "flametop-%Y%m%d-%H%M%S", &local);
	snprintf(path, sizeof(path), "%s%s", stem,
		 state->out.save_end ? state->out.save_end : end_at(0));
	state_open_prompt(state, state_is_compared(state) ? &compared_use : &use, path);
	hint_ends(state);
}
