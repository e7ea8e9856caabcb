/* The configuration file: what is taken from it, and every mistake with its line. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/config.h"

#include "ui/keymap.h"
#include "unit_tests.h"

#define STRANGER 65534	/* nobody */

static char place[] = "/tmp/flametop-test-XXXXXX";
static char path[64];
static struct config config;
static struct diag why;

static int make_place(void **state)
{
	(void)state;
	strcpy(place + strlen(place) - 6, "XXXXXX");
	if (!mkdtemp(place))
		return -1;
	snprintf(path, sizeof(path), "%s/c", place);
	return 0;
}

static int remove_place(void **state)
{
	char command[100];

	(void)state;
	config_finish(&config);
	memset(&config, 0, sizeof(config));
	snprintf(command, sizeof(command), "rm -rf %s", place);
	return system(command);
}

static int read_bytes(const char *text, size_t size)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_int_equal(fwrite(text, 1, size, out), size);
	assert_int_equal(fchmod(fileno(out), 0600), 0);
	fclose(out);
	config_finish(&config);
	why = (struct diag){ .err = 0 };
	return config_read(&config, path, &why);
}

static void accept(const char *text)
{
	if (read_bytes(text, strlen(text)))
		fail_msg("%s: %s", text, config.problems ? config.problems : why.text);
	assert_null(config.problems);
}

/* @problems: "LINE: sentence\n" each. */
static void refuse_bytes(const char *text, size_t size, const char *problems)
{
	char expected[4096] = "";
	size_t used = 0;

	assert_int_equal(read_bytes(text, size), -EINVAL);
	for (const char *at = problems; *at; at += strcspn(at, "\n") + 1)
		used += (size_t)snprintf(expected + used, sizeof(expected) - used, "%s:%.*s\n",
					 path, (int)strcspn(at, "\n"), at);
	assert_string_equal(config.problems, expected);
	assert_int_equal(config.setting_count, 0);
	assert_memory_equal(&config.columns, &columns_at_first, sizeof(columns_at_first));
}

static void refuse(const char *text, const char *problems)
{
	refuse_bytes(text, strlen(text), problems);
}

