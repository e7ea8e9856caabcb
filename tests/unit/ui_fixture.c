/* ui_fixture.c - see ui_fixture.h. The machine is in ui_rows.c. */
#include "ui_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "flame_fixture.h"
#include "group_fixture.h"
#include "listing_fixture.h"
#include "ui_rows.h"
#include "snapshot_fixture.h"
#include "tree_fixture.h"
#include "ui/term/utf8.h"

#define SCREEN_BYTES (512 * 1024)

static bool record_change(void *owner, const struct source_change *change)
{
	struct ui_source *source = owner;

	if (source->is_busy || source->count == sizeof(source->asked) / sizeof(source->asked[0]))
		return false;
	source->asked[source->count++] = *change;
	source->is_busy = true;
	return true;
}

static void find_nothing(void *owner, uint64_t number, const char *text, pid_t pid)
{
	(void)owner;
	(void)number;
	(void)text;
	(void)pid;
}

void ui_open(struct ui *ui, int width, int height)
{
	memset(ui, 0, sizeof(*ui));
	setenv("TZ", "UTC0", 1);	/* times are on the screens */
	state_init(&ui->state, view_specs, page_ops, overlay_ops);
	keymap_init(&ui->keymap, commands, command_count);
	ui->source.control = (struct source_control){ .owner = &ui->source,
							 .ask = record_change, .done_fd = -1 };
	ui->state.keymap = &ui->keymap;
	ui->state.source = &ui->source.control;
	ui->probes = (struct probe_control){ .fd = -1, .cap_pct = 5 };
	ui->state.probe_control = &ui->probes;
	ui->finder = (struct finder_control){ .ask = find_nothing, .fd = -1 };
	ui->state.finder_control = &ui->finder;
	ui->state.display.theme = &themes[0];
	ui->state.query.window_ns = 10 * CLOCK_NS_PER_S;
	ui->state.display.history_bytes = 64 << 20;
	ui->state.query.interval_ns = 2 * CLOCK_NS_PER_S;
	ui->snapshot = ui_snapshot(VIEW_SYMBOLS);
	assert_int_equal(canvas_resize(&ui->canvas, width, height), 0);
}

void ui_finish(struct ui *ui)
{
	state_finish(&ui->state);
	canvas_finish(&ui->canvas);
}

bool ui_is(const struct ui *ui, enum view_kind kind)
{
	return ui->state.view == ui->state.views[kind];
}

bool ui_is_probe(const struct ui *ui)
{
	return ui->state.view == &probe_view_of(&ui->state)->view;
}

const struct pager *ui_help(const struct ui_state *state)
{
	return (const struct pager *)state->pages[PAGE_HELP];
}

int ui_set_up(void **state)
{
	static struct ui ui;

	ui_open(&ui, 100, 30);
	ui_show(&ui);
	frame_draw(&ui.state, &ui.canvas);
	*state = &ui;
	return 0;
}

int ui_tear_down(void **state)
{
	ui_finish(*state);
	return 0;
}

struct snapshot ui_snapshot(enum view_kind kind)
{
	struct ui_rows of = ui_rows(kind < VIEW_TABLES ? kind : VIEW_SYMBOLS);
	struct snapshot snapshot = fixture_snapshot(of.rows, of.count);

	snapshot.keys = view_specs[kind].keys;
	snapshot.busy_pct = 43.6;
	snapshot.own_cpu_pct = 0.42;
	snapshot.own_rss_bytes = 38200000;
	snapshot.activity = ui_activity;
	snapshot.activity_count = UI_ACTIVITY_POINTS;
	snapshot.activity_step_s = 1;
	snapshot.activity_end_ns = UI_NOW_S * CLOCK_NS_PER_S;
	snapshot.newest_ns = snapshot.activity_end_ns + 400 * CLOCK_NS_PER_MS;
	snapshot.known_ns = snapshot.activity_end_ns - UI_ACTIVITY_POINTS * CLOCK_NS_PER_S +
			    300 * CLOCK_NS_PER_MS;
	return snapshot;
}

void ui_show(struct ui *ui)
{
	ui->snapshot.query = ui->state.query.number;
	ui->snapshot.is_selected = ui->state.query.time.end_ns != 0;
	ui->snapshot.is_frozen = ui->state.query.is_paused || ui->snapshot.is_selected;
	if (ui->snapshot.is_selected) {
		ui->snapshot.asked_begin_ns = ui->state.query.time.begin_ns;
		ui->snapshot.asked_end_ns = ui->state.query.time.end_ns;
		ui->snapshot.begin_ns = ui->state.query.time.begin_ns;
		ui->snapshot.time_ns = ui->state.query.time.end_ns;
		ui->snapshot.window_s =
			(double)(ui->snapshot.time_ns - ui->snapshot.begin_ns) / 1e9;
	}
	input_offer_snapshot(&ui->state, &ui->snapshot);
}

