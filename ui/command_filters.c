/* command_filters.c - what is counted: the text filter, the list of filters, the menu of a row; how
 * it is shown: percentages, names, theme, mouse. */
#include <inttypes.h>
#include <stdio.h>

#include "command_list.h"
#include "widgets/probe_panel.h"

/* The text filter: the last level of the breadcrumbs while it is edited. */

static bool is_text_level(const struct breadcrumbs *breadcrumbs)
{
	return breadcrumbs->count > 1 && breadcrumbs->filter.count &&
	       breadcrumbs->filter.parts[breadcrumbs->filter.count - 1].field == FILTER_TEXT &&
	       breadcrumbs->levels[breadcrumbs->count - 2].parts == breadcrumbs->filter.count - 1;
}

static void set_filter_text(struct ui_state *state, const char *text)
{
	struct filter_part part;
	struct diag why = { 0 };

	if (filter_parse_text(text, &part, &why)) {
		prompt_note(&state->prompt, why.text);
		return;		/* half a regular expression: the rows stay until it is one */
	}
	if (is_text_level(&state->query.breadcrumbs)) {
		breadcrumbs_pop(&state->query.breadcrumbs);
		state->query.wants_restore = true;
	}
	if (part.text[0]) {
		state_go(state, state_kind(state), &part);
		/* The cursor stays on its row while one types. */
		state->query.wants_restore = false;
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
	const struct filter *filter = &state->query.breadcrumbs.filter;
	const bool is_there = is_text_level(&state->query.breadcrumbs);

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
	case FILTER_DSO:	return "DSO";
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
	case FILTER_WAIT:
	case FILTER_STATE:
	case FILTER_WAKER:
	case FILTER_BY:
		break;
	}
	return "";
}

/* The list of filters. */

#define ALL_FILTERS	 FILTER_PARTS
#define HIDDEN_KERNEL	 (FILTER_PARTS + 1)
#define HIDDEN_USER	 (FILTER_PARTS + 2)
#define INSIDE_CALLS	 (FILTER_PARTS + 3)

static void remove_all_filters(struct ui_state *state)
{
	while (breadcrumbs_pop(&state->query.breadcrumbs))
		state->query.wants_restore = true;
	state->query.hide_kernel = state->query.hide_user = false;
}

static void filter_chosen(struct ui_state *state, const struct menu_item *item)
{
	if (item->id == HIDDEN_KERNEL)
		state->query.hide_kernel = false;
	else if (item->id == HIDDEN_USER)
		state->query.hide_user = false;
	else if (item->id == INSIDE_CALLS)
		breadcrumbs_remove_inside(&state->query.breadcrumbs);
	else if (item->id != ALL_FILTERS)
		breadcrumbs_remove_part(&state->query.breadcrumbs, (uint32_t)item->id);
	else
		remove_all_filters(state);
	state_ask(state);
}

void cmd_filters(struct ui_state *state)
{
	static const struct menu_use use = { filter_chosen };
	const struct filter *filter = &state->query.breadcrumbs.filter;
	const bool is_inside = breadcrumbs_here(&state->query.breadcrumbs)->inside != INSIDE_NONE;
	char text[FILTER_PART_BYTES];

	if (!filter->count && !state->query.hide_kernel && !state->query.hide_user &&
	    !is_inside) {
		state_say(state, "there is no filter: \\ text, Enter a row, . its menu");
		return;
	}
	state_open_menu(state, &use, "take a filter away", false);
	for (uint32_t i = 0; i < filter->count; i++)
		menu_add(&state->menu, (int)i, MENU_PLAIN,
			 filter_format_part(&filter->parts[i], text),
			 field_word(filter->parts[i].field));
	if (state->query.hide_kernel)
		menu_add(&state->menu, HIDDEN_KERNEL, MENU_PLAIN, "no kernel", "K");
	if (state->query.hide_user)
		menu_add(&state->menu, HIDDEN_USER, MENU_PLAIN, "no user code", "U");
	if (is_inside)
		menu_add(&state->menu, INSIDE_CALLS, MENU_PLAIN, "inside calls",
			 "samples outside, too");
	if (filter->count + state->query.hide_kernel + state->query.hide_user + is_inside > 1)
		menu_add(&state->menu, ALL_FILTERS, MENU_PLAIN, "all of them, back to the start",
			 "");
}

void cmd_idle(struct ui_state *state)
{
	state->query.show_idle = !state->query.show_idle;
	state_refresh_view(state);
}

void cmd_hide_kernel(struct ui_state *state)
{
	state->query.hide_kernel = !state->query.hide_kernel;
	state_ask(state);
}

void cmd_hide_user(struct ui_state *state)
{
	state->query.hide_user = !state->query.hide_user;
	state_ask(state);
}

/* The menu of a row: its parts, each as "only" and "without", and as the way into other views. */

