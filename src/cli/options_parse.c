/* options_parse.c - see cli/options.h.
 *
 * Idea: getopt's arrays are made from the table, and the command line is walked twice: first to see
 * which options are given, as they override alternatives in the configuration (a file with `count`
 * must not conflict with -F), then to parse the values.
 */
#include "cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/analyzer.h"
#include "base/clock.h"
#include "option_values.h"
#include "probe/probe_engine.h"
#include "probe/probe_expression.h"
#include "share/shared_format.h"

#define DEFAULT_INTERVAL_NS (2 * CLOCK_NS_PER_S)
#define DEFAULT_WINDOW_NS   (10 * CLOCK_NS_PER_S)
#define ONCE_NS		    (1000000000 * CLOCK_NS_PER_S)	/* no refresh before the end */
#define LONG_BASE	    256	/* above every letter */

/* What was given on the command line, so that the configuration does not contradict it. */
struct given {
	unsigned int choices;	/* a bit per enum option_choice */
	bool is_replay, has_cpus, has_delay, is_stat;
	const struct option_row *of_stat, *of_samples;	/* for --stat alone, not for it; or NULL */
};

/* An option as it was met. */
struct met {
	const struct option_row *row;
	const char *text;
	struct options *out;
	struct given *given;
};

struct spelling {
	struct option longs[OPTION_ROWS_MAX + 1];
	char letters[2 + 3 * OPTION_ROWS_MAX + 1];
};

static void spell(struct spelling *out)
{
	char *letter = out->letters;
	struct option *next = out->longs;

	*letter++ = '+';	/* the first word that is no option begins the command */
	*letter++ = ':';
	for (size_t i = 0; i < option_row_count; i++) {
		const struct option_row *row = &option_rows[i];

		if (!row->name)
			continue;
		*next++ = (struct option){
			.name = row->name, .val = LONG_BASE + (int)i,
			.has_arg = !row->argument ? no_argument
				 : option_table_is_value_optional(row) ? optional_argument
				 : required_argument,
		};
		if (!row->letter)
			continue;
		*letter++ = row->letter;
		if (row->argument)
			*letter++ = ':';
	}
	*letter = '\0';
	*next = (struct option){ .name = NULL };
}

/* @word: the one that getopt_long() was looking at; a cluster of letters ("-Kx") is one word. */
static int refuse_word(int option, const char *word, struct diag *why)
{
	const char *reason = option == ':' ? "needs a value" : "is no option";
	const char *near = NULL;
	char name[40];

	if (word[0] == '-' && word[1] == '-' && option == '?') {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
		near = option_table_nearest(name);
	}
	if (near && strcmp(near, name) != 0)
		return diag_set(why, -EINVAL, "%s %s: did you mean --%s? See --help", word, reason,
				near);

	if (word[0] == '-' && word[1] == '-')
		return diag_set(why, -EINVAL, "%s %s; see --help", word, reason);
	return diag_set(why, -EINVAL, "-%c %s; see --help", optopt, reason);
}

/* Calls @visit for each option; the first word after them is argv[optind] afterwards. */
static int walk(int argc, char **argv, int (*visit)(const struct met *met, struct diag *why),
		struct options *out, struct given *given, struct diag *why)
{
	struct met met = { .out = out, .given = given };
	struct spelling spelling;
	int option, err, at = 1;

	spell(&spelling);
	opterr = 0;
	optind = 0;	/* 1 would go on inside of the word that the last call stopped in */
	while ((option = getopt_long(argc, argv, spelling.letters, spelling.longs, NULL)) != -1) {
		if (option == ':' || option == '?')
			return refuse_word(option, argv[at], why);
		met.row = option < LONG_BASE ? option_table_find_letter(option)
					     : &option_rows[option - LONG_BASE];
		met.text = optarg;
		if (!optarg && met.row->is_next_word && optind > at && optind < argc &&
		    met.row->is_next_word(argv[optind]))
			met.text = argv[optind++];
		err = visit(&met, why);
		if (err)
			return err;
		at = optind;
	}
	return 0;
}

/* Returns true for an option that --stat does not know. */
static bool is_of_samples(const struct option_row *row)
{
	static const char *const others[] = { "all-cpus", "pid", "tid", "cgroup", "cpu",
					      "no-inherit", "event", "filter", "format", "duration",
					      "log", "config", "output" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(row->name, others[i]))
			return false;
	return row->group != OPTIONS_COUNTING && (row->group != OPTIONS_OTHER || row->argument);
}

