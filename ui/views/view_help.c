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
#include "ui/views.h"
#include "ui/keymap.h"
#include "widgets/pager.h"

#define WIDE_CELLS 120		/* from here on there are two columns */
#define EDGE_CELLS 3		/* before the text of a page, and after it */
#define GAP_CELLS  2		/* after the longest key, and between two columns */
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
	{ "symbols dsos commands tasks cpus", "Symbols, DSOs, commands, tasks, CPUs" },
	{ "probes groups counters", "Probes, groups, counters" },
	{ "look-again open-stack", "Look again; the whole stack" },
	{ "tree flame", "The tree, the flame graph of the row's calls" },
	{ "open-function whole-tree", "Its own tree; without what was opened last" },
	{ "zoom whole-flame", "Widen the frame; without what was opened last" },
	{ "open-group group-keys", "Symbols of the group, what the groups are by" },
	{ "probe butterfly listing", "This function: callers and callees, code, a probe" },
	{ "next-layer arrows", "Lines, instructions; arrows of all jumps" },
	{ "follow open-inlined", "Follow the jump or call, open inlined code" },
	{ "next-view previous-view", "The next view, the one before" },
	{ "search find-next find-previous", "Find text, the next, the one before" },
	{ "filter filters", "Filter by text, the filters in force" },
	{ "earlier later much-earlier much-later", "Back in time, and on, by a second, by ten" },
	{ "shorter longer", "A shorter, a longer time of history" },
	{ "pause live", "Freeze the screen or go on, back to live" },
	{ "heat-map counter-line", "Heat map, line of counters below the graph" },
	{ "window zero", "Time shown, \"since start\" begins now" },
	{ "slower faster", "Refresh less, more often" },
	{ "mark-baseline compare forget-baseline", "Mark a baseline, compare with it, forget it" },
	{ "sort reverse order", "Sort by the next column, reverse, choose" },
	{ "sort-groups reverse-groups", "Sort the groups of a probe's hits, reverse" },
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
	{ "percent-of hottest raw-names", "What 100 % is, the hottest row, raw names" },
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

/* The page under construction. */
struct help_page {
	struct pager *pager;
	const struct ui_state *state;
	const struct command *commands;	/* BORROWED: the keymap's */
	size_t count;		/* number of commands */
	const struct view_ops *of;	/* the view beneath the page */
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

/* True if the command is in the section for @where: one enum view_place has the commands that work
 * there but not everywhere, IN_ALL has those that work everywhere. */
static bool is_of_section(const struct command *command, unsigned int where)
{
	return where == IN_ALL ? command->where == IN_ALL
			       : (command->where & where) && command->where != IN_ALL;
}

/* Formats the keys of command @index and of the others of its subject that are not listed yet. */
static void format_keys(struct help_page *page, size_t index, unsigned int where,
			char out[TEXT_BYTES])
{
	const struct help_line *subject = subject_of(&page->commands[index]);
	char keys[KEYMAP_TEXT_BYTES];
	size_t used = 0;

	for (size_t i = index; i < page->count && used < TEXT_BYTES; i++) {
		const bool is_alike = i == index ||
				      (subject && subject_of(&page->commands[i]) == subject &&
				       is_of_section(&page->commands[i], where));

		if (!is_alike || page->is_listed[i])
			continue;
		page->is_listed[i] = true;
		used += (size_t)snprintf(out + used, TEXT_BYTES - used, "%s%s", used ? ", " : "",
					 keys_of(page, &page->commands[i], keys));
	}
}

/* Returns how many bytes of @text fit on @width cells, up to a blank if there is one. */
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

void view_help_line(struct help_page *page, const char *name, const char *help, bool is_cut)
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

void view_help_heading(struct help_page *page, const char *title)
{
	pager_add(page->pager, ROLE_NAME, 0, "%s", title);
}

static void add_lines(struct help_page *page, const struct help_line *lines, size_t count)
{
	for (size_t i = 0; i < count; i++)
		view_help_line(page, lines[i].name, lines[i].help, false);
}

/* Adds a heading and the commands of the section that are not listed yet. */
static void add_keys(struct help_page *page, const char *title, unsigned int where)
{
	char keys[TEXT_BYTES];
	bool has_title = false;

	for (size_t i = 0; i < page->count; i++) {
		const struct help_line *subject = subject_of(&page->commands[i]);
		size_t others = 0;

		if (page->is_listed[i] || !is_of_section(&page->commands[i], where))
			continue;
		if (!has_title)
			view_help_heading(page, title);
		has_title = true;
		for (size_t j = i + 1; subject && j < page->count; j++)
			others += !page->is_listed[j] &&
				  subject_of(&page->commands[j]) == subject &&
				  is_of_section(&page->commands[j], where);
		format_keys(page, i, where, keys);
		view_help_line(page, keys, others ? subject->help : page->commands[i].help,
			 !others);
	}
}

/* Adds the keys of the view beneath, then of all views, then of the other views. */
static void add_all_keys(struct help_page *page)
{
	char title[64];

	memset(page->is_listed, 0, sizeof(page->is_listed));
	snprintf(title, sizeof(title), "Keys in %s", keymap_place_name(page->of->place));
	add_keys(page, title, page->of->place);
	add_keys(page, "Keys in all views", IN_ALL);
	for (unsigned int place = 1; place <= IN_ALL; place <<= 1) {
		snprintf(title, sizeof(title), "Keys in %s",
			 keymap_place_name((enum view_place)place));
		add_keys(page, title, place);
	}
}

static void fill_page(struct help_page *page)
{
	pager_clear(page->pager);
	add_all_keys(page);
	view_help_heading(page, "");
	if (page->of->add_help)
		page->of->add_help(page->state, page);
	view_help_heading(page, "Prompts, mouse, levels of code");
	add_lines(page, other_lines, sizeof(other_lines) / sizeof(other_lines[0]));
}

/* Returns the cells of the longest list of keys in the section for @where, at least @longest. */
static int longest_keys(struct help_page *page, unsigned int where, int longest)
{
	char keys[TEXT_BYTES];
	int cells;

	memset(page->is_listed, 0, sizeof(page->is_listed));
	for (size_t i = 0; i < page->count; i++) {
		if (page->is_listed[i] || !is_of_section(&page->commands[i], where))
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
	const int width = pager->shape.width ? pager->shape.width : state->display.width;
	const bool is_wide = width >= WIDE_CELLS;
	struct help_page page = {
		.pager = pager, .state = state,
		.commands = state->keymap->commands, .count = state->keymap->count,
		.of = view->opener ? view->opener->ops : state->view->ops,
		.width = is_wide ? (width - EDGE_CELLS - GAP_CELLS) / 2 : width - EDGE_CELLS,
	};

	page.name_cells = choose_name_cells(&page);
	fill_page(&page);
	if (is_wide)
		make_two_columns(&page);
}

/* The lines depend on the width. */
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
	PAGER_OPS(struct pager),
	.title = "Help",
	.refresh = refresh_help,
	.draw = draw_help,
};
