/* The panel: what it is opened for, what it orders, and when it does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "panel_fixture.h"
#include "unit_tests.h"

static void test_it_opens_for_the_row_and_asks_at_once(void **state)
{
	struct ui *ui = *state;
	const struct probe_request *order;

	ui_press(ui, "p");
	order = probe_fixture_request(ui, PROBE_EXAMINE);
	assert_int_equal(order->choice.spec.kind, PROBE_USER);
	assert_int_equal(order->choice.spec.edge, PROBE_LATENCY);
	assert_string_equal(order->choice.spec.file, POSTGRES);
	assert_string_equal(order->choice.spec.function, "hash_search_with_hash_value");
	assert_string_equal(order->choice.spec.text,
			    "lat:" POSTGRES ":hash_search_with_hash_value");
	assert_int_equal(order->choice.reach, REACH_PROCESS);
	assert_int_equal(order->choice.pid, 4121);
	assert_true(order->choice.with_stacks);
}

static void test_a_row_of_the_kernel_is_of_the_whole_system(void **state)
{
	struct ui *ui = *state;
	const struct probe_request *order;

	ui_press(ui, "jp");
	order = probe_fixture_request(ui, PROBE_EXAMINE);
	assert_int_equal(order->choice.spec.kind, PROBE_KERNEL);
	assert_string_equal(order->choice.spec.file, "");
	assert_string_equal(order->choice.spec.text, "lat:copy_user_enhanced_fast_string");
	assert_int_equal(order->choice.reach, REACH_ALL);
	assert_int_equal(order->choice.pid, 0);
}

static void test_the_process_of_the_filter_is_meant(void **state)
{
	const struct filter_part part = { .field = FILTER_PID, .number = 77 };
	struct ui *ui = *state;

	state_go(&ui->state, VIEW_SYMBOLS, &part);
	ui_show(ui);
	ui_press(ui, "jp");
	assert_int_equal(probe_fixture_request(ui, PROBE_EXAMINE)->choice.pid, 77);
}

/* Of calls no task is known; the process that is sampled alone is meant. */
static void test_calls_are_of_the_process_that_is_sampled(void **state)
{
	static const enum view_kind kinds[] = { VIEW_TREE, VIEW_FLAME };
	struct ui *ui = *state;

	for (int i = 0; i < 4; i++) {
		const struct probe_choice *choice;

		state_show_kind(&ui->state, kinds[i % 2]);
		ui_prepare(ui);
		ui->snapshot.target_pid = i < 2 ? 0 : 4121;
		ui_show(ui);
		frame_draw(&ui->state, &ui->canvas);
		ui_press(ui, "jjjp");
		choice = &probe_fixture_request(ui, PROBE_EXAMINE)->choice;
		assert_int_equal(choice->pid, i < 2 ? 0 : 4121);
		assert_int_equal(choice->reach, i < 2 ? REACH_ALL : REACH_PROCESS);
		frame_draw(&ui->state, &ui->canvas);
		assert_int_equal(ui_has(ui, "(\u2022) this process 4121"), i >= 2);
		ui_press_key(ui, UI_KEY_ESCAPE);
		probe_fixture_send(ui);
	}
}

static void check_refusal(struct snapshot_row row, const char *begin)
{
	char why[PANEL_WHY_BYTES];

	if (!row.symbol)
		row.symbol = "f";
	if (!row.dso_path)
		row.dso_path = "/bin/f";
	probe_panel_row_refusal(&row, why);
	assert_int_equal(strncmp(why, begin, strlen(begin)), 0);
	assert_int_equal(!why[0], !begin[0]);
}

