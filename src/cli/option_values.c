/* option_values.c - see option_values.h. */
#include "option_values.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/counter_set.h"
#include "cli/options.h"
#include "fold/query.h"
#include "finder/one_liner.h"
#include "probe/probe_spec.h"

#define CAP_PCT_MIN 0.01
#define CAP_PCT_MAX 1e6		/* ten thousand CPUs */
#define OFF_CPU_MS_MIN 0.01
#define OFF_CPU_MS_MAX 4000.0
#define LEASE_S_MIN 1.0
#define LEASE_S_MAX 1e9

/* Joins @spec with the probe on the other edge of its function, or appends it. */
static int keep(struct options *out, const struct probe_spec *spec, struct diag *why)
{
	struct probe_spec *bigger;

	for (size_t i = 0; i < out->probe_count; i++) {
		if (!strcmp(out->probes[i].text, spec->text))
			return diag_set(why, -EINVAL, "it is given twice");
		if (probe_spec_pair(&out->probes[i], spec))
			return 0;
		if (spec->name[0] && !strcmp(out->probes[i].name, spec->name))
			return diag_set(why, -EINVAL, "the name %s is given twice", spec->name);
	}
	bigger = realloc(out->probes, (out->probe_count + 1) * sizeof(*bigger));
	if (!bigger)
		return diag_set(why, -ENOMEM, "no memory for a probe");
	bigger[out->probe_count++] = *spec;
	out->probes = bigger;
	return 0;
}

static int add_probe(struct options *out, const char *text, struct diag *why)
{
	struct probe_spec spec;
	int err = probe_spec_parse(&spec, text, why);

	return err ? err : keep(out, &spec, why);
}

/* Appends a line to what --dry-run says of translations. */
static int note_translation(struct options *out, const char *before, const char *text,
			    struct diag *why)
{
	const size_t used = out->translations ? strlen(out->translations) : 0;
	const size_t more = strlen(before) + strlen(text) + sizeof("\n");
	char *bigger = realloc(out->translations, used + more);

	if (!bigger)
		return diag_set(why, -ENOMEM, "no memory for a translation");
	snprintf(bigger + used, more, "%s%s\n", before, text);
	out->translations = bigger;
	return 0;
}

/* Adds the probes that ask what a one-liner of bpftrace or ply asks. */
static int add_one_liner(struct options *out, const char *text, struct diag *why)
{
	struct one_liner *made = malloc(sizeof(*made));
	int err;

	if (!made)
		return diag_set(why, -ENOMEM, "no memory for a translation");
	err = one_liner_translate(made, text, why);
	if (!err)
		err = note_translation(out, "", text, why);
	for (uint32_t i = 0; i < made->count && !err; i++) {
		err = note_translation(out, "  = ", made->specs[i], why);
		if (!err)
			err = add_probe(out, made->specs[i], why);
	}
	if (!err && made->note[0])
		err = note_translation(out, "  ", made->note, why);
	free(made);
	return err;
}

int option_set_probe(struct options *out, const char *as, const char *text, struct diag *why)
{
	int err = one_liner_is(text) ? add_one_liner(out, text, why) : add_probe(out, text, why);

	if (err)
		diag_prefix(why, "%s %.200s", as, text);
	return err;
}

/* The word is one of a spec, which is checked when all probes are known. */
int option_set_weight(struct options *out, const char *as, const char *text, struct diag *why)
{
	if (!text[0])
		return diag_set(why, -EINVAL, "%s: hits, lat, or a sum such as 'sum(bytes)'", as);
	out->hit_weight = text;
	return 0;
}

int option_set_preset(struct options *out, const char *as, const char *text, struct diag *why)
{
	const char **bigger;

	(void)as;
	if (!strcmp(text, "help")) {
		out->lists_presets = true;
		return 0;
	}
	bigger = reallocarray(out->preset_texts, out->preset_count + 1, sizeof(*bigger));
	if (!bigger)
		return diag_set(why, -ENOMEM, "no memory for a preset");
	bigger[out->preset_count++] = text;
	out->preset_texts = bigger;
	return 0;
}

int option_set_man(struct options *out, const char *as, const char *text, struct diag *why)
{
	if (text && strcmp(text, "presets") != 0)
		return diag_set(why, -EINVAL, "%s=%s: presets has a page of its own, and the rest "
				"is %s alone", as, text, as);
	out->wants_man = true;
	out->wants_presets_man = text;
	return 0;
}

