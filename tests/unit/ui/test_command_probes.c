/* What keys and menus request of the engine; the way to a probe's numbers and hits, and back. */
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
#include "unit_tests.h"

static struct ui *list_of(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "8");
	probe_fixture_reply(ui);
	frame_draw(&ui->state, &ui->canvas);
	assert_true(ui_is(ui, VIEW_PROBES));
	return ui;
}

static struct ui *probe_of(void **state)
{
	struct ui *ui = list_of(state);

	ui_press_key(ui, UI_KEY_ENTER);
	probe_fixture_reply(ui);
	frame_draw(&ui->state, &ui->canvas);
	assert_true(ui_is_probe(ui));
	return ui;
}

static const struct request *last_request(const struct ui *ui, enum request_kind kind)
{
	for (size_t i = ui->state.out.count; i-- > 0;)
		if (ui->state.out.requests[i].kind == kind)
			return &ui->state.out.requests[i];
	return NULL;
}

static void check_requested(struct ui *ui, enum probe_request_kind kind, uint32_t probe)
{
	const struct probe_request *order = probe_fixture_request(ui, kind);

	assert_int_equal(ui->state.out.probe_count, 1);
	assert_int_equal(order->probe, probe);
	assert_int_equal(order->number, ui->state.out.probe_number);
	probe_fixture_send(ui);
}

static void test_keys_request_what_they_say_of_the_probe_under_the_cursor(void **state)
{
	struct ui *ui = list_of(state);

	ui_press(ui, "t");
	check_requested(ui, PROBE_OFF, 3);
	ui_press(ui, "j+");
	check_requested(ui, PROBE_EXTEND, 4);
	ui_press(ui, "jt");
	check_requested(ui, PROBE_ON, 5);
	ui_press(ui, "+");
	assert_int_equal(ui->state.out.probe_count, 0);	/* it has no lease */
	assert_string_equal(ui->state.message,
			    "sched:sched_switch has no lease: it stays until it is removed");
	ui_press(ui, "d");
	check_requested(ui, PROBE_REMOVE, 5);
}

static void test_numbers_of_requests_rise_and_too_many_are_refused(void **state)
{
	struct ui *ui = list_of(state);

	for (size_t i = 0; i < STATE_REQUESTS; i++)
		ui_press(ui, "t");
	assert_int_equal(ui->state.out.probe_count, STATE_REQUESTS);
	for (size_t i = 1; i < STATE_REQUESTS; i++)
		assert_true(ui->state.out.probe_requests[i].number ==
			    ui->state.out.probe_requests[i - 1].number + 1);
	ui_press(ui, "d");
	assert_int_equal(ui->state.out.probe_count, STATE_REQUESTS);
	assert_string_equal(ui->state.message, "earlier requests are still under way");
}

/* The rows are older than the orders: paused for long, else until the next snapshot. */
static void test_keys_mean_the_probe_as_it_was_ordered_last(void **state)
{
	struct ui *ui = list_of(state);

	ui_press(ui, "t");
	check_requested(ui, PROBE_OFF, 3);
	ui_press(ui, "+");
	assert_string_equal(ui->state.message, "hash_search_with_hash_value is off: t switches "
						  "it on with a new lease");
	ui_press(ui, "jjt");
	check_requested(ui, PROBE_ON, 5);
	ui_press(ui, "kkt");
	check_requested(ui, PROBE_ON, 3);
	ui_press(ui, "jjt");
	check_requested(ui, PROBE_OFF, 5);
}

static void test_an_order_is_forgotten_when_a_snapshot_shows_what_came_of_it(void **state)
{
	struct ui *ui = list_of(state);
	struct snapshot_probe probe = probe_fixture(0).list[0];

	ui->snapshot.probes = (struct snapshot_probes){ .count = 1, .list = &probe };
	ui_press(ui, "t");
	check_requested(ui, PROBE_OFF, 3);
	ui->snapshot.newest_ns = 0;	/* made before */
	ui_show(ui);
	assert_non_null(state_probe_sent(&ui->state, &probe));
	probe.state = PROBE_DETACHING;
	ui_show(ui);
	assert_null(state_probe_sent(&ui->state, &probe));
	probe.state = PROBE_FAILED;
	ui_show(ui);
	ui_press(ui, "t");
	check_requested(ui, PROBE_ON, 3);
	ui->snapshot.newest_ns = UINT64_MAX;	/* long after: it failed again between two */
	ui_show(ui);
	ui_press(ui, "t");
	check_requested(ui, PROBE_ON, 3);
}

