/* Whole screens through the real views, compared with tests/golden/NAME.txt.
 *
 * FLAMETOP_GOLDEN_UPDATE=1 writes the files anew: then look at each of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "snapshot_fixture.h"
#include "ui/frame.h"
#include "ui/keys.h"
#include "ui/utf8.h"

#define SCREEN_BYTES (512 * 1024)

/* Each kind of row once. */
static struct snapshot_row mixed_rows[] = {
	{ .symbol = "hash_search_with_hash_value", .object = "postgres", .comm = "postgres",
	  .tasks = 1, .pid = 4121, .tid = 4121, .cpu = 2, .mode = MODE_USER, .self_samples = 14520,
	  .total_samples = 24430 },
	{ .symbol = "copy_user_enhanced_fast_string", .object = "[kernel]", .tasks = 12, .pid = -1,
	  .tid = -1, .cpu = -1, .mode = MODE_KERNEL, .self_samples = 7150, .total_samples = 7150 },
	{ .symbol = "ChaCha20_4xl", .object = "libcrypto.so.3", .comm = "nginx", .tasks = 1,
	  .pid = 77, .tid = 80, .cpu = 0, .mode = MODE_USER, .self_samples = 5160,
	  .total_samples = 15300 },
	{ .object = "libjvm.so", .comm = "java", .tasks = 3, .pid = 900, .tid = -1, .cpu = -1,
	  .mode = MODE_USER, .state = SYMBOL_LOADING, .self_samples = 3230, .total_samples = 3230 },
	{ .symbol = "0x8f31a0", .object = "cc1plus", .comm = "cc1plus", .tasks = 1, .pid = 5150,
	  .tid = 5150, .cpu = 7, .mode = MODE_USER, .state = SYMBOL_UNKNOWN, .self_samples = 2350,
	  .total_samples = 2350 },
	{ .symbol = "0x1234", .object = "stripped.bin", .comm = "stripped", .tasks = 1, .pid = 61,
	  .tid = 61, .cpu = 1, .mode = MODE_USER, .state = SYMBOL_UNREADABLE,
	  .reason = "not an ELF file", .self_samples = 1100, .total_samples = 1100 },
	{ .symbol = "std::vector<std::pair<int, std::string>, std::allocator<std::pair<int, "
		    "std::string> > >::_M_realloc_insert(std::pair<int, std::string>&&)",
	  .object = "a-rather-long-program-name-indeed", .comm = "a-rather-long-p", .tasks = 1,
	  .pid = 4194304, .tid = 4194304, .cpu = 127, .mode = MODE_USER, .self_samples = 900,
	  .total_samples = 30000 },
	{ .symbol = "\u6f22\u5b57\u306e\u95a2\u6570", .object = "unicode", .comm = "cafe\u0301",
	  .tasks = 1, .pid = 12, .tid = 12, .cpu = 3, .mode = MODE_USER, .self_samples = 310,
	  .total_samples = 310 },
	{ .symbol = "vmx_vcpu_run", .object = "[kernel]", .comm = "qemu", .tasks = 1, .pid = 13,
	  .tid = 14, .cpu = 4, .mode = MODE_GUEST_KERNEL, .self_samples = 120,
	  .total_samples = 120 },
	{ .symbol = "guest_main", .object = "[unknown]", .comm = "qemu", .tasks = 1, .pid = 13,
	  .tid = 14, .cpu = 4, .mode = MODE_GUEST_USER, .self_samples = 20, .total_samples = 20 },
	{ .symbol = "main", .object = "postgres", .comm = "postgres", .tasks = 1, .pid = 4121,
	  .tid = 4121, .cpu = 2, .mode = MODE_USER, .self_samples = 0, .total_samples = 24430 },
	{ .symbol = "pv_native_safe_halt", .object = "[kernel]", .comm = "swapper/0", .tasks = 8,
	  .pid = 0, .tid = 0, .cpu = -1, .mode = MODE_KERNEL, .is_idle = true,
	  .self_samples = 44000, .total_samples = 44000 },
};

struct scene {
	struct ui_state state;
	struct snapshot snapshot;
	struct canvas canvas;
	struct keymap keymap;
};

static void open_scene(struct scene *scene, int width, int height)
{
	memset(scene, 0, sizeof(*scene));
	state_init(&scene->state);
	keymap_init(&scene->keymap);
	scene->state.keymap = &scene->keymap;
	scene->state.theme = &themes[0];
	scene->state.window_ns = 10 * CLOCK_NS_PER_S;
	scene->state.interval_ns = 2 * CLOCK_NS_PER_S;
	scene->snapshot = fixture_snapshot(mixed_rows, sizeof(mixed_rows) / sizeof(mixed_rows[0]));
	scene->snapshot.busy_pct = 61.3;
	scene->snapshot.own_cpu_pct = 0.42;
	scene->snapshot.own_rss_bytes = 38200000;
	assert_int_equal(canvas_resize(&scene->canvas, width, height), 0);
}

