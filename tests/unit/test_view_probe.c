/* The figures of one probe: which page they open on, and the way out when the probe is gone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "probe_fixture.h"
#include "ui/widgets/probe_columns.h"

#define RETURNS_LINE 3	/* of the list: malloc, which measures no latency */

static struct snapshot_probe list[PROBE_FIXTURE_COUNT];

static void answer(struct scene *scene, const struct snapshot_probe *returns)
{
	struct snapshot_probes probes;

	scene_prepare(scene);
	probes = probe_fixture(state_kind(&scene->state) == VIEW_PROBES
			       ? state_probe_here(&scene->state) : 0);
	memcpy(list, probes.list, sizeof(list));
	list[RETURNS_LINE].state = returns->state;
	list[RETURNS_LINE].value_count = returns->value_count;
	list[RETURNS_LINE].values = returns->values;
	probes.list = list;
	scene->snapshot.probes = probes;
	scene_show(scene);
	frame_draw(&scene->state, &scene->canvas);
}

static void open_line(struct scene *scene, int line, const struct snapshot_probe *returns)
{
	scene_press(scene, "8");
	answer(scene, returns);
	scene_press_key(scene, UI_KEY_HOME);
	while (line-- > 0)
		scene_press(scene, "j");
	scene_press_key(scene, UI_KEY_ENTER);
	answer(scene, returns);
	assert_true(state_is_probe(&scene->state));
}

static enum probe_pane pane(const struct scene *scene)
{
	return scene->state.probe.pane;
}

static const struct snapshot_value ret = { .name = "ret", .type = "u64", .origin = "ABI",
					   .count = 3, .min = 7, .max = 7, .mean = 7 };
static const struct snapshot_probe with_values = { .state = PROBE_ATTACHED, .value_count = 1,
						   .values = &ret };
static const struct snapshot_probe without_values = { .state = PROBE_ATTACHED };
static const struct snapshot_probe attaching = { .state = PROBE_ATTACHING };

static void test_without_latency_it_opens_on_values(void **state)
{
	struct scene *scene = *state;

	open_line(scene, RETURNS_LINE, &with_values);
	assert_int_equal(pane(scene), PANE_VALUES);
	assert_true(scene_has(scene, "[Values]"));
}

static void test_with_neither_latency_nor_values_it_opens_on_the_log(void **state)
{
	struct scene *scene = *state;

	open_line(scene, RETURNS_LINE, &without_values);
	assert_int_equal(pane(scene), PANE_LOG);
}

/* What it brings is not known yet; then it is. */
static void test_what_is_being_attached_waits_on_values(void **state)
{
	struct scene *scene = *state;

	open_line(scene, RETURNS_LINE, &attaching);
	assert_int_equal(pane(scene), PANE_VALUES);
	answer(scene, &without_values);
	assert_int_equal(pane(scene), PANE_LOG);
}

static void test_the_page_that_was_chosen_comes_back_with_a_probe_that_has_it(void **state)
{
	struct scene *scene = *state;

	open_line(scene, 0, &with_values);
	assert_int_equal(pane(scene), PANE_LATENCY);
	scene_press_key(scene, UI_KEY_RIGHT);
	scene_press_key(scene, UI_KEY_RIGHT);
	assert_int_equal(pane(scene), PANE_SLOWEST);
	open_line(scene, RETURNS_LINE, &with_values);
	assert_int_equal(pane(scene), PANE_VALUES);
	open_line(scene, 0, &with_values);
	assert_int_equal(pane(scene), PANE_SLOWEST);
}

static void test_a_page_that_was_chosen_stays_though_it_is_empty(void **state)
{
	struct scene *scene = *state;

	open_line(scene, RETURNS_LINE, &with_values);
	scene_press_key(scene, UI_KEY_LEFT);
	assert_int_equal(pane(scene), PANE_LATENCY);
	answer(scene, &with_values);
	assert_int_equal(pane(scene), PANE_LATENCY);
	assert_true(scene_has(scene, "It counts calls or returns alone"));
}

static void answer_without_probes(struct scene *scene)
{
	scene_prepare(scene);
	scene_show(scene);
	frame_draw(&scene->state, &scene->canvas);
}

