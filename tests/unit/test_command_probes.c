/* What keys and menus order of the engine; the way to a probe's figures and hits, and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "probe_fixture.h"

static struct scene *list_of(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "8");
	probe_fixture_answer(scene);
	frame_draw(&scene->state, &scene->canvas);
	assert_true(state_is_probes(&scene->state));
	return scene;
}

static struct scene *probe_of(void **state)
{
	struct scene *scene = list_of(state);

	scene_press_key(scene, UI_KEY_ENTER);
	probe_fixture_answer(scene);
	frame_draw(&scene->state, &scene->canvas);
	assert_true(state_is_probe(&scene->state));
	return scene;
}

static const struct request *last_request(const struct scene *scene, enum request_kind kind)
{
	for (size_t i = scene->state.outbox_count; i-- > 0;)
		if (scene->state.outbox[i].kind == kind)
			return &scene->state.outbox[i];
	return NULL;
}

static void check_ordered(struct scene *scene, enum probe_order_kind kind, uint32_t probe)
{
	const struct probe_order *order = probe_fixture_order(scene, kind);

	assert_int_equal(scene->state.order_count, 1);
	assert_int_equal(order->probe, probe);
	assert_int_equal(order->number, scene->state.order_number);
	probe_fixture_send(scene);
}

static void test_keys_order_what_they_say_of_the_probe_under_the_cursor(void **state)
{
	struct scene *scene = list_of(state);

	scene_press(scene, "t");
	check_ordered(scene, PROBE_OFF, 3);
	scene_press(scene, "j+");
	check_ordered(scene, PROBE_EXTEND, 4);
	scene_press(scene, "jt");
	check_ordered(scene, PROBE_ON, 5);
	scene_press(scene, "+");
	assert_int_equal(scene->state.order_count, 0);	/* it has no lease */
	assert_string_equal(scene->state.message,
			    "sched:sched_switch has no lease: it stays until it is removed");
	scene_press(scene, "d");
	check_ordered(scene, PROBE_REMOVE, 5);
}

static void test_numbers_of_orders_rise_and_too_many_are_refused(void **state)
{
	struct scene *scene = list_of(state);

	for (size_t i = 0; i < STATE_ORDERS; i++)
		scene_press(scene, "t");
	assert_int_equal(scene->state.order_count, STATE_ORDERS);
	for (size_t i = 1; i < STATE_ORDERS; i++)
		assert_true(scene->state.orders_out[i].number ==
			    scene->state.orders_out[i - 1].number + 1);
	scene_press(scene, "d");
	assert_int_equal(scene->state.order_count, STATE_ORDERS);
	assert_string_equal(scene->state.message, "the orders before are still under way");
}

/* The rows are older than the orders: paused for long, else until the next snapshot. */
static void test_keys_mean_the_probe_as_it_was_ordered_last(void **state)
{
	struct scene *scene = list_of(state);

	scene_press(scene, "t");
	check_ordered(scene, PROBE_OFF, 3);
	scene_press(scene, "+");
	assert_string_equal(scene->state.message, "hash_search_with_hash_value is off: t switches "
						  "it on with a new lease");
	scene_press(scene, "jjt");
	check_ordered(scene, PROBE_ON, 5);
	scene_press(scene, "kkt");
	check_ordered(scene, PROBE_ON, 3);
	scene_press(scene, "jjt");
	check_ordered(scene, PROBE_OFF, 5);
}

static void test_an_order_is_forgotten_when_a_snapshot_shows_what_came_of_it(void **state)
{
	struct scene *scene = list_of(state);
	struct snapshot_probe probe = probe_fixture(0).list[0];

	scene->snapshot.probes = (struct snapshot_probes){ .count = 1, .list = &probe };
	scene_press(scene, "t");
	check_ordered(scene, PROBE_OFF, 3);
	scene->snapshot.newest_ns = 0;	/* made before */
	scene_show(scene);
	assert_non_null(state_probe_ordered(&scene->state, &probe));
	probe.state = PROBE_DETACHING;
	scene_show(scene);
	assert_null(state_probe_ordered(&scene->state, &probe));
	probe.state = PROBE_FAILED;
	scene_show(scene);
	scene_press(scene, "t");
	check_ordered(scene, PROBE_ON, 3);
	scene->snapshot.newest_ns = UINT64_MAX;	/* long after: it failed again between two */
	scene_show(scene);
	scene_press(scene, "t");
	check_ordered(scene, PROBE_ON, 3);
}

