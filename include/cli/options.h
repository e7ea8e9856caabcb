/* options.h - parses the command line, on top of the configuration, into one struct.
 * Thread: main. Pure, except that targets are looked up: see option_values.h. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/snapshot.h"
#include "base/diag.h"
#include "capture/capture.h"
#include "cli/option_table.h"
#include "export/events.h"
#include "fold/filter.h"
#include "probe/probe_spec.h"
#include "ui/command_line.h"
#include "ui/term.h"
#include "ui/theme.h"

enum output_format {
	OUTPUT_TEXT,
	OUTPUT_JSON,
	OUTPUT_FOLDED,
	OUTPUT_EVENTS,		/* a line per hit or sample, as they occur */
	OUTPUT_EVENTS_JSON,
};

struct options {
	struct capture_config capture;	/* including the target */
	const char **events;		/* owned; capture.events points to it */
	char **event_filters;		/* owned, and each text; behind capture.event_filters */
	struct launch launch;		/* the source, in the words of the command line */
	const char *stray_filter;	/* a --filter without an -e before it; NULL: none */
	struct probe_spec *probes;	/* owned; entry and return of one function are one probe */
	size_t probe_count;
	bool is_only_probes;		/* --probe without an event: nothing else is sampled */
	bool is_dry_run;		/* --dry-run */
	bool is_readonly;		/* --readonly */
	bool lists_probes;		/* --list-probes */
	const char *target_pattern;	/* --list-targets; NULL: not given */
	double probe_cap_pct;		/* % of one CPU; INFINITY: no cap */
	uint64_t lease_ns;		/* UINT64_MAX: as long as flametop runs */
	const char *replay_path;	/* -i */
	const char *diff_path;		/* --diff; NULL: no comparison */
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
	bool wants_all, wants_format;	/* -a, --format were given; some options exclude them */
	enum output_format format;
	struct event_fields fields;	/* --fields */
	bool wants_fields;		/* --fields was given */
	bool has_events;		/* `format` has a line per hit or sample */
	size_t max_rows;
	size_t memory_bytes;
	struct filter filter;		/* --match, -K, -U */
	bool hide_kernel, hide_user;	/* -K, -U: added to `filter` when all is parsed */
	bool show_idle;
	bool includes_self;		/* include flametop's own samples and hits */
	bool wants_source, raw_names, marks_kernel, wants_children;
	bool is_relative;		/* --percentage relative */
	bool wants_samples, wants_period;	/* -n, --show-total-period */
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

/* Checks @setting. 0, or an error as from options_parse(), with its reason. */
int options_check(const struct option_setting *setting, struct diag *why);

/* True if there is only something to print: --help, --print-config and the like. */
bool options_is_question(const struct options *options);
/* True for --dry-run, --list-targets and --list-probes, which also only print, but depend on the
 * machine and on all other options. */
bool options_is_probe_question(const struct options *options);

#endif
