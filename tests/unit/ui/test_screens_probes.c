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
#include "unit_tests.h"

static const struct {
	int width, height;
} sizes[] = { { 40, 12 }, { 80, 24 }, { 120, 40 }, { 200, 60 } };
#define SIZE_COUNT (sizeof(sizes) / sizeof(sizes[0]))

static void open_list(struct ui *ui, int width, int height)
{
	ui_open(ui, width, height);
	ui_show(ui);
	frame_draw(&ui->state, &ui->canvas);
	ui_press(ui, "8");
	probe_fixture_reply(ui);
	frame_draw(&ui->state, &ui->canvas);
}

static void open_probe(struct ui *ui, int width, int height)
{
	open_list(ui, width, height);
	ui_press_key(ui, UI_KEY_ENTER);
	probe_fixture_reply(ui);
	frame_draw(&ui->state, &ui->canvas);
}

static void close_at(struct ui *ui, const char *name, size_t size)
{
	char file[64];

	snprintf(file, sizeof(file), "%s_%dx%d", name, sizes[size].width, sizes[size].height);
	ui_close(ui, file);
}

static void test_the_list_at_every_size(void **state)
{
	struct ui ui;

	(void)state;
	for (size_t i = 0; i < SIZE_COUNT; i++) {
		open_list(&ui, sizes[i].width, sizes[i].height);
		close_at(&ui, "probes", i);
	}
}

static void test_a_hit_of_the_log(void **state)
{
	struct ui ui;

	(void)state;
	open_probe(&ui, 80, 24);
	ui_press(&ui, "hkk");
	ui_press_key(&ui, UI_KEY_ENTER);
	probe_fixture_reply(&ui);
	ui_close(&ui, "probe_hit_80x24");
}

static void test_the_log_of_all_probes_at_every_size(void **state)
{
	struct ui ui;

	(void)state;
	for (size_t i = 0; i < SIZE_COUNT; i++) {
		open_list(&ui, sizes[i].width, sizes[i].height);
		ui_press(&ui, "L");
		probe_fixture_reply(&ui);
		ui_press(&ui, "k");	/* the message about the key leaves */
		close_at(&ui, "probes_log", i);
	}
}

static void test_each_page_of_a_probe_at_every_size(void **state)
{
	struct ui ui;
	char name[32];

	(void)state;
	for (int pane = 0; pane < PANE_COUNT; pane++) {
		for (size_t i = 0; i < SIZE_COUNT && pane != PANE_GROUPS; i++) {
			open_probe(&ui, sizes[i].width, sizes[i].height);
			while ((int)probe_view_of(&ui.state)->pane != pane)
				ui_press_key(&ui, UI_KEY_RIGHT);
			snprintf(name, sizeof(name), "probe_%s", probe_pane_names[pane]);
			close_at(&ui, name, i);
		}
	}
}

static void test_an_unsigned_value_has_its_whole_range_on_the_screen(void **state)
{
	struct snapshot_probe probe;
	struct snapshot_value value;
	struct ui ui;

	(void)state;
	open_probe(&ui, 200, 60);
	ui_press_key(&ui, UI_KEY_RIGHT);
	probe = ui.snapshot.probes.list[0];
	value = probe.values[0];
	value.min = UINT64_MAX - 1;
	value.max = UINT64_MAX;
	probe.value_count = 1;
	probe.values = &value;
	ui.snapshot.probes.count = 1;
	ui.snapshot.probes.list = &probe;
	ui_show(&ui);
	ui_find(&ui, "min 18446744073709551614");
	ui_find(&ui, "max 18446744073709551615");
	ui_finish(&ui);
}

static void test_states_are_shown_without_colours_and_without_unicode(void **state)
{
	struct ui ui;

	(void)state;
	open_list(&ui, 80, 24);
	ui_press(&ui, "jjj");
	ui_compare("probes_roles_80x24", ui_roles(&ui));
	ui_close(&ui, "probes_capped_80x24");
	open_list(&ui, 80, 24);
	ui.canvas.is_ascii = true;
	ui_close(&ui, "probes_ascii_80x24");
	open_probe(&ui, 80, 24);
	ui_compare("probe_latency_roles_80x24", ui_roles(&ui));
	ui.canvas.is_ascii = true;
	ui_close(&ui, "probe_latency_ascii_80x24");
}