static int note(const struct met *met, struct diag *why)
{
	(void)why;
	met->given->is_stat |= !strcmp(met->row->name, "stat");
	if (met->row->group == OPTIONS_COUNTING)
		met->given->of_stat = met->row;
	else if (is_of_samples(met->row))
		met->given->of_samples = met->row;
	met->given->choices |= 1u << met->row->choice;
	met->given->is_replay |= !strcmp(met->row->name, "input");
	met->given->has_cpus |= !strcmp(met->row->name, "cpu");
	met->given->has_delay |= !strcmp(met->row->name, "delay");
	return 0;
}

static int take_value(struct options *out, const struct option_row *row, const char *as,
		      const char *text, struct diag *why)
{
	if (row->set)
		return row->set(out, as, text, why);
	*(bool *)((char *)out + row->flag) = true;
	return 0;
}

/* What the screen can't say by itself of how its samples came about. */
static void note_word(const struct met *met)
{
	static const char *const others[] = { "config", "history-memory", "no-cache", "probe-cap",
					      "lease" };
	const struct option_row *row = met->row;
	enum launch_kind kind = LAUNCH_SOURCE;
	bool is_of_source = row->group == OPTIONS_WHOM || row->group == OPTIONS_WHAT;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		is_of_source |= !strcmp(row->name, others[i]);
	if (!is_of_source || row->letter == 'o')	/* its file is there by now */
		return;
	if (row->choice == CHOICE_WHOM)
		kind = LAUNCH_TARGET;
	else if (row->choice == CHOICE_EVENT)
		kind = LAUNCH_EVENTS;
	else if (row->choice == CHOICE_RATE)
		kind = LAUNCH_RATE;
	else if (row->letter == 'C')
		kind = LAUNCH_CPUS;
	launch_add(&met->out->launch, kind, row->letter, row->name, met->text);
}

static int take(const struct met *met, struct diag *why)
{
	char as[40];

	if (met->row->letter)
		snprintf(as, sizeof(as), "-%c", met->row->letter);
	else
		snprintf(as, sizeof(as), "--%s", met->row->name);
	note_word(met);
	return take_value(met->out, met->row, as, met->text, why);
}

static bool is_put_aside(const struct option_row *row, const struct given *given)
{
	const bool is_about_source = row->group == OPTIONS_WHOM || row->group == OPTIONS_WHAT ||
				     row->group == OPTIONS_KEEPING;

	return (given->is_stat && strcmp(row->name, "log") != 0) ||
	       (given->is_replay && is_about_source) ||
	       (row->choice != CHOICE_FREE && (given->choices & (1u << row->choice)));
}

/* An empty value leaves the default. A flag says "true" or "false", which is its default. */
static int take_setting(struct options *out, const struct option_setting *setting,
			struct diag *why)
{
	const struct option_row *row = setting->row;
	const bool is_true = !strcmp(setting->text, "true");

	if (!setting->text[0])
		return 0;
	if (row->argument)
		return take_value(out, row, row->name, setting->text, why);
	if (!is_true && strcmp(setting->text, "false") != 0)
		return diag_set(why, -EINVAL, "%s %s: true or false is needed", row->name,
				setting->text);
	return is_true ? take_value(out, row, row->name, NULL, why) : 0;
}

/* An event that recordings may have is not chosen for a capture. */
static bool chooses_events(const struct capture_config *capture)
{
	const size_t count = capture->event_text_count;

	return count > 1 || (count && (strcmp(capture->events[0], EVENT_OFF_CPU) != 0 ||
				       capture->event_filters[0]));
}

static bool chooses_capture(const struct options *out)
{
	const struct capture_config *capture = &out->capture;
	const struct target *target = &capture->target;

	return out->command || out->wants_all || target->kind != TARGET_SYSTEM || target->cpus ||
	       target->no_inherit || chooses_events(capture) || out->probe_count ||
	       capture->freq_hz || capture->period || capture->off_cpu_period_ns ||
	       capture->ring_pages || capture->branch_filter ||
	       capture->call_graph.mode != CALL_GRAPH_AUTO;
}

bool options_is_question(const struct options *options)
{
	return options->wants_help || options->wants_version || options->wants_config ||
	       options->wants_man || options->wants_completion;
}

bool options_only_record(const struct options *options)
{
	return options->format == OUTPUT_NONE && !options->probe_count &&
	       !options->condition_count && !options->share_count;
}