static void test_a_probe_is_removed_once(void **state)
{
	struct scene *scene = list_of(state);

	scene_press(scene, "d");
	check_ordered(scene, PROBE_REMOVE, 3);
	for (const char *key = "dt+."; *key; key++) {
		scene_press(scene, (char[]){ *key, '\0' });
		assert_string_equal(scene->state.message,
				    "hash_search_with_hash_value is being removed");
	}
	assert_int_equal(scene->state.order_count, 0);
}

static void test_all_are_removed_only_after_asking(void **state)
{
	struct scene *scene = list_of(state);

	scene_press(scene, "D");
	assert_true(scene->state.menu.is_open);
	scene_press_key(scene, UI_KEY_ENTER);	/* the first line keeps them */
	assert_int_equal(scene->state.order_count, 0);
	scene_press(scene, "D");
	scene_choose(scene, "remove 6 probes");
	probe_fixture_order(scene, PROBE_REMOVE_ALL);
}

static void test_a_capped_one_offers_bursts_and_higher_caps(void **state)
{
	struct scene *scene = list_of(state);

	scene_press(scene, "jjj");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(scene->state.menu.is_open);
	scene_press_key(scene, UI_KEY_ENTER);
	check_ordered(scene, PROBE_BURSTS, 7);
	scene_press(scene, ".");
	scene_choose(scene, "a cap of 25 %");
	assert_true(probe_fixture_order(scene, PROBE_LIFT)->choice.cap_pct == 25);
	check_ordered(scene, PROBE_LIFT, 7);
}

static void test_a_menu_of_a_probe_that_is_gone_does_nothing(void **state)
{
	struct scene *scene = list_of(state);

	scene_press(scene, ".");
	scene->snapshot = scene_snapshot(VIEW_PROBES);
	scene_show(scene);
	scene_choose(scene, "remove");
	assert_int_equal(scene->state.order_count, 0);
	assert_string_equal(scene->state.message, "the probe was removed");
}

static void test_a_refused_one_can_only_be_opened_and_removed(void **state)
{
	static const char why[] =
		"do_idle: refused: called with interrupts off, on the kernel's blacklist";
	struct scene *scene = list_of(state);

	scene_press(scene, "jjjjt");
	assert_string_equal(scene->state.message, why);
	scene_press(scene, "t+");
	assert_string_equal(scene->state.message, why);
	assert_int_equal(scene->state.order_count, 0);
	scene_press(scene, ".");
	assert_int_equal(scene->state.menu.count, 2);
	scene_choose(scene, "latency, values");
	probe_fixture_answer(scene);
	frame_draw(&scene->state, &scene->canvas);
	scene_press(scene, ".");
	assert_int_equal(scene->state.menu.count, 1);
	scene_choose(scene, "remove");
	check_ordered(scene, PROBE_REMOVE, 8);
}

static void test_a_lease_of_what_is_off_begins_with_it(void **state)
{
	struct scene *scene = list_of(state);

	scene_press(scene, "jjj+");
	assert_int_equal(scene->state.order_count, 0);
	assert_string_equal(scene->state.message,
			    "malloc is capped: t switches it on with a new lease");
}

static void test_without_a_probe_its_keys_say_so(void **state)
{
	static const char nothing[] = "there is no probe \u00b7 Ctrl-P finds a target";
	static const int keys[] = { UI_KEY_ENTER, 'l', 't', 'd', '+', '.' };
	struct scene *scene = list_of(state);

	scene->snapshot.probes = (struct snapshot_probes){ 0 };
	scene_show(scene);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		scene_press_key(scene, keys[i]);
		assert_string_equal(scene->state.message, nothing);
	}
	assert_int_equal(scene->state.order_count, 0);
	scene->probes.refusal = "no probes: run as root";
	scene_press(scene, "t");
	assert_string_equal(scene->state.message, "no probes: run as root");
}

