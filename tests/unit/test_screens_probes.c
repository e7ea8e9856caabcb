/* Whole screens of the probes: the list, one of them, the panel, in every state. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "probe_fixture.h"

static const struct {
	int width, height;
} sizes[] = { { 40, 12 }, { 80, 24 }, { 120, 40 }, { 200, 60 } };
#define SIZE_COUNT (sizeof(sizes) / sizeof(sizes[0]))

static void open_list(struct scene *scene, int width, int height)
{
	scene_open(scene, width, height);
	scene_show(scene);
	frame_draw(&scene->state, &scene->canvas);
	scene_press(scene, "8");
	probe_fixture_answer(scene);
	frame_draw(&scene->state, &scene->canvas);
}

static void open_probe(struct scene *scene, int width, int height)
{
	open_list(scene, width, height);
	scene_press_key(scene, UI_KEY_ENTER);
	probe_fixture_answer(scene);
	frame_draw(&scene->state, &scene->canvas);
}

static void close_at(struct scene *scene, const char *name, size_t size)
{
	char file[64];

	snprintf(file, sizeof(file), "%s_%dx%d", name, sizes[size].width, sizes[size].height);
	scene_close(scene, file);
}

static void test_the_list_at_every_size(void **state)
{
	struct scene scene;

	(void)state;
	for (size_t i = 0; i < SIZE_COUNT; i++) {
		open_list(&scene, sizes[i].width, sizes[i].height);
		close_at(&scene, "probes", i);
	}
}

static void test_a_hit_of_the_log(void **state)
{
	struct scene scene;

	(void)state;
	open_probe(&scene, 80, 24);
	scene_press(&scene, "hkk");
	scene_press_key(&scene, UI_KEY_ENTER);
	probe_fixture_answer(&scene);
	scene_close(&scene, "probe_hit_80x24");
}

static void test_the_log_of_all_probes_at_every_size(void **state)
{
	struct scene scene;

	(void)state;
	for (size_t i = 0; i < SIZE_COUNT; i++) {
		open_list(&scene, sizes[i].width, sizes[i].height);
		scene_press(&scene, "L");
		probe_fixture_answer(&scene);
		scene_press(&scene, "k");	/* the message about the key leaves */
		close_at(&scene, "probes_log", i);
	}
}

static void test_each_page_of_a_probe_at_every_size(void **state)
{
	struct scene scene;
	char name[32];

	(void)state;
	for (int pane = 0; pane < PANE_COUNT; pane++) {
		for (size_t i = 0; i < SIZE_COUNT; i++) {
			open_probe(&scene, sizes[i].width, sizes[i].height);
			for (int k = 0; k < pane; k++)
				scene_press_key(&scene, UI_KEY_RIGHT);
			snprintf(name, sizeof(name), "probe_%s", probe_pane_names[pane]);
			close_at(&scene, name, i);
		}
	}
}

static void test_an_unsigned_value_has_its_whole_range_on_the_screen(void **state)
{
	struct snapshot_probe probe;
	struct snapshot_value value;
	struct scene scene;

	(void)state;
	open_probe(&scene, 200, 60);
	scene_press_key(&scene, UI_KEY_RIGHT);
	probe = scene.snapshot.probes.list[0];
	value = probe.values[0];
	value.min = UINT64_MAX - 1;
	value.max = UINT64_MAX;
	probe.value_count = 1;
	probe.values = &value;
	scene.snapshot.probes.count = 1;
	scene.snapshot.probes.list = &probe;
	scene_show(&scene);
	scene_find(&scene, "min 18446744073709551614");
	scene_find(&scene, "max 18446744073709551615");
	scene_finish(&scene);
}

static void test_states_are_told_without_colours_and_without_unicode(void **state)
{
	struct scene scene;

	(void)state;
	open_list(&scene, 80, 24);
	scene_press(&scene, "jjj");
	scene_compare("probes_roles_80x24", scene_roles(&scene));
	scene_close(&scene, "probes_capped_80x24");
	open_list(&scene, 80, 24);
	scene.canvas.is_ascii = true;
	scene_close(&scene, "probes_ascii_80x24");
	open_probe(&scene, 80, 24);
	scene_compare("probe_latency_roles_80x24", scene_roles(&scene));
	scene.canvas.is_ascii = true;
	scene_close(&scene, "probe_latency_ascii_80x24");
}

static void test_without_a_probe_the_list_teaches(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 80, 24);
	scene_show(&scene);
	scene_press(&scene, "8");
	scene_answer(&scene);
	scene_close(&scene, "probes_none_80x24");

	scene_open(&scene, 80, 24);
	scene.state.probe_control = NULL;
	scene_show(&scene);
	scene_press(&scene, "8");
	scene_answer(&scene);
	scene_close(&scene, "probes_recording_80x24");

	scene_open(&scene, 80, 24);
	scene.probes.refusal = "probes need CAP_PERFMON and tracefs: run as root";
	scene_show(&scene);
	scene_press(&scene, "8");
	scene_answer(&scene);
	scene_close(&scene, "probes_refused_80x24");
}