int option_set_pattern(struct options *out, const char *as, const char *text, struct diag *why)
{
	(void)as;
	(void)why;
	out->target_pattern = text;
	return 0;
}

const char *const option_event_kinds[] = { "hw", "sw", "cache", "pmu", "tracepoint", NULL };

bool option_is_pattern(const char *word)
{
	return word[0] != '-';
}

int option_set_list_events(struct options *out, const char *as, const char *text,
			   struct diag *why)
{
	(void)as;
	(void)why;
	out->lists_events = true;
	out->event_pattern = text;
	return 0;
}

int option_set_vmlinux(struct options *out, const char *as, const char *text, struct diag *why)
{
	if (faccessat(AT_FDCWD, text, R_OK, AT_EACCESS))
		return diag_set(why, -EINVAL, "%s %.200s: %s", as, text, strerror(errno));
	if (out->vmlinux_count == KERNEL_DEBUG_FILES_MAX)
		return diag_set(why, -EINVAL, "%s: more than %d files", as,
				KERNEL_DEBUG_FILES_MAX);
	out->vmlinux[out->vmlinux_count++] = text;
	return 0;
}

int option_set_debuginfod(struct options *out, const char *as, const char *text, struct diag *why)
{
	(void)as;
	(void)why;
	out->uses_debuginfod = true;
	out->debuginfod_urls = text;
	return 0;
}

int option_set_source_path(struct options *out, const char *as, const char *text,
			   struct diag *why)
{
	if (!source_paths_add(&out->source_paths, text, why))
		return 0;
	diag_prefix(why, "%s", as);
	return -EINVAL;
}

int option_set_lines(struct options *out, const char *as, const char *text, struct diag *why)
{
	(void)as;
	(void)why;
	out->lines_of = text;
	return 0;
}

int option_set_variables(struct options *out, const char *as, const char *text, struct diag *why)
{
	(void)as;
	(void)why;
	out->variables_of = text;
	return 0;
}

const char *const option_probe_caps[] = { "1", "5", "20", "off", NULL };

int option_set_probe_cap(struct options *out, const char *as, const char *text, struct diag *why)
{
	char *end;
	double pct = strtod(text, &end);

	if (!strcmp(text, "off")) {
		out->probe_cap_pct = INFINITY;
		return 0;
	}
	end += end != text && !strcmp(end, "%");
	if (*end || end == text || !isfinite(pct) || pct < CAP_PCT_MIN || pct > CAP_PCT_MAX)
		return diag_set(why, -EINVAL, "%s %s: %% of one CPU, at least %g, or off are "
				"needed", as, text, CAP_PCT_MIN);
	out->probe_cap_pct = pct;
	return 0;
}

#define SWITCH_BYTES_MIN (100u << 10)	/* less than that is a header, for the most part */
#define SWITCH_FILES_MAX 100000

/* Returns the length in seconds of the unit @text; 0: it is not a unit. */
static double unit_seconds(const char *text)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = { { "", 1 }, { "s", 1 }, { "m", 60 }, { "min", 60 }, { "h", 3600 } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(text, units[i].unit))
			return units[i].seconds;
	return 0;
}

const char *const option_leases[] = { "60", "10m", "1h", "off", NULL };

int option_set_lease(struct options *out, const char *as, const char *text, struct diag *why)
{
	char *end;
	double seconds = strtod(text, &end);

	if (!strcmp(text, "off")) {
		out->lease_ns = UINT64_MAX;
		return 0;
	}
	seconds *= end == text ? 0 : unit_seconds(end);
	if (!isfinite(seconds) || seconds < LEASE_S_MIN || seconds > LEASE_S_MAX)
		return diag_set(why, -EINVAL, "%s %s: a time as 90s, 10m, 2h, or off is needed", as,
				text);
	out->lease_ns = (uint64_t)(seconds * (double)CLOCK_NS_PER_S);
	return 0;
}

#define MIN_INTERVAL_S 0.1
#define MAX_SECONDS    1e9

static int parse_number(const char *text, const char *as, uint64_t max, uint64_t *out,
			struct diag *why)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	if (errno || *end || end == text || text[0] == '-' || !*out || *out > max)
		return diag_set(why, -EINVAL, "%s %s: a number from 1 to %llu is needed", as, text,
				(unsigned long long)max);
	return 0;
}