bool options_is_probe_question(const struct options *options)
{
	return options->is_dry_run || options->target_pattern || options->lists_events ||
	       options->lists_presets || options->lines_of ||
	       options->variables_of || options->lists_probes;
}

/* What is only printed, but as text or JSON. */
static bool has_formats(const struct options *out)
{
	return out->lines_of || out->variables_of || out->lists_events || out->lists_presets;
}

/* Whether hits of @spec can weigh @weight, as typed. */
static bool has_weight(const struct probe_spec *spec, const char *weight)
{
	const int index = probe_aggregate_find(spec, weight);

	if (!strcmp(weight, "hits"))
		return true;
	if (!strcmp(weight, "lat"))
		return spec->edge == PROBE_LATENCY;
	return index >= 0 && (spec->aggregates[index].kind == AGGREGATE_SUM ||
			      spec->aggregates[index].kind == AGGREGATE_AVG);
}

/* Checks what is asked of the hits. */
static int check_hits(const struct options *out, struct diag *why)
{
	bool has_latency = false, is_known = false;

	for (size_t i = 0; i < out->probe_count; i++) {
		has_latency |= out->probes[i].edge == PROBE_LATENCY;
		is_known |= out->hit_weight && has_weight(&out->probes[i], out->hit_weight);
	}
	if (out->hit_weight && !is_known)
		return diag_set(why, -EINVAL, "--weight %s: no --probe has that weight: there are "
				"hits, lat of a latency, and what a spec sums, as in --probe "
				"'k:vfs_read : sum(count)' --weight 'sum(count)'",
				out->hit_weight);
	if (out->inside != INSIDE_NONE && !has_latency)
		return diag_set(why, -EINVAL, "--inside needs a --probe of a latency, lat:...: it "
				"shows what is inside its calls");
	if (out->inside != INSIDE_NONE && !out->events)
		return diag_set(why, -EINVAL, "--inside needs -e, such as -e cpu-clock or -e "
				"off-cpu: with --probe alone nothing else is sampled");
	return 0;
}

static int check_probes(const struct options *out, struct diag *why)
{
	const struct target *target = &out->capture.target;

	if (out->is_dry_run && !out->probe_count)
		return diag_set(why, -EINVAL, "--dry-run needs --probe or --preset: it prints what "
				"that would do");
	if (out->is_dry_run + !!out->target_pattern + out->lists_events + !!out->lines_of +
	    !!out->variables_of + out->lists_probes + out->lists_presets > 1)
		return diag_set(why, -EINVAL, "only one of --dry-run, --list-targets, "
				"--list-presets, --list-events, --lines, --vars and --list-probes "
				"can be printed");
	if (has_formats(out) && out->wants_format &&
	    out->format != OUTPUT_TEXT && out->format != OUTPUT_JSON)
		return diag_set(why, -EINVAL, "--%s: --format text or json",
				out->lines_of ? "lines" : out->variables_of ? "vars"
				: out->lists_events ? "list-events" : "list-presets");
	if (out->with_externs && !out->variables_of)
		return diag_set(why, -EINVAL, "--externs is for --vars");
	if (out->replay_path && options_is_probe_question(out))
		return diag_set(why, -EINVAL, "-i shows a recording: probes and events are of this "
				"machine");
	if (out->probe_count && (target->kind == TARGET_THREADS || target->kind == TARGET_USER ||
				 target->kind == TARGET_CGROUP || target->cpus))
		return diag_set(why, -EINVAL, "--probe counts everybody, or processes (-p): not "
				"with -t, -u, -G or -C; a condition like 'if tid == 4121' can");
	if (check_hits(out, why))
		return why->err;
	if (out->is_readonly && out->probe_count && !out->is_dry_run)
		return diag_set(why, -EINVAL, "--probe: --readonly, or readonly in the "
				"configuration, forbids probes");
	return 0;
}

static int hide_level(enum filter_field level, struct options *out, struct diag *why)
{
	const struct filter_part part = { .field = level, .is_negated = true };

	return filter_add(&out->filter, &part, why);
}