static void test_the_cursor_stays_with_its_probe(void **state)
{
	struct scene *scene = list_of(state);
	struct snapshot_probe fewer[PROBE_FIXTURE_COUNT];
	const struct snapshot_probes all = probe_fixture(0);

	scene_press(scene, "jj");
	for (int i = 0; i < 3; i++)
		fewer[i] = all.list[i + 1];
	scene->snapshot.probes.list = fewer;
	scene->snapshot.probes.count = 3;
	scene_show(scene);
	assert_int_equal(state_probe(&scene->state)->id, 5);
	assert_int_equal(scene->state.probes.place.cursor, 1);
}

static void test_enter_asks_for_all_about_the_probe(void **state)
{
	struct scene *scene = list_of(state);

	scene_press(scene, "j");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(last_request(scene, REQUEST_QUERY)->query.probe, 4);
	assert_true(state_is_probes(&scene->state));	/* until the answer is there */
	probe_fixture_answer(scene);
	assert_true(state_is_probe(&scene->state));
	assert_true(scene_has(scene, "probe vfs_read"));
	scene_press_key(scene, UI_KEY_BACKSPACE);
	assert_int_equal(last_request(scene, REQUEST_QUERY)->query.probe, 0);
	probe_fixture_answer(scene);
	assert_true(state_is_probes(&scene->state));
	assert_int_equal(state_probe(&scene->state)->id, 4);
}

static void test_a_view_by_number_shows_its_hits_as_samples(void **state)
{
	struct scene *scene = probe_of(state);

	scene_press(scene, "6");
	assert_int_equal(last_request(scene, REQUEST_EVENT)->value, 128);
	assert_int_equal(last_request(scene, REQUEST_QUERY)->query.tree, TREE_CALLERS);
	assert_int_equal(last_request(scene, REQUEST_QUERY)->query.probe, 0);
	assert_true(last_request(scene, REQUEST_EVENT) < last_request(scene, REQUEST_QUERY));
	probe_fixture_answer(scene);
	assert_true(state_is_tree(&scene->state));
	assert_true(scene_has(scene, "hits of "));

	scene_press(scene, "1");	/* another view of the same hits */
	probe_fixture_answer(scene);
	assert_true(scene_has(scene, "hits of "));
	scene_press_key(scene, UI_KEY_BACKSPACE);
	probe_fixture_answer(scene);
	assert_true(state_is_probe(&scene->state));
	assert_int_equal(last_request(scene, REQUEST_EVENT)->value, 0);
}

static void test_calls_in_the_list_are_those_of_the_probe_under_the_cursor(void **state)
{
	struct scene *scene = list_of(state);
	const struct snapshot_probe *probe = state_probe(&scene->state);

	assert_non_null(probe);
	scene_press(scene, "7");
	assert_int_equal(last_request(scene, REQUEST_EVENT)->value, probe->event);
	probe_fixture_answer(scene);
	assert_true(scene_has(scene, "hits of "));
}

static void test_8_leads_from_hits_to_the_list_and_samples_are_shown_again(void **state)
{
	struct scene *scene = probe_of(state);

	scene_press(scene, "7");
	probe_fixture_answer(scene);
	scene_press(scene, "8");
	assert_int_equal(last_request(scene, REQUEST_EVENT)->value, 0);
	probe_fixture_answer(scene);
	assert_true(state_is_probes(&scene->state));
	scene_press(scene, "1");
	probe_fixture_answer(scene);
	assert_false(scene_has(scene, "hits of"));
	assert_int_equal(scene->state.trail.count, 1);
}

static void test_tab_goes_to_and_fro_between_figures_and_hits(void **state)
{
	struct scene *scene = probe_of(state);
	const size_t levels = scene->state.trail.count;

	scene_press_key(scene, UI_KEY_TAB);		/* Symbols */
	assert_true(state_probe_hits(&scene->state));
	probe_fixture_answer(scene);
	scene_press_key(scene, UI_KEY_BACKTAB);		/* Probes: back to the figures */
	assert_false(state_probe_hits(&scene->state));
	assert_int_equal(scene->state.trail.count, levels);
}