static int parse_seconds(const char *text, const char *as, double min, uint64_t *out_ns,
			 struct diag *why)
{
	char *end;
	double seconds = strtod(text, &end);

	if (*end || end == text || !isfinite(seconds) || seconds < min || seconds > MAX_SECONDS)
		return diag_set(why, -EINVAL, "%s %s: seconds of at least %g are needed", as, text,
				min);
	*out_ns = (uint64_t)(seconds * 1e9);
	return 0;
}

static int parse_choice(const char *text, const char *as, const char *const *choices, int *out,
			struct diag *why)
{
	char names[100] = "";
	size_t used = 0;

	for (int i = 0; choices[i]; i++) {
		if (!strcmp(text, choices[i])) {
			*out = i;
			return 0;
		}
		if (used < sizeof(names))
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
						 i ? ", " : "", choices[i]);
	}
	return diag_set(why, -EINVAL, "%s %s: not known; there are %s", as, text, names);
}

int option_set_pids(struct options *out, const char *as, const char *text, struct diag *why)
{
	(void)as;
	return target_set_processes(&out->capture.target, text, why);
}

int option_set_tids(struct options *out, const char *as, const char *text, struct diag *why)
{
	(void)as;
	return target_set_threads(&out->capture.target, text, why);
}

int option_set_user(struct options *out, const char *as, const char *text, struct diag *why)
{
	(void)as;
	return target_set_user(&out->capture.target, text, why);
}

int option_set_cgroup(struct options *out, const char *as, const char *text, struct diag *why)
{
	(void)as;
	return target_set_cgroup(&out->capture.target, text, why);
}

int option_set_cpus(struct options *out, const char *as, const char *text, struct diag *why)
{
	(void)as;
	return target_set_cpus(&out->capture.target, text, why);
}

int option_set_event(struct options *out, const char *as, const char *text, struct diag *why)
{
	const size_t count = out->capture.event_text_count;
	const char **events = realloc(out->events, (count + 1) * sizeof(*events));
	char **filters = realloc(out->event_filters, (count + 1) * sizeof(*filters));

	(void)as;
	if (events)
		out->events = events;
	if (filters)
		out->event_filters = filters;
	if (!events || !filters)
		return diag_set(why, -ENOMEM, "no memory for the events");
	events[count] = text;
	filters[count] = NULL;
	out->capture.events = events;
	out->capture.event_filters = (const char *const *)filters;
	out->capture.event_text_count++;
	return 0;
}

/* True when @text compares something: a text that rows should have does not look like that. The
 * kernel has the last word. */
static bool is_expression(const char *text)
{
	const size_t operand = strcspn(text, "=!<>&~");

	return operand > strspn(text, " (") && text[operand] && text[operand + 1];
}

/* perf's meaning: it belongs to the event before it, and several of them must all hold. */
int option_set_filter(struct options *out, const char *as, const char *text, struct diag *why)
{
	const size_t count = out->capture.event_text_count;
	char **filter, *all = NULL;

	if (!is_expression(text))
		return diag_set(why, -EINVAL, "%s %.200s: a condition on the fields of a "
				"tracepoint is needed, as in prev_pid > 0; to show only rows with "
				"this text: %smatch %.200s", as, text, as[0] == '-' ? "--" : "",
				text);
	if (!count) {
		out->stray_filter = text;
		return 0;
	}
	filter = &out->event_filters[count - 1];
	if (!*filter)
		all = strdup(text);
	else if (asprintf(&all, "(%s) && (%s)", *filter, text) < 0)
		all = NULL;
	if (!all)
		return diag_set(why, -ENOMEM, "no memory for the events");
	free(*filter);
	*filter = all;
	return 0;
}

const char *const option_freqs[] = { "99", "997", "4000", "max", NULL };

int option_set_freq(struct options *out, const char *as, const char *text, struct diag *why)
{
	(void)as;
	return capture_parse_freq(text, &out->capture.freq_hz, why);
}

int option_set_count(struct options *out, const char *as, const char *text, struct diag *why)
{
	return parse_number(text, as, INT64_MAX, &out->capture.period, why);
}

int option_set_off_cpu_period(struct options *out, const char *as, const char *text,
			      struct diag *why)
{
	char *end;
	const double ms = strtod(text, &end);

	if (end == text || *end || !(ms >= OFF_CPU_MS_MIN && ms <= OFF_CPU_MS_MAX))
		return diag_set(why, -EINVAL, "%s %.100s: a number of milliseconds from %g to %g is"
				" needed", as, text, OFF_CPU_MS_MIN, OFF_CPU_MS_MAX);
	out->capture.off_cpu_period_ns = (uint64_t)(ms * 1e6);
	return 0;
}