static void test_a_probe_is_removed_once(void **state)
{
	struct ui *ui = list_of(state);

	ui_press(ui, "d");
	check_requested(ui, PROBE_REMOVE, 3);
	for (const char *key = "dt+."; *key; key++) {
		ui_press(ui, (char[]){ *key, '\0' });
		assert_string_equal(ui->state.message,
				    "hash_search_with_hash_value is being removed");
	}
	assert_int_equal(ui->state.out.probe_count, 0);
}

static void test_all_are_removed_only_after_asking(void **state)
{
	struct ui *ui = list_of(state);

	ui_press(ui, "D");
	assert_true(ui->state.menu.is_open);
	ui_press_key(ui, UI_KEY_ENTER);		/* the first line keeps them */
	assert_int_equal(ui->state.out.probe_count, 0);
	ui_press(ui, "D");
	ui_choose(ui, "remove 6 probes");
	probe_fixture_request(ui, PROBE_REMOVE_ALL);
}

static void test_a_capped_one_offers_bursts_and_higher_caps(void **state)
{
	struct ui *ui = list_of(state);

	ui_press(ui, "jjj");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(ui->state.menu.is_open);
	ui_press_key(ui, UI_KEY_ENTER);
	check_requested(ui, PROBE_BURSTS, 7);
	ui_press(ui, ".");
	ui_choose(ui, "a cap of 25 %");
	assert_true(probe_fixture_request(ui, PROBE_LIFT)->choice.cap_pct == 25);
	check_requested(ui, PROBE_LIFT, 7);
}

static void test_a_menu_of_a_probe_that_is_gone_does_nothing(void **state)
{
	struct ui *ui = list_of(state);

	ui_press(ui, ".");
	ui->snapshot = ui_snapshot(VIEW_PROBES);
	ui_show(ui);
	ui_choose(ui, "remove");
	assert_int_equal(ui->state.out.probe_count, 0);
	assert_string_equal(ui->state.message, "the probe was removed");
}

static void test_a_refused_one_can_only_be_opened_and_removed(void **state)
{
	static const char why[] =
		"do_idle: refused: called with interrupts off, on the kernel's blacklist";
	struct ui *ui = list_of(state);

	ui_press(ui, "jjjjt");
	assert_string_equal(ui->state.message, why);
	ui_press(ui, "t+");
	assert_string_equal(ui->state.message, why);
	assert_int_equal(ui->state.out.probe_count, 0);
	ui_press(ui, ".");
	assert_int_equal(ui->state.menu.count, 2);
	ui_choose(ui, "latency, values");
	probe_fixture_reply(ui);
	frame_draw(&ui->state, &ui->canvas);
	ui_press(ui, ".");
	assert_int_equal(ui->state.menu.count, 1);
	ui_choose(ui, "remove");
	check_requested(ui, PROBE_REMOVE, 8);
}

static void test_a_lease_of_what_is_off_begins_with_it(void **state)
{
	struct ui *ui = list_of(state);

	ui_press(ui, "jjj+");
	assert_int_equal(ui->state.out.probe_count, 0);
	assert_string_equal(ui->state.message,
			    "malloc is capped: t switches it on with a new lease");
}

static void test_without_a_probe_its_keys_say_so(void **state)
{
	static const char nothing[] = "there is no probe \u00b7 Ctrl-P finds a target";
	static const int keys[] = { UI_KEY_ENTER, 'l', 't', 'd', '+', '.' };
	struct ui *ui = list_of(state);

	ui->snapshot.probes = (struct snapshot_probes){ 0 };
	ui_show(ui);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		ui_press_key(ui, keys[i]);
		assert_string_equal(ui->state.message, nothing);
	}
	assert_int_equal(ui->state.out.probe_count, 0);
	ui->probes.refusal = "no probes: run as root";
	ui_press(ui, "t");
	assert_string_equal(ui->state.message, "no probes: run as root");
}

