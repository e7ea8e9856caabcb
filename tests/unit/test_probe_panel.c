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

#include "panel_stage.h"

static void test_it_opens_for_the_row_and_asks_at_once(void **state)
{
	struct scene *scene = *state;
	const struct probe_order *order;

	scene_press(scene, "p");
	order = probe_fixture_order(scene, PROBE_EXAMINE);
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
	struct scene *scene = *state;
	const struct probe_order *order;

	scene_press(scene, "jp");
	order = probe_fixture_order(scene, PROBE_EXAMINE);
	assert_int_equal(order->choice.spec.kind, PROBE_KERNEL);
	assert_string_equal(order->choice.spec.file, "");
	assert_string_equal(order->choice.spec.text, "lat:copy_user_enhanced_fast_string");
	assert_int_equal(order->choice.reach, REACH_ALL);
	assert_int_equal(order->choice.pid, 0);
}

static void test_the_process_of_the_filter_is_meant(void **state)
{
	const struct filter_part part = { .field = FILTER_PID, .number = 77 };
	struct scene *scene = *state;

	state_go(&scene->state, VIEW_SYMBOLS, &part);
	scene_show(scene);
	scene_press(scene, "jp");
	assert_int_equal(probe_fixture_order(scene, PROBE_EXAMINE)->choice.pid, 77);
}

/* Of calls no task is known; the process that is sampled alone is meant. */
static void test_calls_are_of_the_process_that_is_sampled(void **state)
{
	static const enum view_kind kinds[] = { VIEW_TREE, VIEW_FLAME };
	struct scene *scene = *state;

	for (int i = 0; i < 4; i++) {
		const struct probe_choice *choice;

		state_show_kind(&scene->state, kinds[i % 2]);
		scene_prepare(scene);
		scene->snapshot.target_pid = i < 2 ? 0 : 4121;
		scene_show(scene);
		frame_draw(&scene->state, &scene->canvas);
		scene_press(scene, "jjjp");
		choice = &probe_fixture_order(scene, PROBE_EXAMINE)->choice;
		assert_int_equal(choice->pid, i < 2 ? 0 : 4121);
		assert_int_equal(choice->reach, i < 2 ? REACH_ALL : REACH_PROCESS);
		frame_draw(&scene->state, &scene->canvas);
		assert_int_equal(scene_has(scene, "(\u2022) this process 4121"), i >= 2);
		scene_press_key(scene, UI_KEY_ESCAPE);
		probe_fixture_send(scene);
	}
}

static void check_refusal(struct snapshot_row row, const char *begin)
{
	char why[PANEL_WHY_BYTES];

	if (!row.symbol)
		row.symbol = "f";
	if (!row.object_path)
		row.object_path = "/bin/f";
	probe_panel_row_refusal(&row, why);
	assert_int_equal(strncmp(why, begin, strlen(begin)), 0);
	assert_int_equal(!why[0], !begin[0]);
}

static void test_rows_that_are_no_function_say_why(void **state)
{
	(void)state;
	check_refusal((struct snapshot_row){ .mode = MODE_USER }, "");
	check_refusal((struct snapshot_row){ .mode = MODE_KERNEL, .object_path = "[kernel]" }, "");
	check_refusal((struct snapshot_row){ .mode = MODE_USER, .symbol = "" }, "this row is no");
	check_refusal((struct snapshot_row){ .mode = MODE_USER, .state = SYMBOL_LOADING },
		      "its names are being read");
	check_refusal((struct snapshot_row){ .mode = MODE_USER, .state = SYMBOL_UNKNOWN },
		      "no symbol covers");
	check_refusal((struct snapshot_row){ .mode = MODE_USER, .state = SYMBOL_UNREADABLE },
		      "its file could not");
	check_refusal((struct snapshot_row){ .mode = MODE_USER, .is_synthetic = true }, "");
	check_refusal((struct snapshot_row){ .mode = MODE_USER, .object_path = "[jit]" },
		      "code that was made at run time");
	check_refusal((struct snapshot_row){ .mode = MODE_GUEST_KERNEL }, "it runs in a guest");
	check_refusal((struct snapshot_row){ .mode = MODE_UNKNOWN }, "this is no function");
}