int option_set_pages(struct options *out, const char *as, const char *text, struct diag *why)
{
	uint64_t pages;
	int err = parse_number(text, as, 1u << 20, &pages, why);

	if (!err && (pages & (pages - 1)))
		err = diag_set(why, -EINVAL, "%s %s: a power of two is needed", as, text);
	out->capture.ring_pages = (size_t)pages;
	return err;
}

const char *const option_call_graphs[] = { "auto", "fp", "dwarf", "lbr", "off", NULL };
/* As branch_filter_name() has them; a test compares. */
const char *const option_branch_filters[] = { "any", "any_call", "any_ret", "ind_call", "ind_jmp",
					      "call", "cond", "u", "k", "hv", NULL };

int option_set_branches(struct options *out, const char *as, const char *text, struct diag *why)
{
	return branch_filter_parse(text, as, &out->capture.branch_filter, why);
}

int option_set_call_graph(struct options *out, const char *as, const char *text, struct diag *why)
{
	return call_graph_parse(text, as, &out->capture.call_graph, why);
}

int option_set_stacks(struct options *out, const char *as, const char *text, struct diag *why)
{
	return text ? call_graph_parse(text, as, &out->capture.call_graph, why) : 0;
}

const char *const option_sort_keys[] = { "event", "pid", "tid", "comm", "dso", "symbol", "cpu",
					 "address", "from", NULL };

static const struct {
	const char *name;
	unsigned int key;
} key_names[] = {
	{ "event", KEY_EVENT },
	{ "pid", KEY_PID }, { "tid", KEY_TID }, { "comm", KEY_COMM }, { "dso", KEY_DSO },
	{ "symbol", KEY_SYMBOL }, { "sym", KEY_SYMBOL }, { "cpu", KEY_CPU },
	{ "address", KEY_ADDRESS }, { "from", KEY_FROM },
};

static unsigned int key_of(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(key_names) / sizeof(key_names[0]); i++)
		if (strlen(key_names[i].name) == len && !memcmp(key_names[i].name, name, len))
			return key_names[i].key;
	return 0;
}

/* "comm,dso" replaces the keys, "+pid,-symbol" changes them. */
int option_set_keys(struct options *out, const char *as, const char *text, struct diag *why)
{
	unsigned int result = text[0] == '+' || text[0] == '-' ? out->keys : 0;
	const char *at = text;

	while (*at) {
		const char sign = *at == '+' || *at == '-' ? *at++ : '+';
		const size_t len = strcspn(at, ",+-");
		const unsigned int key = key_of(at, len);

		if (!key)
			return diag_set(why, -EINVAL, "%s %s: \"%.*s\" is no key; there are "
					"event, pid, tid, comm, dso, symbol, cpu, address, from",
					as, text,
					(int)len, at);
		result = sign == '+' ? result | key : result & ~key;
		at += len;
		at += *at == ',';
	}
	if (!result)
		return diag_set(why, -EINVAL, "%s %s: no key is left", as, text);
	out->keys = result;
	return 0;
}

/* As fold/query.h has them; a test compares. */
const char *const option_group_keys[] = { "event", "comm", "pid", "tid", "thread", "cgroup", "unit",
					  "container", "pod", "cpu", "socket", "pmu",
					  "wait", "state", "waker", "by1", "by2",
					  "by3", "by4", "dso",
					  "symbol", "address", "source", "parent", NULL };

int option_set_groups(struct options *out, const char *as, const char *text, struct diag *why)
{
	return group_keys_parse(text, as, out->groups, &out->group_count, why);
}

int option_set_delay(struct options *out, const char *as, const char *text, struct diag *why)
{
	return parse_seconds(text, as, MIN_INTERVAL_S, &out->interval_ns, why);
}

const char *const option_windows[] = { "10", "60", "all", "decay", NULL };

int option_set_window(struct options *out, const char *as, const char *text, struct diag *why)
{
	if (!strcmp(text, "all")) {
		out->window = WINDOW_ALL;
	} else if (!strcmp(text, "decay")) {
		out->window = WINDOW_DECAY;
	} else {
		out->window = WINDOW_SECONDS;
		if (parse_seconds(text, as, MIN_INTERVAL_S, &out->window_ns, NULL))
			return diag_set(why, -EINVAL, "%s %s: seconds of at least %g, all or "
					"decay are needed", as, text, MIN_INTERVAL_S);
	}
	return 0;
}

