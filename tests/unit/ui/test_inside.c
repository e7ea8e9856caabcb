/* Samples inside the calls of a latency: the way there and back, what they are called. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ui_fixture.h"
#include "unit_tests.h"

#define SERVE 3		/* id of the latency */
#define CALLS 4		/* id of a probe of calls alone */
#define MS    1000000ull

static struct snapshot_probe probes[] = {
	{ .id = SERVE, .event = 1920, .name = "lat:server:serve", .dso = "server",
	  .spec = "lat:server:serve", .scope = "pid 4121", .kind = PROBE_USER,
	  .edge = PROBE_LATENCY, .state = PROBE_ATTACHED, .reason = "", .meaning = "",
	  .hits = 6000, .hits_per_s = 600, .lease_s = -1, .has_latency = true,
	  .latency = { .count = 6000, .octaves = { [17] = 6000 } } },
	{ .id = CALLS, .event = 1921, .name = "u:server:accept", .dso = "server",
	  .spec = "u:server:accept", .scope = "pid 4121", .kind = PROBE_USER,
	  .state = PROBE_ATTACHED, .reason = "", .meaning = "", .hits = 1, .hits_per_s = 0.1,
	  .lease_s = -1 },
};

static struct snapshot_hit slowest[] = {
	{ .probe = SERVE, .number = 71, .pid = 4121, .tid = 4121, .comm = "server",
	  .latency_ns = 48 * (int64_t)MS, .values = "", .stack = "serve\nmain\n" },
	{ .probe = SERVE, .number = 12, .pid = 4121, .tid = 4121, .comm = "server",
	  .latency_ns = 41 * (int64_t)MS, .values = "", .stack = "serve\nmain\n" },
};

/* Makes the snapshot one that replies to the query that waits. */
static void prepare(struct ui *ui)
{
	const struct breadcrumbs *breadcrumbs = &ui->state.query.breadcrumbs;
	const struct breadcrumbs_level *here = &breadcrumbs->levels[breadcrumbs->count - 1];
	const bool is_page = here->kind == VIEW_PROBES && here->probe;

	ui_prepare(ui);
	ui->snapshot.probes = (struct snapshot_probes){
		.count = 2, .list = probes, .detail = is_page ? here->probe : 0,
		.slowest_count = is_page ? 2 : 0, .slowest = slowest,
	};
	ui->snapshot.inside = here->inside ? SERVE : 0;
	ui->snapshot.inside_from_ns = here->inside == INSIDE_SLOWEST ? 41 * MS : 0;
}

static void reply(struct ui *ui)
{
	prepare(ui);
	ui_show(ui);
	frame_draw(&ui->state, &ui->canvas);
}

static const struct query *last_query(const struct ui *ui)
{
	const struct query *found = NULL;

	for (size_t i = 0; i < ui->state.out.count; i++)
		if (ui->state.out.requests[i].kind == REQUEST_QUERY)
			found = &ui->state.out.requests[i].query;
	assert_non_null(found);
	return found;
}

static void open_list(struct ui *ui, int line)
{
	ui_press(ui, "8");
	reply(ui);
	ui_press_key(ui, UI_KEY_HOME);
	while (line-- > 0)
		ui_press(ui, "j");
}

static void go_inside(struct ui *ui, const char *words)
{
	ui_press(ui, ".");
	ui_choose(ui, words);
	reply(ui);
}

static void check_asked(const struct ui *ui, enum view_kind kind, enum inside_calls calls)
{
	assert_int_equal(state_kind(&ui->state), kind);
	assert_int_equal(last_query(ui)->inside, calls);
	assert_int_equal(last_query(ui)->inside_probe, calls == INSIDE_NONE ? 0 : SERVE);
}

static void test_the_menu_of_a_latency_leads_inside_its_calls(void **state)
{
	struct ui *ui = *state;

	open_list(ui, 0);
	go_inside(ui, "inside the slowest 1 %");
	check_asked(ui, VIEW_SYMBOLS, INSIDE_SLOWEST);
	assert_int_equal(ui->state.query.asked_event, 0);
	assert_true(ui_has(ui, "inside serve, slow"));
	ui_press_key(ui, UI_KEY_ESCAPE);
	check_asked(ui, VIEW_PROBES, INSIDE_NONE);
	reply(ui);
	go_inside(ui, "inside its calls");
	check_asked(ui, VIEW_SYMBOLS, INSIDE_ALL);
	assert_true(ui_has(ui, "all \u203a inside serve"));
	assert_false(ui_has(ui, "slowest"));
}

