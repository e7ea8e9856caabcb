/* Between the panel and specs: what was typed, chosen and filtered is what it orders. */
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

/* "libfoo.so!" is only there to tell its rows from those of other files. */
static void test_a_row_without_a_symbol_is_named_by_its_address(void **state)
{
	const struct snapshot_row row = { .symbol = "libfoo.so!fn_1a2b",
					  .raw_symbol = "libfoo.so!fn_1a2b",
					  .object = "libfoo.so", .object_path = "/lib/libfoo.so",
					  .mode = MODE_USER, .is_synthetic = true };
	struct probe_spec spec;

	(void)state;
	probe_panel_row_spec(&row, &spec);
	assert_string_equal(spec.file, "/lib/libfoo.so");
	assert_string_equal(spec.function, "fn_1a2b");
}

/* The text is a spec for the same place, however that is called. */
static void check_text(struct scene *scene, struct probe_spec spec, const char *text)
{
	struct probe_spec read;
	struct diag why;

	probe_panel_open_spec(&scene->state, &spec, 0);
	assert_string_equal(panel_spec_text(scene), text);
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
	panel_focus_on(scene, PANEL_BUTTON, BUTTON_DRY_RUN);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(scene_has(scene, "--probe 'u:\"/it'\\''s\":f'"));
}

static void test_values_that_are_known_well_are_chosen_at_first(void **state)
{
	struct scene *scene = panel_open_first(state);

	assert_string_equal(panel_spec_text(scene),
			    "lat:" POSTGRES ":hash_search_with_hash_value key $retval");
	panel_focus_on(scene, PANEL_VALUE, 1);
	scene_press(scene, " ");
	assert_string_equal(panel_spec_text(scene), "lat:" POSTGRES
			    ":hash_search_with_hash_value key $arg2 $retval");
	panel_focus_on(scene, PANEL_VALUE, 0);
	scene_press(scene, " ");
	assert_string_equal(panel_spec_text(scene), "lat:" POSTGRES
			    ":hash_search_with_hash_value $arg2 $retval");
}

static void test_a_filter_is_part_of_the_spec_or_says_what_is_wrong(void **state)
{
	struct scene *scene = panel_open_first(state);

	panel_focus_on(scene, PANEL_FILTER, 0);
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
	panel_focus_on(scene, PANEL_FILTER, 0);
	scene_press(scene, condition);
	scene_press_key(scene, UI_KEY_ENTER);
}

static void choose(struct scene *scene, enum panel_part part, int index)
{
	panel_focus_on(scene, part, index);
	scene_press(scene, " ");
}

static void test_a_filter_needs_what_the_choices_bring(void **state)
{
	struct scene *scene = panel_open_first(state);
	const struct probe_panel *panel = &scene->state.panel;

	filter_by(scene, "lat > 5ms");
	assert_string_equal(panel->filter_why, "");
	choose(scene, PANEL_WHAT, PROBE_ENTRY);
	assert_int_equal(strncmp(panel->filter_why, "column 1: lat is known of lat:", 30), 0);
	probe_fixture_send(scene);
	panel_focus_on(scene, PANEL_BUTTON, BUTTON_ATTACH);
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
	struct scene *scene = panel_open_first(state);
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
	assert_string_equal(panel_spec_text(scene), spec.text);
	panel_focus_on(scene, PANEL_FILTER, 0);
	scene_press_key(scene, UI_KEY_CTRL('U'));
	scene_press_key(scene, UI_KEY_ENTER);
	assert_string_equal(panel_spec_text(scene), "t:sock:inet_sock_set_state dport");
	assert_int_equal(scene->state.panel.examined.spec.argument_count, 1);
}

static void test_count_only_drops_a_filter_that_needs_values(void **state)
{
	struct scene *scene = panel_open_first(state);
	const struct probe_spec *spec;

	filter_by(scene, "lat > 5ms");
	panel_give(scene, panel_answer(VERDICT_OK));
	panel_focus_on(scene, PANEL_BUTTON, BUTTON_COUNT);
	scene_press_key(scene, UI_KEY_ENTER);
	spec = &probe_fixture_order(scene, PROBE_ADD)->choice.spec;
	assert_string_equal(spec->text, "u:" POSTGRES ":hash_search_with_hash_value");
	assert_int_equal(spec->condition.count, 0);
	assert_string_equal(scene->state.message, "counting all of hash_search_with_hash_value: "
			    "its filter needs values");
}

static void test_count_only_keeps_a_filter_of_who_calls(void **state)
{
	struct scene *scene = panel_open_first(state);

	filter_by(scene, "comm == nginx");
	panel_give(scene, panel_answer(VERDICT_OK));
	panel_focus_on(scene, PANEL_BUTTON, BUTTON_COUNT);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_string_equal(probe_fixture_order(scene, PROBE_ADD)->choice.spec.text,
			    "u:" POSTGRES ":hash_search_with_hash_value if comm == nginx");
}

