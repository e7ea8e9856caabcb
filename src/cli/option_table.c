/* option_table.c - see option_table.h. Letters that perf(1) has, too, keep perf's meaning. */
#include "cli/option_table.h"

#include <string.h>

#include "base/near_name.h"
#include "cli/options.h"
#include "option_values.h"

#define HELP_COLUMN 25

#define FLAG(field) offsetof(struct options, field)

const struct option_row option_rows[] = {
	{
		.group = OPTIONS_WHOM, .letter = 'a', .name = "all-cpus", .flag = FLAG(wants_all),
		.choice = CHOICE_WHOM, .help = "every process on every CPU",
	},
	{
		.group = OPTIONS_WHOM, .letter = 'p', .name = "pid", .argument = "PID,...",
		.set = option_set_pids, .choice = CHOICE_WHOM, .value = VALUE_PID,
		.help = "these processes (id, or name: all that have it), their\n"
			"threads and what they start; PID+: and have started",
		.more = "With a + behind all of the list, as in postgres+, their descendants "
			"belong to them that are there already: the workers of a server. All "
			"CPUs are sampled then and others' samples are dropped, because a clock "
			"that each child inherits misses those that live for milliseconds.",
	},
	{
		.group = OPTIONS_WHOM, .letter = 't', .name = "tid", .argument = "TID,...",
		.set = option_set_tids, .choice = CHOICE_WHOM, .value = VALUE_TID,
		.help = "these threads and what they start",
	},
	{
		.group = OPTIONS_WHOM, .letter = 'u', .name = "uid", .argument = "USER",
		.set = option_set_user, .choice = CHOICE_WHOM, .value = VALUE_USER,
		.in_file = true, .help = "processes of this user (name or number)",
	},
	{
		.group = OPTIONS_WHOM, .letter = 'G', .name = "cgroup", .argument = "CGROUP",
		.set = option_set_cgroup, .choice = CHOICE_WHOM, .value = VALUE_CGROUP,
		.help = "processes in this cgroup and those below it",
		.more = "Its path, as systemd-cgls shows it; or, where only one is called like "
			"that, a unit, or the first 12 digits of a container's id.",
	},
	{
		.group = OPTIONS_WHOM, .letter = 'C', .name = "cpu", .argument = "LIST",
		.set = option_set_cpus, .value = VALUE_CPU, .in_file = true,
		.help = "only on these CPUs, as 0-3,8",
	},
	{
		.group = OPTIONS_WHOM, .name = "no-inherit", .in_file = true,
		.flag = FLAG(capture.target.no_inherit), .default_text = "false",
		.help = "not what the targets start later",
	},
	{
		.group = OPTIONS_WHOM, .name = "include-self", .in_file = true,
		.flag = FLAG(includes_self), .default_text = "false",
		.help = "also flametop itself, its workers and its launcher",
		.more = "Without it their samples, and their hits of tracepoints and probes, are "
			"left out and counted apart in the list of losses. A process that -p or "
			"-t names is always shown.",
	},
	{
		.group = OPTIONS_WHOM, .argument = "-- command args...",
		.help = "start this program and sample it; with -a, -p, -t, -u,\n"
			"-G or -C: sample those as long as it runs",
		.more = "When it has ended, the screen keeps its last profile, and batch mode "
			"prints what was counted: without a number of refreshes and without -d "
			"one table of the whole run. Its exit status becomes that of flametop, "
			"128+n after signal n. What ends the looking (q, --batch=N, --duration, "
			"a reader that has gone) does not end the program: flametop stops "
			"sampling, waits for it, and passes SIGINT, SIGTERM and SIGHUP on to it. "
			"Beside the screen its input is empty and its output goes to the log; "
			"after q what it prints goes to the terminal, and Ctrl-C and Ctrl-Z "
			"reach it.",
	},
	{
		.group = OPTIONS_WHOM, .name = "kill-command", .flag = FLAG(ends_command),
		.help = "end the program when the looking ends",
		.more = "It gets SIGTERM, and SIGKILL a second later; also when flametop is "
			"killed. Beside the screen so does all that it has started.",
	},
	{
		.group = OPTIONS_WHOM, .letter = 'i', .name = "input", .argument = "FILE",
		.set = option_set_input, .value = VALUE_FILE,
		.help = "a recording of perf record, instead of this machine",
		.more = "Its tracepoints and probes are listed with 8, and with their fields in "
			"text and JSON, as probes that nothing can change.",
	},
	{
		.group = OPTIONS_WHOM, .name = "diff", .argument = "FILE",
		.set = option_set_diff, .value = VALUE_FILE,
		.help = "with -i A: another recording, and how it differs from A",
		.more = "The recording of -i is the baseline, and what it counted stands beside "
			"FILE's; see COMPARISON. Functions of another build of the same file "
			"are found by name.",
	},
	{
		.group = OPTIONS_WHAT, .letter = 'e', .name = "event", .argument = "EVENT",
		.set = option_set_event, .choice = CHOICE_EVENT, .value = VALUE_EVENT,
		.in_file = true,
		.help = "cpu-clock, cycles, rNNN, pmu/terms/, group:tracepoint,\n"
			"...; modifiers as in cycles:u; repeatable",
		.more = "perf-list(1) tells the names that this machine has. The group and the "
			"name of a tracepoint may be patterns: -e 'sched:*' is all that match. Of "
			"several events one that the machine lacks is shown as <not supported>, "
			"with the reason, and the others run.",
	},
	{
		.group = OPTIONS_WHAT, .name = "filter", .argument = "EXPR",
		.set = option_set_filter, .choice = CHOICE_EVENT, .in_file = true,
		.help = "only hits of the tracepoint before it whose fields are\n"
			"so, as 'prev_pid > 0'; repeatable",
		.more = "The kernel checks it, before a record is written: field, operator and "
			"value, joined by && and ||, in parentheses. Operators are == != < <= > >= "
			"& and, for text, ~ with a pattern in quotation marks. Of several for one "
			"event all must hold.",
	},
	{
		.group = OPTIONS_WHAT, .letter = 'F', .name = "freq", .argument = "HZ|max",
		.set = option_set_freq, .choice = CHOICE_RATE, .value = VALUE_WORD,
		.words = option_freqs, .in_file = true,
		.help = "samples a second and CPU (997)",
		.more = "Each sample costs the program that is sampled some microseconds: "
			"the rate is the overhead.",
	},
	{
		.group = OPTIONS_WHAT, .letter = 'c', .name = "count", .argument = "PERIOD",
		.set = option_set_count, .choice = CHOICE_RATE, .in_file = true,
		.help = "a sample every PERIOD events instead",
	},
	{
		.group = OPTIONS_WHAT, .name = "call-graph", .argument = "MODE",
		.set = option_set_call_graph, .choice = CHOICE_STACKS, .value = VALUE_WORD,
		.words = option_call_graphs, .in_file = true, .default_text = "auto",
		.help = "who calls it: auto, fp (frame pointers), dwarf[,BYTES]\n"
			"(copies of the stack), or off",
		.more = "Most programs have no frame pointers: with auto each sample carries the "
			"registers and a copy of the stack, 16 KiB at first, more when too many "
			"stacks do not fit. Above 4000 Hz, over 200 MB of copies a second, and for "
			"software events with -c 1 auto is fp. Where every hit of a tracepoint is "
			"a sample it becomes fp once more than 4000 come in a second, or some are "
			"lost. With dwarf it stays with copies, and with BYTES of that size. With "
			"off a function's total is its self.",
	},
	{
		.group = OPTIONS_WHAT, .letter = 'g', .name = "stacks",
		.set = option_set_stacks, .is_next_word = call_graph_is_mode,
		.choice = CHOICE_STACKS,
		.help = "as --call-graph auto, whatever the configuration says;\n"
			"with fp, dwarf[,BYTES] or auto behind it that one",
		.more = "For perf, -g alone means frame pointers: here that is -g fp.",
	},
	{
		.group = OPTIONS_WHAT, .letter = 'm', .name = "mmap-pages", .argument = "N",
		.set = option_set_pages, .in_file = true,
		.help = "ring size per CPU and event, pages, a power of two",
	},
	{
		.group = OPTIONS_PROBES, .name = "probe", .argument = "SPEC",
		.set = option_set_probe, .choice = CHOICE_EVENT, .value = VALUE_PROBE,
		.help = "k:FUNC, u:FILE:FUNC; kr: ur: (return), lat: (both);\n"
			"t:GROUP:NAME, U:FILE:MARK; values; if EXPR; repeatable",
		.more = "Without -e only the probes are sampled. Entry and return of one place "
			"are one probe that shows the latency. See PROBES.",
	},
	{
		.group = OPTIONS_PROBES, .name = "dry-run", .flag = FLAG(is_dry_run),
		.help = "only print what --probe would do",
	},
	{
		.group = OPTIONS_PROBES, .name = "list-targets", .argument = "PATTERN",
		.set = option_set_pattern,
		.help = "print what can be probed and matches PATTERN",
		.more = "A pattern with *, ? or [...] is one of the whole name, as in perf: "
			"'sched:*', 'vfs_*', './app:send_*'. Without them the names that are just "
			"so, or else those that are like it. -E limits their number.",
	},
	{
		.group = OPTIONS_PROBES, .letter = 'l', .name = "list-probes",
		.flag = FLAG(lists_probes),
		.help = "print the probes that are there, other tools' too",
	},
	{
		.group = OPTIONS_PROBES, .name = "probe-cap", .argument = "PCT",
		.set = option_set_probe_cap, .value = VALUE_WORD, .words = option_probe_caps,
		.in_file = true, .default_text = "5",
		.help = "what a probe may cost, % of one CPU, or off",
		.more = "A probe that costs more is switched off within a second; so are all, "
			"when together they cost more than that.",
	},
	{
		.group = OPTIONS_PROBES, .name = "lease", .argument = "TIME",
		.set = option_set_lease, .value = VALUE_WORD, .words = option_leases,
		.in_file = true, .default_text = "10m",
		.help = "how long a probe stays: 90s, 10m, 2h, or off",
		.more = "Then it is switched off, unless a key has extended its lease. With off, "
			"and without a screen where no lease is given, it stays as long as "
			"flametop runs.",
	},
	{
		.group = OPTIONS_PROBES, .name = "readonly", .flag = FLAG(is_readonly),
		.in_file = true, .default_text = "false",
		.help = "forbid probes: nothing but looking",
	},
	{
		.group = OPTIONS_SHOWN, .letter = 's', .name = "sort", .argument = "KEYS",
		.set = option_set_keys, .value = VALUE_SORT_KEYS, .words = option_sort_keys,
		.in_file = true, .default_text = "dso,symbol",
		.help = "row keys of pid,tid,comm,dso,symbol,cpu,address;\n"
			"+KEY adds one, -KEY removes one",
		.more = "Samples that agree in all keys are one row. On the screen it is the view "
			"Symbols that has these rows.",
	},
	{
		.group = OPTIONS_SHOWN, .name = "group", .argument = "KEYS",
		.set = option_set_groups, .value = VALUE_GROUP_KEYS, .words = option_group_keys,
		.in_file = true,
		.help = "a tree of groups by keys in order, as pid,dso,symbol",
		.more = "Up to 8 of event, comm, pid, tid, thread (its name and its process's), "
			"cgroup, unit (of systemd), container, pod, cpu, socket, dso, symbol, "
			"address, source (file and line) and parent (the function that called). "
			"Without event the tree is of one event; event comes first. The screen "
			"begins with the view Groups then; text of batch mode is the tree in "
			"place of the rows, and JSON has it besides them.",
	},
	{
		.group = OPTIONS_SHOWN, .letter = 'd', .name = "delay", .argument = "SECONDS",
		.set = option_set_delay, .in_file = true, .default_text = "2",
		.help = "refresh interval, 0.1 or more",
	},
	{
		.group = OPTIONS_SHOWN, .name = "window", .argument = "W",
		.set = option_set_window, .value = VALUE_WORD, .words = option_windows,
		.in_file = true,
		.help = "last W seconds, all, or decay (10; batch: the interval)",
		.more = "With decay what is older counts less: half for every 5 seconds.",
	},
	{
		.group = OPTIONS_SHOWN, .name = "match", .argument = "TEXT",
		.set = option_set_match, .choice = CHOICE_FILTER, .in_file = true,
		.help = "count only what has TEXT in symbol, object or command;\n"
			"~RE: what the expression matches; !TEXT, !~RE: the rest",
		.more = "Repeatable: all must hold. Capitals count if TEXT has one. RE is "
			"extended, see regex(7); references back (\\1) and braces that repeat more "
			"than 100 times in all are refused: they may take hours.",
	},
	{
		.group = OPTIONS_SHOWN, .letter = 'K', .name = "hide-kernel", .in_file = true,
		.flag = FLAG(hide_kernel), .default_text = "false",
		.help = "no kernel rows",
	},
	{
		.group = OPTIONS_SHOWN, .letter = 'U', .name = "hide-user", .in_file = true,
		.flag = FLAG(hide_user), .default_text = "false",
		.help = "no user rows",
	},
	{
		.group = OPTIONS_SHOWN, .name = "idle", .in_file = true,
		.flag = FLAG(show_idle), .default_text = "false",
		.help = "also samples of the idle loop",
	},
	{
		.group = OPTIONS_SHOWN, .name = "source", .in_file = true,
		.flag = FLAG(wants_source), .default_text = "false",
		.help = "source file and line of each row",
		.more = "Where debug information is installed. The screen has a column for it, "
			"and fills it in; batch mode waits for it, at most two seconds a refresh.",
	},
	{
		.group = OPTIONS_SHOWN, .name = "children", .in_file = true,
		.flag = FLAG(wants_children), .default_text = "false",
		.help = "sort by TOTAL%, what is on the stack",
		.more = "Every view has the column then; c shows it at any time.",
	},
	{
		.group = OPTIONS_SHOWN, .name = "percentage", .argument = "BASE",
		.set = option_set_percentage, .value = VALUE_WORD, .words = option_percentages,
		.in_file = true, .default_text = "absolute",
		.help = "100 % is all that was sampled (absolute), or what\n"
			"--match, -K and -U leave of it (relative)",
		.more = "As in perf. On the screen % changes it: there what was drilled into and "
			"filtered is what is left.",
	},
	{
		.group = OPTIONS_SHOWN, .letter = 'n', .name = "show-nr-samples", .in_file = true,
		.flag = FLAG(wants_samples), .default_text = "false",
		.help = "column SAMPLES: how many there are",
		.more = "Text of batch mode has it always.",
	},
	{
		.group = OPTIONS_SHOWN, .name = "show-total-period", .in_file = true,
		.flag = FLAG(wants_period), .default_text = "false",
		.help = "column PERIOD: the events that the samples stand for",
		.more = "The sum of their periods, in the unit of the event: nanoseconds of "
			"cpu-clock. JSON has it always, as self_period.",
	},
	{
		.group = OPTIONS_SHOWN, .name = "no-demangle", .in_file = true,
		.flag = FLAG(raw_names), .default_text = "false",
		.help = "names of C++, Rust and D as their files have them",
	},
	{
		.group = OPTIONS_SCREEN, .name = "theme", .argument = "NAME",
		.set = option_set_theme, .value = VALUE_THEME, .in_file = true,
		.default_text = "default", .help = "colours: default, dark, light,\n"
			"colour-blind, 16, mono",
	},
	{
		.group = OPTIONS_SCREEN, .name = "color", .argument = "WHEN",
		.set = option_set_color, .value = VALUE_WORD, .words = option_colors,
		.in_file = true, .default_text = "auto",
		.help = "auto, always, never; NO_COLOR is honoured",
	},
	{
		.group = OPTIONS_SCREEN, .name = "no-unicode", .flag = FLAG(no_unicode),
		.in_file = true, .default_text = "false", .help = "ASCII only",
	},
	{
		.group = OPTIONS_SCREEN, .name = "no-mouse", .flag = FLAG(no_mouse),
		.in_file = true, .default_text = "false",
		.help = "leave the mouse to the terminal",
	},
	{
		.group = OPTIONS_BATCH, .name = "batch", .argument = "[=N]",
		.set = option_set_batch, .help = "print N refreshes (endless without N; with a\n"
			"command: one table when it has ended)",
		.more = "Behind the rows text has the probes, with a histogram of each latency "
			"and of each value that is a number.",
	},
	{
		.group = OPTIONS_BATCH, .name = "duration", .argument = "S",
		.set = option_set_duration, .help = "end after S seconds, the screen too",
	},
	{
		.group = OPTIONS_BATCH, .name = "format", .argument = "FORMAT",
		.set = option_set_format, .value = VALUE_WORD, .words = option_formats,
		.help = "text; json: a line per refresh; folded: one per stack;\n"
			"events, events-json: a line for each hit or sample",
		.more = "JSON has one object per refresh, event and line. Folded stacks, for "
			"flame graph programs, begin with the command and the outermost function, "
			"and end with how many samples they have. With --idle idle is in them; "
			"events follow each other without a mark. Hits and samples of all events "
			"and probes come in one order, that of time, see EVENTS; --batch need not "
			"be given for them.",
	},
	{
		.group = OPTIONS_BATCH, .name = "fields", .argument = "LIST",
		.set = option_set_fields, .value = VALUE_SORT_KEYS, .words = event_field_names,
		.help = "of events: time,cpu,comm,pid,tid,event,period,latency,\n"
			"symbol,dso,values,stack; +stack adds, -cpu removes",
	},
	{
		.group = OPTIONS_BATCH, .name = "kernel-suffix", .flag = FLAG(marks_kernel),
		.in_file = true, .default_text = "false",
		.help = "folded: _[k] behind names of kernel code",
	},
	{
		.group = OPTIONS_BATCH, .letter = 'E', .name = "entries", .argument = "N",
		.set = option_set_rows, .in_file = true,
		.help = "at most N rows (text: 40, json: all)",
	},
	{
		.group = OPTIONS_OTHER, .name = "history-memory", .argument = "MIB",
		.set = option_set_memory, .in_file = true, .default_text = "64",
		.help = "memory for the last minutes",
		.more = "A baseline takes its part of it. With --diff it is for each of the two "
			"recordings.",
	},
	{
		.group = OPTIONS_OTHER, .name = "no-cache", .flag = FLAG(no_cache),
		.in_file = true, .default_text = "false",
		.help = "no symbol tables from disk, and none to it",
		.more = "They are kept in ~/.cache/flametop, at most 256 MiB, for files that only "
			"root and the user can have written.",
	},
	{
		.group = OPTIONS_OTHER, .name = "log", .argument = "FILE", .set = option_set_log,
		.value = VALUE_FILE, .in_file = true, .help = "append messages to FILE",
	},
	{
		.group = OPTIONS_OTHER, .name = "config", .argument = "FILE",
		.set = option_set_config, .value = VALUE_FILE,
		.help = "read FILE instead of flametop/config; none: no file",
		.more = "With another file, or none, no hidden columns are remembered.",
	},
	{
		.group = OPTIONS_OTHER, .name = "print-config", .flag = FLAG(wants_config),
		.help = "a configuration of all defaults, commented out",
	},
	{
		.group = OPTIONS_OTHER, .name = "print-man", .flag = FLAG(wants_man),
		.help = "flametop(8) in mdoc, for packagers",
	},
	{
		.group = OPTIONS_OTHER, .name = "print-completion",
		.flag = FLAG(wants_completion),
		.help = "completion for bash, for packagers",
	},
	{
		.group = OPTIONS_OTHER, .letter = 'h', .name = "help", .flag = FLAG(wants_help),
		.help = "this text",
	},
	{
		.group = OPTIONS_OTHER, .letter = 'V', .name = "version",
		.flag = FLAG(wants_version),
		.help = "the version",
	},
};
const size_t option_row_count = sizeof(option_rows) / sizeof(option_rows[0]);
_Static_assert(sizeof(option_rows) / sizeof(option_rows[0]) <= OPTION_ROWS_MAX,
	       "options.c has room for so many");

