/* options.c - see options.h. One table of long options; perf's letters keep perf's meaning. */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "model/analyzer.h"

#define DEFAULT_INTERVAL_NS (2 * CLOCK_NS_PER_S)
#define DEFAULT_WINDOW_NS   (10 * CLOCK_NS_PER_S)
#define MIN_INTERVAL_S	    0.1
#define MAX_SECONDS	    1e9

enum long_only {
	OPT_BATCH = 256, OPT_COLOR, OPT_DURATION, OPT_FILTER, OPT_FORMAT, OPT_HISTORY_MEMORY,
	OPT_IDLE, OPT_LOG, OPT_NO_INHERIT, OPT_NO_UNICODE, OPT_VERSION, OPT_WINDOW,
};

static const struct option long_options[] = {
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "batch", optional_argument, NULL, OPT_BATCH },
	{ "color", required_argument, NULL, OPT_COLOR },
	{ "count", required_argument, NULL, 'c' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "delay", required_argument, NULL, 'd' },
	{ "duration", required_argument, NULL, OPT_DURATION },
	{ "entries", required_argument, NULL, 'E' },
	{ "event", required_argument, NULL, 'e' },
	{ "filter", required_argument, NULL, OPT_FILTER },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "freq", required_argument, NULL, 'F' },
	{ "help", no_argument, NULL, 'h' },
	{ "hide-kernel", no_argument, NULL, 'K' },
	{ "hide-user", no_argument, NULL, 'U' },
	{ "history-memory", required_argument, NULL, OPT_HISTORY_MEMORY },
	{ "idle", no_argument, NULL, OPT_IDLE },
	{ "input", required_argument, NULL, 'i' },
	{ "log", required_argument, NULL, OPT_LOG },
	{ "mmap-pages", required_argument, NULL, 'm' },
	{ "no-inherit", no_argument, NULL, OPT_NO_INHERIT },
	{ "no-unicode", no_argument, NULL, OPT_NO_UNICODE },
	{ "pid", required_argument, NULL, 'p' },
	{ "sort", required_argument, NULL, 's' },
	{ "tid", required_argument, NULL, 't' },
	{ "uid", required_argument, NULL, 'u' },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ "window", required_argument, NULL, OPT_WINDOW },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
"Usage: flametop [options] [-- command args...]\n"
"Shows which code is hot right now: live on the terminal, or in batches.\n"
"\n"
"Whom to sample (default: every process)\n"
"  -a, --all-cpus         every process on every CPU\n"
"  -p, --pid PID,...      these processes, their threads and what they start\n"
"  -t, --tid TID,...      these threads and what they start\n"
"  -u, --uid USER         processes of this user (name or number)\n"
"  -C, --cpu LIST         only on these CPUs, as 0-3,8\n"
"      --no-inherit       not what the targets start later\n"
"  -- command args...     start this program and sample it\n"
"  -i, --input FILE       a recording of perf record, instead of this machine\n"
"\n"
"What to sample (default: cycles, else cpu-clock)\n"
"  -e, --event EVENT      cpu-clock, cycles, page-faults, rNNN, pmu/terms/,\n"
"                         group:tracepoint, ...; modifiers as in cycles:u; repeatable\n"
"  -F, --freq HZ|max      samples a second and CPU (997)\n"
"  -c, --count PERIOD     a sample every PERIOD events instead\n"
"  -m, --mmap-pages N     ring size per CPU and event, pages, a power of two\n"
"\n"
"What to show\n"
"  -s, --sort KEYS        row keys of pid,tid,comm,dso,symbol,cpu,address\n"
"                         (dso,symbol); +KEY adds one, -KEY removes one\n"
"  -d, --delay SECONDS    refresh interval, 0.1 or more (2)\n"
"      --window W         last W seconds, or all, or decay (10; batch: the interval)\n"
"      --filter TEXT      only rows whose symbol, object or command has TEXT\n"
"  -K, --hide-kernel      no kernel rows\n"
"  -U, --hide-user        no user rows\n"
"      --idle             also samples of the idle loop\n"
"\n"
"Without a screen\n"
"      --batch[=N]        print N refreshes (endless without N)\n"
"      --duration S       end after S seconds\n"
"      --format FORMAT    text, or json: one object per refresh, event and line\n"
"  -E, --entries N        at most N rows (text: 40, json: all)\n"
"\n"
"      --history-memory MIB  memory for the last minutes (64)\n"
"      --color WHEN       auto, always, never (auto; NO_COLOR is honoured)\n"
"      --no-unicode       ASCII only\n"
"      --log FILE         append messages to FILE\n"
"  -h, --help             this text\n"
"      --version          the version\n"
"\n"
"Exit status: 0 ok, 1 output failed, 2 usage or no terminal, 3 data or resources,\n"
"4 permission, 5 internal error, 128+n signal n; with a command its own, 126 or 127\n"
"when it can't be started, 125 for a failure of flametop.\n";

const char *options_help(void)
{
	return help;
}