static void put_butterfly(struct ui *ui)
{
	const struct filter *filter = &ui->state.query.breadcrumbs.filter;
	bool has_function = false;

	for (uint32_t i = 0; i < filter->count; i++)
		has_function |= filter->parts[i].field == FILTER_SYMBOL;
	ui->snapshot.tree = tree_fixture_machine(
		has_function || state_probe_hits(&ui->state) ? TREE_CALLERS : TREE_CALLEES);
	if (has_function)
		ui->snapshot.callees = tree_fixture_callees();
}

/* The small function of listing_fixture.h; its texts stay. */
static struct listing *listing_of_machine(void)
{
	static struct listing_fixture fixture;

	if (!fixture.listing.symbol)
		listing_fixture_init(&fixture, LISTING_SOURCE);
	return &fixture.listing;
}

void ui_prepare(struct ui *ui)
{
	ui->snapshot = ui_snapshot(state_kind(&ui->state));
	if (state_kind(&ui->state) == VIEW_TREE)
		ui->snapshot.tree = tree_fixture_machine(state_tree_direction(&ui->state));
	else if (state_kind(&ui->state) == VIEW_BUTTERFLY)
		put_butterfly(ui);
	else if (state_kind(&ui->state) == VIEW_LISTING)
		ui->snapshot.listing = listing_of_machine();
	else if (state_kind(&ui->state) == VIEW_FLAME)
		ui->snapshot.tree = flame_fixture_machine();
	else if (state_kind(&ui->state) == VIEW_GROUPS)
		ui->snapshot.groups = group_fixture_machine(ui->state.query.groups.keys,
							    ui->state.query.groups.count);
}

void ui_reply(struct ui *ui)
{
	ui_prepare(ui);
	ui_show(ui);
}

void ui_reply_part(struct ui *ui, size_t first, size_t count, double pct)
{
	ui->snapshot = ui_snapshot(state_kind(&ui->state));
	ui->snapshot.rows += first;
	ui->snapshot.row_count = count;
	ui->snapshot.shown_weight = ui->snapshot.weight * pct / 100;
	ui_show(ui);
}

void ui_press(struct ui *ui, const char *keys)
{
	for (; *keys; keys++)
		input_press_key(&ui->state, *keys, NULL);
}

void ui_press_key(struct ui *ui, int key)
{
	input_press_key(&ui->state, key, NULL);
}

void ui_choose(struct ui *ui, const char *words)
{
	assert_true(ui->state.menu.is_open);
	ui_press(ui, words);
	assert_true(ui->state.menu.shown_count > 0);
	ui_press_key(ui, UI_KEY_ENTER);
}

void ui_click(struct ui *ui, enum mouse_action action, int x, int y)
{
	const struct mouse mouse = { action, x, y };

	frame_draw(&ui->state, &ui->canvas);
	input_press_key(&ui->state, UI_KEY_MOUSE, &mouse);
}

const struct query *ui_asked(const struct ui *ui)
{
	for (size_t i = 0; i < ui->state.out.count; i++)
		if (ui->state.out.requests[i].kind == REQUEST_QUERY)
			return &ui->state.out.requests[i].query;
	fail_msg("nothing was asked for");
	return NULL;
}

const struct snapshot_row *ui_cursor(const struct ui *ui)
{
	static struct snapshot_row row;

	return state_cursor_row(&ui->state, &row) ? &row : NULL;
}

static size_t write_line(const struct canvas *canvas, int y, char *out)
{
	size_t used = 0;

	for (int x = 0; x < canvas->width; x++) {
		const struct canvas_cell *cell = &canvas->cells[y * canvas->width + x];

		if (cell->code != CANVAS_TAIL)
			used += utf8_encode(out + used, cell->code);
		if (cell->mark)
			used += utf8_encode(out + used, cell->mark);
	}
	while (used > 0 && out[used - 1] == ' ')
		used--;
	out[used] = '\0';
	return used;
}

const char *ui_text(struct ui *ui)
{
	static char out[SCREEN_BYTES];
	size_t used = 0;

	frame_draw(&ui->state, &ui->canvas);
	for (int y = 0; y < ui->canvas.height; y++) {
		used += write_line(&ui->canvas, y, out + used);
		out[used++] = '\n';
	}
	out[used] = '\0';
	return out;
}

const char *ui_line(const struct ui *ui, int y)
{
	static char out[4096];

	write_line(&ui->canvas, y, out);
	return out;
}