static void show(struct scene *scene)
{
	state_offer_snapshot(&scene->state, &scene->snapshot);
}

static void press(struct scene *scene, const char *keys)
{
	for (; *keys; keys++)
		state_press_key(&scene->state, *keys, NULL);
}

static size_t write_text(const struct canvas *canvas, char *out)
{
	size_t used = 0;

	for (int y = 0; y < canvas->height; y++) {
		for (int x = 0; x < canvas->width; x++) {
			const struct canvas_cell *cell = &canvas->cells[y * canvas->width + x];

			if (cell->code != CANVAS_TAIL)
				used += utf8_encode(out + used, cell->code);
			if (cell->mark)
				used += utf8_encode(out + used, cell->mark);
		}
		while (used > 0 && out[used - 1] == ' ')
			used--;
		out[used++] = '\n';
	}
	return used;
}

/* One letter per cell: what it means. */
static size_t write_roles(const struct canvas *canvas, char *out)
{
	static const char letters[] = {
		[ROLE_TEXT] = ' ',	 [ROLE_DIM] = '.',   [ROLE_NAME] = 'n',
		[ROLE_HEADING] = 'h',	 [ROLE_HOT] = '5',   [ROLE_WARM] = '3',
		[ROLE_COOL] = '1',	 [ROLE_USER] = 'u',  [ROLE_KERNEL] = 'k',
		[ROLE_GUEST] = 'g',	 [ROLE_UNRESOLVED] = '?', [ROLE_LOSS] = '!',
		[ROLE_STATE] = '*',	 [ROLE_KEY] = '^',   [ROLE_SELECTED] = '#',
	};
	size_t used = 0;

	for (int y = 0; y < canvas->height; y++) {
		for (int x = 0; x < canvas->width; x++)
			out[used++] = letters[canvas->cells[y * canvas->width + x].role];
		while (used > 0 && out[used - 1] == ' ')
			used--;
		out[used++] = '\n';
	}
	return used;
}

static void compare_golden(const char *name, const char *text, size_t length)
{
	static char expected[SCREEN_BYTES];
	const bool is_update = getenv("FLAMETOP_GOLDEN_UPDATE") != NULL;
	char path[256];
	size_t got;
	FILE *file;

	snprintf(path, sizeof(path), "tests/golden/%s.txt", name);
	file = fopen(path, is_update ? "w" : "r");
	assert_non_null(file);
	if (is_update) {
		fwrite(text, 1, length, file);
		fclose(file);
		return;
	}
	got = fread(expected, 1, sizeof(expected), file);
	fclose(file);
	if (got != length || memcmp(expected, text, length))
		print_error("%s differs; the screen is now:\n%.*s", path, (int)length, text);
	assert_int_equal(got, length);
	assert_memory_equal(expected, text, length);
}

static void close_scene(struct scene *scene, const char *name)
{
	static char text[SCREEN_BYTES];

	frame_draw(&scene->state, &scene->canvas);
	compare_golden(name, text, write_text(&scene->canvas, text));
	state_finish(&scene->state);
	canvas_finish(&scene->canvas);
}

static void test_table_at_every_size(void **state)
{
	static const struct {
		int width, height;
		const char *name;
	} sizes[] = {
		{ 40, 10, "table_40x10" },
		{ 80, 24, "table_80x24" },
		{ 100, 24, "table_100x24" },
		{ 200, 60, "table_200x60" },
	};
	struct scene scene;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		open_scene(&scene, sizes[i].width, sizes[i].height);
		show(&scene);
		close_scene(&scene, sizes[i].name);
	}
}

static void test_meaning_of_every_cell(void **state)
{
	static char roles[SCREEN_BYTES];
	struct scene scene;

	(void)state;
	open_scene(&scene, 100, 24);
	scene.snapshot.lost_kernel = 12;
	show(&scene);
	press(&scene, "jjjjjjj");
	frame_draw(&scene.state, &scene.canvas);
	compare_golden("roles_100x24", roles, write_roles(&scene.canvas, roles));
	close_scene(&scene, "cursor_100x24");
}

static void test_ascii_only(void **state)
{
	struct scene scene;

	(void)state;
	open_scene(&scene, 80, 24);
	scene.canvas.is_ascii = true;
	show(&scene);
	close_scene(&scene, "ascii_80x24");
}