/* A line per hit or sample: there are no refreshes. */
static int check_events(struct options *out, struct diag *why)
{
	int err = 0;

	if (out->wants_fields && !out->has_events)
		return diag_set(why, -EINVAL, "--fields is for --format script, events and "
				"events-json");
	if (out->wants_fields && out->format == OUTPUT_SCRIPT)
		err = script_fields_parse(&out->script_fields, "--fields", out->fields_text, why);
	else if (out->wants_fields)
		err = event_fields_parse(&out->fields, "--fields", out->fields_text, why);
	if (err)
		return err;
	if (out->has_events && out->batch_count)
		return diag_set(why, -EINVAL, "--batch=%" PRIu64 ": --format events has no "
				"refreshes; --duration ends it, or a command", out->batch_count);
	if (out->has_events && out->diff_path)
		return diag_set(why, -EINVAL, "--diff compares counts: not with --format events");
	return 0;
}

/* Nothing is printed but a notice: there are no refreshes, and no table. */
static int check_no_output(struct options *out, struct diag *why)
{
	if (out->format != OUTPUT_NONE)
		return 0;
	if (!out->record_path && !out->keep_ns && !out->share_count)
		return diag_set(why, -EINVAL, "--format none prints nothing: -o FILE or "
				"--keep-last says where to record");
	if (out->batch_count)
		return diag_set(why, -EINVAL, "--batch=%" PRIu64 ": --format none has no "
				"refreshes; --duration ends it, or a command", out->batch_count);
	out->prints_once = true;
	out->interval_ns = ONCE_NS;
	out->window = WINDOW_ALL;
	return 0;
}

static bool is_table(const struct options *out)
{
	return out->format == OUTPUT_CSV || out->format == OUTPUT_MARKDOWN;
}

/* Returns whether a file of -o is a table, as --table chooses it. */
static bool has_table_file(const struct options *out)
{
	bool is_known;

	for (size_t i = 0; i < out->share_count; i++) {
		const enum shared_format format =
			shared_format_find(out->share_paths[i], &is_known);

		if (format == SHARED_CSV || format == SHARED_MARKDOWN)
			return true;
	}
	return false;
}

static enum table_kind default_table(const struct options *out)
{
	bool has_groups = false;

	for (size_t i = 0; i < out->probe_count; i++)
		has_groups |= out->probes[i].key_count || out->probes[i].aggregate_count;
	if (out->listing_name)
		return TABLE_LISTING;
	if (out->group_count)
		return TABLE_GROUPS;
	if (has_groups)
		return TABLE_HIT_GROUPS;
	return out->is_only_probes ? TABLE_PROBES : TABLE_ROWS;
}

/* Chooses the table of CSV and Markdown, or checks the choice. */
static int check_table(struct options *out, struct diag *why)
{
	if (out->wants_table && !is_table(out) && !has_table_file(out))
		return diag_set(why, -EINVAL, "--table is for --format csv and markdown");
	if (!out->wants_table) {
		out->table = default_table(out);
		return 0;
	}
	if (out->listing_name || out->stat.is_wanted || out->wants_threads)
		return diag_set(why, -EINVAL, "--table: %s is a table of its own",
				out->listing_name ? "--annotate" : out->wants_threads
				? "--threads-now" : "--stat");
	if (out->table == TABLE_GROUPS && !out->group_count)
		return diag_set(why, -EINVAL, "--table groups needs --group: it says by what");
	if (out->table >= TABLE_PROBES && !out->probe_count)
		return diag_set(why, -EINVAL, "--table %s needs --probe",
				option_tables[out->table]);
	return 0;
}

static int check_given(const struct given *given, struct diag *why)
{
	const struct option_row *row = given->of_samples;

	if (!given->is_stat && given->of_stat)
		return diag_set(why, -EINVAL, "--%s is for --stat", given->of_stat->name);
	if (!given->is_stat || !row)
		return 0;
	if (row->letter == 'd')
		return diag_set(why, -EINVAL, "-d is the delay of samples: with --stat the "
				"interval is -I SECONDS, and perf's -d is --detail");
	if (row->letter == 'u')
		return diag_set(why, -EINVAL, "-u selects samples: --stat counts processes (-p) "
				"or a cgroup (-G), as user.slice/user-1000.slice");
	return diag_set(why, -EINVAL, "--%s is for samples: --stat takes none", row->name);
}