static void test_other_probes_have_no_inside(void **state)
{
	struct ui *ui = *state;

	open_list(ui, 1);
	ui_press(ui, ".");
	assert_false(ui_has(ui, "inside"));
	ui_press_key(ui, UI_KEY_ESCAPE);
	ui_press(ui, ":inside-slowest");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(ui_has(ui, "accept measures no latency"));
}

static void test_every_view_keeps_it(void **state)
{
	static const struct { const char *key; enum view_kind kind; } views[] = {
		{ "2", VIEW_DSOS }, { "6", VIEW_TREE }, { "7", VIEW_FLAME }, { "9", VIEW_GROUPS },
		{ "b", VIEW_BUTTERFLY },
	};
	struct ui *ui = *state;

	open_list(ui, 0);
	go_inside(ui, "inside its calls");
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		ui_press(ui, "1");
		reply(ui);
		ui_press(ui, views[i].key);
		check_asked(ui, views[i].kind, INSIDE_ALL);
		reply(ui);
	}
	ui_press(ui, "1");
	reply(ui);
	ui_press_key(ui, UI_KEY_ENTER);		/* with a filter, too */
	assert_int_equal(last_query(ui)->inside, INSIDE_ALL);
	reply(ui);
	ui_press(ui, "H");
	assert_int_equal(last_query(ui)->inside, INSIDE_ALL);
}

static void test_the_view_shown_last_is_shown_again(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "7");
	reply(ui);
	open_list(ui, 0);
	go_inside(ui, "inside its calls");
	check_asked(ui, VIEW_FLAME, INSIDE_ALL);
}

/* From the list that covers such samples other calls take their place. */
static void test_from_the_list_beneath_other_calls_are_chosen(void **state)
{
	struct ui *ui = *state;
	size_t levels;

	open_list(ui, 0);
	go_inside(ui, "inside its calls");
	levels = ui->state.query.breadcrumbs.count;
	open_list(ui, 0);
	go_inside(ui, "inside the slowest 1 %");
	check_asked(ui, VIEW_SYMBOLS, INSIDE_SLOWEST);
	assert_int_equal(ui->state.query.breadcrumbs.count, levels);
}

static void test_one_of_the_slowest_calls_offers_it_first(void **state)
{
	struct ui *ui = *state;

	open_list(ui, 0);
	ui_press_key(ui, UI_KEY_ENTER);
	reply(ui);
	ui_press_key(ui, UI_KEY_RIGHT);
	ui_press_key(ui, UI_KEY_RIGHT);
	assert_true(ui_has(ui, "[Slowest]"));
	ui_press(ui, ".");
	ui_press_key(ui, UI_KEY_ENTER);
	check_asked(ui, VIEW_SYMBOLS, INSIDE_SLOWEST);
	reply(ui);
	ui_press_key(ui, UI_KEY_BACKSPACE);
	reply(ui);
	assert_true(ui_has(ui, "[Slowest]"));
	ui_press(ui, ":inside-calls");
	ui_press_key(ui, UI_KEY_ENTER);
	check_asked(ui, VIEW_SYMBOLS, INSIDE_ALL);
}

static void test_samples_of_an_event_are_needed(void **state)
{
	struct ui *ui = *state;

	open_list(ui, 0);
	ui->snapshot.event_count = 0;
	go_inside(ui, "inside its calls");
	assert_int_equal(state_kind(&ui->state), VIEW_PROBES);
	assert_true(ui_has(ui, "only probes are sampled: 1, then e and cpu-clock"));
}

static void test_the_filters_list_it(void **state)
{
	struct ui *ui = *state;

	open_list(ui, 0);
	go_inside(ui, "inside its calls");
	ui_press(ui, "F");
	ui_choose(ui, "inside calls");
	assert_int_equal(last_query(ui)->inside, INSIDE_NONE);
	reply(ui);
	assert_false(ui_has(ui, "inside"));
}