static void test_pages_follow_one_another(void **state)
{
	struct scene *scene = probe_of(state);

	assert_int_equal(scene->state.probe.pane, PANE_LATENCY);
	scene_press_key(scene, UI_KEY_LEFT);
	assert_int_equal(scene->state.probe.pane, PANE_LOG);
	scene_press(scene, "l");
	assert_int_equal(scene->state.probe.pane, PANE_LATENCY);
	scene_press(scene, "l");
	assert_int_equal(scene->state.probe.pane, PANE_VALUES);
	frame_draw(&scene->state, &scene->canvas);
	scene_click(scene, MOUSE_PRESS, scene_find(scene, "Slowest").x,
		    scene_find(scene, "Slowest").y);
	assert_int_equal(scene->state.probe.pane, PANE_SLOWEST);
}

/* A second has begun, as always; at first no call was in any, then one was before the window. */
static void test_without_a_call_in_the_window_there_are_no_percentiles(void **state)
{
	static uint32_t second[1][LATENCY_OCTAVES];
	struct scene *scene = probe_of(state);
	const struct snapshot_probes all = probe_fixture(3);
	struct snapshot_probe probe = all.list[0];

	probe.latency = (struct snapshot_latency){ 0 };
	scene->snapshot.probes.list = &probe;
	scene->snapshot.probes.count = 1;
	scene->snapshot.probes.heat = (struct snapshot_heat){ .seconds = 1, .counts = second };
	scene_show(scene);
	assert_true(scene_has(scene, "No call has returned in the window."));
	assert_false(scene_has(scene, "a column a second"));
	second[0][10] = 1;
	scene_show(scene);
	assert_true(scene_has(scene, "No call has returned in the window."));
	assert_true(scene_has(scene, "a column a second"));
	assert_false(scene_has(scene, "p50"));
}

static void test_the_slowest_shows_the_stack_of_the_chosen_one(void **state)
{
	struct scene *scene = probe_of(state);

	scene_press(scene, "ll");
	assert_true(scene_has(scene, "BufTableLookup"));
	scene_press(scene, "j");
	assert_false(scene_has(scene, "BufTableLookup"));
	assert_true(scene_has(scene, "get_hash_entry"));
	scene_press(scene, "jj");
	assert_true(scene_has(scene, "WITHOUT A STACK"));
}

/* A slower call comes, and takes the first line; then so many that the old ones leave. */
static void test_the_stack_that_is_read_stays(void **state)
{
	struct scene *scene = probe_of(state);
	const struct snapshot_hit *old = scene->snapshot.probes.slowest;
	struct snapshot_hit hits[4];

	memcpy(&hits[1], old, 3 * sizeof(*old));
	hits[0] = old[0];
	hits[0].number = 99;
	hits[0].stack = "slower_still";
	scene_press(scene, "ll");
	assert_true(scene_has(scene, "BufTableLookup"));
	scene->snapshot.probes.slowest = hits;
	scene->snapshot.probes.slowest_count = 4;
	scene_show(scene);
	assert_true(scene_has(scene, "BufTableLookup"));
	assert_int_equal(scene->state.probe.slow_cursor, 1);
	scene_press(scene, "k");
	assert_true(scene_has(scene, "slower_still"));
	scene_press(scene, "j");
	scene->snapshot.probes.slowest_count = 1;
	scene_show(scene);
	assert_true(scene_has(scene, "slower_still"));
}

static void test_the_wheel_moves_the_cursor_of_the_slowest(void **state)
{
	struct scene *scene = probe_of(state);

	scene_press(scene, "ll");
	frame_draw(&scene->state, &scene->canvas);
	scene_click(scene, MOUSE_WHEEL_DOWN, 5, 10);
	assert_true(scene_has(scene, "WITHOUT A STACK"));
	scene_click(scene, MOUSE_WHEEL_UP, 5, 10);
	assert_true(scene_has(scene, "BufTableLookup"));
}

