/* The numbers of one probe: which page they open on, and the way out when the probe is gone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "probe_fixture.h"
#include "ui/widgets/probe_columns.h"
#include "unit_tests.h"

#define RETURNS_LINE 3	/* the list's line of malloc, which measures no latency */

static struct snapshot_probe list[PROBE_FIXTURE_COUNT];

static void reply(struct ui *ui, const struct snapshot_probe *returns)
{
	struct snapshot_probes probes;

	ui_prepare(ui);
	probes = probe_fixture(state_kind(&ui->state) == VIEW_PROBES
			       ? state_probe_here(&ui->state) : 0);
	memcpy(list, probes.list, sizeof(list));
	list[RETURNS_LINE].state = returns->state;
	list[RETURNS_LINE].value_count = returns->value_count;
	list[RETURNS_LINE].values = returns->values;
	probes.list = list;
	ui->snapshot.probes = probes;
	ui_show(ui);
	frame_draw(&ui->state, &ui->canvas);
}

static void open_line(struct ui *ui, int line, const struct snapshot_probe *returns)
{
	ui_press(ui, "8");
	reply(ui, returns);
	ui_press_key(ui, UI_KEY_HOME);
	while (line-- > 0)
		ui_press(ui, "j");
	ui_press_key(ui, UI_KEY_ENTER);
	reply(ui, returns);
	assert_true(ui_is_probe(ui));
}

static enum probe_pane pane(const struct ui *ui)
{
	return probe_view_of(&ui->state)->pane;
}

static const struct snapshot_value ret = { .name = "ret", .type = "u64", .origin = "ABI",
					   .count = 3, .min = 7, .max = 7, .mean = 7 };
static const struct snapshot_probe with_values = { .state = PROBE_ATTACHED, .value_count = 1,
						   .values = &ret };
static const struct snapshot_probe without_values = { .state = PROBE_ATTACHED };
static const struct snapshot_probe attaching = { .state = PROBE_ATTACHING };

static void test_without_latency_it_opens_on_values(void **state)
{
	struct ui *ui = *state;

	open_line(ui, RETURNS_LINE, &with_values);
	assert_int_equal(pane(ui), PANE_VALUES);
	assert_true(ui_has(ui, "[Values]"));
}

static void test_the_time_of_a_stage_is_shown_as_a_time(void **state)
{
	static const struct snapshot_value stage = {
		.name = "lat2", .type = "ns", .origin = "stage", .kind = VALUE_UNSIGNED,
		.is_ns = true, .count = 3, .numbers = 3, .min = 1070000, .max = 2500000,
		.mean = 1500000, .octaves = { [20] = 2, [21] = 1 }, .top_count = 1,
		.top = { { .text = "1070000", .is_number = true, .number = 1070000, .count = 1 } },
		.other = 2,
	};
	static const struct snapshot_probe probe = { .state = PROBE_ATTACHED, .value_count = 1,
						     .values = &stage };
	struct ui *ui = *state;

	open_line(ui, RETURNS_LINE, &probe);
	assert_true(ui_has(ui, "lat2  ns  time of a stage  3 hits  min 1.07ms  mean 1.50ms  max "
			       "2.50ms"));
	assert_true(ui_has(ui, "1.05ms..2.10ms"));
	assert_true(ui_has(ui, "33.33% 1.07ms"));
	assert_false(ui_has(ui, "1070000"));
}

static void test_with_neither_latency_nor_values_it_opens_on_the_log(void **state)
{
	struct ui *ui = *state;

	open_line(ui, RETURNS_LINE, &without_values);
	assert_int_equal(pane(ui), PANE_LOG);
}

/* What it brings is not known yet; then it is. */
static void test_what_is_being_attached_waits_on_values(void **state)
{
	struct ui *ui = *state;

	open_line(ui, RETURNS_LINE, &attaching);
	assert_int_equal(pane(ui), PANE_VALUES);
	reply(ui, &without_values);
	assert_int_equal(pane(ui), PANE_LOG);
}

static void test_the_page_that_was_chosen_comes_back_with_a_probe_that_has_it(void **state)
{
	struct ui *ui = *state;

	open_line(ui, 0, &with_values);
	assert_int_equal(pane(ui), PANE_LATENCY);
	ui_press_key(ui, UI_KEY_RIGHT);
	ui_press_key(ui, UI_KEY_RIGHT);
	assert_int_equal(pane(ui), PANE_SLOWEST);
	open_line(ui, RETURNS_LINE, &with_values);
	assert_int_equal(pane(ui), PANE_VALUES);
	open_line(ui, 0, &with_values);
	assert_int_equal(pane(ui), PANE_SLOWEST);
}

