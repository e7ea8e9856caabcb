/* What the command line says of --stat. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli/options.h"
#include "unit_tests.h"

enum { ARGS_MAX = 24 };

static struct options options;
static struct diag why;
static char *arguments[ARGS_MAX];

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
#define REFUSED(sentence, ...)                                                                     \
	do {                                                                                       \
		const int err = PARSE(__VA_ARGS__);                                                \
		assert_string_equal(why.text, sentence);                                           \
		assert_int_equal(err, -EINVAL);                                                    \
	} while (0)

static uint64_t interval_ns(const char *text)
{
	assert_int_equal(PARSE("--stat", "-I", text), 0);
	return options.stat.interval_ns;
}

static void test_an_interval_is_in_seconds_unless_it_has_a_unit(void **state)
{
	(void)state;
	assert_int_equal(interval_ns("2"), 2000000000);
	assert_int_equal(interval_ns("0.5"), 500000000);
	assert_int_equal(interval_ns("500ms"), 500000000);
	assert_int_equal(interval_ns("1000ms"), 1000000000);
	assert_int_equal(interval_ns("100s"), 100000000000);
	assert_int_equal(interval_ns("2m"), 120000000000);
	REFUSED("-I 1000: the unit is the second, while perf's is the millisecond: write 1000ms or "
		"1000s", "--stat", "-I", "1000");
	REFUSED("-I 5ms: seconds of at least 0.01 are needed, or a time as 500ms, 2s, 1m",
		"--stat", "-I", "5ms");
	REFUSED("-I x: seconds of at least 0.01 are needed, or a time as 500ms, 2s, 1m",
		"--stat", "-I", "x");
}

static void test_options_of_samples_are_refused(void **state)
{
	(void)state;
	REFUSED("-d is the delay of samples: with --stat the interval is -I SECONDS, and perf's -d "
		"is --detail", "--stat", "-d", "ls");
	REFUSED("--freq is for samples: --stat takes none", "-F", "99", "--stat");
	REFUSED("--probe is for samples: --stat takes none", "--stat", "--probe", "k:vfs_read");
	REFUSED("-u selects samples: --stat counts processes (-p) or a cgroup (-G), as "
		"user.slice/user-1000.slice", "--stat", "-u", "root");
	REFUSED("--stat has the formats text, json, csv and markdown", "--stat", "--format",
		"folded");
}

static void test_options_of_counters_need_stat(void **state)
{
	(void)state;
	REFUSED("--repeat is for --stat", "-r", "3", "--", "true");
	REFUSED("--nonzero is for --stat", "--batch", "--nonzero");
	REFUSED("--append is for --stat", "--batch", "-o", "file", "--append");
}

static void test_an_output_is_a_recording_unless_events_are_counted(void **state)
{
	(void)state;
	assert_int_equal(PARSE("--stat", "-o", "a.data", "--", "true"), 0);
	assert_string_equal(options.stat.output_path, "a.data");
	assert_null(options.record_path);
	assert_int_equal(PARSE("-o", "a.data"), 0);
	assert_string_equal(options.record_path, "a.data");
	assert_null(options.stat.output_path);
	REFUSED("--stat writes its tables to one file: one -o", "--stat", "-o", "a", "-o", "b",
		"--", "true");
	REFUSED("--raw-stacks is for recordings: -o FILE says where to", "--raw-stacks");
	REFUSED("--raw-stacks is for recordings: -o FILE says where to", "--raw-stacks", "-o",
		"a.txt");
	REFUSED("-o a.data: what --threads-now lists can't be recorded", "-o", "a.data",
		"--threads-now");
}

static void test_the_end_of_an_output_says_its_format(void **state)
{
	(void)state;
	assert_int_equal(PARSE("-o", "a.folded", "-o", "b.data", "-o", "./c.json"), 0);
	assert_string_equal(options.record_path, "b.data");
	assert_int_equal(options.share_count, 2);
	assert_string_equal(options.share_paths[0], "a.folded");
	assert_string_equal(options.share_paths[1], "./c.json");
	assert_string_equal(options.launch.words[LAUNCH_SOURCE], "");	/* not said again */
	assert_int_equal(PARSE("--stat", "-o", "a.txt", "--", "true"), 0);
	assert_string_equal(options.stat.output_path, "a.txt");
	assert_int_equal(options.share_count, 0);
	assert_int_equal(PARSE("-o", ".txt"), 0);	/* a name without an end */
	assert_string_equal(options.record_path, ".txt");
	REFUSED("-o b: a is a recording already, and there is one at a time; the end of another "
		"file's name says its format, as .txt", "-o", "a", "-o", "b");
	REFUSED("-o a.txt: it is given twice", "-o", "a.txt", "-o", "a.txt");
	REFUSED("-o 9: more than 8 files", "-o", "1.md", "-o", "2.md", "-o", "3.md", "-o", "4.md",
		"-o", "5.md", "-o", "6.md", "-o", "7.md", "-o", "8.md", "-o", "9");
	REFUSED("-o a.txt has sums of samples: --format script and events print each; > a.txt "
		"takes what is printed", "--format", "script", "-o", "a.txt");
	REFUSED("-o a.md is a file of samples: --threads-now takes none", "--threads-now", "-o",
		"a.md");
	REFUSED("-o a: what --dump prints can't be recorded", "-i", "b", "--dump", "-o", "a");
	REFUSED("-o a: what is only listed can't be recorded", "--list-probes", "-o", "a");
	REFUSED("-o a.md has one comparison: give one --diff", "-i", "a", "--diff", "b", "--diff",
		"c", "--batch", "-o", "a.md");
}