static void test_the_cursor_stays_with_its_probe(void **state)
{
	struct ui *ui = list_of(state);
	struct snapshot_probe fewer[PROBE_FIXTURE_COUNT];
	const struct snapshot_probes all = probe_fixture(0);

	ui_press(ui, "jj");
	for (int i = 0; i < 3; i++)
		fewer[i] = all.list[i + 1];
	ui->snapshot.probes.list = fewer;
	ui->snapshot.probes.count = 3;
	ui_show(ui);
	assert_int_equal(state_probe(&ui->state)->id, 5);
	assert_int_equal(probes_view_of(&ui->state)->place.cursor, 1);
}

static void test_enter_asks_for_all_about_the_probe(void **state)
{
	struct ui *ui = list_of(state);

	ui_press(ui, "j");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_int_equal(last_request(ui, REQUEST_QUERY)->query.probe, 4);
	assert_true(ui_is(ui, VIEW_PROBES));	/* until the reply is there */
	probe_fixture_reply(ui);
	assert_true(ui_is_probe(ui));
	assert_true(ui_has(ui, "probe vfs_read"));
	ui_press_key(ui, UI_KEY_BACKSPACE);
	assert_int_equal(last_request(ui, REQUEST_QUERY)->query.probe, 0);
	probe_fixture_reply(ui);
	assert_true(ui_is(ui, VIEW_PROBES));
	assert_int_equal(state_probe(&ui->state)->id, 4);
}

static void test_the_butterfly_of_its_hits_has_the_callers(void **state)
{
	struct ui *ui = probe_of(state);

	ui_press(ui, "b");
	assert_int_equal(last_request(ui, REQUEST_QUERY)->query.tree, TREE_CALLERS);
	probe_fixture_reply(ui);
	assert_true(ui_is(ui, VIEW_BUTTERFLY));
	assert_true(ui_has(ui, "hits of "));
	assert_true(ui_has(ui, "[.] BufTableLookup"));
	assert_true(ui_has(ui, "  [.] hash_search_with_hash_value"));
}

static void test_a_view_by_number_shows_its_hits_as_samples(void **state)
{
	struct ui *ui = probe_of(state);

	ui_press(ui, "6");
	assert_int_equal(last_request(ui, REQUEST_EVENT)->value, 128);
	assert_int_equal(last_request(ui, REQUEST_QUERY)->query.tree, TREE_CALLERS);
	assert_int_equal(last_request(ui, REQUEST_QUERY)->query.probe, 0);
	assert_true(last_request(ui, REQUEST_EVENT) < last_request(ui, REQUEST_QUERY));
	probe_fixture_reply(ui);
	assert_true(ui_is(ui, VIEW_TREE));
	assert_true(ui_has(ui, "hits of "));

	ui_press(ui, "1");	/* another view of the same hits */
	probe_fixture_reply(ui);
	assert_true(ui_has(ui, "hits of "));
	ui_press_key(ui, UI_KEY_BACKSPACE);
	probe_fixture_reply(ui);
	assert_true(ui_is_probe(ui));
	assert_int_equal(last_request(ui, REQUEST_EVENT)->value, 0);
}

static void test_calls_in_the_list_are_those_of_the_probe_under_the_cursor(void **state)
{
	struct ui *ui = list_of(state);
	const struct snapshot_probe *probe = state_probe(&ui->state);

	assert_non_null(probe);
	ui_press(ui, "7");
	assert_int_equal(last_request(ui, REQUEST_EVENT)->value, probe->event);
	probe_fixture_reply(ui);
	assert_true(ui_has(ui, "hits of "));
}

static void test_8_leads_from_hits_to_the_list_and_samples_are_shown_again(void **state)
{
	struct ui *ui = probe_of(state);

	ui_press(ui, "7");
	probe_fixture_reply(ui);
	ui_press(ui, "8");
	assert_int_equal(last_request(ui, REQUEST_EVENT)->value, 0);
	probe_fixture_reply(ui);
	assert_true(ui_is(ui, VIEW_PROBES));
	ui_press(ui, "1");
	probe_fixture_reply(ui);
	assert_false(ui_has(ui, "hits of"));
	assert_int_equal(ui->state.query.breadcrumbs.count, 1);
}