static void test_rows_that_are_no_function_say_why(void **state)
{
	(void)state;
	check_refusal((struct snapshot_row){ .mode = MODE_USER }, "");
	check_refusal((struct snapshot_row){ .mode = MODE_KERNEL, .dso_path = "[kernel]" }, "");
	check_refusal((struct snapshot_row){ .mode = MODE_USER, .symbol = "" }, "this row is no");
	check_refusal((struct snapshot_row){ .mode = MODE_USER, .state = SYMBOL_LOADING },
		      "its names are being read");
	check_refusal((struct snapshot_row){ .mode = MODE_USER, .state = SYMBOL_UNKNOWN },
		      "no symbol covers");
	check_refusal((struct snapshot_row){ .mode = MODE_USER, .state = SYMBOL_UNREADABLE },
		      "its file could not");
	check_refusal((struct snapshot_row){ .mode = MODE_USER, .is_synthetic = true }, "");
	check_refusal((struct snapshot_row){ .mode = MODE_USER, .dso_path = "[jit]" },
		      "code that was made at run time");
	check_refusal((struct snapshot_row){ .mode = MODE_GUEST_KERNEL }, "it runs in a guest");
	check_refusal((struct snapshot_row){ .mode = MODE_UNKNOWN }, "this is no function");
}

static void test_every_change_of_choice_is_examined_once(void **state)
{
	struct ui *ui = panel_open_first(state);

	ui_press_key(ui, UI_KEY_TAB);		/* moving changes nothing */
	assert_int_equal(ui->state.out.probe_count, 0);
	panel_focus_on(ui, PANEL_WHAT, PROBE_ENTRY);
	ui_press(ui, " ");
	assert_int_equal(ui->state.out.probe_count, 1);
	assert_string_equal(probe_fixture_request(ui, PROBE_EXAMINE)->choice.spec.text,
			    "u:" POSTGRES ":hash_search_with_hash_value key");
	ui_press(ui, " ");
	assert_int_equal(ui->state.out.probe_count, 1);
	panel_focus_on(ui, PANEL_WHERE, REACH_ALL);
	ui_press(ui, " ");
	assert_int_equal(probe_fixture_request(ui, PROBE_EXAMINE)->choice.reach, REACH_ALL);
}

static void test_a_reply_to_an_older_question_is_dropped(void **state)
{
	struct ui *ui = panel_open_first(state);
	struct probe_reply old = panel_reply(VERDICT_REFUSED);

	old.number = probe_panel_of(&ui->state)->number;
	panel_focus_on(ui, PANEL_STACKS, 0);
	ui_press(ui, " ");
	input_probe_replied(&ui->state, &old);
	assert_int_equal(probe_panel_of(&ui->state)->reply.verdict, VERDICT_OK);
	assert_true(probe_panel_of(&ui->state)->is_stale);
}

static void test_enter_attaches_what_is_chosen(void **state)
{
	struct ui *ui = panel_open_first(state);
	const struct probe_request *order;

	ui_press_key(ui, UI_KEY_ENTER);
	order = probe_fixture_request(ui, PROBE_ADD);
	assert_string_equal(order->choice.spec.text,
			    "lat:" POSTGRES ":hash_search_with_hash_value key $retval");
	assert_int_equal(order->choice.spec.argument_count, 2);
	assert_string_equal(order->choice.spec.arguments[1].value, "$retval");
	assert_false(order->choice.insists);
	assert_false(probe_panel_of(&ui->state)->is_open);
	assert_int_equal(ui->state.out.adding, order->number);
}

static void test_count_only_is_calls_without_all_else(void **state)
{
	struct ui *ui = panel_open_first(state);
	const struct probe_request *order;

	panel_focus_on(ui, PANEL_BUTTON, BUTTON_COUNT);
	ui_press_key(ui, UI_KEY_ENTER);
	order = probe_fixture_request(ui, PROBE_ADD);
	assert_string_equal(order->choice.spec.text,
			    "u:" POSTGRES ":hash_search_with_hash_value");
	assert_int_equal(order->choice.spec.edge, PROBE_ENTRY);
	assert_false(order->choice.with_stacks);
}

static void test_enter_before_the_verdict_attaches_when_it_comes(void **state)
{
	struct ui *ui = *state;
	struct probe_reply part = panel_reply(VERDICT_OK);

	ui_press(ui, "p");
	probe_fixture_send(ui);
	ui_press_key(ui, UI_KEY_ENTER);
	assert_int_equal(ui->state.out.probe_count, 0);
	part.is_done = part.has_rate = false;
	panel_give(ui, part);
	assert_int_equal(ui->state.out.probe_count, 0);
	panel_give(ui, panel_reply(VERDICT_OK));
	probe_fixture_request(ui, PROBE_ADD);
	assert_false(probe_panel_of(&ui->state)->is_open);
}

