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

#include "panel_fixture.h"
#include "unit_tests.h"

static void test_a_module_is_named_in_the_spec(void **state)
{
	const struct snapshot_row row = { .symbol = "ext4_sync", .raw_symbol = "ext4_sync",
					  .dso = "[ext4]", .mode = MODE_KERNEL };
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
					  .dso = "libfoo.so", .dso_path = "/lib/libfoo.so",
					  .mode = MODE_USER, .is_synthetic = true };
	struct probe_spec spec;

	(void)state;
	probe_panel_row_spec(&row, &spec);
	assert_string_equal(spec.file, "/lib/libfoo.so");
	assert_string_equal(spec.function, "fn_1a2b");
}

/* The text is a spec for the same place, however that is called. */
static void check_text(struct ui *ui, struct probe_spec spec, const char *text)
{
	struct probe_spec read;
	struct diag why;

	probe_panel_open_spec(&ui->state, &spec, 0);
	assert_string_equal(panel_spec_text(ui), text);
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
	struct ui *ui = *state;

	check_text(ui, (struct probe_spec){ .kind = PROBE_KERNEL, .edge = PROBE_LATENCY,
					       .file = "ext4", .function = "ext4_sync" },
		   "lat:k:ext4:ext4_sync");
	check_text(ui, (struct probe_spec){ .kind = PROBE_KERNEL, .edge = PROBE_RETURN,
					       .file = "ext4", .function = "ext4_sync" },
		   "kr:ext4:ext4_sync");
	check_text(ui, (struct probe_spec){ .kind = PROBE_KERNEL, .edge = PROBE_ENTRY,
					       .function = "vfs_*", .is_wildcard = true },
		   "k:vfs_*");
	check_text(ui, (struct probe_spec){ .kind = PROBE_USER, .edge = PROBE_LATENCY,
					       .file = "/opt/My App/x",
					       .function = "f<int, char>(A const&)" },
		   "lat:\"/opt/My App/x\":\"f<int, char>(A const&)\"");
	check_text(ui, (struct probe_spec){ .kind = PROBE_USER, .edge = PROBE_ENTRY,
					       .file = "x", .function = "A::operator new*",
					       .is_wildcard = true },
		   "u:x:A::operator\\ new*");
	check_text(ui, (struct probe_spec){ .kind = PROBE_USER, .edge = PROBE_ENTRY,
					       .file = "x", .function = "operator+",
					       .offset = 16 },
		   "u:x:\"operator+\"+0x10");
	check_text(ui, (struct probe_spec){ .kind = PROBE_USDT, .edge = PROBE_ENTRY,
					       .file = "/a b", .group = "p", .function = "mark" },
		   "U:\"/a b\":p:mark");
}

static void test_the_dry_run_is_one_word_for_a_shell(void **state)
{
	struct ui *ui = *state;

	check_text(ui, (struct probe_spec){ .kind = PROBE_USER, .edge = PROBE_ENTRY,
					       .file = "/it's", .function = "f" },
		   "u:\"/it's\":f");
	panel_focus_on(ui, PANEL_BUTTON, BUTTON_DRY_RUN);
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(ui_has(ui, "--probe 'u:\"/it'\\''s\":f'"));
}

static void test_values_that_are_known_well_are_chosen_at_first(void **state)
{
	struct ui *ui = panel_open_first(state);

	assert_string_equal(panel_spec_text(ui),
			    "lat:" POSTGRES ":hash_search_with_hash_value key $retval");
	panel_focus_on(ui, PANEL_VALUE, 1);
	ui_press(ui, " ");
	assert_string_equal(panel_spec_text(ui), "lat:" POSTGRES
			    ":hash_search_with_hash_value key $arg2 $retval");
	panel_focus_on(ui, PANEL_VALUE, 0);
	ui_press(ui, " ");
	assert_string_equal(panel_spec_text(ui), "lat:" POSTGRES
			    ":hash_search_with_hash_value $arg2 $retval");
}

static void test_a_filter_is_part_of_the_spec_or_says_what_is_wrong(void **state)
{
	struct ui *ui = panel_open_first(state);

	panel_focus_on(ui, PANEL_FILTER, 0);
	ui_press(ui, "lat >");
	assert_true(probe_panel_of(&ui->state)->filter_why[0]);
	ui_press_key(ui, UI_KEY_ENTER);		/* leaves the line */
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(probe_panel_of(&ui->state)->is_open);
	assert_true(probe_panel_is_focus(probe_panel_of(&ui->state), PANEL_FILTER, 0));
	ui_press(ui, " 5ms");
	assert_string_equal(probe_panel_of(&ui->state)->filter_why, "");
	assert_int_equal(ui->state.out.probe_count, 0);	/* not while one types */
	ui_press_key(ui, UI_KEY_ENTER);
	assert_string_equal(probe_fixture_request(ui, PROBE_EXAMINE)->choice.spec.text,
			    "lat:" POSTGRES ":hash_search_with_hash_value key $retval "
			    "if lat > 5ms");
	assert_int_equal(probe_fixture_request(ui, PROBE_EXAMINE)->choice.spec.condition.count,
			 1);
}