static void test_every_change_of_choice_is_examined_once(void **state)
{
	struct scene *scene = panel_open_first(state);

	scene_press_key(scene, UI_KEY_TAB);	/* moving changes nothing */
	assert_int_equal(scene->state.order_count, 0);
	panel_focus_on(scene, PANEL_WHAT, PROBE_ENTRY);
	scene_press(scene, " ");
	assert_int_equal(scene->state.order_count, 1);
	assert_string_equal(probe_fixture_order(scene, PROBE_EXAMINE)->choice.spec.text,
			    "u:" POSTGRES ":hash_search_with_hash_value key");
	scene_press(scene, " ");
	assert_int_equal(scene->state.order_count, 1);
	panel_focus_on(scene, PANEL_WHERE, REACH_ALL);
	scene_press(scene, " ");
	assert_int_equal(probe_fixture_order(scene, PROBE_EXAMINE)->choice.reach, REACH_ALL);
}

static void test_an_answer_to_an_older_question_is_dropped(void **state)
{
	struct scene *scene = panel_open_first(state);
	struct probe_answer old = panel_answer(VERDICT_REFUSED);

	old.number = scene->state.panel.number;
	panel_focus_on(scene, PANEL_STACKS, 0);
	scene_press(scene, " ");
	state_probe_answered(&scene->state, &old);
	assert_int_equal(scene->state.panel.answer.verdict, VERDICT_OK);
	assert_true(scene->state.panel.is_stale);
}

static void test_enter_attaches_what_is_chosen(void **state)
{
	struct scene *scene = panel_open_first(state);
	const struct probe_order *order;

	scene_press_key(scene, UI_KEY_ENTER);
	order = probe_fixture_order(scene, PROBE_ADD);
	assert_string_equal(order->choice.spec.text,
			    "lat:" POSTGRES ":hash_search_with_hash_value key $retval");
	assert_int_equal(order->choice.spec.argument_count, 2);
	assert_string_equal(order->choice.spec.arguments[1].value, "$retval");
	assert_false(order->choice.insists);
	assert_false(scene->state.panel.is_open);
	assert_int_equal(scene->state.adding, order->number);
}

static void test_count_only_is_calls_without_all_else(void **state)
{
	struct scene *scene = panel_open_first(state);
	const struct probe_order *order;

	panel_focus_on(scene, PANEL_BUTTON, BUTTON_COUNT);
	scene_press_key(scene, UI_KEY_ENTER);
	order = probe_fixture_order(scene, PROBE_ADD);
	assert_string_equal(order->choice.spec.text,
			    "u:" POSTGRES ":hash_search_with_hash_value");
	assert_int_equal(order->choice.spec.edge, PROBE_ENTRY);
	assert_false(order->choice.with_stacks);
}

static void test_enter_before_the_verdict_attaches_when_it_comes(void **state)
{
	struct scene *scene = *state;
	struct probe_answer part = panel_answer(VERDICT_OK);

	scene_press(scene, "p");
	probe_fixture_send(scene);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(scene->state.order_count, 0);
	part.is_done = part.has_rate = false;
	panel_give(scene, part);
	assert_int_equal(scene->state.order_count, 0);
	panel_give(scene, panel_answer(VERDICT_OK));
	probe_fixture_order(scene, PROBE_ADD);
	assert_false(scene->state.panel.is_open);
}

static void test_enter_before_a_refusal_attaches_nothing(void **state)
{
	struct probe_answer answer = panel_answer(VERDICT_REFUSED);
	struct scene *scene = *state;

	scene_press(scene, "p");
	probe_fixture_send(scene);
	scene_press_key(scene, UI_KEY_ENTER);
	snprintf(answer.reason, sizeof(answer.reason), "on the blacklist");
	panel_give(scene, answer);
	assert_int_equal(scene->state.order_count, 0);
	assert_true(scene->state.panel.is_open);
	assert_string_equal(scene->state.message, "on the blacklist");
}

/* A panel whose first answer is @answer: that of a probe with its latency. */
static struct scene *open_with(void **state, struct probe_answer answer)
{
	struct scene *scene = *state;

	scene_press(scene, "p");
	probe_fixture_send(scene);
	panel_give(scene, answer);
	return scene;
}

static struct probe_answer caution(void)
{
	struct probe_answer answer = panel_answer(VERDICT_ASKS);

	snprintf(answer.reason, sizeof(answer.reason), "an exception ends the program");
	return answer;
}

