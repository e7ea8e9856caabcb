/* What the command line says of events and of the text of rows; the other options are in
 * test_options.c. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli/option_values.h"
#include "cli/options.h"
#include "unit_tests.h"

enum { ARGS_MAX = 16 };

static struct options options;
static struct diag why;
static char *arguments[ARGS_MAX];

/* The words that follow the program's name, NULL after them; they live on in `options`. */
static int parse(const char *const *words)
{
	static char program[] = "flametop";
	int count = 1;

	options_finish(&options);
	memset(&options, 0, sizeof(options));
	arguments[0] = program;
	for (; words[count - 1]; count++) {
		assert_true(count < ARGS_MAX - 1);
		arguments[count] = (char *)words[count - 1];
	}
	arguments[count] = NULL;
	why = (struct diag){ .err = 0 };
	return options_parse(&options, count, arguments, &why);
}

#define PARSE(...) parse((const char *const []){ __VA_ARGS__, NULL })

static void assert_refused(int err, const char *sentence)
{
	assert_string_equal(why.text, sentence);
	assert_int_equal(err, -EINVAL);
}

static void test_a_filter_belongs_to_the_event_before_it(void **state)
{
	(void)state;
	assert_int_equal(PARSE("-e", "cycles", "-e", "sched:sched_switch", "--filter",
			       "prev_pid > 0 || next_pid > 0", "--filter", "prev_prio==120",
			       "-e", "cpu-clock"), 0);
	assert_null(options.capture.event_filters[0]);
	assert_string_equal(options.capture.event_filters[1],
			    "(prev_pid > 0 || next_pid > 0) && (prev_prio==120)");
	assert_null(options.capture.event_filters[2]);
	assert_refused(PARSE("--filter", "a==1", "-e", "cycles"),
		       "--filter a==1: it belongs to the tracepoint before it, as in -e GROUP:NAME "
		       "--filter EXPR; --match is for the text of rows");
}

static void test_a_plain_word_is_no_filter_but_text_to_match(void **state)
{
	static const char *const words[] = { "memcpy", "~^tcp_", "!memcpy", "=7", "a=", "" };
	char sentence[300];

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		snprintf(sentence, sizeof(sentence), "--filter %s: a condition on the fields of a "
			 "tracepoint is needed, as in prev_pid > 0; to show only rows with this "
			 "text: --match %s", words[i], words[i]);
		assert_refused(PARSE("-e", "sched:sched_switch", "--filter", words[i]), sentence);
	}
}

static void test_the_configuration_has_both_words(void **state)
{
	const struct option_row *filter = option_table_find("filter");
	struct option_setting settings[] = {
		{ option_table_find("event"), "sched:sched_switch" }, { filter, "prev_pid > 0" },
		{ option_table_find("match"), "!libc" },
	};
	const struct option_setting word = { filter, "libc" };
	char *line[] = { "flametop", "-e", "cycles", NULL };

	(void)state;
	options_finish(&options);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(options_check(&settings[i], &why), 0);
	assert_int_equal(options_parse_over(&options, settings, 3, 1, line, &why), 0);
	assert_string_equal(options.capture.event_filters[0], "prev_pid > 0");
	assert_true(options.filter.count == 1 && options.filter.parts[0].is_negated);
	options_finish(&options);
	/* An event of the line puts the file's aside, and with it what was the filter of that. */
	assert_int_equal(options_parse_over(&options, settings, 3, 3, line, &why), 0);
	assert_int_equal(options.capture.event_text_count, 1);
	assert_null(options.capture.event_filters[0]);
	assert_refused(options_check(&word, &why),
		       "filter libc: a condition on the fields of a tracepoint is needed, as in "
		       "prev_pid > 0; to show only rows with this text: match libc");
}

static void test_text_to_match_may_be_negated(void **state)
{
	(void)state;
	assert_int_equal(PARSE("--match", "memcpy", "--match", "!~^tcp_", "--match=!memset"), 0);
	assert_int_equal(options.filter.count, 3);
	assert_false(options.filter.parts[0].is_negated);
	assert_true(options.filter.parts[1].is_negated);
	assert_string_equal(options.filter.parts[1].text, "~^tcp_");
	assert_true(options.filter.parts[2].is_negated);
	assert_string_equal(options.filter.parts[2].text, "memset");
}