static void test_collecting(void **state)
{
	struct scene scene;

	(void)state;
	open_scene(&scene, 80, 24);
	close_scene(&scene, "collecting_80x24");
}

static void test_nothing_hot(void **state)
{
	struct scene scene;

	(void)state;
	open_scene(&scene, 80, 24);
	scene.snapshot.row_count = 0;
	scene.snapshot.samples = scene.snapshot.idle_samples;
	scene.snapshot.busy_pct = 0;
	show(&scene);
	close_scene(&scene, "nothing_hot_80x24");
}

static void test_target_gone_without_a_sample(void **state)
{
	struct scene scene;

	(void)state;
	open_scene(&scene, 80, 24);
	scene.snapshot.row_count = 0;
	scene.snapshot.samples = scene.snapshot.idle_samples = 0;
	scene.snapshot.is_target_gone = true;
	scene.snapshot.target = "pid 4121";
	scene.snapshot.busy_pct = -1;
	show(&scene);
	close_scene(&scene, "target_gone_80x24");
}

static void test_filter_that_matches_nothing(void **state)
{
	struct scene scene;

	(void)state;
	open_scene(&scene, 80, 24);
	show(&scene);
	press(&scene, "\\nowhere");
	close_scene(&scene, "no_match_80x24");
}

static void test_everything_happens_at_once(void **state)
{
	static const struct {
		int width, height;
		const char *name;
	} sizes[] = {
		{ 40, 10, "all_states_40x10" },
		{ 100, 24, "all_states_100x24" },
		{ 200, 60, "all_states_200x60" },
	};
	struct scene scene;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		open_scene(&scene, sizes[i].width, sizes[i].height);
		scene.snapshot.lost_kernel = 123456;
		scene.snapshot.lost_late = 7;
		scene.snapshot.throttled_ns = 2500000000;
		scene.snapshot.event_count = 2;
		scene.snapshot.window = WINDOW_ALL;
		scene.snapshot.window_s = 754;
		scene.snapshot.notice =
			"cycles cannot be sampled here (no PMU): cpu-clock instead\n"
			"kernel names are hidden: run as root";
		show(&scene);
		press(&scene, "iU\\r");
		state_press_key(&scene.state, UI_KEY_ENTER, NULL);
		press(&scene, "zS ");
		close_scene(&scene, sizes[i].name);
	}
}

static void test_rows_keyed_by_process(void **state)
{
	struct scene scene;

	(void)state;
	open_scene(&scene, 100, 24);
	scene.snapshot.keys |= KEY_PID | KEY_CPU;
	show(&scene);
	close_scene(&scene, "pid_cpu_100x24");
}

static void test_rows_keyed_by_object_only(void **state)
{
	struct scene scene;

	(void)state;
	open_scene(&scene, 80, 24);
	scene.snapshot.keys = KEY_OBJECT;
	show(&scene);
	close_scene(&scene, "object_80x24");
}

static void test_help_and_messages(void **state)
{
	struct scene scene;

	(void)state;
	open_scene(&scene, 80, 24);
	show(&scene);
	press(&scene, "?");
	close_scene(&scene, "help_80x24");

	open_scene(&scene, 100, 60);
	show(&scene);
	press(&scene, "?");
	close_scene(&scene, "help_100x60");

	open_scene(&scene, 80, 24);
	scene.snapshot.lost_kernel = 123456;
	scene.snapshot.throttled_ns = 2500000000;
	scene.snapshot.notice = "cycles cannot be sampled here (no PMU): cpu-clock instead\n"
				"kernel names are hidden: kernel.kptr_restrict is 2; run as root, "
				"or sysctl kernel.kptr_restrict=1";
	show(&scene);
	press(&scene, "!");
	close_scene(&scene, "messages_80x24");
}

static void test_too_small(void **state)
{
	struct scene scene;

	(void)state;
	open_scene(&scene, 39, 9);
	show(&scene);
	close_scene(&scene, "too_small_39x9");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table_at_every_size),
		cmocka_unit_test(test_meaning_of_every_cell),
		cmocka_unit_test(test_ascii_only),
		cmocka_unit_test(test_collecting),
		cmocka_unit_test(test_nothing_hot),
		cmocka_unit_test(test_target_gone_without_a_sample),
		cmocka_unit_test(test_filter_that_matches_nothing),
		cmocka_unit_test(test_everything_happens_at_once),
		cmocka_unit_test(test_rows_keyed_by_process),
		cmocka_unit_test(test_rows_keyed_by_object_only),
		cmocka_unit_test(test_help_and_messages),
		cmocka_unit_test(test_too_small),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
