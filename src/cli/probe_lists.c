/* probe_lists.c - lists of what can be probed, sampled or counted: see cli/session.h. */
#include "cli/session.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/privileges.h"
#include "base/safe_print.h"
#include "capture/event.h"
#include "capture/tracefs.h"
#include "elf/file_jobs.h"
#include "probe/probe_spec.h"
#include "finder/targets.h"

#define OF_FLAMETOP	 ":flametop_"
#define DEFINITION_BYTES 4096	/* the kernel's own limit */

/* Returns the last reply, which has all names; NULL: poll(2) failed. */
static const struct target_reply *wait_for_all(struct target_finder *finder)
{
	struct pollfd ready = { .fd = target_finder_fd(finder), .events = POLLIN };
	const struct target_reply *reply;

	do {
		reply = target_finder_reply(finder);
		if (!reply && poll(&ready, 1, -1) < 0 && errno != EINTR)
			return NULL;
	} while (!reply || reply->is_loading);
	return reply;
}

static void print_result(FILE *out, const struct target_result *result)
{
	char spec[4 * TARGET_SPEC_BYTES];	/* "\x1b" for a byte */
	const char *at = result->spec;
	size_t length;

	do {	/* a preset has a line for each of its probes */
		length = strcspn(at, "\n");
		sanitize_text(spec, sizeof(spec), at, length);
		safe_print(out, "%s\t%s%s\n", sanitize_checked(spec[0] ? spec : result->shown),
			   result->is_able ? SAFE_TEXT("") : SAFE_TEXT("cannot: "),
			   sanitize_checked(result->note));
		at += length + 1;
	} while (at[-1]);
}

/* True if the result equals the pattern exactly, with or without the file or group. */
static bool is_exact(const struct target_result *result, const char *name)
{
	const size_t whole = strlen(result->shown), length = strlen(name);
	const char *end = whole >= length ? result->shown + whole - length : "";

	return length && !strcmp(end, name) && (end == result->shown || end[-1] == ':');
}

static size_t count_exact(const struct target_reply *reply, const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < reply->count; i++)
		count += is_exact(&reply->results[i], name);
	return count;
}

/* Prints results. Names that are merely similar to the pattern are printed if none equals it. */
static int print_reply(FILE *out, const struct target_reply *reply, const char *pattern,
		       size_t max, struct diag *why)
{
	size_t exact, matches, shown = 0;

	if (!reply)
		return diag_set(why, -EIO, "the finder can't be waited for: %s", strerror(errno));
	if (!reply->count)
		return diag_set(why, -ENOENT, "nothing that can be probed matches \"%s\"", pattern);
	exact = count_exact(reply, reply->words);
	matches = exact ? exact : reply->matches;
	for (size_t i = 0; i < reply->count && (!max || shown < max); i++) {
		if (exact && !is_exact(&reply->results[i], reply->words))
			continue;
		print_result(out, &reply->results[i]);
		shown++;
	}
	if (matches > shown)
		safe_print(out, "# %zu more: %s a longer pattern finds fewer\n", matches - shown,
			   max && shown < TARGET_RESULTS_MAX ? SAFE_TEXT("-E shows more,")
							     : SAFE_TEXT("at most 100 are shown,"));
	return 0;
}

/* The functions of one file. */
struct function_printer {
	FILE *out;
	const char *file;
	size_t max, count;
};

static void print_function(void *context, const char *name, const char *shown, bool is_able)
{
	struct function_printer *printer = context;
	const struct probe_spec spec = { .kind = PROBE_USER, .edge = PROBE_LATENCY };
	char clean[4 * PROBE_FUNCTION_BYTES], clean_shown[4 * PROBE_FUNCTION_BYTES];
	struct probe_spec *written;

	printer->count++;
	if (printer->max && printer->count > printer->max)
		return;
	written = malloc(sizeof(*written));
	if (!written)
		return;
	*written = spec;
	snprintf(written->file, sizeof(written->file), "%s", printer->file);
	snprintf(written->function, sizeof(written->function), "%s", name);
	/* A name that no spec can hold is listed as it is. */
	if (strlen(name) >= sizeof(written->function) || probe_spec_write(written, "", NULL))
		snprintf(written->text, sizeof(written->text), "%s", name);
	sanitize_text(clean, sizeof(clean), written->text, strlen(written->text));
	if (!strcmp(name, shown))
		shown = printer->file;
	sanitize_text(clean_shown, sizeof(clean_shown), shown, strlen(shown));
	safe_print(printer->out, "%s\t%s%s\n", sanitize_checked(clean),
		   is_able ? SAFE_TEXT("") : SAFE_TEXT("cannot: chooses its code when the program "
						       "starts: "),
		   sanitize_checked(clean_shown));
	free(written);
}