static void test_what_asks_for_caution_starts_on_calls_only(void **state)
{
	struct scene *scene = open_with(state, caution());
	const struct probe_order *order = probe_fixture_order(scene, PROBE_EXAMINE);

	assert_int_equal(scene->state.panel.edge, PROBE_ENTRY);
	assert_int_equal(order->choice.spec.edge, PROBE_ENTRY);
	probe_fixture_send(scene);
	panel_give(scene, panel_answer(VERDICT_OK));
	frame_draw(&scene->state, &scene->canvas);
	assert_true(scene_has(scene, "latency asks for caution: an exception ends the program"));
	scene_press_key(scene, UI_KEY_ENTER);
	order = probe_fixture_order(scene, PROBE_ADD);
	assert_string_equal(order->choice.spec.text,
			    "u:" POSTGRES ":hash_search_with_hash_value key");
	assert_false(order->choice.insists);
}

static void test_enter_before_a_caution_attaches_calls_only(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "p");
	probe_fixture_send(scene);
	scene_press_key(scene, UI_KEY_ENTER);
	panel_give(scene, caution());
	probe_fixture_order(scene, PROBE_EXAMINE);
	probe_fixture_send(scene);
	panel_give(scene, panel_answer(VERDICT_OK));
	assert_int_equal(probe_fixture_order(scene, PROBE_ADD)->choice.spec.edge, PROBE_ENTRY);
	assert_string_equal(scene->state.message, "attaching hash_search_with_hash_value, calls "
			    "only: its latency asks for caution");
}

static void test_latency_that_was_chosen_again_asks(void **state)
{
	struct scene *scene = open_with(state, caution());

	probe_fixture_send(scene);
	panel_give(scene, panel_answer(VERDICT_OK));
	panel_focus_on(scene, PANEL_WHAT, PROBE_LATENCY);
	scene_press(scene, " ");
	probe_fixture_order(scene, PROBE_EXAMINE);
	probe_fixture_send(scene);
	panel_give(scene, caution());
	assert_int_equal(scene->state.panel.edge, PROBE_LATENCY);
	assert_int_equal(scene->state.order_count, 0);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(scene->state.order_count, 0);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(probe_fixture_order(scene, PROBE_ADD)->choice.insists);
}

/* Who asks for a value or a latency does not mean calls. */
static void test_a_spec_with_values_or_a_filter_keeps_its_latency(void **state)
{
	static const char *const specs[] = { "lat:/bin/prog:run $retval",
					     "lat:/bin/prog:run if lat > 5ms" };
	struct scene *scene = *state;

	for (size_t i = 0; i < 2; i++) {
		struct probe_spec spec;

		assert_int_equal(probe_spec_parse(&spec, specs[i], NULL), 0);
		probe_panel_open_spec(&scene->state, &spec, 0);
		probe_fixture_send(scene);
		panel_give(scene, caution());
		assert_int_equal(scene->state.panel.edge, PROBE_LATENCY);
		assert_int_equal(scene->state.order_count, 0);
	}
}

static void test_what_asks_is_attached_by_the_second_enter(void **state)
{
	struct scene *scene = panel_open_first(state);

	panel_give(scene, panel_answer(VERDICT_ASKS));
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(scene->state.order_count, 0);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(probe_fixture_order(scene, PROBE_ADD)->choice.insists);
}

static const struct probe_choice *press_enter_to_add(struct scene *scene)
{
	scene_press_key(scene, UI_KEY_ENTER);
	return &probe_fixture_order(scene, PROBE_ADD)->choice;
}

static void test_what_is_over_the_cap_offers_the_one_that_is_enough(void **state)
{
	struct probe_answer answer = panel_answer(VERDICT_OK);
	struct scene *scene = panel_open_first(state);
	const struct probe_choice *choice;

	answer.cost_pct = 10.1;
	panel_give(scene, answer);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(scene->state.order_count, 0);
	assert_string_equal(scene->state.message,
			    "it would take 10.1 %: Enter attaches with cap 25 %, "
			    "Left Right choose");
	assert_true(probe_panel_is_focus(&scene->state.panel, PANEL_CAP, 2));
	choice = press_enter_to_add(scene);
	assert_true(choice->cap_pct == 25);
	assert_false(choice->in_bursts);
}

static void test_one_enter_answers_all_that_is_in_the_way(void **state)
{
	struct probe_answer answer = panel_answer(VERDICT_ASKS);
	struct scene *scene = panel_open_first(state);

	answer.cost_pct = 5.1;
	panel_give(scene, answer);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(scene->state.order_count, 0);
	assert_string_equal(scene->state.message, "caution, and it would take 5.1 %: Enter "
			    "attaches with cap 10 %, Left Right choose");
	assert_true(press_enter_to_add(scene)->insists);
}