int option_set_match(struct options *out, const char *as, const char *text, struct diag *why)
{
	struct filter_part part;
	int err = filter_parse_text(text, &part, why);

	if (!err && part.text[0])
		err = filter_add(&out->filter, &part, why);
	if (err)
		diag_prefix(why, "%s", as);
	return err;
}

static int unknown_theme(const char *as, const char *text, struct diag *why)
{
	char names[200] = "";
	size_t used = 0;

	for (unsigned int i = 0; i < theme_count && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
					 i ? ", " : "", themes[i].name);
	return diag_set(why, -EINVAL, "%s %s: no such theme; there are %s", as, text, names);
}

int option_set_theme(struct options *out, const char *as, const char *text, struct diag *why)
{
	for (unsigned int i = 0; i < theme_count; i++) {
		if (!strcmp(text, themes[i].name)) {
			out->theme = &themes[i];
			return 0;
		}
	}
	return unknown_theme(as, text, why);
}

const char *const option_insides[] = { "all", "slowest", NULL };	/* enum inside_calls - 1 */

int option_set_inside(struct options *out, const char *as, const char *text, struct diag *why)
{
	int choice = 0;
	int err = parse_choice(text, as, option_insides, &choice, why);

	out->inside = (enum inside_calls)(choice + 1);
	return err;
}

const char *const option_percentages[] = { "absolute", "relative", NULL };

int option_set_percentage(struct options *out, const char *as, const char *text, struct diag *why)
{
	int choice = 0;
	int err = parse_choice(text, as, option_percentages, &choice, why);

	out->is_relative = choice;
	return err;
}

const char *const option_colors[] = { "auto", "always", "never", NULL };	/* color_mode */

int option_set_color(struct options *out, const char *as, const char *text, struct diag *why)
{
	int choice = 0;
	int err = parse_choice(text, as, option_colors, &choice, why);

	out->color = (enum color_mode)choice;
	return err;
}

int option_set_memory(struct options *out, const char *as, const char *text, struct diag *why)
{
	uint64_t mib;
	int err = parse_number(text, as, 1u << 20, &mib, why);

	out->memory_bytes = (size_t)mib << 20;
	return err;
}

int option_set_log(struct options *out, const char *as, const char *text, struct diag *why)
{
	(void)as;
	(void)why;
	out->log_path = text;
	return 0;
}

int option_set_output(struct options *out, const char *as, const char *text, struct diag *why)
{
	if (out->output_count == OPTIONS_OUTPUTS_MAX)
		return diag_set(why, -EINVAL, "%s %s: more than %d files", as, text,
				OPTIONS_OUTPUTS_MAX);
	out->output_paths[out->output_count++] = text;	/* options_parse.c sees what they are */
	return 0;
}

const char *const option_switches[] = { "signal", "100M", "30s", "5m", NULL };

/* As perf-record(1) has it: signal, or a number with a unit of bytes or of time. */
int option_set_switch_output(struct options *out, const char *as, const char *text,
			     struct diag *why)
{
	static const char size_units[] = "BKMG";
	char *end;
	const double number = text ? strtod(text, &end) : 0;
	const char *unit = text && number > 0 && end[0] && !end[1]
			   ? strchr(size_units, end[0]) : NULL;
	double seconds = 0;

	out->split = (struct recorder_split){ .is_on = true, .files_max = out->split.files_max };
	if (!text || !strcmp(text, "signal")) {
		out->split.by_signal = true;
		return 0;
	}
	if (unit) {
		out->split.bytes = (uint64_t)(number *
					      (double)(1ULL << (10 * (unit - size_units))));
	} else if (number > 0 && *end) {
		seconds = number * (strcmp(end, "d") ? unit_seconds(end) : 86400);
		out->split.time_ns = (uint64_t)(seconds * (double)CLOCK_NS_PER_S);
	}
	if (!isfinite(number) || number > 1e9 ||
	    (out->split.bytes < SWITCH_BYTES_MIN && out->split.time_ns < CLOCK_NS_PER_S))
		return diag_set(why, -EINVAL, "%s %s: signal, a size from 100K on, as 100M or 2G, "
				"or a time from 1s on, as 30s, 5m, 2h or 1d is needed", as, text);
	return 0;
}