static void test_a_page_that_was_chosen_stays_though_it_is_empty(void **state)
{
	struct ui *ui = *state;

	open_line(ui, RETURNS_LINE, &with_values);
	ui_press_key(ui, UI_KEY_LEFT);
	assert_int_equal(pane(ui), PANE_LATENCY);
	reply(ui, &with_values);
	assert_int_equal(pane(ui), PANE_LATENCY);
	assert_true(ui_has(ui, "It counts calls or returns alone"));
}

static void reply_without_probes(struct ui *ui)
{
	ui_prepare(ui);
	ui_show(ui);
	frame_draw(&ui->state, &ui->canvas);
}

/* Samples in the place of its hits would be no hits. */
static void test_a_probe_that_is_gone_is_left_from_its_stats_and_its_hits(void **state)
{
	static const char *const ways[] = { "", "1", "6" };
	struct ui *ui = *state;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		open_line(ui, 0, &with_values);
		ui_press(ui, ways[i]);
		reply(ui, &with_values);
		reply_without_probes(ui);
		assert_int_equal(state_probe_here(&ui->state), 0);
		assert_string_equal(ui->state.message,
				    "the probe was removed, and its hits with it");
		assert_int_equal(ui->state.query.asked_event, 0);
		reply_without_probes(ui);
		assert_true(ui_is(ui, VIEW_PROBES));
		assert_true(ui_has(ui, "No probe yet"));
		assert_false(ui_has(ui, "hits of"));
	}
}

static void test_removing_all_leaves_the_probe_at_once(void **state)
{
	struct ui *ui = *state;

	open_line(ui, 0, &with_values);
	ui_press(ui, "D");
	ui_choose(ui, "remove 6 probes");
	assert_int_equal(state_probe_here(&ui->state), 0);
	assert_string_equal(ui->state.message, "removing all probes\u2026");
}

/* Below a filter of its hits there are two levels of it. */
static void test_removing_one_leaves_all_levels_of_it(void **state)
{
	const struct filter_part part = { .field = FILTER_PID, .number = 77 };
	struct ui *ui = *state;

	open_line(ui, 0, &with_values);
	state_go(&ui->state, VIEW_SYMBOLS, &part);
	reply(ui, &with_values);
	state_go(&ui->state, VIEW_PROBES, NULL);
	reply(ui, &with_values);
	assert_true(ui_is_probe(ui));
	ui_press(ui, "d");
	probe_fixture_request(ui, PROBE_REMOVE);
	assert_int_equal(state_probe_here(&ui->state), 0);
}

static const struct request *last_query(const struct ui *ui)
{
	const struct request *found = NULL;

	for (size_t i = 0; i < ui->state.out.count; i++)
		if (ui->state.out.requests[i].kind == REQUEST_QUERY)
			found = &ui->state.out.requests[i];
	assert_non_null(found);
	return found;
}

/* The page is asked for by the hit's number, and leads back to its line, while hits come. */
static void test_enter_on_a_line_of_the_log_shows_the_hit(void **state)
{
	struct ui *ui = *state;

	open_line(ui, 0, &with_values);
	probe_fixture_reply(ui);
	ui_press(ui, "h");
	ui_press(ui, "kkk");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_int_equal(last_query(ui)->query.probe, 3);
	assert_int_equal(last_query(ui)->query.hit_probe, 3);
	assert_int_equal(last_query(ui)->query.hit, 136);
	assert_true(ui_has(ui, "Reading the hit"));
	probe_fixture_reply(ui);
	assert_true(ui_has(ui, "name=pg_class with blanks"));
	assert_true(ui_has(ui, "BufTableLookup (postgres)"));
	ui->snapshot.probes.hit.number = 0;		/* it leaves the log: the page stays */
	ui_show(ui);
	assert_true(ui_has(ui, "BufTableLookup (postgres)"));
	ui_press_key(ui, UI_KEY_BACKSPACE);
	assert_true(ui_is_probe(ui));
	assert_int_equal(probe_log_cursor(&probe_view_of(&ui->state)->log)->number, 136);
	ui_press_key(ui, UI_KEY_END);			/* the newest, too: the page keeps it */
	probe_fixture_reply(ui);
	assert_false(probe_view_of(&ui->state)->log.is_away);
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(probe_view_of(&ui->state)->log.is_away);
	probe_fixture_reply(ui);
	ui_press_key(ui, UI_KEY_BACKSPACE);
	ui_press(ui, "h");			/* the slowest, too */
	ui_press_key(ui, UI_KEY_ENTER);
	assert_int_equal(last_query(ui)->query.hit, 77);
	ui->snapshot.probes.hit.number = 0;
	ui->snapshot.query = ui->state.query.number;
	ui_show(ui);
	assert_true(ui_has(ui, "left the log before it was read"));
	assert_true(ui_has(ui, "hashvalue=8 name=pg_class ret=0"));	/* its line */
}

static void open_all_hits(struct ui *ui)
{
	ui_press(ui, "8");
	probe_fixture_reply(ui);
	ui_press(ui, "L");
	assert_int_equal(last_query(ui)->query.probe, PROBE_ALL);
	probe_fixture_reply(ui);
	assert_true(ui_has(ui, "hits of 6 probes in time order"));
}