static void filter_by(struct ui *ui, const char *condition)
{
	panel_focus_on(ui, PANEL_FILTER, 0);
	ui_press(ui, condition);
	ui_press_key(ui, UI_KEY_ENTER);
}

static void choose(struct ui *ui, enum panel_part part, int index)
{
	panel_focus_on(ui, part, index);
	ui_press(ui, " ");
}

static void test_a_filter_needs_what_the_choices_bring(void **state)
{
	struct ui *ui = panel_open_first(state);
	const struct probe_panel *panel = probe_panel_of(&ui->state);

	filter_by(ui, "lat > 5ms");
	assert_string_equal(panel->filter_why, "");
	choose(ui, PANEL_WHAT, PROBE_ENTRY);
	assert_int_equal(strncmp(panel->filter_why, "column 1: lat is known of lat:", 30), 0);
	probe_fixture_send(ui);
	panel_focus_on(ui, PANEL_BUTTON, BUTTON_ATTACH);
	ui_press_key(ui, UI_KEY_ENTER);
	assert_int_equal(ui->state.out.probe_count, 0);
	assert_true(panel->is_open);
	assert_true(probe_panel_is_focus(panel, PANEL_FILTER, 0));
	ui_press_key(ui, UI_KEY_CTRL('U'));
	ui_press(ui, "ret < 0");
	assert_int_equal(strncmp(panel->filter_why, "column 1: $retval is known at", 29), 0);
	choose(ui, PANEL_WHAT, PROBE_LATENCY);
	assert_string_equal(panel->filter_why, "");
}

/* What is not ticked is fetched for the filter's sake, whatever it is called. */
static void test_a_filter_brings_the_values_that_it_needs(void **state)
{
	struct ui *ui = panel_open_first(state);
	const struct probe_spec *spec;

	choose(ui, PANEL_VALUE, 2);
	choose(ui, PANEL_VALUE, 0);
	filter_by(ui, "ret < 0 and kye > 3");
	spec = &probe_fixture_request(ui, PROBE_EXAMINE)->choice.spec;
	assert_string_equal(spec->text, "lat:" POSTGRES ":hash_search_with_hash_value "
			    "if ret < 0 and kye > 3");
	assert_int_equal(spec->argument_count, 2);
	assert_string_equal(spec->arguments[0].value, "$retval");
	assert_string_equal(spec->arguments[1].value, "kye");
	assert_true(spec->arguments[0].is_implied && spec->arguments[1].is_implied);
}

static void test_what_the_condition_implied_goes_with_it(void **state)
{
	struct ui *ui = *state;
	struct probe_spec spec;
	struct diag why;

	assert_int_equal(probe_spec_parse(&spec, "t:sock:inet_sock_set_state dport if protocol "
					  "== 6 and newstate == 2", &why), 0);
	probe_panel_open_spec(&ui->state, &spec, 0);
	assert_int_equal(probe_panel_of(&ui->state)->examined.spec.argument_count, 3);
	assert_string_equal(panel_spec_text(ui), spec.text);
	panel_focus_on(ui, PANEL_FILTER, 0);
	ui_press_key(ui, UI_KEY_CTRL('U'));
	ui_press_key(ui, UI_KEY_ENTER);
	assert_string_equal(panel_spec_text(ui), "t:sock:inet_sock_set_state dport");
	assert_int_equal(probe_panel_of(&ui->state)->examined.spec.argument_count, 1);
}

static void test_count_only_drops_a_filter_that_needs_values(void **state)
{
	struct ui *ui = panel_open_first(state);
	const struct probe_spec *spec;

	filter_by(ui, "lat > 5ms");
	panel_give(ui, panel_reply(VERDICT_OK));
	panel_focus_on(ui, PANEL_BUTTON, BUTTON_COUNT);
	ui_press_key(ui, UI_KEY_ENTER);
	spec = &probe_fixture_request(ui, PROBE_ADD)->choice.spec;
	assert_string_equal(spec->text, "u:" POSTGRES ":hash_search_with_hash_value");
	assert_int_equal(spec->condition.count, 0);
	assert_string_equal(ui->state.message, "counting all of hash_search_with_hash_value: "
			    "its filter needs values");
}