const char *ui_roles(struct ui *ui)
{
	static const char letters[ROLE_COUNT] = {
		[ROLE_TEXT] = ' ',
		[ROLE_DIM] = '.',
		[ROLE_NAME] = 'n',
		[ROLE_HEADING] = 'h',
		[ROLE_HOT] = '5',
		[ROLE_WARM] = '3',
		[ROLE_COOL] = '1',
		[ROLE_USER] = 'u',
		[ROLE_KERNEL] = 'k',
		[ROLE_GUEST] = 'g',
		[ROLE_UNRESOLVED] = '?',
		[ROLE_LOSS] = '!',
		[ROLE_STATE] = '*',
		[ROLE_KEY] = '^',
		[ROLE_SELECTED] = '#',
		[ROLE_SELECTED_BAR] = '=',
		[ROLE_JIT] = 'j',
		[ROLE_MATCH] = 'm',
		[ROLE_TAB] = 't',
		[ROLE_ACTIVITY] = 's',
		[ROLE_ACTIVITY_HIGH] = 'S',
		[ROLE_FILL_USER] = 'u',
		[ROLE_FILL_USER_HOT] = 'U',
		[ROLE_FILL_KERNEL] = 'k',
		[ROLE_FILL_KERNEL_HOT] = 'K',
		[ROLE_FILL_JIT] = 'j',
		[ROLE_FILL_JIT_HOT] = 'J',
		[ROLE_FILL_INLINED] = 'i',
		[ROLE_FILL_INLINED_HOT] = 'I',
		[ROLE_FILL_UNKNOWN] = 'x',
		[ROLE_FILL_UNKNOWN_HOT] = 'X',
		[ROLE_FILL_HEAT] = 'r',
		[ROLE_FILL_HEAT_HOT] = 'R',
		[ROLE_MORE] = '+',
		[ROLE_LESS] = '-',
		[ROLE_FILL_MORE] = 'a',
		[ROLE_FILL_MORE_LARGE] = 'A',
		[ROLE_FILL_LESS] = 'z',
		[ROLE_FILL_LESS_LARGE] = 'Z',
		[ROLE_FILL_QUIET] = 'q',
		[ROLE_FILL_MATCH] = 'M',
		[ROLE_FILL_SELECTED] = '@',
		[ROLE_BOX] = 'b',
		[ROLE_BOX_DIM] = 'd',
		[ROLE_BOX_CURSOR] = 'c',
	};
	static char out[SCREEN_BYTES];
	const struct canvas *canvas = &ui->canvas;
	size_t used = 0;

	frame_draw(&ui->state, &ui->canvas);
	for (int y = 0; y < canvas->height; y++) {
		for (int x = 0; x < canvas->width; x++)
			out[used++] = letters[canvas->cells[y * canvas->width + x].role];
		while (used > 0 && out[used - 1] == ' ')
			used--;
		out[used++] = '\n';
	}
	out[used] = '\0';
	return out;
}

static bool find_text(struct ui *ui, const char *text, struct mouse *out)
{
	frame_draw(&ui->state, &ui->canvas);
	for (int y = 0; y < ui->canvas.height; y++) {
		const char *line = ui_line(ui, y), *at = strstr(line, text);
		char before[4096];

		if (!at)
			continue;
		snprintf(before, sizeof(before), "%.*s", (int)(at - line), line);
		*out = (struct mouse){ MOUSE_PRESS, canvas_text_width(&ui->canvas, before), y };
		return true;
	}
	return false;
}

struct mouse ui_find(struct ui *ui, const char *text)
{
	struct mouse found;

	if (!find_text(ui, text, &found)) {
		print_error("\"%s\" is not on the screen:\n%s", text, ui_text(ui));
		fail();
	}
	return found;
}

bool ui_has(struct ui *ui, const char *text)
{
	struct mouse found;

	return find_text(ui, text, &found);
}

void ui_compare(const char *name, const char *text)
{
	static char expected[SCREEN_BYTES];
	const bool is_update = getenv("FLAMETOP_GOLDEN_UPDATE") != NULL;
	char path[256];
	size_t got;
	FILE *file;

	snprintf(path, sizeof(path), "tests/golden/%s.txt", name);
	file = fopen(path, is_update ? "w" : "r");
	if (!file)
		print_error("%s is not there\n", path);
	assert_non_null(file);
	if (is_update) {
		fputs(text, file);
		fclose(file);
		return;
	}
	got = fread(expected, 1, sizeof(expected) - 1, file);
	fclose(file);
	expected[got] = '\0';
	if (strcmp(expected, text))
		print_error("%s differs; the screen is now:\n%s", path, text);
	assert_int_equal(strcmp(expected, text), 0);
}

void ui_close(struct ui *ui, const char *name)
{
	ui_compare(name, ui_text(ui));
	ui_finish(ui);
}
