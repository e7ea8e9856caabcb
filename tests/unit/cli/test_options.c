/* Every option, and every refusal with its sentence. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "cli/options.h"
#include "probe/probe_engine.h"
#include "unit_tests.h"

enum { ARGS_MAX = 16 };

static struct options options;
static struct diag why;
static char line_copy[512];
static char *arguments[ARGS_MAX];

/* Splits at spaces. What it returns is in `options` until the next call. */
static int parse(const char *line)
{
	int count = 0;
	char *at = line_copy, *word;

	options_finish(&options);
	memset(&options, 0, sizeof(options));
	memset(arguments, 0, sizeof(arguments));
	snprintf(line_copy, sizeof(line_copy), "flametop%s%s", *line ? " " : "", line);
	while ((word = strsep(&at, " "))) {
		assert_true(count < ARGS_MAX - 1);
		arguments[count++] = word;
	}
	why = (struct diag){ .err = 0 };
	return options_parse(&options, count, arguments, &why);
}

static void accept(const char *line)
{
	if (parse(line))
		fail_msg("%s: %s", line, why.text);
}

static void refuse(const char *line, const char *sentence)
{
	if (parse(line) != -EINVAL)
		fail_msg("%s is accepted", line);
	assert_string_equal(why.text, sentence);
	assert_int_equal(why.err, -EINVAL);
}

static int tear_down(void **state)
{
	(void)state;
	options_finish(&options);
	memset(&options, 0, sizeof(options));
	return 0;
}

static void test_the_base_of_percentages_is_perfs(void **state)
{
	(void)state;
	accept("");
	assert_false(options.is_relative);
	accept("--percentage relative");
	assert_true(options.is_relative);
	accept("--percentage absolute");
	assert_false(options.is_relative);
	assert_int_equal(parse("--percentage half"), -EINVAL);
	assert_non_null(strstr(why.text, "absolute, relative"));
}

static void test_without_arguments_everything_is_the_default(void **state)
{
	(void)state;
	accept("");
	assert_int_equal(options.capture.target.kind, TARGET_SYSTEM);
	assert_int_equal(options.capture.freq_hz, 0);
	assert_int_equal(options.capture.period, 0);
	assert_int_equal(options.capture.event_text_count, 0);
	assert_int_equal(options.capture.call_graph.mode, CALL_GRAPH_AUTO);
	assert_int_equal(options.keys, KEY_DSO | KEY_SYMBOL);
	assert_int_equal(options.window, WINDOW_SECONDS);
	assert_true(options.window_ns == 10 * CLOCK_NS_PER_S);
	assert_true(options.interval_ns == 2 * CLOCK_NS_PER_S);
	assert_int_equal(options.memory_bytes, 64 << 20);
	assert_int_equal(options.max_rows, 40);
	assert_int_equal(options.color, COLOR_AUTO);
	assert_false(options.is_batch || options.wants_help || options.wants_version ||
		     options.no_unicode || options.capture.target.no_inherit);
	assert_null(options.command);
	assert_null(options.replay_path);
	assert_null(options.diff_path);
	assert_null(options.log_path);
}

static void test_targets(void **state)
{
	char line[64];

	(void)state;
	accept("-a");
	assert_int_equal(options.capture.target.kind, TARGET_SYSTEM);
	snprintf(line, sizeof(line), "-p %d", getpid());
	accept(line);
	assert_int_equal(options.capture.target.kind, TARGET_PROCESSES);
	assert_int_equal(options.capture.target.id_count, 1);
	assert_int_equal(options.capture.target.ids[0], getpid());
	snprintf(line, sizeof(line), "--tid=%d --no-inherit", getpid());
	accept(line);
	assert_int_equal(options.capture.target.kind, TARGET_THREADS);
	assert_true(options.capture.target.no_inherit);
	accept("-a --uid 0 -C 0");
	assert_int_equal(options.capture.target.kind, TARGET_USER);
	assert_int_equal(options.capture.target.uid, 0);
	assert_int_equal(options.capture.target.cpu_count, 1);
	assert_int_equal(options.capture.target.cpus[0], 0);
	accept("-K -- ls -a -K");
	assert_string_equal(options.command[0], "ls");
	assert_string_equal(options.command[1], "-a");
	assert_string_equal(options.command[2], "-K");
	assert_null(options.command[3]);
	accept("-F 99 ls -F");	/* the first word that is no option, too */
	assert_string_equal(options.command[0], "ls");
	assert_int_equal(options.capture.freq_hz, 99);
	accept("-i /tmp/perf.data");
	assert_string_equal(options.replay_path, "/tmp/perf.data");
	assert_int_equal(options.window, WINDOW_ALL);
}

static void test_targets_that_are_not_there_have_another_error_than_usage(void **state)
{
	(void)state;
	assert_int_equal(parse("-p 999999999"), -ESRCH);
	assert_int_equal(parse("-u no-such-user-here"), -ENOENT);
	assert_int_equal(parse("-C 500"), -ENODEV);
}

