/* option_table.c - see cli/options.h. Letters that perf(1) has, too, keep perf's meaning. */
#include "cli/options.h"

#include <string.h>

#include "base/name_match.h"
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
			"threads and what they start; PID+: or have started",
		.more = "A + after each of the list, as in postgres+, adds the descendants that "
			"are there already: the workers of a server. All CPUs are sampled then, "
			"and samples of others are dropped, because a clock that each child "
			"inherits misses children that live for milliseconds.",
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
		.help = "leave out what the targets start later",
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
			"128+n after signal n. What ends the profile (q, --batch=N, --duration, "
			"a reader that has gone) does not end the program: flametop stops "
			"sampling, waits for it, and passes SIGINT, SIGTERM and SIGHUP on to it. "
			"While the screen is shown, its input is empty and its output goes to the "
			"log; after q what it prints goes to the terminal, and Ctrl-C and Ctrl-Z "
			"reach it.",
	},
	{
		.group = OPTIONS_WHOM, .name = "kill-command", .flag = FLAG(ends_command),
		.help = "end the program when the profile ends",
		.more = "It gets SIGTERM, and SIGKILL a second later; also when flametop is "
			"killed. With the screen, all that it has started is ended, too.",
	},
	{
		.group = OPTIONS_WHOM, .letter = 'i', .name = "input", .argument = "FILE",
		.set = option_set_input, .value = VALUE_FILE,
		.help = "a recording of -o or perf record, not this machine",
		.more = "A table is there at once; while the rest is read the header says how far "
			"that is, and Esc, where it leads no further back, stops it. "
			"Its tracepoints and probes are listed with 8, and with their fields in "
			"text and JSON, as probes that cannot be changed. With -e off-cpu only "
			"that event of it is shown.",
	},
	{
		.group = OPTIONS_WHOM, .name = "begin", .argument = "TIME",
		.set = option_set_begin,
		.help = "of -i only samples from then on: 03:12, -2h (before\n"
			"its end), +30s (after its begin), '2026-11-29 03:12'",
		.more = "Also 03:12:05.250, and seconds as perf script prints them, 81234.5. "
			"Times of the day are local ones, of the day on which the recording "
			"began, or of the next. A recording of perf record -k has the time of "
			"the day; of others it is found from the file's last change, so a copy "
			"must keep that. Samples outside are counted as outside_time; tasks and "
			"mappings of before are known.",
	},
	{
		.group = OPTIONS_WHOM, .name = "end", .argument = "TIME",
		.set = option_set_end, .help = "of -i only samples up to then: as --begin",
	},
	{
		.group = OPTIONS_WHOM, .name = "diff", .argument = "FILE",
		.set = option_set_diff, .value = VALUE_FILE,
		.help = "with -i A: another recording, and how it differs from A",
		.more = "The recording of -i is the baseline, and what it counted stands beside "
			"FILE's; see COMPARISON. Functions of another build of the same file "
			"are found by name. With --batch it may be given several times: there "
			"is a table for each.",
	},
	{
		.group = OPTIONS_WHOM, .name = "fail-above", .argument = "POINTS",
		.set = option_set_fail_above,
		.help = "with --diff: status 10 if a row's share grew by more",
		.more = "In percentage points, of the function itself or, with --children, of "
			"all that it calls; a change that chance explains does not count. See "
			"COMPARISON.",
	},
	{
		.group = OPTIONS_WHAT, .letter = 'e', .name = "event", .argument = "EVENT",
		.set = option_set_event, .choice = CHOICE_EVENT, .value = VALUE_EVENT,
		.in_file = true,
		.help = "cpu-clock, cycles, rNNN, pmu/terms/, group:tracepoint,\n"
			"...; modifiers as in cycles:u; repeatable",
		.more = "--list-events lists the names that this machine has. The group and the "
			"name of a tracepoint may be patterns: -e 'sched:*' is all that match. "
			"{EVENT,EVENT,...} is a group; with :S after it only its first event is "
			"sampled, and the others are read with it: see EVENT LIST, Groups. Of "
			"several events one that the machine lacks is shown as <not supported>, "
			"with the reason, and the others run.",
	},
	{
		.group = OPTIONS_WHAT, .name = "list-events", .argument = "[=PATTERN]",
		.set = option_set_list_events, .is_next_word = option_is_pattern,
		.value = VALUE_EVENT, .words = option_event_kinds,
		.help = "print what can be sampled or counted: all of it,\n"
			"a kind (hw, sw, cache, pmu, tracepoint), or names",
		.more = "As perf list, with what each event is and whether it opens. PATTERN may "
			"have *, ? and [...]; with a colon, as 'sched:*', it is the whole name of "
			"tracepoints. Works with --format json. See EVENT LIST.",
	},
	{
		.group = OPTIONS_WHAT, .name = "filter", .argument = "EXPR",
		.set = option_set_filter, .choice = CHOICE_EVENT, .in_file = true,
		.help = "hits of the tracepoint before it whose fields match, as\n"
			"'prev_pid > 0'; repeatable",
		.more = "The kernel checks it, before a record is written: field, operator and "
			"value, joined by && and ||, in parentheses. Operators are == != < <= > >= "
			"& and, for text, ~ with a pattern in quotation marks. If an event has "
			"several, all must hold.",
	},
	{
		.group = OPTIONS_WHAT, .letter = 'F', .name = "freq", .argument = "HZ|max",
		.set = option_set_freq, .choice = CHOICE_RATE, .value = VALUE_WORD,
		.words = option_freqs, .in_file = true,
		.help = "samples per second and CPU (997)",
		.more = "Each sample costs the program that is sampled some microseconds: "
			"the rate is the overhead.",
	},
	{
		.group = OPTIONS_WHAT, .letter = 'c', .name = "count", .argument = "PERIOD",
		.set = option_set_count, .choice = CHOICE_RATE, .in_file = true,
		.help = "a sample every PERIOD events instead",
	},
	{
		.group = OPTIONS_WHAT, .name = "off-cpu-period", .argument = "MS",
		.set = option_set_off_cpu_period, .in_file = true,
		.help = "-e off-cpu: record each wait of MS (1) or more",
		.more = "Of shorter waits one is recorded for about as many milliseconds "
			"waited, chosen by their length. A smaller period costs more.",
	},
	{
		.group = OPTIONS_WHAT, .name = "off-cpu-thresh", .argument = "MS",
		.set = option_set_off_cpu_period, .in_file = true,
		.help = "as --off-cpu-period, for users of perf",
	},
	{
		.group = OPTIONS_WHAT, .letter = 'o', .name = "output", .argument = "FILE",
		.set = option_set_output, .value = VALUE_FILE,
		.help = "record all that is counted; or write what is shown at\n"
			"the end: .svg .html .pb.gz .folded .txt .json .csv .md",
		.more = "FILE must not exist yet, with or without a screen. It is a perf.data "
			"for perf and -i, unless the end of its name says another format: see "
			"RECORDING and SHARING. With --stat its tables are written to FILE.",
	},
	{
		.group = OPTIONS_WHAT, .name = "raw-stacks", .flag = FLAG(keeps_raw_stacks),
		.help = "with -o: record copies of stacks, for perf to unwind",
		.more = "The recording is some 20 times larger. Without, it has the callers that "
			"flametop has found.",
	},
	{
		.group = OPTIONS_WHAT, .name = "switch-output", .argument = "[=WHEN]",
		.set = option_set_switch_output, .value = VALUE_WORD, .words = option_switches,
		.help = "with -o: go on in another file at SIGUSR2, after\n"
			"so much (100M) or so long (30s); FILE.TIME",
		.more = "As in perf-record(1): signal, a size with B, K, M or G, or a time with s, "
			"m, h or d. See RECORDING.",
	},
	{
		.group = OPTIONS_WHAT, .name = "switch-max-files", .argument = "N",
		.set = option_set_switch_max_files,
		.help = "leave the newest N of these files",
		.more = "Older ones of this recording are removed.",
	},
	{
		.group = OPTIONS_WHAT, .name = "call-graph", .argument = "MODE",
		.set = option_set_call_graph, .choice = CHOICE_STACKS, .value = VALUE_WORD,
		.words = option_call_graphs, .in_file = true, .default_text = "auto",
		.help = "callers: auto, fp (frame pointers), dwarf[,BYTES]\n"
			"(copies of the stack), lbr (the CPU's), or off",
		.more = "Most programs have no frame pointers: with auto each sample carries the "
			"registers and a copy of the stack, 16 KiB at first, more when too many "
			"stacks do not fit. Above 4000 Hz, over 200 MB of copies a second, and for "
			"software events with -c 1 auto is fp. Where every hit of a tracepoint is "
			"a sample it becomes fp once more than 4000 come in a second, or some are "
			"lost. With dwarf it stays with copies, and with BYTES of that size. With "
			"lbr the CPU records the innermost 16 or 32 calls of user code, beside "
			"samples of hardware events. With off a function's total is its self.",
	},
	{
		.group = OPTIONS_WHAT, .letter = 'g', .name = "stacks",
		.set = option_set_stacks, .is_next_word = call_graph_is_mode,
		.choice = CHOICE_STACKS,
		.help = "as --call-graph auto, whatever the configuration says;\n"
			"-g fp, -g dwarf[,BYTES]: in that mode",
		.more = "For perf, -g alone means frame pointers: here that is -g fp.",
	},
	{
		.group = OPTIONS_WHAT, .letter = 'b', .name = "branch",
		.flag = FLAG(wants_branches), .in_file = true, .default_text = "false",
		.help = "add the last branches that the CPU has taken",
		.more = "They are the event taken-branches: see HARDWARE EVENTS, Branches.",
	},
	{
		.group = OPTIONS_WHAT, .letter = 'j', .name = "branch-filter",
		.argument = "FILTERS", .set = option_set_branches,
		.value = VALUE_GROUP_KEYS, .words = option_branch_filters, .in_file = true,
		.help = "as -b, of these kinds and levels: any_call,u",
		.more = "any, any_call, any_ret, ind_call, ind_jmp, call, cond; u, k, hv: without "
			"one, of the levels that the event has. Which of them there are depends on "
			"the processor.",
	},
	{
		.group = OPTIONS_WHAT, .letter = 'm', .name = "mmap-pages", .argument = "N",
		.set = option_set_pages, .in_file = true,
		.help = "size of the ring per CPU and event: pages, a power of 2",
	},
	{
		.group = OPTIONS_COUNTING, .name = "stat", .flag = FLAG(stat.is_wanted),
		.help = "count the events of -e, or the usual ones, and print\n"
			"the counts at the end: as perf stat",
		.more = "Whom, what and for how long is said as for samples: -a, -p, -t, -G, -C, "
			"--no-inherit, -e, --filter, --duration and a command; all others of the "
			"options above are for samples, and of the configuration only log is "
			"read. See COUNTERS.",
	},
	{
		.group = OPTIONS_COUNTING, .letter = 'r', .name = "repeat", .argument = "N",
		.set = option_set_repeat,
		.help = "run the command N times: means, and their deviation",
	},
	{
		.group = OPTIONS_COUNTING, .letter = 'I', .name = "interval",
		.argument = "SECONDS", .set = option_set_interval,
		.help = "print what each interval counted, then the whole",
		.more = "0.01 or more, with a unit if you like: 500ms, 2s, 1m. perf's unit is the "
			"millisecond: to tell them apart 100 and more needs a unit.",
	},
	{
		.group = OPTIONS_COUNTING, .name = "detail", .argument = "[=N]",
		.set = option_set_detail,
		.help = "also events of caches: 1 (as perf's -d), 2 TLBs, too\n"
			"(-dd), 3 prefetches, too (-ddd)",
		.more = "The letter d is the delay of samples.",
	},
	{
		.group = OPTIONS_COUNTING, .letter = 'A', .name = "per-cpu",
		.flag = FLAG(stat.per_cpu),
		.help = "a line for each CPU; with -a, -C or -G",
	},
	{
		.group = OPTIONS_COUNTING, .name = "per-socket", .flag = FLAG(stat.per_socket),
		.help = "a line for each socket; with -a, -C or -G",
	},
	{
		.group = OPTIONS_COUNTING, .name = "per-thread", .flag = FLAG(stat.per_thread),
		.help = "a line for each thread that is there at the start;\n"
			"with -p, -t or -a",
		.more = "What a thread starts later is counted with it.",
	},
	{
		.group = OPTIONS_COUNTING, .name = "for-each-cgroup", .argument = "LIST",
		.set = option_set_each_cgroup, .value = VALUE_CGROUP,
		.help = "a line for each of these cgroups: names as for -G,\n"
			"or patterns of paths, as 'system.slice/*'",
	},
	{
		.group = OPTIONS_COUNTING, .name = "nonzero", .flag = FLAG(stat.only_nonzero),
		.help = "leave out events that counted nothing",
	},
	{
		.group = OPTIONS_COUNTING, .name = "append", .flag = FLAG(stat.appends),
		.help = "add them to the end of the FILE of -o",
	},
	{
		.group = OPTIONS_PROBES, .name = "probe", .argument = "SPEC",
		.set = option_set_probe, .choice = CHOICE_EVENT, .value = VALUE_PROBE,
		.help = "k:FUNC, u:FILE:FUNC; kr: ur: (return), lat: (both);\n"
			"t:GROUP:NAME, U:FILE:NAME; values; if EXPR; repeatable",
		.more = "Without -e only the probes are sampled. Entry and return of one function "
			"are one probe, which shows the latency. One-liners of bpftrace and ply "
			"are translated. See PROBES and flametop-spec(7).",
	},
	{
		.group = OPTIONS_PROBES, .name = "weight", .argument = "WHAT",
		.set = option_set_weight, .default_text = "hits",
		.help = "what a hit weighs: hits (1 each), lat, or a sum of the\n"
			"probe as in its spec: 'sum(bytes)'",
		.more = "In every view of the hits, in text, JSON and folded stacks. On the "
			"screen W changes it.",
	},
	{
		.group = OPTIONS_PROBES, .name = "inside", .argument = "CALLS",
		.set = option_set_inside, .value = VALUE_WORD, .words = option_insides,
		.help = "only samples and waits of threads inside calls of the\n"
			"first latency: all of these, or the slowest 1 %",
		.more = "The words are all and slowest. A call and what is inside it count when it "
			"ends. Needs -e, for the samples.",
	},
	{
		.group = OPTIONS_PROBES, .name = "preset", .argument = "NAME",
		.set = option_set_preset, .choice = CHOICE_EVENT, .value = VALUE_PRESET,
		.help = "probes for a usual question, as 'ext4slower 5';\n"
			"repeatable; --help after it: what it shows, an example",
		.more = "Values follow NAME in the same argument. Its probes are as if --probe had "
			"each; --dry-run shows them. Tools of bcc, bpftrace and perf-tools give "
			"most presets their name; help is the list of all. See "
			"flametop-presets(7).",
	},
	{
		.group = OPTIONS_PROBES, .name = "list-presets", .flag = FLAG(lists_presets),
		.help = "print all presets, also your own",
		.more = "Works with --format json.",
	},
	{
		.group = OPTIONS_PROBES, .name = "dry-run", .flag = FLAG(is_dry_run),
		.help = "only print what --probe or --preset would do",
		.more = "Also the spec of each site for machines without debug information.",
	},
	{
		.group = OPTIONS_PROBES, .name = "list-targets", .argument = "PATTERN",
		.set = option_set_pattern,
		.help = "print what can be probed and matches PATTERN",
		.more = "A pattern with *, ? or [...] must match the whole name, as in perf: "
			"'sched:*', 'vfs_*', './app:send_*'. Other text finds the names that are "
			"equal to it or, if there are none, similar ones. A file alone, ./app or "
			"u:libc.so.6, is all of its functions. -E limits their number.",
	},
	{
		.group = OPTIONS_PROBES, .name = "vmlinux", .argument = "FILE",
		.set = option_set_vmlinux, .value = VALUE_FILE,
		.help = "debug information of the kernel or a module; repeatable",
		.more = "For source lines and probes in the kernel. It is used only if its "
			"build-id is that of the running kernel or module. See FILES for where "
			"such files are looked for without it.",
	},
	{
		.group = OPTIONS_PROBES, .name = "source-path", .argument = "FROM=DIR",
		.set = option_set_source_path, .value = VALUE_FILE, .in_file = true,
		.help = "look in DIR for sources whose path begins with\n"
			"FROM; DIR alone: by the longest end of the path",
		.more = "The longest FROM that fits is tried first, then directories without "
			"FROM, then the path as the program's process sees it, then where the "
			"sources of packages, Rust, Go and the kernel are installed. See SOURCES.",
	},
	{
		.group = OPTIONS_PROBES, .name = "debuginfod", .argument = "[=URLS]",
		.set = option_set_debuginfod, .in_file = true,
		.help = "ask these servers for debug files and sources, for\n"
			"listings and --lines; else no network is used",
		.more = "Several are separated by spaces. Without URLS they are those of the "
			"variable DEBUGINFOD_URLS, but not as root. See SOURCES.",
	},
	{
		.group = OPTIONS_PROBES, .name = "lines", .argument = "WHERE",
		.set = option_set_lines,
		.help = "print source lines, and which can be probed",
		.more = "WHERE is a function or a source file as in a probe: u:FILE:FUNC, "
			"u:FILE:SOURCE.c, k:FUNC; then, if need be, the lines, :FROM, :FROM-TO or "
			":FROM+COUNT, of a function counted from its first. Lines that can be "
			"probed have a number in front, as perf probe --line marks them. Works "
			"with --format json.",
	},
	{
		.group = OPTIONS_PROBES, .name = "vars", .argument = "PROBE",
		.set = option_set_variables, .value = VALUE_PROBE,
		.help = "print the variables that a probe can have there",
		.more = "Those in scope at the function or line, as u:FILE:FUNC, u:FILE:FUNC:3, "
			"u:FILE:SOURCE.c:42 or k:FUNC; of an inlined function for each copy. "
			"Beside each is its type and how a probe fetches it, or why none can. By "
			"debug information, as perf probe --vars; of the kernel without it, the "
			"arguments. Works with --format json.",
	},
	{
		.group = OPTIONS_PROBES, .name = "externs", .flag = FLAG(with_externs),
		.help = "with --vars: also variables of the source file",
	},
	{
		.group = OPTIONS_PROBES, .letter = 'l', .name = "list-probes",
		.flag = FLAG(lists_probes),
		.help = "print the attached probes, also those of other tools",
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
		.help = "allow no probes",
	},
	{
		.group = OPTIONS_KEEPING, .name = "keep-when", .argument = "CONDITION",
		.set = option_set_keep_when, .in_file = true,
		.help = "say when this becomes true: 'busy > 90', or of a\n"
			"probe 'NAME p99 > 50ms'; several may be given",
		.more = "It is looked at once a second, and said once: again only after a second "
			"in which it was not true. See KEEPING.",
	},
	{
		.group = OPTIONS_KEEPING, .name = "keep-last", .argument = "TIME",
		.set = option_set_keep_last, .in_file = true,
		.help = "hold the records of the last 60s, and save them when\n"
			"a condition becomes true, at P NAME.data or SIGUSR2",
		.more = "1s to 1h. Nothing is written before. The file is a recording as of -o: "
			"-i, perf report and all others read it. See KEEPING.",
	},
	{
		.group = OPTIONS_KEEPING, .name = "keep-memory", .argument = "MIB",
		.set = option_set_keep_memory, .in_file = true, .default_text = "64",
		.help = "memory for these records",
		.more = "Where it does not suffice for all of the time, the header says how far "
			"back they go.",
	},
	{
		.group = OPTIONS_KEEPING, .name = "keep-dir", .argument = "DIR",
		.set = option_set_keep_dir, .value = VALUE_FILE, .in_file = true,
		.help = "where they are saved, as flametop-kept-DATE-TIME.data;\n"
			"else in the current directory",
	},
	{
		.group = OPTIONS_KEEPING, .name = "keep-files", .argument = "N",
		.set = option_set_keep_files, .in_file = true, .default_text = "10",
		.help = "leave the newest N of these files there",
		.more = "Older ones are removed: regular files of one's own with such a name, of "
			"this run or another.",
	},
	{
		.group = OPTIONS_SHOWN, .letter = 's', .name = "sort", .argument = "KEYS",
		.set = option_set_keys, .value = VALUE_SORT_KEYS, .words = option_sort_keys,
		.in_file = true, .default_text = "dso,symbol",
		.help = "row keys of event,pid,tid,comm,dso,symbol,cpu,\n"
			"address,from; +KEY adds, -KEY removes one",
		.more = "Samples that agree in all keys are one row. On the screen they are the "
			"rows of the view Symbols. With the key event "
			"one table has the rows of all events, most samples first: each share is "
			"one of its event's samples.",
	},
	{
		.group = OPTIONS_SHOWN, .name = "group", .argument = "KEYS",
		.set = option_set_groups, .value = VALUE_GROUP_KEYS, .words = option_group_keys,
		.in_file = true,
		.help = "a tree of groups by keys in order, as pid,dso,symbol",
		.more = "Up to 8 of event, comm, pid, tid, thread (its name and its process's), "
			"cgroup, unit (of systemd), container, pod, cpu, socket, pmu (the CPU's "
			"kind of core), dso, symbol, address, source (file and line), parent "
			"(the function that called) and, of hits of a probe, by1 to by4 (the "
			"keys of its by). "
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
		.help = "count only what has TEXT in symbol, DSO or command;\n"
			"~RE: what the expression matches; !TEXT, !~RE: the rest",
		.more = "Repeatable: all must hold. Capitals count if TEXT has one. RE is "
			"extended, see regex(7); back-references (\\1) and braces that repeat more "
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
		.more = "Waits of off-cpu are then shown raw, too: with the functions of the "
			"scheduler that they are in.",
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
		.more = "After the rows, text has the probes, with a histogram of each latency "
			"and of each value that is a number.",
	},
	{
		.group = OPTIONS_BATCH, .name = "duration", .argument = "S",
		.set = option_set_duration, .help = "end after S seconds, also with the screen",
	},
	{
		.group = OPTIONS_BATCH, .name = "annotate", .argument = "SYMBOL",
		.set = option_set_annotate, .value = VALUE_ANY,
		.help = "instead of the table: the source lines and instructions\n"
			"of this function, with what each of them costs",
		.more = "DSO:SYMBOL is that DSO's. Of several functions of one name it is the one "
			"with the most samples, and the others are named. See LISTING.",
	},
	{
		.group = OPTIONS_BATCH, .name = "threads-now", .flag = FLAG(wants_threads),
		.help = "print once where every thread is now, blocked ones too:\n"
			"state, stack, deadlocks; none is stopped for it",
		.more = "Whom is said by -p, -t or -u; else it is every thread of the machine. "
			"--format json has all that text has, csv and markdown its rows. See "
			"THREADS NOW.",
	},
	{
		.group = OPTIONS_BATCH, .name = "dump", .flag = FLAG(wants_dump),
		.help = "of -i: print its header, events, and each record with\n"
			"its fields, as perf script -D",
		.more = "A damaged recording is printed up to the damage. See DUMP.",
	},
	{
		.group = OPTIONS_BATCH, .name = "layer", .argument = "LAYER",
		.set = option_set_layer, .value = VALUE_WORD, .words = option_layers,
		.default_text = "source",
		.help = "of --annotate: source lines; mixed: instructions by\n"
			"line; asm: instructions alone",
	},
	{
		.group = OPTIONS_BATCH, .name = "format", .argument = "FORMAT",
		.set = option_set_format, .value = VALUE_WORD, .words = option_formats,
		.help = "text; json: a line per refresh; folded: one per stack;\n"
			"events, events-json: one for each hit; script: as\n"
			"perf script; csv, markdown: a table; none: with -o",
		.more = "JSON has one object per refresh and event, on a line. Folded stacks, for "
			"flame graph programs, begin with the command and the outermost function, "
			"and end with how many samples they have. With --idle they include idle; "
			"those of several events follow each other unmarked. Events are in the "
			"order of time, hits and samples of all probes and events alike; see "
			"EVENTS and SCRIPT. See TABLES for CSV, for spreadsheets and programs, "
			"and Markdown, for a pull request. With none, all is in the recording of "
			"-o or --keep-last: see RECORDING. --batch need not be given with a "
			"format.",
	},
	{
		.group = OPTIONS_BATCH, .name = "table", .argument = "TABLE",
		.set = option_set_table, .value = VALUE_WORD, .words = option_tables,
		.help = "of csv and markdown: rows, groups, tree, probes,\n"
			"hit-groups or histograms",
		.more = "Without it: the groups of --group, else those of the hits of a --probe "
			"that groups them, else the probes if nothing else is sampled, else the "
			"rows.",
	},
	{
		.group = OPTIONS_BATCH, .name = "fields", .argument = "LIST",
		.set = option_set_fields, .value = VALUE_SORT_KEYS, .words = option_fields,
		.help = "of events: time,cpu,comm,pid,tid,event,period,latency,\n"
			"symbol,dso,values,stack,branches; +stack adds,\n"
			"-cpu removes; of script: the names of perf script",
	},
	{
		.group = OPTIONS_BATCH, .name = "kernel-suffix", .flag = FLAG(kernel_suffix),
		.in_file = true, .default_text = "false",
		.help = "folded: _[k] after names of kernel code",
	},
	{
		.group = OPTIONS_BATCH, .letter = 'E', .name = "entries", .argument = "N",
		.set = option_set_rows, .in_file = true,
		.help = "at most N rows (text, markdown: 40; json, csv: all)",
	},
	{
		.group = OPTIONS_OTHER, .name = "history-memory", .argument = "MIB",
		.set = option_set_memory, .in_file = true, .default_text = "64",
		.help = "memory for the last minutes",
		.more = "A baseline takes part of it. With --diff each of the two recordings has "
			"as much.",
	},
	{
		.group = OPTIONS_OTHER, .name = "no-cache", .flag = FLAG(no_cache),
		.in_file = true, .default_text = "false",
		.help = "neither read nor write symbol tables on disk",
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
		.more = "With another file, or none, it is not remembered which columns are shown.",
	},
	{
		.group = OPTIONS_OTHER, .name = "print-config", .flag = FLAG(wants_config),
		.help = "a configuration of all defaults, commented out",
	},
	{
		.group = OPTIONS_OTHER, .name = "print-man", .argument = "[=presets]",
		.set = option_set_man,
		.help = "flametop(8), or flametop-presets(7), for packagers",
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
	       "options_parse.c has room for so many");

static const char *const titles[OPTION_GROUP_COUNT] = {
	[OPTIONS_WHOM] = "Whom to sample (default: every process)",
	[OPTIONS_WHAT] = "What to sample (default: cycles, else cpu-clock)",
	[OPTIONS_COUNTING] = "Counting instead of sampling",
	[OPTIONS_PROBES] = "Probes",
	[OPTIONS_KEEPING] = "Keeping what happened",
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
	const char *line = row->help;
	const char *end;

	fprintf(out, "%*s", used < HELP_COLUMN ? HELP_COLUMN - used : 2, "");
	while ((end = strchr(line, '\n'))) {
		fprintf(out, "%.*s\n%*s", (int)(end - line), line, HELP_COLUMN, "");
		line = end + 1;
	}
	fputs(line, out);
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