static void test_count_only_keeps_a_filter_of_who_calls(void **state)
{
	struct ui *ui = panel_open_first(state);

	filter_by(ui, "comm == nginx");
	panel_give(ui, panel_reply(VERDICT_OK));
	panel_focus_on(ui, PANEL_BUTTON, BUTTON_COUNT);
	ui_press_key(ui, UI_KEY_ENTER);
	assert_string_equal(probe_fixture_request(ui, PROBE_ADD)->choice.spec.text,
			    "u:" POSTGRES ":hash_search_with_hash_value if comm == nginx");
}

static void test_a_spec_keeps_its_arguments_and_condition(void **state)
{
	struct ui *ui = *state;
	struct probe_spec spec;
	struct diag why;

	assert_int_equal(probe_spec_parse(&spec, "lat:vfs_read count file->f_flags if count > 9",
					  &why), 0);
	probe_panel_open_spec(&ui->state, &spec, 0);
	assert_string_equal(panel_spec_text(ui),
			    "lat:vfs_read count file->f_flags if count > 9");
	assert_string_equal(probe_panel_of(&ui->state)->name, "vfs_read");
	assert_string_equal(probe_panel_of(&ui->state)->dso, "[kernel]");
	assert_int_equal(probe_fixture_request(ui, PROBE_EXAMINE)->choice.reach, REACH_ALL);
}

static void open_typed(struct ui *ui, const char *text)
{
	struct probe_spec spec;
	struct diag why;

	assert_int_equal(probe_spec_parse(&spec, text, &why), 0);
	probe_panel_open_spec(&ui->state, &spec, 0);
}

