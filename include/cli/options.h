/* options.h - parses the command line, on top of the configuration, into one struct.
 * Thread: main. Pure, except that targets are looked up: see option_values.h. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "analyzer/condition.h"
#include "capture/capture.h"
#include "capture/perf_data.h"
#include "export/print.h"
#include "fold/filter.h"
#include "fold/tree.h"
#include "listing/listing_rows.h"
#include "finder/presets.h"
#include "probe/probe_spec.h"
#include "record/recording.h"
#include "symbols/kernel_debug.h"
#include "symbols/source_file.h"
#include "timeline/timeline.h"
#include "ui/launch.h"
#include "ui/theme.h"

/* The table of all options, from which getopt's arrays, --help, the [options] of the configuration,
 * --print-config, flametop(8) and the shell's completion are made.
 * Thread: constant; main.
 */

struct options;

/* Parses the value of an option into @out; @as: the option as the user wrote it, for the reason.
 * @text is borrowed as long as @out lives; NULL: it was left out. 0 or -errno with @why. */
typedef int option_setter(struct options *out, const char *as, const char *text,
			  struct diag *why);

enum option_group {
	OPTIONS_WHOM,
	OPTIONS_WHAT,
	OPTIONS_COUNTING,
	OPTIONS_PROBES,
	OPTIONS_KEEPING,
	OPTIONS_SHOWN,
	OPTIONS_SCREEN,
	OPTIONS_BATCH,
	OPTIONS_OTHER,
	OPTION_GROUP_COUNT
};

/* Sets of alternative options: one on the command line overrides all of its set in the
 * configuration. */
enum option_choice {
	CHOICE_FREE,
	CHOICE_WHOM,
	CHOICE_EVENT,
	CHOICE_RATE,
	CHOICE_STACKS,
	CHOICE_FILTER,
};

/* Kinds of values, for the completion. */
enum option_value {
	VALUE_ANY,
	VALUE_WORD,		/* one of `words`, or maybe another */
	VALUE_SORT_KEYS,	/* list of `words` with signs */
	VALUE_GROUP_KEYS,	/* list of `words` */
	VALUE_FILE,
	VALUE_PID,
	VALUE_TID,
	VALUE_USER,
	VALUE_CGROUP,
	VALUE_CPU,
	VALUE_EVENT,
	VALUE_PROBE,
	VALUE_PRESET,
	VALUE_THEME,
};

struct option_row {
	enum option_group group;
	char letter;		/* 0: none */
	const char *name;	/* long name; NULL: the row is the command after the options */
	const char *argument;	/* NULL: none; "[=N]": may be left out */
	/* Either the offset of the bool in struct options that the option sets, or a setter. */
	size_t flag;
	option_setter *set;
	/* If the value was left out: is the next word the value? NULL: never. */
	bool (*is_next_word)(const char *word);
	bool in_file;		/* allowed in the configuration */
	const char *default_text;	/* default, as a user would write it; NULL: see `help` */
	const char *help;	/* one line or two */
	const char *more;	/* more text for the manual; NULL: none */
	enum option_choice choice;
	enum option_value value;
	const char *const *words;	/* NULL-terminated */
};

#define OPTION_ROWS_MAX 112

extern const struct option_row option_rows[];
extern const size_t option_row_count;

/* Returns the title of a group in the help and the manual; "" for the last one. */
const char *option_table_title(enum option_group group);

/* Return the row of an option by its long name or its letter, or NULL. */
const struct option_row *option_table_find(const char *name);
const struct option_row *option_table_find_letter(int letter);

/* Returns the long name that is closest to @name, or NULL when none is near. */
const char *option_table_nearest(const char *name);

bool option_table_is_value_optional(const struct option_row *row);

/* Prints the text of --help. */
void option_table_print_help(FILE *out);

#define OPTIONS_DIFFS_MAX 16
#define OPTIONS_OUTPUTS_MAX 8

enum output_format {
	OUTPUT_TEXT,
	OUTPUT_JSON,
	OUTPUT_FOLDED,
	OUTPUT_EVENTS,		/* a line per hit or sample, as they occur */
	OUTPUT_EVENTS_JSON,
	OUTPUT_CSV,
	OUTPUT_MARKDOWN,
	OUTPUT_SCRIPT,		/* hits and samples in the layout of perf-script(1) */
	OUTPUT_NONE,		/* nothing: all is in a recording */
};

