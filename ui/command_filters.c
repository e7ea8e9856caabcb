/* command_filters.c - what is counted: the text filter, the list of filters, the menu of a row. */
#include <inttypes.h>
#include <stdio.h>

#include "command_list.h"

/* The text filter: the last level of the trail while it is edited. */

static bool is_text_level(const struct trail *trail)
{
	return trail->count > 1 && trail->filter.count &&
	       trail->filter.parts[trail->filter.count - 1].field == FILTER_TEXT &&
	       trail->levels[trail->count - 2].parts == trail->filter.count - 1;
}

static void set_filter_text(struct ui_state *state, const char *text)
{
	struct filter_part part;
	struct diag why = { 0 };

	if (filter_parse_text(text, &part, &why)) {
		prompt_note(&state->prompt, why.text);
		return;		/* half a regular expression: the rows stay until it is one */
	}
	if (is_text_level(&state->trail)) {
		trail_pop(&state->trail);
		state->wants_restore = true;
	}
	if (part.text[0]) {
		state_go(state, state_kind(state), &part);
		state->wants_restore = false;	/* the cursor stays on its row while one types */
	} else {
		state_ask(state);
	}
}

static void filter_edited(struct ui_state *state)
{
	set_filter_text(state, state->prompt.text);
}

static void filter_accepted(struct ui_state *state)
{
	struct filter_part part;
	struct diag why = { 0 };

	if (filter_parse_text(state->prompt.text, &part, &why))
		state_say(state, "%s", why.text);
}

static void filter_cancelled(struct ui_state *state)
{
	set_filter_text(state, state->filter_before);
}

void cmd_filter(struct ui_state *state)
{
	static const struct prompt_use use = {
		.label = "filter:", .edited = filter_edited, .accepted = filter_accepted,
		.cancelled = filter_cancelled,
	};
	const struct filter *filter = &state->trail.filter;
	const bool is_there = is_text_level(&state->trail);

	const struct filter_part *last = is_there ? &filter->parts[filter->count - 1] : NULL;

	snprintf(state->filter_before, sizeof(state->filter_before), "%s%s",
		 last && last->is_negated ? "!" : "", last ? last->text : "");
	state_open_prompt(state, &use, state->filter_before);
}

/* Returns the word for a field: a program and a command often have the same name. */
static const char *field_word(enum filter_field field)
{
	switch (field) {
	case FILTER_COMMAND:	return "command";
	case FILTER_OBJECT:	return "object";
	case FILTER_SYMBOL:	return "symbol";
	case FILTER_UNIT:	return "unit";
	case FILTER_TEXT:	return "text";
	case FILTER_KERNEL:
	case FILTER_USER:
	case FILTER_PID:
	case FILTER_TID:
	case FILTER_CPU:
	case FILTER_CGROUP:	/* they say it themselves */
	case FILTER_CONTAINER:
	case FILTER_POD:
		break;
	}
	return "";
}

/* The list of filters. */

#define ALL_FILTERS	 FILTER_PARTS
#define HIDDEN_KERNEL	 (FILTER_PARTS + 1)
#define HIDDEN_USER	 (FILTER_PARTS + 2)

static void remove_all_filters(struct ui_state *state)
{
	while (trail_pop(&state->trail))
		state->wants_restore = true;
	state->hide_kernel = state->hide_user = false;
}

static void filter_chosen(struct ui_state *state, const struct menu_item *item)
{
	if (item->id == HIDDEN_KERNEL)
		state->hide_kernel = false;
	else if (item->id == HIDDEN_USER)
		state->hide_user = false;
	else if (item->id != ALL_FILTERS)
		trail_remove_part(&state->trail, (uint32_t)item->id);
	else
		remove_all_filters(state);
	state_ask(state);
}

void cmd_filters(struct ui_state *state)
{
	static const struct menu_use use = { filter_chosen };
	const struct filter *filter = &state->trail.filter;
	char text[FILTER_PART_BYTES];

	if (!filter->count && !state->hide_kernel && !state->hide_user) {
		state_say(state, "there is no filter: \\ text, Enter a row, . its menu");
		return;
	}
	state_open_menu(state, &use, "take a filter away", false);
	for (uint32_t i = 0; i < filter->count; i++)
		menu_add(&state->menu, (int)i, MENU_PLAIN,
			 filter_format_part(&filter->parts[i], text),
			 field_word(filter->parts[i].field));
	if (state->hide_kernel)
		menu_add(&state->menu, HIDDEN_KERNEL, MENU_PLAIN, "no kernel", "K");
	if (state->hide_user)
		menu_add(&state->menu, HIDDEN_USER, MENU_PLAIN, "no user code", "U");
	if (filter->count + state->hide_kernel + state->hide_user > 1)
		menu_add(&state->menu, ALL_FILTERS, MENU_PLAIN, "all of them, back to the start",
			 "");
}

