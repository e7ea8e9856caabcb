/* The line of :command: its quoting, each option and what it says of what no option says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli/options.h"
#include "ui_fixture.h"
#include "views/command_line.h"
#include "unit_tests.h"

static struct command_line line;

static const char *line_of(struct ui *ui)
{
	command_line_make(&ui->state, &line);
	return line.text;
}

static bool has_note(const char *text)
{
	for (size_t i = 0; i < line.note_count; i++)
		if (strstr(line.notes[i], text))
			return true;
	return false;
}

static void check_word(const char *word, const char *wanted)
{
	char out[64] = "";

	assert_true(launch_append(out, sizeof(out), word));
	assert_string_equal(out, wanted);
}

static void test_a_word_is_quoted_where_the_shell_would_read_it(void **state)
{
	(void)state;
	check_word("sched:sched_switch", "sched:sched_switch");
	check_word("/tmp/perf.data", "/tmp/perf.data");
	check_word("sched:*", "'sched:*'");
	check_word("prev_pid > 0", "'prev_pid > 0'");
	check_word("it's", "'it'\\''s'");
	check_word("", "''");
	check_word("$HOME", "'$HOME'");
	check_word("!text", "'!text'");
	check_word("~^a$", "'~^a$'");
	check_word("\xc3\xa4", "'\xc3\xa4'");
	check_word("a b\nc", "$'a b\\nc'");
	check_word("\tit's a \\", "$'\\tit\\'s a \\\\'");
	check_word("\x1b" "[2J\x7f", "$'\\033[2J\\177'");
}

static void test_a_word_without_room_is_left_out_whole(void **state)
{
	char out[8] = "";

	(void)state;
	assert_true(launch_append(out, sizeof(out), "abc"));
	assert_false(launch_append(out, sizeof(out), "defg"));
	assert_false(launch_append(out, sizeof(out), "d'"));
	assert_false(launch_append(out, sizeof(out), "\n"));
	assert_string_equal(out, "abc");
	assert_true(launch_append(out, sizeof(out), "def"));
	assert_string_equal(out, "abc def");
}

static void check_launch(const struct launch *launch, enum launch_kind kind, const char *wanted)
{
	assert_string_equal(launch->words[kind], wanted);
}

static void test_the_words_of_the_source_are_kept(void **state)
{
	char *argv[] = { "flametop", "-a", "-C", "0", "-e", "sched:sched_switch", "--filter",
			 "prev_pid > 0", "--freq=99", "-g", "fp", "--config", "none", "-K",
			 "--theme", "dark", "--batch", "--", "make", "all it's", NULL };
	struct options options;
	struct diag why;

	(void)state;
	assert_int_equal(options_parse(&options, 20, argv, &why), 0);
	check_launch(&options.launch, LAUNCH_TARGET, "-a");
	check_launch(&options.launch, LAUNCH_CPUS, "-C 0");
	check_launch(&options.launch, LAUNCH_EVENTS,
		     "-e sched:sched_switch --filter 'prev_pid > 0'");
	check_launch(&options.launch, LAUNCH_RATE, "-F 99");
	check_launch(&options.launch, LAUNCH_SOURCE, "-g fp --config none");
	check_launch(&options.launch, LAUNCH_COMMAND, "make 'all it'\\''s'");
	assert_false(options.launch.is_only_probes);
	options_finish(&options);
}

static void test_what_was_changed_takes_the_place_of_what_was_given(void **state)
{
	struct launch launch = { .is_only_probes = true };
	struct source_change change = { .kind = SOURCE_PROCESSES, .text = "a b" };

	(void)state;
	launch_add(&launch, LAUNCH_TARGET, 'a', "all-cpus", NULL);
	launch_add_word(&launch, LAUNCH_COMMAND, "make");
	launch_add(&launch, LAUNCH_CPUS, 'C', "cpu", "1");
	launch_change_source(&launch, &change);
	check_launch(&launch, LAUNCH_TARGET, "-p 'a b'");
	check_launch(&launch, LAUNCH_COMMAND, "");
	check_launch(&launch, LAUNCH_CPUS, "-C 1");
	launch_change_source(&launch, &(struct source_change){ .kind = SOURCE_CPUS });
	check_launch(&launch, LAUNCH_CPUS, "");
	launch_change_source(&launch, &(struct source_change){ .kind = SOURCE_ALL });
	check_launch(&launch, LAUNCH_TARGET, "-a");
	launch_change_source(&launch, &(struct source_change){ SOURCE_EVENT, "cycles" });
	check_launch(&launch, LAUNCH_EVENTS, "-e cycles");
	assert_false(launch.is_only_probes);
	launch_change_source(&launch, &(struct source_change){ SOURCE_FREQUENCY, "max" });
	check_launch(&launch, LAUNCH_RATE, "-F max");
	launch_change_source(&launch, &(struct source_change){ SOURCE_COPIES, "0" });
	check_launch(&launch, LAUNCH_TARGET, "-a");
}

static void test_each_view_has_its_rows(void **state)
{
	static const struct {
		const char *key, *rows;
	} views[] = {
		{ "1", " -s dso,symbol " }, { "2", " -s dso " }, { "3", " -s comm " },
		{ "4", " -s pid " }, { "5", " -s cpu " }, { "6", " --format folded " },
		{ "7", " --format folded " }, { "9", " --group comm,dso,symbol " },
	};
	struct ui *ui = *state;

	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		ui_press(ui, views[i].key);
		assert_non_null(strstr(line_of(ui), views[i].rows));
		assert_string_equal(strrchr(line.text, ' '), " --batch=1");
		if (views[i].key[0] != '1')
			ui_reply(ui);
	}
	assert_memory_equal(line.text, "flametop ", 9);
}

static void test_what_is_shown_is_in_the_line(void **state)
{
	struct ui *ui = *state;
	struct ui_state *now = &ui->state;

	now->query.hide_kernel = now->query.is_relative = true;
	now->query.raw_names = now->query.show_idle = true;
	now->query.window = WINDOW_SECONDS;
	now->query.window_ns = 60000000000;
	now->query.keys[VIEW_SYMBOLS] = KEY_PID | KEY_SYMBOL;
	now->display.orders[VIEW_SYMBOLS].column = COL_TOTAL;
	assert_string_equal(line_of(ui), "flametop -K --idle -s pid,symbol --children -d 60 "
			    "--window 60 --percentage relative --no-demangle --batch=1");
	now->query.hide_kernel = false;
	now->query.hide_user = true;
	now->query.window = WINDOW_ALL;
	now->query.interval_ns = 500000000;
	now->display.orders[VIEW_SYMBOLS] = (struct table_order){ COL_SAMPLES, true };
	now->query.is_relative = now->query.raw_names = now->query.show_idle = false;
	assert_string_equal(line_of(ui),
			    "flametop -U -s pid,symbol -d 0.5 --window all --batch=1");
	assert_true(has_note("sorts them by SAMPLES"));
	assert_true(has_note("reverses"));
	now->query.window = WINDOW_DECAY;
	now->display.choice.hidden[VIEW_SYMBOLS] = 0;
	assert_non_null(strstr(line_of(ui),
			       " --source --show-total-period -d 0.5 --window decay"));
	now->query.is_paused = true;
	line_of(ui);
	assert_true(has_note("time in the past"));
}

static void add_part(struct ui *ui, enum filter_field field, bool is_negated,
		     const char *text)
{
	struct filter_part part = { .field = field, .is_negated = is_negated };
	struct diag why;

	snprintf(part.text, sizeof(part.text), "%s", text);
	part.hash = filter_hash(text);
	assert_int_equal(filter_add(&ui->state.query.breadcrumbs.filter, &part, &why), 0);
}

static void test_a_filter_is_an_option_as_far_as_there_is_one(void **state)
{
	struct ui *ui = *state;

	add_part(ui, FILTER_TEXT, true, "memcpy it");
	add_part(ui, FILTER_COMMAND, false, "a.out");
	add_part(ui, FILTER_DSO, true, "[vdso]");
	add_part(ui, FILTER_CGROUP, false, "/user.slice");
	assert_non_null(strstr(line_of(ui),
			       " --match '!memcpy it' --match '~^a\\.out$' "
			       "--match '!~^\\[vdso\\]$' -s "));
	assert_true(has_note("For \"a.out\" stands --match"));
	assert_true(has_note("No option says \"cgroup /user.slice\"") ||
		    has_note("/user.slice"));
	assert_false(has_note("memcpy"));
}

/* What an exact part becomes is read back by the parser of --match. */
static void test_an_exact_name_is_a_regular_expression_that_is_accepted(void **state)
{
	char *argv[] = { "flametop", "--match", NULL, NULL };
	struct ui *ui = *state;
	struct options options;
	struct diag why;
	char *begin;

	add_part(ui, FILTER_SYMBOL, false, "std::f(int*, a{1}, x|y)+[0]^?\\");
	line_of(ui);
	begin = strstr(line.text, "--match '") + 9;
	*strchr(begin, '\'') = '\0';
	argv[2] = begin;
	assert_int_equal(options_parse(&options, 3, argv, &why), 0);
	assert_string_equal(options.filter.parts[0].text,
			    "~^std::f\\(int\\*, a\\{1\\}, x\\|y\\)\\+\\[0\\]\\^\\?\\\\$");
	options_finish(&options);
}

