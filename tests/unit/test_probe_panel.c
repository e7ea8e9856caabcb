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

#include "probe_fixture.h"

#define POSTGRES "/usr/lib/postgresql/15/bin/postgres"

static struct probe_answer answer_of(enum probe_verdict verdict)
{
	return (struct probe_answer){
		.kind = PROBE_EXAMINE, .is_done = true, .verdict = verdict, .functions = 1,
		.sites = 1, .has_rate = true, .hits_per_s = 100, .cost_pct = 0.1,
		.offered_count = 3,
		.offered = {
			{ .name = "key", .type = "int", .fetch = "%di:s32",
			  .origin = ORIGIN_DWARF },
			{ .name = "arg2", .fetch = "%si:u64", .origin = ORIGIN_ABI },
			{ .name = "$retval", .type = "int", .fetch = "$retval:s32",
			  .origin = ORIGIN_DWARF, .is_return = true },
		},
	};
}

static void give(struct scene *scene, struct probe_answer answer)
{
	answer.number = scene->state.panel.number;
	state_probe_answered(&scene->state, &answer);
}

/* The panel of the first row, examined, with its answer. */
static struct scene *panel_of(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "p");
	assert_true(scene->state.panel.is_open);
	give(scene, answer_of(VERDICT_OK));
	probe_fixture_send(scene);
	return scene;
}

static void focus_on(struct scene *scene, enum panel_part part, int index)
{
	for (int i = 0; i < PANEL_ITEMS; i++) {
		if (probe_panel_is_focus(&scene->state.panel, part, index))
			return;
		scene_press_key(scene, UI_KEY_TAB);
	}
	fail_msg("nothing is at %d %d", (int)part, index);
}

static const char *spec_text(const struct scene *scene)
{
	static struct probe_choice choice;

	probe_panel_choice(&scene->state.panel, false, &choice, NULL);
	return choice.spec.text;
}

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

static void test_a_module_is_named_in_the_spec(void **state)
{
	const struct snapshot_row row = { .symbol = "ext4_sync", .raw_symbol = "ext4_sync",
					  .object = "[ext4]", .mode = MODE_KERNEL };
	struct probe_spec spec;

	(void)state;
	probe_panel_row_spec(&row, &spec);
	assert_string_equal(spec.file, "ext4");
	assert_string_equal(spec.function, "ext4_sync");
}

/* The text is a spec for the same place, however that is called. */
static void check_text(struct scene *scene, struct probe_spec spec, const char *text)
{
	struct probe_spec read;
	struct diag why;

	probe_panel_open_spec(&scene->state, &spec, 0);
	assert_string_equal(spec_text(scene), text);
	if (probe_spec_parse(&read, text, &why))
		fail_msg("%s: %s", text, why.text);
	assert_int_equal(read.kind, spec.kind);
	assert_int_equal(read.edge, spec.edge);
	assert_string_equal(read.file, spec.file);
	assert_string_equal(read.function, spec.function);
	assert_int_equal(read.is_wildcard, spec.is_wildcard);
	assert_int_equal(read.offset, spec.offset);
}