static int print_functions(FILE *out, const char *file, const char *pattern, size_t max, pid_t pid,
			   struct sandbox *sandbox, struct diag *why)
{
	char *whole = strchr(file, '/') && !pid ? realpath(file, NULL) : NULL;
	struct function_printer printer = { out, whole ? whole : file, max, 0 };
	const int err = file_functions_list(sandbox, file, pattern, pid, print_function, &printer,
					    why);

	free(whole);
	if (!err && max && printer.count > max)
		safe_print(out, "# %zu more: -E shows more\n", printer.count - max);
	return err;
}

static int print_found_targets(FILE *out, struct target_config *config, const char *pattern,
			       size_t max, struct target_finder **finder, struct diag *why)
{
	const int err = target_finder_create(finder, config, why);

	if (err)
		return err;
	target_finder_ask(*finder, 1, pattern, config->pid);
	return print_reply(out, wait_for_all(*finder), pattern, max, why);
}

int probe_lists_print_targets(FILE *out, const char *pattern, size_t max, pid_t pid,
			      const struct presets *presets, struct diag *why)
{
	struct target_config config = { .pid = pid, .presets = presets };
	struct target_finder *finder = NULL;
	char file[PROBE_FILE_BYTES];
	const char *functions;
	int err = sandbox_start(&config.sandbox, worker_run, why);

	if (!err)
		err = privileges_drop(PRIVILEGES_OF_MAIN, false, why);
	if (!err && file_functions_split(pattern, file, sizeof(file), &functions))
		err = print_functions(out, file, functions, max, pid, config.sandbox, why);
	else if (!err)
		err = print_found_targets(out, &config, pattern, max, &finder, why);
	if (target_finder_destroy(finder))
		sandbox_stop(config.sandbox);
	return err;
}

static void print_probe(void *context, const char *line, bool is_ours, bool is_stale)
{
	FILE *out = context;
	char clean[DEFINITION_BYTES];
	const char *whose = "";

	sanitize_text(clean, sizeof(clean), line, strlen(line));
	if (is_stale)
		whose = "\tof a flametop that died: the next one with a probe removes it";
	else if (is_ours || strstr(line, OF_FLAMETOP))
		whose = "\tof a flametop that runs";
	safe_print(out, "%s%s\n", sanitize_checked(clean), sanitize_checked(whose));
}

int probe_lists_print_probes(FILE *out, struct diag *why)
{
	int count = trace_group_list_all(print_probe, out, why);

	return count < 0 ? count : 0;
}

/* Events. */

#define NAME_COLUMNS  34	/* a longer name shifts what follows it */
#define KIND_COLUMNS  10
#define EVENT_BYTES   4096

static struct safe_text clean_text(const char *text, char *out, size_t room)
{
	return sanitize(out, room, text, strlen(text));
}

static struct safe_text opens_text(const struct event_entry *entry)
{
	static const char *const texts[] = {
		[EVENT_UNTRIED] = "?", [EVENT_OPENS] = "yes", [EVENT_OPENS_FOR_USER] = "user",
		[EVENT_REFUSED] = "no",
	};

	return sanitize_checked(texts[entry->state]);
}

static void put_event_line(FILE *out, const struct event_entry *entry)
{
	char name[EVENT_BYTES], sentence[EVENT_BYTES], reason[EVENT_BYTES], whole[EVENT_BYTES];

	snprintf(whole, sizeof(whole), "%s%s%s%s", entry->name, entry->aliases[0] ? " (" : "",
		 entry->aliases, entry->aliases[0] ? ")" : "");
	safe_print(out, "%-*s  %-*s  %-6s  %-5s  %s", NAME_COLUMNS,
		   clean_text(whole, name, sizeof(name)), KIND_COLUMNS,
		   sanitize_checked(event_kind_name(entry->kind)),
		   sanitize_checked(event_cost_name(entry->cost)), opens_text(entry),
		   clean_text(entry->sentence, sentence, sizeof(sentence)));
	if (entry->reason)
		safe_print(out, " [%s]", clean_text(entry->reason, reason, sizeof(reason)));
	safe_put(out, "\n");
}