static void test_tab_goes_to_and_fro_between_stats_and_hits(void **state)
{
	struct ui *ui = probe_of(state);
	const size_t levels = ui->state.query.breadcrumbs.count;

	ui_press_key(ui, UI_KEY_TAB);			/* Symbols */
	assert_true(state_probe_hits(&ui->state));
	probe_fixture_reply(ui);
	ui_press_key(ui, UI_KEY_BACKTAB);		/* Probes: back to the numbers */
	assert_false(state_probe_hits(&ui->state));
	assert_int_equal(ui->state.query.breadcrumbs.count, levels);
}

static void test_pages_follow_one_another(void **state)
{
	struct ui *ui = probe_of(state);

	assert_int_equal(probe_view_of(&ui->state)->pane, PANE_LATENCY);
	ui_press_key(ui, UI_KEY_LEFT);
	assert_int_equal(probe_view_of(&ui->state)->pane, PANE_LOG);
	ui_press(ui, "l");
	assert_int_equal(probe_view_of(&ui->state)->pane, PANE_LATENCY);
	ui_press(ui, "l");
	assert_int_equal(probe_view_of(&ui->state)->pane, PANE_VALUES);
	frame_draw(&ui->state, &ui->canvas);
	ui_click(ui, MOUSE_PRESS, ui_find(ui, "Slowest").x,
		 ui_find(ui, "Slowest").y);
	assert_int_equal(probe_view_of(&ui->state)->pane, PANE_SLOWEST);
}

/* A second has begun, as always; at first no call was in any, then one was before the window. */
static void test_without_a_call_in_the_window_there_are_no_percentiles(void **state)
{
	static uint32_t second[1][LATENCY_OCTAVES];
	struct ui *ui = probe_of(state);
	const struct snapshot_probes all = probe_fixture(3);
	struct snapshot_probe probe = all.list[0];

	probe.latency = (struct snapshot_latency){ 0 };
	ui->snapshot.probes.list = &probe;
	ui->snapshot.probes.count = 1;
	ui->snapshot.probes.heat = (struct snapshot_heat){ .seconds = 1, .counts = second };
	ui_show(ui);
	assert_true(ui_has(ui, "No call has returned in the window."));
	assert_false(ui_has(ui, "a column a second"));
	second[0][10] = 1;
	ui_show(ui);
	assert_true(ui_has(ui, "No call has returned in the window."));
	assert_true(ui_has(ui, "a column a second"));
	assert_false(ui_has(ui, "p50"));
}

static void test_the_slowest_shows_the_stack_of_the_chosen_one(void **state)
{
	struct ui *ui = probe_of(state);

	ui_press(ui, "ll");
	assert_true(ui_has(ui, "BufTableLookup"));
	ui_press(ui, "j");
	assert_false(ui_has(ui, "BufTableLookup"));
	assert_true(ui_has(ui, "get_hash_entry"));
	ui_press(ui, "jj");
	assert_true(ui_has(ui, "WITHOUT A STACK"));
}

/* A slower call comes, and takes the first line; then so many that the old ones leave. */
static void test_the_stack_that_is_read_stays(void **state)
{
	struct ui *ui = probe_of(state);
	const struct snapshot_hit *old = ui->snapshot.probes.slowest;
	struct snapshot_hit hits[4];

	memcpy(&hits[1], old, 3 * sizeof(*old));
	hits[0] = old[0];
	hits[0].number = 99;
	hits[0].stack = "slower_still";
	ui_press(ui, "ll");
	assert_true(ui_has(ui, "BufTableLookup"));
	ui->snapshot.probes.slowest = hits;
	ui->snapshot.probes.slowest_count = 4;
	ui_show(ui);
	assert_true(ui_has(ui, "BufTableLookup"));
	assert_int_equal(probe_view_of(&ui->state)->slow_cursor, 1);
	ui_press(ui, "k");
	assert_true(ui_has(ui, "slower_still"));
	ui_press(ui, "j");
	ui->snapshot.probes.slowest_count = 1;
	ui_show(ui);
	assert_true(ui_has(ui, "slower_still"));
}