static void test_what_is_sampled(void **state)
{
	(void)state;
	accept("-e cycles:u -e page-faults,cpu-clock --event=r1a8");
	assert_int_equal(options.capture.event_text_count, 3);
	assert_string_equal(options.capture.events[0], "cycles:u");
	assert_string_equal(options.capture.events[1], "page-faults,cpu-clock");
	assert_string_equal(options.capture.events[2], "r1a8");
	accept("-F max");
	assert_true(options.capture.freq_hz == UINT64_MAX);
	accept("--freq 4000 -m 128");
	assert_int_equal(options.capture.freq_hz, 4000);
	assert_int_equal(options.capture.ring_pages, 128);
	accept("-c 1000000 --mmap-pages=1");
	assert_int_equal(options.capture.period, 1000000);
	assert_int_equal(options.capture.ring_pages, 1);
}

static void test_what_is_shown(void **state)
{
	(void)state;
	accept("-d 0.5 --window 2.5 --match memcpy -K -U --idle -E 7 --history-memory 16");
	assert_true(options.interval_ns == CLOCK_NS_PER_S / 2);
	assert_int_equal(options.window, WINDOW_SECONDS);
	assert_true(options.window_ns == 5 * CLOCK_NS_PER_S / 2);
	assert_int_equal(options.filter.count, 3);
	assert_int_equal(options.filter.parts[0].field, FILTER_TEXT);
	assert_string_equal(options.filter.parts[0].text, "memcpy");
	assert_int_equal(options.filter.parts[1].field, FILTER_KERNEL);
	assert_int_equal(options.filter.parts[2].field, FILTER_USER);
	assert_true(options.filter.parts[1].is_negated && options.filter.parts[2].is_negated);
	assert_true(options.show_idle);
	assert_int_equal(options.max_rows, 7);
	assert_int_equal(options.memory_bytes, 16 << 20);
	accept("-n --show-total-period");
	assert_true(options.wants_samples && options.wants_period);
	accept("--window all");
	assert_int_equal(options.window, WINDOW_ALL);
	accept("--window=decay");
	assert_int_equal(options.window, WINDOW_DECAY);
	accept("--color always --no-unicode --log /tmp/x.log");
	assert_int_equal(options.color, COLOR_ALWAYS);
	assert_true(options.no_unicode);
	assert_string_equal(options.log_path, "/tmp/x.log");
	accept("--color never");
	assert_int_equal(options.color, COLOR_NEVER);
}

static void test_batch(void **state)
{
	(void)state;
	accept("--batch");
	assert_true(options.is_batch);
	assert_int_equal(options.batch_count, 0);
	assert_int_equal(options.window, WINDOW_INTERVAL);
	assert_int_equal(options.max_rows, 40);
	assert_int_equal(options.format, OUTPUT_TEXT);
	accept("--batch=5 --duration 0.25 --format json");
	assert_int_equal(options.batch_count, 5);
	assert_true(options.duration_ns == CLOCK_NS_PER_S / 4);
	assert_int_equal(options.format, OUTPUT_JSON);
	assert_true(options.max_rows == SIZE_MAX);
	accept("--format events-json --fields +stack,-cpu -- true");
	assert_true(options.is_batch && options.has_events);
	assert_int_equal(options.fields.count, 9);
	assert_int_equal(options.fields.list[1], EVENT_COMM);
	assert_int_equal(options.fields.list[8], EVENT_STACK);
	accept("-o F --format none");
	assert_true(options.is_batch && options.prints_once);
	assert_int_equal(options.window, WINDOW_ALL);
	accept("--keep-last 60s --format none -p 1");
	accept("--fields +pid,-cpu --format script -- true");
	assert_true(options.is_batch && options.has_events && options.capture.has_raw);
	assert_false(script_fields_have(&options.script_fields, SCRIPT_CPU));
	assert_true(script_fields_have(&options.script_fields, SCRIPT_IP));
	accept("--format script --fields comm,ip -- true");
	assert_false(script_fields_have(&options.script_fields, SCRIPT_SYM));
	accept("-i x --format folded");
	assert_true(options.is_batch);
	assert_int_equal(options.window, WINDOW_ALL);
	accept("--format text -- true");
	assert_true(options.is_batch && options.prints_once);
	accept("--list-events --format json");
	assert_false(options.is_batch);
	accept("--batch --format json -E 3 --window 10");
	assert_int_equal(options.max_rows, 3);
	assert_int_equal(options.window, WINDOW_SECONDS);
	accept("--batch 5");	/* the value needs its =: this is the command "5" */
	assert_string_equal(options.command[0], "5");
}

static void test_help_and_version_ask_for_nothing_else(void **state)
{
	(void)state;
	accept("--help -F 1 -c 1");
	assert_true(options.wants_help);
	accept("-h");
	assert_true(options.wants_help);
	accept("--version");
	assert_true(options.wants_version);
}