/* --stat: counts instead of samples. */
struct stat_options {
	bool is_wanted;
	bool only_nonzero;		/* --nonzero */
	bool per_cpu, per_socket, per_thread;
	const char *cgroups;		/* --for-each-cgroup; NULL: not given */
	uint64_t runs;			/* -r; 0: not given */
	uint64_t interval_ns;		/* -I; 0: one table at the end */
	uint64_t detail;		/* enum counter_detail */
	const char *output_path;	/* -o with --stat; NULL: not given */
	bool appends;			/* --append */
};

struct options {
	struct capture_config capture;	/* including the target */
	const char **events;		/* owned; capture.events points to it */
	char **event_filters;		/* owned, texts too; capture.event_filters points to it */
	struct stat_options stat;
	const char *output_paths[OPTIONS_OUTPUTS_MAX];	/* -o, as given */
	size_t output_count;
	const char *record_path;	/* the recording of -o; NULL: none */
	const char *share_paths[OPTIONS_OUTPUTS_MAX];	/* other files of -o, by their ends */
	size_t share_count;
	bool is_quiet;			/* nothing is printed but files of -o */
	bool keeps_raw_stacks;		/* --raw-stacks */
	struct recorder_split split;	/* --switch-output, --switch-max-files */
	char *const *arguments;		/* the command line, ended by NULL */
	struct launch launch;		/* the source, in the words of the command line */
	const char *stray_filter;	/* a --filter without an -e before it; NULL: none */
	struct probe_spec *probes;	/* owned; entry and return of one function are one probe */
	size_t probe_count;
	char *translations;		/* owned; "ONE-LINER\n  = SPEC\n" of --probe; NULL: none */
	const char **preset_texts;	/* owned; --preset, as given; in `probes`, too */
	size_t preset_count;
	struct presets *presets;	/* owned; NULL: not read yet, see options_read_presets() */
	char *preset_problems;		/* owned; errors in the user's own; NULL: none */
	bool lists_presets;		/* --list-presets, --preset help */
	bool is_only_probes;		/* --probe without an event: nothing else is sampled */
	const char *hit_weight;		/* --weight; NULL: not given */
	enum inside_calls inside;	/* --inside */
	bool is_dry_run;		/* --dry-run */
	bool is_readonly;		/* --readonly */
	bool lists_probes;		/* --list-probes */
	const char *target_pattern;	/* --list-targets; NULL: not given */
	bool lists_events;		/* --list-events */
	const char *event_pattern;	/* its value; NULL: all */
	const char *vmlinux[KERNEL_DEBUG_FILES_MAX];	/* --vmlinux */
	uint32_t vmlinux_count;
	struct source_paths source_paths;	/* --source-path */
	bool wants_threads;		/* --threads-now */
	bool wants_dump;		/* --dump */
	bool uses_debuginfod;		/* --debuginfod */
	const char *debuginfod_urls;	/* NULL: those of the environment */
	const char *lines_of;		/* --lines; NULL: not given */
	const char *variables_of;	/* --vars; NULL: not given */
	bool with_externs;		/* --externs */
	double probe_cap_pct;		/* % of one CPU; INFINITY: no cap */
	uint64_t lease_ns;		/* UINT64_MAX: as long as flametop runs */
	const char *replay_path;	/* -i */
	struct condition *conditions;	/* owned; --keep-when */
	uint32_t condition_count;
	uint64_t keep_ns;		/* --keep-last; 0: nothing is held */
	size_t keep_bytes;		/* --keep-memory */
	uint64_t keep_files;		/* --keep-files */
	const char *keep_directory;	/* --keep-dir; NULL: the current one */
	struct perf_data_time begin, end;	/* --begin, --end */
	const char *diff_paths[OPTIONS_DIFFS_MAX];	/* --diff */
	size_t diff_count;
	const char *diff_path;		/* the one that is compared now; NULL: no comparison */
	double fail_above;		/* --fail-above, in percentage points; < 0: not given */
	char *const *command;		/* after "--"; NULL: none */
	bool is_command_clock;		/* `command` is not the target but sets the duration */
	bool ends_command;		/* --kill-command */
	const char *log_path;
	const char *config_path;	/* NULL: the default file; "none": no file at all */
	unsigned int keys;		/* enum row_key */
	enum group_key groups[GROUP_LEVELS];	/* --group: levels of the tree of groups */
	uint32_t group_count;		/* 0: no tree of groups */
	enum window_kind window;
	uint64_t window_ns, interval_ns;
	uint64_t duration_ns;		/* 0: no end */
	uint64_t batch_count;		/* refreshes; 0: endless */
	bool prints_once;		/* print one table, when the command has ended */
	bool is_batch, wants_help, wants_version;
	bool wants_config, wants_man, wants_completion;	/* --print-config and the like */
	bool wants_presets_man;	/* --print-man=presets */
	bool wants_branches;	/* -b: capture.branch_filter says which, once checked */
	bool wants_all, wants_format;	/* -a, --format were given; some options exclude them */
	enum output_format format;
	enum table_kind table;		/* --table, or the one that fits; for CSV, Markdown */
	bool wants_table;		/* --table was given */
	struct event_fields fields;	/* --fields */
	struct script_fields script_fields;	/* --fields of OUTPUT_SCRIPT */
	const char *fields_text;	/* --fields as given; NULL: it was not */
	bool wants_fields;		/* --fields was given */
	bool has_events;		/* `format` has a line per hit or sample */
	bool wants_rows;		/* -E was given */
	size_t max_rows;
	size_t memory_bytes;
	struct filter filter;		/* --match, -K, -U */
	bool hide_kernel, hide_user;	/* -K, -U: added to `filter` when all is parsed */
	bool show_idle;
	bool includes_self;		/* include flametop's own samples and hits */
	bool wants_source, raw_names, kernel_suffix, wants_children;
	bool is_relative;		/* --percentage relative */
	bool wants_samples, wants_period;	/* -n, --show-total-period */
	const char *listing_name;	/* --annotate [DSO:]SYMBOL; NULL: not given */
	enum listing_layer layer;	/* --layer */
	bool wants_layer;		/* --layer was given */
	enum color_mode color;
	const struct theme *theme;
	bool no_unicode, no_mouse, no_cache;
};