static void test_the_wheel_moves_the_cursor_of_the_slowest(void **state)
{
	struct ui *ui = probe_of(state);

	ui_press(ui, "ll");
	frame_draw(&ui->state, &ui->canvas);
	ui_click(ui, MOUSE_WHEEL_DOWN, 5, 10);
	assert_true(ui_has(ui, "WITHOUT A STACK"));
	ui_click(ui, MOUSE_WHEEL_UP, 5, 10);
	assert_true(ui_has(ui, "BufTableLookup"));
}

static void test_a_stack_that_is_cut_says_how_much_is_missing(void **state)
{
	struct ui *ui = probe_of(state);
	struct snapshot_hit hit = ui->snapshot.probes.slowest[0];
	char stack[600] = "";

	for (int i = 1; i <= 40; i++)
		snprintf(stack + strlen(stack), sizeof(stack) - strlen(stack), "%sframe_%02d",
			 i > 1 ? "\n" : "", i);
	hit.stack = stack;
	ui->snapshot.probes.slowest = &hit;
	ui->snapshot.probes.slowest_count = 1;
	ui_show(ui);
	ui_press(ui, "ll");
	assert_true(ui_has(ui, "frame_19"));
	assert_true(ui_has(ui, "\u2026 21 more callers"));
	assert_false(ui_has(ui, "frame_20"));
}

static void test_the_log_is_filtered_and_searched(void **state)
{
	struct ui *ui = probe_of(state);

	ui_press(ui, "\\pg_index");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_int_equal(probe_view_of(&ui->state)->pane, PANE_LOG);
	assert_int_equal(probe_view_of(&ui->state)->log.count, 8);
	assert_false(ui_has(ui, "pg_class"));
	ui_press(ui, "\\");
	ui_press_key(ui, UI_KEY_CTRL('U'));
	ui_press_key(ui, UI_KEY_ENTER);
	assert_int_equal(probe_view_of(&ui->state)->log.count, 40);
	ui_press(ui, "/20:34.150");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_int_equal(probe_log_cursor(&probe_view_of(&ui->state)->log)->number, 103);
	assert_true(ui_has(ui, "00:20:34.150"));
	ui_press(ui, "/nowhere");
	assert_string_equal(ui->state.prompt.note, "not here");
}

static void test_at_its_begin_the_log_says_what_was_dropped(void **state)
{
	struct ui *ui = probe_of(state);

	ui->snapshot.probes.log_dropped = 1234567;
	ui_show(ui);
	ui_press(ui, "h");
	assert_true(ui_has(ui, "00:20:35.950"));	/* the newest */
	assert_false(ui_has(ui, "dropped"));
	ui_press_key(ui, UI_KEY_HOME);
	assert_true(ui_has(ui, "1.23M older hits were dropped"));
	assert_true(ui_has(ui, "00:20:34.000"));
	ui_press_key(ui, UI_KEY_PAGE_DOWN);
	ui_press_key(ui, UI_KEY_PAGE_DOWN);
	assert_false(ui_has(ui, "dropped"));
}

static void test_the_filter_of_the_log_is_shown_whole_or_with_a_mark(void **state)
{
	static const char words[] = "name=pg_class and \u00e9\u00e9\u00e9\u00e9 ret=0";
	struct ui *ui = probe_of(state);

	ui_press(ui, "\\");
	snprintf(ui->state.prompt.text, PROMPT_BYTES, "%s", words);
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(ui_has(ui, words));
}

static void test_the_list_is_searched(void **state)
{
	struct ui *ui = list_of(state);

	ui_press(ui, "/libc");
	assert_int_equal(state_probe(&ui->state)->id, 7);
	ui_press_key(ui, UI_KEY_ENTER);
	ui_press(ui, "n");
	assert_int_equal(state_probe(&ui->state)->id, 9);
	ui_press(ui, "n");
	assert_int_equal(state_probe(&ui->state)->id, 7);
	ui_press(ui, "N");
	assert_int_equal(state_probe(&ui->state)->id, 9);
}

static void test_the_mouse_selects_opens_and_asks(void **state)
{
	struct ui *ui = list_of(state);
	struct mouse at = ui_find(ui, "vfs_read");

	ui_click(ui, MOUSE_PRESS, at.x, at.y);
	assert_int_equal(state_probe(&ui->state)->id, 4);
	ui_click(ui, MOUSE_MENU, at.x, at.y);
	assert_true(ui->state.menu.is_open);
	ui_press_key(ui, UI_KEY_ESCAPE);
	ui_click(ui, MOUSE_DOUBLE, at.x, at.y);
	assert_int_equal(state_probe_here(&ui->state), 4);
}