/* Counters: what may be a line of its own, and what ends a run. */
static int check_stat(struct options *out, struct diag *why)
{
	const struct stat_options *stat = &out->stat;
	const enum target_kind kind = out->capture.target.kind;
	const bool has_tasks = kind == TARGET_PROCESSES || kind == TARGET_THREADS ||
			       (out->command && !out->is_command_clock);

	if (out->format != OUTPUT_TEXT && out->format != OUTPUT_JSON && !is_table(out))
		return diag_set(why, -EINVAL, "--stat has the formats text, json, csv and "
				"markdown");
	if (stat->per_cpu + stat->per_socket + stat->per_thread + !!stat->cgroups > 1)
		return diag_set(why, -EINVAL, "only one of --per-cpu, --per-socket, --per-thread "
				"and --for-each-cgroup says what has a line of its own");
	if (has_tasks && (stat->per_cpu || stat->per_socket || stat->cgroups))
		return diag_set(why, -EINVAL, "%s counts whole CPUs: with -a%s",
				stat->per_cpu ? "--per-cpu" : stat->per_socket ? "--per-socket"
				: "--for-each-cgroup", stat->cgroups ? "" : ", -C or -G");
	if (stat->cgroups && kind == TARGET_CGROUP)
		return diag_set(why, -EINVAL, "-G is one cgroup: not with --for-each-cgroup");
	if (stat->per_thread && (kind == TARGET_CGROUP || out->capture.target.cpus ||
				 (out->command && !out->is_command_clock)))
		return diag_set(why, -EINVAL, "--per-thread lists the threads that are there at "
				"the start: with -p, -t or -a");
	if (stat->runs && (!out->command || stat->interval_ns || stat->per_thread))
		return diag_set(why, -EINVAL, "-r repeats a command: -- COMMAND is needed%s",
				out->command ? ", without -I and --per-thread" : "");
	if (out->output_count > 1)
		return diag_set(why, -EINVAL, "--stat writes its tables to one file: one -o");
	out->stat.output_path = out->output_count ? out->output_paths[0] : NULL;
	if (stat->appends && !stat->output_path)
		return diag_set(why, -EINVAL, "--append adds to a file: -o FILE says which");
	out->is_batch = true;
	return 0;
}

static int check_listing(struct options *out, struct diag *why)
{
	if (out->wants_layer && !out->listing_name)
		return diag_set(why, -EINVAL, "--layer is for --annotate");
	if (!out->listing_name)
		return 0;
	if (!out->is_batch)
		return diag_set(why, -EINVAL, "--annotate needs --batch; on the screen the key a "
				"lists the function of a row");
	if (out->format != OUTPUT_TEXT && out->format != OUTPUT_JSON && !is_table(out))
		return diag_set(why, -EINVAL, "--annotate has the formats text, json, csv and "
				"markdown");
	out->keys = KEY_DSO | KEY_SYMBOL;	/* by which the function is found */
	return 0;
}

/* The records of a file as they are: nothing is counted. */
static int check_dump(const struct options *out, struct diag *why)
{
	if (!out->wants_dump)
		return 0;
	if (!out->replay_path)
		return diag_set(why, -EINVAL, "--dump: of which recording? Give -i FILE, too");
	if (out->diff_path || out->is_batch || out->wants_format || out->events || out->command)
		return diag_set(why, -EINVAL, "--dump prints all of a recording: not with --diff, "
				"--batch, --format, -e or a command");
	return 0;
}

/* A list of what is there now: no samples, no refreshes, no screen. */
static int check_threads(struct options *out, struct diag *why)
{
	const struct target *target = &out->capture.target;

	if (!out->wants_threads)
		return 0;
	if (out->replay_path || out->command || out->events || out->probe_count)
		return diag_set(why, -EINVAL, "--threads-now lists threads that are there: not "
				"with -i, -e, --probe or a command");
	if (target->kind == TARGET_CGROUP || target->cpus)
		return diag_set(why, -EINVAL, "--threads-now: -p, -t and -u say whom, not -G or "
				"-C");
	if (out->format != OUTPUT_TEXT && out->format != OUTPUT_JSON && !is_table(out))
		return diag_set(why, -EINVAL, "--threads-now has the formats text, json, csv and "
				"markdown");
	out->is_batch = true;
	return 0;
}

/* Returns the probe of that name; NULL: the command line has none. */
static const struct probe_spec *find_named(const struct options *out, const char *name)
{
	char shown[PROBE_SPEC_BYTES];

	for (size_t i = 0; i < out->probe_count; i++) {
		probe_spec_name(&out->probes[i], shown, sizeof(shown));
		if (!strcmp(shown, name))
			return &out->probes[i];
	}
	return NULL;
}

static int check_condition(const struct options *out, const struct condition *condition,
			   struct diag *why)
{
	const struct target *target = &out->capture.target;
	const struct probe_spec *probe = find_named(out, condition->probe);