static void test_enter_before_a_refusal_attaches_nothing(void **state)
{
	struct probe_reply reply = panel_reply(VERDICT_REFUSED);
	struct ui *ui = *state;

	ui_press(ui, "p");
	probe_fixture_send(ui);
	ui_press_key(ui, UI_KEY_ENTER);
	snprintf(reply.reason, sizeof(reply.reason), "on the blacklist");
	panel_give(ui, reply);
	assert_int_equal(ui->state.out.probe_count, 0);
	assert_true(probe_panel_of(&ui->state)->is_open);
	assert_string_equal(ui->state.message, "on the blacklist");
}

/* A panel whose first reply is @reply: that of a probe with its latency. */
static struct ui *open_with(void **state, struct probe_reply reply)
{
	struct ui *ui = *state;

	ui_press(ui, "p");
	probe_fixture_send(ui);
	panel_give(ui, reply);
	return ui;
}

static struct probe_reply caution(void)
{
	struct probe_reply reply = panel_reply(VERDICT_ASKS);

	snprintf(reply.reason, sizeof(reply.reason), "an exception ends the program");
	return reply;
}

static void test_what_asks_for_caution_starts_on_calls_only(void **state)
{
	struct ui *ui = open_with(state, caution());
	const struct probe_request *order = probe_fixture_request(ui, PROBE_EXAMINE);

	assert_int_equal(probe_panel_of(&ui->state)->edge, PROBE_ENTRY);
	assert_int_equal(order->choice.spec.edge, PROBE_ENTRY);
	probe_fixture_send(ui);
	panel_give(ui, panel_reply(VERDICT_OK));
	frame_draw(&ui->state, &ui->canvas);
	assert_true(ui_has(ui, "latency asks for caution: an exception ends the program"));
	ui_press_key(ui, UI_KEY_ENTER);
	order = probe_fixture_request(ui, PROBE_ADD);
	assert_string_equal(order->choice.spec.text,
			    "u:" POSTGRES ":hash_search_with_hash_value key");
	assert_false(order->choice.insists);
}

static void test_enter_before_a_caution_attaches_calls_only(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "p");
	probe_fixture_send(ui);
	ui_press_key(ui, UI_KEY_ENTER);
	panel_give(ui, caution());
	probe_fixture_request(ui, PROBE_EXAMINE);
	probe_fixture_send(ui);
	panel_give(ui, panel_reply(VERDICT_OK));
	assert_int_equal(probe_fixture_request(ui, PROBE_ADD)->choice.spec.edge, PROBE_ENTRY);
	assert_string_equal(ui->state.message, "attaching hash_search_with_hash_value, calls "
			    "only: its latency asks for caution");
}

static void test_latency_that_was_chosen_again_asks(void **state)
{
	struct ui *ui = open_with(state, caution());

	probe_fixture_send(ui);
	panel_give(ui, panel_reply(VERDICT_OK));
	panel_focus_on(ui, PANEL_WHAT, PROBE_LATENCY);
	ui_press(ui, " ");
	probe_fixture_request(ui, PROBE_EXAMINE);
	probe_fixture_send(ui);
	panel_give(ui, caution());
	assert_int_equal(probe_panel_of(&ui->state)->edge, PROBE_LATENCY);
	assert_int_equal(ui->state.out.probe_count, 0);
	ui_press_key(ui, UI_KEY_ENTER);
	assert_int_equal(ui->state.out.probe_count, 0);
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(probe_fixture_request(ui, PROBE_ADD)->choice.insists);
}

