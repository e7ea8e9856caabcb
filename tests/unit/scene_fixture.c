/* scene_fixture.c - see scene_fixture.h. The machine is in scene_rows.c. */
#include "scene_fixture.h"

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
#include "scene_rows.h"
#include "snapshot_fixture.h"
#include "tree_fixture.h"
#include "ui/term/utf8.h"

#define SCREEN_BYTES (512 * 1024)

static bool record_change(void *owner, const struct source_change *change)
{
	struct scene_source *source = owner;

	if (source->is_busy || source->count == sizeof(source->asked) / sizeof(source->asked[0]))
		return false;
	source->asked[source->count++] = *change;
	source->is_busy = true;
	return true;
}

void scene_open(struct scene *scene, int width, int height)
{
	memset(scene, 0, sizeof(*scene));
	setenv("TZ", "UTC0", 1);	/* times are on the screens */
	state_init(&scene->state);
	keymap_init(&scene->keymap);
	scene->source.control = (struct source_control){ .owner = &scene->source,
							 .ask = record_change, .done_fd = -1 };
	scene->state.keymap = &scene->keymap;
	scene->state.source = &scene->source.control;
	scene->probes = (struct probe_control){ .fd = -1, .cap_pct = 5 };
	scene->state.probe_control = &scene->probes;
	scene->state.theme = &themes[0];
	scene->state.window_ns = 10 * CLOCK_NS_PER_S;
	scene->state.history_bytes = 64 << 20;
	scene->state.interval_ns = 2 * CLOCK_NS_PER_S;
	scene->snapshot = scene_snapshot(VIEW_SYMBOLS);
	assert_int_equal(canvas_resize(&scene->canvas, width, height), 0);
}

void scene_finish(struct scene *scene)
{
	state_finish(&scene->state);
	canvas_finish(&scene->canvas);
}

int scene_set_up(void **state)
{
	static struct scene scene;

	scene_open(&scene, 100, 30);
	scene_show(&scene);
	frame_draw(&scene.state, &scene.canvas);
	*state = &scene;
	return 0;
}

int scene_tear_down(void **state)
{
	scene_finish(*state);
	return 0;
}

struct snapshot scene_snapshot(enum view_kind kind)
{
	struct scene_rows of = scene_rows(kind < VIEW_TABLES ? kind : VIEW_SYMBOLS);
	struct snapshot snapshot = fixture_snapshot(of.rows, of.count);

	snapshot.keys = table_specs[kind].keys;
	snapshot.busy_pct = 43.6;
	snapshot.own_cpu_pct = 0.42;
	snapshot.own_rss_bytes = 38200000;
	snapshot.strip = scene_strip;
	snapshot.strip_count = SCENE_STRIP_POINTS;
	snapshot.strip_step_s = 1;
	snapshot.strip_end_ns = SCENE_NOW_S * CLOCK_NS_PER_S;
	snapshot.newest_ns = snapshot.strip_end_ns + 400 * CLOCK_NS_PER_MS;
	snapshot.known_ns = snapshot.strip_end_ns - SCENE_STRIP_POINTS * CLOCK_NS_PER_S +
			    300 * CLOCK_NS_PER_MS;
	return snapshot;
}

void scene_show(struct scene *scene)
{
	scene->snapshot.query = scene->state.query;
	scene->snapshot.is_selected = scene->state.time.end_ns != 0;
	scene->snapshot.is_frozen = scene->state.is_paused || scene->snapshot.is_selected;
	if (scene->snapshot.is_selected) {
		scene->snapshot.asked_begin_ns = scene->state.time.begin_ns;
		scene->snapshot.asked_end_ns = scene->state.time.end_ns;
		scene->snapshot.begin_ns = scene->state.time.begin_ns;
		scene->snapshot.time_ns = scene->state.time.end_ns;
		scene->snapshot.window_s =
			(double)(scene->snapshot.time_ns - scene->snapshot.begin_ns) / 1e9;
	}
	state_offer_snapshot(&scene->state, &scene->snapshot);
}

void scene_prepare(struct scene *scene)
{
	scene->snapshot = scene_snapshot(state_kind(&scene->state));
	if (state_kind(&scene->state) == VIEW_TREE)
		scene->snapshot.tree = tree_fixture_machine(state_tree_direction(&scene->state));
	else if (state_kind(&scene->state) == VIEW_FLAME)
		scene->snapshot.tree = flame_fixture_machine();
	else if (state_kind(&scene->state) == VIEW_GROUPS)
		scene->snapshot.groups = group_fixture_machine(scene->state.groups.keys,
							       scene->state.groups.count);
}

void scene_answer(struct scene *scene)
{
	scene_prepare(scene);
	scene_show(scene);
}

void scene_answer_part(struct scene *scene, size_t first, size_t count, double pct)
{
	scene->snapshot = scene_snapshot(state_kind(&scene->state));
	scene->snapshot.rows += first;
	scene->snapshot.row_count = count;
	scene->snapshot.shown_weight = scene->snapshot.weight * pct / 100;
	scene_show(scene);
}

void scene_press(struct scene *scene, const char *keys)
{
	for (; *keys; keys++)
		state_press_key(&scene->state, *keys, NULL);
}