	if (condition->stat == CONDITION_BUSY &&
	    ((target->kind != TARGET_SYSTEM && target->kind != TARGET_USER) || target->cpus ||
	     (out->command && !out->is_command_clock)))
		return diag_set(why, -EINVAL, "--keep-when '%.200s': busy is of the whole machine:"
				" with -a, or without -p, -t, -G, -C and without a command",
				condition->text);
	if (probe && condition_needs_latency(condition) && probe->edge != PROBE_LATENCY)
		return diag_set(why, -EINVAL, "--keep-when '%.200s': the probe measures no latency:"
				" --probe '%.100s=lat:...' does; of others there are count and"
				" rate", condition->text, condition->probe);
	if (condition->probe[0] && !probe && out->is_batch)
		return diag_set(why, -EINVAL, "--keep-when '%.200s': no --probe is named '%.100s';"
				" --probe '%.100s=lat:...' gives a name", condition->text,
				condition->probe, condition->probe);
	return 0;
}

static int check_keeping(const struct options *out, struct diag *why)
{
	int err = 0;

	if ((out->condition_count || out->keep_ns) && (out->replay_path || out->wants_threads))
		return diag_set(why, -EINVAL, "%s is about what is sampled now: not with -i or "
				"--threads-now", out->condition_count ? "--keep-when"
								      : "--keep-last");
	for (uint32_t i = 0; i < out->condition_count && !err; i++)
		err = check_condition(out, &out->conditions[i], why);
	return err;
}

static int check_branches(struct options *out, struct diag *why)
{
	struct capture_config *capture = &out->capture;

	if (out->wants_branches && !capture->branch_filter)
		capture->branch_filter = PERF_SAMPLE_BRANCH_ANY;
	if (capture->branch_filter && capture->call_graph.mode == CALL_GRAPH_LBR)
		return diag_set(why, -EINVAL, "-b and --call-graph lbr: the CPU records either "
				"branches or calls; --call-graph fp follows frame pointers");
	return 0;
}

static int add_output(struct options *out, const char *path, struct diag *why)
{
	bool is_shared;

	shared_format_find(path, &is_shared);
	for (size_t i = 0; i < out->share_count; i++)
		if (!strcmp(out->share_paths[i], path))
			return diag_set(why, -EINVAL, "-o %s: it is given twice", path);
	if (is_shared)
		out->share_paths[out->share_count++] = path;
	else if (out->record_path)
		return diag_set(why, -EINVAL, "-o %s: %s is a recording already, and there is one "
				"at a time; the end of another file's name says its format, "
				"as .txt", path, out->record_path);
	else
		out->record_path = path;
	return 0;
}

/* Finds out which files of -o are recordings. */
static int sort_outputs(struct options *out, struct diag *why)
{
	int err = 0;

	for (size_t i = 0; i < out->output_count && !err && !out->stat.is_wanted; i++)
		err = add_output(out, out->output_paths[i], why);
	return err;
}

static int check_shared(const struct options *out, struct diag *why)
{
	const char *path = out->share_paths[0];

	if (!out->share_count)
		return 0;
	if (out->wants_threads || out->wants_dump || options_is_probe_question(out))
		return diag_set(why, -EINVAL, "-o %s is a file of samples: %s takes none", path,
				out->wants_threads ? "--threads-now" : out->wants_dump ? "--dump"
				: "what is only listed");
	if (out->has_events)
		return diag_set(why, -EINVAL, "-o %s has sums of samples: --format script and "
				"events print each; > %s takes what is printed", path, path);
	if (out->diff_count > 1)
		return diag_set(why, -EINVAL, "-o %s has one comparison: give one --diff", path);
	return 0;
}

/* Without --format only files are written, as with --format none. Then there is one refresh, at the
 * end. */
static void make_quiet(struct options *out)
{
	out->is_quiet = out->share_count && out->is_batch && !out->wants_format;
	if (!out->is_quiet || out->batch_count || out->replay_path)
		return;
	out->prints_once = true;
	out->interval_ns = ONCE_NS;
	if (out->window == WINDOW_INTERVAL)
		out->window = WINDOW_ALL;
}