/* Who asks for a value or a latency does not mean calls. */
static void test_a_spec_with_values_or_a_filter_keeps_its_latency(void **state)
{
	static const char *const specs[] = { "lat:/bin/prog:run $retval",
					     "lat:/bin/prog:run if lat > 5ms" };
	struct ui *ui = *state;

	for (size_t i = 0; i < 2; i++) {
		struct probe_spec spec;

		assert_int_equal(probe_spec_parse(&spec, specs[i], NULL), 0);
		probe_panel_open_spec(&ui->state, &spec, 0);
		probe_fixture_send(ui);
		panel_give(ui, caution());
		assert_int_equal(probe_panel_of(&ui->state)->edge, PROBE_LATENCY);
		assert_int_equal(ui->state.out.probe_count, 0);
	}
}

static void test_what_asks_is_attached_by_the_second_enter(void **state)
{
	struct ui *ui = panel_open_first(state);

	panel_give(ui, panel_reply(VERDICT_ASKS));
	ui_press_key(ui, UI_KEY_ENTER);
	assert_int_equal(ui->state.out.probe_count, 0);
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(probe_fixture_request(ui, PROBE_ADD)->choice.insists);
}

static const struct probe_choice *press_enter_to_add(struct ui *ui)
{
	ui_press_key(ui, UI_KEY_ENTER);
	return &probe_fixture_request(ui, PROBE_ADD)->choice;
}

static void test_what_is_over_the_cap_offers_the_one_that_is_enough(void **state)
{
	struct probe_reply reply = panel_reply(VERDICT_OK);
	struct ui *ui = panel_open_first(state);
	const struct probe_choice *choice;

	reply.cost_pct = 10.1;
	panel_give(ui, reply);
	ui_press_key(ui, UI_KEY_ENTER);
	assert_int_equal(ui->state.out.probe_count, 0);
	assert_string_equal(ui->state.message,
			    "it would take 10.1 %: Enter attaches with cap 25 %, "
			    "Left Right choose");
	assert_true(probe_panel_is_focus(probe_panel_of(&ui->state), PANEL_CAP, 2));
	choice = press_enter_to_add(ui);
	assert_true(choice->cap_pct == 25);
	assert_false(choice->in_bursts);
}

static void test_one_enter_confirms_all_that_is_in_the_way(void **state)
{
	struct probe_reply reply = panel_reply(VERDICT_ASKS);
	struct ui *ui = panel_open_first(state);

	reply.cost_pct = 5.1;
	panel_give(ui, reply);
	ui_press_key(ui, UI_KEY_ENTER);
	assert_int_equal(ui->state.out.probe_count, 0);
	assert_string_equal(ui->state.message, "caution, and it would take 5.1 %: Enter "
			    "attaches with cap 10 %, Left Right choose");
	assert_true(press_enter_to_add(ui)->insists);
}

/* Over 100 % of one CPU only a sample of the hits can be had. */
static void test_what_is_over_every_cap_offers_bursts(void **state)
{
	struct probe_reply reply = panel_reply(VERDICT_OK);
	struct ui *ui = panel_open_first(state);
	const struct probe_choice *choice;

	reply.cost_pct = 100.5;
	panel_give(ui, reply);
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(probe_panel_is_focus(probe_panel_of(&ui->state), PANEL_CAP, 4));
	choice = press_enter_to_add(ui);
	assert_true(choice->in_bursts);
	assert_true(choice->cap_pct == 5);
}

static void test_a_cap_is_chosen_before_without_a_question(void **state)
{
	struct probe_reply reply = panel_reply(VERDICT_OK);
	struct ui *ui = panel_open_first(state);

	reply.cost_pct = 110;
	panel_give(ui, reply);
	panel_focus_on(ui, PANEL_CAP, 3);
	ui_press(ui, " ");
	assert_int_equal(ui->state.out.probe_count, 0);	/* nothing to be looked at anew */
	panel_focus_on(ui, PANEL_BUTTON, BUTTON_ATTACH);
	assert_true(press_enter_to_add(ui)->cap_pct == 100);
	ui_press(ui, "p");
	panel_give(ui, reply);
	probe_fixture_send(ui);
	panel_focus_on(ui, PANEL_CAP, 2);	/* Enter takes the one it is on */
	assert_true(press_enter_to_add(ui)->cap_pct == 25);
}