int option_set_switch_max_files(struct options *out, const char *as, const char *text,
				struct diag *why)
{
	uint64_t count;
	int err = parse_number(text, as, SWITCH_FILES_MAX, &count, why);

	if (!err && !count)
		return diag_set(why, -EINVAL, "%s 0: at least one file is written", as);
	out->split.files_max = err ? 0 : (uint32_t)count;
	return err;
}

int option_set_input(struct options *out, const char *as, const char *text, struct diag *why)
{
	(void)as;
	(void)why;
	out->replay_path = text;
	return 0;
}

int option_set_diff(struct options *out, const char *as, const char *text, struct diag *why)
{
	if (out->diff_count == OPTIONS_DIFFS_MAX)
		return diag_set(why, -EINVAL, "%s %s: more than %d recordings", as, text,
				OPTIONS_DIFFS_MAX);
	out->diff_paths[out->diff_count++] = text;
	out->diff_path = out->diff_paths[0];
	return 0;
}

int option_set_fail_above(struct options *out, const char *as, const char *text, struct diag *why)
{
	char *end;

	errno = 0;
	out->fail_above = strtod(text, &end);
	if (end == text || *end || errno || !(out->fail_above >= 0 && out->fail_above <= 100))
		return diag_set(why, -EINVAL, "%s %s: percentage points, 0 to 100", as, text);
	return 0;
}

int option_set_keep_when(struct options *out, const char *as, const char *text, struct diag *why)
{
	int err;

	if (out->condition_count == CONDITIONS_MAX)
		return diag_set(why, -EINVAL, "%s: at most %d conditions are watched", as,
				CONDITIONS_MAX);
	if (!out->conditions)
		out->conditions = calloc(CONDITIONS_MAX, sizeof(*out->conditions));
	if (!out->conditions)
		return diag_set(why, -ENOMEM, "no memory for a condition");
	err = condition_parse(&out->conditions[out->condition_count], text, why);
	if (err)
		diag_prefix(why, "%s", as);
	else
		out->condition_count++;
	return err;
}

#define KEEP_S_MIN 1
#define KEEP_S_MAX 3600

int option_set_keep_last(struct options *out, const char *as, const char *text, struct diag *why)
{
	char *end;
	double seconds = strtod(text, &end);

	seconds *= end == text ? 0 : *end ? unit_seconds(end) : 1;
	if (!isfinite(seconds) || seconds < KEEP_S_MIN || seconds > KEEP_S_MAX)
		return diag_set(why, -EINVAL, "%s %s: a time from 1s to 1h is needed, as 60s or "
				"5m", as, text);
	out->keep_ns = (uint64_t)(seconds * (double)CLOCK_NS_PER_S);
	return 0;
}

int option_set_keep_memory(struct options *out, const char *as, const char *text,
			   struct diag *why)
{
	uint64_t mib;
	int err = parse_number(text, as, 1u << 16, &mib, why);

	if (!err && mib < 4)
		return diag_set(why, -EINVAL, "%s %s: 4 MiB at least", as, text);
	out->keep_bytes = (size_t)mib << 20;
	return err;
}

int option_set_keep_files(struct options *out, const char *as, const char *text,
			  struct diag *why)
{
	return parse_number(text, as, 100000, &out->keep_files, why);
}

int option_set_keep_dir(struct options *out, const char *as, const char *text, struct diag *why)
{
	if (!text[0])
		return diag_set(why, -EINVAL, "%s: which directory?", as);
	out->keep_directory = text;
	return 0;
}

static int parse_time(struct perf_data_time *out, const char *as, const char *text,
		      struct diag *why)
{
	const int err = perf_data_time_parse(out, text, why);

	if (err)
		diag_prefix(why, "%s", as);
	return err;
}

int option_set_begin(struct options *out, const char *as, const char *text, struct diag *why)
{
	return parse_time(&out->begin, as, text, why);
}

int option_set_end(struct options *out, const char *as, const char *text, struct diag *why)
{
	return parse_time(&out->end, as, text, why);
}

int option_set_batch(struct options *out, const char *as, const char *text, struct diag *why)
{
	out->is_batch = true;
	return text ? parse_number(text, as, UINT32_MAX, &out->batch_count, why) : 0;
}

int option_set_duration(struct options *out, const char *as, const char *text, struct diag *why)
{
	return parse_seconds(text, as, 0.001, &out->duration_ns, why);
}