static void test_a_stack_that_is_cut_says_how_much_is_missing(void **state)
{
	struct scene *scene = probe_of(state);
	struct snapshot_hit hit = scene->snapshot.probes.slowest[0];
	char stack[600] = "";

	for (int i = 1; i <= 40; i++)
		snprintf(stack + strlen(stack), sizeof(stack) - strlen(stack), "%sframe_%02d",
			 i > 1 ? "\n" : "", i);
	hit.stack = stack;
	scene->snapshot.probes.slowest = &hit;
	scene->snapshot.probes.slowest_count = 1;
	scene_show(scene);
	scene_press(scene, "ll");
	assert_true(scene_has(scene, "frame_19"));
	assert_true(scene_has(scene, "\u2026 21 more callers"));
	assert_false(scene_has(scene, "frame_20"));
}

static void test_the_log_is_filtered_and_searched(void **state)
{
	struct scene *scene = probe_of(state);

	scene_press(scene, "\\pg_index");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(scene->state.probe.pane, PANE_LOG);
	assert_int_equal(scene->state.probe.log.count, 8);
	assert_false(scene_has(scene, "pg_class"));
	scene_press(scene, "\\");
	scene_press_key(scene, UI_KEY_CTRL('U'));
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(scene->state.probe.log.count, 40);
	scene_press(scene, "/20:34.150");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(probe_log_cursor(&scene->state.probe.log)->number, 103);
	assert_true(scene_has(scene, "00:20:34.150"));
	scene_press(scene, "/nowhere");
	assert_string_equal(scene->state.prompt.note, "not here");
}

static void test_at_its_begin_the_log_says_what_was_dropped(void **state)
{
	struct scene *scene = probe_of(state);

	scene->snapshot.probes.log_dropped = 1234567;
	scene_show(scene);
	scene_press(scene, "h");
	assert_true(scene_has(scene, "00:20:35.950"));	/* the newest */
	assert_false(scene_has(scene, "dropped"));
	scene_press_key(scene, UI_KEY_HOME);
	assert_true(scene_has(scene, "1.23M older hits were dropped"));
	assert_true(scene_has(scene, "00:20:34.000"));
	scene_press_key(scene, UI_KEY_PAGE_DOWN);
	scene_press_key(scene, UI_KEY_PAGE_DOWN);
	assert_false(scene_has(scene, "dropped"));
}

static void test_the_filter_of_the_log_is_shown_whole_or_with_a_mark(void **state)
{
	static const char words[] = "name=pg_class and \u00e9\u00e9\u00e9\u00e9 ret=0";
	struct scene *scene = probe_of(state);

	scene_press(scene, "\\");
	snprintf(scene->state.prompt.text, PROMPT_BYTES, "%s", words);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(scene_has(scene, words));
}

static void test_the_list_is_searched(void **state)
{
	struct scene *scene = list_of(state);

	scene_press(scene, "/libc");
	assert_int_equal(state_probe(&scene->state)->id, 7);
	scene_press_key(scene, UI_KEY_ENTER);
	scene_press(scene, "n");
	assert_int_equal(state_probe(&scene->state)->id, 9);
	scene_press(scene, "n");
	assert_int_equal(state_probe(&scene->state)->id, 7);
	scene_press(scene, "N");
	assert_int_equal(state_probe(&scene->state)->id, 9);
}

static void test_the_mouse_selects_opens_and_asks(void **state)
{
	struct scene *scene = list_of(state);
	struct mouse at = scene_find(scene, "vfs_read");

	scene_click(scene, MOUSE_PRESS, at.x, at.y);
	assert_int_equal(state_probe(&scene->state)->id, 4);
	scene_click(scene, MOUSE_MENU, at.x, at.y);
	assert_true(scene->state.menu.is_open);
	scene_press_key(scene, UI_KEY_ESCAPE);
	scene_click(scene, MOUSE_DOUBLE, at.x, at.y);
	assert_int_equal(state_probe_here(&scene->state), 4);
}