static void test_without_a_probe_the_list_teaches(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 80, 24);
	ui_show(&ui);
	ui_press(&ui, "8");
	ui_reply(&ui);
	ui_close(&ui, "probes_none_80x24");

	ui_open(&ui, 80, 24);
	ui.state.probe_control = NULL;
	ui_show(&ui);
	ui_press(&ui, "8");
	ui_reply(&ui);
	ui_close(&ui, "probes_recording_80x24");

	ui_open(&ui, 80, 24);
	ui.probes.refusal = "probes need CAP_PERFMON and tracefs: run as root";
	ui_show(&ui);
	ui_press(&ui, "8");
	ui_reply(&ui);
	ui_close(&ui, "probes_refused_80x24");
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
	.dso = "[kernel]", .scope = "as recorded", .kind = PROBE_TRACEPOINT,
	.state = PROBE_RECORDED, .reason = "", .hits = 4, .hits_per_s = 2, .lease_s = -1,
	.value_count = 3, .values = served_values,
};

/* A recording with one tracepoint, and the reply to what the screen asks for. */
static void reply_recorded(struct ui *ui)
{
	ui_prepare(ui);
	ui->snapshot.probes = (struct snapshot_probes){
		.count = 1, .list = &served, .detail = state_probe_here(&ui->state),
	};
	ui_show(ui);
	frame_draw(&ui->state, &ui->canvas);
}

static void open_recorded(struct ui *ui)
{
	ui_open(ui, 80, 24);
	ui->state.probe_control = NULL;
	ui_show(ui);
	ui_press(ui, "8");
	reply_recorded(ui);
}

static void test_a_recorded_probe_is_shown_with_its_values(void **state)
{
	struct ui ui;

	(void)state;
	open_recorded(&ui);
	ui_compare("probes_recorded_80x24", ui_text(&ui));
	ui_press(&ui, ".");
	assert_int_equal(ui.state.menu.count, 3);	/* numbers, tree, flame graph */
	ui_choose(&ui, "latency, values");
	reply_recorded(&ui);
	ui_close(&ui, "probe_recorded_80x24");
}

static void test_no_key_changes_a_recorded_probe(void **state)
{
	static const char *const keys[] = { "t", "d", "+" };
	struct ui ui;

	(void)state;
	open_recorded(&ui);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		ui.state.message[0] = '\0';
		ui_press(&ui, keys[i]);
		assert_string_equal(ui.state.message,
				    "web:served was recorded: it can be looked at, not changed");
	}
	ui_press(&ui, "D");
	assert_false(ui.state.menu.is_open);
	assert_int_equal(ui.state.out.probe_count, 0);
	ui_finish(&ui);
}

static void test_the_menus_of_a_probe(void **state)
{
	struct ui ui;

	(void)state;
	open_list(&ui, 80, 24);
	ui_press(&ui, ".");
	ui_close(&ui, "probe_menu_80x24");
	open_list(&ui, 80, 24);
	ui_press(&ui, "jjj");
	ui_press_key(&ui, UI_KEY_ENTER);
	ui_close(&ui, "probe_capped_menu_80x24");
	open_list(&ui, 80, 24);
	ui_press(&ui, "D");
	ui_close(&ui, "probes_remove_all_80x24");
}

static void test_hits_stand_for_samples_and_stats_beside_them(void **state)
{
	struct ui ui;

	(void)state;
	open_probe(&ui, 100, 24);
	ui_press(&ui, "1");
	probe_fixture_reply(&ui);
	ui_close(&ui, "probe_hits_100x24");
	ui_open(&ui, 80, 24);
	ui.snapshot.probes = probe_fixture(0);
	ui_show(&ui);
	ui_close(&ui, "probe_column_80x24");
}

/* The panel. */

static struct probe_reply known_reply(void)
{
	struct probe_reply reply = {
		.kind = PROBE_EXAMINE, .is_done = true, .point = "postgres at 0x4b2c10",
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