static void expect_caps(struct ui *ui, double own_pct, const char *line, double chosen_pct)
{
	ui->probes.cap_pct = own_pct;
	ui_press(ui, "p");
	frame_draw(&ui->state, &ui->canvas);
	assert_true(ui_has(ui, line));
	panel_give(ui, panel_reply(VERDICT_OK));
	probe_fixture_send(ui);
	assert_true(press_enter_to_add(ui)->cap_pct >= chosen_pct);
	probe_fixture_send(ui);
}

static void test_the_cap_of_the_command_line_is_among_them_and_chosen(void **state)
{
	struct ui *ui = *state;

	expect_caps(ui, 5, "(\u2022) 5 %  ( ) 10 %  ( ) 25 %  ( ) 100 %  ( ) bursts", 5);
	expect_caps(ui, 1, "(\u2022) 1 %  ( ) 5 %  ( ) 10 %  ( ) 25 %  ( ) 100 %", 1);
	expect_caps(ui, 12.5, "( ) 10 %  (\u2022) 12.5 %  ( ) 25 %", 12.5);
	expect_caps(ui, 100, "( ) 25 %  (\u2022) 100 %", 100);
	expect_caps(ui, 250, "( ) 100 %  (\u2022) 250 %", 250);
	expect_caps(ui, INFINITY, "( ) 100 %  (\u2022) none", INFINITY);
}

static void test_what_can_not_be_attached_has_no_caps(void **state)
{
	struct ui *ui = open_with(state, panel_reply(VERDICT_REFUSED));

	frame_draw(&ui->state, &ui->canvas);
	assert_false(ui_has(ui, "10 %"));
	for (int i = 0; i < PANEL_ITEMS; i++) {
		assert_int_not_equal(probe_panel_of(&ui->state)->focus.part, PANEL_CAP);
		ui_press_key(ui, UI_KEY_TAB);
	}
}

static void test_up_and_down_go_to_what_is_taken(void **state)
{
	struct ui *ui = panel_open_first(state);

	panel_focus_on(ui, PANEL_CAP, 2);
	ui_press(ui, " ");
	ui_press_key(ui, UI_KEY_DOWN);
	ui_press_key(ui, UI_KEY_UP);
	assert_true(probe_panel_is_focus(probe_panel_of(&ui->state), PANEL_CAP, 2));
}

static void test_a_new_filter_takes_back_what_was_pressed_before(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "p");
	probe_fixture_send(ui);
	ui_press_key(ui, UI_KEY_ENTER);		/* waits for the verdict */
	assert_true(probe_panel_of(&ui->state)->is_attaching);
	panel_focus_on(ui, PANEL_FILTER, 0);
	ui_press(ui, "pid > 1");
	panel_give(ui, panel_reply(VERDICT_ASKS));
	assert_int_equal(ui->state.out.probe_count, 0);
	ui_press(ui, "00");
	assert_string_equal(probe_panel_of(&ui->state)->filter.text, "pid > 100");
	ui_press_key(ui, UI_KEY_ENTER);
	panel_give(ui, panel_reply(VERDICT_ASKS));
	probe_fixture_send(ui);
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(probe_panel_of(&ui->state)->has_warned);
	panel_focus_on(ui, PANEL_FILTER, 0);
	ui_press(ui, "0");
	assert_false(probe_panel_of(&ui->state)->has_warned);
}

static void test_what_is_hot_everywhere_needs_its_name_typed(void **state)
{
	struct probe_reply reply = panel_reply(VERDICT_OK);
	struct ui *ui = panel_open_first(state);

	reply.must_type = true;
	panel_give(ui, reply);
	ui_press(ui, "hash_search");	/* wherever the cursor is */
	ui_press_key(ui, UI_KEY_ENTER);
	assert_int_equal(ui->state.out.probe_count, 0);
	assert_true(probe_panel_of(&ui->state)->is_open);
	ui_press(ui, "_with_hash_value");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(probe_fixture_request(ui, PROBE_ADD)->choice.insists);
}

static void expect_bottom(struct ui *ui, const char *begin)
{
	frame_draw(&ui->state, &ui->canvas);
	assert_true(ui_has(ui, begin));
}