bool command_drop_filter(struct ui_state *state)
{
	const struct snapshot *shown = state->shown;
	struct filter *filter = &state->trail.filter;
	char text[FILTER_PART_BYTES] = "hidden code";
	struct snapshot_row row;

	if (!shown || shown->samples <= shown->idle_samples || state_cursor_row(state, &row) ||
	    !(filter->count || state->hide_kernel || state->hide_user))
		return false;
	if (filter->count) {
		filter_format_part(&filter->parts[filter->count - 1], text);
		trail_remove_part(&state->trail, filter->count - 1);
	} else if (state->hide_user) {
		state->hide_user = false;
	} else {
		state->hide_kernel = false;
	}
	state_ask(state);
	state_say(state, "taken away: %s", text);
	return true;
}

void cmd_idle(struct ui_state *state)
{
	state->show_idle = !state->show_idle;
	state_refresh_view(state);
}

void cmd_hide_kernel(struct ui_state *state)
{
	state->hide_kernel = !state->hide_kernel;
	state_ask(state);
}

void cmd_hide_user(struct ui_state *state)
{
	state->hide_user = !state->hide_user;
	state_ask(state);
}

/* The menu of a row: its parts, each as "only" and "without", and as the way into other views. */

enum row_action { ROW_OPEN, ROW_ONLY, ROW_WITHOUT, ROW_SAMPLE, ROW_PROBE };

#define ROW_ITEM(action, kind, part) ((int)(action) << 16 | (int)(kind) << 8 | (int)(part))

static void row_chosen(struct ui_state *state, const struct menu_item *item)
{
	const enum row_action action = (enum row_action)(item->id >> 16);
	const enum view_kind kind = (enum view_kind)(item->id >> 8 & 0xff);
	struct filter_part part = state->menu_parts[item->id & 0xff];
	char pid[FILTER_PART_BYTES];

	if (action == ROW_SAMPLE) {
		snprintf(pid, sizeof(pid), "%" PRIu64, part.number);
		state_change_source(state, SOURCE_PROCESSES, pid);
		return;
	}
	if (action == ROW_PROBE) {
		cmd_probe(state);
		return;
	}
	if (action == ROW_OPEN) {
		state_go_way(state, kind, &state->menu_way);
		command_tell_left_out(state, state->menu_way.left_out);
		return;
	}
	part.is_negated = action == ROW_WITHOUT;
	state_go(state, kind, &part);
}

static const char *group_title(const struct ui_state *state)
{
	const struct tree_rows *rows = &state->groups_view.rows;

	return tree_rows_group(rows, tree_rows_cursor(rows)->first)->text;
}

/* Adds the line "open VIEW of ROW": at @step 0 the view that Enter opens, then each other view. */
static void add_way(struct ui_state *state, int step)
{
	const enum view_kind here = state->shown_kind;
	const int kind = (int)(table_specs[here].opens + (unsigned int)step) % VIEW_COUNT;
	const struct cursor_way *way = &state->menu_way;
	char text[FILTER_PART_BYTES], label[MENU_LABEL_BYTES];

	if (kind == (int)here || kind == VIEW_PROBES)
		return;
	if (way->count)
		filter_format_part(&way->parts[way->count - 1], text);
	else	/* all samples of an event */
		snprintf(text, sizeof(text), "%s", group_title(state));
	snprintf(label, sizeof(label), "open %s of %s", table_specs[kind].title, text);
	menu_add(&state->menu, ROW_ITEM(ROW_OPEN, kind, 0), MENU_PLAIN, label,
		 step ? "" : "Enter");
}