static void assert_keys(const char *line, unsigned int keys)
{
	accept(line);
	assert_int_equal(options.keys, keys);
}

static void test_sort_keys_replace_or_change_the_default(void **state)
{
	const unsigned int code = KEY_DSO | KEY_SYMBOL;

	(void)state;
	assert_keys("-s pid,tid,comm,dso,symbol,cpu,address", (1u << 7) - 1);
	assert_keys("-s comm,dso", KEY_COMM | KEY_DSO);
	assert_keys("-s sym", KEY_SYMBOL);
	assert_keys("-s +pid", code | KEY_PID);
	assert_keys("-s -symbol", KEY_DSO);
	assert_keys("-s +pid,-dso", KEY_SYMBOL | KEY_PID);
	assert_keys("-s +pid+tid-dso", KEY_SYMBOL | KEY_PID | KEY_TID);
	assert_keys("-s +pid -s +tid", code | KEY_PID | KEY_TID);	/* one after the other */
	assert_keys("-s +pid -s comm", KEY_COMM);
	assert_keys("--sort=cpu", KEY_CPU);
	assert_keys("-s from,address", KEY_FROM | KEY_ADDRESS);
	refuse("-s pid,host", "-s pid,host: \"host\" is no key; there are event, pid, tid, comm,"
	       " dso, symbol, cpu, address, from");
	refuse("-s +pi", "-s +pi: \"pi\" is no key; there are event, pid, tid, comm, dso,"
	       " symbol, cpu, address, from");
	refuse("-s pid,,tid", "-s pid,,tid: \"\" is no key; there are event, pid, tid, comm,"
	       " dso, symbol, cpu, address, from");
	refuse("-s -dso,-symbol", "-s -dso,-symbol: no key is left");
	refuse("--sort=", "-s : no key is left");
}