static void test_the_bottom_line_says_what_enter_does(void **state)
{
	struct probe_reply reply = panel_reply(VERDICT_OK);
	struct ui *ui = panel_open_first(state);

	expect_bottom(ui, " Enter attach \u00b7 Esc cancel \u00b7 Space choose");
	panel_focus_on(ui, PANEL_BUTTON, BUTTON_COUNT);
	expect_bottom(ui, " Enter attach, count only \u00b7");
	panel_focus_on(ui, PANEL_CAP, 0);
	expect_bottom(ui, " Enter attach with cap 5 % \u00b7 Esc cancel \u00b7 Space choose");
	panel_focus_on(ui, PANEL_FILTER, 0);
	expect_bottom(ui, " Enter to Attach \u00b7");
	panel_focus_on(ui, PANEL_BUTTON, BUTTON_ATTACH);
	reply.must_type = true;
	panel_give(ui, reply);
	expect_bottom(ui, " type hash_search_with_hash_value, then Enter attaches");
	ui_press(ui, "hash_search_with_hash_value");
	expect_bottom(ui, " Enter attach it all the same \u00b7");
	panel_give(ui, panel_reply(VERDICT_REFUSED));
	panel_focus_on(ui, PANEL_BUTTON, BUTTON_ATTACH);
	expect_bottom(ui, " it can't be attached \u00b7");
}

/* What was typed accounts for the cost, too. */
static void test_a_typed_word_is_the_only_question(void **state)
{
	struct probe_reply reply = panel_reply(VERDICT_OK);
	struct ui *ui = panel_open_first(state);

	reply.must_type = true;
	reply.cost_pct = 40;
	panel_give(ui, reply);
	ui_press(ui, "hash_search_with_hash_value");
	assert_true(press_enter_to_add(ui)->insists);
}

static void test_a_place_without_a_function_is_confirmed_by_what_is_shown(void **state)
{
	struct probe_reply reply = panel_reply(VERDICT_OK);
	struct ui *ui = *state;
	struct probe_spec spec;
	struct diag why;

	assert_int_equal(probe_spec_parse(&spec, "u:/bin/prog:prog.c:42", &why), 0);
	probe_panel_open_spec(&ui->state, &spec, 0);
	probe_fixture_send(ui);
	reply.must_type = true;
	panel_give(ui, reply);
	ui_press_key(ui, UI_KEY_ENTER);
	assert_int_equal(ui->state.out.probe_count, 0);
	assert_true(ui_has(ui, "to insist type prog.c:42"));
	ui_press(ui, "prog.c:42");
	ui_press_key(ui, UI_KEY_ENTER);
	probe_fixture_request(ui, PROBE_ADD);
}

static void test_a_name_that_is_too_long_to_type_is_confirmed_by_yes(void **state)
{
	struct probe_reply reply = panel_reply(VERDICT_OK);
	struct ui *ui = panel_open_first(state);
	char name[PANEL_WORD_BYTES + 1];

	memset(name, 'n', PANEL_WORD_BYTES);
	name[PANEL_WORD_BYTES] = '\0';
	probe_panel_call(probe_panel_of(&ui->state), name);
	reply.must_type = true;
	panel_give(ui, reply);
	ui_press_key(ui, UI_KEY_ENTER);
	assert_int_equal(ui->state.out.probe_count, 0);
	assert_true(ui_has(ui, "to insist type yes"));
	ui_press(ui, "yes");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(probe_fixture_request(ui, PROBE_ADD)->choice.insists);
}

static void test_esc_closes_and_cancels_what_is_being_found_out(void **state)
{
	struct ui *ui = *state;
	uint64_t number;

	ui_press(ui, "p");
	number = probe_panel_of(&ui->state)->number;
	ui_press_key(ui, UI_KEY_ESCAPE);
	assert_false(probe_panel_of(&ui->state)->is_open);
	assert_int_equal(probe_fixture_request(ui, PROBE_CANCEL)->number, number);
	probe_fixture_send(ui);
	ui_press(ui, "p");
	panel_give(ui, panel_reply(VERDICT_OK));
	probe_fixture_send(ui);
	ui_press_key(ui, UI_KEY_ESCAPE);
	assert_int_equal(ui->state.out.probe_count, 0);	/* it was known already */
}