/* Samples in the place of its hits would be no hits. */
static void test_a_probe_that_is_gone_is_left_from_its_figures_and_its_hits(void **state)
{
	static const char *const ways[] = { "", "1", "6" };
	struct scene *scene = *state;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		open_line(scene, 0, &with_values);
		scene_press(scene, ways[i]);
		answer(scene, &with_values);
		answer_without_probes(scene);
		assert_int_equal(state_probe_here(&scene->state), 0);
		assert_string_equal(scene->state.message,
				    "the probe was removed, and its hits with it");
		assert_int_equal(scene->state.asked_event, 0);
		answer_without_probes(scene);
		assert_true(state_is_probes(&scene->state));
		assert_true(scene_has(scene, "No probe yet"));
		assert_false(scene_has(scene, "hits of"));
	}
}

static void test_removing_all_leaves_the_probe_at_once(void **state)
{
	struct scene *scene = *state;

	open_line(scene, 0, &with_values);
	scene_press(scene, "D");
	scene_choose(scene, "remove 6 probes");
	assert_int_equal(state_probe_here(&scene->state), 0);
	assert_string_equal(scene->state.message, "removing all probes\u2026");
}

/* Below a filter of its hits there are two levels of it. */
static void test_removing_one_leaves_all_levels_of_it(void **state)
{
	const struct filter_part part = { .field = FILTER_PID, .number = 77 };
	struct scene *scene = *state;

	open_line(scene, 0, &with_values);
	state_go(&scene->state, VIEW_SYMBOLS, &part);
	answer(scene, &with_values);
	state_go(&scene->state, VIEW_PROBES, NULL);
	answer(scene, &with_values);
	assert_true(state_is_probe(&scene->state));
	scene_press(scene, "d");
	probe_fixture_order(scene, PROBE_REMOVE);
	assert_int_equal(state_probe_here(&scene->state), 0);
}

static const struct request *last_query(const struct scene *scene)
{
	const struct request *found = NULL;

	for (size_t i = 0; i < scene->state.outbox_count; i++)
		if (scene->state.outbox[i].kind == REQUEST_QUERY)
			found = &scene->state.outbox[i];
	assert_non_null(found);
	return found;
}

/* The page is asked for by the hit's number, and leads back to its line, while hits come. */
static void test_enter_on_a_line_of_the_log_shows_the_hit(void **state)
{
	struct scene *scene = *state;

	open_line(scene, 0, &with_values);
	probe_fixture_answer(scene);
	scene_press(scene, "h");
	scene_press(scene, "kkk");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(last_query(scene)->query.probe, 3);
	assert_int_equal(last_query(scene)->query.hit_probe, 3);
	assert_int_equal(last_query(scene)->query.hit, 136);
	assert_true(scene_has(scene, "Reading the hit"));
	probe_fixture_answer(scene);
	assert_true(scene_has(scene, "name=pg_class with blanks"));
	assert_true(scene_has(scene, "BufTableLookup (postgres)"));
	scene->snapshot.probes.hit.number = 0;		/* it leaves the log: the page stays */
	scene_show(scene);
	assert_true(scene_has(scene, "BufTableLookup (postgres)"));
	scene_press_key(scene, UI_KEY_BACKSPACE);
	assert_true(state_is_probe(&scene->state));
	assert_int_equal(probe_log_cursor(&scene->state.probe.log)->number, 136);
	scene_press_key(scene, UI_KEY_END);		/* of the newest, too: it is held */
	probe_fixture_answer(scene);
	assert_false(scene->state.probe.log.is_away);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(scene->state.probe.log.is_away);
	probe_fixture_answer(scene);
	scene_press_key(scene, UI_KEY_BACKSPACE);
	scene_press(scene, "h");			/* of the slowest, too */
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(last_query(scene)->query.hit, 77);
	scene->snapshot.probes.hit.number = 0;
	scene->snapshot.query = scene->state.query;
	scene_show(scene);
	assert_true(scene_has(scene, "left the log before it was read"));
	assert_true(scene_has(scene, "hashvalue=8 name=pg_class ret=0"));	/* its line */
}

static void open_all_hits(struct scene *scene)
{
	scene_press(scene, "8");
	probe_fixture_answer(scene);
	scene_press(scene, "L");
	assert_int_equal(last_query(scene)->query.probe, PROBE_ALL);
	probe_fixture_answer(scene);
	assert_true(scene_has(scene, "hits of 6 probes in time order"));
}