static void test_replies_are_shown(void **state)
{
	struct ui *ui = *state;
	struct probe_reply reply = { .kind = PROBE_ADD, .done = 3, .all = 16 };

	ui->state.out.adding = reply.number = 5;
	input_probe_replied(&ui->state, &reply);
	assert_string_equal(ui->state.message, "attached to 3 of 16\u2026");
	ui_press(ui, "8");
	probe_fixture_reply(ui);
	ui_press(ui, "Gd");
	assert_int_equal(probe_fixture_request(ui, PROBE_CANCEL)->number, 5);
	reply = (struct probe_reply){ .number = 5, .kind = PROBE_ADD, .is_done = true };
	diag_set(&reply.why, -EACCES, "uprobes need root");
	input_probe_replied(&ui->state, &reply);
	assert_string_equal(ui->state.message, "uprobes need root");
	assert_int_equal(ui->state.out.adding, 0);
	ui_press(ui, ":");
	ui_choose(ui, "probe-cancel");
	assert_string_equal(ui->state.message, "nothing is being attached");
}

/* The reply to request @number about the function @done of @all. */
static struct probe_reply reply_of(uint64_t number, uint32_t done, uint32_t all,
				   const char *reason)
{
	struct probe_reply reply = { .number = number, .kind = PROBE_ADD, .done = done,
				       .all = all, .is_done = done == all };

	snprintf(reply.reason, sizeof(reply.reason), "%s", reason);
	return reply;
}

static void test_what_became_of_each_function_of_a_wildcard_is_counted(void **state)
{
	struct ui *ui = *state;
	struct probe_reply reply;

	for (uint32_t i = 1; i <= 60; i++) {	/* those that are refused settle first */
		reply = reply_of(9, i, 65, "on the blacklist");
		input_probe_replied(&ui->state, &reply);
	}
	assert_string_equal(ui->state.message, "attached to 0 of 65, 60 refused\u2026");
	reply = reply_of(9, 61, 65, "");
	diag_set(&reply.why, -EINVAL, "no");
	input_probe_replied(&ui->state, &reply);
	for (uint32_t i = 62; i <= 65; i++) {
		reply = reply_of(9, i, 65, "");
		input_probe_replied(&ui->state, &reply);
	}
	assert_string_equal(ui->state.message,
			    "4 attached, 60 refused, 1 failed \u00b7 8 shows why");
}

static void test_of_two_wildcards_under_way_each_has_its_own_count(void **state)
{
	struct ui *ui = *state;
	struct probe_reply reply = reply_of(3, 1, 2, "on the blacklist");

	ui->state.out.adding = 4;
	input_probe_replied(&ui->state, &reply);
	reply = reply_of(4, 1, 2, "");
	diag_set(&reply.why, -ECANCELED, "switched off before");
	input_probe_replied(&ui->state, &reply);
	reply = reply_of(3, 2, 2, "");
	input_probe_replied(&ui->state, &reply);
	assert_string_equal(ui->state.message, "1 attached, 1 refused \u00b7 8 shows why");
	assert_int_equal(ui->state.out.adding, 4);		/* it is still to be cancelled */
	reply = reply_of(4, 2, 2, "");
	input_probe_replied(&ui->state, &reply);
	assert_string_equal(ui->state.message, "1 attached, 1 cancelled \u00b7 8 shows them");
	assert_int_equal(ui->state.out.adding, 0);
}

static void test_a_single_one_is_shown_with_its_reason(void **state)
{
	struct ui *ui = *state;
	struct probe_reply reply = reply_of(1, 1, 1, "tracefs is not mounted");

	input_probe_replied(&ui->state, &reply);	/* its place alone would be fine */
	assert_string_equal(ui->state.message, "not attached: tracefs is not mounted");
	reply = reply_of(2, 1, 1, "");
	input_probe_replied(&ui->state, &reply);
	assert_string_equal(ui->state.message, "attached \u00b7 8 shows it");
}