/* Without --format the files are all that is asked for, and there is one refresh, of the whole
 * run. */
static void test_files_alone_print_nothing(void **state)
{
	(void)state;
	assert_int_equal(PARSE("--batch", "-o", "a.txt"), 0);
	assert_true(options.is_quiet && options.prints_once);
	assert_int_equal(options.window, WINDOW_ALL);
	assert_int_equal(PARSE("--batch", "-o", "a.txt", "--window", "5"), 0);
	assert_true(options.is_quiet);
	assert_int_equal(options.window, WINDOW_SECONDS);
	assert_int_equal(PARSE("--batch=3", "-o", "a.txt"), 0);
	assert_true(options.is_quiet && !options.prints_once);
	assert_int_equal(PARSE("--batch", "--format", "text", "-o", "a.txt"), 0);
	assert_true(!options.is_quiet && !options.prints_once);
	assert_int_equal(PARSE("--batch", "-o", "a.data"), 0);
	assert_false(options.is_quiet);
	assert_int_equal(PARSE("-o", "a.txt"), 0);
	assert_false(options.is_quiet);
	assert_int_equal(PARSE("--batch", "-o", "a.txt"), 0);
	assert_false(options.wants_rows);
	assert_int_equal(PARSE("--batch", "-o", "a.txt", "-E", "40"), 0);
	assert_true(options.wants_rows);
}

#define SWITCHES "signal, a size from 100K on, as 100M or 2G, or a time from 1s on, as 30s, 5m, " \
	"2h or 1d is needed"

static void test_a_recording_goes_on_in_other_files_as_perf_says(void **state)
{
	(void)state;
	assert_int_equal(PARSE("-o", "a"), 0);
	assert_false(options.split.is_on);
	assert_int_equal(PARSE("-o", "a", "--switch-output"), 0);
	assert_true(options.split.is_on && options.split.by_signal);
	assert_int_equal(PARSE("-o", "a", "--switch-output=signal"), 0);
	assert_true(options.split.by_signal);
	assert_int_equal(PARSE("-o", "a", "--batch"), 0);
	assert_true(options.capture.has_raw);
	assert_int_equal(PARSE("-o", "a", "--switch-max-files", "3", "--switch-output=100M"), 0);
	assert_false(options.split.by_signal);
	assert_int_equal(options.split.bytes, 100u << 20);
	assert_int_equal(options.split.files_max, 3);
	assert_int_equal(PARSE("-o", "a", "--switch-output=2m"), 0);
	assert_int_equal(options.split.time_ns, UINT64_C(120000000000));
	assert_int_equal(options.split.bytes, 0);
	REFUSED("--switch-output is for recordings: -o FILE says how their names begin",
		"--switch-output");
	REFUSED("--switch-max-files is for --switch-output", "-o", "a", "--switch-max-files", "2");
	REFUSED("--switch-output 30: " SWITCHES, "-o", "a", "--switch-output=30");
	REFUSED("--switch-output 9K: " SWITCHES, "-o", "a", "--switch-output=9K");
	REFUSED("--switch-output 0.5s: " SWITCHES, "-o", "a", "--switch-output=0.5s");
	REFUSED("--switch-output 2Mx: " SWITCHES, "-o", "a", "--switch-output=2Mx");
	REFUSED("--switch-output -5M: " SWITCHES, "-o", "a", "--switch-output=-5M");
	REFUSED("SIGUSR2 saves what --keep-last holds: give --switch-output a size or a time",
		"-o", "a", "--switch-output", "--keep-last", "5s");
}

