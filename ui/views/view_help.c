/* view_help.c - see view_help.h.
 *
 * Order: the keys of the view beneath come first, then those of all views, then others by the view
 * they work in; each command once. Commands of one subject share a line.
 * Width: help of a command or a column that does not fit on one line ends at its first colon or
 * semicolon; the manual has the rest. On a wide screen the lines are in two columns.
 */
#include "view_help.h"

#include <stdio.h>
#include <string.h>

#include "state.h"
#include "term/utf8.h"
#include "ui/columns.h"
#include "ui/commands.h"
#include "widgets/pager.h"
#include "widgets/probe_columns.h"

#define WIDE_CELLS 120		/* from here on there are two columns */
#define EDGE_CELLS 3		/* before the text of a page, and behind it */
#define GAP_CELLS  2		/* behind the longest key, and between two columns */
#define TEXT_BYTES 512

struct help_line {
	const char *name, *help;
};

/* Commands that share a line, where they work in the same views. */
static const struct help_line subjects[] = {
	{ "up down", "One line up, down" },
	{ "page-up page-down", "One page up, down" },
	{ "half-up half-down", "Half a page up, down" },
	{ "first last", "To the top, to the bottom" },
	{ "symbols objects commands tasks cpus", "Symbols, objects, commands, tasks, CPUs" },
	{ "probes groups", "Probes, groups" },
	{ "tree flame", "The tree, the flame graph of the row's calls" },
	{ "whole-tree whole-flame", "The calls without what was opened last" },
	{ "next-view previous-view", "The next view, the one before" },
	{ "search find-next find-previous", "Find text, the next, the one before" },
	{ "filter filters", "Filter by text, the filters in force" },
	{ "earlier later much-earlier much-later", "Back in time, and on, by a second, by ten" },
	{ "shorter longer", "A shorter, a longer time of history" },
	{ "pause live", "Freeze the screen or go on, back to live" },
	{ "window zero", "Time shown, \"since start\" begins now" },
	{ "slower faster", "Refresh less, more often" },
	{ "mark-baseline compare forget-baseline", "Mark a baseline, compare with it, forget it" },
	{ "sort reverse order", "Sort by the next column, reverse, choose" },
	{ "colours flip", "Other colours, which end is up" },
	{ "unfold fold", "Fold the threads of a process out, in" },
	{ "open-all close-all", "Open all lines, close them all" },
	{ "box-left box-right", "The frame to the left, to the right" },
	{ "idle hide-kernel hide-user", "Show or hide idle, kernel code, user code" },
	{ "open-line close-line", "Open, close the line, or go in, go out" },
	{ "tree-limit inlined", "Leave out small calls, inlined functions" },
	{ "probe-toggle probe-extend", "Switch the probe off or on, extend its lease" },
	{ "palette command help", "Commands by name, this view's command line, help" },
	{ "event next-event frequency target", "Event to sample, next event, rate, whom" },
	{ "probe-remove probe-remove-all", "Remove or cancel the probe, remove all" },
	{ "next-page previous-page", "Open or the next page, the page before" },
	{ "theme mouse repaint", "Theme, mouse on or off, paint anew" },
	{ "save-stacks log", "Write stacks to a file, the log" },
	{ "percent-of raw-names", "What 100 % is, names as in their files" },
	{ "messages losses", "What fell back and what helps, all losses" },
};
#define SUBJECT_COUNT (sizeof(subjects) / sizeof(subjects[0]))

static const struct help_line other_lines[] = {
	{ "menu", "type to narrow it, Enter takes, Esc leaves" },
	{ "probe's panel", "Tab moves, Space chooses, Enter attaches" },
	{ "prompt", "Up Down recall, Ctrl-A E W U K as in a shell" },
	{ "click", "select, sort, go to a view or up the path" },
	{ "right, double click", "what can be done with the row, open it" },
	{ "click on the graph", "show that second, drag from there to here" },
	{ "[k] [.] [g] [u] [H] [?]", "kernel, user, guest's, hypervisor, unknown" },
};

static const struct help_line flame_lines[] = {
	{ "width", "the share of a frame; what it calls lies next to it, largest first, and what "
		   "is left of its width is its own time" },
	{ "colour", "kind of code, share or object; stronger on the hottest path" },
	{ "[k] [j] [i]", "where kernel, run-time (JIT) and inlined code begins" },
	{ "others", "frames that are narrower than a cell: zoom into their caller" },
};

/* The page under construction. */
struct help_page {
	struct pager *pager;
	const struct ui_state *state;
	enum view_place place;	/* kind of the view beneath the page */
	int name_cells;		/* width of the column of keys, with the gap */
	int width;		/* width of a line */
	bool is_listed[KEYMAP_COMMANDS];
};

static bool has_word(const char *list, const char *word)
{
	const size_t length = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += length)
		if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
			return true;
	return false;
}

static const struct help_line *subject_of(const struct command *command)
{
	for (size_t i = 0; i < SUBJECT_COUNT; i++)
		if (has_word(subjects[i].name, command->name))
			return &subjects[i];
	return NULL;
}