/* What libc offers without debug information. */
static struct probe_reply reply_of_libc(void)
{
	return (struct probe_reply){
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
	struct ui *ui = *state;
	const struct probe_choice *choice;

	open_typed(ui, "lat:libc.so.6:open64 path=$arg1:string $retval:s32 if ret == -1");
	probe_fixture_send(ui);
	panel_give(ui, reply_of_libc());
	assert_int_equal(ui->state.out.probe_count, 0);	/* nothing was changed */
	assert_true(ui_has(ui, "[x] path=$arg1:string"));
	assert_true(ui_has(ui, "[x] $retval:s32"));
	ui_press_key(ui, UI_KEY_ENTER);
	choice = &probe_fixture_request(ui, PROBE_ADD)->choice;
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
	struct ui *ui = *state;

	open_typed(ui, "lat:libc.so.6:open64 path=$arg1:string $retval:s32");
	panel_give(ui, reply_of_libc());
	panel_focus_on(ui, PANEL_VALUE, 0);
	ui_press(ui, " ");
	assert_string_equal(panel_spec_text(ui), "lat:libc.so.6:open64 $retval:s32");
	ui_press(ui, " ");
	panel_focus_on(ui, PANEL_VALUE, 1);
	ui_press(ui, " ");
	assert_string_equal(panel_spec_text(ui), "lat:libc.so.6:open64 path=$arg1:string "
			    "$retval:s32 $arg2");
	panel_focus_on(ui, PANEL_WHAT, PROBE_ENTRY);
	ui_press(ui, " ");
	assert_string_equal(panel_spec_text(ui), "u:libc.so.6:open64 path=$arg1:string $arg2");
	panel_focus_on(ui, PANEL_WHAT, PROBE_RETURN);
	ui_press(ui, " ");
	assert_string_equal(panel_spec_text(ui), "ur:libc.so.6:open64 $retval:s32");
}

static void test_keys_and_aggregates_stay_when_choices_change(void **state)
{
	static const char begin[] = "lat:libc.so.6:open64 ";
	struct ui *ui = *state;
	char expected[200];

	open_typed(ui, "lat:libc.so.6:open64 path=$arg1:string $retval:s32 if ret == -1 "
		   "by comm, path : count, hist(lat, 1ms, 5ms)");
	probe_fixture_send(ui);
	panel_give(ui, reply_of_libc());
	assert_string_equal(panel_spec_text(ui), "lat:libc.so.6:open64 path=$arg1:string "
			    "$retval:s32 if ret == -1 by comm, path : count, hist(lat, 1ms, 5ms)");
	assert_string_equal(probe_panel_of(&ui->state)->filter.text, "ret == -1");
	assert_true(ui_has(ui, "by comm, path : count, hist(lat, 1ms, 5ms)"));
	panel_focus_on(ui, PANEL_FILTER, 0);
	ui_press_key(ui, UI_KEY_CTRL('U'));
	ui_press(ui, "lat > 1ms");
	ui_press_key(ui, UI_KEY_ENTER);
	snprintf(expected, sizeof(expected), "%spath=$arg1:string $retval:s32 if lat > 1ms by "
		 "comm, path : count, hist(lat, 1ms, 5ms)", begin);
	assert_string_equal(panel_spec_text(ui), expected);
	panel_focus_on(ui, PANEL_VALUE, 2);	/* $retval is not grouped by: it goes */
	ui_press(ui, " ");
	panel_focus_on(ui, PANEL_VALUE, 0);	/* path is: it stays */
	ui_press(ui, " ");
	snprintf(expected, sizeof(expected), "%spath=$arg1:string if lat > 1ms by comm, path : "
		 "count, hist(lat, 1ms, 5ms)", begin);
	assert_string_equal(panel_spec_text(ui), expected);
	panel_focus_on(ui, PANEL_WHAT, PROBE_ENTRY);
	ui_press(ui, " ");
	assert_non_null(strstr(probe_panel_of(&ui->state)->filter_why, "lat is known of lat:"));
}

static void test_a_latency_of_two_points_keeps_its_joins(void **state)
{
	static const char text[] = "lat:U:postgres:start->done $arg1 on $arg1 by $arg2 : sum(lat)";
	struct ui *ui = *state;

	open_typed(ui, text);
	assert_int_equal(probe_panel_of(&ui->state)->edges, 1u << PROBE_LATENCY);
	assert_string_equal(panel_spec_text(ui), text);
	panel_give(ui, panel_reply(VERDICT_OK));
	panel_focus_on(ui, PANEL_BUTTON, BUTTON_COUNT);
	ui_press_key(ui, UI_KEY_ENTER);
	assert_string_equal(probe_fixture_request(ui, PROBE_ADD)->choice.spec.text,
			    "U:postgres:start");
}

static void test_a_latency_keeps_its_stages(void **state)
{
	static const char text[] = "lat:U:postgres:start->parsed->done lat2 if lat1 > 1ms on "
				   "$arg1=$arg2=$arg1 by lat2 : sum(lat)";
	struct ui *ui = *state;

	open_typed(ui, text);
	assert_int_equal(probe_panel_of(&ui->state)->edges, 1u << PROBE_LATENCY);
	assert_string_equal(panel_spec_text(ui), text);
	panel_give(ui, panel_reply(VERDICT_OK));
	assert_true(ui_has(ui, "lat2  lat1"));
	panel_focus_on(ui, PANEL_BUTTON, BUTTON_COUNT);
	ui_press_key(ui, UI_KEY_ENTER);
	assert_string_equal(probe_fixture_request(ui, PROBE_ADD)->choice.spec.text,
			    "U:postgres:start");
	assert_int_equal(probe_fixture_request(ui, PROBE_ADD)->choice.spec.middle_count, 0);
}

static void test_what_is_typed_but_not_offered_stays_in_sight(void **state)
{
	struct ui *ui = *state;

	open_typed(ui, "lat:vfs_read c=count file->f_flags if c > 9");
	assert_true(ui_has(ui, "c=count  file->f_flags"));
	panel_give(ui, panel_reply(VERDICT_OK));
	assert_true(ui_has(ui, "c=count  file->f_flags"));
	assert_string_equal(panel_spec_text(ui), "lat:vfs_read c=count file->f_flags if c > 9");
	panel_focus_on(ui, PANEL_WHAT, PROBE_RETURN);		/* there it is gone */
	ui_press(ui, " ");
	assert_false(ui_has(ui, "file->f_flags"));
}

/* Fields of the end are no return value; one that both ends have is that of the begin. */
static void test_fields_of_a_pair_are_called_as_they_are(void **state)
{
	struct probe_reply reply = {
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
	struct ui *ui = *state;

	open_typed(ui, "lat:t:syscalls:sys_enter_read fd ret");
	panel_give(ui, reply);
	assert_true(probe_panel_of(&ui->state)->is_chosen[3]);
	assert_string_equal(panel_spec_text(ui), "lat:t:syscalls:sys_enter_read->syscalls:"
			    "sys_exit_read fd ret");
	panel_focus_on(ui, PANEL_VALUE, 1);
	ui_press(ui, " ");
	panel_focus_on(ui, PANEL_VALUE, 3);	/* there is no second nr to choose */
	ui_press(ui, " ");
	assert_string_equal(panel_spec_text(ui), "lat:t:syscalls:sys_enter_read->syscalls:"
			    "sys_exit_read fd nr");
}

static void test_tracepoints_and_marks_have_hits_only(void **state)
{
	struct ui *ui = *state;
	struct probe_spec spec;
	struct diag why;

	assert_int_equal(probe_spec_parse(&spec, "t:sched:sched_switch", &why), 0);
	probe_panel_open_spec(&ui->state, &spec, 0);
	assert_int_equal(probe_panel_of(&ui->state)->edges, 1u << PROBE_ENTRY);
	assert_string_equal(panel_spec_text(ui), "t:sched:sched_switch");
	probe_panel_close(&ui->state);
	assert_int_equal(probe_spec_parse(&spec, "lat:t:block:block_rq_issue->block:"
					  "block_rq_complete on dev,sector", &why), 0);
	probe_panel_open_spec(&ui->state, &spec, 0);
	assert_int_equal(probe_panel_of(&ui->state)->edges, 1u << PROBE_LATENCY);
	assert_string_equal(panel_spec_text(ui), "lat:t:block:block_rq_issue->block:"
			    "block_rq_complete on dev,sector");
}

/* What is ordered can be typed: the same text means the same place. */
static void test_what_it_orders_can_be_parsed(void **state)
{
	struct ui *ui = panel_open_first(state);
	struct probe_spec spec;
	struct diag why;

	assert_int_equal(probe_spec_parse(&spec, panel_spec_text(ui), &why), 0);
	assert_string_equal(spec.function, "hash_search_with_hash_value");
	assert_string_equal(spec.file, POSTGRES);
	assert_int_equal(spec.edge, PROBE_LATENCY);
	assert_int_equal(spec.argument_count, 2);
}

/* A line has more variables than a probe can have values: the first ones are chosen. */
static void test_of_a_line_all_variables_are_listed_with_where_they_are(void **state)
{
	struct ui *ui = *state;
	struct probe_reply reply = { .is_done = true, .verdict = VERDICT_OK, .has_rate = true,
				     .offered_count = PROBE_OFFERED_MAX };
	uint32_t chosen = 0;

	for (uint32_t i = 0; i < reply.offered_count; i++) {
		reply.offered[i].origin = ORIGIN_DWARF;
		snprintf(reply.offered[i].name, sizeof(reply.offered[i].name), "v%u", i);
		strcpy(reply.offered[i].type, "int");
		snprintf(reply.offered[i].fetch, sizeof(reply.offered[i].fetch), "-%u(%%bp):s32",
			 20 + 4 * i);
	}
	open_typed(ui, "u:/bin/app:main:3");
	panel_give(ui, reply);
	for (uint32_t i = 0; i < PROBE_OFFERED_MAX; i++)
		chosen += probe_panel_of(&ui->state)->is_chosen[i];
	assert_int_equal(chosen, PROBE_VALUES_MAX);
	assert_string_equal(panel_spec_text(ui), "u:/bin/app:main:3 v0 v1 v2 v3 v4 v5 v6 v7 v8 v9 "
			    "v10 v11");
	assert_true(ui_has(ui, "v0: int at -20(%bp):s32"));
}

UNIT_TESTS(test_probe_panel_spec)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_module_is_named_in_the_spec),
		cmocka_unit_test(test_a_row_without_a_symbol_is_named_by_its_address),
		UI_TEST(test_what_it_orders_is_read_back_as_the_same_place),
		UI_TEST(test_the_dry_run_is_one_word_for_a_shell),
		UI_TEST(test_values_that_are_known_well_are_chosen_at_first),
		UI_TEST(test_a_filter_is_part_of_the_spec_or_says_what_is_wrong),
		UI_TEST(test_a_filter_needs_what_the_choices_bring),
		UI_TEST(test_a_filter_brings_the_values_that_it_needs),
		UI_TEST(test_what_the_condition_implied_goes_with_it),
		UI_TEST(test_count_only_drops_a_filter_that_needs_values),
		UI_TEST(test_count_only_keeps_a_filter_of_who_calls),
		UI_TEST(test_a_spec_keeps_its_arguments_and_condition),
		UI_TEST(test_what_was_typed_keeps_its_name_and_type),
		UI_TEST(test_a_typed_value_goes_with_its_tick_or_its_edge),
		UI_TEST(test_keys_and_aggregates_stay_when_choices_change),
		UI_TEST(test_a_latency_of_two_points_keeps_its_joins),
		UI_TEST(test_a_latency_keeps_its_stages),
		UI_TEST(test_what_is_typed_but_not_offered_stays_in_sight),
		UI_TEST(test_of_a_line_all_variables_are_listed_with_where_they_are),
		UI_TEST(test_fields_of_a_pair_are_called_as_they_are),
		UI_TEST(test_tracepoints_and_marks_have_hits_only),
		UI_TEST(test_what_it_orders_can_be_parsed),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