static void test_a_click_on_all_leaves_it(void **state)
{
	struct ui *ui = *state;
	struct mouse at;

	open_list(ui, 0);
	go_inside(ui, "inside its calls");
	at = ui_find(ui, "all \u203a inside");
	ui_click(ui, MOUSE_PRESS, at.x, at.y);
	assert_int_equal(last_query(ui)->inside, INSIDE_NONE);
}

static void test_it_can_be_asked_for_at_the_start(void **state)
{
	struct ui *ui = *state;

	state_begin_inside(&ui->state, INSIDE_SLOWEST);
	reply(ui);
	assert_true(ui_has(ui, "inside serve, slow"));
	ui_press(ui, "6");
	check_asked(ui, VIEW_TREE, INSIDE_SLOWEST);
	reply(ui);
	ui_press(ui, ":command");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(ui_has(ui, "--inside slowest"));
	ui_press_key(ui, UI_KEY_ESCAPE);
	ui_press_key(ui, UI_KEY_ESCAPE);	/* to the table, then out */
	ui_press_key(ui, UI_KEY_ESCAPE);
	assert_int_equal(last_query(ui)->inside, INSIDE_NONE);
}

static void test_a_probe_that_is_removed_leaves_all_samples(void **state)
{
	struct ui *ui = *state;

	open_list(ui, 0);
	go_inside(ui, "inside its calls");
	probes[0].id = 99;
	reply(ui);
	probes[0].id = SERVE;
	assert_int_equal(last_query(ui)->inside, INSIDE_NONE);
	assert_true(ui_has(ui, "the probe was removed"));
}

static void open_empty(struct ui *ui, uint64_t calls)
{
	ui_open(ui, 100, 24);
	reply(ui);
	open_list(ui, 0);
	probes[0].latency.count = calls;
	ui_press(ui, ".");
	ui_choose(ui, "inside its calls");
	prepare(ui);
	ui->snapshot.row_count = 0;
	ui->snapshot.samples = ui->snapshot.idle_samples = 0;
	ui_show(ui);
}

static void test_without_calls_that_is_said(void **state)
{
	struct ui ui;

	(void)state;
	open_empty(&ui, 0);
	assert_true(ui_has(&ui, "No call of serve ended in the last 10 s."));
	ui_close(&ui, "inside_empty_100x24");
	open_empty(&ui, 12);
	assert_true(ui_has(&ui, "No sample of cpu-clock is inside the 12 calls of serve that ended "
			       "in the last 10 s."));
	ui_finish(&ui);
	probes[0].latency.count = 6000;
}

static void test_the_screens(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 130, 24);
	reply(&ui);
	open_list(&ui, 0);
	ui_press(&ui, ".");
	ui_compare("inside_menu_130x24", ui_text(&ui));
	ui_choose(&ui, "inside the slowest 1 %");
	reply(&ui);
	ui_close(&ui, "inside_130x24");
	ui_open(&ui, 80, 24);
	reply(&ui);
	open_list(&ui, 0);
	go_inside(&ui, "inside the slowest 1 %");
	ui_close(&ui, "inside_80x24");
}

UNIT_TESTS(test_inside)
{
	const struct CMUnitTest tests[] = {
		UI_TEST(test_the_menu_of_a_latency_leads_inside_its_calls),
		UI_TEST(test_other_probes_have_no_inside),
		UI_TEST(test_every_view_keeps_it),
		UI_TEST(test_the_view_shown_last_is_shown_again),
		UI_TEST(test_from_the_list_beneath_other_calls_are_chosen),
		UI_TEST(test_one_of_the_slowest_calls_offers_it_first),
		UI_TEST(test_samples_of_an_event_are_needed),
		UI_TEST(test_the_filters_list_it),
		UI_TEST(test_a_click_on_all_leaves_it),
		UI_TEST(test_it_can_be_asked_for_at_the_start),
		UI_TEST(test_a_probe_that_is_removed_leaves_all_samples),
		cmocka_unit_test(test_without_calls_that_is_said),
		cmocka_unit_test(test_the_screens),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