static int cells_of(const struct help_page *page, const char *text)
{
	return canvas_text_width(&page->pager->shape, text);
}

/* The keys of the command, ":name" of one that has none. */
static const char *keys_of(const struct help_page *page, const struct command *command,
			   char out[KEYMAP_TEXT_BYTES])
{
	keymap_format(page->state->keymap, command, out);
	if (!out[0])
		snprintf(out, KEYMAP_TEXT_BYTES, ":%s", command->name);
	return out;
}

/* Is it one of the section for @where? That is an enum view_place, or IN_ALL; a section of one
 * place has all that works there but in some other, too. */
static bool is_of_section(const struct command *command, unsigned int where)
{
	return where == IN_ALL ? command->where == IN_ALL
			       : (command->where & where) && command->where != IN_ALL;
}

/* Begins with command @index, takes the others of its subject that are not listed yet along. */
static void format_keys(struct help_page *page, size_t index, unsigned int where,
			char out[TEXT_BYTES])
{
	const struct help_line *subject = subject_of(&commands[index]);
	char keys[KEYMAP_TEXT_BYTES];
	size_t used = 0;

	for (size_t i = index; i < command_count && used < TEXT_BYTES; i++) {
		const bool is_alike = i == index ||
				      (subject && subject_of(&commands[i]) == subject &&
				       is_of_section(&commands[i], where));

		if (!is_alike || page->is_listed[i])
			continue;
		page->is_listed[i] = true;
		used += (size_t)snprintf(out + used, TEXT_BYTES - used, "%s%s", used ? ", " : "",
					 keys_of(page, &commands[i], keys));
	}
}

/* How many bytes of @text fit on @width cells, to the last blank before that. */
static size_t fit_bytes(const struct help_page *page, const char *text, int width)
{
	char one[UTF8_MAX_BYTES + 1];
	size_t at = 0, blank = 0, bytes;
	uint32_t code;
	int used = 0;

	while ((bytes = utf8_decode(text + at, &code)) > 0) {
		memcpy(one, text + at, bytes);
		one[bytes] = '\0';
		used += cells_of(page, one);
		if (used > width && at > 0)
			return blank ? blank : at;
		at += bytes;
		if (code == ' ')
			blank = at;
	}
	return at;
}

/* @is_cut: what does not fit on a line ends at its first colon or semicolon. */
static void add_line(struct help_page *page, const char *name, const char *help, bool is_cut)
{
	const int room = page->width - page->name_cells;
	const int blanks = page->name_cells - cells_of(page, name);
	const size_t first = strcspn(help, ":;");
	char text[TEXT_BYTES];
	size_t length;

	snprintf(text, sizeof(text), "%s", help);
	if (is_cut && cells_of(page, help) > room && first < sizeof(text))
		text[first] = '\0';
	length = blanks > 0 ? fit_bytes(page, text, room) : 0;	/* else it has a line of its own */
	pager_add(page->pager, ROLE_TEXT, 0, "%s%*s%.*s", name, blanks > 0 ? blanks : 0, "",
		  (int)length, text);
	for (const char *rest = text + length; *rest; rest += length) {
		length = fit_bytes(page, rest, room);
		pager_add(page->pager, ROLE_TEXT, 0, "%*s%.*s", page->name_cells, "", (int)length,
			  rest);
	}
}

static void add_heading(struct help_page *page, const char *title)
{
	pager_add(page->pager, ROLE_NAME, 0, "%s", title);
}

static void add_lines(struct help_page *page, const struct help_line *lines, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_line(page, lines[i].name, lines[i].help, false);
}

/* A heading, and the commands of the section that are not listed yet. */
static void add_keys(struct help_page *page, const char *title, unsigned int where)
{
	char keys[TEXT_BYTES];
	bool has_title = false;

	for (size_t i = 0; i < command_count; i++) {
		const struct help_line *subject = subject_of(&commands[i]);
		size_t others = 0;

		if (page->is_listed[i] || !is_of_section(&commands[i], where))
			continue;
		if (!has_title)
			add_heading(page, title);
		has_title = true;
		for (size_t j = i + 1; subject && j < command_count; j++)
			others += !page->is_listed[j] && subject_of(&commands[j]) == subject &&
				 is_of_section(&commands[j], where);
		format_keys(page, i, where, keys);
		add_line(page, keys, others ? subject->help : commands[i].help, !others);
	}
}

/* Adds the keys of the view beneath, then of all views, then of the other views. */
static void add_all_keys(struct help_page *page)
{
	char title[64];

	memset(page->is_listed, 0, sizeof(page->is_listed));
	snprintf(title, sizeof(title), "Keys in %s", commands_place_name(page->place));
	add_keys(page, title, page->place);
	add_keys(page, "Keys in all views", IN_ALL);
	for (unsigned int place = 1; place <= IN_ALL; place <<= 1) {
		snprintf(title, sizeof(title), "Keys in %s",
			 commands_place_name((enum view_place)place));
		add_keys(page, title, place);
	}
}