	return reply;
}

static void open_panel(struct ui *ui, int width, int height)
{
	ui_open(ui, width, height);
	ui_show(ui);
	frame_draw(&ui->state, &ui->canvas);
	ui_press(ui, "p");
}

static void reply_panel(struct ui *ui, struct probe_reply reply)
{
	reply.number = probe_panel_of(&ui->state)->number;
	input_probe_replied(&ui->state, &reply);
}

static void test_the_panel_opens_at_once_and_fills_in(void **state)
{
	struct ui ui;

	(void)state;
	open_panel(&ui, 80, 24);
	ui_close(&ui, "panel_opened_80x24");
	for (size_t i = 0; i < SIZE_COUNT; i++) {
		open_panel(&ui, sizes[i].width, sizes[i].height);
		reply_panel(&ui, known_reply());
		close_at(&ui, "panel", i);
	}
	open_panel(&ui, 80, 24);
	reply_panel(&ui, known_reply());
	ui_press_key(&ui, UI_KEY_UP);
	ui_press(&ui, "lat > 5xs");
	ui_compare("panel_filter_roles_80x24", ui_roles(&ui));
	ui_close(&ui, "panel_filter_80x24");
}

static void test_the_panel_says_what_is_in_the_way(void **state)
{
	struct probe_reply reply = known_reply();
	struct ui ui;

	(void)state;
	open_panel(&ui, 40, 12);	/* a box scrolled half away is shown by half */
	reply.other_processes = 0;
	reply.verdict = VERDICT_ASKS;
	snprintf(reply.reason, sizeof(reply.reason), "if an exception leaves it while the return "
		 "probe is on, the program ends");
	reply_panel(&ui, reply);
	ui_close(&ui, "panel_caution_40x12");
	open_panel(&ui, 80, 24);
	reply_panel(&ui, reply);
	reply_panel(&ui, known_reply());	/* calls only */
	ui_close(&ui, "panel_caution_80x24");
	reply = known_reply();

	open_panel(&ui, 80, 24);
	reply.must_type = true;
	reply.verdict = VERDICT_COSTLY;
	snprintf(reply.reason, sizeof(reply.reason), "its first instruction is stepped");
	reply_panel(&ui, reply);
	ui_press_key(&ui, UI_KEY_ENTER);
	ui_close(&ui, "panel_confirm_80x24");

	open_panel(&ui, 80, 24);
	reply = (struct probe_reply){ .kind = PROBE_EXAMINE, .is_done = true,
					.verdict = VERDICT_REFUSED };
	snprintf(reply.reason, sizeof(reply.reason), "it is on the kernel's blacklist");
	reply_panel(&ui, reply);
	ui_close(&ui, "panel_refused_80x24");

	open_panel(&ui, 80, 24);
	reply_panel(&ui, known_reply());
	for (int i = 0; i < 2; i++)
		ui_press_key(&ui, UI_KEY_TAB);
	ui_press(&ui, " ");
	ui_close(&ui, "panel_dry_run_80x24");
}

static void test_the_panel_says_when_it_counted_all_processes(void **state)
{
	struct probe_reply reply = known_reply();
	struct ui ui;

	(void)state;
	open_panel(&ui, 120, 40);
	reply_panel(&ui, reply);
	frame_draw(&ui.state, &ui.canvas);
	assert_true(ui_has(&ui, "counted 12.4k calls/s \u2192 about"));
	reply.is_rate_of_all = true;
	reply_panel(&ui, reply);
	frame_draw(&ui.state, &ui.canvas);
	assert_true(ui_has(&ui, "counted 12.4k calls/s of all processes \u2192 about"));
	ui_finish(&ui);
}

UNIT_TESTS(test_screens_probes)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_list_at_every_size),
		cmocka_unit_test(test_a_hit_of_the_log),
		cmocka_unit_test(test_the_log_of_all_probes_at_every_size),
		cmocka_unit_test(test_each_page_of_a_probe_at_every_size),
		cmocka_unit_test(test_an_unsigned_value_has_its_whole_range_on_the_screen),
		cmocka_unit_test(test_states_are_shown_without_colours_and_without_unicode),
		cmocka_unit_test(test_without_a_probe_the_list_teaches),
		cmocka_unit_test(test_a_recorded_probe_is_shown_with_its_values),
		cmocka_unit_test(test_no_key_changes_a_recorded_probe),
		cmocka_unit_test(test_the_menus_of_a_probe),
		cmocka_unit_test(test_hits_stand_for_samples_and_stats_beside_them),
		cmocka_unit_test(test_the_panel_opens_at_once_and_fills_in),
		cmocka_unit_test(test_the_panel_says_what_is_in_the_way),
		cmocka_unit_test(test_the_panel_says_when_it_counted_all_processes),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