static int check_recording(const struct options *out, struct diag *why)
{
	if (out->keeps_raw_stacks && !out->record_path)
		return diag_set(why, -EINVAL, "--raw-stacks is for recordings: -o FILE says where "
				"to");
	if (out->split.is_on && !out->record_path)
		return diag_set(why, -EINVAL, "--switch-output is for recordings: -o FILE says how "
				"their names begin");
	if (out->split.files_max && !out->split.is_on)
		return diag_set(why, -EINVAL, "--switch-max-files is for --switch-output");
	if (out->split.by_signal && out->keep_ns)
		return diag_set(why, -EINVAL, "SIGUSR2 saves what --keep-last holds: give "
				"--switch-output a size or a time");
	if (out->record_path && (out->wants_threads || out->diff_path || out->wants_dump ||
				 options_is_probe_question(out)))
		return diag_set(why, -EINVAL, "-o %s: %s can't be recorded", out->record_path,
				out->diff_path ? "a comparison"
				: out->wants_threads ? "what --threads-now lists"
				: out->wants_dump ? "what --dump prints" : "what is only listed");
	return check_shared(out, why);
}

/* Checks combinations of options, and sets defaults that depend on others. */
static int check_together(struct options *out, struct diag *why)
{
	const struct target *target = &out->capture.target;

	if (options_is_question(out))
		return 0;
	if (sort_outputs(out, why))
		return why->err;
	if (out->stat.is_wanted && check_stat(out, why))
		return why->err;
	if (check_dump(out, why) || check_probes(out, why) || check_threads(out, why) ||
	    check_branches(out, why) || check_keeping(out, why))
		return why->err;
	if (out->fail_above >= 0 && (!out->diff_count || !out->is_batch))
		return diag_set(why, -EINVAL, "--fail-above is for --batch with -i A --diff B: the "
				"exit status says whether a row grew");
	if (out->diff_count > 1 && !out->is_batch)
		return diag_set(why, -EINVAL, "the screen compares two recordings: several --diff "
				"need --batch");
	if (out->diff_path && !out->replay_path)
		return diag_set(why, -EINVAL, "--diff %s: -i says which recording it is compared "
				"with; give that one, too", out->diff_path);
	if (!out->replay_path && (out->begin.kind || out->end.kind))
		return diag_set(why, -EINVAL, "%s is a time in a recording: -i says in which",
				out->begin.kind ? "--begin" : "--end");
	if (out->stray_filter)
		return diag_set(why, -EINVAL, "--filter %s: it belongs to the tracepoint before "
				"it, as in -e GROUP:NAME --filter EXPR; --match is for the text of "
				"rows", out->stray_filter);
	if (out->replay_path && chooses_capture(out))
		return diag_set(why, -EINVAL,
				"-i shows a recording: targets and events are those recorded; of "
				"the events only -e off-cpu can be chosen");
	if (out->wants_all && (target->ids || target->cgroup))
		return diag_set(why, -EINVAL,
				"-a is everything: not together with -p, -t or -G");
	if (out->ends_command && !out->command)
		return diag_set(why, -EINVAL, "--kill-command needs a command: -- COMMAND");
	if (check_recording(out, why))
		return why->err;
	out->capture.wants_all_maps = out->keeps_raw_stacks;
	out->capture.is_unwatched = options_only_record(out);
	/* A recording has them, which a key may begin. */
	out->capture.has_raw = out->format == OUTPUT_SCRIPT || out->record_path ||
			       out->keep_ns || !out->is_batch;
	out->capture.insists_on_all = out->wants_all;
	if (out->capture.freq_hz && out->capture.period)
		return diag_set(why, -EINVAL, "-F and -c exclude each other");
	if (check_events(out, why) || check_no_output(out, why) || check_listing(out, why))
		return why->err;
	out->is_only_probes = out->launch.is_only_probes = out->probe_count && !out->events;
	if (check_table(out, why))
		return why->err;
	make_quiet(out);
	if (out->window == WINDOW_INTERVAL && out->replay_path)
		out->window = WINDOW_ALL;
	else if (out->window == WINDOW_INTERVAL && !out->is_batch)
		out->window = WINDOW_SECONDS;
	out->wants_rows = out->max_rows;
	if (!out->max_rows && !out->target_pattern)	/* --list-targets: all */
		out->max_rows = out->format == OUTPUT_JSON || out->format == OUTPUT_CSV ? SIZE_MAX
											: 40;
	if (out->hide_kernel && hide_level(FILTER_KERNEL, out, why))
		return why->err;
	return out->hide_user ? hide_level(FILTER_USER, out, why) : 0;
}