static const struct command *command_called(const char *name)
{
	for (size_t i = 0; i < command_count; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	fail_msg("no command %s", name);
	return NULL;
}

static void assert_keys(const char *name, const char *keys)
{
	char text[KEYMAP_TEXT_BYTES];

	assert_string_equal(keymap_format(&config.keymap, command_called(name), text), keys);
}

static void test_options_keys_and_columns_are_taken(void **state)
{
	(void)state;
	accept("# mine\n"
	       "[options]\n"
	       "delay = 5\n"
	       "  match = mem cpy ; a comment\n"
	       "event=cycles\n"
	       "event: page-faults\n"
	       "theme =\n"
	       "\n"
	       "[keys]\n"
	       "quit = x, Ctrl-Q\n"
	       "; another comment\n"
	       "[columns]\n"
	       "symbols = self,total , symbol\n");
	assert_int_equal(config.setting_count, 5);
	assert_string_equal(config.settings[0].row->name, "delay");
	assert_string_equal(config.settings[0].text, "5");
	assert_string_equal(config.settings[1].text, "mem cpy");
	assert_string_equal(config.settings[2].text, "cycles");
	assert_string_equal(config.settings[3].text, "page-faults");
	assert_string_equal(config.settings[4].text, "");
	assert_keys("quit", "x, Ctrl-Q");
	assert_keys("help", "?, F1");
	assert_int_equal(config.columns.hidden[VIEW_SYMBOLS],
			 COLUMN_BIT(COL_BAR) | COLUMN_BIT(COL_SAMPLES) | COLUMN_BIT(COL_PERIOD) |
			 COLUMN_BIT(COL_PID) | COLUMN_BIT(COL_TID) | COLUMN_BIT(COL_CPU) |
			 COLUMN_BIT(COL_EVENT) |
			 COLUMN_BIT(COL_COMMAND) | COLUMN_BIT(COL_DSO) | COLUMN_BIT(COL_SOURCE) |
			 COLUMN_BIT(COL_PROBE) | COLUMN_BIT(COL_FROM) |
			 COLUMN_BIT(COL_MISPREDICTED) | COLUMN_BIT(COL_TOTAL_CHANGE) |
			 COLUMNS_OF_WAITS);
	assert_int_equal(config.columns.hidden[VIEW_TASKS], columns_at_first.hidden[VIEW_TASKS]);
	assert_memory_equal(&config.columns, &config.file_columns, sizeof(columns_at_first));
	assert_string_equal(config.path, path);
	assert_false(config.keeps_state);
}

static void test_other_editors_files_are_read(void **state)
{
	(void)state;
	accept("\xef\xbb\xbf[options]\r\ndelay = 5\r\nwindow = all");
	assert_int_equal(config.setting_count, 2);
	assert_string_equal(config.settings[0].text, "5");
	assert_string_equal(config.settings[1].text, "all");
	accept("");
	accept("\n\n");
}

static void test_every_mistake_is_reported_with_its_line(void **state)
{
	(void)state;
	refuse("delay = 5\n"
	       "[options]\n"
	       "dalay = 5\n"
	       "\n"
	       "delay = soon\n"
	       "idle = yes\n"
	       "pid = 1\n"
	       "nonsense\n"
	       "[kays]\n"
	       "quit = x\n"
	       "quit = y\n"
	       "[columns\n"
	       "[columns]\n"
	       "symbols = self, totel\n"
	       "cymbals = self\n",
	       "1: a [section] is needed before the first name\n"
	       "3: no option \"dalay\": did you mean delay?\n"
	       "5: delay soon: seconds of at least 0.1 are needed\n"
	       "6: idle yes: true or false is needed\n"
	       "7: pid is for the command line: it is about one run\n"
	       "8: name = value is needed\n"
	       "9: no section [kays]: did you mean [keys]?\n"
	       "12: a section needs its ]\n"
	       "14: no column \"totel\" in Symbols: did you mean total?\n"
	       "15: no view \"cymbals\": did you mean symbols?\n");
	assert_int_equal(why.err, -EINVAL);
	assert_non_null(strstr(why.text, " has mistakes; --config none starts without it"));
}

static void test_a_mistake_in_the_keys_has_the_keymaps_sentence(void **state)
{
	char text[200];

	(void)state;
	assert_int_equal(read_bytes("[keys]\nquite = x\n", 17), -EINVAL);
	snprintf(text, sizeof(text), "%s:2: ", path);
	assert_memory_equal(config.problems, text, strlen(text));
	assert_non_null(strstr(config.problems, "quit"));
	assert_keys("quit", "q, Ctrl-C, F10");
}

static void test_ten_mistakes_are_reported_and_the_rest_is_counted(void **state)
{
	char text[200] = "[options]\n", problems[1000] = "";
	size_t used = 0;

	(void)state;
	for (int i = 0; i < 13; i++)
		strcat(text, "zzzzzz = 1\n");
	for (int i = 0; i < 10; i++)
		used += (size_t)snprintf(problems + used, sizeof(problems) - used,
					 "%d: no option \"zzzzzz\"; flametop --print-config lists"
					 " them\n", i + 2);
	snprintf(problems + used, sizeof(problems) - used, " and 3 more\n");
	refuse(text, problems);
}

static void test_what_is_no_text_is_refused(void **state)
{
	char text[1000] = "[options]\nmatch = ";

	(void)state;
	refuse_bytes("[options]\n\0delay = 5\n", 21, "2: a NUL byte: this is no text\n");
	memset(text + strlen(text), 'x', 300);
	strcat(text, "\ndelay = nix\n");
	refuse(text, "2: a line of more than 198 bytes\n"
		     "3: delay nix: seconds of at least 0.1 are needed\n");
	refuse("[options]\nwin\x1b[31mdow = 1\n",
	       "2: no option \"win\\x1b[31mdow\"; flametop --print-config lists them\n");
}

static void test_none_is_no_file(void **state)
{
	const struct column_choice chosen = { .hidden = { COLUMN_BIT(COL_BAR) } };

	(void)state;
	assert_int_equal(config_read(&config, "none", &why), 0);
	assert_false(config.keeps_state);
	assert_string_equal(config.path, "");
	assert_int_equal(config.setting_count, 0);
	assert_keys("quit", "q, Ctrl-C, F10");
	assert_int_equal(config_load_state(&config, &why), 0);
	assert_int_equal(config_save_state(&config, &chosen, &why), 0);
}

static void test_a_file_that_was_asked_for_must_be_there(void **state)
{
	(void)state;
	assert_int_equal(config_read(&config, path, &why), -ENOENT);
	assert_null(config.problems);
	assert_non_null(strstr(why.text, path));
}

/* Takes the # off every "#name = value". */
static void uncomment(char *text)
{
	char *out = text;
	bool begins_line = true;

	for (const char *at = text; *at; at++) {
		if (!(begins_line && at[0] == '#' && isalpha((unsigned char)at[1])))
			*out++ = *at;
		begins_line = *at == '\n';
	}
	*out = '\0';
}

static void test_the_sample_without_its_marks_is_the_default(void **state)
{
	char *arguments[] = { "flametop", NULL };
	struct options sample, plain;
	struct keymap keymap;
	char *text;
	size_t size, in_file = 0;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	config_print_sample(out);
	fclose(out);
	accept(text);	/* all commented out: nothing is said */
	assert_int_equal(config.setting_count, 0);

	uncomment(text);
	accept(text);
	for (size_t i = 0; i < option_row_count; i++)
		in_file += option_rows[i].in_file;
	assert_int_equal(config.setting_count, in_file);
	assert_memory_equal(&config.columns, &columns_at_first, sizeof(columns_at_first));
	keymap_init(&keymap, commands, command_count);
	assert_memory_equal(&config.keymap, &keymap, sizeof(keymap));
	assert_int_equal(options_parse_over(&sample, config.settings, in_file, 1, arguments, &why),
			 0);
	assert_int_equal(options_parse(&plain, 1, arguments, &why), 0);
	assert_memory_equal(&sample, &plain, sizeof(plain));
	options_finish(&sample);
	options_finish(&plain);
	free(text);
}

static bool is_there(const char *name)
{
	char file[100];

	snprintf(file, sizeof(file), "%s/flametop/%s", place, name);
	return access(file, F_OK) == 0;
}

static void write_own(const char *name, const char *text)
{
	char file[100];
	FILE *out;

	snprintf(file, sizeof(file), "%s/flametop/%s", place, name);
	out = fopen(file, "w");
	if (!out || fputs(text, out) < 0 || fchmod(fileno(out), 0600) || fclose(out))
		_exit(98);
}

static int start(void)
{
	config_finish(&config);
	return config_read(&config, NULL, &why) || config_load_state(&config, &why);
}

static int remember(void)
{
	struct column_choice chosen;

	setenv("XDG_CONFIG_HOME", place, 1);
	if (start() || !config.keeps_state || memcmp(&config.columns, &columns_at_first,
						    sizeof(columns_at_first)) != 0)
		return 1;
	if (config_save_state(&config, &config.columns, &why) || is_there("state"))
		return 2;	/* nothing was changed */
	chosen = config.columns;
	chosen.hidden[VIEW_TASKS] = COLUMN_BIT(COL_BAR) | COLUMN_BIT(COL_STATE);
	chosen.counter_line = 1;
	if (config_save_state(&config, &chosen, &why) || !is_there("state"))
		return 3;
	if (start() || memcmp(&config.columns, &chosen, sizeof(chosen)) != 0)
		return 4;

	/* The state wins in its views; what the file says of others stands. */
	write_own("config", "[columns]\ntasks = self\ncpus = self, cpu\n"
			    "[screen]\ncounter-line = true\n");
	if (start() || config.columns.hidden[VIEW_TASKS] != chosen.hidden[VIEW_TASKS] ||
	    config.columns.hidden[VIEW_CPUS] == 0)
		return 5;
	/* Shown again although the file hides it. */
	chosen = config.columns;
	chosen.hidden[VIEW_CPUS] = 0;
	chosen.counter_line = 0;
	if (config_save_state(&config, &chosen, &why) || start() ||
	    memcmp(&config.columns, &chosen, sizeof(chosen)) != 0)
		return 6;
	/* What is not right changes nothing. */
	write_own("state", "[columns]\ntasks = self, bar\n[options]\ndelay = 1\n");
	if (config_read(&config, NULL, &why) || config_load_state(&config, &why) != -EINVAL)
		return 7;
	if (config.setting_count || memcmp(&config.columns, &config.file_columns,
					    sizeof(columns_at_first)) != 0)
		return 8;
	return strstr(config.problems, ":4: only [columns] and [screen] are remembered") ? 0 : 9;
}

/* As a user whose directory can be chosen: that of root is always ~root/.config. */
static void test_columns_are_remembered(void **state)
{
	pid_t child;
	int status;

	(void)state;
	if (geteuid() == 0)
		assert_int_equal(chown(place, STRANGER, STRANGER), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		if (geteuid() == 0 && setresuid(STRANGER, STRANGER, STRANGER))
			_exit(99);
		_exit(remember());
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_place, remove_place)

UNIT_TESTS(test_config)
{
	const struct CMUnitTest tests[] = {
		TEST(test_options_keys_and_columns_are_taken),
		TEST(test_other_editors_files_are_read),
		TEST(test_every_mistake_is_reported_with_its_line),
		TEST(test_a_mistake_in_the_keys_has_the_keymaps_sentence),
		TEST(test_ten_mistakes_are_reported_and_the_rest_is_counted),
		TEST(test_what_is_no_text_is_refused),
		TEST(test_none_is_no_file),
		TEST(test_a_file_that_was_asked_for_must_be_there),
		TEST(test_the_sample_without_its_marks_is_the_default),
		TEST(test_columns_are_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