void scene_press_key(struct scene *scene, int key)
{
	state_press_key(&scene->state, key, NULL);
}

void scene_choose(struct scene *scene, const char *words)
{
	assert_true(scene->state.menu.is_open);
	scene_press(scene, words);
	assert_true(scene->state.menu.shown_count > 0);
	scene_press_key(scene, UI_KEY_ENTER);
}

void scene_click(struct scene *scene, enum mouse_action action, int x, int y)
{
	const struct mouse mouse = { action, x, y };

	frame_draw(&scene->state, &scene->canvas);
	state_press_key(&scene->state, UI_KEY_MOUSE, &mouse);
}

const struct query *scene_asked(const struct scene *scene)
{
	for (size_t i = 0; i < scene->state.outbox_count; i++)
		if (scene->state.outbox[i].kind == REQUEST_QUERY)
			return &scene->state.outbox[i].query;
	fail_msg("nothing was asked for");
	return NULL;
}

const struct snapshot_row *scene_cursor(const struct scene *scene)
{
	static struct snapshot_row row;

	return state_cursor_row(&scene->state, &row) ? &row : NULL;
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

const char *scene_text(struct scene *scene)
{
	static char out[SCREEN_BYTES];
	size_t used = 0;

	frame_draw(&scene->state, &scene->canvas);
	for (int y = 0; y < scene->canvas.height; y++) {
		used += write_line(&scene->canvas, y, out + used);
		out[used++] = '\n';
	}
	out[used] = '\0';
	return out;
}

const char *scene_line(const struct scene *scene, int y)
{
	static char out[4096];

	write_line(&scene->canvas, y, out);
	return out;
}

const char *scene_roles(struct scene *scene)
{
	static const char letters[ROLE_COUNT] = {
		[ROLE_TEXT] = ' ',	  [ROLE_DIM] = '.',	  [ROLE_NAME] = 'n',
		[ROLE_HEADING] = 'h',	  [ROLE_HOT] = '5',	  [ROLE_WARM] = '3',
		[ROLE_COOL] = '1',	  [ROLE_USER] = 'u',	  [ROLE_KERNEL] = 'k',
		[ROLE_GUEST] = 'g',	  [ROLE_UNRESOLVED] = '?', [ROLE_LOSS] = '!',
		[ROLE_STATE] = '*',	  [ROLE_KEY] = '^',	  [ROLE_SELECTED] = '#',
		[ROLE_SELECTED_BAR] = '=', [ROLE_JIT] = 'j',	  [ROLE_MATCH] = 'm',
		[ROLE_TAB] = 't',	  [ROLE_STRIP] = 's',	  [ROLE_STRIP_HIGH] = 'S',
		[ROLE_FILL_USER] = 'u',	  [ROLE_FILL_USER_HOT] = 'U',
		[ROLE_FILL_KERNEL] = 'k', [ROLE_FILL_KERNEL_HOT] = 'K',
		[ROLE_FILL_JIT] = 'j',	  [ROLE_FILL_JIT_HOT] = 'J',
		[ROLE_FILL_INLINED] = 'i', [ROLE_FILL_INLINED_HOT] = 'I',
		[ROLE_FILL_UNKNOWN] = 'x', [ROLE_FILL_UNKNOWN_HOT] = 'X',
		[ROLE_FILL_HEAT] = 'r',	  [ROLE_FILL_HEAT_HOT] = 'R',
		[ROLE_MORE] = '+',	  [ROLE_LESS] = '-',
		[ROLE_FILL_MORE] = 'a',	  [ROLE_FILL_MORE_LARGE] = 'A',
		[ROLE_FILL_LESS] = 'z',	  [ROLE_FILL_LESS_LARGE] = 'Z',
		[ROLE_FILL_QUIET] = 'q',  [ROLE_FILL_MATCH] = 'M',
		[ROLE_FILL_SELECTED] = '@',
		[ROLE_BOX] = 'b',	  [ROLE_BOX_DIM] = 'd',	  [ROLE_BOX_CURSOR] = 'c',
	};
	static char out[SCREEN_BYTES];
	const struct canvas *canvas = &scene->canvas;
	size_t used = 0;

	frame_draw(&scene->state, &scene->canvas);
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

static bool find_text(struct scene *scene, const char *text, struct mouse *out)
{
	frame_draw(&scene->state, &scene->canvas);
	for (int y = 0; y < scene->canvas.height; y++) {
		const char *line = scene_line(scene, y), *at = strstr(line, text);
		char before[4096];

		if (!at)
			continue;
		snprintf(before, sizeof(before), "%.*s", (int)(at - line), line);
		*out = (struct mouse){ MOUSE_PRESS, canvas_text_width(&scene->canvas, before), y };
		return true;
	}
	return false;
}

struct mouse scene_find(struct scene *scene, const char *text)
{
	struct mouse found;

	if (!find_text(scene, text, &found)) {
		print_error("\"%s\" is not on the screen:\n%s", text, scene_text(scene));
		fail();
	}
	return found;
}

bool scene_has(struct scene *scene, const char *text)
{
	struct mouse found;

	return find_text(scene, text, &found);
}

void scene_compare(const char *name, const char *text)
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

void scene_close(struct scene *scene, const char *name)
{
	scene_compare(name, scene_text(scene));
	scene_finish(scene);
}
