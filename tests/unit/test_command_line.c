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
#include "scene_fixture.h"
#include "ui/command_line.h"

static struct command_line line;

static const char *line_of(struct scene *scene)
{
	command_line_make(&scene->state, &line);
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

	assert_true(command_line_add_word(out, sizeof(out), word));
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
}

static void test_a_word_without_room_is_left_out_whole(void **state)
{
	char out[8] = "";

	(void)state;
	assert_true(command_line_add_word(out, sizeof(out), "abc"));
	assert_false(command_line_add_word(out, sizeof(out), "defg"));
	assert_false(command_line_add_word(out, sizeof(out), "d'"));
	assert_string_equal(out, "abc");
	assert_true(command_line_add_word(out, sizeof(out), "def"));
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
	command_line_change_source(&launch, &change);
	check_launch(&launch, LAUNCH_TARGET, "-p 'a b'");
	check_launch(&launch, LAUNCH_COMMAND, "");
	check_launch(&launch, LAUNCH_CPUS, "-C 1");
	command_line_change_source(&launch, &(struct source_change){ .kind = SOURCE_CPUS });
	check_launch(&launch, LAUNCH_CPUS, "");
	command_line_change_source(&launch, &(struct source_change){ .kind = SOURCE_ALL });
	check_launch(&launch, LAUNCH_TARGET, "-a");
	command_line_change_source(&launch, &(struct source_change){ SOURCE_EVENT, "cycles" });
	check_launch(&launch, LAUNCH_EVENTS, "-e cycles");
	assert_false(launch.is_only_probes);
	command_line_change_source(&launch, &(struct source_change){ SOURCE_FREQUENCY, "max" });
	check_launch(&launch, LAUNCH_RATE, "-F max");
	command_line_change_source(&launch, &(struct source_change){ SOURCE_COPIES, "0" });
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
	struct scene *scene = *state;

	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		scene_press(scene, views[i].key);
		assert_non_null(strstr(line_of(scene), views[i].rows));
		assert_string_equal(strrchr(line.text, ' '), " --batch=1");
		if (views[i].key[0] != '1')
			scene_answer(scene);
	}
	assert_memory_equal(line.text, "flametop ", 9);
}

static void test_what_is_shown_is_in_the_line(void **state)
{
	struct scene *scene = *state;
	struct ui_state *ui = &scene->state;

	ui->hide_kernel = ui->is_relative = ui->raw_names = ui->show_idle = true;
	ui->window = WINDOW_SECONDS;
	ui->window_ns = 60000000000;
	ui->symbol_keys = KEY_PID | KEY_SYMBOL;
	ui->orders[VIEW_SYMBOLS].column = COL_TOTAL;
	assert_string_equal(line_of(scene), "flametop -K --idle -s pid,symbol --children -d 60 "
			    "--window 60 --percentage relative --no-demangle --batch=1");
	ui->hide_kernel = false;
	ui->hide_user = true;
	ui->window = WINDOW_ALL;
	ui->interval_ns = 500000000;
	ui->orders[VIEW_SYMBOLS] = (struct table_order){ COL_SAMPLES, true };
	ui->is_relative = ui->raw_names = ui->show_idle = false;
	assert_string_equal(line_of(scene),
			    "flametop -U -s pid,symbol -d 0.5 --window all --batch=1");
	assert_true(has_note("sorts them by SAMPLES"));
	assert_true(has_note("reverses"));
	ui->window = WINDOW_DECAY;
	ui->choice.hidden[VIEW_SYMBOLS] = 0;
	assert_non_null(strstr(line_of(scene),
			       " --source --show-total-period -d 0.5 --window decay"));
	ui->is_paused = true;
	line_of(scene);
	assert_true(has_note("time in the past"));
}

static void add_part(struct scene *scene, enum filter_field field, bool is_negated,
		     const char *text)
{
	struct filter_part part = { .field = field, .is_negated = is_negated };
	struct diag why;

	snprintf(part.text, sizeof(part.text), "%s", text);
	part.hash = filter_hash(text);
	assert_int_equal(filter_add(&scene->state.trail.filter, &part, &why), 0);
}

static void test_a_filter_is_an_option_as_far_as_there_is_one(void **state)
{
	struct scene *scene = *state;

	add_part(scene, FILTER_TEXT, true, "memcpy it");
	add_part(scene, FILTER_COMMAND, false, "a.out");
	add_part(scene, FILTER_OBJECT, true, "[vdso]");
	add_part(scene, FILTER_CGROUP, false, "/user.slice");
	assert_non_null(strstr(line_of(scene),
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
	struct scene *scene = *state;
	struct options options;
	struct diag why;
	char *begin;

	add_part(scene, FILTER_SYMBOL, false, "std::f(int*, a{1}, x|y)+[0]^?\\");
	line_of(scene);
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
	struct scene *scene = *state;

	scene->snapshot.probes.count = 2;
	scene->snapshot.probes.list = probes;
	assert_non_null(strstr(line_of(scene),
			       "flametop -e cpu-clock --probe 'u:/bin/a:f if x > 1' "
			       "--probe k:do_exit -s "));
	assert_true(has_note("f is off here"));
	scene->state.launch.is_only_probes = true;
	assert_non_null(strstr(line_of(scene), "flametop --probe 'u"));
	scene->snapshot.is_replay = true;
	assert_null(strstr(line_of(scene), "--probe"));
	scene->snapshot.probes.count = 0;
}

static void test_the_page_shows_the_line_and_y_copies_it(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, ":command");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(scene_has(scene, "flametop -s dso,symbol"));
	assert_true(scene_has(scene, "--batch=1"));
	assert_true(scene_has(scene, "y copies the line"));
	scene_press(scene, "y");
	assert_true(scene->state.wants_clipboard);
	assert_string_equal(scene->state.clipboard, line_of(scene));
	scene->state.wants_clipboard = false;
	scene_press(scene, "!y");
	assert_false(scene->state.wants_clipboard);
	assert_true(scene_has(scene, "the page that :command opens"));
}

static void test_a_line_that_is_too_long_is_not_copied(void **state)
{
	struct scene *scene = *state;
	char word[LAUNCH_BYTES];

	memset(word, 'x', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	for (int kind = 0; kind < LAUNCH_KINDS; kind++)
		launch_add_word(&scene->state.launch, (enum launch_kind)kind, word);
	line_of(scene);
	assert_true(line.is_cut);
	assert_true(strlen(line.text) < COMMAND_LINE_BYTES);
	scene_press(scene, ":command");
	scene_press_key(scene, UI_KEY_ENTER);
	scene_press(scene, "y");
	assert_false(scene->state.wants_clipboard);
	assert_true(scene_has(scene, "too long"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_word_is_quoted_where_the_shell_would_read_it),
		cmocka_unit_test(test_a_word_without_room_is_left_out_whole),
		cmocka_unit_test(test_the_words_of_the_source_are_kept),
		cmocka_unit_test(test_what_was_changed_takes_the_place_of_what_was_given),
		SCENE_TEST(test_each_view_has_its_rows),
		SCENE_TEST(test_what_is_shown_is_in_the_line),
		SCENE_TEST(test_a_filter_is_an_option_as_far_as_there_is_one),
		SCENE_TEST(test_an_exact_name_is_a_regular_expression_that_is_accepted),
		SCENE_TEST(test_probes_are_in_the_line_with_the_event_besides),
		SCENE_TEST(test_the_page_shows_the_line_and_y_copies_it),
		SCENE_TEST(test_a_line_that_is_too_long_is_not_copied),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
