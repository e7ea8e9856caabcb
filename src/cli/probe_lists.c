/* probe_lists.c - see probe_lists.h. */
#include "cli/probe_lists.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "base/privileges.h"
#include "base/safe_print.h"
#include "probe/target_finder.h"
#include "probe/target_query.h"
#include "probe/trace_group.h"

#define OF_FLAMETOP	 ":flametop_"
#define DEFINITION_BYTES 4096	/* the kernel's own limit */

/* The last one: with all names. NULL: poll(2) failed. */
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

	sanitize_text(spec, sizeof(spec), result->spec, strlen(result->spec));
	safe_print(out, "%s\t%s%s\n", sanitize_checked(spec[0] ? spec : result->shown),
		   result->is_able ? SAFE_TEXT("") : SAFE_TEXT("cannot: "),
		   sanitize_checked(result->note));
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
	struct target_query query;
	size_t exact, matches, shown = 0;

	if (!reply)
		return diag_set(why, -EIO, "the finder can't be waited for: %s", strerror(errno));
	if (!reply->count)
		return diag_set(why, -ENOENT, "nothing that can be probed matches \"%s\"", pattern);
	target_query_make(&query, pattern);
	exact = count_exact(reply, query.words);
	matches = exact ? exact : reply->matches;
	for (size_t i = 0; i < reply->count && (!max || shown < max); i++) {
		if (exact && !is_exact(&reply->results[i], query.words))
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

int probe_lists_print_targets(FILE *out, const char *pattern, size_t max, pid_t pid,
			      struct diag *why)
{
	struct target_finder_config config = { .pid = pid };
	struct target_finder *finder = NULL;
	int err = sandbox_start(&config.sandbox, why);

	if (!err)
		err = privileges_drop(PRIVILEGES_OF_MAIN, false, why);
	if (!err)
		err = target_finder_create(&finder, &config, why);
	if (!err) {
		target_finder_ask(finder, 1, pattern, pid);
		err = print_reply(out, wait_for_all(finder), pattern, max, why);
	}
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