/* Over 100 % of one CPU only a sample of the hits can be had. */
static void test_what_is_over_every_cap_offers_bursts(void **state)
{
	struct probe_answer answer = panel_answer(VERDICT_OK);
	struct scene *scene = panel_open_first(state);
	const struct probe_choice *choice;

	answer.cost_pct = 100.5;
	panel_give(scene, answer);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(probe_panel_is_focus(&scene->state.panel, PANEL_CAP, 4));
	choice = press_enter_to_add(scene);
	assert_true(choice->in_bursts);
	assert_true(choice->cap_pct == 5);
}

static void test_a_cap_is_chosen_before_without_a_question(void **state)
{
	struct probe_answer answer = panel_answer(VERDICT_OK);
	struct scene *scene = panel_open_first(state);

	answer.cost_pct = 110;
	panel_give(scene, answer);
	panel_focus_on(scene, PANEL_CAP, 3);
	scene_press(scene, " ");
	assert_int_equal(scene->state.order_count, 0);	/* nothing to be looked at anew */
	panel_focus_on(scene, PANEL_BUTTON, BUTTON_ATTACH);
	assert_true(press_enter_to_add(scene)->cap_pct == 100);
	scene_press(scene, "p");
	panel_give(scene, answer);
	probe_fixture_send(scene);
	panel_focus_on(scene, PANEL_CAP, 2);	/* Enter takes the one it is on */
	assert_true(press_enter_to_add(scene)->cap_pct == 25);
}

static void expect_caps(struct scene *scene, double own_pct, const char *line, double chosen_pct)
{
	scene->probes.cap_pct = own_pct;
	scene_press(scene, "p");
	frame_draw(&scene->state, &scene->canvas);
	assert_true(scene_has(scene, line));
	panel_give(scene, panel_answer(VERDICT_OK));
	probe_fixture_send(scene);
	assert_true(press_enter_to_add(scene)->cap_pct >= chosen_pct);
	probe_fixture_send(scene);
}

static void test_the_cap_of_the_command_line_is_among_them_and_chosen(void **state)
{
	struct scene *scene = *state;

	expect_caps(scene, 5, "(\u2022) 5 %  ( ) 10 %  ( ) 25 %  ( ) 100 %  ( ) bursts", 5);
	expect_caps(scene, 1, "(\u2022) 1 %  ( ) 5 %  ( ) 10 %  ( ) 25 %  ( ) 100 %", 1);
	expect_caps(scene, 12.5, "( ) 10 %  (\u2022) 12.5 %  ( ) 25 %", 12.5);
	expect_caps(scene, 100, "( ) 25 %  (\u2022) 100 %", 100);
	expect_caps(scene, 250, "( ) 100 %  (\u2022) 250 %", 250);
	expect_caps(scene, INFINITY, "( ) 100 %  (\u2022) none", INFINITY);
}

static void test_what_can_not_be_attached_has_no_caps(void **state)
{
	struct scene *scene = open_with(state, panel_answer(VERDICT_REFUSED));

	frame_draw(&scene->state, &scene->canvas);
	assert_false(scene_has(scene, "10 %"));
	for (int i = 0; i < PANEL_ITEMS; i++) {
		assert_int_not_equal(scene->state.panel.focus.part, PANEL_CAP);
		scene_press_key(scene, UI_KEY_TAB);
	}
}

static void test_up_and_down_go_to_what_is_taken(void **state)
{
	struct scene *scene = panel_open_first(state);

	panel_focus_on(scene, PANEL_CAP, 2);
	scene_press(scene, " ");
	scene_press_key(scene, UI_KEY_DOWN);
	scene_press_key(scene, UI_KEY_UP);
	assert_true(probe_panel_is_focus(&scene->state.panel, PANEL_CAP, 2));
}

static void test_a_new_filter_takes_back_what_was_pressed_before(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "p");
	probe_fixture_send(scene);
	scene_press_key(scene, UI_KEY_ENTER);	/* waits for the verdict */
	assert_true(scene->state.panel.is_attaching);
	panel_focus_on(scene, PANEL_FILTER, 0);
	scene_press(scene, "pid > 1");
	panel_give(scene, panel_answer(VERDICT_ASKS));
	assert_int_equal(scene->state.order_count, 0);
	scene_press(scene, "00");
	assert_string_equal(scene->state.panel.filter.text, "pid > 100");
	scene_press_key(scene, UI_KEY_ENTER);
	panel_give(scene, panel_answer(VERDICT_ASKS));
	probe_fixture_send(scene);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(scene->state.panel.has_warned);
	panel_focus_on(scene, PANEL_FILTER, 0);
	scene_press(scene, "0");
	assert_false(scene->state.panel.has_warned);
}