/* Its keys mean the probe whose hit is at the cursor. */
static void test_the_log_of_all_probes_leads_to_its_hits_and_their_probes(void **state)
{
	struct scene *scene = *state;

	open_all_hits(scene);
	scene_press(scene, "kkk");			/* number 136, of malloc */
	assert_string_equal(probe_plain_name(state_probe(&scene->state)), "malloc");
	scene_press(scene, "t");
	assert_int_equal(probe_fixture_order(scene, PROBE_ON)->probe, 7);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(last_query(scene)->query.hit_probe, 7);
	assert_int_equal(last_query(scene)->query.hit, 136);
	assert_int_equal(last_query(scene)->query.probe, PROBE_ALL);
	probe_fixture_answer(scene);
	scene_press_key(scene, UI_KEY_BACKSPACE);
	assert_int_equal(probe_log_cursor(&scene->state.probe.log)->number, 136);
	scene_press(scene, "6");
	assert_int_equal(state_probe_here(&scene->state), 7);
	assert_true(state_probe_hits(&scene->state));
	scene_press_key(scene, UI_KEY_BACKSPACE);
	scene_press_key(scene, UI_KEY_BACKSPACE);
	probe_fixture_answer(scene);
	assert_int_equal(state_probe_here(&scene->state), PROBE_ALL);
	scene_press(scene, "h");
	probe_fixture_answer(scene);
	assert_true(state_is_probes(&scene->state));
}

static void test_a_probe_opens_on_its_own_page_behind_the_log_of_all(void **state)
{
	struct scene *scene = *state;

	open_all_hits(scene);
	scene_press(scene, "h");
	probe_fixture_answer(scene);
	scene_press_key(scene, UI_KEY_HOME);
	scene_press_key(scene, UI_KEY_ENTER);
	scene_press_key(scene, UI_KEY_LEFT);	/* before there is an answer */
	probe_fixture_answer(scene);
	assert_int_equal(state_probe_here(&scene->state), 3);
	assert_int_equal(pane(scene), PANE_LOG);
}

/* Views of samples are of all samples, and removing one probe leaves the hits of the others. */
static void test_the_log_of_all_probes_is_left_for_samples_and_when_all_are_gone(void **state)
{
	struct scene *scene = *state;

	open_all_hits(scene);
	scene_press(scene, "d");
	probe_fixture_order(scene, PROBE_REMOVE);
	assert_int_equal(state_probe_here(&scene->state), PROBE_ALL);
	scene_press(scene, "1");
	assert_int_equal(state_probe_here(&scene->state), 0);
	assert_int_equal(state_kind(&scene->state), VIEW_SYMBOLS);
	probe_fixture_answer(scene);
	open_all_hits(scene);
	answer_without_probes(scene);
	assert_int_equal(state_probe_here(&scene->state), 0);
}

static void test_the_log_of_all_probes_is_searched_and_filtered_by_names_of_probes(void **state)
{
	struct scene *scene = *state;

	open_all_hits(scene);
	scene_press(scene, "/malloc");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(probe_log_cursor(&scene->state.probe.log)->probe, 7);
	scene_press(scene, "\\malloc");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(scene->state.probe.log.count, 10);
	frame_draw(&scene->state, &scene->canvas);
	assert_true(scene_has(scene, "\\ malloc"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_without_latency_it_opens_on_values),
		SCENE_TEST(test_with_neither_latency_nor_values_it_opens_on_the_log),
		SCENE_TEST(test_what_is_being_attached_waits_on_values),
		SCENE_TEST(test_the_page_that_was_chosen_comes_back_with_a_probe_that_has_it),
		SCENE_TEST(test_a_page_that_was_chosen_stays_though_it_is_empty),
		SCENE_TEST(test_a_probe_that_is_gone_is_left_from_its_figures_and_its_hits),
		SCENE_TEST(test_removing_all_leaves_the_probe_at_once),
		SCENE_TEST(test_removing_one_leaves_all_levels_of_it),
		SCENE_TEST(test_enter_on_a_line_of_the_log_shows_the_hit),
		SCENE_TEST(test_the_log_of_all_probes_leads_to_its_hits_and_their_probes),
		SCENE_TEST(test_a_probe_opens_on_its_own_page_behind_the_log_of_all),
		SCENE_TEST(test_the_log_of_all_probes_is_left_for_samples_and_when_all_are_gone),
		SCENE_TEST(test_the_log_of_all_probes_is_searched_and_filtered_by_names_of_probes),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