static size_t collect_parts(struct ui_state *state, const struct snapshot_row *row)
{
	static const enum filter_field fields[] = {
		FILTER_SYMBOL, FILTER_OBJECT, FILTER_COMMAND, FILTER_TID, FILTER_PID, FILTER_CPU,
		FILTER_UNIT, FILTER_CONTAINER, FILTER_POD, FILTER_CGROUP, FILTER_KERNEL,
		FILTER_USER,
	};
	size_t count = 0;
	struct filter_part part;

	if (views_opening_part(state->shown_kind, row, &part))
		state->menu_parts[count++] = part;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if ((!count || fields[i] != state->menu_parts[0].field) &&
		    views_row_part(fields[i], row, &part))
			state->menu_parts[count++] = part;
	return count;
}

static void add_filter(struct ui_state *state, enum row_action action, size_t index)
{
	const struct filter_part *part = &state->menu_parts[index];
	char text[FILTER_PART_BYTES], label[MENU_LABEL_BYTES];

	snprintf(label, sizeof(label), "%s %s", action == ROW_ONLY ? "only" : "without",
		 filter_format_part(part, text));
	menu_add(&state->menu, ROW_ITEM(action, state->shown_kind, index), MENU_PLAIN, label,
		 field_word(part->field));
	if (action == ROW_WITHOUT)
		menu_set_synonyms(&state->menu, "not hide exclude");
}

static void add_probe_line(struct ui_state *state, const struct snapshot_row *row)
{
	char why[PANEL_WHY_BYTES];
	const char *refusal = state_probe_refusal(state);

	if (!refusal[0])
		refusal = probe_panel_row_refusal(row, why);
	if (refusal[0])
		menu_add_disabled(&state->menu, "probe it", refusal);
	else
		menu_add(&state->menu, ROW_ITEM(ROW_PROBE, 0, 0), MENU_PLAIN,
			 "probe it: every call counted and timed", "p");
}

static void add_sample_line(struct ui_state *state, const struct snapshot_row *row,
			    size_t part_count)
{
	char label[MENU_LABEL_BYTES];
	size_t i = 0;

	while (i < part_count && state->menu_parts[i].field != FILTER_PID)
		i++;
	if (!state->source) {
		menu_add_disabled(&state->menu, "sample only it",
				  "a recording samples nothing: start flametop without -i");
	} else if (row->pid <= 0 || i == part_count) {
		menu_add_disabled(&state->menu, "sample only it", "it is not of one process");
	} else {
		snprintf(label, sizeof(label), "sample only pid %" PRId64 " from now on",
			 row->pid);
		menu_add(&state->menu, ROW_ITEM(ROW_SAMPLE, 0, i), MENU_PLAIN, label, "");
	}
}

/* Into @out[FILTER_PART_BYTES] what has no name of its own. */
static const char *row_title(const struct ui_state *state, const struct snapshot_row *row,
			     char *out)
{
	const enum view_kind kind = state->shown_kind;
	struct filter_part part;

	if (kind == VIEW_GROUPS)
		return group_title(state);
	if (row->symbol[0])
		return row->symbol;
	if (row->object[0] || row->comm[0])
		return row->object[0] ? row->object : row->comm;
	return views_opening_part(kind, row, &part) ? filter_format_part(&part, out) : "row";
}

/* What is likely to be wanted comes first: the row's own name as a filter, Enter's way, a probe. */
void cmd_row_menu(struct ui_state *state)
{
	static const struct menu_use use = { row_chosen };
	struct snapshot_row row;
	char title[FILTER_PART_BYTES];
	size_t count;
	bool has_way;

	if (!state_cursor_row(state, &row))
		return;
	count = collect_parts(state, &row);
	has_way = state_cursor_way(state, &state->menu_way);
	state_open_menu(state, &use, row_title(state, &row, title), false);
	if (count) {
		add_filter(state, ROW_ONLY, 0);
		add_filter(state, ROW_WITHOUT, 0);
	}
	if (has_way)
		add_way(state, 0);
	else
		menu_add_disabled(&state->menu, "open it",
				  "this row is of several: nothing to open it by");
	add_probe_line(state, &row);
	for (int step = 1; has_way && step < VIEW_COUNT; step++)
		add_way(state, step);
	for (size_t i = 1; i < count; i++)
		add_filter(state, ROW_ONLY, i);
	for (size_t i = 1; i < count; i++)
		add_filter(state, ROW_WITHOUT, i);
	add_sample_line(state, &row, count);
}