static void test_what_it_orders_is_read_back_as_the_same_place(void **state)
{
	struct scene *scene = *state;

	check_text(scene, (struct probe_spec){ .kind = PROBE_KERNEL, .edge = PROBE_LATENCY,
					       .file = "ext4", .function = "ext4_sync" },
		   "lat:k:ext4:ext4_sync");
	check_text(scene, (struct probe_spec){ .kind = PROBE_KERNEL, .edge = PROBE_RETURN,
					       .file = "ext4", .function = "ext4_sync" },
		   "kr:ext4:ext4_sync");
	check_text(scene, (struct probe_spec){ .kind = PROBE_KERNEL, .edge = PROBE_ENTRY,
					       .function = "vfs_*", .is_wildcard = true },
		   "k:vfs_*");
	check_text(scene, (struct probe_spec){ .kind = PROBE_USER, .edge = PROBE_LATENCY,
					       .file = "/opt/My App/x",
					       .function = "f<int, char>(A const&)" },
		   "lat:\"/opt/My App/x\":\"f<int, char>(A const&)\"");
	check_text(scene, (struct probe_spec){ .kind = PROBE_USER, .edge = PROBE_ENTRY,
					       .file = "x", .function = "A::operator new*",
					       .is_wildcard = true },
		   "u:x:A::operator\\ new*");
	check_text(scene, (struct probe_spec){ .kind = PROBE_USER, .edge = PROBE_ENTRY,
					       .file = "x", .function = "operator+",
					       .offset = 16 },
		   "u:x:\"operator+\"+0x10");
	check_text(scene, (struct probe_spec){ .kind = PROBE_USDT, .edge = PROBE_ENTRY,
					       .file = "/a b", .group = "p", .function = "mark" },
		   "U:\"/a b\":p:mark");
}

static void test_the_dry_run_is_one_word_for_a_shell(void **state)
{
	struct scene *scene = *state;

	check_text(scene, (struct probe_spec){ .kind = PROBE_USER, .edge = PROBE_ENTRY,
					       .file = "/it's", .function = "f" },
		   "u:\"/it's\":f");
	focus_on(scene, PANEL_BUTTON, BUTTON_DRY_RUN);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(scene_has(scene, "--probe 'u:\"/it'\\''s\":f'"));
}

static void test_values_that_are_known_well_are_chosen_at_first(void **state)
{
	struct scene *scene = panel_of(state);

	assert_string_equal(spec_text(scene),
			    "lat:" POSTGRES ":hash_search_with_hash_value key $retval");
	focus_on(scene, PANEL_VALUE, 1);
	scene_press(scene, " ");
	assert_string_equal(spec_text(scene), "lat:" POSTGRES
			    ":hash_search_with_hash_value key $arg2 $retval");
	focus_on(scene, PANEL_VALUE, 0);
	scene_press(scene, " ");
	assert_string_equal(spec_text(scene), "lat:" POSTGRES
			    ":hash_search_with_hash_value $arg2 $retval");
}

static void test_every_change_of_choice_is_examined_once(void **state)
{
	struct scene *scene = panel_of(state);

	scene_press_key(scene, UI_KEY_TAB);	/* moving changes nothing */
	assert_int_equal(scene->state.order_count, 0);
	focus_on(scene, PANEL_WHAT, PROBE_ENTRY);
	scene_press(scene, " ");
	assert_int_equal(scene->state.order_count, 1);
	assert_string_equal(probe_fixture_order(scene, PROBE_EXAMINE)->choice.spec.text,
			    "u:" POSTGRES ":hash_search_with_hash_value key");
	scene_press(scene, " ");
	assert_int_equal(scene->state.order_count, 1);
	focus_on(scene, PANEL_WHERE, REACH_ALL);
	scene_press(scene, " ");
	assert_int_equal(probe_fixture_order(scene, PROBE_EXAMINE)->choice.reach, REACH_ALL);
}

static void test_an_answer_to_an_older_question_is_dropped(void **state)
{
	struct scene *scene = panel_of(state);
	struct probe_answer old = answer_of(VERDICT_REFUSED);

	old.number = scene->state.panel.number;
	focus_on(scene, PANEL_STACKS, 0);
	scene_press(scene, " ");
	state_probe_answered(&scene->state, &old);
	assert_int_equal(scene->state.panel.answer.verdict, VERDICT_OK);
	assert_true(scene->state.panel.is_stale);
}