/* A line of the configuration. */
struct option_setting {
	const struct option_row *row;
	char *text;		/* value in the file */
};

/* Parses the command line. @settings (checked, see options_check()) apply unless the command line
 * overrides them; they must live as long as @out. 0; -EINVAL: usage (status 2); other -errno: a
 * target does not exist. options_finish() is needed in every case. */
int options_parse_over(struct options *out, const struct option_setting *settings, size_t count,
		       int argc, char **argv, struct diag *why);
/* Parses the command line without settings. */
int options_parse(struct options *out, int argc, char **argv, struct diag *why);
void options_finish(struct options *options);

/* Reads the presets that flametop comes with and, unless --config none was given, the user's own,
 * if they are not read yet; errors in the latter go to `preset_problems`. 0; -ENOMEM. */
int options_read_presets(struct options *options, struct diag *why);

/* Checks @setting. 0, or an error as from options_parse(), with its reason. */
int options_check(const struct option_setting *setting, struct diag *why);

/* True if there is only something to print: --help, --print-config and the like. */
bool options_is_question(const struct options *options);
/* True for --dry-run, --list-targets, --list-presets, --list-events, --lines, --vars and
 * --list-probes, which also only print, but depend on the machine and on all other options. */
bool options_is_probe_question(const struct options *options);
/* True if nobody looks at what is counted: --format none, without what counts for other reasons. */
bool options_only_record(const struct options *options);

/* Prints flametop(8), flametop-presets(7) and the bash completion, from the tables of options and
 * commands and the presets that flametop comes with. Thread: main. */

/* Prints the manual page, in mdoc(7). */
void manual_print(FILE *out);
/* Prints the manual page of presets, in mdoc(7). */
void manual_print_presets(FILE *out);

/* Reads the presets that flametop comes with and, if @has_own, adds those in `presets` of the
 * user's configuration directory; why a line or the file can't be used is written to *@problems,
 * which the caller must free(); NULL: nothing is wrong. 0 or -ENOMEM. */
int preset_lists_read(struct presets **out, bool has_own, char **problems, struct diag *why);

/* Prints the presets, a line each, or as JSON. */
void preset_lists_print(FILE *out, const struct presets *presets, bool is_json);

/* Prints all about the preset that @text begins with. 0; -ENOENT: there is none, see
 * presets_use(). */
int preset_lists_print_page(FILE *out, const struct presets *presets, const char *text,
			    struct diag *why);

/* Prints a script for bash 4.4 or later that needs nothing else. */
void completion_print(FILE *out);

#endif