static void test_g_takes_the_next_word_if_it_is_a_mode(void **state)
{
	const struct call_graph *graph = &options.capture.call_graph;

	(void)state;
	assert_int_equal(PARSE("-g", "dwarf,8192", "-K", "--", "ls"), 0);
	assert_int_equal(graph->mode, CALL_GRAPH_DWARF);
	assert_int_equal(graph->copy_bytes, 8192);
	assert_true(options.hide_kernel);
	assert_string_equal(options.command[0], "ls");
	assert_int_equal(PARSE("-Kg", "fp", "ls", "-l"), 0);
	assert_int_equal(graph->mode, CALL_GRAPH_FP);
	assert_string_equal(options.command[0], "ls");
	/* No mode, or no word of its own: perf's -g, which has no value. */
	assert_int_equal(PARSE("-g", "ls", "fp"), 0);
	assert_int_equal(graph->mode, CALL_GRAPH_AUTO);
	assert_string_equal(options.command[0], "ls");
	assert_int_equal(PARSE("-g", "--", "fp"), 0);
	assert_string_equal(options.command[0], "fp");
	assert_int_equal(PARSE("-gK", "auto"), 0);
	assert_string_equal(options.command[0], "auto");
	assert_int_equal(PARSE("-g"), 0);
	assert_int_equal(graph->mode, CALL_GRAPH_AUTO);
	assert_int_equal(PARSE("-g", "lbr"), 0);
	assert_int_equal(graph->mode, CALL_GRAPH_LBR);
	assert_refused(PARSE("-g", "dwarf,x"), "-g dwarf,x: the copy of a stack has a multiple of "
		       "8 bytes, 65528 at most");
}

static void test_branches_are_all_or_those_of_a_filter(void **state)
{
	const uint64_t *filter = &options.capture.branch_filter;
	size_t i = 0;

	(void)state;
	assert_int_equal(PARSE("-b", "ls"), 0);
	assert_int_equal(*filter, PERF_SAMPLE_BRANCH_ANY);
	assert_string_equal(options.command[0], "ls");
	assert_int_equal(PARSE("-j", "any_call,u"), 0);
	assert_int_equal(*filter, PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_USER);
	assert_int_equal(PARSE("-j", "ind_call", "-b"), 0);
	assert_int_equal(*filter, PERF_SAMPLE_BRANCH_IND_CALL);
	assert_int_equal(PARSE("--call-graph", "fp"), 0);
	assert_int_equal(*filter, 0);
	assert_refused(PARSE("-b", "--call-graph", "lbr"), "-b and --call-graph lbr: the CPU "
		       "records either branches or calls; --call-graph fp follows frame pointers");
	for (; option_branch_filters[i]; i++)
		assert_string_equal(option_branch_filters[i], branch_filter_name(i));
	assert_null(branch_filter_name(i));
}

static void test_a_near_option_is_proposed(void **state)
{
	(void)state;
	assert_refused(PARSE("--pdi", "1"), "--pdi is no option: did you mean --pid? See --help");
	assert_refused(PARSE("--filtr=x"), "--filtr=x is no option: did you mean --filter? See "
		       "--help");
	assert_refused(PARSE("--qqqqqqq"), "--qqqqqqq is no option; see --help");
	assert_int_equal(PARSE("-V"), 0);
	assert_true(options.wants_version);
}

static int tear_down(void **state)
{
	(void)state;
	options_finish(&options);
	return 0;
}

UNIT_TESTS(test_option_events)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_filter_belongs_to_the_event_before_it),
		cmocka_unit_test(test_a_plain_word_is_no_filter_but_text_to_match),
		cmocka_unit_test(test_the_configuration_has_both_words),
		cmocka_unit_test(test_text_to_match_may_be_negated),
		cmocka_unit_test(test_g_takes_the_next_word_if_it_is_a_mode),
		cmocka_unit_test(test_branches_are_all_or_those_of_a_filter),
		cmocka_unit_test(test_a_near_option_is_proposed),
	};

	return cmocka_run_group_tests(tests, NULL, tear_down);
}