static const struct snapshot_value served_values[] = {
	{ .name = "status", .type = "int", .origin = "format", .kind = VALUE_SIGNED,
	  .count = 4, .numbers = 4, .is_signed = true, .min = (uint64_t)-1, .max = 404,
	  .mean = 200.75, .negatives = 1, .octaves = { [0] = 1, [7] = 2, [8] = 1 },
	  .top_count = 3, .top = { { "200", true, 200, 2, false }, { "-1", true, -1, 1, false },
				   { "404", true, 404, 1, false } } },
	{ .name = "path", .type = "char[16]", .origin = "format", .kind = VALUE_TEXT,
	  .count = 4, .top_count = 2,
	  .top = { { "/a", false, 0, 3, false }, { "/b", false, 0, 1, false } } },
	{ .name = "call", .type = "long", .origin = "format", .kind = VALUE_NAMED,
	  .count = 4, .numbers = 4, .min = 0, .max = 202, .mean = 101, .zeros = 1,
	  .octaves = { [7] = 3 }, .top_count = 2,
	  .top = { { "futex", true, 202, 3, true }, { "read", true, 0, 1, true } } },
};

static const struct snapshot_probe served = {
	.id = 1, .event = 1, .name = "t:web:served", .spec = "t:web:served",
	.object = "[kernel]", .scope = "as recorded", .kind = PROBE_TRACEPOINT,
	.state = PROBE_RECORDED, .reason = "", .hits = 4, .hits_per_s = 2, .lease_s = -1,
	.value_count = 3, .values = served_values,
};

/* A recording with one tracepoint, and the answer to what the screen asks for. */
static void answer_recorded(struct scene *scene)
{
	scene_prepare(scene);
	scene->snapshot.probes = (struct snapshot_probes){
		.count = 1, .list = &served, .detail = state_probe_here(&scene->state),
	};
	scene_show(scene);
	frame_draw(&scene->state, &scene->canvas);
}

static void open_recorded(struct scene *scene)
{
	scene_open(scene, 80, 24);
	scene->state.probe_control = NULL;
	scene_show(scene);
	scene_press(scene, "8");
	answer_recorded(scene);
}

static void test_a_recorded_probe_is_shown_with_its_values(void **state)
{
	struct scene scene;

	(void)state;
	open_recorded(&scene);
	scene_compare("probes_recorded_80x24", scene_text(&scene));
	scene_press(&scene, ".");
	assert_int_equal(scene.state.menu.count, 3);	/* figures, tree, flame graph */
	scene_choose(&scene, "latency, values");
	answer_recorded(&scene);
	scene_close(&scene, "probe_recorded_80x24");
}

static void test_no_key_changes_a_recorded_probe(void **state)
{
	static const char *const keys[] = { "t", "d", "+" };
	struct scene scene;

	(void)state;
	open_recorded(&scene);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		scene.state.message[0] = '\0';
		scene_press(&scene, keys[i]);
		assert_string_equal(scene.state.message,
				    "web:served was recorded: it can be looked at, not changed");
	}
	scene_press(&scene, "D");
	assert_false(scene.state.menu.is_open);
	assert_int_equal(scene.state.order_count, 0);
	scene_finish(&scene);
}

static void test_the_menus_of_a_probe(void **state)
{
	struct scene scene;

	(void)state;
	open_list(&scene, 80, 24);
	scene_press(&scene, ".");
	scene_close(&scene, "probe_menu_80x24");
	open_list(&scene, 80, 24);
	scene_press(&scene, "jjj");
	scene_press_key(&scene, UI_KEY_ENTER);
	scene_close(&scene, "probe_capped_menu_80x24");
	open_list(&scene, 80, 24);
	scene_press(&scene, "D");
	scene_close(&scene, "probes_remove_all_80x24");
}

static void test_hits_stand_for_samples_and_figures_beside_them(void **state)
{
	struct scene scene;

	(void)state;
	open_probe(&scene, 100, 24);
	scene_press(&scene, "1");
	probe_fixture_answer(&scene);
	scene_close(&scene, "probe_hits_100x24");
	scene_open(&scene, 80, 24);
	scene.snapshot.probes = probe_fixture(0);
	scene_show(&scene);
	scene_close(&scene, "probe_column_80x24");
}

/* The panel. */

static struct probe_answer known_answer(void)
{
	struct probe_answer answer = {
		.kind = PROBE_EXAMINE, .is_done = true, .place = "postgres at 0x4b2c10",
		.functions = 1, .sites = 1, .has_rate = true, .hits_per_s = 12400,
		.cost_ns = 1100, .cost_pct = 2.7, .other_processes = 3, .offered_count = 5,
		.offered = {
			{ .name = "hashp", .type = "HTAB *", .fetch = "%di:x64",
			  .origin = ORIGIN_DWARF, .kind = VALUE_HEX },
			{ .name = "hashvalue", .type = "uint32", .fetch = "%dx:u32",
			  .origin = ORIGIN_DWARF, .kind = VALUE_UNSIGNED },
			{ .name = "action", .type = "HASHACTION", .reason = "optimized out",
			  .origin = ORIGIN_DWARF },
			{ .name = "arg5", .type = "u64", .fetch = "%r8:u64",
			  .origin = ORIGIN_ABI, .kind = VALUE_UNSIGNED },
			{ .name = "$retval", .type = "void *", .fetch = "$retval:x64",
			  .origin = ORIGIN_DWARF, .kind = VALUE_HEX, .is_return = true },
		},
	};