static void test_answers_are_told(void **state)
{
	struct scene *scene = *state;
	struct probe_answer answer = { .kind = PROBE_ADD, .done = 3, .all = 16 };

	scene->state.adding = answer.number = 5;
	state_probe_answered(&scene->state, &answer);
	assert_string_equal(scene->state.message, "attached to 3 of 16\u2026");
	scene_press(scene, "8");
	probe_fixture_answer(scene);
	scene_press(scene, "Gd");
	assert_int_equal(probe_fixture_order(scene, PROBE_CANCEL)->number, 5);
	answer = (struct probe_answer){ .number = 5, .kind = PROBE_ADD, .is_done = true };
	diag_set(&answer.why, -EACCES, "uprobes need root");
	state_probe_answered(&scene->state, &answer);
	assert_string_equal(scene->state.message, "uprobes need root");
	assert_int_equal(scene->state.adding, 0);
	scene_press(scene, ":");
	scene_choose(scene, "probe-cancel");
	assert_string_equal(scene->state.message, "nothing is being attached");
}

/* The answer to order @number about the function @done of @all. */
static struct probe_answer answer_of(uint64_t number, uint32_t done, uint32_t all,
				     const char *reason)
{
	struct probe_answer answer = { .number = number, .kind = PROBE_ADD, .done = done,
				       .all = all, .is_done = done == all };

	snprintf(answer.reason, sizeof(answer.reason), "%s", reason);
	return answer;
}

static void test_what_became_of_each_function_of_a_wildcard_is_counted(void **state)
{
	struct scene *scene = *state;
	struct probe_answer answer;

	for (uint32_t i = 1; i <= 60; i++) {	/* those that are refused settle first */
		answer = answer_of(9, i, 65, "on the blacklist");
		state_probe_answered(&scene->state, &answer);
	}
	assert_string_equal(scene->state.message, "attached to 0 of 65, 60 refused\u2026");
	answer = answer_of(9, 61, 65, "");
	diag_set(&answer.why, -EINVAL, "no");
	state_probe_answered(&scene->state, &answer);
	for (uint32_t i = 62; i <= 65; i++) {
		answer = answer_of(9, i, 65, "");
		state_probe_answered(&scene->state, &answer);
	}
	assert_string_equal(scene->state.message,
			    "4 attached, 60 refused, 1 failed \u00b7 8 shows why");
}

static void test_of_two_wildcards_under_way_each_has_its_own_count(void **state)
{
	struct scene *scene = *state;
	struct probe_answer answer = answer_of(3, 1, 2, "on the blacklist");

	scene->state.adding = 4;
	state_probe_answered(&scene->state, &answer);
	answer = answer_of(4, 1, 2, "");
	diag_set(&answer.why, -ECANCELED, "switched off before");
	state_probe_answered(&scene->state, &answer);
	answer = answer_of(3, 2, 2, "");
	state_probe_answered(&scene->state, &answer);
	assert_string_equal(scene->state.message, "1 attached, 1 refused \u00b7 8 shows why");
	assert_int_equal(scene->state.adding, 4);	/* it is still to be cancelled */
	answer = answer_of(4, 2, 2, "");
	state_probe_answered(&scene->state, &answer);
	assert_string_equal(scene->state.message, "1 attached, 1 cancelled \u00b7 8 shows them");
	assert_int_equal(scene->state.adding, 0);
}

static void test_a_single_one_is_told_with_its_reason(void **state)
{
	struct scene *scene = *state;
	struct probe_answer answer = answer_of(1, 1, 1, "tracefs is not mounted");

	state_probe_answered(&scene->state, &answer);	/* its place alone would be fine */
	assert_string_equal(scene->state.message, "not attached: tracefs is not mounted");
	answer = answer_of(2, 1, 1, "");
	state_probe_answered(&scene->state, &answer);
	assert_string_equal(scene->state.message, "attached \u00b7 8 shows it");
}