static int parse_number(const char *text, const char *option, uint64_t max, uint64_t *out,
			struct diag *why)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	if (errno || *end || end == text || text[0] == '-' || !*out || *out > max)
		return diag_set(why, -EINVAL, "%s %s: a number from 1 to %llu is needed", option,
				text, (unsigned long long)max);
	return 0;
}

static int parse_seconds(const char *text, const char *option, double min, uint64_t *out_ns,
			 struct diag *why)
{
	char *end;
	double seconds = strtod(text, &end);

	if (*end || end == text || !isfinite(seconds) || seconds < min || seconds > MAX_SECONDS)
		return diag_set(why, -EINVAL, "%s %s: seconds of at least %g are needed", option,
				text, min);
	*out_ns = (uint64_t)(seconds * 1e9);
	return 0;
}

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
static int parse_keys(const char *text, unsigned int *keys, struct diag *why)
{
	unsigned int result = text[0] == '+' || text[0] == '-' ? *keys : 0;
	const char *at = text;

	while (*at) {
		const char sign = *at == '+' || *at == '-' ? *at++ : '+';
		const size_t len = strcspn(at, ",+-");
		const unsigned int key = key_of(at, len);

		if (!key)
			return diag_set(why, -EINVAL, "-s %s: \"%.*s\" is no key; there are "
					"pid, tid, comm, dso, symbol, cpu, address", text,
					(int)len, at);
		result = sign == '+' ? result | key : result & ~key;
		at += len;
		at += *at == ',';
	}
	if (!result)
		return diag_set(why, -EINVAL, "-s %s: no key is left", text);
	*keys = result;
	return 0;
}

static int parse_window(const char *text, struct options *out, struct diag *why)
{
	if (!strcmp(text, "all")) {
		out->window = WINDOW_ALL;
	} else if (!strcmp(text, "decay")) {
		out->window = WINDOW_DECAY;
	} else {
		out->window = WINDOW_SECONDS;
		return parse_seconds(text, "--window", MIN_INTERVAL_S, &out->window_ns, why);
	}
	return 0;
}

static int parse_choice(const char *text, const char *option, const char *const *choices,
			int *out, struct diag *why)
{
	for (int i = 0; choices[i]; i++) {
		if (!strcmp(text, choices[i])) {
			*out = i;
			return 0;
		}
	}
	return diag_set(why, -EINVAL, "%s %s: not known; see --help", option, text);
}

static int parse_freq(const char *text, struct options *out, struct diag *why)
{
	return capture_parse_freq(text, &out->capture.freq_hz, why);
}

static int parse_batch(const char *text, struct options *out, struct diag *why)
{
	out->is_batch = true;
	return text ? parse_number(text, "--batch", UINT32_MAX, &out->batch_count, why) : 0;
}

static int parse_pages(const char *text, struct options *out, struct diag *why)
{
	uint64_t pages;
	int err = parse_number(text, "-m", 1u << 20, &pages, why);

	if (!err && (pages & (pages - 1)))
		err = diag_set(why, -EINVAL, "-m %s: a power of two is needed", text);
	out->capture.ring_pages = (size_t)pages;
	return err;
}

static int parse_rows(const char *text, struct options *out, struct diag *why)
{
	uint64_t rows;
	int err = parse_number(text, "-E", 1u << 30, &rows, why);

	out->max_rows = (size_t)rows;
	return err;
}

static int parse_memory(const char *text, struct options *out, struct diag *why)
{
	uint64_t mib;
	int err = parse_number(text, "--history-memory", 1u << 20, &mib, why);

	out->memory_bytes = (size_t)mib << 20;
	return err;
}

static int add_event(const char *text, struct options *out, struct diag *why)
{
	const size_t count = out->capture.event_text_count;
	const char **bigger = realloc(out->events, (count + 1) * sizeof(*bigger));

	if (!bigger)
		return diag_set(why, -ENOMEM, "no memory for the events");
	bigger[count] = text;
	out->events = bigger;
	out->capture.events = bigger;
	out->capture.event_text_count++;
	return 0;
}

static int parse_target(int option, const char *text, struct target *target, struct diag *why)
{
	switch (option) {
	case 'p':	return target_set_processes(target, text, why);
	case 't':	return target_set_threads(target, text, why);
	case 'u':	return target_set_user(target, text, why);
	default:	return target_set_cpus(target, text, why);
	}
}

static int parse_looks(int option, const char *text, struct options *out, struct diag *why)
{
	static const char *const formats[] = { "text", "json", NULL };
	static const char *const colors[] = { "auto", "always", "never", NULL };
	int choice = 0, err = 0;

	switch (option) {
	case OPT_COLOR:
		err = parse_choice(text, "--color", colors, &choice, why);
		out->color = (enum color_mode)choice;
		break;
	case OPT_FORMAT:
		err = parse_choice(text, "--format", formats, &choice, why);
		out->format = (enum output_format)choice;
		out->wants_format = true;
		break;
	case OPT_FILTER:
		if (strlen(text) >= sizeof(out->filter.text))
			return diag_set(why, -EINVAL, "--filter: at most %zu bytes",
					sizeof(out->filter.text) - 1);
		strcpy(out->filter.text, text);
		break;
	case OPT_IDLE:
		out->filter.show_idle = true;
		break;
	case OPT_NO_UNICODE:
		out->no_unicode = true;
		break;
	case 'K':
		out->filter.hide_kernel = true;
		break;
	case 'U':
		out->filter.hide_user = true;
		break;
	default:
		return diag_set(why, -EINVAL, "see flametop --help");
	}
	return err;
}

