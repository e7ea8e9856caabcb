/* Presets read from text: known answers, errors with line and column; each that flametop comes with
 * can be used. Whether its tracepoints and fields are there is a live test's matter. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/sanitize.h"
#include "finder/presets.h"
#include "probe/probe_spec.h"
#include "finder/targets.h"
#include "unit_tests.h"

static struct presets *presets;
static char *problems;
static struct preset_use use;
static struct diag why;

static int set_up(void **state)
{
	(void)state;
	return presets_create(&presets);
}

static int tear_down(void **state)
{
	(void)state;
	presets_destroy(presets);
	free(problems);
	problems = NULL;
	return 0;
}

/* Reads @text; its problems are in `problems`. */
static int read_text(const char *text)
{
	size_t bytes;
	FILE *out;
	int count;

	free(problems);
	out = open_memstream(&problems, &bytes);
	assert_non_null(out);
	count = presets_read(presets, text, "own", out);
	fclose(out);
	return count;
}

/* Calls @check with each spec of each preset, with the values that it has when none are given. */
static void for_each_spec(void (*check)(const struct preset *preset, const char *spec))
{
	for (size_t i = 0; i < presets_count(presets); i++) {
		if (!preset_use_defaults(presets_at(presets, i), &use))
			continue;
		for (uint32_t k = 0; k < use.count; k++)
			check(use.preset, use.specs[k]);
	}
}

static void check_spec(const struct preset *preset, const char *text)
{
	struct probe_spec spec;

	if (probe_spec_parse(&spec, text, &why))
		fail_msg("%s: %s: %s", preset->name, text, why.text);
	assert_string_equal(spec.text, text);
}

static void test_every_probe_parses_as_it_is_written(void **state)
{
	(void)state;
	assert_true(presets_count(presets) > 40);
	for_each_spec(check_spec);
}

/* What a filter asks for is there to be seen, too, but for what never changes. */
static void check_values(const struct preset *preset, const char *text)
{
	static const char *const constants[] = { "nr_sector", "protocol", "oldstate", "newstate" };
	struct probe_spec spec;

	assert_int_equal(probe_spec_parse(&spec, text, NULL), 0);
	for (uint32_t i = 0; i < spec.argument_count; i++) {
		bool is_fine = !spec.arguments[i].is_implied || spec.arguments[i].is_masked;

		for (size_t k = 0; k < sizeof(constants) / sizeof(constants[0]); k++)
			is_fine |= !strcmp(spec.arguments[i].name, constants[k]);
		if (!is_fine)
			fail_msg("%s: %s is not listed", preset->name, spec.arguments[i].name);
	}
}

static void test_values_are_listed_but_for_constants(void **state)
{
	(void)state;
	for_each_spec(check_values);
}

/* Returns whether a probe of @preset has a value of that name. */
static bool has_value(const struct preset *preset, const char *name)
{
	struct probe_spec spec;

	if (!preset_use_defaults(preset, &use))
		return true;
	for (uint32_t i = 0; i < use.count; i++) {
		if (probe_spec_parse(&spec, use.specs[i], NULL))
			continue;
		for (uint32_t k = 0; k < spec.argument_count; k++)
			if (!strcmp(spec.arguments[k].name, name))
				return true;
	}
	return false;
}

static void test_each_is_described_and_fits_into_the_finder(void **state)
{
	(void)state;
	for (size_t i = 0; i < presets_count(presets); i++) {
		const struct preset *preset = presets_at(presets, i);

		preset_use_defaults(preset, &use);
		assert_true(preset_use_join(&use, NULL, 0) < TARGET_SPEC_BYTES);
		assert_true(strlen(preset->about) < TARGET_NOTE_BYTES);
		assert_string_not_equal(preset->about, preset->title);
		for (uint32_t k = 0; k < preset->column_count; k++)
			if (!has_value(preset, preset->columns[k].name))
				fail_msg("%s has no value %s", preset->name,
					 preset->columns[k].name);
		for (size_t k = 0; k < i; k++) {
			assert_string_not_equal(preset->name, presets_at(presets, k)->name);
			assert_string_not_equal(preset->title, presets_at(presets, k)->title);
		}
	}
}