static void test_a_probe_that_is_switched_off_by_its_cost_is_told_anywhere(void **state)
{
	struct scene *scene = *state;
	struct snapshot before = scene->snapshot;
	struct snapshot_probe on = { .id = 7, .name = "malloc", .state = PROBE_ATTACHED };

	before.probes = (struct snapshot_probes){ .count = 1, .list = &on };
	state_offer_snapshot(&scene->state, &before);
	assert_string_equal(scene->state.message, "");
	scene->snapshot.probes = probe_fixture(0);
	scene_show(scene);
	assert_non_null(strstr(scene->state.message,
			       "malloc: off: 90000 hits/s of 1.1 us are over its cap, 5 %"));
}

static void test_without_an_engine_nothing_is_ordered(void **state)
{
	struct scene *scene = *state;

	frame_draw(&scene->state, &scene->canvas);
	assert_true(scene_has(scene, "p probe"));
	scene->probes.refusal = "no probes: run as root";
	frame_draw(&scene->state, &scene->canvas);
	assert_false(scene_has(scene, "p probe"));
	scene_press(scene, "p");
	assert_false(scene->state.panel.is_open);
	assert_string_equal(scene->state.message, "no probes: run as root");
	scene->state.probe_control = NULL;
	scene_press(scene, "p");
	assert_string_equal(scene->state.message,
			    "a recording can't be probed: start flametop without -i");
	assert_int_equal(scene->state.order_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_keys_order_what_they_say_of_the_probe_under_the_cursor),
		SCENE_TEST(test_numbers_of_orders_rise_and_too_many_are_refused),
		SCENE_TEST(test_keys_mean_the_probe_as_it_was_ordered_last),
		SCENE_TEST(test_an_order_is_forgotten_when_a_snapshot_shows_what_came_of_it),
		SCENE_TEST(test_a_probe_is_removed_once),
		SCENE_TEST(test_all_are_removed_only_after_asking),
		SCENE_TEST(test_a_capped_one_offers_bursts_and_higher_caps),
		SCENE_TEST(test_a_menu_of_a_probe_that_is_gone_does_nothing),
		SCENE_TEST(test_a_refused_one_can_only_be_opened_and_removed),
		SCENE_TEST(test_a_lease_of_what_is_off_begins_with_it),
		SCENE_TEST(test_without_a_probe_its_keys_say_so),
		SCENE_TEST(test_the_cursor_stays_with_its_probe),
		SCENE_TEST(test_enter_asks_for_all_about_the_probe),
		SCENE_TEST(test_a_view_by_number_shows_its_hits_as_samples),
		SCENE_TEST(test_calls_in_the_list_are_those_of_the_probe_under_the_cursor),
		SCENE_TEST(test_8_leads_from_hits_to_the_list_and_samples_are_shown_again),
		SCENE_TEST(test_tab_goes_to_and_fro_between_figures_and_hits),
		SCENE_TEST(test_pages_follow_one_another),
		SCENE_TEST(test_without_a_call_in_the_window_there_are_no_percentiles),
		SCENE_TEST(test_the_slowest_shows_the_stack_of_the_chosen_one),
		SCENE_TEST(test_the_stack_that_is_read_stays),
		SCENE_TEST(test_the_wheel_moves_the_cursor_of_the_slowest),
		SCENE_TEST(test_a_stack_that_is_cut_says_how_much_is_missing),
		SCENE_TEST(test_the_log_is_filtered_and_searched),
		SCENE_TEST(test_at_its_begin_the_log_says_what_was_dropped),
		SCENE_TEST(test_the_filter_of_the_log_is_shown_whole_or_with_a_mark),
		SCENE_TEST(test_the_list_is_searched),
		SCENE_TEST(test_the_mouse_selects_opens_and_asks),
		SCENE_TEST(test_answers_are_told),
		SCENE_TEST(test_what_became_of_each_function_of_a_wildcard_is_counted),
		SCENE_TEST(test_of_two_wildcards_under_way_each_has_its_own_count),
		SCENE_TEST(test_a_single_one_is_told_with_its_reason),
		SCENE_TEST(test_a_probe_that_is_switched_off_by_its_cost_is_told_anywhere),
		SCENE_TEST(test_without_an_engine_nothing_is_ordered),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