enum row_action { ROW_OPEN, ROW_ONLY, ROW_WITHOUT, ROW_SAMPLE, ROW_PROBE, ROW_LISTING };

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
	if (action == ROW_LISTING) {
		cmd_listing(state);
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

/* Returns what the view calls the cursor's line; "": it has no own word for it. */
static const char *cursor_title(const struct ui_state *state)
{
	const struct view *view = state->views[state->shown_kind];

	return view->ops->cursor_title ? view->ops->cursor_title(view) : "";
}

/* Adds the line "open VIEW of ROW": at @step 0 the view that Enter opens, then each other view. */
static void add_way(struct ui_state *state, int step)
{
	const enum view_kind here = state->shown_kind;
	const int kind = (int)(state->specs[here].opens + (unsigned int)step) % VIEW_COUNT;
	const struct cursor_way *way = &state->menu_way;
	char text[FILTER_PART_BYTES], label[MENU_LABEL_BYTES];

	if (kind == (int)here || kind == VIEW_LISTING ||
	    !(state->specs[kind].ops->place & IN_SAMPLES))
		return;
	if (way->count)
		filter_format_part(&way->parts[way->count - 1], text);
	else	/* all samples of an event */
		snprintf(text, sizeof(text), "%s", cursor_title(state));
	snprintf(label, sizeof(label), "open %s of %s", state->specs[kind].title, text);
	menu_add(&state->menu, ROW_ITEM(ROW_OPEN, kind, 0), MENU_PLAIN, label,
		 step ? "" : "Enter");
}

static size_t collect_parts(struct ui_state *state, const struct snapshot_row *row)
{
	static const enum filter_field fields[] = {
		FILTER_SYMBOL, FILTER_DSO, FILTER_COMMAND, FILTER_TID, FILTER_PID, FILTER_CPU,
		FILTER_UNIT, FILTER_CONTAINER, FILTER_POD, FILTER_CGROUP, FILTER_WAIT,
		FILTER_STATE, FILTER_WAKER, FILTER_KERNEL, FILTER_USER,
	};
	struct cursor_way way;
	size_t count = 0;
	struct filter_part part;

	for (size_t i = 0; state_cursor_way(state, &way) && i < way.count; i++)
		if (way.parts[way.count - 1 - i].field == FILTER_BY && count < GROUP_BY_KEYS)
			state->menu_parts[count++] = way.parts[way.count - 1 - i];
	if (views_opening_part(state->shown_kind, row, &part))
		state->menu_parts[count++] = part;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if ((!count || fields[i] != state->menu_parts[0].field) && count < FILTER_PARTS &&
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

/* Returns the menu's title; for a row without a name it is formatted in @out[FILTER_PART_BYTES]. */
static const char *row_title(const struct ui_state *state, const struct snapshot_row *row,
			     char *out)
{
	const enum view_kind kind = state->shown_kind;
	struct filter_part part;

	if (cursor_title(state)[0])
		return cursor_title(state);
	if (row->symbol[0])
		return row->symbol;
	if (row->dso[0] || row->comm[0])
		return row->dso[0] ? row->dso : row->comm;
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
	if (row.symbol[0] && state->view != state->views[VIEW_LISTING])
		menu_add(&state->menu, ROW_ITEM(ROW_LISTING, 0, 0), MENU_PLAIN,
			 "list its code: source lines, instructions", "a");
	for (int step = 1; has_way && step < VIEW_COUNT; step++)
		add_way(state, step);
	for (size_t i = 1; i < count; i++)
		add_filter(state, ROW_ONLY, i);
	for (size_t i = 1; i < count; i++)
		add_filter(state, ROW_WITHOUT, i);
	add_sample_line(state, &row, count);
}

/* How it is shown. */

/* Returns the "% of the parent" choice of the tree or the groups; NULL: the view has none. */
static bool *of_parent(struct ui_state *state)
{
	const struct view_ops *ops = state->view->ops;

	return ops->of_parent ? ops->of_parent(state->view) : NULL;
}

static bool is_filtered(const struct ui_state *state)
{
	return state->query.breadcrumbs.filter.count || state->query.hide_kernel ||
	       state->query.hide_user;
}

static void set_percent_of(struct ui_state *state, bool is_relative, bool is_of_parent)
{
	if (of_parent(state))
		*of_parent(state) = is_of_parent;
	if (state->query.is_relative != is_relative) {
		state->query.is_relative = is_relative;
		state_ask(state);
	}
	if (is_of_parent && state->view->ops->parent)
		state_say(state, "percent of %s", state->view->ops->parent);
	else
		state_say(state, is_of_parent ? "percent of the line that each belongs to"
				 : is_relative ? "percent of what is shown" : "percent of all");
}

/* Cycles what 100 % is: all, what breadcrumbs and filters leave, the parent; skips equal ones. */
void cmd_percent_of(struct ui_state *state)
{
	const bool was_of_parent = of_parent(state) && *of_parent(state);

	if (!was_of_parent && !state->query.is_relative && is_filtered(state))
		set_percent_of(state, true, false);
	else if (!was_of_parent && of_parent(state))
		set_percent_of(state, false, true);
	else if (was_of_parent || state->query.is_relative)
		set_percent_of(state, false, false);
	else
		state_say(state, "all is shown: percent of all \u00b7 Enter or \\ leaves a part, "
			  "which %% then makes 100");
}

void cmd_raw_names(struct ui_state *state)
{
	const bool is_of_waits = state->shown && state->shown->is_of_waits;
	const bool is_raw = !state->query.raw_names;

	state->query.raw_names = is_raw;
	state_ask(state);
	state_say(state, "%s%s", is_raw ? "names as the files have them" : "names demangled",
		  !is_of_waits ? "" : is_raw ? " \u00b7 waits from the scheduler on"
					    : " \u00b7 waits by who waits");
}

void cmd_theme(struct ui_state *state)
{
	const size_t now = (size_t)(state->display.theme - themes);

	state->display.theme = &themes[(now + 1) % theme_count];
	state_say(state, "theme: %s", state->display.theme->name);
}

void cmd_mouse(struct ui_state *state)
{
	state->display.is_mouse_off = !state->display.is_mouse_off;
	state_say(state, state->display.is_mouse_off ? "the mouse is the terminal's: select text"
					     : "the mouse is flametop's");
}

void cmd_repaint(struct ui_state *state)
{
	state->out.wants_repaint = true;
}