static void test_a_spec_keeps_its_arguments_and_condition(void **state)
{
	struct scene *scene = *state;
	struct probe_spec spec;
	struct diag why;

	assert_int_equal(probe_spec_parse(&spec, "lat:vfs_read count file->f_flags if count > 9",
					  &why), 0);
	probe_panel_open_spec(&scene->state, &spec, 0);
	assert_string_equal(panel_spec_text(scene),
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
	panel_give(scene, answer_of_libc());
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
	panel_give(scene, answer_of_libc());
	panel_focus_on(scene, PANEL_VALUE, 0);
	scene_press(scene, " ");
	assert_string_equal(panel_spec_text(scene), "lat:libc.so.6:open64 $retval:s32");
	scene_press(scene, " ");
	panel_focus_on(scene, PANEL_VALUE, 1);
	scene_press(scene, " ");
	assert_string_equal(panel_spec_text(scene), "lat:libc.so.6:open64 path=$arg1:string "
			    "$retval:s32 $arg2");
	panel_focus_on(scene, PANEL_WHAT, PROBE_ENTRY);
	scene_press(scene, " ");
	assert_string_equal(panel_spec_text(scene), "u:libc.so.6:open64 path=$arg1:string $arg2");
	panel_focus_on(scene, PANEL_WHAT, PROBE_RETURN);
	scene_press(scene, " ");
	assert_string_equal(panel_spec_text(scene), "ur:libc.so.6:open64 $retval:s32");
}

static void test_what_is_typed_but_not_offered_stays_in_sight(void **state)
{
	struct scene *scene = *state;

	open_typed(scene, "lat:vfs_read c=count file->f_flags if c > 9");
	assert_true(scene_has(scene, "c=count  file->f_flags"));
	panel_give(scene, panel_answer(VERDICT_OK));
	assert_true(scene_has(scene, "c=count  file->f_flags"));
	assert_string_equal(panel_spec_text(scene), "lat:vfs_read c=count file->f_flags if c > 9");
	panel_focus_on(scene, PANEL_WHAT, PROBE_RETURN);	/* there it is gone */
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
	panel_give(scene, answer);
	assert_true(scene->state.panel.is_chosen[3]);
	assert_string_equal(panel_spec_text(scene), "lat:t:syscalls:sys_enter_read->syscalls:"
			    "sys_exit_read fd ret");
	panel_focus_on(scene, PANEL_VALUE, 1);
	scene_press(scene, " ");
	panel_focus_on(scene, PANEL_VALUE, 3);	/* there is no second nr to choose */
	scene_press(scene, " ");
	assert_string_equal(panel_spec_text(scene), "lat:t:syscalls:sys_enter_read->syscalls:"
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
	assert_string_equal(panel_spec_text(scene), "t:sched:sched_switch");
	probe_panel_close(&scene->state);
	assert_int_equal(probe_spec_parse(&spec, "lat:t:block:block_rq_issue->block:"
					  "block_rq_complete by dev,sector", &why), 0);
	probe_panel_open_spec(&scene->state, &spec, 0);
	assert_int_equal(scene->state.panel.edges, 1u << PROBE_LATENCY);
	assert_string_equal(panel_spec_text(scene), "lat:t:block:block_rq_issue->block:"
			    "block_rq_complete by dev,sector");
}

/* What is ordered can be typed: the same text means the same place. */
static void test_what_it_orders_can_be_parsed(void **state)
{
	struct scene *scene = panel_open_first(state);
	struct probe_spec spec;
	struct diag why;

	assert_int_equal(probe_spec_parse(&spec, panel_spec_text(scene), &why), 0);
	assert_string_equal(spec.function, "hash_search_with_hash_value");
	assert_string_equal(spec.file, POSTGRES);
	assert_int_equal(spec.edge, PROBE_LATENCY);
	assert_int_equal(spec.argument_count, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_module_is_named_in_the_spec),
		cmocka_unit_test(test_a_row_without_a_symbol_is_named_by_its_address),
		SCENE_TEST(test_what_it_orders_is_read_back_as_the_same_place),
		SCENE_TEST(test_the_dry_run_is_one_word_for_a_shell),
		SCENE_TEST(test_values_that_are_known_well_are_chosen_at_first),
		SCENE_TEST(test_a_filter_is_part_of_the_spec_or_says_what_is_wrong),
		SCENE_TEST(test_a_filter_needs_what_the_choices_bring),
		SCENE_TEST(test_a_filter_brings_the_values_that_it_needs),
		SCENE_TEST(test_what_the_condition_implied_goes_with_it),
		SCENE_TEST(test_count_only_drops_a_filter_that_needs_values),
		SCENE_TEST(test_count_only_keeps_a_filter_of_who_calls),
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