static void test_enter_attaches_what_is_chosen(void **state)
{
	struct scene *scene = panel_of(state);
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
	struct scene *scene = panel_of(state);
	const struct probe_order *order;

	focus_on(scene, PANEL_BUTTON, BUTTON_COUNT);
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
	struct probe_answer part = answer_of(VERDICT_OK);

	scene_press(scene, "p");
	probe_fixture_send(scene);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(scene->state.order_count, 0);
	part.is_done = part.has_rate = false;
	give(scene, part);
	assert_int_equal(scene->state.order_count, 0);
	give(scene, answer_of(VERDICT_OK));
	probe_fixture_order(scene, PROBE_ADD);
	assert_false(scene->state.panel.is_open);
}

static void test_enter_before_a_refusal_attaches_nothing(void **state)
{
	struct probe_answer answer = answer_of(VERDICT_REFUSED);
	struct scene *scene = *state;

	scene_press(scene, "p");
	probe_fixture_send(scene);
	scene_press_key(scene, UI_KEY_ENTER);
	snprintf(answer.reason, sizeof(answer.reason), "on the blacklist");
	give(scene, answer);
	assert_int_equal(scene->state.order_count, 0);
	assert_true(scene->state.panel.is_open);
	assert_string_equal(scene->state.message, "on the blacklist");
}

static void test_what_asks_is_attached_by_the_second_enter(void **state)
{
	struct scene *scene = panel_of(state);

	give(scene, answer_of(VERDICT_ASKS));
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(scene->state.order_count, 0);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(probe_fixture_order(scene, PROBE_ADD)->choice.insists);
}

static void test_what_is_over_the_cap_is_attached_by_the_second_enter(void **state)
{
	struct probe_answer answer = answer_of(VERDICT_OK);
	struct scene *scene = panel_of(state);

	answer.cost_pct = 5.1;
	give(scene, answer);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(scene->state.order_count, 0);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(probe_fixture_order(scene, PROBE_ADD)->choice.insists);
}

static void test_each_warning_has_an_enter_of_its_own(void **state)
{
	struct probe_answer answer = answer_of(VERDICT_ASKS);
	struct scene *scene = panel_of(state);

	answer.cost_pct = 5.1;
	give(scene, answer);
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
	focus_on(scene, PANEL_FILTER, 0);
	scene_press(scene, "pid > 1");
	give(scene, answer_of(VERDICT_ASKS));
	assert_int_equal(scene->state.order_count, 0);
	scene_press(scene, "00");
	assert_string_equal(scene->state.panel.filter.text, "pid > 100");
	scene_press_key(scene, UI_KEY_ENTER);
	give(scene, answer_of(VERDICT_ASKS));
	probe_fixture_send(scene);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(scene->state.panel.has_warned);
	focus_on(scene, PANEL_FILTER, 0);
	scene_press(scene, "0");
	assert_false(scene->state.panel.has_warned);
}

static void test_what_is_hot_everywhere_needs_its_name_typed(void **state)
{
	struct probe_answer answer = answer_of(VERDICT_OK);
	struct scene *scene = panel_of(state);

	answer.must_type = true;
	give(scene, answer);
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
	struct probe_answer answer = answer_of(VERDICT_OK);
	struct scene *scene = *state;
	struct probe_spec spec;
	struct diag why;

	assert_int_equal(probe_spec_parse(&spec, "u:/bin/prog:prog.c:42", &why), 0);
	probe_panel_open_spec(&scene->state, &spec, 0);
	probe_fixture_send(scene);
	answer.must_type = true;
	give(scene, answer);
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
	struct probe_answer answer = answer_of(VERDICT_OK);
	struct scene *scene = panel_of(state);
	char name[PROMPT_BYTES + 1];

	memset(name, 'n', PROMPT_BYTES);
	name[PROMPT_BYTES] = '\0';
	probe_panel_call(&scene->state.panel, name);
	answer.must_type = true;
	give(scene, answer);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(scene->state.order_count, 0);
	assert_true(scene_has(scene, "to insist type yes"));
	scene_press(scene, "yes");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(probe_fixture_order(scene, PROBE_ADD)->choice.insists);
}