static void test_probes_are_in_the_line_with_the_event_besides(void **state)
{
	const struct snapshot_probe probes[] = {
		{ .spec = "u:/bin/a:f if x > 1", .name = "f", .state = PROBE_IS_OFF },
		{ .spec = "k:do_exit", .name = "do_exit", .state = PROBE_ATTACHED },
	};
	struct ui *ui = *state;

	ui->snapshot.probes.count = 2;
	ui->snapshot.probes.list = probes;
	assert_non_null(strstr(line_of(ui),
			       "flametop -e cpu-clock --probe 'u:/bin/a:f if x > 1' "
			       "--probe k:do_exit -s "));
	assert_true(has_note("f is off here"));
	ui->state.launch.is_only_probes = true;
	assert_non_null(strstr(line_of(ui), "flametop --probe 'u"));
	ui->snapshot.is_replay = true;
	assert_null(strstr(line_of(ui), "--probe"));
	ui->snapshot.probes.count = 0;
}

static void test_the_page_shows_the_line_and_y_copies_it(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, ":command");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(ui_has(ui, "flametop -s dso,symbol"));
	assert_true(ui_has(ui, "--batch=1"));
	assert_true(ui_has(ui, "y copies the line"));
	ui_press(ui, "y");
	assert_true(ui->state.out.wants_clipboard);
	assert_string_equal(ui->state.out.clipboard, line_of(ui));
	ui->state.out.wants_clipboard = false;
	ui_press(ui, "!y");
	assert_false(ui->state.out.wants_clipboard);
	assert_true(ui_has(ui, "the page that :command opens"));
}