static const char *const titles[OPTION_GROUP_COUNT] = {
	[OPTIONS_WHOM] = "Whom to sample (default: every process)",
	[OPTIONS_WHAT] = "What to sample (default: cycles, else cpu-clock)",
	[OPTIONS_PROBES] = "Probes",
	[OPTIONS_SHOWN] = "What to show",
	[OPTIONS_SCREEN] = "The screen",
	[OPTIONS_BATCH] = "Without a screen",
	[OPTIONS_OTHER] = "",
};

const char *option_table_title(enum option_group group)
{
	return titles[group];
}

const struct option_row *option_table_find(const char *name)
{
	for (size_t i = 0; i < option_row_count; i++)
		if (option_rows[i].name && !strcmp(option_rows[i].name, name))
			return &option_rows[i];
	return NULL;
}

const struct option_row *option_table_find_letter(int letter)
{
	for (size_t i = 0; i < option_row_count; i++)
		if (letter && option_rows[i].letter == letter)
			return &option_rows[i];
	return NULL;
}

const char *option_table_nearest(const char *name)
{
	struct near_name near;

	near_name_start(&near, name);
	for (size_t i = 0; i < option_row_count; i++)
		if (option_rows[i].name)
			near_name_try(&near, option_rows[i].name);
	return near.nearest;
}