static void test_a_filter_is_part_of_the_spec_or_says_what_is_wrong(void **state)
{
	struct scene *scene = panel_of(state);

	focus_on(scene, PANEL_FILTER, 0);
	scene_press(scene, "lat >");
	assert_true(scene->state.panel.filter_why[0]);
	scene_press_key(scene, UI_KEY_ENTER);	/* leaves the line */
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(scene->state.panel.is_open);
	assert_true(probe_panel_is_focus(&scene->state.panel, PANEL_FILTER, 0));
	scene_press(scene, " 5ms");
	assert_string_equal(scene->state.panel.filter_why, "");
	assert_int_equal(scene->state.order_count, 0);	/* not while one types */
	scene_press_key(scene, UI_KEY_ENTER);
	assert_string_equal(probe_fixture_order(scene, PROBE_EXAMINE)->choice.spec.text,
			    "lat:" POSTGRES ":hash_search_with_hash_value key $retval "
			    "if lat > 5ms");
	assert_int_equal(probe_fixture_order(scene, PROBE_EXAMINE)->choice.spec.condition.count,
			 1);
}

static void filter_by(struct scene *scene, const char *condition)
{
	focus_on(scene, PANEL_FILTER, 0);
	scene_press(scene, condition);
	scene_press_key(scene, UI_KEY_ENTER);
}

static void choose(struct scene *scene, enum panel_part part, int index)
{
	focus_on(scene, part, index);
	scene_press(scene, " ");
}

static void test_a_filter_needs_what_the_choices_bring(void **state)
{
	struct scene *scene = panel_of(state);
	const struct probe_panel *panel = &scene->state.panel;

	filter_by(scene, "lat > 5ms");
	assert_string_equal(panel->filter_why, "");
	choose(scene, PANEL_WHAT, PROBE_ENTRY);
	assert_int_equal(strncmp(panel->filter_why, "column 1: lat is known of lat:", 30), 0);
	probe_fixture_send(scene);
	focus_on(scene, PANEL_BUTTON, BUTTON_ATTACH);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(scene->state.order_count, 0);
	assert_true(panel->is_open);
	assert_true(probe_panel_is_focus(panel, PANEL_FILTER, 0));
	scene_press_key(scene, UI_KEY_CTRL('U'));
	scene_press(scene, "ret < 0");
	assert_int_equal(strncmp(panel->filter_why, "column 1: $retval is known at", 29), 0);
	choose(scene, PANEL_WHAT, PROBE_LATENCY);
	assert_string_equal(panel->filter_why, "");
}

/* What is not ticked is fetched for the filter's sake, whatever it is called. */
static void test_a_filter_brings_the_values_that_it_needs(void **state)
{
	struct scene *scene = panel_of(state);
	const struct probe_spec *spec;

	choose(scene, PANEL_VALUE, 2);
	choose(scene, PANEL_VALUE, 0);
	filter_by(scene, "ret < 0 and kye > 3");
	spec = &probe_fixture_order(scene, PROBE_EXAMINE)->choice.spec;
	assert_string_equal(spec->text, "lat:" POSTGRES ":hash_search_with_hash_value "
			    "if ret < 0 and kye > 3");
	assert_int_equal(spec->argument_count, 2);
	assert_string_equal(spec->arguments[0].value, "$retval");
	assert_string_equal(spec->arguments[1].value, "kye");
	assert_true(spec->arguments[0].is_implied && spec->arguments[1].is_implied);
}

static void test_what_the_condition_implied_goes_with_it(void **state)
{
	struct scene *scene = *state;
	struct probe_spec spec;
	struct diag why;

	assert_int_equal(probe_spec_parse(&spec, "t:sock:inet_sock_set_state dport if protocol "
					  "== 6 and newstate == 2", &why), 0);
	probe_panel_open_spec(&scene->state, &spec, 0);
	assert_int_equal(scene->state.panel.examined.spec.argument_count, 3);
	assert_string_equal(spec_text(scene), spec.text);
	focus_on(scene, PANEL_FILTER, 0);
	scene_press_key(scene, UI_KEY_CTRL('U'));
	scene_press_key(scene, UI_KEY_ENTER);
	assert_string_equal(spec_text(scene), "t:sock:inet_sock_set_state dport");
	assert_int_equal(scene->state.panel.examined.spec.argument_count, 1);
}