static void test_presets_are_found_by_their_names_first(void **state)
{
	(void)state;
	assert_string_equal(presets_find(presets, "execsnoop")->title,
			    "new processes by system call");
	assert_string_equal(presets_find(presets, "iolatency")->name, "biolatency");
	assert_null(presets_find(presets, "bio"));
	assert_null(presets_find(presets, ""));
}

static const char own[] = "# own\n"
			  "[slow]\n"
			  "title = slow opens\n"
			  "also = one two\n"
			  "about = files whose open\n"
			  "\ttakes long\n"
			  "needs = BPF\n"
			  "arg = MS=10 milliseconds\n"
			  "arg = WHO the command\n"
			  "probe = lat:t:syscalls:sys_enter_openat ret\n"
			  "   if lat > ${MS}ms and comm == ${WHO}\n"
			  "probe = t:sched:sched_switch\n"
			  "column = ret the result\n"
			  "| $ flametop\n"
			  "|\n"
			  "|  1 = 2\n";

static void test_a_preset_is_read_with_all_it_has(void **state)
{
	const struct preset *slow;

	(void)state;
	assert_int_equal(read_text(own), 0);
	slow = presets_find(presets, "two");
	assert_string_equal(slow->name, "slow");
	assert_string_equal(slow->title, "slow opens");
	assert_string_equal(slow->about, "files whose open takes long");
	assert_string_equal(slow->needs, "BPF");
	assert_int_equal(slow->parameter_count, 2);
	assert_string_equal(slow->parameters[0].name, "MS");
	assert_string_equal(slow->parameters[0].value, "10");
	assert_string_equal(slow->parameters[0].text, "milliseconds");
	assert_null(slow->parameters[1].value);
	assert_int_equal(slow->probe_count, 2);
	assert_string_equal(slow->columns[0].name, "ret");
	assert_string_equal(slow->columns[0].text, "the result");
	assert_string_equal(slow->example, "$ flametop\n\n 1 = 2\n");
}

static void test_values_go_to_parameters_by_order_and_by_name(void **state)
{
	static const struct {
		const char *typed, *spec;
	} cases[] = {
		{ "slow 5 vi", "lat:t:syscalls:sys_enter_openat ret if lat > 5ms and comm == vi" },
		{ " one  WHO=vi ",
		  "lat:t:syscalls:sys_enter_openat ret if lat > 10ms and comm == vi" },
		{ "slow WHO=vi 7",
		  "lat:t:syscalls:sys_enter_openat ret if lat > 7ms and comm == vi" },
		{ "slow 1 \"a b\"",
		  "lat:t:syscalls:sys_enter_openat ret if lat > 1ms and comm == \"a b\"" },
	};

	(void)state;
	assert_int_equal(read_text(own), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (presets_use(presets, cases[i].typed, &use, &why))
			fail_msg("%s: %s", cases[i].typed, why.text);
		assert_int_equal(use.count, 2);
		assert_string_equal(use.specs[0], cases[i].spec);
		assert_string_equal(use.specs[1], "t:sched:sched_switch");
	}
	assert_int_equal(presets_use(presets, "trace u:a:b  x=$arg1 if x = 1", &use, &why), 0);
	assert_string_equal(use.specs[0], "u:a:b  x=$arg1 if x = 1");
}

static void test_what_is_typed_wrong_is_refused_with_what_would_be_right(void **state)
{
	static const struct {
		const char *typed, *sentence;
		int err;
	} cases[] = {
		{ "slow 5", "--preset slow needs WHO: the command", -EINVAL },
		{ "slow 5 vi 6",
		  "--preset slow: 6 is one value too many; its form is 'slow [MS] WHO'", -EINVAL },
		{ "execsnop",
		  "no preset is called execsnop: did you mean execsnoop? --list-presets has all",
		  -ENOENT },
		{ "zzzzzzzzz", "no preset is called zzzzzzzzz: --list-presets has all", -ENOENT },
	};

	(void)state;
	assert_int_equal(read_text(own), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(presets_use(presets, cases[i].typed, &use, &why), cases[i].err);
		assert_string_equal(why.text, cases[i].sentence);
	}
}