static void test_one_thing_has_a_line_of_its_own(void **state)
{
	(void)state;
	REFUSED("only one of --per-cpu, --per-socket, --per-thread and --for-each-cgroup says what "
		"has a line of its own", "--stat", "-A", "--per-thread", "-a");
	REFUSED("--per-cpu counts whole CPUs: with -a, -C or -G", "--stat", "-A", "--", "true");
	REFUSED("--for-each-cgroup counts whole CPUs: with -a", "--stat", "--for-each-cgroup", "a",
		"-p", "1");
	REFUSED("--per-thread lists the threads that are there at the start: with -p, -t or -a",
		"--stat", "--per-thread", "--", "true");
	assert_int_equal(PARSE("--stat", "-A", "-a", "--", "true"), 0);
	assert_int_equal(PARSE("--stat", "--per-thread", "-p", "1"), 0);
	assert_int_equal(PARSE("--stat", "--for-each-cgroup", "a", "--", "true"), 0);
	assert_true(options.is_command_clock);
}

static void test_only_a_command_can_be_repeated(void **state)
{
	(void)state;
	REFUSED("-r repeats a command: -- COMMAND is needed", "--stat", "-r", "3", "-a");
	REFUSED("-r repeats a command: -- COMMAND is needed, without -I and --per-thread", "--stat",
		"-r", "3", "-I", "1", "--", "true");
	assert_int_equal(PARSE("--stat", "-r", "3", "--", "true"), 0);
	assert_int_equal(options.stat.runs, 3);
}

static void test_detail_is_one_unless_said(void **state)
{
	(void)state;
	assert_int_equal(PARSE("--stat", "--detail"), 0);
	assert_int_equal(options.stat.detail, 1);
	assert_int_equal(PARSE("--stat", "--detail=3"), 0);
	assert_int_equal(options.stat.detail, 3);
	REFUSED("--detail 4: a number from 1 to 3 is needed", "--stat", "--detail=4");
}

static void test_of_the_configuration_only_the_log_is_read(void **state)
{
	const struct option_setting settings[] = {
		{ option_table_find("event"), (char[]){ "cpu-clock" } },
		{ option_table_find("log"), (char[]){ "/tmp/log" } },
	};
	char *words[] = { (char[]){ "flametop" }, (char[]){ "--stat" }, NULL };

	(void)state;
	options_finish(&options);
	assert_int_equal(options_parse_over(&options, settings, 2, 2, words, &why), 0);
	assert_int_equal(options.capture.event_text_count, 0);
	assert_string_equal(options.log_path, "/tmp/log");
}

UNIT_TESTS(test_option_counters)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_interval_is_in_seconds_unless_it_has_a_unit),
		cmocka_unit_test(test_options_of_samples_are_refused),
		cmocka_unit_test(test_options_of_counters_need_stat),
		cmocka_unit_test(test_an_output_is_a_recording_unless_events_are_counted),
		cmocka_unit_test(test_the_end_of_an_output_says_its_format),
		cmocka_unit_test(test_files_alone_print_nothing),
		cmocka_unit_test(test_a_recording_goes_on_in_other_files_as_perf_says),
		cmocka_unit_test(test_one_thing_has_a_line_of_its_own),
		cmocka_unit_test(test_only_a_command_can_be_repeated),
		cmocka_unit_test(test_detail_is_one_unless_said),
		cmocka_unit_test(test_of_the_configuration_only_the_log_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