const char *const option_formats[] = {		/* output_format */
	"text", "json", "folded", "events", "events-json", "csv", "markdown", "script",
	"none", NULL
};

int option_set_format(struct options *out, const char *as, const char *text, struct diag *why)
{
	int choice = 0;
	int err = parse_choice(text, as, option_formats, &choice, why);

	out->format = (enum output_format)choice;
	out->wants_format = true;
	out->has_events = out->format == OUTPUT_EVENTS || out->format == OUTPUT_EVENTS_JSON ||
			  out->format == OUTPUT_SCRIPT;
	return err;
}

const char *const option_tables[] = { "rows", "groups", "tree", "probes", "hit-groups",
				      "histograms", NULL };	/* table_kind */

int option_set_table(struct options *out, const char *as, const char *text, struct diag *why)
{
	int choice = 0;
	int err = parse_choice(text, as, option_tables, &choice, why);

	out->table = (enum table_kind)choice;
	out->wants_table = true;
	return err;
}

const char *const option_layers[] = { "source", "mixed", "asm", NULL };	/* listing_layer */

int option_set_annotate(struct options *out, const char *as, const char *text, struct diag *why)
{
	if (!text[0])
		return diag_set(why, -EINVAL, "%s: which function? Give SYMBOL or DSO:SYMBOL", as);
	out->listing_name = text;
	return 0;
}

int option_set_layer(struct options *out, const char *as, const char *text, struct diag *why)
{
	int choice = 0;
	int err = parse_choice(text, as, option_layers, &choice, why);

	out->layer = (enum listing_layer)choice;
	out->wants_layer = true;
	return err;
}

/* Those of events, then those that only script has. */
const char *const option_fields[] = {
	"time", "cpu", "comm", "pid", "tid", "event", "period", "latency", "symbol", "dso",
	"values", "stack", "branches", "ppid", "trace", "ip", "sym", "symoff",
	"srcline", NULL,
};

/* Which fields there are depends on --format, which may follow: check_events() parses them. */
int option_set_fields(struct options *out, const char *as, const char *text, struct diag *why)
{
	(void)as;
	(void)why;
	out->wants_fields = true;
	out->fields_text = text;
	return 0;
}

int option_set_rows(struct options *out, const char *as, const char *text, struct diag *why)
{
	uint64_t rows;
	int err = parse_number(text, as, 1u << 30, &rows, why);

	out->max_rows = (size_t)rows;
	return err;
}

int option_set_config(struct options *out, const char *as, const char *text, struct diag *why)
{
	(void)as;
	(void)why;
	out->config_path = text;
	return 0;
}

int option_set_repeat(struct options *out, const char *as, const char *text, struct diag *why)
{
	return parse_number(text, as, UINT32_MAX, &out->stat.runs, why);
}

#define COUNT_INTERVAL_MIN_S 0.01
#define BARE_INTERVAL_END_S  100	/* from here on it may be meant as perf's milliseconds */

int option_set_interval(struct options *out, const char *as, const char *text, struct diag *why)
{
	char *end;
	const double number = strtod(text, &end);
	const double unit = !strcmp(end, "ms") ? 1e-3 : unit_seconds(end);
	const double seconds = end == text ? 0 : number * unit;

	if (!isfinite(seconds) || seconds < COUNT_INTERVAL_MIN_S || seconds > MAX_SECONDS)
		return diag_set(why, -EINVAL, "%s %s: seconds of at least %g are needed, or a time "
				"as 500ms, 2s, 1m", as, text, COUNT_INTERVAL_MIN_S);
	if (!*end && seconds >= BARE_INTERVAL_END_S)
		return diag_set(why, -EINVAL, "%s %s: the unit is the second, while perf's is the "
				"millisecond: write %sms or %ss", as, text, text, text);
	out->stat.interval_ns = (uint64_t)(seconds * 1e9);
	return 0;
}

int option_set_detail(struct options *out, const char *as, const char *text, struct diag *why)
{
	out->stat.detail = COUNTER_DETAIL_CACHE;
	return text ? parse_number(text, as, COUNTER_DETAIL_PREFETCH, &out->stat.detail, why) : 0;
}

int option_set_each_cgroup(struct options *out, const char *as, const char *text,
			   struct diag *why)
{
	if (!text[0])
		return diag_set(why, -EINVAL, "%s: which cgroups? Give names or patterns", as);
	out->stat.cgroups = text;
	return 0;
}