static void test_what_is_hot_everywhere_needs_its_name_typed(void **state)
{
	struct probe_answer answer = panel_answer(VERDICT_OK);
	struct scene *scene = panel_open_first(state);

	answer.must_type = true;
	panel_give(scene, answer);
	scene_press(scene, "hash_search");	/* wherever the cursor is */
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(scene->state.order_count, 0);
	assert_true(scene->state.panel.is_open);
	scene_press(scene, "_with_hash_value");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(probe_fixture_order(scene, PROBE_ADD)->choice.insists);
}

static void expect_bottom(struct scene *scene, const char *begin)
{
	frame_draw(&scene->state, &scene->canvas);
	assert_true(scene_has(scene, begin));
}

static void test_the_bottom_line_says_what_enter_does(void **state)
{
	struct probe_answer answer = panel_answer(VERDICT_OK);
	struct scene *scene = panel_open_first(state);

	expect_bottom(scene, " Enter attach \u00b7 Esc cancel \u00b7 Space choose");
	panel_focus_on(scene, PANEL_BUTTON, BUTTON_COUNT);
	expect_bottom(scene, " Enter attach, count only \u00b7");
	panel_focus_on(scene, PANEL_CAP, 0);
	expect_bottom(scene, " Enter attach with cap 5 % \u00b7 Esc cancel \u00b7 Space choose");
	panel_focus_on(scene, PANEL_FILTER, 0);
	expect_bottom(scene, " Enter to Attach \u00b7");
	panel_focus_on(scene, PANEL_BUTTON, BUTTON_ATTACH);
	answer.must_type = true;
	panel_give(scene, answer);
	expect_bottom(scene, " type hash_search_with_hash_value, then Enter attaches");
	scene_press(scene, "hash_search_with_hash_value");
	expect_bottom(scene, " Enter attach it all the same \u00b7");
	panel_give(scene, panel_answer(VERDICT_REFUSED));
	panel_focus_on(scene, PANEL_BUTTON, BUTTON_ATTACH);
	expect_bottom(scene, " it can't be attached \u00b7");
}

/* What was typed answers for the cost, too. */
static void test_a_typed_word_is_the_only_question(void **state)
{
	struct probe_answer answer = panel_answer(VERDICT_OK);
	struct scene *scene = panel_open_first(state);

	answer.must_type = true;
	answer.cost_pct = 40;
	panel_give(scene, answer);
	scene_press(scene, "hash_search_with_hash_value");
	assert_true(press_enter_to_add(scene)->insists);
}

static void test_a_place_without_a_function_is_confirmed_by_what_is_shown(void **state)
{
	struct probe_answer answer = panel_answer(VERDICT_OK);
	struct scene *scene = *state;
	struct probe_spec spec;
	struct diag why;

	assert_int_equal(probe_spec_parse(&spec, "u:/bin/prog:prog.c:42", &why), 0);
	probe_panel_open_spec(&scene->state, &spec, 0);
	probe_fixture_send(scene);
	answer.must_type = true;
	panel_give(scene, answer);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(scene->state.order_count, 0);
	assert_true(scene_has(scene, "to insist type prog.c:42"));
	scene_press(scene, "prog.c:42");
	scene_press_key(scene, UI_KEY_ENTER);
	probe_fixture_order(scene, PROBE_ADD);
}

/* A line of input takes 127 bytes. */
static void test_a_name_that_is_too_long_to_type_is_confirmed_by_yes(void **state)
{
	struct probe_answer answer = panel_answer(VERDICT_OK);
	struct scene *scene = panel_open_first(state);
	char name[PROMPT_BYTES + 1];

	memset(name, 'n', PROMPT_BYTES);
	name[PROMPT_BYTES] = '\0';
	probe_panel_call(&scene->state.panel, name);
	answer.must_type = true;
	panel_give(scene, answer);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(scene->state.order_count, 0);
	assert_true(scene_has(scene, "to insist type yes"));
	scene_press(scene, "yes");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(probe_fixture_order(scene, PROBE_ADD)->choice.insists);
}

