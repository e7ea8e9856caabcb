/* probe_lists.c - see probe_lists.h. */
#include "probe_lists.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "base/privileges.h"
#include "base/safe_print.h"
#include "probe/target_finder.h"
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

static int print_reply(FILE *out, const struct target_reply *reply, const char *pattern,
		       struct diag *why)
{
	if (!reply)
		return diag_set(why, -EIO, "the finder can't be waited for: %s", strerror(errno));
	if (!reply->count)
		return diag_set(why, -ENOENT, "nothing that can be probed matches \"%s\"", pattern);
	for (size_t i = 0; i < reply->count; i++)
		print_result(out, &reply->results[i]);
	if (reply->matches > reply->count)
		safe_print(out, "# %zu more: a longer pattern finds fewer\n",
			   reply->matches - reply->count);
	return 0;
}

int probe_lists_print_targets(FILE *out, const char *pattern, pid_t pid, struct diag *why)
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
		err = print_reply(out, wait_for_all(finder), pattern, why);
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