static int parse_one(int option, const char *text, struct options *out, struct diag *why)
{
	switch (option) {
	case 'a':		out->wants_all = true; return 0;
	case 'p': case 't': case 'u': case 'C':
		return parse_target(option, text, &out->capture.target, why);
	case 'e':		return add_event(text, out, why);
	case 'F':		return parse_freq(text, out, why);
	case 'c':
		return parse_number(text, "-c", INT64_MAX, &out->capture.period, why);
	case 'm':		return parse_pages(text, out, why);
	case 's':		return parse_keys(text, &out->keys, why);
	case 'd':
		return parse_seconds(text, "-d", MIN_INTERVAL_S, &out->interval_ns, why);
	case 'E':		return parse_rows(text, out, why);
	case 'h':		out->wants_help = true; return 0;
	case 'i':		out->replay_path = text; return 0;
	case OPT_BATCH:		return parse_batch(text, out, why);
	case OPT_DURATION:
		return parse_seconds(text, "--duration", 0.001, &out->duration_ns, why);
	case OPT_HISTORY_MEMORY: return parse_memory(text, out, why);
	case OPT_LOG:		out->log_path = text; return 0;
	case OPT_NO_INHERIT:	out->capture.target.no_inherit = true; return 0;
	case OPT_VERSION:	out->wants_version = true; return 0;
	case OPT_WINDOW:	return parse_window(text, out, why);
	default:		return parse_looks(option, text, out, why);
	}
}

static bool chooses_capture(const struct options *out)
{
	const struct capture_config *capture = &out->capture;
	const struct target *target = &capture->target;

	return out->command || out->wants_all || target->kind != TARGET_SYSTEM || target->cpus ||
	       target->no_inherit || out->events || capture->freq_hz || capture->period ||
	       capture->ring_pages;
}

/* What only makes sense together, and the defaults that depend on others. */
static int check_together(struct options *out, struct diag *why)
{
	const struct target *target = &out->capture.target;

	if (out->wants_help || out->wants_version)
		return 0;
	if (out->replay_path && chooses_capture(out))
		return diag_set(why, -EINVAL,
				"-i shows a recording: targets and events are those recorded");
	if (out->command && target->kind != TARGET_SYSTEM)
		return diag_set(why, -EINVAL,
				"only one of -p, -t, -u and -- COMMAND can say whom to sample");
	if (out->wants_all && (out->command || target->ids))
		return diag_set(why, -EINVAL,
				"-a is everything: not together with -p, -t or a command");
	if (out->capture.freq_hz && out->capture.period)
		return diag_set(why, -EINVAL, "-F and -c exclude each other");
	if (!out->is_batch && (out->duration_ns || out->wants_format))
		return diag_set(why, -EINVAL, "--duration and --format need --batch");
	if (out->window == WINDOW_INTERVAL && out->replay_path)
		out->window = WINDOW_ALL;
	else if (out->window == WINDOW_INTERVAL && !out->is_batch)
		out->window = WINDOW_SECONDS;
	if (!out->max_rows)
		out->max_rows = out->format == OUTPUT_JSON ? SIZE_MAX : 40;
	return 0;
}

/* @word: the one that getopt_long() was looking at; a cluster of letters ("-Kx") is one word. */
static int refuse_word(int option, const char *word, struct diag *why)
{
	const char *reason = option == ':' ? "needs a value" : "is no option";

	if (word[0] == '-' && word[1] == '-')
		return diag_set(why, -EINVAL, "%s %s; see --help", word, reason);
	return diag_set(why, -EINVAL, "-%c %s; see --help", optopt, reason);
}

int options_parse(struct options *out, int argc, char **argv, struct diag *why)
{
	int option, err, at = 1;

	*out = (struct options){
		.keys = KEY_OBJECT | KEY_SYMBOL, .window = WINDOW_INTERVAL,
		.window_ns = DEFAULT_WINDOW_NS, .interval_ns = DEFAULT_INTERVAL_NS,
		.memory_bytes = ANALYZER_DEFAULT_MEMORY_BYTES, .capture.callchains = true,
	};
	opterr = 0;
	optind = 0;	/* 1 would go on inside of the word that the last call stopped in */
	while ((option = getopt_long(argc, argv, "+:ac:C:d:e:E:F:hi:Km:p:s:t:u:U", long_options,
				     NULL)) != -1) {
		if (option == ':' || option == '?')
			return refuse_word(option, argv[at], why);
		err = parse_one(option, optarg, out, why);
		if (err)
			return err;
		at = optind;
	}
	if (optind < argc)
		out->command = argv + optind;
	return check_together(out, why);
}

void options_finish(struct options *options)
{
	free(options->events);
	target_finish(&options->capture.target);
}