static void test_esc_closes_and_cancels_what_is_being_found_out(void **state)
{
	struct scene *scene = *state;
	uint64_t number;

	scene_press(scene, "p");
	number = scene->state.panel.number;
	scene_press_key(scene, UI_KEY_ESCAPE);
	assert_false(scene->state.panel.is_open);
	assert_int_equal(probe_fixture_order(scene, PROBE_CANCEL)->number, number);
	probe_fixture_send(scene);
	scene_press(scene, "p");
	panel_give(scene, panel_answer(VERDICT_OK));
	probe_fixture_send(scene);
	scene_press_key(scene, UI_KEY_ESCAPE);
	assert_int_equal(scene->state.order_count, 0);	/* it was known already */
}

static void test_snapshots_and_the_table_go_on_beneath(void **state)
{
	struct scene *scene = panel_open_first(state);

	scene->snapshot.seq++;
	scene_show(scene);
	assert_true(scene->state.panel.is_open);
	assert_true(scene_has(scene, "probe hash_search_with_hash_value in postgres"));
	scene_press(scene, "q");
	assert_false(scene->state.wants_quit);
	scene_press_key(scene, UI_KEY_CTRL('C'));
	assert_true(scene->state.wants_quit);
}

static void test_clicks_choose_and_press(void **state)
{
	struct scene *scene = panel_open_first(state);
	struct mouse at = scene_find(scene, "( ) returns");

	scene_click(scene, MOUSE_PRESS, at.x + 3, at.y);
	assert_int_equal(scene->state.panel.edge, PROBE_RETURN);
	at = scene_find(scene, "[x] callers");
	scene_click(scene, MOUSE_PRESS, at.x, at.y);
	assert_false(scene->state.panel.with_stacks);
	at = scene_find(scene, "[ Cancel ]");
	scene_click(scene, MOUSE_PRESS, at.x, at.y);
	assert_false(scene->state.panel.is_open);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_it_opens_for_the_row_and_asks_at_once),
		SCENE_TEST(test_a_row_of_the_kernel_is_of_the_whole_system),
		SCENE_TEST(test_the_process_of_the_filter_is_meant),
		SCENE_TEST(test_calls_are_of_the_process_that_is_sampled),
		cmocka_unit_test(test_rows_that_are_no_function_say_why),
		SCENE_TEST(test_every_change_of_choice_is_examined_once),
		SCENE_TEST(test_an_answer_to_an_older_question_is_dropped),
		SCENE_TEST(test_enter_attaches_what_is_chosen),
		SCENE_TEST(test_count_only_is_calls_without_all_else),
		SCENE_TEST(test_enter_before_the_verdict_attaches_when_it_comes),
		SCENE_TEST(test_enter_before_a_refusal_attaches_nothing),
		SCENE_TEST(test_what_asks_for_caution_starts_on_calls_only),
		SCENE_TEST(test_enter_before_a_caution_attaches_calls_only),
		SCENE_TEST(test_latency_that_was_chosen_again_asks),
		SCENE_TEST(test_a_spec_with_values_or_a_filter_keeps_its_latency),
		SCENE_TEST(test_what_asks_is_attached_by_the_second_enter),
		SCENE_TEST(test_what_is_over_the_cap_offers_the_one_that_is_enough),
		SCENE_TEST(test_one_enter_answers_all_that_is_in_the_way),
		SCENE_TEST(test_what_is_over_every_cap_offers_bursts),
		SCENE_TEST(test_a_cap_is_chosen_before_without_a_question),
		SCENE_TEST(test_the_cap_of_the_command_line_is_among_them_and_chosen),
		SCENE_TEST(test_what_can_not_be_attached_has_no_caps),
		SCENE_TEST(test_up_and_down_go_to_what_is_taken),
		SCENE_TEST(test_the_bottom_line_says_what_enter_does),
		SCENE_TEST(test_a_typed_word_is_the_only_question),
		SCENE_TEST(test_a_new_filter_takes_back_what_was_pressed_before),
		SCENE_TEST(test_what_is_hot_everywhere_needs_its_name_typed),
		SCENE_TEST(test_a_place_without_a_function_is_confirmed_by_what_is_shown),
		SCENE_TEST(test_a_name_that_is_too_long_to_type_is_confirmed_by_yes),
		SCENE_TEST(test_esc_closes_and_cancels_what_is_being_found_out),
		SCENE_TEST(test_snapshots_and_the_table_go_on_beneath),
		SCENE_TEST(test_clicks_choose_and_press),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