static void test_a_line_that_is_too_long_is_not_copied(void **state)
{
	struct ui *ui = *state;
	char word[LAUNCH_BYTES];

	memset(word, 'x', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	for (int kind = 0; kind < LAUNCH_KINDS; kind++)
		launch_add_word(&ui->state.launch, (enum launch_kind)kind, word);
	line_of(ui);
	assert_true(line.is_cut);
	assert_true(strlen(line.text) < COMMAND_LINE_BYTES);
	ui_press(ui, ":command");
	ui_press_key(ui, UI_KEY_ENTER);
	ui_press(ui, "y");
	assert_false(ui->state.out.wants_clipboard);
	assert_true(ui_has(ui, "too long"));
}

UNIT_TESTS(test_command_line)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_word_is_quoted_where_the_shell_would_read_it),
		cmocka_unit_test(test_a_word_without_room_is_left_out_whole),
		cmocka_unit_test(test_the_words_of_the_source_are_kept),
		cmocka_unit_test(test_what_was_changed_takes_the_place_of_what_was_given),
		UI_TEST(test_each_view_has_its_rows),
		UI_TEST(test_what_is_shown_is_in_the_line),
		UI_TEST(test_a_filter_is_an_option_as_far_as_there_is_one),
		UI_TEST(test_an_exact_name_is_a_regular_expression_that_is_accepted),
		UI_TEST(test_probes_are_in_the_line_with_the_event_besides),
		UI_TEST(test_the_page_shows_the_line_and_y_copies_it),
		UI_TEST(test_a_line_that_is_too_long_is_not_copied),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
