/* One table: what it promises to getopt, and the text of --help. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/options.h"
#include "ui/theme.h"
#include "unit_tests.h"

static char *help;
static size_t help_bytes;

static int print_help(void **state)
{
	FILE *out = open_memstream(&help, &help_bytes);

	(void)state;
	option_table_print_help(out);
	return fclose(out);
}

static int free_help(void **state)
{
	(void)state;
	free(help);
	return 0;
}

static void test_names_and_letters_are_there_once(void **state)
{
	(void)state;
	for (size_t i = 0; i < option_row_count; i++) {
		const struct option_row *row = &option_rows[i];

		if (!row->name)
			continue;
		assert_ptr_equal(option_table_find(row->name), row);
		if (row->letter)
			assert_ptr_equal(option_table_find_letter(row->letter), row);
		assert_true(!row->set == (row->flag != 0));
		/* A flag has no value; some options take the next word if it looks like one. */
		assert_true(!row->argument ? !row->set || row->is_next_word
			    : row->set && (!row->is_next_word ||
					   option_table_is_value_optional(row)));
	}
	assert_null(option_table_find(""));
	assert_null(option_table_find_letter(0));
	assert_null(option_table_find_letter('?'));
}

static void test_the_help_names_every_option(void **state)
{
	static const char *const names[] = {
		"-a, --all-cpus", "-p, --pid PID,...", "-t, --tid", "-u, --uid", "-C, --cpu",
		"-G, --cgroup CGROUP",
		"--no-inherit", "-i, --input", "-e, --event", "-F, --freq HZ|max", "-c, --count",
		"--call-graph MODE", "-g, --stacks",
		"-m, --mmap-pages", "-s, --sort", "-d, --delay", "--window", "--match",
		"-K, --hide-kernel", "-U, --hide-user", "--idle", "--batch[=N]", "--duration",
		"--format", "-E, --entries", "--history-memory", "--color", "--no-unicode",
		"--log", "-h, --help", "--version", "--theme", "--no-mouse", "--config FILE",
		"--probe SPEC", "--preset NAME", "--list-presets", "--dry-run",
		"--list-targets PATTERN", "--lines WHERE",
		"--vars PROBE", "--externs",
		"-l, --list-probes", "--list-events[=PATTERN]",
		"--probe-cap PCT", "--lease TIME", "--readonly",
		"--print-config", "--print-man", "--print-completion", "  -- command args...",
		"--kill-command", "--threads-now",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strstr(help, names[i]))
			fail_msg("no %s", names[i]);
}

static void test_the_help_is_one_column_of_names_and_one_of_text(void **state)
{
	(void)state;
	assert_non_null(strstr(help, "\n  -a, --all-cpus         every process on every CPU\n"));
	assert_non_null(strstr(help, "\n      --history-memory MIB  memory for the last minutes"
			       " (64)\n"));
	assert_non_null(strstr(help, "\n  -s, --sort KEYS        row keys of event,pid,tid,comm,"
			       "dso,symbol,cpu,\n"
			       "                         address,from; +KEY adds, -KEY removes one"
			       " (dso,symbol)\n"));
	assert_non_null(strstr(help, "\n\nWhat to show\n"));
}

/* A row may have three lines and more; only titles begin in the first column. */
static void test_each_further_line_of_a_row_is_in_the_column_of_text(void **state)
{
	(void)state;
	for (size_t i = 0; i < option_row_count; i++)
		for (const char *line = strchr(option_rows[i].help, '\n'); line;
		     line = strchr(line + 1, '\n')) {
			char expected[128];

			snprintf(expected, sizeof(expected), "\n%25s%.*s", "",
				 (int)strcspn(line + 1, "\n"), line + 1);
			assert_non_null(strstr(help, expected));
		}
}

static void test_no_line_of_the_help_is_wider_than_a_terminal(void **state)
{
	(void)state;
	for (const char *line = help; *line; line += strcspn(line, "\n") + 1)
		if (strcspn(line, "\n") > 80)
			fail_msg("%.*s", (int)strcspn(line, "\n"), line);
}

static void test_the_default_theme_is_the_first(void **state)
{
	(void)state;
	assert_string_equal(option_table_find("theme")->default_text, themes[0].name);
}

static void test_all_but_what_is_about_one_run_may_be_configured(void **state)
{
	static const char *const of_one_run[] = {
		"all-cpus", "pid", "tid", "cgroup", "kill-command", "input", "begin", "end",
		"diff", "fail-above",
		"stacks",
		"annotate", "layer", "batch", "duration", "threads-now", "dump", "format", "table",
		"fields",
		"probe", "weight", "inside",
		"probe", "preset", "list-presets",
		"dry-run", "list-targets", "list-events", "lines", "vars", "externs", "vmlinux",
		"list-probes", "stat", "repeat", "interval", "detail", "per-cpu", "per-socket",
		"per-thread", "for-each-cgroup", "nonzero", "output", "append", "raw-stacks",
		"switch-output", "switch-max-files",
		"config", "print-config", "print-man", "print-completion", "help", "version",
	};

	(void)state;
	for (size_t i = 0; i < option_row_count; i++) {
		bool is_of_one_run = !option_rows[i].name;	/* the command */

		for (size_t j = 0; j < sizeof(of_one_run) / sizeof(of_one_run[0]); j++)
			is_of_one_run |= option_rows[i].name &&
					 !strcmp(option_rows[i].name, of_one_run[j]);
		assert_int_equal(option_rows[i].in_file, !is_of_one_run);
	}
}

static void test_a_mistyped_name_finds_the_near_one(void **state)
{
	(void)state;
	assert_string_equal(option_table_nearest("them"), "theme");
	assert_string_equal(option_table_nearest("hide-kernal"), "hide-kernel");
	assert_null(option_table_nearest("zzzzzz"));
}

UNIT_TESTS(test_option_table)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_and_letters_are_there_once),
		cmocka_unit_test(test_the_help_names_every_option),
		cmocka_unit_test(test_the_help_is_one_column_of_names_and_one_of_text),
		cmocka_unit_test(test_each_further_line_of_a_row_is_in_the_column_of_text),
		cmocka_unit_test(test_no_line_of_the_help_is_wider_than_a_terminal),
		cmocka_unit_test(test_the_default_theme_is_the_first),
		cmocka_unit_test(test_all_but_what_is_about_one_run_may_be_configured),
		cmocka_unit_test(test_a_mistyped_name_finds_the_near_one),
	};

	return cmocka_run_group_tests(tests, print_help, free_help);
}