static void test_count_only_drops_a_filter_that_needs_values(void **state)
{
	struct scene *scene = panel_of(state);
	const struct probe_spec *spec;

	filter_by(scene, "lat > 5ms");
	give(scene, answer_of(VERDICT_OK));
	focus_on(scene, PANEL_BUTTON, BUTTON_COUNT);
	scene_press_key(scene, UI_KEY_ENTER);
	spec = &probe_fixture_order(scene, PROBE_ADD)->choice.spec;
	assert_string_equal(spec->text, "u:" POSTGRES ":hash_search_with_hash_value");
	assert_int_equal(spec->condition.count, 0);
	assert_string_equal(scene->state.message, "counting all of hash_search_with_hash_value: "
			    "its filter needs values");
}

static void test_count_only_keeps_a_filter_of_who_calls(void **state)
{
	struct scene *scene = panel_of(state);

	filter_by(scene, "comm == nginx");
	give(scene, answer_of(VERDICT_OK));
	focus_on(scene, PANEL_BUTTON, BUTTON_COUNT);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_string_equal(probe_fixture_order(scene, PROBE_ADD)->choice.spec.text,
			    "u:" POSTGRES ":hash_search_with_hash_value if comm == nginx");
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
	give(scene, answer_of(VERDICT_OK));
	probe_fixture_send(scene);
	scene_press_key(scene, UI_KEY_ESCAPE);
	assert_int_equal(scene->state.order_count, 0);	/* it was known already */
}

