/* option_values.c - see option_values.h. */
#include "option_values.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "fold/group_keys.h"

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

int option_set_pages(struct options *out, const char *as, const char *text, struct diag *why)
{
	uint64_t pages;
	int err = parse_number(text, as, 1u << 20, &pages, why);

	if (!err && (pages & (pages - 1)))
		err = diag_set(why, -EINVAL, "%s %s: a power of two is needed", as, text);
	out->capture.ring_pages = (size_t)pages;
	return err;
}

const char *const option_call_graphs[] = { "auto", "fp", "dwarf", "off", NULL };

int option_set_call_graph(struct options *out, const char *as, const char *text, struct diag *why)
{
	return call_graph_parse(text, as, &out->capture.call_graph, why);
}

int option_set_stacks(struct options *out, const char *as, const char *text, struct diag *why)
{
	return text ? call_graph_parse(text, as, &out->capture.call_graph, why) : 0;
}

const char *const option_sort_keys[] = { "pid", "tid", "comm", "dso", "symbol", "cpu", "address",
					 NULL };

static const struct {
	const char *name;
	unsigned int key;
} key_names[] = {
	{ "pid", KEY_PID }, { "tid", KEY_TID }, { "comm", KEY_COMM }, { "dso", KEY_OBJECT },
	{ "symbol", KEY_SYMBOL }, { "sym", KEY_SYMBOL }, { "cpu", KEY_CPU },
	{ "address", KEY_ADDRESS },
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
					"pid, tid, comm, dso, symbol, cpu, address", as, text,
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

/* As fold/group_keys.h has them; a test compares. */
const char *const option_group_keys[] = { "event", "comm", "pid", "tid", "thread", "cgroup", "unit",
					  "container", "pod", "cpu", "socket", "dso", "symbol",
					  "address", "source", "parent", NULL };

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

int option_set_input(struct options *out, const char *as, const char *text, struct diag *why)
{
	(void)as;
	(void)why;
	out->replay_path = text;
	return 0;
}

int option_set_diff(struct options *out, const char *as, const char *text, struct diag *why)
{
	(void)as;
	(void)why;
	out->diff_path = text;
	return 0;
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

const char *const option_formats[] = { "text", "json", "folded", "events",
					      "events-json", NULL };	/* output_format */

int option_set_format(struct options *out, const char *as, const char *text, struct diag *why)
{
	int choice = 0;
	int err = parse_choice(text, as, option_formats, &choice, why);

	out->format = (enum output_format)choice;
	out->wants_format = true;
	out->has_events = out->format == OUTPUT_EVENTS || out->format == OUTPUT_EVENTS_JSON;
	return err;
}

int option_set_fields(struct options *out, const char *as, const char *text, struct diag *why)
{
	out->wants_fields = true;
	return event_fields_parse(&out->fields, as, text, why);
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