int options_read_presets(struct options *options, struct diag *why)
{
	const bool has_own = !options->config_path || strcmp(options->config_path, "none") != 0;

	if (options->presets)
		return 0;
	return preset_lists_read(&options->presets, has_own, &options->preset_problems, why);
}

static int use_preset(struct options *out, const char *text, struct diag *why)
{
	struct preset_use *use = malloc(sizeof(*use));
	int err = use ? presets_use(out->presets, text, use, why)
		      : diag_set(why, -ENOMEM, "no memory for a preset");

	if (err == -ENOENT)
		err = why->err = -EINVAL;
	for (uint32_t i = 0; !err && i < use->count; i++)
		err = option_set_probe(out, "--preset", use->specs[i], why);
	free(use);
	return err;
}

/* Adds the probes of --preset; with --help there is only something to print. */
static int use_presets(struct options *out, struct diag *why)
{
	int err = 0;

	if (out->preset_count && (out->wants_help || !options_is_question(out)))
		err = options_read_presets(out, why);
	for (size_t i = 0; !err && !options_is_question(out) && i < out->preset_count; i++)
		err = use_preset(out, out->preset_texts[i], why);
	return err;
}

static void set_defaults(struct options *out)
{
	*out = (struct options){
		.keys = KEY_DSO | KEY_SYMBOL, .window = WINDOW_INTERVAL,
		.window_ns = DEFAULT_WINDOW_NS, .interval_ns = DEFAULT_INTERVAL_NS,
		.memory_bytes = ANALYZER_DEFAULT_MEMORY_BYTES,
		.probe_cap_pct = PROBE_CAP_PCT,
		.keep_bytes = (size_t)64 << 20, .keep_files = 10,
		.theme = &themes[0], .fail_above = -1,
	};
	event_fields_set_default(&out->fields);
}

/* As in perf: what says whom to sample leaves the command to say how long. CPUs of the
 * configuration say where, not whom. */
static void take_command(struct options *out, char *const *command, const struct given *given)
{
	out->command = command;
	for (; *command; command++)
		launch_add_word(&out->launch, LAUNCH_COMMAND, *command);
	out->is_command_clock = out->wants_all || given->has_cpus ||
				out->stat.cgroups || out->capture.target.kind != TARGET_SYSTEM;
	out->prints_once = out->is_batch && !out->batch_count && !given->has_delay;
	if (!out->prints_once)
		return;
	out->interval_ns = ONCE_NS;
	if (out->window == WINDOW_INTERVAL)
		out->window = WINDOW_ALL;
}

int options_parse_over(struct options *out, const struct option_setting *settings, size_t count,
		       int argc, char **argv, struct diag *why)
{
	struct given given = { 0 };
	int err;

	set_defaults(out);
	out->arguments = argv;
	err = walk(argc, argv, note, NULL, &given, why);
	if (err)
		return err;
	err = check_given(&given, why);
	if (err)
		return err;
	if (optind < argc)
		given.choices |= 1u << CHOICE_WHOM;
	for (size_t i = 0; i < count && !err; i++)
		if (!is_put_aside(settings[i].row, &given))
			err = take_setting(out, &settings[i], why);
	if (!err)
		err = walk(argc, argv, take, out, NULL, why);
	if (!err)
		err = use_presets(out, why);
	if (err)
		return err;
	out->is_batch |= out->wants_format && !has_formats(out);
	out->capture.can_count = !out->is_batch;
	if (!out->lease_ns)	/* without a screen there is no key that extends one */
		out->lease_ns = out->is_batch ? UINT64_MAX : PROBE_LEASE_NS;
	if (optind < argc)
		take_command(out, argv + optind, &given);
	return check_together(out, why);
}

int options_parse(struct options *out, int argc, char **argv, struct diag *why)
{
	return options_parse_over(out, NULL, 0, argc, argv, why);
}

int options_check(const struct option_setting *setting, struct diag *why)
{
	struct options scratch;
	int err;

	set_defaults(&scratch);
	err = take_setting(&scratch, setting, why);
	options_finish(&scratch);
	return err;
}

void options_finish(struct options *options)
{
	for (size_t i = 0; i < options->capture.event_text_count; i++)
		free(options->event_filters[i]);
	free(options->event_filters);
	free(options->events);
	free(options->probes);
	free(options->conditions);
	free(options->translations);
	free(options->preset_texts);
	presets_destroy(options->presets);
	free(options->preset_problems);
	target_finish(&options->capture.target);
}