/* Its keys mean the probe whose hit is at the cursor. */
static void test_the_log_of_all_probes_leads_to_its_hits_and_their_probes(void **state)
{
	struct ui *ui = *state;

	open_all_hits(ui);
	ui_press(ui, "kkk");			/* number 136, of malloc */
	assert_string_equal(probe_plain_name(state_probe(&ui->state)), "malloc");
	ui_press(ui, "t");
	assert_int_equal(probe_fixture_request(ui, PROBE_ON)->probe, 7);
	ui_press_key(ui, UI_KEY_ENTER);
	assert_int_equal(last_query(ui)->query.hit_probe, 7);
	assert_int_equal(last_query(ui)->query.hit, 136);
	assert_int_equal(last_query(ui)->query.probe, PROBE_ALL);
	probe_fixture_reply(ui);
	ui_press_key(ui, UI_KEY_BACKSPACE);
	assert_int_equal(probe_log_cursor(&probe_view_of(&ui->state)->log)->number, 136);
	ui_press(ui, "6");
	assert_int_equal(state_probe_here(&ui->state), 7);
	assert_true(state_probe_hits(&ui->state));
	ui_press_key(ui, UI_KEY_BACKSPACE);
	ui_press_key(ui, UI_KEY_BACKSPACE);
	probe_fixture_reply(ui);
	assert_int_equal(state_probe_here(&ui->state), PROBE_ALL);
	ui_press(ui, "h");
	probe_fixture_reply(ui);
	assert_true(ui_is(ui, VIEW_PROBES));
}

static void test_a_probe_opens_on_its_own_page_after_the_log_of_all(void **state)
{
	struct ui *ui = *state;

	open_all_hits(ui);
	ui_press(ui, "h");
	probe_fixture_reply(ui);
	ui_press_key(ui, UI_KEY_HOME);
	ui_press_key(ui, UI_KEY_ENTER);
	ui_press_key(ui, UI_KEY_LEFT);		/* before there is a reply */
	probe_fixture_reply(ui);
	assert_int_equal(state_probe_here(&ui->state), 3);
	assert_int_equal(pane(ui), PANE_LOG);
}

/* Views of samples are of all samples, and removing one probe leaves the hits of the others. */
static void test_the_log_of_all_probes_is_left_for_samples_and_when_all_are_gone(void **state)
{
	struct ui *ui = *state;

	open_all_hits(ui);
	ui_press(ui, "d");
	probe_fixture_request(ui, PROBE_REMOVE);
	assert_int_equal(state_probe_here(&ui->state), PROBE_ALL);
	ui_press(ui, "1");
	assert_int_equal(state_probe_here(&ui->state), 0);
	assert_int_equal(state_kind(&ui->state), VIEW_SYMBOLS);
	probe_fixture_reply(ui);
	open_all_hits(ui);
	reply_without_probes(ui);
	assert_int_equal(state_probe_here(&ui->state), 0);
}

static void test_the_log_of_all_probes_is_searched_and_filtered_by_names_of_probes(void **state)
{
	struct ui *ui = *state;

	open_all_hits(ui);
	ui_press(ui, "/malloc");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_int_equal(probe_log_cursor(&probe_view_of(&ui->state)->log)->probe, 7);
	ui_press(ui, "\\malloc");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_int_equal(probe_view_of(&ui->state)->log.count, 10);
	frame_draw(&ui->state, &ui->canvas);
	assert_true(ui_has(ui, "\\ malloc"));
}

UNIT_TESTS(test_view_probe)
{
	const struct CMUnitTest tests[] = {
		UI_TEST(test_without_latency_it_opens_on_values),
		UI_TEST(test_the_time_of_a_stage_is_shown_as_a_time),
		UI_TEST(test_with_neither_latency_nor_values_it_opens_on_the_log),
		UI_TEST(test_what_is_being_attached_waits_on_values),
		UI_TEST(test_the_page_that_was_chosen_comes_back_with_a_probe_that_has_it),
		UI_TEST(test_a_page_that_was_chosen_stays_though_it_is_empty),
		UI_TEST(test_a_probe_that_is_gone_is_left_from_its_stats_and_its_hits),
		UI_TEST(test_removing_all_leaves_the_probe_at_once),
		UI_TEST(test_removing_one_leaves_all_levels_of_it),
		UI_TEST(test_enter_on_a_line_of_the_log_shows_the_hit),
		UI_TEST(test_the_log_of_all_probes_leads_to_its_hits_and_their_probes),
		UI_TEST(test_a_probe_opens_on_its_own_page_after_the_log_of_all),
		UI_TEST(test_the_log_of_all_probes_is_left_for_samples_and_when_all_are_gone),
		UI_TEST(test_the_log_of_all_probes_is_searched_and_filtered_by_names_of_probes),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