	return answer;
}

static void open_panel(struct scene *scene, int width, int height)
{
	scene_open(scene, width, height);
	scene_show(scene);
	frame_draw(&scene->state, &scene->canvas);
	scene_press(scene, "p");
}

static void answer_panel(struct scene *scene, struct probe_answer answer)
{
	answer.number = scene->state.panel.number;
	state_probe_answered(&scene->state, &answer);
}

static void test_the_panel_opens_at_once_and_fills_in(void **state)
{
	struct scene scene;

	(void)state;
	open_panel(&scene, 80, 24);
	scene_close(&scene, "panel_opened_80x24");
	for (size_t i = 0; i < SIZE_COUNT; i++) {
		open_panel(&scene, sizes[i].width, sizes[i].height);
		answer_panel(&scene, known_answer());
		close_at(&scene, "panel", i);
	}
	open_panel(&scene, 80, 24);
	answer_panel(&scene, known_answer());
	scene_press_key(&scene, UI_KEY_UP);
	scene_press(&scene, "lat > 5xs");
	scene_compare("panel_filter_roles_80x24", scene_roles(&scene));
	scene_close(&scene, "panel_filter_80x24");
}

static void test_the_panel_says_what_is_in_the_way(void **state)
{
	struct probe_answer answer = known_answer();
	struct scene scene;

	(void)state;
	open_panel(&scene, 40, 12);	/* what is scrolled half away is there by half */
	answer.other_processes = 0;
	answer.verdict = VERDICT_ASKS;
	snprintf(answer.reason, sizeof(answer.reason), "if an exception leaves it while the return "
		 "probe is on, the program ends");
	answer_panel(&scene, answer);
	scene_close(&scene, "panel_caution_40x12");
	open_panel(&scene, 80, 24);
	answer_panel(&scene, answer);
	answer_panel(&scene, known_answer());	/* of calls only */
	scene_close(&scene, "panel_caution_80x24");
	answer = known_answer();

	open_panel(&scene, 80, 24);
	answer.must_type = true;
	answer.verdict = VERDICT_COSTLY;
	snprintf(answer.reason, sizeof(answer.reason), "its first instruction is stepped");
	answer_panel(&scene, answer);
	scene_press_key(&scene, UI_KEY_ENTER);
	scene_close(&scene, "panel_confirm_80x24");

	open_panel(&scene, 80, 24);
	answer = (struct probe_answer){ .kind = PROBE_EXAMINE, .is_done = true,
					.verdict = VERDICT_REFUSED };
	snprintf(answer.reason, sizeof(answer.reason), "it is on the kernel's blacklist");
	answer_panel(&scene, answer);
	scene_close(&scene, "panel_refused_80x24");

	open_panel(&scene, 80, 24);
	answer_panel(&scene, known_answer());
	for (int i = 0; i < 2; i++)
		scene_press_key(&scene, UI_KEY_TAB);
	scene_press(&scene, " ");
	scene_close(&scene, "panel_dry_run_80x24");
}

static void test_the_panel_says_when_it_counted_all_processes(void **state)
{
	struct probe_answer answer = known_answer();
	struct scene scene;

	(void)state;
	open_panel(&scene, 120, 40);
	answer_panel(&scene, answer);
	frame_draw(&scene.state, &scene.canvas);
	assert_true(scene_has(&scene, "counted 12.4k calls/s \u2192 about"));
	answer.is_rate_of_all = true;
	answer_panel(&scene, answer);
	frame_draw(&scene.state, &scene.canvas);
	assert_true(scene_has(&scene, "counted 12.4k calls/s of all processes \u2192 about"));
	scene_finish(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_list_at_every_size),
		cmocka_unit_test(test_a_hit_of_the_log),
		cmocka_unit_test(test_the_log_of_all_probes_at_every_size),
		cmocka_unit_test(test_each_page_of_a_probe_at_every_size),
		cmocka_unit_test(test_an_unsigned_value_has_its_whole_range_on_the_screen),
		cmocka_unit_test(test_states_are_told_without_colours_and_without_unicode),
		cmocka_unit_test(test_without_a_probe_the_list_teaches),
		cmocka_unit_test(test_a_recorded_probe_is_shown_with_its_values),
		cmocka_unit_test(test_no_key_changes_a_recorded_probe),
		cmocka_unit_test(test_the_menus_of_a_probe),
		cmocka_unit_test(test_hits_stand_for_samples_and_figures_beside_them),
		cmocka_unit_test(test_the_panel_opens_at_once_and_fills_in),
		cmocka_unit_test(test_the_panel_says_what_is_in_the_way),
		cmocka_unit_test(test_the_panel_says_when_it_counted_all_processes),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