static void test_one_of_the_same_name_replaces_another(void **state)
{
	const size_t count = presets_count(presets);

	(void)state;
	assert_int_equal(read_text("[execsnoop]\nprobe = t:a:b\n"), 0);
	assert_int_equal(presets_count(presets), count);
	assert_string_equal(presets_find(presets, "execsnoop")->probes[0], "t:a:b");
	assert_int_equal(read_text("[elsewhere]\nmachine = vax\nprobe = t:a:b\n"), 0);
	assert_int_equal(presets_count(presets), count);
}

/* Each costs its own line only: the probe t:a:b is there afterwards. */
static void test_each_error_has_line_and_column_and_takes_nothing_else_away(void **state)
{
	static const struct {
		const char *text, *problem;
	} cases[] = {
		{ "[x]\nprob = t:c:d\nprobe = t:a:b\n",
		  "own:2:1: no such key: prob; did you mean probe?\n" },
		{ "[x]\nprobe = t:a:b\nrubbish\n",
		  "own:3:1: KEY = VALUE is needed, [NAME], # or |\n" },
		{ "[x]\ntitle =\nprobe = t:a:b\n", "own:2:8: a value is needed\n" },
		{ "title = t\n[x]\nprobe = t:a:b\n",
		  "own:1:1: a line [NAME] is needed before it\n" },
		{ "[y\n[x]\nprobe = t:a:b\n", "own:1:3: a ] is needed after the name\n" },
		{ "[y] z\n[x]\nprobe = t:a:b\n",
		  "own:1:4: nothing may follow the ]\n" },
		{ "[help]\nprobe = t:a:b\n[x]\nprobe = t:a:b\n", "own:1:2: a name of up to 31 "
		  "letters, digits, - . and _ is needed, other than help\n" },
		{ "[x]\nprobe = t:a:b\n  if q >\nprobe = t:a:b\n",
		  "own:3:9: a number or a word is missing" },
		{ "[x]\narg = A=12345 text\nprobe = t:a:b ${A} if q >\nprobe = t:a:b\n",
		  "own:3:15: 12345: no value" },
		{ "[x]\n\nprobe = t:a:b\nprobe = lat:${MS}\n",
		  "own:4:13: no such parameter: ${MS}; a line arg = NAME before it says which "
		  "there are\n" },
		{ "[x]\nprobe = t:a:b\ntitle = a\033b\n",
		  "own:3:9: the value has characters that can't be printed\n" },
		{ "[x]\nprobe = t:a:b\n|\033b\n",
		  "own:3:2: the line has characters that can't be printed\n" },
		{ "[x]\nprobe = t:a:b\narg = A... text\narg = B text\n",
		  "own:4:7: the parameter before takes all words: it must be the last\n" },
		{ "[x]\nprobe = t:a:b\narg = A;B text\n",
		  "own:3:7: arg = NAME=VALUE TEXT is needed" },
		{ "[y]\ntitle = y\n\n[x]\nprobe = t:a:b\n",
		  "own:1:1: [y] has no probe: a line probe = SPEC is needed\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (read_text(cases[i].text) != 1 ||
		    strncmp(problems, cases[i].problem, strlen(cases[i].problem)) != 0)
			fail_msg("%s: %s", cases[i].text, problems);
		assert_non_null(presets_find(presets, "x"));
		assert_int_equal(presets_find(presets, "x")->probe_count, 1);
		assert_string_equal(presets_find(presets, "x")->probes[0], "t:a:b");
	}
	assert_null(presets_find(presets, "y"));
}

UNIT_TESTS(test_presets)
{
#define PRESETS_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		PRESETS_TEST(test_every_probe_parses_as_it_is_written),
		PRESETS_TEST(test_values_are_listed_but_for_constants),
		PRESETS_TEST(test_each_is_described_and_fits_into_the_finder),
		PRESETS_TEST(test_presets_are_found_by_their_names_first),
		PRESETS_TEST(test_a_preset_is_read_with_all_it_has),
		PRESETS_TEST(test_values_go_to_parameters_by_order_and_by_name),
		PRESETS_TEST(test_what_is_typed_wrong_is_refused_with_what_would_be_right),
		PRESETS_TEST(test_one_of_the_same_name_replaces_another),
		PRESETS_TEST(test_each_error_has_line_and_column_and_takes_nothing_else_away),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