static void test_snapshots_and_the_table_go_on_beneath(void **state)
{
	struct scene *scene = panel_of(state);

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
	struct scene *scene = panel_of(state);
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

static void test_a_spec_keeps_its_arguments_and_condition(void **state)
{
	struct scene *scene = *state;
	struct probe_spec spec;
	struct diag why;

	assert_int_equal(probe_spec_parse(&spec, "lat:vfs_read count file->f_flags if count > 9",
					  &why), 0);
	probe_panel_open_spec(&scene->state, &spec, 0);
	assert_string_equal(spec_text(scene),
			    "lat:vfs_read count file->f_flags if count > 9");
	assert_string_equal(scene->state.panel.name, "vfs_read");
	assert_string_equal(scene->state.panel.object, "[kernel]");
	assert_int_equal(probe_fixture_order(scene, PROBE_EXAMINE)->choice.reach, REACH_ALL);
}

static void open_typed(struct scene *scene, const char *text)
{
	struct probe_spec spec;
	struct diag why;

	assert_int_equal(probe_spec_parse(&spec, text, &why), 0);
	probe_panel_open_spec(&scene->state, &spec, 0);
}

/* What libc offers without debug information. */
static struct probe_answer answer_of_libc(void)
{
	return (struct probe_answer){
		.kind = PROBE_EXAMINE, .is_done = true, .functions = 1, .sites = 1,
		.has_rate = true, .hits_per_s = 100, .cost_pct = 0.1, .offered_count = 3,
		.offered = {
			{ .name = "$arg1", .fetch = "%di:x64", .origin = ORIGIN_ABI },
			{ .name = "$arg2", .fetch = "%si:x64", .origin = ORIGIN_ABI },
			{ .name = "$retval", .fetch = "$retval:x64", .origin = ORIGIN_ABI,
			  .is_return = true },
		},
	};
}

static void test_what_was_typed_keeps_its_name_and_type(void **state)
{
	struct scene *scene = *state;
	const struct probe_choice *choice;

	open_typed(scene, "lat:libc.so.6:open64 path=$arg1:string $retval:s32 if ret == -1");
	probe_fixture_send(scene);
	give(scene, answer_of_libc());
	assert_int_equal(scene->state.order_count, 0);	/* nothing was changed */
	assert_true(scene_has(scene, "[x] path=$arg1:string"));
	assert_true(scene_has(scene, "[x] $retval:s32"));
	scene_press_key(scene, UI_KEY_ENTER);
	choice = &probe_fixture_order(scene, PROBE_ADD)->choice;
	assert_string_equal(choice->spec.text, "lat:libc.so.6:open64 path=$arg1:string "
			    "$retval:s32 if ret == -1");
	assert_int_equal(choice->spec.argument_count, 2);
	assert_string_equal(choice->spec.arguments[0].name, "path");
	assert_string_equal(choice->spec.arguments[0].type, "string");
	assert_string_equal(choice->spec.arguments[1].type, "s32");
	assert_string_equal(choice->spec.condition.nodes[0].name, "ret");
}

static void test_a_typed_value_goes_with_its_tick_or_its_edge(void **state)
{
	struct scene *scene = *state;

	open_typed(scene, "lat:libc.so.6:open64 path=$arg1:string $retval:s32");
	give(scene, answer_of_libc());
	focus_on(scene, PANEL_VALUE, 0);
	scene_press(scene, " ");
	assert_string_equal(spec_text(scene), "lat:libc.so.6:open64 $retval:s32");
	scene_press(scene, " ");
	focus_on(scene, PANEL_VALUE, 1);
	scene_press(scene, " ");
	assert_string_equal(spec_text(scene), "lat:libc.so.6:open64 path=$arg1:string "
			    "$retval:s32 $arg2");
	focus_on(scene, PANEL_WHAT, PROBE_ENTRY);
	scene_press(scene, " ");
	assert_string_equal(spec_text(scene), "u:libc.so.6:open64 path=$arg1:string $arg2");
	focus_on(scene, PANEL_WHAT, PROBE_RETURN);
	scene_press(scene, " ");
	assert_string_equal(spec_text(scene), "ur:libc.so.6:open64 $retval:s32");
}

static void test_what_is_typed_but_not_offered_stays_in_sight(void **state)
{
	struct scene *scene = *state;

	open_typed(scene, "lat:vfs_read c=count file->f_flags if c > 9");
	assert_true(scene_has(scene, "c=count  file->f_flags"));
	give(scene, answer_of(VERDICT_OK));
	assert_true(scene_has(scene, "c=count  file->f_flags"));
	assert_string_equal(spec_text(scene), "lat:vfs_read c=count file->f_flags if c > 9");
	focus_on(scene, PANEL_WHAT, PROBE_RETURN);	/* there it is gone */
	scene_press(scene, " ");
	assert_false(scene_has(scene, "file->f_flags"));
}

/* Fields of the end are no return value; one that both ends have is that of the begin. */
static void test_fields_of_a_pair_are_called_as_they_are(void **state)
{
	struct probe_answer answer = {
		.kind = PROBE_EXAMINE, .is_done = true, .functions = 1, .sites = 1,
		.offered_count = 4,
		.offered = {
			{ .name = "fd", .fetch = "fd", .origin = ORIGIN_FORMAT },
			{ .name = "nr", .fetch = "nr", .origin = ORIGIN_FORMAT },
			{ .name = "nr", .fetch = "nr", .origin = ORIGIN_FORMAT, .is_return = true },
			{ .name = "ret", .fetch = "ret", .origin = ORIGIN_FORMAT,
			  .is_return = true },
		},
	};
	struct scene *scene = *state;

	open_typed(scene, "lat:t:syscalls:sys_enter_read fd ret");
	give(scene, answer);
	assert_true(scene->state.panel.is_chosen[3]);
	assert_string_equal(spec_text(scene), "lat:t:syscalls:sys_enter_read->syscalls:"
			    "sys_exit_read fd ret");
	focus_on(scene, PANEL_VALUE, 1);
	scene_press(scene, " ");
	focus_on(scene, PANEL_VALUE, 3);	/* there is no second nr to choose */
	scene_press(scene, " ");
	assert_string_equal(spec_text(scene), "lat:t:syscalls:sys_enter_read->syscalls:"
			    "sys_exit_read fd nr");
}

static void test_tracepoints_and_marks_have_hits_only(void **state)
{
	struct scene *scene = *state;
	struct probe_spec spec;
	struct diag why;

	assert_int_equal(probe_spec_parse(&spec, "t:sched:sched_switch", &why), 0);
	probe_panel_open_spec(&scene->state, &spec, 0);
	assert_int_equal(scene->state.panel.edges, 1u << PROBE_ENTRY);
	assert_string_equal(spec_text(scene), "t:sched:sched_switch");
	probe_panel_close(&scene->state);
	assert_int_equal(probe_spec_parse(&spec, "lat:t:block:block_rq_issue->block:"
					  "block_rq_complete by dev,sector", &why), 0);
	probe_panel_open_spec(&scene->state, &spec, 0);
	assert_int_equal(scene->state.panel.edges, 1u << PROBE_LATENCY);
	assert_string_equal(spec_text(scene), "lat:t:block:block_rq_issue->block:"
			    "block_rq_complete by dev,sector");
}

/* What is ordered can be typed: the same text means the same place. */
static void test_what_it_orders_can_be_parsed(void **state)
{
	struct scene *scene = panel_of(state);
	struct probe_spec spec;
	struct diag why;

	assert_int_equal(probe_spec_parse(&spec, spec_text(scene), &why), 0);
	assert_string_equal(spec.function, "hash_search_with_hash_value");
	assert_string_equal(spec.file, POSTGRES);
	assert_int_equal(spec.edge, PROBE_LATENCY);
	assert_int_equal(spec.argument_count, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_it_opens_for_the_row_and_asks_at_once),
		SCENE_TEST(test_a_row_of_the_kernel_is_of_the_whole_system),
		SCENE_TEST(test_the_process_of_the_filter_is_meant),
		cmocka_unit_test(test_rows_that_are_no_function_say_why),
		cmocka_unit_test(test_a_module_is_named_in_the_spec),
		SCENE_TEST(test_what_it_orders_is_read_back_as_the_same_place),
		SCENE_TEST(test_the_dry_run_is_one_word_for_a_shell),
		SCENE_TEST(test_values_that_are_known_well_are_chosen_at_first),
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
		SCENE_TEST(test_a_filter_is_part_of_the_spec_or_says_what_is_wrong),
		SCENE_TEST(test_a_filter_needs_what_the_choices_bring),
		SCENE_TEST(test_a_filter_brings_the_values_that_it_needs),
		SCENE_TEST(test_what_the_condition_implied_goes_with_it),
		SCENE_TEST(test_count_only_drops_a_filter_that_needs_values),
		SCENE_TEST(test_count_only_keeps_a_filter_of_who_calls),
		SCENE_TEST(test_esc_closes_and_cancels_what_is_being_found_out),
		SCENE_TEST(test_snapshots_and_the_table_go_on_beneath),
		SCENE_TEST(test_clicks_choose_and_press),
		SCENE_TEST(test_a_spec_keeps_its_arguments_and_condition),
		SCENE_TEST(test_what_was_typed_keeps_its_name_and_type),
		SCENE_TEST(test_a_typed_value_goes_with_its_tick_or_its_edge),
		SCENE_TEST(test_what_is_typed_but_not_offered_stays_in_sight),
		SCENE_TEST(test_fields_of_a_pair_are_called_as_they_are),
		SCENE_TEST(test_tracepoints_and_marks_have_hits_only),
		SCENE_TEST(test_what_it_orders_can_be_parsed),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