static void test_snapshots_and_the_table_go_on_beneath(void **state)
{
	struct ui *ui = panel_open_first(state);

	ui->snapshot.seq++;
	ui_show(ui);
	assert_true(probe_panel_of(&ui->state)->is_open);
	assert_true(ui_has(ui, "probe hash_search_with_hash_value in postgres"));
	ui_press(ui, "q");
	assert_false(ui->state.out.wants_quit);
	ui_press_key(ui, UI_KEY_CTRL('C'));
	assert_true(ui->state.out.wants_quit);
}

static void test_clicks_choose_and_press(void **state)
{
	struct ui *ui = panel_open_first(state);
	struct mouse at = ui_find(ui, "( ) returns");

	ui_click(ui, MOUSE_PRESS, at.x + 3, at.y);
	assert_int_equal(probe_panel_of(&ui->state)->edge, PROBE_RETURN);
	at = ui_find(ui, "[x] callers");
	ui_click(ui, MOUSE_PRESS, at.x, at.y);
	assert_false(probe_panel_of(&ui->state)->with_stacks);
	at = ui_find(ui, "[ Cancel ]");
	ui_click(ui, MOUSE_PRESS, at.x, at.y);
	assert_false(probe_panel_of(&ui->state)->is_open);
}

UNIT_TESTS(test_probe_panel)
{
	const struct CMUnitTest tests[] = {
		UI_TEST(test_it_opens_for_the_row_and_asks_at_once),
		UI_TEST(test_a_row_of_the_kernel_is_of_the_whole_system),
		UI_TEST(test_the_process_of_the_filter_is_meant),
		UI_TEST(test_calls_are_of_the_process_that_is_sampled),
		cmocka_unit_test(test_rows_that_are_no_function_say_why),
		UI_TEST(test_every_change_of_choice_is_examined_once),
		UI_TEST(test_a_reply_to_an_older_question_is_dropped),
		UI_TEST(test_enter_attaches_what_is_chosen),
		UI_TEST(test_count_only_is_calls_without_all_else),
		UI_TEST(test_enter_before_the_verdict_attaches_when_it_comes),
		UI_TEST(test_enter_before_a_refusal_attaches_nothing),
		UI_TEST(test_what_asks_for_caution_starts_on_calls_only),
		UI_TEST(test_enter_before_a_caution_attaches_calls_only),
		UI_TEST(test_latency_that_was_chosen_again_asks),
		UI_TEST(test_a_spec_with_values_or_a_filter_keeps_its_latency),
		UI_TEST(test_what_asks_is_attached_by_the_second_enter),
		UI_TEST(test_what_is_over_the_cap_offers_the_one_that_is_enough),
		UI_TEST(test_one_enter_confirms_all_that_is_in_the_way),
		UI_TEST(test_what_is_over_every_cap_offers_bursts),
		UI_TEST(test_a_cap_is_chosen_before_without_a_question),
		UI_TEST(test_the_cap_of_the_command_line_is_among_them_and_chosen),
		UI_TEST(test_what_can_not_be_attached_has_no_caps),
		UI_TEST(test_up_and_down_go_to_what_is_taken),
		UI_TEST(test_the_bottom_line_says_what_enter_does),
		UI_TEST(test_a_typed_word_is_the_only_question),
		UI_TEST(test_a_new_filter_takes_back_what_was_pressed_before),
		UI_TEST(test_what_is_hot_everywhere_needs_its_name_typed),
		UI_TEST(test_a_place_without_a_function_is_confirmed_by_what_is_shown),
		UI_TEST(test_a_name_that_is_too_long_to_type_is_confirmed_by_yes),
		UI_TEST(test_esc_closes_and_cancels_what_is_being_found_out),
		UI_TEST(test_snapshots_and_the_table_go_on_beneath),
		UI_TEST(test_clicks_choose_and_press),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