static void put_json_text(FILE *out, const char *text)
{
	char bytes[EVENT_BYTES];

	if (text)
		safe_put_json(out, clean_text(text, bytes, sizeof(bytes)));
	else
		safe_put(out, "null");
}

static void put_json_aliases(FILE *out, const char *aliases)
{
	char alias[64];

	for (const char *at = aliases; *at; at += strspn(at, " ")) {
		const size_t len = strcspn(at, " ");

		snprintf(alias, sizeof(alias), "%.*s", (int)len, at);
		if (at != aliases)
			safe_put(out, ", ");
		put_json_text(out, alias);
		at += len;
	}
}

static void put_json_event(FILE *out, const struct event_entry *entry)
{
	const bool opens = entry->state == EVENT_OPENS || entry->state == EVENT_OPENS_FOR_USER;

	safe_put(out, "  {\"event\": ");
	put_json_text(out, entry->name);
	safe_put(out, ", \"aliases\": [");
	put_json_aliases(out, entry->aliases);
	safe_put(out, "], \"kind\": ");
	put_json_text(out, event_kind_name(entry->kind));
	safe_put(out, ", \"cost\": ");
	put_json_text(out, event_cost_name(entry->cost));
	safe_put(out, ", \"opens\": ");
	safe_put_text(out, entry->state == EVENT_UNTRIED ? SAFE_TEXT("null")
			   : opens ? SAFE_TEXT("true") : SAFE_TEXT("false"));
	safe_print(out, ", \"user_only\": %s, \"why\": ",
		   entry->state == EVENT_OPENS_FOR_USER ? SAFE_TEXT("true") : SAFE_TEXT("false"));
	put_json_text(out, entry->reason);
	safe_put(out, ", \"what\": ");
	put_json_text(out, entry->sentence);
	safe_put(out, "}");
}

static void put_event_title(FILE *out)
{
	safe_print(out, "%-*s  %-*s  %-6s  %-5s  %s\n", NAME_COLUMNS, SAFE_TEXT("EVENT"),
		   KIND_COLUMNS, SAFE_TEXT("KIND"), SAFE_TEXT("COST"), SAFE_TEXT("OPENS"),
		   SAFE_TEXT("WHAT"));
}

/* Returns the number of events that match. */
static size_t put_events(FILE *out, const struct event_catalogue *catalogue, const char *pattern,
			 bool is_json)
{
	size_t count = 0;

	for (size_t i = 0; i < catalogue->count; i++) {
		const struct event_entry *entry = &catalogue->list[i];

		if (!event_entry_matches(entry, pattern))
			continue;
		if (is_json)
			safe_put_text(out, count ? SAFE_TEXT(",\n")
					    : SAFE_TEXT("{\"events\": [\n"));
		else if (!count)
			put_event_title(out);
		count++;
		if (is_json)
			put_json_event(out, entry);
		else
			put_event_line(out, entry);
	}
	return count;
}

static void put_missing(FILE *out, const struct diag *why, bool is_json)
{
	char text[4 * sizeof(why->text)];

	if (is_json) {
		safe_put(out, "\n], \"no_tracepoints\": ");
		put_json_text(out, why->err ? why->text : NULL);
		safe_put(out, "}\n");
	} else if (why->err) {
		safe_print(out, "# no tracepoint is listed: %s\n",
			   clean_text(why->text, text, sizeof(text)));
	}
}

int event_lists_print(FILE *out, const char *pattern, bool is_json, struct diag *why)
{
	struct event_catalogue catalogue;
	int err = event_catalogue_read(&catalogue, NULL);

	if (!err)
		err = event_catalogue_try(&catalogue, NULL);
	if (err) {
		diag_set(why, err, "no memory for the list of events");
	} else if (put_events(out, &catalogue, pattern, is_json)) {
		put_missing(out, &catalogue.no_tracepoints, is_json);
	} else if (catalogue.no_tracepoints.err &&
		   (strchr(pattern, ':') || !strcmp(pattern, "tracepoint"))) {
		*why = catalogue.no_tracepoints;
		err = why->err;
	} else {
		err = diag_set(why, -ENOENT, "no event of this machine matches \"%s\"", pattern);
	}
	event_catalogue_finish(&catalogue);
	return err;
}