bool option_table_is_value_optional(const struct option_row *row)
{
	return row->argument && row->argument[0] == '[';
}

/* "  -p, --pid PID,...": how many columns it took. */
static int print_names(FILE *out, const struct option_row *row)
{
	const char *argument = row->argument ? row->argument : "";
	const char *space = row->argument && !option_table_is_value_optional(row) ? " " : "";

	if (!row->name)
		return fprintf(out, "  %s", argument);
	if (row->letter)
		return fprintf(out, "  -%c, --%s%s%s", row->letter, row->name, space, argument);
	return fprintf(out, "      --%s%s%s", row->name, space, argument);
}

static void print_row(FILE *out, const struct option_row *row)
{
	const int used = print_names(out, row);
	const char *second = strchr(row->help, '\n');
	const int first_bytes = (int)(second ? (size_t)(second - row->help) : strlen(row->help));

	fprintf(out, "%*s%.*s", used < HELP_COLUMN ? HELP_COLUMN - used : 2, "", first_bytes,
		row->help);
	if (second)
		fprintf(out, "\n%*s%s", HELP_COLUMN, "", second + 1);
	if (row->default_text && row->argument)
		fprintf(out, " (%s)", row->default_text);
	fputc('\n', out);
}

void option_table_print_help(FILE *out)
{
	fputs("Usage: flametop [options] [-- command args...]\n"
	      "Shows which code is hot right now: live on the terminal, or in batches.\n", out);
	for (size_t i = 0; i < option_row_count; i++) {
		const struct option_row *row = &option_rows[i];
		const char *title = titles[row->group];

		if (i == 0 || row->group != option_rows[i - 1].group)
			fprintf(out, "\n%s%s", title, title[0] ? "\n" : "");
		print_row(out, row);
	}
	fputs("\nExit status: 0 ok, 1 output failed, 2 usage or no terminal, 3 data or\n"
	      "resources, 4 permission, 5 internal error, 128+n signal n; with a command its\n"
	      "own, 126 or 127 when it can't be started, 125 for a failure of flametop.\n", out);
}
