/* The panel: what it is opened for, what it orders, and when it does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <locale.h>
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
	check_refusal((struct snapshot_row){ .mode = MODE_USER, .is_synthetic = true },
		      "it has no symbol");
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

static void test_what_asks_is_attached_by_the_second_enter(void **state)
{
	struct scene *scene = panel_open_first(state);

	panel_give(scene, panel_answer(VERDICT_ASKS));
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(scene->state.order_count, 0);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(probe_fixture_order(scene, PROBE_ADD)->choice.insists);
}

static void test_what_is_over_the_cap_is_attached_by_the_second_enter(void **state)
{
	struct probe_answer answer = panel_answer(VERDICT_OK);
	struct scene *scene = panel_open_first(state);

	answer.cost_pct = 5.1;
	panel_give(scene, answer);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(scene->state.order_count, 0);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(probe_fixture_order(scene, PROBE_ADD)->choice.insists);
}

static void test_each_warning_has_an_enter_of_its_own(void **state)
{
	struct probe_answer answer = panel_answer(VERDICT_ASKS);
	struct scene *scene = panel_open_first(state);

	answer.cost_pct = 5.1;
	panel_give(scene, answer);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_string_equal(scene->state.message, "Enter once more attaches it all the same");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(scene->state.order_count, 0);
	assert_int_equal(strncmp(scene->state.message, "it would take more", 18), 0);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(probe_fixture_order(scene, PROBE_ADD)->choice.insists);
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
	scene_press_key(scene, UI_KEY_ENTER);
	scene_press(scene, "hash_search");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(scene->state.order_count, 0);
	assert_true(scene->state.panel.is_open);
	scene_press(scene, "_with_hash_value");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(probe_fixture_order(scene, PROBE_ADD)->choice.insists);
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
		cmocka_unit_test(test_rows_that_are_no_function_say_why),
		SCENE_TEST(test_every_change_of_choice_is_examined_once),
		SCENE_TEST(test_an_answer_to_an_older_question_is_dropped),
		SCENE_TEST(test_enter_attaches_what_is_chosen),
		SCENE_TEST(test_count_only_is_calls_without_all_else),
		SCENE_TEST(test_enter_before_the_verdict_attaches_when_it_comes),
		SCENE_TEST(test_enter_before_a_refusal_attaches_nothing),
		SCENE_TEST(test_what_asks_is_attached_by_the_second_enter),
		SCENE_TEST(test_what_is_over_the_cap_is_attached_by_the_second_enter),
		SCENE_TEST(test_each_warning_has_an_enter_of_its_own),
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