static const char *column_name(enum column_id id)
{
	return columns[id].title[0] ? columns[id].title : columns_name(id);
}

/* One that is there only while probes are compared. */
static bool is_change(size_t id)
{
	static const char delta[] = "\u0394";

	return !strncmp(probe_list_columns[id].title, delta, sizeof(delta) - 1);
}

/* What the columns of the view beneath say. */
static void add_columns(struct help_page *page)
{
	static const char *const names[PROBE_COL_COUNT] = {
		[PROBE_COL_STATE] = "first mark", [PROBE_COL_KIND] = "letters",
		[PROBE_COL_SPARK] = "bars",
	};
	const struct column_set set = state_columns(page->state);

	if (page->place == IN_FLAME) {
		add_heading(page, "Flame graph");
		add_lines(page, flame_lines, sizeof(flame_lines) / sizeof(flame_lines[0]));
	}
	if (page->place == IN_PROBES || page->place == IN_TABLE)
		add_heading(page, "Columns");
	for (size_t i = 0; page->place == IN_PROBES && i < PROBE_COL_COUNT; i++)
		if (!is_change(i) || state_is_compared(page->state))
			add_line(page, names[i] ? names[i] : probe_list_columns[i].title,
				 probe_list_columns[i].help, true);
	for (const enum column_id *id = set.ids; page->place == IN_TABLE && *id != COL_COUNT; id++)
		if (*id == set.fill || columns_is_shown(&set, *id))
			add_line(page, column_name(*id), columns[*id].help, true);
}

static void fill_page(struct help_page *page)
{
	pager_clear(page->pager);
	add_all_keys(page);
	add_heading(page, "");
	add_columns(page);
	add_heading(page, "Prompts, mouse, levels of code");
	add_lines(page, other_lines, sizeof(other_lines) / sizeof(other_lines[0]));
}

/* Cells of the longest list of keys in the section for @where, at least @longest. */
static int longest_keys(struct help_page *page, unsigned int where, int longest)
{
	char keys[TEXT_BYTES];
	int cells;

	memset(page->is_listed, 0, sizeof(page->is_listed));
	for (size_t i = 0; i < command_count; i++) {
		if (page->is_listed[i] || !is_of_section(&commands[i], where))
			continue;
		format_keys(page, i, where, keys);
		cells = cells_of(page, keys);
		longest = cells > longest ? cells : longest;
	}
	return longest;
}

/* The column of keys is as wide as the longest of them. */
static int choose_name_cells(struct help_page *page)
{
	int longest = longest_keys(page, IN_ALL, 0);

	for (unsigned int place = 1; place <= IN_ALL; place <<= 1)
		longest = longest_keys(page, place, longest);
	return longest + GAP_CELLS < page->width / 2 ? longest + GAP_CELLS : page->width / 2;
}

/* The second half of the lines goes beside the first. */
static void make_two_columns(struct help_page *page)
{
	struct pager *pager = page->pager;
	const size_t half = (pager->count + 1) / 2;
	char text[PAGER_LINE_BYTES];

	for (size_t i = 0; i + half < pager->count; i++) {
		struct pager_line *left = &pager->lines[i];
		const struct pager_line *right = &pager->lines[i + half];
		const int blanks = page->width + GAP_CELLS - cells_of(page, left->text);

		snprintf(text, sizeof(text), "%s%*s%s", left->text, blanks, "", right->text);
		snprintf(left->text, sizeof(left->text), "%s", text);
		left->second_cell = page->width + GAP_CELLS;
		left->second_role = right->role;
	}
	pager->count = half;
}

static void refresh_help(struct view *view, const struct ui_state *state)
{
	struct pager *pager = (struct pager *)view;
	const int width = pager->shape.width ? pager->shape.width : state->screen_width;
	const bool is_wide = width >= WIDE_CELLS;
	struct help_page page = {
		.pager = pager, .state = state,
		.place = view->opener ? view->opener->ops->place : state->view->ops->place,
		.width = is_wide ? (width - EDGE_CELLS - GAP_CELLS) / 2 : width - EDGE_CELLS,
	};

	page.name_cells = choose_name_cells(&page);
	fill_page(&page);
	if (is_wide)
		make_two_columns(&page);
}

/* By another width the lines are others. */
static void draw_help(struct view *view, struct ui_state *state, struct canvas *canvas, int top,
		      int rows)
{
	struct pager *pager = (struct pager *)view;

	if (pager->shape.width != canvas->width || pager->shape.is_ascii != canvas->is_ascii) {
		pager->shape = (struct canvas){ .width = canvas->width,
						.is_ascii = canvas->is_ascii };
		refresh_help(view, state);
	}
	pager_draw(view, state, canvas, top, rows);
}

const struct view_ops view_help_ops = {
	.place = IN_PAGER,
	.title = "Help",
	.refresh = refresh_help,
	.draw = draw_help,
	.move = pager_move,
};