static void test_numbers_out_of_range_are_refused(void **state)
{
	static const char *const known[][2] = {
		{ "-F 0", "-F 0: a number from 1 to 1000000, or max, is needed" },
		{ "-F 1000001", "-F 1000001: a number from 1 to 1000000, or max, is needed" },
		{ "-F 99x", "-F 99x: a number from 1 to 1000000, or max, is needed" },
		{ "-F -5", "-F -5: a number from 1 to 1000000, or max, is needed" },
		{ "-c 0", "-c 0: a number from 1 to 9223372036854775807 is needed" },
		{ "-c 99999999999999999999", "-c 99999999999999999999: a number from 1 to"
		  " 9223372036854775807 is needed" },
		{ "-m 3", "-m 3: a power of two is needed" },
		{ "-m 0", "-m 0: a number from 1 to 1048576 is needed" },
		{ "-E 0", "-E 0: a number from 1 to 1073741824 is needed" },
		{ "--batch=0", "--batch 0: a number from 1 to 4294967295 is needed" },
		{ "--history-memory 0",
		  "--history-memory 0: a number from 1 to 1048576 is needed" },
		{ "-d 0.05", "-d 0.05: seconds of at least 0.1 are needed" },
		{ "-d nan", "-d nan: seconds of at least 0.1 are needed" },
		{ "-d 1s", "-d 1s: seconds of at least 0.1 are needed" },
		{ "--window 0", "--window 0: seconds of at least 0.1, all or decay are needed" },
		{ "--window minute",
		  "--window minute: seconds of at least 0.1, all or decay are needed" },
		{ "--batch --duration 0", "--duration 0: seconds of at least 0.001 are needed" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		refuse(known[i][0], known[i][1]);
}

static void test_unknown_words_are_refused_by_name(void **state)
{
	char line[200] = "--match ";

	(void)state;
	refuse("--frobnicate", "--frobnicate is no option; see --help");
	refuse("-x", "-x is no option; see --help");
	refuse("-F 99 -x", "-x is no option; see --help");
	refuse("-Kx", "-x is no option; see --help");
	refuse("-xK", "-x is no option; see --help");
	refuse("--help=3", "--help=3 is no option; see --help");
	refuse("--f abc", "--f is no option; see --help");	/* filter, format, freq? */
	refuse("--idle -xK", "-x is no option; see --help");
	refuse("-F", "-F needs a value; see --help");
	refuse("-KF", "-F needs a value; see --help");
	refuse("--freq", "--freq needs a value; see --help");
	refuse("--format xml", "--format xml: not known; there are text, json, folded, "
	       "events, events-json, csv, markdown, script, none");
	refuse("--batch --table rows", "--table is for --format csv and markdown");
	refuse("--batch --format csv --table groups", "--table groups needs --group: it says by "
	       "what");
	refuse("--batch --format csv --table histograms", "--table histograms needs --probe");
	refuse("--threads-now --format csv --table rows", "--table: --threads-now is a table of "
	       "its own");
	refuse("--batch --fields time", "--fields is for --format script, events "
	       "and events-json");
	refuse("--format events --batch=2", "--batch=2: --format events has no "
	       "refreshes; --duration ends it, or a command");
	refuse("--format script --fields comm,symbol,ip", "--fields: column 6: \"symbol\" is no "
	       "field of --format script; there are comm, tid, pid, time, cpu, event, trace, ip, "
	       "sym, dso, symoff, period, addr, brstack, srcline");
	refuse("--dump", "--dump: of which recording? Give -i FILE, too");
	refuse("-i f --dump --batch", "--dump prints all of a recording: not with --diff, "
	       "--batch, --format, -e or a command");
	refuse("--format script --fields comm,sym",
	       "--fields: sym, dso, symoff and srcline need ip");
	refuse("--format script --fields ,", "--fields: column 1: \"\" is no field of --format "
	       "script; there are comm, tid, pid, time, cpu, event, trace, ip, sym, dso, symoff, "
	       "period, addr, brstack, srcline");
	refuse("--format events --fields tme", "--fields: \"tme\" is no field; there are "
	       "time, cpu, comm, pid, tid, event, period, latency, symbol, dso, values, stack, "
	       "branches, ppid");
	refuse("--format events --fields -time,-cpu,-comm,-pid,-tid,-event,-latency,-symbol,"
	       "-values", "--fields: no field is left");
	refuse("--color blue", "--color blue: not known; there are auto, always, never");
	memset(line + strlen(line), 'x', FILTER_TEXT_BYTES);
	refuse(line, "--match: a filter's text has at most 127 bytes");
	refuse("--match ~a(", "--match: \"a(\" is no regular expression (Unmatched ( or \\(): "
	       "correct it, or leave the ~ out to look for plain text");
}

static void test_what_excludes_each_other_is_refused(void **state)
{
	static const char targets[] =
		"only one of -p, -t, -u, -G and -- COMMAND can say whom to sample";
	static const char all[] = "-a is everything: not together with -p, -t or -G";
	static const char recorded[] =
		"-i shows a recording: targets and events are those recorded; of the events only "
		"-e off-cpu can be chosen";
	char line[64];

	(void)state;
	refuse("-u 0 -t 1", targets);
	refuse("-u 0 -p 1", targets);
	refuse("-u 0 -G /", targets);
	refuse("-a -p 1", all);
	refuse("-t 1 -a", all);
	refuse("-F 99 -c 1000", "-F and -c exclude each other");
	refuse("-i x -- ls", recorded);
	refuse("-i x -u 0", recorded);
	refuse("-i x -e cycles", recorded);
	refuse("-i x -e off-cpu -e cycles", recorded);
	refuse("-i x -e wall", recorded);
	accept("-i x -e off-cpu");
	refuse("-i x -a", recorded);
	refuse("-i x -C 0", recorded);
	refuse("-i x -F 99", recorded);
	refuse("-i x -c 99", recorded);
	refuse("-i x -m 2", recorded);
	refuse("-i x --no-inherit", recorded);
	refuse("-i x --call-graph fp", recorded);
	snprintf(line, sizeof(line), "-i x -p %d", getpid());
	refuse(line, recorded);
	refuse("--diff b.data", "--diff b.data: -i says which recording it is compared with; give "
	       "that one, too");
	refuse("-i a --diff b -e cycles", recorded);
	refuse("-i a --diff b --probe k:f", recorded);
	refuse("--format none", "--format none prints nothing: -o FILE or --keep-last says where "
	       "to record");
	refuse("-o F --format none --batch=3", "--batch=3: --format none has no refreshes; "
	       "--duration ends it, or a command");
	refuse("--kill-command", "--kill-command needs a command: -- COMMAND");
}

static void test_a_command_is_the_target_or_the_clock(void **state)
{
	(void)state;
	accept("-- ls");
	assert_false(options.is_command_clock);
	accept("-a -- sleep 5");
	assert_true(options.is_command_clock);
	accept("-u 0 -- sleep 5");
	assert_true(options.is_command_clock);
	accept("-C 0 -- sleep 5");
	assert_true(options.is_command_clock);
	accept("--no-inherit -- ls");
	assert_false(options.is_command_clock);
	assert_false(options.ends_command);
	accept("--kill-command -- ls");
	assert_true(options.ends_command);
}

/* A number of refreshes, or a time between them, asks for more than the one table. */
static void test_a_command_without_a_number_of_refreshes_has_one_table(void **state)
{
	static const char *const several[] = {
		"--batch=2 -- ls", "--batch -d 1 -- ls", "--batch", "-- ls",
	};

	(void)state;
	accept("--batch -- ls");
	assert_true(options.prints_once);
	assert_int_equal(options.window, WINDOW_ALL);
	accept("--batch --window 10 --duration 3 -a -- ls");
	assert_true(options.prints_once);
	assert_int_equal(options.window, WINDOW_SECONDS);
	for (size_t i = 0; i < sizeof(several) / sizeof(several[0]); i++) {
		accept(several[i]);
		assert_false(options.prints_once);
		assert_int_not_equal(options.window, WINDOW_ALL);
	}
}

static void test_the_screen(void **state)
{
	char names[200] = "--theme plaid: no such theme; there are ";

	(void)state;
	accept("");
	assert_ptr_equal(options.theme, &themes[0]);
	assert_false(options.no_mouse);
	assert_null(options.config_path);
	accept("--no-mouse --config none --theme default");
	assert_true(options.no_mouse);
	assert_string_equal(options.config_path, "none");
	assert_ptr_equal(options.theme, &themes[0]);
	for (unsigned int i = 0; i < theme_count; i++) {
		strcat(names, i ? ", " : "");
		strcat(names, themes[i].name);
	}
	refuse("--theme plaid", names);
}

static void test_what_is_printed_needs_nothing_else(void **state)
{
	(void)state;
	accept("--print-config -F 1 -c 1");
	assert_true(options.wants_config && options_is_question(&options));
	accept("--print-man");
	assert_true(options.wants_man && options_is_question(&options));
	accept("--print-completion");
	assert_true(options.wants_completion && options_is_question(&options));
	accept("-K");
	assert_false(options_is_question(&options));
}

/* "name=value" each, as a file has them. */
static int parse_over(const char *line, const char *const *lines, size_t count)
{
	static struct option_setting settings[ARGS_MAX];
	static char texts[ARGS_MAX][64];
	int argc = 0;

	parse(line);	/* cuts the line */
	options_finish(&options);
	while (arguments[argc])
		argc++;
	for (size_t i = 0; i < count; i++) {
		char *value = strchr(strcpy(texts[i], lines[i]), '=');

		*value = '\0';
		settings[i].row = option_table_find(texts[i]);
		settings[i].text = value + 1;
		assert_non_null(settings[i].row);
		assert_int_equal(options_check(&settings[i], &why), 0);
	}
	return options_parse_over(&options, settings, count, argc, arguments, &why);
}

static void test_settings_hold_where_the_line_says_nothing(void **state)
{
	static const char *const lines[] = { "delay=5", "hide-kernel=true", "sort=comm,dso",
					     "event=page-faults", "count=10", "idle=false",
					     "window=", "uid=0", "no-inherit=true",
					     "match=libc" };
	const size_t count = sizeof(lines) / sizeof(lines[0]);

	(void)state;
	assert_int_equal(parse_over("", lines, count), 0);
	assert_true(options.interval_ns == 5 * CLOCK_NS_PER_S);
	assert_true(options.hide_kernel);
	assert_false(options.show_idle);
	assert_int_equal(options.filter.count, 2);
	assert_string_equal(options.filter.parts[0].text, "libc");
	assert_int_equal(options.filter.parts[1].field, FILTER_KERNEL);
	assert_int_equal(options.keys, KEY_COMM | KEY_DSO);
	assert_string_equal(options.capture.events[0], "page-faults");
	assert_int_equal(options.capture.period, 10);
	assert_int_equal(options.window, WINDOW_SECONDS);
	assert_true(options.window_ns == 10 * CLOCK_NS_PER_S);
	assert_int_equal(options.capture.target.kind, TARGET_USER);

	/* Sort keys are changed; events and filters of the line replace those of the file. */
	assert_int_equal(parse_over("-d 1 -s +pid -e cycles --match mem", lines, count), 0);
	assert_int_equal(options.filter.count, 2);
	assert_string_equal(options.filter.parts[0].text, "mem");
	assert_true(options.interval_ns == CLOCK_NS_PER_S);
	assert_int_equal(options.keys, KEY_COMM | KEY_DSO | KEY_PID);
	assert_int_equal(options.capture.event_text_count, 1);
	assert_string_equal(options.capture.events[0], "cycles");
}

static void test_how_stacks_are_sampled(void **state)
{
	static const char *const lines[] = { "call-graph=fp" };

	(void)state;
	accept("--call-graph dwarf,8192");
	assert_int_equal(options.capture.call_graph.mode, CALL_GRAPH_DWARF);
	assert_int_equal(options.capture.call_graph.copy_bytes, 8192);
	accept("-g --call-graph=off");
	assert_int_equal(options.capture.call_graph.mode, CALL_GRAPH_OFF);
	assert_int_equal(parse_over("", lines, 1), 0);
	assert_int_equal(options.capture.call_graph.mode, CALL_GRAPH_FP);
	assert_int_equal(parse_over("-g", lines, 1), 0);
	assert_int_equal(options.capture.call_graph.mode, CALL_GRAPH_AUTO);
	refuse("--call-graph cgx", "--call-graph cgx: not known; there are auto, fp, dwarf,"
				   " dwarf,BYTES, lbr, off");
}

static void test_the_line_puts_aside_what_would_contradict_it(void **state)
{
	static const char *const lines[] = { "count=10", "uid=0", "cpu=0", "no-inherit=true" };
	char line[32];

	(void)state;
	assert_int_equal(parse_over("-F 99", lines, 4), 0);
	assert_int_equal(options.capture.period, 0);
	assert_int_equal(options.capture.freq_hz, 99);
	snprintf(line, sizeof(line), "-p %d", getpid());
	assert_int_equal(parse_over(line, lines, 4), 0);
	assert_int_equal(options.capture.target.kind, TARGET_PROCESSES);
	assert_int_equal(options.capture.target.cpu_count, 1);
	assert_int_equal(parse_over("-- ls", lines, 4), 0);
	assert_int_equal(options.capture.target.kind, TARGET_SYSTEM);
	assert_int_equal(parse_over("-i perf.data", lines, 4), 0);
	assert_int_equal(options.capture.period, 0);
	assert_null(options.capture.target.cpus);
}

static void test_settings_that_contradict_each_other_are_refused(void **state)
{
	static const char *const lines[] = { "count=10", "freq=99" };

	(void)state;
	assert_int_equal(parse_over("", lines, 2), -EINVAL);
	assert_string_equal(why.text, "-F and -c exclude each other");
}

static void test_a_setting_is_refused_by_its_long_name(void **state)
{
	static const char *const known[][3] = {
		{ "entries", "0", "entries 0: a number from 1 to 1073741824 is needed" },
		{ "idle", "yes", "idle yes: true or false is needed" },
		{ "color", "blue", "color blue: not known; there are auto, always, never" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const struct option_setting setting = { option_table_find(known[i][0]),
							(char *)known[i][1] };

		assert_int_equal(options_check(&setting, &why), -EINVAL);
		assert_string_equal(why.text, known[i][2]);
	}
}

#define TEST(name) cmocka_unit_test_teardown(name, tear_down)

static void test_probes_are_read_and_kept_in_order(void **state)
{
	(void)state;
	accept("");
	assert_int_equal(options.probe_count, 0);
	assert_false(options.is_only_probes || options.is_readonly || options.is_dry_run);
	assert_true(options.probe_cap_pct == PROBE_CAP_PCT);
	assert_true(options.lease_ns == 600 * CLOCK_NS_PER_S);
	accept("--probe u:libc.so.6:malloc --probe=vfs_read");
	assert_int_equal(options.probe_count, 2);
	assert_string_equal(options.probes[0].text, "u:libc.so.6:malloc");
	assert_string_equal(options.probes[1].function, "vfs_read");
	assert_true(options.is_only_probes);
	accept("--probe k:f -e cycles");
	assert_false(options.is_only_probes);
}

static void test_both_ends_of_one_place_are_one_probe(void **state)
{
	(void)state;
	accept("--probe k:f --probe u:x:f --probe ur:x:f --probe kr:g --probe kr:f");
	assert_int_equal(options.probe_count, 3);
	assert_string_equal(options.probes[0].text, "lat:f");
	assert_string_equal(options.probes[1].text, "lat:x:f");
	assert_string_equal(options.probes[2].text, "kr:g");
}

/* A program of bpftrace is a probe, or several. What --dry-run says of it is kept. */
static void test_a_one_liner_is_the_probes_that_it_means(void **state)
{
	(void)state;
	accept("--probe kprobe:f{@++} --probe kprobe:g{@s[tid]=nsecs}kretprobe:g/@s[tid]/{@++}");
	assert_int_equal(options.probe_count, 2);
	assert_string_equal(options.probes[0].text, "k:f");
	assert_string_equal(options.probes[1].text, "lat:g");
	assert_string_equal(options.translations,
			    "kprobe:f{@++}\n  = k:f\n"
			    "kprobe:g{@s[tid]=nsecs}kretprobe:g/@s[tid]/{@++}\n  = lat:g\n");
	accept("--probe t:a:b{@++}interval:s:5{exit()}");
	assert_string_equal(options.translations, "t:a:b{@++}interval:s:5{exit()}\n  = t:a:b\n"
			    "  exit(): --duration 5 ends the run\n");
	accept("--probe k:f");
	assert_null(options.translations);
	refuse("--probe profile:hz:99{@++}", "--probe profile:hz:99{@++}: column 1: sampling is "
	       "flametop itself: flametop -F 99");
	refuse("--probe kprobe:f{@++} --probe k:f", "--probe k:f: it is given twice");
	refuse("--probe kprobe:f/comm==\"a_name_of_17_byte\"/{@++}",
	       "--probe kprobe:f/comm==\"a_name_of_17_byte\"/{@++}: = k:f if comm == "
	       "\"a_name_of_17_byte\": column 16: commands are cut to 15 bytes: write comm == "
	       "\"a_name_of_17_by\"");
}

static void test_presets_bring_their_probes(void **state)
{
	(void)state;
	accept("--config none --preset sqliteslower --probe k:f --preset forks");
	assert_int_equal(options.probe_count, 4);
	assert_string_equal(options.probes[0].text, "k:f");
	assert_string_equal(options.probes[1].text, "u:libsqlite3.so.0:{sqlite3_prepare_v2,"
			    "sqlite3_prepare_v3} sql=$arg2:string");
	assert_string_equal(options.probes[2].text, "lat:libsqlite3.so.0:sqlite3_step "
			    "stmt=$arg1:x64 $retval:s32 if lat > 1ms");
	assert_true(options.is_only_probes);
	accept("--config none --preset funclatency --help");
	assert_true(options_is_question(&options));
	assert_int_equal(options.probe_count, 0);
	assert_non_null(options.presets);
	accept("--config none --preset help");
	assert_true(options.lists_presets && options_is_probe_question(&options));
	refuse("--config none --preset execsnop",
	       "no preset is called execsnop: did you mean execsnoop? --list-presets has all");
	refuse("--config none --preset funclatency", "--preset funclatency needs FUNC: of the "
	       "kernel, or FILE:FUNC of a program or library");
	refuse("--config none --preset forks --preset forks",
	       "--preset t:sched:sched_process_fork parent_comm child_comm child_pid: it is given "
	       "twice");
	refuse("--list-presets -l", "only one of --dry-run, --list-targets, --list-presets, "
	       "--list-events, --lines, --vars and --list-probes can be printed");
}

static void test_caps_and_leases_have_units(void **state)
{
	(void)state;
	accept("--probe-cap 12.5 --lease 90");
	assert_true(options.probe_cap_pct == 12.5);
	assert_true(options.lease_ns == 90 * CLOCK_NS_PER_S);
	accept("--probe-cap 20% --lease 2h");
	assert_true(options.probe_cap_pct == 20);
	assert_true(options.lease_ns == 7200 * CLOCK_NS_PER_S);
	accept("--lease 1.5m");
	assert_true(options.lease_ns == 90 * CLOCK_NS_PER_S);
	accept("--probe-cap off --lease off");
	assert_true(isinf(options.probe_cap_pct));
	assert_true(options.lease_ns == UINT64_MAX);
	accept("--batch --probe k:f");
	assert_true(options.lease_ns == UINT64_MAX);
	accept("--batch --probe k:f --lease 10m");
	assert_true(options.lease_ns == PROBE_LEASE_NS);
	accept("--probe-cap 5 --lease 10m");	/* the table's default */
	assert_true(options.probe_cap_pct == PROBE_CAP_PCT);
	assert_true(options.lease_ns == PROBE_LEASE_NS);
}

static void test_questions_about_probes_look_at_the_other_options(void **state)
{
	(void)state;
	accept("--probe k:f --dry-run --readonly");	/* attaches nothing */
	assert_true(options.is_dry_run && options_is_probe_question(&options));
	accept("--list-targets tcp");
	assert_string_equal(options.target_pattern, "tcp");
	assert_true(options_is_probe_question(&options));
	accept("--list-events");
	assert_true(options.lists_events && options_is_probe_question(&options));
	assert_null(options.event_pattern);
	accept("--list-events hw --format json");
	assert_string_equal(options.event_pattern, "hw");
	accept("--list-events=sched:*");
	assert_string_equal(options.event_pattern, "sched:*");
	accept("--list-events=hw true");	/* nor is a word after one */
	assert_string_equal(options.event_pattern, "hw");
	accept("--list-events --format json");	/* an option is no pattern */
	assert_null(options.event_pattern);
	accept("--lines u:prog:main");
	assert_string_equal(options.lines_of, "u:prog:main");
	assert_true(options_is_probe_question(&options));
	accept("--lines k:fork.c:1-9 --format json");
	assert_int_equal(options.format, OUTPUT_JSON);
	accept("--vars u:prog:main:3 --externs --format json");
	assert_string_equal(options.variables_of, "u:prog:main:3");
	assert_true(options.with_externs && options_is_probe_question(&options));
	accept("-l");
	assert_true(options.lists_probes && options_is_probe_question(&options));
	assert_false(options_is_question(&options));
	accept("--probe k:f");
	assert_false(options_is_probe_question(&options));
}

static void test_probes_that_cannot_be_are_refused(void **state)
{
	(void)state;
	refuse("--probe k:", "--probe k:: column 3: a name is missing");
	refuse("--probe k:f --probe k:f", "--probe k:f: it is given twice");
	refuse("--dry-run", "--dry-run needs --probe or --preset: it prints what that would do");
	refuse("-l --list-targets x", "only one of --dry-run, --list-targets, "
	       "--list-presets, --list-events, --lines, --vars and --list-probes can be printed");
	refuse("-l --list-events", "only one of --dry-run, --list-targets, "
	       "--list-presets, --list-events, --lines, --vars and --list-probes can be printed");
	refuse("--list-events --format csv", "--list-events: --format text or json");
	refuse("--list-events --format folded", "--list-events: --format text or json");
	refuse("-l --lines k:f", "only one of --dry-run, --list-targets, "
	       "--list-presets, --list-events, --lines, --vars and --list-probes can be printed");
	refuse("--vars k:f --format folded", "--vars: --format text or json");
	refuse("--vars k:f --lines k:f", "only one of --dry-run, --list-targets, "
	       "--list-presets, --list-events, --lines, --vars and --list-probes can be printed");
	refuse("--externs", "--externs is for --vars");
	refuse("--lines k:f --format folded", "--lines: --format text or json");
	refuse("-i x --list-probes", "-i shows a recording: probes and events are of this "
	       "machine");
	refuse("-i x --probe k:f", "-i shows a recording: targets and events are those recorded; "
	       "of the events only -e off-cpu can be chosen");
	refuse("--probe k:f -C 0", "--probe counts everybody, or processes (-p): not with -t, -u, "
	       "-G or -C; a condition like 'if tid == 4121' can");
	refuse("--readonly --probe k:f", "--probe: --readonly, or readonly in the configuration, "
	       "forbids probes");
	refuse("--probe-cap 0", "--probe-cap 0: % of one CPU, at least 0.01, or off are needed");
	refuse("--probe-cap 5pct", "--probe-cap 5pct: % of one CPU, at least 0.01, or off are "
	       "needed");
	refuse("--lease 0.5", "--lease 0.5: a time as 90s, 10m, 2h, or off is needed");
	refuse("--lease m", "--lease m: a time as 90s, 10m, 2h, or off is needed");
	refuse("--lease 5d", "--lease 5d: a time as 90s, 10m, 2h, or off is needed");
	refuse("--lease nan", "--lease nan: a time as 90s, 10m, 2h, or off is needed");
}

/* Otherwise an event of the configuration would be sampled besides. */
static void test_a_probe_puts_the_configured_event_aside(void **state)
{
	static const char *const lines[] = { "event=cycles", "lease=1h" };

	(void)state;
	assert_int_equal(parse_over("--probe k:f", lines, 2), 0);
	assert_true(options.is_only_probes);
	assert_true(options.lease_ns == 3600 * CLOCK_NS_PER_S);
}

static void test_threads_now_lists_tasks_once(void **state)
{
	(void)state;
	accept("--threads-now");
	assert_true(options.wants_threads && options.is_batch && options.max_rows == 40);
	accept("--threads-now --format json");
	refuse("--threads-now --format folded", "--threads-now has the formats text, "
	       "json, csv and markdown");
	refuse("--threads-now -e cycles", "--threads-now lists threads that are there: not with "
	       "-i, -e, --probe or a command");
	refuse("--threads-now -- true", "--threads-now lists threads that are there: not with "
	       "-i, -e, --probe or a command");
	refuse("--threads-now -C 0", "--threads-now: -p, -t and -u say whom, not -G or -C");
}

UNIT_TESTS(test_options)
{
	const struct CMUnitTest tests[] = {
		TEST(test_without_arguments_everything_is_the_default),
		TEST(test_the_base_of_percentages_is_perfs),
		TEST(test_targets),
		TEST(test_targets_that_are_not_there_have_another_error_than_usage),
		TEST(test_what_is_sampled),
		TEST(test_how_stacks_are_sampled),
		TEST(test_what_is_shown),
		TEST(test_batch),
		TEST(test_help_and_version_ask_for_nothing_else),
		TEST(test_sort_keys_replace_or_change_the_default),
		TEST(test_numbers_out_of_range_are_refused),
		TEST(test_unknown_words_are_refused_by_name),
		TEST(test_what_excludes_each_other_is_refused),
		TEST(test_a_command_is_the_target_or_the_clock),
		TEST(test_a_command_without_a_number_of_refreshes_has_one_table),
		TEST(test_the_screen),
		TEST(test_what_is_printed_needs_nothing_else),
		TEST(test_settings_hold_where_the_line_says_nothing),
		TEST(test_the_line_puts_aside_what_would_contradict_it),
		TEST(test_settings_that_contradict_each_other_are_refused),
		TEST(test_a_setting_is_refused_by_its_long_name),
		TEST(test_probes_are_read_and_kept_in_order),
		TEST(test_both_ends_of_one_place_are_one_probe),
		TEST(test_a_one_liner_is_the_probes_that_it_means),
		TEST(test_presets_bring_their_probes),
		TEST(test_caps_and_leases_have_units),
		TEST(test_questions_about_probes_look_at_the_other_options),
		TEST(test_probes_that_cannot_be_are_refused),
		TEST(test_a_probe_puts_the_configured_event_aside),
		TEST(test_threads_now_lists_tasks_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