static void test_a_probe_that_is_switched_off_by_its_cost_is_shown_anywhere(void **state)
{
	struct ui *ui = *state;
	struct snapshot before = ui->snapshot;
	struct snapshot_probe on = { .id = 7, .name = "malloc", .state = PROBE_ATTACHED };

	before.probes = (struct snapshot_probes){ .count = 1, .list = &on };
	input_offer_snapshot(&ui->state, &before);
	assert_string_equal(ui->state.message, "");
	ui->snapshot.probes = probe_fixture(0);
	ui_show(ui);
	assert_non_null(strstr(ui->state.message,
			       "malloc: off: 90000 hits/s of 1.1 us are over its cap, 5 %"));
}

static void test_without_an_engine_nothing_is_requested(void **state)
{
	struct ui *ui = *state;

	frame_draw(&ui->state, &ui->canvas);
	assert_true(ui_has(ui, "p probe"));
	ui->probes.refusal = "no probes: run as root";
	frame_draw(&ui->state, &ui->canvas);
	assert_false(ui_has(ui, "p probe"));
	ui_press(ui, "p");
	assert_false(probe_panel_of(&ui->state)->is_open);
	assert_string_equal(ui->state.message, "no probes: run as root");
	ui->state.probe_control = NULL;
	ui_press(ui, "p");
	assert_string_equal(ui->state.message,
			    "a recording can't be probed: start flametop without -i");
	assert_int_equal(ui->state.out.probe_count, 0);
}

UNIT_TESTS(test_command_probes)
{
	const struct CMUnitTest tests[] = {
		UI_TEST(test_keys_request_what_they_say_of_the_probe_under_the_cursor),
		UI_TEST(test_numbers_of_requests_rise_and_too_many_are_refused),
		UI_TEST(test_keys_mean_the_probe_as_it_was_ordered_last),
		UI_TEST(test_an_order_is_forgotten_when_a_snapshot_shows_what_came_of_it),
		UI_TEST(test_a_probe_is_removed_once),
		UI_TEST(test_all_are_removed_only_after_asking),
		UI_TEST(test_a_capped_one_offers_bursts_and_higher_caps),
		UI_TEST(test_a_menu_of_a_probe_that_is_gone_does_nothing),
		UI_TEST(test_a_refused_one_can_only_be_opened_and_removed),
		UI_TEST(test_a_lease_of_what_is_off_begins_with_it),
		UI_TEST(test_without_a_probe_its_keys_say_so),
		UI_TEST(test_the_cursor_stays_with_its_probe),
		UI_TEST(test_enter_asks_for_all_about_the_probe),
		UI_TEST(test_the_butterfly_of_its_hits_has_the_callers),
		UI_TEST(test_a_view_by_number_shows_its_hits_as_samples),
		UI_TEST(test_calls_in_the_list_are_those_of_the_probe_under_the_cursor),
		UI_TEST(test_8_leads_from_hits_to_the_list_and_samples_are_shown_again),
		UI_TEST(test_tab_goes_to_and_fro_between_stats_and_hits),
		UI_TEST(test_pages_follow_one_another),
		UI_TEST(test_without_a_call_in_the_window_there_are_no_percentiles),
		UI_TEST(test_the_slowest_shows_the_stack_of_the_chosen_one),
		UI_TEST(test_the_stack_that_is_read_stays),
		UI_TEST(test_the_wheel_moves_the_cursor_of_the_slowest),
		UI_TEST(test_a_stack_that_is_cut_says_how_much_is_missing),
		UI_TEST(test_the_log_is_filtered_and_searched),
		UI_TEST(test_at_its_begin_the_log_says_what_was_dropped),
		UI_TEST(test_the_filter_of_the_log_is_shown_whole_or_with_a_mark),
		UI_TEST(test_the_list_is_searched),
		UI_TEST(test_the_mouse_selects_opens_and_asks),
		UI_TEST(test_replies_are_shown),
		UI_TEST(test_what_became_of_each_function_of_a_wildcard_is_counted),
		UI_TEST(test_of_two_wildcards_under_way_each_has_its_own_count),
		UI_TEST(test_a_single_one_is_shown_with_its_reason),
		UI_TEST(test_a_probe_that_is_switched_off_by_its_cost_is_shown_anywhere),
		UI_TEST(test_without_an_engine_nothing_is_requested),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
