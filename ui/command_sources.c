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
	bool is_shared;

	shared_format_find(path, &is_shared);
	if (is_shared) {
		state_say(state, "P saves that format; the name of a recording ends in .data");
		return;
	}
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

/* Returns whether the records of the last seconds are there to be saved. */
static bool has_records(const struct ui_state *state)
{
	return state->keep_control && state->keep_control->save;
}

/* Shows what the file will have, or why there can't be one. */
static void describe_end(struct ui_state *state)
{
	const size_t end = find_end(state->prompt.text);
	const char *hint = "no such end: folded stacks";

	if (end != SIZE_MAX && shared_format_end(end))
		hint = shared_format_words(end);
	else if (end != SIZE_MAX && has_records(state))
		hint = "all of the last seconds";
	else if (end != SIZE_MAX)
		hint = !state->source ? "it is a recording already"
		       : state->recording.can_record ? "O records from now on"
						     : "start with --keep-last 60s";
	state->prompt.chosen = end;
	prompt_note(&state->prompt, "");
	prompt_hint(&state->prompt, hint);
}

static void open_save_prompt(struct ui_state *state, const struct prompt_use *use, const char *path)
{
	state_open_prompt(state, use, path);
	for (size_t i = 0; shared_format_end(i); i++)
		prompt_add_choice(&state->prompt, shared_format_end(i));
	if (has_records(state))
		prompt_add_choice(&state->prompt, RECORDING_END);
	else if (state->source)
		state->prompt.left_out = RECORDING_END " (needs --keep-last)";
	describe_end(state);
}

/* Saves the records of the last seconds. Without any the prompt stays, for another end. */
static void save_recording(struct ui_state *state)
{
	const struct keep_control *keep = state->keep_control;
	char path[PROMPT_BYTES];

	snprintf(path, sizeof(path), "%s", state->prompt.text);
	if (!has_records(state)) {
		open_save_prompt(state, state->prompt_use, path);
		prompt_note(&state->prompt, state->source ? "start with --keep-last 60s"
						  : "it is a recording already");
	} else if (keep->save(keep->owner, path)) {
		state->out.save_end = RECORDING_END;
		state_say(state, "writing %s\u2026", path);
	} else {
		state_say(state, "no memory to save %s", path);
	}
}

static void save_accepted(struct ui_state *state)
{
	const char *path = state->prompt.text;
	struct outbox *out = &state->out;
	const size_t end = find_end(path);
	bool is_known;

	if (!path[0])
		return;
	if (ends_with(path, RECORDING_END)) {
		save_recording(state);
		return;
	}
	if (end != SIZE_MAX)
		out->save_end = end_at(end);
	snprintf(out->save_path, sizeof(out->save_path), "%s", path);
	out->save_format = shared_format_find(path, &is_known);
	out->wants_stacks = true;
	state_request_stacks(state);
	state_say(state, is_known ? "writing %s\u2026" : "writing folded stacks to %s: its end "
		  "names no format\u2026", out->save_path);
}

/* Gives the name the next end of those that are offered, or with @step -1 the one before. */
static void save_tab(struct ui_state *state, int step)
{
	const char *text = state->prompt.text;
	const size_t end = find_end(text), count = state->prompt.choice_count;
	const size_t length = strlen(text) - (end == SIZE_MAX ? 0 : strlen(end_at(end)));
	size_t next = step > 0 ? 0 : count - 1;
	char name[PROMPT_BYTES];

	if (end < count)
		next = (end + count + (size_t)step) % count;
	snprintf(name, sizeof(name), "%.*s%s", (int)length, text, end_at(next));
	prompt_replace(&state->prompt, name);
	describe_end(state);
}

void cmd_save_stacks(struct ui_state *state)
{
	static const struct prompt_use use = {
		.label = "save as:", .edited = describe_end, .accepted = save_accepted,
		.tab = save_tab,
	};
	static const struct prompt_use compared_use = {
		.label = "save with A as:", .edited = describe_end, .accepted = save_accepted,
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
		 state->out.save_end ? state->out.save_end : ".folded");
	open_save_prompt(state, state_is_compared(state) ? &compared_use : &use, path);
}
